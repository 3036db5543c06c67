"""Claims of the chapter on boosted forests."""
