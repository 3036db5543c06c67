"""Claims of the chapter `occupancy`."""
