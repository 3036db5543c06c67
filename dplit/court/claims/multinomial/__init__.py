"""Claims of the chapter `multinomial`."""
