"""Claims of the chapter `mechanisms`."""
