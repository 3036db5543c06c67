"""Claims of the chapter `matrix_strategies`."""
