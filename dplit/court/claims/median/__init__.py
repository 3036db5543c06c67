"""Claims of the chapter `median`."""
