"""How deep and how many: algorithm 1's trees, and the public rules of the repaired forest.

:math:`n_E` are the estimation points of a tree, :math:`k` is `min_samples_leaf` and :math:`t` the trees; :math:`N`
is a public guess of the number of records, never their number. Derived in :doc:`/book/multinomial_forest`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_epsilon, check_integer

GUESS = 10_000  # records, where the user declares none
FEWEST_TREES, MOST_TREES = 3, 99
TREE_MASS = 4_000  # epsilon times records that a tree should have, and a leaf its half of them
LEAF_MASS = 10
DEEPEST = 12


def least_depth(n_estimation: int, min_samples_leaf: int):
    r"""Levels that some path must have if every node with more than :math:`k` points is split.

    .. math:: \lceil \log_2 (n_E / k) \rceil

    A tree of depth :math:`d` has at most :math:`2^d` leaves of at most :math:`k` points each. MRF,
    algorithm 1, line 3; ours. It holds wherever distinct structure points allow every such split.

    Examples
    --------
    >>> least_depth(30_401, 5)
    13
    """
    n, k = check_integer(n_estimation, "n_estimation", 0), check_integer(min_samples_leaf, "min_samples_leaf", 1)
    return max(-(-n // k) - 1, 0).bit_length()


def advised_trees(epsilon: float, n_records: int | None = None):
    r"""Number of trees of the repaired forest: the odd one at :math:`\epsilon N/4000`, between 3 and 99.

    A record is in one tree: more trees are fewer records each, against the same noise. An even number of
    votes can tie. Ours; a rule of thumb, the same for all data of :doc:`/book/multinomial_forest`.
    `n_records`: the public guess; left out, 10,000.
    """
    mass = check_epsilon(epsilon) * _guess(n_records)
    trees = int(np.clip(mass / TREE_MASS, FEWEST_TREES, MOST_TREES))
    return trees - (trees % 2 == 0)


def advised_depth(epsilon: float, n_trees: int, n_levels: ArrayLike, n_records: int | None = None):
    r"""Levels of splits of the repaired forest, :math:`\log_2(\epsilon N/(20\,t))` between 1 and 12.

    So that a leaf's estimation points, half of its tree's, are worth 10 at :math:`\epsilon = 1`. No deeper than
    the domain allows, where no column is continuous. Ours; a rule of thumb. `n_levels`: levels of each column, 0
    if it is continuous, ints of shape (n_features,); `n_records`: the public guess; left out, 10,000.
    """
    mass = check_epsilon(epsilon) * _guess(n_records)
    leaves = mass / (2 * LEAF_MASS * check_integer(n_trees, "n_trees", 1))
    depth = math.floor(math.log2(min(max(leaves, 2.0), 2.0**DEEPEST)))
    n_levels = np.asarray(n_levels)
    return depth if (n_levels == 0).any() else int(min(depth, (n_levels - 1).sum()))


def _guess(n_records: int | None):
    return GUESS if n_records is None else check_integer(n_records, "n_records", 1)
