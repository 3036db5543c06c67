"""Claims that :doc:`/book/sensitivity` derives."""
