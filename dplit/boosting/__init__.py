"""Private boosted oblivious trees."""
