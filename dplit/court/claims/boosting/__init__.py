"""Claims that :doc:`/book/boosting` derives."""
