"""Claims of the chapter `majority`."""
