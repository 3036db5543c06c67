"""Claims of the chapter `median_forest`."""
