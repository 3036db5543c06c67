r"""What a matrix forest is asked: linear queries on the table D of the records, cell by class.

A `Workload` is :math:`W = B\,T`, with the distinct boxes T of the paths and weights B: the leaves themselves for
training (M-RF, algorithm 1), :math:`QT^\top` for prediction (algorithm 2). Equal rows and columns are merged,
which costs nothing (:doc:`/book/matrix_paths`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from dplit.matrix.paths import Paths, check_codes, decision_paths
from dplit.matrix.tested import followed

CHUNK = 4_000_000  # cells shared by boxes of some rows that are held at a time


class Merged(NamedTuple):
    """The distinct columns of a workload that are not zero."""

    matrix: np.ndarray  #: Shape (n_rows, n_distinct).
    cells: np.ndarray  #: Shape (n_distinct,). How many cells share each column.
    place: np.ndarray  #: Shape (n_cells,). The distinct column of each cell; -1 where no row asks for it.

    def counts(self, table: np.ndarray) -> np.ndarray:
        """A table of the cells, such as D, summed over the cells that share a column, shape (n_distinct, k).

        It has as many records as `table`, but for those in cells that no row asks for.
        """
        asked = self.place >= 0
        found = np.zeros((len(self.cells), np.shape(table)[1]))
        np.add.at(found, self.place[asked], np.asarray(table)[asked])
        return found


@dataclass(frozen=True)
class Workload:
    """Distinct queries on the cells of a domain, and how often each occurs; made by `of`, from a forest, or
    `of_matrix`.
    """

    #: Shape (n_rows, n_boxes). Of each box in each row; distinct rows. Without boxes, of each cell.
    weights: sparse.csr_array
    multiplicity: np.ndarray  #: Shape (n_rows,). How many queries a row answers.
    place: np.ndarray  #: Shape (n_queries,). The row that answers each query.
    boxes: Paths | None = None  #: Distinct boxes; None if the workload is a given matrix.
    paths: Paths | None = None  #: All leaves of the forest, in order.

    @classmethod
    def of(cls, forest: object, queries: np.ndarray | None = None, n_levels: ArrayLike | None = None) -> Workload:
        """The workload of a forest's leaves, or of its votes for queries, shape (n_queries, n_features).

        The forest is `Paths` or what `decision_paths` takes, with `n_levels` as there.
        """
        paths = forest if isinstance(forest, Paths) else decision_paths(forest, n_levels)
        boxes, place = paths.distinct
        if queries is None:
            rows = sparse.eye_array(len(boxes), format="csr")
            return cls(rows, np.bincount(place), place, boxes, paths)
        return cls(*_rows_of_queries(paths, place, queries), boxes, paths)

    @classmethod
    def of_matrix(cls, matrix: ArrayLike | sparse.sparray) -> Workload:
        """The workload of a given matrix, dense or sparse, a row for each query and a column a cell."""
        given = matrix if sparse.issparse(matrix) else np.atleast_2d(np.asarray(matrix))
        given = sparse.csr_array(given).astype(float)
        if given.ndim != 2 or not all(given.shape) or not np.isfinite(given.data).all():
            raise ValueError(f"matrix must hold rows of finite numbers, got shape {given.shape}")
        return cls(*_distinct_rows(given))

    def __len__(self) -> int:
        return self.weights.shape[0]

    @property
    def n_cells(self) -> int:
        """Cells of the domain, a Python int of any size."""
        return self.weights.shape[1] if self.boxes is None else self.boxes.n_cells

    @cached_property
    def overlaps(self) -> np.ndarray | sparse.csr_array:
        """Cells that two distinct boxes share, shape (n_boxes, n_boxes)."""
        if self.boxes is None:
            return sparse.eye_array(self.n_cells, format="csr")
        return self.boxes.overlaps()

    @property
    def gram(self) -> np.ndarray:
        """W W', weighted by no multiplicity, float64, shape (n_rows, n_rows); no domain is made."""
        found = self.weights @ (self.weights @ self.overlaps).T
        return found.toarray() if sparse.issparse(found) else found

    def matrix(self) -> np.ndarray:
        """W, one row for each distinct query, float64, shape (n_rows, n_cells)."""
        if self.boxes is None:
            return self.weights.toarray()
        return self.weights @ self.boxes.matrix().astype(float)

    def columns(self) -> Merged:
        """Distinct columns of W that are not zero, a `Merged`."""
        found, place, cells = np.unique(self.matrix(), axis=1, return_inverse=True, return_counts=True)
        some = found.any(axis=0)
        number = np.where(some, np.cumsum(some) - 1, -1)
        return Merged(found[:, some], cells[some], number[place.ravel()])

    def norms(self) -> np.ndarray:
        """Squared norm of each distinct row, float64, shape (n_rows,); no domain is made."""
        if self.boxes is None:
            return np.asarray(self.weights.power(2).sum(axis=1), dtype=float).ravel()
        most = int(np.diff(self.weights.indptr).max(initial=0))
        if len(self) * most**2 < len(self.boxes) ** 2:
            return self._norms_by_row(most)
        rows = self.weights.multiply(self.weights @ self.overlaps).sum(axis=1)
        return np.asarray(rows, dtype=float).ravel()

    def _norms_by_row(self, most: int) -> np.ndarray:
        """The same through the boxes of each row alone, at most `most` of them."""
        W, boxes, found = self.weights, self.boxes, np.zeros(len(self))
        step = max(1, CHUNK // max(most, 1) ** 2)
        for first in range(0, len(self), step):
            ends = W.indptr[first : first + step + 1]
            held = np.arange(most) < np.diff(ends)[:, None]
            entry = np.where(held, ends[:-1, None] + np.arange(most), 0)
            weight, box = np.where(held, W.data[entry], 0.0), W.indices[entry]
            shared = np.ones((len(box), most, most))
            for start, n in zip(boxes.starts, boxes.n_levels):
                part = boxes.allowed[box, start : start + n].astype(np.float32)
                shared *= part @ part.transpose(0, 2, 1)
            found[first : first + step] = np.einsum("ri,rij,rj->r", weight, shared, weight)
        return found

    def squared(self) -> float:
        """Sum of squares of all entries, copies included: squared Frobenius norm."""
        return float(self.norms() @ self.multiplicity)


def _rows_of_queries(
    paths: Paths, place: np.ndarray, queries: np.ndarray
) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Rows of the votes for queries, as `_distinct_rows`; `place` is the box of each path.

    Queries of equal levels are looked at once. A row is the sequence of its boxes with their numbers of leaves.
    Compared number by number, with more for an earlier box, these come in the order of `_distinct_rows`.
    """
    codes = np.ascontiguousarray(check_codes(queries, paths.n_levels))
    if not len(codes):
        return _distinct_rows(sparse.csr_array((0, int(place.max()) + 1)))
    kind, alike = _alike(codes)
    record, path = followed(paths, codes[kind])
    n, ones = int(place.max()) + 1, np.ones(len(record))
    votes = sparse.csr_array((ones, (record, place[path])), shape=(len(kind), n))
    votes.sum_duplicates()
    lengths = np.diff(votes.indptr)
    keys = np.zeros((len(kind), max(1, lengths.max())), dtype=">u8")
    held = np.arange(keys.shape[1]) < lengths[:, None]
    keys[held] = (n - votes.indices.astype(np.int64)) * (len(paths) + 1) + votes.data.astype(int)
    first, of_kind = _alike(keys)
    merged = of_kind[alike]
    return votes[first], np.bincount(merged, minlength=len(first)), merged


def _alike(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First row of each kind of equal rows, and the kind of each row; kinds in the order of their bytes."""
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    return first, kind.ravel()


def _distinct_rows(matrix: sparse.csr_array) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """(distinct rows, how often each occurs, which one each row is) of a sparse array."""
    rows, place, multiplicity = np.unique(matrix.toarray(), axis=0, return_inverse=True, return_counts=True)
    return sparse.csr_array(rows), multiplicity, place.ravel()
