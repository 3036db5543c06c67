"""Claims of the chapter `multinomial_privacy`."""
