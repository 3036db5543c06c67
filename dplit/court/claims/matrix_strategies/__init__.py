"""Claims that :doc:`/book/matrix_strategies` derives."""
