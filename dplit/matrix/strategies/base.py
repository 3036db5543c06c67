"""What a strategy is: the rows A that are released with noise, and what is computed from them.

Queries W are answered by :math:`WA^+` times what was released (M-RF, definition 2). A workload about another
number of cells than the strategy's is a ValueError. Derived in :doc:`/book/matrix_strategies`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_integer, check_neighbours
from dplit.matrix.paths import check_classes, check_codes, check_levels
from dplit.matrix.workload import Workload


class Strategy:
    """A way to release the counts of a domain; make one of the members, or let `select` do it.

    Attributes
    ----------
    name : str
        "identity", "per-tree", "merged", and so on.
    about : str
        What is released, in words.
    n_levels : int64 array, shape (n_features,)
        The domain.
    integer : bool
        Whether all entries of A are whole numbers, so that geometric noise fits.
    norm : float
        Largest L1 norm of a column of A; of a strategy with noise of its own, the largest norm that it goes by.
    independent : bool
        Whether each released entry has noise of its own; else ``noise(epsilon, sensitivity)`` is the mechanism.
    considered : dict of str to float
        Of what `select` returns: the error of each member.
    """

    name = "strategy"
    about = ""
    integer = True
    independent = True
    norm = 1.0

    def __init__(self, n_levels: ArrayLike) -> None:
        self.n_levels = check_levels(n_levels)
        self.considered = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.about}; sensitivity {self.norm:g})"

    @property
    def n_cells(self) -> int:
        """Cells of the domain, a Python int of any size."""
        return int(np.prod(self.n_levels, dtype=object))

    def sensitivity(self, neighbours: str = "add-remove", classes: int = 2, signed: bool = False) -> float:
        r"""L1 sensitivity of A D, a column for each class.

        One record more adds :math:`a_j` to one column: :math:`\|A\|_1`. A replaced record may keep its cell and
        change its class, and with two or more columns, or, `signed`, with the one difference of two classes, that
        is :math:`2\|A\|_1`. A single column of counts changes by :math:`a_j - a_l`. Derived in
        :doc:`/book/matrix_strategies`.
        """
        check_neighbours(neighbours)
        classes = check_integer(classes, "classes", 2 if signed else 1)
        if neighbours == "add-remove":
            return float(self.norm)
        return 2 * float(self.norm) if classes > 1 else float(self.spread())

    def spread(self) -> float:
        r"""Largest :math:`\|a_j - a_l\|_1` of two columns of A, float."""
        raise NotImplementedError

    def variances(self, workload: Workload) -> np.ndarray:
        """Variance of each distinct row's answer, where each released entry has noise of variance 1; shape
        (n_rows,).

        Infinite where the strategy does not determine the row.
        """
        raise NotImplementedError

    def votes(self, workload: Workload) -> float:
        r"""Variance of a weighted vote of a forest, on average over all cells, for noise of variance 1.

        The vote of a cell adds up the answers of the leaves that hold it, over all trees: the noise of
        :math:`T^\top T A^+`, which the trees share.
        """
        raise NotImplementedError

    def measure(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        """A D from records, shape (n_measured, k)."""
        return self._measured(*self._checked(codes, classes, n_classes), n_classes)

    def measure_whole(
        self, codes: np.ndarray, classes: np.ndarray, n_classes: int, bits: int, **draw: object
    ) -> np.ndarray:
        """A D in whole steps of :math:`2^{-bits}`, where each entry of A is first cut to a multiple of a step:
        int64.

        `draw` is what else `measure` takes.
        """
        return self.measure(codes, classes, n_classes, **draw) << bits

    def whole_norm(self, bits: int) -> int:
        """Largest L1 norm of a column of A in such steps, cut as there; int."""
        return round(self.norm) << bits

    def _checked(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
        """Codes and classes as arrays, one of the latter for each record."""
        codes = check_codes(codes, self.n_levels)
        n_classes = check_integer(n_classes, "n_classes", 1)
        return codes, check_classes(classes, n_classes, len(codes))

    def answer(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        """The answers of a workload's distinct rows, shape (n_rows, k), by least squares from what was measured.

        ``workload.place`` expands them to all queries.
        """
        raise NotImplementedError

    def expected(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        """What `measure` gives on average: parameters as there, and itself where nothing is drawn."""
        return self.measure(codes, classes, n_classes)

    def decorrelated(self, measured: np.ndarray) -> np.ndarray:
        """What was measured as numbers with independent noise of one variance, by a linear map; itself where it
        has that.
        """
        return measured

    def answers(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        """The answers of all queries, copies included, shape (n_queries, k); as `answer`."""
        return self.answer(workload, measured)[workload.place]

    def _measured(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        raise NotImplementedError


def check_domain(strategy: Strategy, workload: Workload) -> None:
    """Raise a ValueError if a workload asks about another number of cells than the strategy's domain."""
    if workload.n_cells != strategy.n_cells:
        raise ValueError(
            f"workload must be about the strategy's domain of {strategy.n_cells:,} cells, "
            f"got one of {workload.n_cells:,}"
        )


def check_forest(workload: Workload) -> None:
    """Raise a ValueError if a workload has no trees, whose leaves are what votes add up."""
    if workload.boxes is None:
        raise ValueError("workload must be of a forest, whose leaves vote, got a given matrix")


def asks_leaves(workload: Workload) -> bool:
    """Whether the rows of a workload are its boxes themselves, in order."""
    rows, n = workload.weights, len(workload)
    return (
        workload.boxes is not None
        and rows.shape == (n, n)
        and rows.nnz == n
        and (rows.data == 1).all()
        and np.array_equal(rows.indices, np.arange(n))
    )


def combined(workload: Workload, of_boxes: np.ndarray) -> np.ndarray:
    """Rows of a workload from values of its boxes (or cells): B times the values."""
    return of_boxes if asks_leaves(workload) else workload.weights @ of_boxes


def squared_rows(workload: Workload, of_boxes: np.ndarray) -> np.ndarray:
    """Squared norms of the rows of B times a matrix of the boxes, float64, shape (n_rows,)."""
    rows = combined(workload, of_boxes)
    return np.einsum("ij,ij->i", rows, rows)
