"""Claims that :doc:`/book/mechanisms` derives."""
