r"""Least squares on boxes without a domain: the rows of T in few functions, and the inverse of their Gram.

With weights w the strategy is :math:`A = \mathrm{diag}(w)\,T`. Whatever functions span the columns, with the
rows R of T in them, :math:`G = R^\top \mathrm{diag}(w^2) R` and :math:`AA^+ = \mathrm{diag}(w) R G^{-1} R^\top
\mathrm{diag}(w)`. In products of one function a column, the constant or the indicator of a level other than
the last, a box of single levels has few entries: one for a level, n for the last of n. So R is sparse, and
what grows with the third power is the factor of G alone.
"""

from __future__ import annotations

import math
from copy import copy

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cholesky, lapack

from dplit.matrix.strategies.boxes import FULL, basis, below, dimensions, tested_sets

DENSE = 8  # a product of sparse rows takes so many times as long for an entry, or more
FEW = 16  # entries of a row, that never take long


class Span:
    r"""What least squares needs of the boxes of a strategy :math:`\mathrm{diag}(w)\,T`.

    Parameters
    ----------
    boxes : Paths
    weights : float64 array, shape (n_boxes,)
        Positive.
    """

    def __init__(self, boxes, weights):
        self.weights = weights
        found = _factored(boxes, weights)
        if found is None:
            found = basis(boxes, weights) / weights[:, None], None
        self.rows, self.inverse = found

    def _times(self, rows):
        return rows if self.inverse is None else rows @ self.inverse

    def variances(self, combine):
        r"""Squared norms of the rows of :math:`B\,T A^+`, float64, shape (n_rows,).

        Parameters
        ----------
        combine : callable
            Takes values of the boxes to those of the rows, B times them.
        """
        rows = combine(self.rows)
        left = self._times(rows)
        if sparse.issparse(rows):
            return np.asarray(rows.multiply(left).sum(axis=1)).ravel()
        return np.einsum("ij,ij->i", left, rows)

    def votes(self, copies, overlaps, places):
        r""":math:`\mathrm{tr}(T^\top C\,T A^+ (T A^+)^\top C\,T)`, C the diagonal of the copies, float.

        Parameters
        ----------
        copies : float64 array, shape (n,)
            Of some boxes.
        overlaps : float64 array, shape (n, n)
            The cells that they share.
        places : slice or int64 array
            Their numbers.
        """
        rows = sparse.diags_array(copies) @ self.rows[places]
        inner = rows.T @ (rows.T @ overlaps).T
        inner = inner.toarray() if sparse.issparse(inner) else inner
        return float(np.trace(inner) if self.inverse is None else np.vdot(self.inverse, inner))

    def solve(self, values):
        r""":math:`R G^{-1} R^\top` times values of the boxes, shape (n_boxes, k) to (n_boxes, k)."""
        inner = self.rows.T @ values
        return self.rows @ (inner if self.inverse is None else self.inverse @ inner)

    def project(self, values):
        r""":math:`AA^+` times values of the boxes, shape (n_boxes, k) to (n_boxes, k)."""
        return self.weights[:, None] * self.solve(self.weights[:, None] * values)

    def corrected(self, vector, times):
        """The same where the Gram has `times` the square of a vector beside: one number in each function."""
        found = copy(self)
        inverse = np.eye(len(vector)) if self.inverse is None else self.inverse
        moved = inverse @ vector
        found.inverse = inverse - np.outer(moved, moved * (times / (1 + times * (vector @ moved))))
        return found


def _factored(boxes, weights):
    """Sparse rows and the inverse of their Gram; None where it has none, or would not be less work."""
    n_rows, size = len(boxes), dimensions(boxes)
    if size > n_rows or _entries(boxes) > n_rows * max(size / DENSE, FEW):
        return None
    rows = sparse_rows(boxes)
    scaled = sparse.diags_array(weights) @ rows
    gram = (scaled.T @ scaled).toarray()
    try:
        factor = cholesky(gram, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    if factor.diagonal().min() <= FULL * factor.diagonal().max():
        return None
    inverse, failed = lapack.dpotri(factor, lower=True, overwrite_c=True)
    return None if failed else (rows, inverse + np.tril(inverse, -1).T)


def _entries(boxes):
    """The sum over the rows of their entries."""
    last = boxes.allowed[:, np.cumsum(boxes.n_levels) - 1]
    each = np.where(last, 1 + boxes.n_levels - boxes.sizes, boxes.sizes)
    return float(np.where(boxes.tests, each, 1).prod(axis=1, dtype=float).sum())


def sparse_rows(boxes):
    """T in products of constants and indicators of levels other than the last.

    Parameters
    ----------
    boxes : Paths

    Returns
    -------
    sparse array, float64, shape (n_boxes, dimensions(boxes))
    """
    sets, first, at = tested_sets(boxes), {}, 0
    for columns in below([columns for columns, _ in sets]):
        first[columns] = at
        at += math.prod(int(boxes.n_levels[j]) - 1 for j in columns)
    found = []
    for columns, rows in sets:
        block = np.ones((len(rows), 1))
        for j in columns:
            start, n = int(boxes.starts[j]), int(boxes.n_levels[j])
            of_levels = boxes.allowed[rows, start : start + n].astype(float)
            of_levels[:, :-1] -= of_levels[:, -1:]
            part = np.roll(of_levels, 1, axis=1)  # the constant first
            block = (block[:, :, None] * part[:, None, :]).reshape(len(rows), -1)
        row, column = np.nonzero(block)
        found.append((block[row, column], rows[row], _numbers(columns, boxes, first)[column]))
    data, row, column = (np.concatenate(parts) for parts in zip(*found))
    return sparse.csr_array((data, (row, column)), shape=(len(boxes), at))


def _numbers(columns, boxes, first):
    """The number of each product of functions of some columns among all, in the order of their blocks."""
    n = [int(boxes.n_levels[j]) for j in columns]
    places = np.indices(n).reshape(len(n), math.prod(n))
    found = np.empty(math.prod(n), dtype=np.int64)
    for inside in np.unique(places > 0, axis=1).T:
        mine = ((places > 0) == inside[:, None]).all(axis=0)
        chosen = np.flatnonzero(inside)
        shape = [n[i] - 1 for i in chosen]
        place = np.ravel_multi_index(tuple(places[chosen][:, mine] - 1), shape) if shape else 0
        found[mine] = first[tuple(columns[i] for i in chosen)] + place
    return found
