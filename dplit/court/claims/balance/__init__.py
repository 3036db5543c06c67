"""Claims that :doc:`/book/balance` derives."""
