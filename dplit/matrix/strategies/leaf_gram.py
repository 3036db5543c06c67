r"""The Gram :math:`T^\top T` of a forest's leaves by regions of cells, as one leaf number a region and tree.

A product with it sums a row over the regions of each leaf and gives every region its leaf's sum, for each tree.
So a million cells and 32 trees need 32 million small numbers, where the matrix has :math:`10^{12}` entries and T,
held sparsely, as many floats and positions besides. Of the distinct trees each stands once, with its copies.
"""

from __future__ import annotations

import numpy as np

from dplit.matrix.paths import distinct


class LeafGram:
    r""":math:`\sum_t \mu_t T_t^\top T_t`, what the p-identity loss asks of a Gram.

    Parameters
    ----------
    leaves : int array, shape (n_trees, n_regions)
        The leaf of each region in each tree, from 0.
    copies : array_like of float, shape (n_trees,)
        How often each tree occurs.
    """

    __array_ufunc__ = None  # products with arrays are ours

    def __init__(self, leaves, copies):
        self.most = int(leaves.max(initial=0)) + 1
        self.leaves = np.ascontiguousarray(
            leaves, dtype=np.uint16 if self.most <= 2**16 else np.int64
        )
        self.copies = np.asarray(copies, dtype=float)

    @classmethod
    def of(cls, workload, place=None):
        """That of a workload of leaves.

        Parameters
        ----------
        workload : Workload
            Of all leaves of a forest.
        place : int array, shape (n_cells,), optional
            The region of each cell, each of which some tree asks for; left out, each cell is one.
        """
        paths = workload.paths
        trees = [np.flatnonzero(paths.tree == t) for t in range(paths.n_trees)]
        boxes = distinct(paths.allowed)[1]
        found = {}
        for rows in trees:
            rows = rows[np.argsort(boxes[rows])]
            found.setdefault(boxes[rows].tobytes(), [rows, 0])[1] += 1
        first = slice(None)
        if place is not None:
            first = np.unique(place, return_index=True)[1]
        leaves = [_leaf_of_each_cell(paths.take(rows))[first] for rows, _ in found.values()]
        return cls(np.array(leaves), [times for _, times in found.values()])

    @property
    def shape(self):
        """(n_regions, n_regions)."""
        return (self.leaves.shape[1],) * 2

    def diagonal(self):
        """Of every region the number of trees, float64, shape (n_regions,)."""
        return np.full(self.leaves.shape[1], self.copies.sum())

    def trace(self):
        """Sum of the diagonal."""
        return float(self.copies.sum() * self.leaves.shape[1])

    def __rmatmul__(self, rows):
        """Rows times the Gram, float64, shape (p, n_regions)."""
        from dplit.matrix.strategies.leaf_sums import add_leaf_sums  # compiled: slow to import

        rows = np.ascontiguousarray(rows, dtype=float)
        found = np.zeros_like(rows)
        add_leaf_sums(rows, self.leaves, self.copies, self.most, found)
        return found


def _leaf_of_each_cell(paths):
    """The number of the leaf of one tree that holds each cell, int32, shape (n_cells,)."""
    found = np.zeros(tuple(paths.n_levels.tolist()), dtype=np.int32)
    for number in range(len(paths)):
        levels = [
            np.flatnonzero(paths.allowed[number, start : start + n])
            for start, n in zip(paths.starts, paths.n_levels)
        ]
        found[np.ix_(*levels)] = number
    return found.ravel()
