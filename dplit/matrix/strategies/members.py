"""The members that need no search: every cell, every leaf of every tree, every distinct leaf, a given matrix.

Their norms and the variances of a leaf are derived in :doc:`/book/matrix_strategies`.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dplit.matrix.paths import MOST_CELLS, Paths, check_levels, data_matrix
from dplit.matrix.rank import most_boxes
from dplit.matrix.strategies.base import Strategy, asks_leaves, check_domain, check_forest, combined
from dplit.matrix.strategies.boxes import NOTHING, counts_of_records, sums_of_table
from dplit.matrix.strategies.spectrum import Complement, Span, copies, least_squares
from dplit.matrix.tested import dimensions, squared_overlaps
from dplit.matrix.workload import Workload

MOST_PRODUCTS = 3e10  # of numbers, that least squares on leaves may take
PATIENCE = 3000  # steps of the search for the cell with the most distinct leaves


class Identity(Strategy):
    """Noise on every cell: a noisy histogram of the domain, from which all queries are summed up."""

    name = "identity"
    about = "the class counts of every cell"

    def spread(self) -> float:
        """Two cells, or none of them other than the first."""
        return 2.0 if self.n_cells > 1 else 0.0

    def variances(self, workload: Workload) -> np.ndarray:
        """The sum of squares of each row; see `Strategy.variances`."""
        check_domain(self, workload)
        if asks_leaves(workload):
            return workload.boxes.cells
        return workload.norms()

    def votes(self, workload: Workload) -> float:
        """Mean squared norm of the rows of T'T; see `Strategy.votes`."""
        check_forest(workload)
        check_domain(self, workload)
        return squared_overlaps(workload.boxes, copies(workload))

    def answer(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        """W times the noisy histogram; see `Strategy.answer`."""
        check_domain(self, workload)
        if workload.boxes is None:
            return workload.weights @ np.asarray(measured, dtype=float)
        return combined(workload, sums_of_table(workload.boxes, measured))

    def _measured(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        return data_matrix(codes, classes, self.n_levels, n_classes)


class PerTree(Strategy):
    r"""Noise on every leaf of every tree, all of `paths`, each query answered from its own leaves.

    The usual way (M-RF, "Optimizing decision paths"): noise of scale :math:`\tau/\epsilon`, since a record is in
    a leaf of each tree. A row that weighs a leaf by w adds up w of its copies: a vote of a query has one leaf of
    each tree. Copies are not averaged.
    """

    name = "per-tree"
    about = "every leaf of every tree"

    def __init__(self, paths: Paths) -> None:
        super().__init__(paths.n_levels)
        self.paths = paths
        self.norm = float(paths.n_trees)

    def spread(self) -> float:
        """See `Strategy.sensitivity`; of a wide domain an upper bound, all leaves changed."""
        return _spread(self.paths, self.norm, 1.0)

    @cached_property
    def _copies(self) -> dict[bytes, list[int]]:
        """Leaves by the box they are: {bytes of a box: numbers of its leaves}."""
        found = {}
        for number, box in enumerate(np.packbits(self.paths.allowed, axis=1)):
            found.setdefault(box.tobytes(), []).append(number)
        return found

    def _leaves(self, workload: Workload) -> tuple[np.ndarray, np.ndarray] | None:
        """(row, leaf) of each released leaf that a row adds up, or None if there are too few."""
        if workload.boxes is None:
            return None
        boxes = [box.tobytes() for box in np.packbits(workload.boxes.allowed, axis=1)]
        entries = workload.weights.tocoo()
        rows, leaves = [], []
        for row, box, times in zip(entries.row.tolist(), entries.col.tolist(), entries.data):
            mine = self._copies.get(boxes[box], [])
            if times != int(times) or not 0 <= times <= len(mine):
                return None
            rows += [row] * int(times)
            leaves += mine[: int(times)]
        return np.array(rows, dtype=np.int64), np.array(leaves, dtype=np.int64)

    def variances(self, workload: Workload) -> np.ndarray:
        """The number of leaves of each row; see `Strategy.variances`."""
        check_domain(self, workload)
        if asks_leaves(workload) and workload.paths is self.paths:
            return np.ones(len(workload))
        found = self._leaves(workload)
        if found is None:
            return np.full(len(workload), np.inf)
        return np.bincount(found[0], minlength=len(workload)).astype(float)

    def votes(self, workload: Workload) -> float:
        """A leaf of each tree; see `Strategy.votes`."""
        check_forest(workload)
        check_domain(self, workload)
        return float(self.paths.n_trees) if workload.paths is self.paths else np.inf

    def answer(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        """Sums of the rows' own leaves, the first copy of a leaf; see `Strategy.answer`."""
        check_domain(self, workload)
        rows, leaves = self._leaves(workload)
        found = np.zeros((len(workload), np.shape(measured)[1]))
        np.add.at(found, rows, np.asarray(measured, dtype=float)[leaves])
        return found

    def answers(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        """Of leaves the noisy counts themselves, each copy with its own noise; see `Strategy.answers`."""
        if asks_leaves(workload) and workload.paths is self.paths:
            return np.asarray(measured, dtype=float)
        return super().answers(workload, measured)

    def _measured(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        return counts_of_records(self.paths, codes, classes, n_classes)


class DistinctLeaves(Strategy):
    """Noise on each distinct leaf once, and answers by least squares; of very many leaves, leaf by leaf.

    `boxes` are distinct, as ``Workload.boxes``. The norm is the most of them that hold a cell; where the search
    for that cell would take long, a bound that no cell exceeds.
    """

    name = "merged"
    about = "every distinct leaf once"

    def __init__(self, boxes: Paths) -> None:
        super().__init__(boxes.n_levels)
        self.boxes, self.weights = boxes, np.ones(len(boxes))
        self.norm = float(most_boxes(boxes, PATIENCE))

    def spread(self) -> float:
        """See `Strategy.sensitivity`; of a wide domain an upper bound, all leaves changed."""
        return _spread(self.boxes, self.norm, self.weights)

    @cached_property
    def projected(self) -> bool:
        """Whether answers are by least squares: its time grows with the third power of the leaves."""
        rank = min(dimensions(self.boxes), len(self.boxes))
        return len(self.boxes) * rank**2 <= MOST_PRODUCTS

    @cached_property
    def span(self) -> Span | Complement:
        """What least squares needs of A, a `Span` or a `Complement`."""
        return least_squares(self.boxes, self.weights)

    def _places(self, workload: Workload) -> slice | np.ndarray | None:
        """The number of each of a workload's boxes among ours, or None if one is missing; checks the domain."""
        check_domain(self, workload)
        if workload.boxes is self.boxes:
            return slice(None)
        if workload.boxes is None:
            return None
        ours = {b.tobytes(): i for i, b in enumerate(np.packbits(self.boxes.allowed, axis=1))}
        found = [ours.get(b.tobytes()) for b in np.packbits(workload.boxes.allowed, axis=1)]
        return None if None in found else np.array(found)

    def variances(self, workload: Workload) -> np.ndarray:
        """Squared norms of rows in the span of the leaves; see `Strategy.variances`."""
        places = self._places(workload)
        if places is None:
            return self._dense().variances(workload)
        if not self.projected:
            return workload.weights.power(2) @ self.weights[places] ** -2.0
        return self.span.variances(lambda rows: combined(workload, rows[places]))

    def votes(self, workload: Workload) -> float:
        """Through the cells that leaves share; see `Strategy.votes`."""
        check_forest(workload)
        places = self._places(workload)
        if places is None:
            return self._dense().votes(workload)
        if not self.projected:
            times = copies(workload) / self.weights[places]
            return float(times**2 @ (workload.boxes.cells / self.n_cells))
        return self.span.votes(copies(workload), workload.overlaps / self.n_cells, places)

    def answer(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        """Projected noisy counts, combined; see `Strategy.answer`."""
        places = self._places(workload)
        if places is None:
            return self._dense().answer(workload, measured)
        found = np.asarray(measured, dtype=float)
        if self.projected:
            found = self.span.project(found)
        return combined(workload, (found / self.weights[:, None])[places])

    def _dense(self) -> Dense:
        return Dense(self.weights[:, None] * self.boxes.matrix(), self.n_levels)

    def _measured(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        counts = counts_of_records(self.boxes, codes, classes, n_classes)
        return self.weights.astype(np.int64)[:, None] * counts


class WeightedLeaves(DistinctLeaves):
    r"""Each distinct leaf of a forest's workload once, times the number of trees that have it.

    The sensitivity is :math:`\tau`, as with noise for each tree; a leaf of m trees has one m-th of the noise's
    scale, where m noisy copies would have their average. So no leaf and no vote has a larger variance than with
    noise for each tree.
    """

    name = "weighted"
    about = "every distinct leaf once, times its trees"

    def __init__(self, workload: Workload) -> None:
        Strategy.__init__(self, workload.boxes.n_levels)
        self.boxes, self.weights = workload.boxes, copies(workload)
        self.norm = float(workload.paths.n_trees)


class Dense(Strategy):
    """Any given matrix, shape (n_measured, n_cells), on a domain small enough for it; left out, one column of
    levels.
    """

    name = "dense"
    about = "a given matrix"

    def __init__(self, matrix: ArrayLike, n_levels: ArrayLike | None = None, name: str = "dense") -> None:
        A = np.atleast_2d(np.asarray(matrix, dtype=float))
        if A.ndim != 2 or not all(A.shape) or not np.isfinite(A).all():
            raise ValueError(f"matrix must hold rows of finite numbers, got shape {A.shape}")
        super().__init__([A.shape[1]] if n_levels is None else n_levels)
        if self.n_cells != A.shape[1]:
            raise ValueError(f"matrix must have a column for each of {self.n_cells:,} cells, got {A.shape[1]}")
        self.matrix, self.name = A, name
        self.norm = float(abs(A).sum(axis=0).max())
        self.integer = bool((A == np.floor(A)).all())

    def spread(self) -> float:
        A = self.matrix
        return max(float(abs(A - column[:, None]).sum(axis=0).max()) for column in A.T)

    @cached_property
    def pseudoinverse(self) -> np.ndarray:
        """A^+, shape (n_cells, n_measured)."""
        return np.linalg.pinv(self.matrix, rcond=NOTHING)

    def _solved(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """W A^+, and which rows it determines."""
        check_domain(self, workload)
        W = workload.matrix()
        X = W @ self.pseudoinverse
        off = abs(X @ self.matrix - W).max(axis=1)
        return X, off <= 1e-7 * np.maximum(1.0, abs(W).max(axis=1))

    def variances(self, workload: Workload) -> np.ndarray:
        X, determined = self._solved(workload)
        return np.where(determined, (X**2).sum(axis=1), np.inf)

    def votes(self, workload: Workload) -> float:
        check_forest(workload)
        check_domain(self, workload)
        T = workload.boxes.matrix().astype(float)
        every = Workload.of_matrix(T.T @ (copies(workload)[:, None] * T))
        return float(self.variances(every) @ every.multiplicity) / self.n_cells

    def answer(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        return self._solved(workload)[0] @ np.asarray(measured, dtype=float)

    def measure_whole(self, codes: np.ndarray, classes: np.ndarray, n_classes: int, bits: int) -> np.ndarray:
        """The matrix with whole entries times the table; see `Strategy.measure_whole`."""
        return self._whole(bits) @ self._table(*self._checked(codes, classes, n_classes), n_classes)

    def whole_norm(self, bits: int) -> int:
        """Of whole entries; see `Strategy.whole_norm`."""
        return int(abs(self._whole(bits)).sum(axis=0).max())

    def _whole(self, bits: int) -> np.ndarray:
        return (self.matrix * 2.0**bits).astype(np.int64)

    def _measured(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        found = self.matrix @ self._table(codes, classes, n_classes)
        return np.rint(found).astype(np.int64) if self.integer else found

    def _table(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        """The records by cell and class."""
        if len(self.n_levels) == 1 and codes.shape[1] != 1:
            raise ValueError(f"codes must have 1 column, got {codes.shape[1]}")
        return data_matrix(codes, classes, self.n_levels, n_classes)


def _spread(boxes: Paths, norm: float, weights: ArrayLike) -> float:
    """Largest weight of boxes that hold one of two cells: twice `norm` where the domain is too wide."""
    n = int(np.prod(check_levels(boxes.n_levels), dtype=object))
    if n**2 > MOST_CELLS or n * len(boxes) > MOST_CELLS:
        return 2 * norm
    T = boxes.matrix().astype(np.float32)
    weighted = np.broadcast_to(np.float32(weights), len(T))[:, None] * T
    held = weighted.sum(axis=0)
    return float((held[:, None] + held - 2 * (T.T @ weighted)).max())
