"""Claims that :doc:`/book/matrix_release` derives."""
