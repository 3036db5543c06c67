"""Claims of the chapter on scale."""
