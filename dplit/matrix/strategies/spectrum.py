r"""How a workload lies in spaces of functions: the masses of weighted marginals, and least squares on boxes.

The spaces and the masses :math:`w_U` are those of thm-strategy-marginals in :doc:`/book/matrix_strategies`.

With weights w the strategy is :math:`A = \mathrm{diag}(w)\,T`. Whatever functions span the columns, with the
rows R of T in them, :math:`G = R^\top \mathrm{diag}(w^2) R` and :math:`AA^+ = \mathrm{diag}(w) R G^{-1} R^\top
\mathrm{diag}(w)`. In products of one function a column, the constant or the indicator of a level other than
the last, a box of single levels has few entries: one for a level, n for the last of n. So R is sparse, and
what grows with the third power is the factor of G alone.

Of boxes that are nearly independent the few combinations that vanish say the same: with :math:`ZT = 0` and all
such rows in Z, :math:`AA^+ = I - N(N^\top N)^{-1}N^\top` for :math:`N = \mathrm{diag}(1/w) Z^\top`. Where the last
rows of T are X times the first, Z is :math:`(-X, I)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.linalg import LinAlgError, cholesky, lapack, solve_triangular

from dplit.matrix.paths import Paths, distinct
from dplit.matrix.strategies.base import asks_leaves, check_forest, squared_rows
from dplit.matrix.strategies.boxes import CHUNK, FULL, Independent, basis, coefficients, independent
from dplit.matrix.tested import below, dimensions, remembered, tested_sets
from dplit.matrix.workload import Workload

DENSE = 8  # a product of sparse rows takes so many times as long for an entry, or more
FEW = 16  # entries of a row, that never take long


def spaces_of(workload: Workload) -> list[tuple[int, ...]]:
    """The sets U of columns below the tested sets of a workload's boxes."""
    return below([columns for columns, _ in tested_sets(workload.boxes)])


def row_masses(workload: Workload, spaces: list[tuple[int, ...]]) -> sparse.csr_array:
    """Squared norm of each row's part in each space, of a workload of boxes; shape (n_rows, n_spaces)."""
    if asks_leaves(workload):
        return _box_masses(workload.boxes, spaces)
    parts = coefficients(workload.boxes, spaces)
    masses = [squared_rows(workload, part) for part in parts]
    return sparse.csr_array(np.column_stack(masses) * float(workload.n_cells))


