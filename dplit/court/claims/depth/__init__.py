"""Claims that :doc:`/book/depth` derives."""
