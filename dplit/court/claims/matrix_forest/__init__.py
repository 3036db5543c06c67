"""Claims that :doc:`/book/matrix_forest` derives."""
