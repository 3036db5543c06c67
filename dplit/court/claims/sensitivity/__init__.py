"""Claims of the chapter `sensitivity`."""
