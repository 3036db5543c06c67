"""Claims of the chapter `multinomial_forest`."""
