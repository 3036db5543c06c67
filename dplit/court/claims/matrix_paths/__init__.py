"""Claims that :doc:`/book/matrix_paths` derives."""
