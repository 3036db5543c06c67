r"""Sums in several orders: three doubles suffice for another split, whole numbers never do.

Addition of doubles rounds, so that :math:`(a + b) + c` need not be :math:`a + (b + c)`. Derived in
:doc:`/book/scale`.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations, permutations
from operator import add

from dplit.boosting.residuals import STEPS

LARGEST_SUM = 2**63 - 1
THREE = (0.1, 0.2, 0.3)  # residuals, in records
TESTS = ((True, True, True), (True, True, False))  # which records go right


def cuttings(n):
    """All ways to cut records 0, ..., n - 1 into blocks, in every order.

    Parameters
    ----------
    n : int

    Yields
    ------
    tuple of tuples of int
        Blocks, each of them records in the order in which they are added.
    """
    for order in permutations(range(n)):
        for k in range(n):
            for ends in combinations(range(1, n), k):
                yield tuple(order[a:b] for a, b in zip((0, *ends), (*ends, n)))


def mass(residuals, goes_right, blocks):
    """L1 mass of a test: sums of either side, added within the blocks and then over them.

    Parameters
    ----------
    residuals : sequence of numbers
        Of any kind: doubles, ints, fractions.
    goes_right : sequence of bool
    blocks : sequence of sequences of int

    Returns
    -------
    number
    """
    sides = []
    for side in (True, False):
        parts = [_added(residuals[i] for i in block if goes_right[i] == side) for block in blocks]
        sides.append(abs(_added(parts)))
    return sides[0] + sides[1]


def _added(numbers):
    """Their sum, one after the other: `sum` makes up for the rounding of doubles from Python 3.12 on."""
    return reduce(add, numbers, 0)


def best_test(residuals, tests, blocks):
    """Place of the test of the largest mass; of several, the first."""
    masses = [mass(residuals, test, blocks) for test in tests]
    return masses.index(max(masses))


def in_steps(residuals):
    """The residuals as whole numbers of steps, list of int."""
    return [round(STEPS * r) for r in residuals]


def most_records():
    """Records whose pair sums of residuals stay below :math:`2^{63}`, each adding up to two records' steps."""
    return LARGEST_SUM // (2 * STEPS)
