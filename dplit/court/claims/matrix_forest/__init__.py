"""Claims of the chapter `matrix_forest`."""
