"""Leaf counts where records of the column are equal: the exact law, and a bound for every column.

A cut never parts a *block* of equal records (:doc:`/book/occupancy`): what a rank sends to the left is rounded up
to the end of a block. `multiplicities` are the sizes of the blocks, in the order of the column.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from dplit.ground.errors import MOST, check_between, check_integer, check_positive, check_whole
from dplit.occupancy.bounds import rounding
from dplit.occupancy.law import LARGEST, children_of, decay_table, weight_of_all
from dplit.occupancy.model import at_least_zero

LEAST = 1e-45  # blocks less likely than this are left out: all pairs together below 1e-35


def tied_leaf_laws(multiplicities: ArrayLike, depth: int, epsilon: float) -> np.ndarray:
    r"""Exact law of the count of every leaf of a tree on one column with equal records.

    A node holds whole blocks, the blocks :math:`i + 1, \dots, k` say, of m records in all. Its left child holds
    the first of them, up to and including the block of the record j, where j has the law of `leaf_law`; j = 0
    sends none. The law of (i, k) goes from level to level. All values lie strictly inside the column's bounds.
    If all blocks are of one record, every row is `leaf_law`. What is left out has probability below 1e-30. The
    time grows with 2^d times the square of the number of blocks, and with the pairs (i, k) that occur times
    ``160 / epsilon``. Ours; thm-occupancy-ties in :doc:`/book/occupancy`.
    Row i of the result, shape (2 ** depth, n + 1), has the probabilities of 0, ..., n records in leaf i from the
    left; a leaf below a node that can no longer be cut holds none.
    """
    ends = np.concatenate([[0], np.cumsum(_blocks(multiplicities))])
    depth, n = check_integer(depth, "depth", 0), int(ends[-1])
    epsilon = min(check_positive(epsilon, "epsilon"), LARGEST)
    decay, reach = decay_table(n, epsilon)
    after = np.searchsorted(ends, np.arange(n + 1))  # a rank, rounded up to the end of a block
    root = np.zeros((len(ends), len(ends)))
    root[0, -1] = 1.0
    return np.array(list(_leaves(root, depth, ends, after, decay, reach, epsilon)))


def tied_leaf_tail(t: float, multiplicities: ArrayLike, depth: int, epsilon: float) -> np.ndarray:
    r"""Exact :math:`\Pr(|\tilde N - n/2^d| \ge t)` of every leaf of a tree on a column with equal records.

    From `tied_leaf_laws`. The mean over the leaves is the expected fraction of leaves that are so far off.
    """
    t, laws = check_between(t, "t", 0, MOST), tied_leaf_laws(multiplicities, depth, epsilon)
    n = laws.shape[1] - 1
    return laws[:, np.abs(np.arange(n + 1) - n / 2**depth) >= t].sum(axis=1)


def tied_bound(t: ArrayLike, most: int, depth: int, epsilon: float) -> np.ndarray:
    r"""A bound on :math:`\Pr(|\tilde N - n/2^d| \ge t)` for every n and every column, in one line.

    .. math::
        \frac{2\kappa M}{e^{\epsilon_1 (t - \sigma)} - 1/(1 + e^{\epsilon_1})} , \qquad
        \sigma = (2 - 2^{1-d})\,(c - 1)

    where c = `most` is the largest number of equal records, and :math:`\kappa` and M are those of
    `corrected_bound` for odd n. It holds for a leaf of any tree whose columns are chosen without the targets and
    whose largest block, of all its columns, has c records; :math:`c = 1` is a column of distinct values. Ours;
    thm-occupancy-ties in :doc:`/book/occupancy`.
    """
    shift = (2 - 2.0 ** (1 - check_integer(depth, "depth", 1))) * (check_integer(most, "most", 1) - 1)
    left = at_least_zero(t) - shift
    epsilon = min(check_positive(epsilon, "epsilon"), LARGEST)
    rare = 1 / (1 + math.exp(epsilon))
    with np.errstate(over="ignore"):
        bound = 2 * rounding(1, depth, epsilon) / (np.exp(epsilon * np.maximum(left, 0)) - rare)
    return np.where(left > 0, np.minimum(bound, 1.0), 1.0)


def _blocks(multiplicities: list) -> np.ndarray:
    blocks = check_whole(multiplicities, "multiplicities", 1, ndim=1)
    if not blocks.size:
        raise ValueError("multiplicities must be whole numbers of at least 1, got none")
    return blocks


def _leaves(law: np.ndarray, depth: int, ends: np.ndarray, *noise) -> Iterator:
    """Laws of the counts of the leaves below a node, from the left; only one path is kept at a time."""
    if depth == 0:
        first, last = np.nonzero(law)
        yield np.bincount(ends[last] - ends[first], law[first, last], minlength=ends[-1] + 1)
        return
    for child in _children_laws(law, ends, *noise):
        yield from _leaves(child, depth - 1, ends, *noise)


@njit(cache=True, nogil=True)
def _children_laws(
    law: np.ndarray, ends: np.ndarray, after: np.ndarray, decay: np.ndarray, reach: float, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    """Laws of the blocks of the left and of the right child, from that of their parent's."""
    left, right = np.zeros_like(law), np.zeros_like(law)
    for i in range(len(ends)):
        for k in range(i, len(ends)):
            if law[i, k] > LEAST:
                m = ends[k] - ends[i]
                weight = law[i, k] / weight_of_all(m, epsilon)
                start, stop = children_of(m, m, reach)
                for j in range(start, stop + 1):
                    middle = after[ends[i] + j]
                    left[i, middle] += weight * decay[abs(m - 2 * j)]
                    right[middle, k] += weight * decay[abs(m - 2 * j)]
    return left, right
