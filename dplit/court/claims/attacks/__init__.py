"""Claims that :doc:`/book/attacks` derives."""
