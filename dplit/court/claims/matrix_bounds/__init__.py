"""Claims that :doc:`/book/matrix_bounds` derives."""
