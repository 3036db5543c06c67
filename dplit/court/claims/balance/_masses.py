r"""The smaller block of a private median split, in fractions; `root` is a rational :math:`e^{\epsilon/2}`."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise

ROOTS = (Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(10))  # e^{epsilon/2}


def epsilon_of(root):
    """The epsilon with e^{epsilon/2} = root."""
    return 2 * math.log(root)


def datasets(n, width):
    """Every sorted data set of n values on the grid 0, 1, ..., width."""
    return combinations_with_replacement(range(width + 1), n)


def block_masses(values, lower, upper, root):
    """Weight of each size of the smaller block: a cut at r has density root**q(r).

    The score q(r) is minus the difference of the two counts.
    """
    masses = {}
    for a, b in pairwise(sorted({lower, *values, upper})):
        middle = Fraction(a + b) / 2
        left = sum(x < middle for x in values)
        right = len(values) - left
        block = min(left, right)
        masses[block] = masses.get(block, 0) + (b - a) * root ** -abs(left - right)
    return masses


def tail(masses, t):
    """Probability that the smaller block holds at least t records; 0 where no cut exists."""
    total = sum(masses.values())
    return sum(m for b, m in masses.items() if b >= t) / total if total else Fraction(0)
