"""Claims of the chapter `balance`."""
