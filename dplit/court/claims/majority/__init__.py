"""Claims that :doc:`/book/majority` derives."""
