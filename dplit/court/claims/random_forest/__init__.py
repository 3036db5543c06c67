"""Claims of the chapter `random_forest`."""
