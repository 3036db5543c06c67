"""Permute-and-flip by its definition, which claims of several chapters hold other laws against."""

from fractions import Fraction
from itertools import permutations


def flipped(chances):
    """Law of the report where these are the chances that a candidate is accepted: every order, every flip."""
    law, orders = [Fraction(0)] * len(chances), list(permutations(range(len(chances))))
    for order in orders:
        reached = Fraction(1)
        for r in order:
            law[r] += reached * chances[r] / len(orders)
            reached *= 1 - chances[r]
    return law
