r"""What a matrix forest is asked: linear queries on the table D of the records, cell by class.

A `Workload` is :math:`W = B\,T`, with the distinct boxes T of the paths and weights B, a row for each
query and its multiplicity: how often the query occurs. Training asks for the leaves themselves, B = I
(M-RF, algorithm 1); prediction for the weighted votes of queries, :math:`B = QT^\top` (algorithm 2).
Neither the merging of equal rows nor that of equal columns changes what a strategy can reach: a
query that is answered once is answered for all its copies, and cells that every row weighs alike are
one cell for all that is released.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from dplit.matrix.paths import Paths, decision_paths


@dataclass(frozen=True)
class Workload:
    """Distinct queries on the cells of a domain, and how often each occurs.

    Attributes
    ----------
    boxes : Paths
        Distinct boxes.
    weights : sparse array, shape (n_rows, n_boxes)
        Of each box in each row; distinct rows.
    multiplicity : int64 array, shape (n_rows,)
        How many queries a row answers.
    paths : Paths
        All leaves of the forest, in order.
    """

    boxes: Paths
    weights: sparse.csr_array
    multiplicity: np.ndarray
    paths: Paths

    @classmethod
    def of(cls, forest, queries=None, n_levels=None):
        """The workload of a forest's leaves, or of its votes for queries.

        Parameters
        ----------
        forest : Paths, or what `decision_paths` takes
        queries : int array, shape (n_queries, n_features), optional
            Codes of levels; left out, the rows are the leaves.
        n_levels : array_like of int, optional
            As in `decision_paths`.
        """
        paths = forest if isinstance(forest, Paths) else decision_paths(forest, n_levels)
        _, first, place = np.unique(
            np.packbits(paths.allowed, axis=1), axis=0, return_index=True, return_inverse=True
        )
        boxes, place = paths.take(first), place.ravel()
        if queries is None:
            rows = sparse.eye_array(len(boxes), format="csr")
            return cls(boxes, rows, np.bincount(place), paths)
        reached = sparse.csr_array(paths.reached(queries).astype(float))
        merge = sparse.csr_array((np.ones(len(place)), (np.arange(len(place)), place)))
        weights = (reached @ merge).toarray()
        rows, multiplicity = np.unique(weights, axis=0, return_counts=True)
        return cls(boxes, sparse.csr_array(rows), multiplicity, paths)

    def __len__(self):
        return self.weights.shape[0]

    @property
    def n_trees(self):
        """Trees of the forest."""
        return self.paths.n_trees

    @property
    def n_cells(self):
        """Cells of the domain."""
        return self.boxes.n_cells

    @cached_property
    def overlaps(self):
        """Cells that two distinct boxes share, shape (n_boxes, n_boxes)."""
        return self.boxes.overlaps()

    @property
    def gram(self):
        """W W', weighted by no multiplicity, shape (n_rows, n_rows)."""
        return self.weights @ (self.weights @ self.overlaps).T

    def matrix(self):
        """W, one row for each distinct query, float64, shape (n_rows, n_cells)."""
        return self.weights @ self.boxes.matrix().astype(float)

    def columns(self):
        """Distinct columns of W that are not zero, and how many cells share each.

        Returns
        -------
        matrix : float64 array, shape (n_rows, n_distinct)
        cells : int64 array, shape (n_distinct,)
        """
        found, cells = np.unique(self.matrix(), axis=1, return_counts=True)
        some = found.any(axis=0)
        return found[:, some], cells[some]

    def squared(self):
        """Sum of squares of all entries, copies included: squared Frobenius norm."""
        rows = (self.weights.multiply(self.weights @ self.overlaps)).sum(axis=1)
        return float(rows @ self.multiplicity)
