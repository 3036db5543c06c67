r"""Decision paths as rows of a matrix (M-RF, section "Matrix representation").

A leaf of a tree over categorical columns is a *box*: for each column the set of levels that the path
lets through. Over the domain of all :math:`n = \prod_i n_i` cells, a cell being one combination of
levels, the box is a row of zeros and ones, and the rows of all leaves of all trees are the
:math:`o \times n` decision path matrix T. With the :math:`n \times k` table D of the training records,
cell by class, the leaves' class counts are :math:`C = TD`; with queries as rows of Q, each a single
cell, the leaves that they reach are :math:`W = QT^\top` and their weighted votes :math:`V = QT^\top TD`.

Boxes overlap in products: the cells in both of two boxes are
:math:`(TT^\top)_{lm} = \prod_i |U_{li} \cap U_{mi}|`, so that nothing of the size of the domain is made
unless it is asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dplit.errors import check_integer

MOST_CELLS = 50_000_000  # entries of a matrix over the domain that are made on demand


@dataclass(frozen=True)
class Paths:
    """The decision paths of a forest over categorical columns.

    Attributes
    ----------
    allowed : bool array, shape (n_paths, sum(n_levels))
        Whether a level may occur, the columns' levels side by side.
    n_levels : int64 array, shape (n_features,)
    tree : int64 array, shape (n_paths,)
        The tree of each path.
    """

    allowed: np.ndarray
    n_levels: np.ndarray
    tree: np.ndarray

    def __len__(self):
        return len(self.allowed)

    @property
    def n_cells(self):
        """Cells of the domain, a Python int of any size."""
        return math.prod(self.n_levels.tolist())

    @property
    def n_trees(self):
        """Number of trees."""
        return int(self.tree[-1]) + 1

    @cached_property
    def sizes(self):
        """How many levels each path lets through in each column, int64, shape (n_paths, n_features)."""
        return np.add.reduceat(self.allowed, self.starts, axis=1, dtype=np.int64)

    @property
    def starts(self):
        """Where each column's levels begin, shape (n_features,)."""
        return np.concatenate([[0], np.cumsum(self.n_levels)[:-1]]).astype(np.int64)

    @property
    def tests(self):
        """Whether a path tests a column: it does not let all levels through; (n_paths, n_features)."""
        return self.sizes < self.n_levels

    @property
    def cells(self):
        """Cells of each box, float64: exact up to 2**53, shape (n_paths,)."""
        return self.sizes.prod(axis=1, dtype=np.float64)

    def take(self, rows):
        """These paths alone, in the order of `rows`."""
        return Paths(self.allowed[rows], self.n_levels, self.tree[rows])

    def overlaps(self, other=None):
        r"""Cells that two boxes share, :math:`TT^\top`.

        Parameters
        ----------
        other : Paths, optional
            Of the same domain; left out, these paths once more.

        Returns
        -------
        float64 array, shape (n_paths, n_paths of `other`)
        """
        other = self if other is None else other
        shared = np.ones((len(self), len(other)))
        for start, n in zip(self.starts, self.n_levels):
            columns = slice(start, start + n)
            mine, theirs = (p.allowed[:, columns].astype(np.float32) for p in (self, other))
            if not (mine.all() and theirs.all()):
                shared *= mine @ theirs.T
            else:
                shared *= n
        return shared

    def matrix(self):
        """T itself.

        Returns
        -------
        bool array, shape (n_paths, n_cells)
            Cells in the order of `numpy.ndindex`: the last column's level changes first.

        Raises
        ------
        ValueError
            If it would have more than `MOST_CELLS` entries.
        """
        if len(self) * self.n_cells > MOST_CELLS:
            raise ValueError(
                f"the domain has {self.n_cells:,} cells, too many for a matrix of {len(self):,} "
                f"paths: at most {MOST_CELLS:,} entries"
            )
        rows = np.ones((len(self), 1), dtype=bool)
        for start, n in zip(self.starts, self.n_levels):
            rows = rows[:, :, None] & self.allowed[:, None, start : start + n]
            rows = rows.reshape(len(self), -1)
        return rows

    def reached(self, codes):
        """Which paths each record follows, Q T' for queries.

        Parameters
        ----------
        codes : int array, shape (n_records, n_features)

        Returns
        -------
        bool array, shape (n_records, n_paths)
        """
        follows = np.ones((len(codes), len(self)), dtype=bool)
        for j, start in enumerate(self.starts):
            follows &= self.allowed[:, start + np.asarray(codes)[:, j]].T
        return follows


