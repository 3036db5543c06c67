r"""The cells that a workload tells apart, and p more queries on them (the paper's :math:`OPT_p`).

Cells of equal columns are one region, and no more can be asked of them than its count. On the regions A,
:math:`\Theta`, S, G and M are those of thm-strategy-identity in :doc:`/book/matrix_strategies` (McKenna, Miklau,
Hay, Machanavajjhala 2018). :math:`M = I - \Theta^\top R` for :math:`R = (I + \Theta\Theta^\top)^{-1}\Theta`, and

.. math:: \partial f/\partial\Theta = -2 R\,SGS\,M, \quad \partial f/\partial s_j = 2 (GSM)_{jj} ,

where nothing larger than G is made and no matrix larger than p x p is inverted.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.spatial.distance import pdist

from dplit.ground.errors import check_integer, check_kind, check_rng
from dplit.matrix.paths import MOST_CELLS, Paths, cells_of
from dplit.matrix.strategies.base import Strategy, asks_leaves, check_domain, check_forest
from dplit.matrix.strategies.boxes import CHUNK, sums_of_table
from dplit.matrix.strategies.spectrum import copies
from dplit.matrix.workload import Workload

MOST_PAIRS = 2000  # regions up to which all pairs of columns are compared
TOP = 4.0  # of a random start


class PIdentity(Strategy):
    """Every region and p more queries; without them the regions alone.

    `theta`, shape (p, n_regions), is at least 0; it has no rows for the regions alone. `place` is the region of
    each cell, -1 of a cell that nothing asks for: ``Workload.columns().place``. Without `n_levels` the domain is
    one column of n_cells levels.
    """

    def __init__(self, theta: ArrayLike, place: ArrayLike, n_levels: ArrayLike | None = None) -> None:
        self.place = np.asarray(place, dtype=np.int64)
        super().__init__([len(self.place)] if n_levels is None else n_levels)
        self.theta = np.asarray(theta, dtype=float)
        shape = (len(self.theta), int(self.place.max(initial=-1)) + 1)
        if self.theta.shape != shape or not (self.theta >= 0).all() or self.n_cells != len(place):
            raise ValueError(
                f"theta must hold numbers of at least 0 for {shape[1]} regions of {self.n_cells:,} "
                f"cells, got shape {self.theta.shape} for {len(self.place):,} cells"
            )
        p, n = shape
        self.integer = p == 0
        self.name = "p-identity" if p else "regions"
        self.about = f"{n} regions of cells" + (f" and {p} more queries" if p else "")
        self.s = 1 + self.theta.sum(axis=0)
        self._first = np.unique(self.place, return_index=True)[1][-n:]

    def spread(self) -> float:
        """Over all pairs of regions; an upper bound where these are many. See `Strategy.sensitivity`."""
        if len(self.s) > MOST_PAIRS:
            return 2.0
        A = np.vstack([np.eye(len(self.s)), self.theta]) / self.s
        if (self.place < 0).any():
            A = np.column_stack([A, np.zeros(len(A))])
        return float(pdist(A.T, "cityblock").max(initial=0.0))

    def _squared(self, rows: np.ndarray) -> np.ndarray:
        """Squared norms of rows of the regions times A^+: w S M S w'."""
        scaled = rows * self.s
        found = (scaled**2).sum(axis=1)
        if len(self.theta):
            inner = scaled @ self.theta.T
            found -= (inner * _solved(self.theta, inner.T).T).sum(axis=1)
        return found

    def _regions(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """Rows of a workload by region, and which of them are sums over regions."""
        check_domain(self, workload)
        W = workload.matrix()
        rows = W[:, self._first]
        whole = np.column_stack([rows, np.zeros(len(rows))])[:, self.place]
        return rows, (abs(whole - W) <= 1e-9).all(axis=1)

    def variances(self, workload: Workload) -> np.ndarray:
        if _is_wide(workload):
            return self._wide_variances(workload)
        rows, determined = self._regions(workload)
        return np.where(determined, self._squared(rows), np.inf)

    def _wide_variances(self, workload: Workload) -> np.ndarray:
        """The same through sums over boxes; infinite if not all rows are determined."""
        check_domain(self, workload)
        theirs = _places(workload)
        if (theirs != theirs[self._first][self.place]).any():
            return np.full(len(workload), np.inf)
        sums = self._sums(workload, np.vstack([self.s, self.theta]).T * self.s[:, None])
        inner = sums[:, 1:]
        return sums[:, 0] - (inner * _solved(self.theta, inner.T).T).sum(axis=1)

    def _sums(self, workload: Workload, values: np.ndarray) -> np.ndarray:
        """Sums over boxes of values of the regions, each counted once, shape (n_boxes, k)."""
        table = np.zeros((len(self.place), values.shape[1]))
        table[self._first] = values
        return sums_of_table(workload.boxes, table)

    def votes(self, workload: Workload) -> float:
        leaves = _leaves(workload)
        rows, determined = self._regions(leaves)
        if not determined.all():
            return np.inf
        every, cells = vote_rows(rows, leaves, self.place)
        return float(self._squared(every) @ cells) / self.n_cells

    def answer(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        n, measured = len(self.s), np.asarray(measured, dtype=float)
        right = measured[:n] + self.theta.T @ measured[n:]
        if len(self.theta):
            right -= self.theta.T @ _solved(self.theta, self.theta @ right)
        estimate = self.s[:, None] * right
        if _is_wide(workload):
            return self._sums(workload, estimate)
        return self._regions(workload)[0] @ estimate

    def measure_whole(self, codes: np.ndarray, classes: np.ndarray, n_classes: int, bits: int) -> np.ndarray:
        """Regions and queries with whole entries; see `Strategy.measure_whole`."""
        counts = self._counted(*self._checked(codes, classes, n_classes), n_classes)
        own, theta = self._whole(bits)
        return np.vstack([own[:, None] * counts, theta @ counts])

    def whole_norm(self, bits: int) -> int:
        """Of whole entries; see `Strategy.whole_norm`."""
        own, theta = self._whole(bits)
        return int((own + theta.sum(axis=0)).max(initial=0))

    def _whole(self, bits: int) -> tuple[np.ndarray, np.ndarray]:
        """Whole entries of each region's own row, and of the further queries."""
        shares = np.vstack([np.ones(len(self.s)), self.theta]) / self.s
        whole = (shares * 2.0**bits).astype(np.int64)
        return whole[0], whole[1:]

    def _measured(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        counts = self._counted(codes, classes, n_classes)
        if self.integer:
            return counts
        shares = counts / self.s[:, None]
        return np.vstack([shares, self.theta @ shares])

    def _counted(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        """Class counts of the regions."""
        n, region = len(self.s), self.place[cells_of(codes, self.n_levels)]
        asked = region >= 0
        place = region[asked] * n_classes + classes[asked]
        return np.bincount(place, minlength=n * n_classes).reshape(n, n_classes)


def _solved(theta: np.ndarray, right: np.ndarray) -> np.ndarray:
    r""":math:`(I + \Theta\Theta^\top)^{-1}` times a matrix of p rows."""
    return cho_solve(cho_factor(np.eye(len(theta)) + theta @ theta.T), right)


def _leaves(workload: Workload) -> Workload:
    """The leaves of a workload's forest, as a workload."""
    check_forest(workload)
    return workload if asks_leaves(workload) else Workload.of(workload.paths)


def vote_rows(rows: np.ndarray, workload: Workload, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted votes of each region, from the leaves by region, and how many cells a region has."""
    cells = np.bincount(place[place >= 0], minlength=rows.shape[1])
    return rows.T @ (copies(workload)[:, None] * rows), cells


def regions(workload: Workload) -> PIdentity:
    """The regions of a workload on a small domain as a strategy: never worse than noise on every cell."""
    workload = check_kind(workload, Workload, "workload")
    place = _places(workload)
    n = int(place.max(initial=-1)) + 1
    return PIdentity(np.zeros((0, n)), place, _levels(workload))


def _places(workload: Workload) -> np.ndarray:
    """The region of each cell; of leaves by sums of random numbers, alike for equal columns alone."""
    if not asks_leaves(workload):
        return workload.columns().place
    keys = np.random.default_rng(0).integers(2**63, size=len(workload), dtype=np.uint64)
    sums = np.zeros(workload.n_cells, dtype=np.uint64)
    step = max(1, CHUNK // workload.n_cells)
    for first in range(0, len(workload), step):
        rows = slice(first, first + step)
        sums += keys[rows] @ workload.boxes.take(rows).matrix()
    return np.unique(sums, return_inverse=True)[1].ravel()


def _levels(workload: Workload) -> np.ndarray | None:
    return None if workload.boxes is None else workload.boxes.n_levels


def loss(theta: np.ndarray, gram: np.ndarray | LeafGram) -> tuple[float, np.ndarray]:
    """Error of a p-identity strategy, in units of 2/epsilon^2, and its gradient, shape (p, n_regions).

    `gram` is W'W of the regions, rows weighted by their multiplicity.
    """
    s = 1 + theta.sum(axis=0)
    R = _solved(theta, theta)
    gradient = (R * s) @ gram
    within = gram.diagonal() * s - np.einsum("ij,ij->j", gradient, theta)  # diagonal of M S G
    gradient *= s  # in place from here: of a million regions no copy is made that is not needed
    gradient -= (gradient @ theta.T) @ R
    gradient *= -2
    gradient += 2 * within
    return float(s @ within), gradient


class LeafGram:
    r""":math:`\sum_t \mu_t T_t^\top T_t`, the Gram of leaves, as one leaf number of each region and tree.

    A product sums a row over the regions of each leaf and gives every region its leaf's sum, for each tree. So a
    million cells and 32 trees need 32 million small numbers; the matrix has :math:`10^{12}` entries. `leaves`,
    shape (n_trees, n_regions), are numbers from 0, and `copies` says how often each tree occurs.
    """

    __array_ufunc__ = None  # products with arrays are ours

    def __init__(self, leaves: np.ndarray, copies: ArrayLike) -> None:
        self.most = int(leaves.max(initial=0)) + 1
        self.leaves = np.ascontiguousarray(leaves, dtype=np.uint16 if self.most <= 2**16 else np.int64)
        self.copies = np.asarray(copies, dtype=float)

    @classmethod
    def of(cls, workload: Workload, place: np.ndarray | None = None) -> LeafGram:
        """That of a workload of all leaves of a forest.

        `place` is the region of each cell, each of which some tree asks for; left out, each cell is one.
        """
        paths = workload.paths
        trees = [np.flatnonzero(paths.tree == t) for t in range(paths.n_trees)]
        boxes = paths.distinct[1]
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
    def shape(self) -> tuple[int, int]:
        """(n_regions, n_regions)."""
        return (self.leaves.shape[1],) * 2

    def diagonal(self) -> np.ndarray:
        """Of every region the number of trees, float64, shape (n_regions,)."""
        return np.full(self.leaves.shape[1], self.copies.sum())

    def trace(self) -> float:
        """Sum of the diagonal."""
        return float(self.copies.sum() * self.leaves.shape[1])

    def __rmatmul__(self, rows: ArrayLike) -> np.ndarray:
        """Rows times the Gram, float64, shape (p, n_regions)."""
        n = self.leaves.shape[1]
        columns, found = (np.ascontiguousarray(np.asarray(rows, dtype=float).T), np.zeros((n, len(rows))))
        for leaf, times in zip(self.leaves, self.copies):
            members = sparse.csr_array(
                (np.ones(n), leaf.astype(np.int32), np.arange(n + 1, dtype=np.int32)), shape=(n, self.most)
            )
            found += members @ (times * (members.T @ columns))
        return found.T


def _leaf_of_each_cell(paths: Paths) -> np.ndarray:
    """The number of the leaf of one tree that holds each cell, int32, shape (n_cells,)."""
    found = np.zeros(tuple(paths.n_levels.tolist()), dtype=np.int32)
    for number in range(len(paths)):
        levels = [
            np.flatnonzero(paths.allowed[number, start : start + n])
            for start, n in zip(paths.starts, paths.n_levels)
        ]
        found[np.ix_(*levels)] = number
    return found.ravel()


def optimise_p(
    workload: Workload,
    p: int | None = None,
    target: str = "leaves",
    starts: int = 2,
    rng: Generator | None = None,
    iterations: int = 300,
) -> PIdentity:
    """A p-identity strategy that a search finds best: a local optimum.

    The domain is small enough for the workload's matrix or, of leaves, for a number of each cell and tree. Left
    out, p is one for sixteen regions. `starts` counts random starts, dense ones and ones of a tenth of the
    entries, by turns. They come from `rng` or, left out, from a generator of seed 0: nothing here reads a record.
    """
    workload = check_kind(workload, Workload, "workload")
    rng = None if rng is None else check_rng(rng)
    iterations = check_integer(iterations, "iterations", 1)
    workload = _leaves(workload) if target == "votes" else workload
    place, gram = _gram(workload, target)
    n = len(gram.diagonal())
    p = max(1, n // 16) if p is None else check_integer(p, "p", 1)
    rng, scale = np.random.default_rng(0) if rng is None else rng, float(gram.trace())
    best = None
    for number in range(check_integer(starts, "starts", 1)):
        start = rng.random((p, n)) * TOP
        start *= rng.random((p, n)) < 0.1 if number % 2 else 1.0
        found = minimize(
            _scaled, start.ravel(), (p, gram, scale), jac=True, method="L-BFGS-B",
            bounds=[(0, None)] * (p * n), options={"maxiter": iterations},
        )  # fmt: skip
        best = found if best is None or found.fun < best.fun else best
    return PIdentity(best.x.reshape(p, n), place, _levels(workload))


def _gram(workload: Workload, target: str) -> tuple[np.ndarray, np.ndarray | LeafGram]:
    """The region of each cell, and W'W of regions; of leaves on a domain too wide for W, a `LeafGram`."""
    if target == "leaves" and _is_wide(workload):
        place = _places(workload)
        return place, LeafGram.of(workload, place)
    merged = workload.columns()
    if target == "votes":
        every, cells = vote_rows(merged.matrix, workload, merged.place)
        return merged.place, every.T @ (cells[:, None] / workload.n_cells * every)
    return merged.place, merged.matrix.T @ (workload.multiplicity[:, None] * merged.matrix)


def _is_wide(workload: Workload) -> bool:
    """Whether a workload is of leaves on a domain too wide for its matrix."""
    return asks_leaves(workload) and workload.n_cells * len(workload) > MOST_CELLS


def _scaled(flat: np.ndarray, p: int, gram: np.ndarray | LeafGram, scale: float) -> tuple[float, np.ndarray]:
    value, gradient = loss(flat.reshape(p, -1), gram)
    return value / scale, gradient.ravel() / scale
