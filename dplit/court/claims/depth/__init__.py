"""Claims of the chapter `depth`."""
