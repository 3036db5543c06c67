"""Claims of the chapter `consistency`."""
