"""Claims of the chapter on attacks and release."""
