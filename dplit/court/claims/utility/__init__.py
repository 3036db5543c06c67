"""Claims that :doc:`/book/utility` derives."""