def _box_masses(boxes: Paths, spaces: list[tuple[int, ...]]) -> sparse.csr_array:
    """A box has a part in the spaces below the columns that it tests alone.

    Where a row's entries stand is known beforehand: they are written there, those of all sets whose spaces are
    at the same places together, which takes little more memory than the rows have.
    """
    number = {columns: u for u, columns in enumerate(spaces)}
    alike, lengths = {}, np.zeros(len(boxes), dtype=np.int64)
    for tested, rows in tested_sets(boxes):
        held = sorted((number[u], u) for u in below([tested]) if u in number)
        places = tuple(tuple(tested.index(j) for j in u) for _, u in held)
        alike.setdefault((len(tested), places), []).append((rows, tested, [u for u, _ in held]))
        lengths[rows] = len(held)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    data, column = np.empty(ends[-1]), np.empty(ends[-1], dtype=np.int32)
    step = max(1, CHUNK // len(boxes.n_levels))
    for (_, places), sets in alike.items():
        times, rows = [len(each) for each, _, _ in sets], np.concatenate([s[0] for s in sets])
        of_row = np.repeat(np.arange(len(sets)), times)
        tested, numbers = (np.array([s[i] for s in sets], dtype=np.int64) for i in (1, 2))
        for part in range(0, len(rows), step):
            mine, those = rows[part : part + step], of_row[part : part + step]
            constant, ratio = _ratios(boxes, mine, tested[those])
            for at, inside in enumerate(places):
                mass = constant
                for j in inside:
                    mass = mass * ratio[:, j]
                data[ends[mine] + at], column[ends[mine] + at] = mass, numbers[those, at]
    if ends[-1] < 2**31:
        ends = ends.astype(np.int32)  # beside int64 SciPy makes the columns a copy of as many bytes
    return sparse.csr_array((data, column, ends), shape=(len(boxes), len(spaces)))


def _ratios(boxes: Paths, rows: np.ndarray, tested: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A box's mass in the constants, and how much larger it is in the functions of each column that it tests."""
    sizes, n = boxes.sizes[rows], boxes.n_levels
    constant = np.exp((2 * np.log(np.maximum(sizes, 1)) - np.log(n)).sum(axis=1))
    constant *= sizes.all(axis=1)
    return constant, np.take_along_axis(n / np.maximum(sizes, 1) - 1, tested, axis=1)


def masses(workload: Workload, target: str = "leaves") -> dict[tuple[int, ...], float]:
    """Mass of a workload of boxes in each space that it has a part in."""
    check_forest(workload)
    spaces = spaces_of(workload)
    if target == "votes":
        found = _vote_masses(workload, spaces)
    else:
        found = workload.multiplicity @ row_masses(workload, spaces)
    least = 1e-12 * found.max()
    return {u: float(w) for u, w in zip(spaces, found) if w > least}


def copies(workload: Workload) -> np.ndarray:
    """How many leaves of the trees each box is, float64, shape (n_boxes,)."""
    check_forest(workload)
    if workload.boxes is workload.paths.distinct[0]:
        return np.bincount(workload.paths.distinct[1]).astype(float)
    _, place = distinct(workload.boxes.allowed, workload.paths.allowed)
    n = len(workload.boxes)
    return np.bincount(place[n:], minlength=place.max() + 1)[place[:n]].astype(float)


def _vote_masses(workload: Workload, spaces: list[tuple[int, ...]]) -> np.ndarray:
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


def eigenvalues(sets: list[tuple[int, ...]], spaces: list[tuple[int, ...]], n_levels: ArrayLike) -> np.ndarray:
    """Of the marginal of each set in each space, the other columns' cells, shape (n_spaces, n_sets)."""
    n = np.asarray(n_levels, dtype=float)
    member = np.zeros((len(sets), len(n)), dtype=bool)
    within = np.zeros((len(spaces), len(n)), dtype=bool)
    for marks, columns in ((member, sets), (within, spaces)):
        for row, chosen in enumerate(columns):
            marks[row, list(chosen)] = True
    cells = np.array([math.prod(n[~row]) for row in member])
    missing = within.astype(np.float32) @ (~member).astype(np.float32).T
    return np.where(missing == 0, cells, 0.0)


def least_squares(boxes: Paths, weights: np.ndarray) -> Span | Complement:
    r"""What least squares needs of the boxes of a strategy :math:`\mathrm{diag}(w)\,T`, weights positive."""
    found = independent(boxes) if dimensions(boxes) > len(boxes) else None
    few = found is not None and found.others is not None
    return Complement(found, weights) if few else Span(boxes, weights)


class Span:
    """:math:`AA^+` through functions that span the columns: the rows in them, and the inverse of their Gram.

    They are products of constants and indicators, or an orthonormal basis, whose Gram is the identity, where the
    former depend on each other or would be more work.
    """

    def __init__(self, boxes: Paths, weights: np.ndarray) -> None:
        self.weights = weights
        found = _factored(boxes, weights)
        if found is None:
            found = basis(boxes, weights) / weights[:, None], None
        self.rows, self.inverse = found

    def _times(self, rows: np.ndarray) -> np.ndarray:
        return rows if self.inverse is None else rows @ self.inverse

    def variances(self, combine: Callable) -> np.ndarray:
        r"""Squared norms of the rows of :math:`B\,T A^+`; `combine` takes values of the boxes to B times them."""
        rows = combine(self.rows)
        left = self._times(rows)
        if sparse.issparse(rows):
            return np.asarray(rows.multiply(left).sum(axis=1)).ravel()
        return np.einsum("ij,ij->i", left, rows)

    def votes(self, copies: np.ndarray, overlaps: np.ndarray, places: slice | np.ndarray) -> float:
        r""":math:`\mathrm{tr}(T^\top C\,T A^+ (T A^+)^\top C\,T)`, C the diagonal of the copies of the boxes in
        `places`.

        `overlaps` are the cells that these share.
        """
        rows = sparse.diags_array(copies) @ self.rows[places]
        inner = rows.T @ (rows.T @ overlaps).T
        inner = inner.toarray() if sparse.issparse(inner) else inner
        return float(np.trace(inner) if self.inverse is None else np.vdot(self.inverse, inner))

    def solve(self, values: np.ndarray) -> np.ndarray:
        r""":math:`R G^{-1} R^\top` times values of the boxes, shape (n_boxes, k) to (n_boxes, k)."""
        inner = self.rows.T @ values
        return self.rows @ (inner if self.inverse is None else self.inverse @ inner)

    def project(self, values: np.ndarray) -> np.ndarray:
        r""":math:`AA^+` times values of the boxes, shape (n_boxes, k) to (n_boxes, k)."""
        return self.weights[:, None] * self.solve(self.weights[:, None] * values)

    def corrected(self, places: slice | np.ndarray, times: float) -> Span:
        """The same where the Gram has `times` the square of a vector beside, the sum of the rows in `places`."""
        found, vector = copy(self), np.asarray(self.rows[places].sum(axis=0)).ravel()
        inverse = np.eye(len(vector)) if self.inverse is None else self.inverse
        moved = inverse @ vector
        found.inverse = inverse - np.outer(moved, moved * (times / (1 + times * (vector @ moved))))
        return found


class Complement:
    r"""The same through the combinations that vanish, where they are fewer than the independent boxes.

    Held is :math:`RG^{-1}R^\top = \mathrm{diag}(w)^{-2} - O\,\mathrm{diag}(s)\,O^\top`, s being 1 or -1. What is
    `found` has `others`.
    """

    def __init__(self, found: Independent, weights: np.ndarray) -> None:
        self.weights, (first, rest, _, others) = weights, found
        free, own = others / weights[first], 1 / weights[rest]
        gram = free @ free.T
        gram.flat[:: len(gram) + 1] += own**2
        root = cholesky(gram, lower=True, overwrite_a=True, check_finite=False)
        vanish = np.zeros((len(rest), len(weights)))
        vanish[:, first], vanish[range(len(rest)), rest] = -free, own
        vanish = solve_triangular(root, vanish, lower=True, overwrite_b=True, check_finite=False)
        self.outside, self.signs = vanish.T / weights[:, None], np.ones(len(rest))

    def variances(self, combine: Callable) -> np.ndarray:
        """As `Span.variances`."""
        rows = combine(sparse.diags_array(1 / self.weights, format="csr"))
        whole = rows.multiply(rows) if sparse.issparse(rows) else np.square(rows)
        return np.asarray(whole.sum(axis=1)).ravel() - combine(self.outside) ** 2 @ self.signs

    def votes(self, copies: np.ndarray, overlaps: np.ndarray, places: slice | np.ndarray) -> float:
        """As `Span.votes`."""
        whole = np.square(copies / self.weights[places]) @ overlaps.diagonal()
        rows = copies[:, None] * self.outside[places]
        return float(whole - np.einsum("ij,ij->j", rows, overlaps @ rows) @ self.signs)

    def solve(self, values: np.ndarray) -> np.ndarray:
        """As `Span.solve`."""
        whole = values / self.weights[:, None] ** 2
        return whole - self.outside @ (self.signs[:, None] * (self.outside.T @ values))

    project = Span.project

    def corrected(self, places: np.ndarray, times: float) -> Complement:
        """As `Span.corrected`."""
        vector, found = np.bincount(places, minlength=len(self.weights))[:, None], copy(self)
        moved = self.solve(vector)
        less = times / (1 + times * float((vector * moved).sum()))
        found.outside = np.hstack([self.outside, math.sqrt(abs(less)) * moved])
        found.signs = np.append(self.signs, math.copysign(1.0, less))
        return found


def _factored(boxes: Paths, weights: np.ndarray) -> tuple[sparse.csr_array, np.ndarray] | None:
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


def _entries(boxes: Paths) -> float:
    """The sum over the rows of their entries."""
    last = boxes.allowed[:, np.cumsum(boxes.n_levels) - 1]
    each = np.where(last, 1 + boxes.n_levels - boxes.sizes, boxes.sizes)
    return float(np.where(boxes.tests, each, 1).prod(axis=1, dtype=float).sum())


@remembered
def sparse_rows(boxes: Paths) -> sparse.csr_array:
    """T in products of constants and indicators of all levels but the last, a column for each of `dimensions`."""
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


def _numbers(columns: tuple[int, ...], boxes: Paths, first: dict) -> np.ndarray:
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
