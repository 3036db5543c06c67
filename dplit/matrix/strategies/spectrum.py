r"""How a workload lies in spaces of functions: the masses of weighted marginals, and least squares on boxes.

For each set U of columns the functions of these columns that sum to 0 in each of them are a space, and all
these spaces are orthogonal. All marginals share them: the marginal of the columns S has the eigenvalue
:math:`\prod_{i \notin S} n_i` for :math:`U \subseteq S`, else 0. A workload lies in the spaces below
its tested sets. Its mass there is :math:`w_U = \sum_r \mu_r \|w_r P_U\|^2`, for a box
:math:`\prod_{i \in U} (s_i - s_i^2/n_i) \prod_{i \notin U} s_i^2/n_i` with its :math:`s_i` levels of column i.

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

from dplit.matrix.paths import distinct
from dplit.matrix.strategies.base import asks_leaves, check_forest, squared_rows
from dplit.matrix.strategies.boxes import (
    FULL,
    basis,
    below,
    coefficients,
    dimensions,
)
from dplit.matrix.tested import tested_sets

DENSE = 8  # a product of sparse rows takes so many times as long for an entry, or more
FEW = 16  # entries of a row, that never take long


def spaces_of(workload):
    """The sets U of columns below the tested sets of a workload's boxes, list of tuple of int."""
    return below([columns for columns, _ in tested_sets(workload.boxes)])


def row_masses(workload, spaces):
    """Squared norm of each row's part in each space.

    Parameters
    ----------
    workload : Workload
        With boxes.
    spaces : list of tuple of int

    Returns
    -------
    sparse array, float64, shape (n_rows, n_spaces)
    """
    if asks_leaves(workload):
        return _box_masses(workload.boxes, spaces)
    parts = coefficients(workload.boxes, spaces)
    masses = [squared_rows(workload, part) for part in parts]
    return sparse.csr_array(np.column_stack(masses) * float(workload.n_cells))


def _box_masses(boxes, spaces):
    """A box has a part in the spaces below the columns that it tests alone.

    Where a row's entries stand is known beforehand: they are written there one tested set after the other,
    which takes no more memory than the rows have.
    """
    n, number = boxes.n_levels, {columns: u for u, columns in enumerate(spaces)}
    sets, held = tested_sets(boxes), []
    for tested, _ in sets:
        held.append(sorted((number[u], u) for u in below([tested]) if u in number))
    lengths = np.zeros(len(boxes), dtype=np.int64)
    for (_, rows), parts in zip(sets, held):
        lengths[rows] = len(parts)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    data, column = np.empty(ends[-1]), np.empty(ends[-1], dtype=np.int32)
    for (_, rows), parts in zip(sets, held):
        sizes = boxes.sizes[rows]
        constant = np.exp((2 * np.log(np.maximum(sizes, 1)) - np.log(n)).sum(axis=1))
        constant *= sizes.all(axis=1)
        ratio = n / np.maximum(sizes, 1) - 1
        for at, (u, columns) in enumerate(parts):
            part = constant
            for j in columns:
                part = part * ratio[:, j]
            data[ends[rows] + at], column[ends[rows] + at] = part, u
    return sparse.csr_array((data, column, ends), shape=(len(boxes), len(spaces)))


def masses(workload, target="leaves"):
    """Mass of a workload in each space that it has a part in.

    Parameters
    ----------
    workload : Workload
        With boxes.
    target : {"leaves", "votes"}
        Its rows, copies included; or the weighted votes of its leaves, on average over all cells.

    Returns
    -------
    dict of tuple of int to float
    """
    check_forest(workload)
    spaces = spaces_of(workload)
    if target == "votes":
        found = _vote_masses(workload, spaces)
    else:
        found = workload.multiplicity @ row_masses(workload, spaces)
    least = 1e-12 * found.max()
    return {u: float(w) for u, w in zip(spaces, found) if w > least}


def copies(workload):
    """How many leaves of the trees each box is, float64, shape (n_boxes,)."""
    check_forest(workload)
    _, place = distinct(workload.boxes.allowed, workload.paths.allowed)
    n = len(workload.boxes)
    return np.bincount(place[n:], minlength=place.max() + 1)[place[:n]].astype(float)


def _vote_masses(workload, spaces):
    r"""Of :math:`T^\top \mathrm{diag}(\mu) T`, with the copies :math:`\mu` of each box, over the cells."""
    parts = coefficients(workload.boxes, spaces)
    rows, times = np.hstack(parts), copies(workload)[:, None]
    weighted = times * rows
    if rows.shape[1] <= len(rows):
        columns = ((rows.T @ weighted) ** 2).sum(axis=0) * float(workload.n_cells)
    else:
        columns = ((workload.overlaps @ weighted) * weighted).sum(axis=0)
    starts = np.cumsum([0] + [part.shape[1] for part in parts[:-1]])
    return np.add.reduceat(columns, starts)


def eigenvalues(sets, spaces, n_levels):
    """Of the marginal of each set (a column) in each space (a row), the other columns' cells.

    Parameters
    ----------
    sets, spaces : list of tuple of int
    n_levels : array_like of int, shape (n_features,)

    Returns
    -------
    float64 array, shape (n_spaces, n_sets)
    """
    n = np.asarray(n_levels, dtype=float)
    member = np.zeros((len(sets), len(n)), dtype=bool)
    within = np.zeros((len(spaces), len(n)), dtype=bool)
    for marks, columns in ((member, sets), (within, spaces)):
        for row, chosen in enumerate(columns):
            marks[row, list(chosen)] = True
    cells = np.array([math.prod(n[~row]) for row in member])
    missing = within.astype(np.float32) @ (~member).astype(np.float32).T
    return np.where(missing == 0, cells, 0.0)


# Least squares ------------------------------------------------------------------------------------


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
