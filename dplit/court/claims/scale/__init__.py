"""Claims that :doc:`/book/scale` derives."""