def decision_paths(forest, n_levels=None):
    """The decision paths of a fitted forest, or of its trees.

    Parameters
    ----------
    forest : estimator with ``trees_`` and ``domain_``, or dplit.trees.Trees
        All columns that it tests are categorical.
    n_levels : array_like of int, shape (n_features,), optional
        Levels of each column; needed with bare trees.

    Returns
    -------
    Paths
        In the order of the leaves' numbers.

    Raises
    ------
    ValueError
        If a column is continuous, which has no cells: use public bins.

    Examples
    --------
    >>> from dplit import Categorical, Domain, matrix, trees
    >>> import numpy as np
    >>> tennis = Domain([Categorical(["sunny", "overcast", "rainy"]), Categorical([False, True])])
    >>> grown = trees.grow_random_trees(tennis, 1, 1, rng=np.random.default_rng(0))
    >>> matrix.decision_paths(grown, tennis.n_levels).matrix().astype(int)
    array([[1, 0, 1, 0, 1, 0],
           [0, 1, 0, 1, 0, 1]])
    """
    trees = getattr(forest, "trees_", forest)
    if n_levels is None:
        n_levels = forest.domain_.n_levels
    n_levels = np.asarray(n_levels, dtype=np.int64)
    for j in sorted(set(trees.feature[trees.feature >= 0].tolist())):
        if n_levels[j] == 0:
            raise ValueError(
                f"column {j} is continuous and has no cells; a matrix needs public bins"
            )
    starts = np.concatenate([[0], np.cumsum(n_levels)]).astype(np.int64)
    allowed = np.zeros((trees.n_leaves, int(starts[-1])), dtype=bool)
    waiting = [(int(root), np.ones(starts[-1], dtype=bool)) for root in trees.roots]
    while waiting:
        node, box = waiting.pop()
        feature, child, side = (int(a[node]) for a in (trees.feature, trees.child, trees.side))
        if feature < 0:
            allowed[child] = box
            continue
        first, n = starts[feature], n_levels[feature]
        steps = trees.steps[side : side + n]
        for step in np.unique(steps):
            below = box.copy()
            below[first : first + n] &= steps == step
            waiting.append((child + int(step), below))
    of_tree = np.repeat(np.arange(trees.n_trees), np.diff(trees.leaf_starts))
    return Paths(allowed, n_levels, of_tree)


def rank_bound(paths):
    r"""The largest rank that T can have: what the columns tested on single paths allow.

    The row of a path with tested columns S is a product of one function for each column of S, and so
    lies in the sum, over all subsets U of S, of the spaces of functions of U that sum to 0 in each of
    its columns. These spaces are orthogonal and have the dimensions :math:`\prod_{i \in U} (n_i - 1)`.

    Parameters
    ----------
    paths : Paths

    Returns
    -------
    int
        Sum of the dimensions over all sets U below the set of columns tested on some path.
    """
    below = set()
    for tested in {tuple(np.flatnonzero(row).tolist()) for row in paths.tests}:
        stack = [tested]
        while stack:
            subset = stack.pop()
            if subset not in below:
                below.add(subset)
                stack += [subset[:i] + subset[i + 1 :] for i in range(len(subset))]
    return sum(math.prod(int(paths.n_levels[i]) - 1 for i in subset) for subset in below)


def full_rank_bound(n_levels, depth):
    """`rank_bound` of a forest so rich that every set of `depth` columns is tested on some path.

    Parameters
    ----------
    n_levels : array_like of int, shape (n_features,)
    depth : int

    Returns
    -------
    int
        Sum of the elementary symmetric polynomials of n_i - 1, up to the order `depth`.
    """
    check_integer(depth, "depth", 0)
    polynomial = [1]
    for n in n_levels:
        longer = [*polynomial, 0]
        for order, coefficient in enumerate(polynomial):
            longer[order + 1] += coefficient * (int(n) - 1)
        polynomial = longer
    return sum(polynomial[: depth + 1])
