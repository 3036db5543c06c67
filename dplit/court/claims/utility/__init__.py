"""Claims of the chapter `utility`."""
