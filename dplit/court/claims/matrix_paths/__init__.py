"""Claims of the chapter `matrix_paths`."""
