"""Where a matrix pays, few cells against many trees, and what a wide domain costs (:doc:`/book/matrix_bounds`)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, minimize_scalar

from dplit.ground.errors import MOST, check_between, check_epsilon, check_integer, check_positive
from dplit.matrix.paths import check_levels


def expected_leaves(n_levels: ArrayLike, depth: int) -> float:
    """Expected leaves of a random tree with a child for each level and `depth` tests on every path.

    It is the mean, over all sets of `depth` columns, of the product of their levels.
    """
    levels = check_levels(n_levels).tolist()
    if check_integer(depth, "depth", 0) > len(levels):
        raise ValueError(f"depth must be at most {len(levels)}, the number of columns, got {depth}")
    sums = [1.0] + [0.0] * depth
    for n in levels:
        sums = [s + n * before for s, before in zip(sums, [0.0, *sums])]
    return sums[depth] / math.comb(len(levels), depth)


def crossing(n_levels: ArrayLike, depth: int) -> float:
    r"""The number of trees above which noisy cells have a smaller error than Laplace noise per tree.

    .. math:: \tau^* = \sqrt{n / \bar o}

    with n cells and :math:`\bar o` expected leaves of a tree: the root of the mean number of cells of a leaf.

    >>> from dplit import matrix
    >>> [round(matrix.crossing([4, 4, 4, 3, 3, 3], depth), 1) for depth in (2, 3, 4)]  # Car
    [11.9, 6.4, 3.4]
    """
    n_cells = float(np.prod(check_levels(n_levels), dtype=float))
    return math.sqrt(n_cells / expected_leaves(n_levels, depth))


def least_spread(entropy: float) -> float:
    """The least variance :math:`p(1 - p)` of a coin whose entropy is at least so many nats, log 2 at most.

    It is convex, from 0, where 0 or less is asked for, to 1/4.
    """
    if check_between(entropy, "entropy", -MOST, MOST) <= 0:
        return 0.0
    if entropy >= math.log(2):
        return 0.25

    def excess(p):
        return -p * math.log(p) - (1 - p) * math.log1p(-p) - entropy

    p = brentq(excess, 1e-300, 0.5, xtol=1e-300, rtol=1e-14)
    return p * (1 - p)


def wide_bound(n_trees: int, epsilon: float) -> float:
    r"""What every release pays for a leaf of trees that test different columns; add-remove neighbours.

    For :math:`\tau` trees on disjoint columns with m leaves each, m even, no :math:`\epsilon`-DP release has at
    all data sets a smaller squared error per leaf, on average over the leaves, than

    .. math:: \max_N N^2 v(\log 2 - \epsilon N/\tau)

    over whole N, with v of `least_spread`; it may be biased, and its noise may depend on the data. As
    :math:`\tau/\epsilon` grows this becomes :math:`0.0126\,\tau^2/\epsilon^2`. With odd m it holds for all leaves
    of a tree but one.
    """
    n_trees = check_integer(n_trees, "n_trees", 1)
    epsilon = check_positive(epsilon, "epsilon")
    return max(bound_at(n, n_trees, epsilon) for n in _near(n_trees / check_epsilon(epsilon)))


def bound_at(n: int, n_trees: int, epsilon: float) -> float:
    """`wide_bound` before the best N is taken: of leaves that hold either 0 or n records."""
    n, n_trees = check_between(n, "n", 0, MOST), check_integer(n_trees, "n_trees", 1)
    epsilon = check_positive(epsilon, "epsilon")
    return n**2 * least_spread(math.log(2) - epsilon * n / n_trees)


def _near(scale: float) -> list[int]:
    """Whole numbers around the best real N: the bound is N^2 v, of one hump in N over the scale."""

    def loss(share):
        return -(share**2) * least_spread(math.log(2) - share)

    best = minimize_scalar(loss, bounds=(1e-3, math.log(2)), method="bounded").x * scale
    return sorted({max(math.floor(best), 1), math.floor(best) + 1})
