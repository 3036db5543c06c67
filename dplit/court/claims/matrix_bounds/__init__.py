"""Claims of the chapter `matrix_bounds`."""
