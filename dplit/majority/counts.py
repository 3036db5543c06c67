"""Leaves as count vectors, and the leaves one step away."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.stats import binom

from dplit.ground.errors import check_between, check_counts, check_integer, check_neighbours


def leaves(n: int, classes: int) -> list:
    """Every count vector of at most `n` records, as tuples of length `classes`, fewest records first."""
    n, classes = check_integer(n, "n", 0), check_integer(classes, "classes", 1)
    found = (x for x in product(range(n + 1), repeat=classes) if sum(x) <= n)
    return sorted(found, key=lambda x: (sum(x), x))


def neighbouring(counts: Sequence[int], neighbours: str = "add-remove") -> list:
    """The leaves that neighbouring data sets make of this one, as a sorted list of tuples.

    Under ``"replace-one"`` the replaced record may lie in this leaf before, after, or both.
    """
    counts = tuple(check_counts(counts).tolist())
    found = {_moved(counts, c, step) for c in range(len(counts)) for step in (-1, 1)}
    if check_neighbours(neighbours) == "replace-one":
        pairs = product(range(len(counts)), repeat=2)
        found |= {_moved(_moved(counts, a, -1), b, 1) for a, b in pairs if counts[a]}
    return sorted(x for x in found if min(x) >= 0 and x != counts)


def expected_gap(n: int, share: float) -> float:
    r"""Mean gap of a leaf of `n` records of two classes, each of the first with probability `share`.

    :math:`\mathrm{E}|2B - n|` with :math:`B \sim \mathrm{Bin}(n, p)`, p = `share`: between :math:`|2p-1|n` and
    :math:`\sqrt{(2p-1)^2n^2 + 4p(1-p)n}`, so it is not proportional to `n` (:prf:ref:`thm-expected-gap`).
    """
    share = check_between(share, "share", 0, 1)
    of_first = np.arange(check_integer(n, "n", 0) + 1)
    return float(binom.pmf(of_first, n, share) @ np.abs(2 * of_first - n))


def _moved(counts: tuple, c: int, step: int) -> tuple:
    return (*counts[:c], counts[c] + step, *counts[c + 1 :])
