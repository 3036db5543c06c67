"""Claims of the chapter `matrix_release`."""
