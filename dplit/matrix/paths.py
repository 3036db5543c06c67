"""Decision paths as rows of a matrix (M-RF, section "Matrix representation"; :doc:`/book/matrix_paths`).

A leaf of a tree over categorical columns is a *box*: for each column the set of levels that the path lets
through. Boxes overlap in products, so that nothing of the size of the domain is made unless it is asked for.
Cells are in the order of `numpy.ndindex`: the last column's level changes first.

Arguments are those of `dplit.matrix`; codes that are none of their column's levels, and matrices of more than
`MOST_CELLS` entries, are a ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_integer, check_numbers, check_whole

if TYPE_CHECKING:
    from dplit.trees import Trees

MOST_CELLS = 50_000_000  # entries of a matrix over the domain that are made on demand
TOGETHER = 64  # cells of columns whose levels are compared at once


@dataclass(frozen=True, eq=False)
class Paths:
    """The decision paths of a forest over categorical columns."""

    #: Bool array, shape (n_paths, sum(n_levels)). Whether a level may occur, the columns' levels side by side.
    allowed: np.ndarray
    n_levels: np.ndarray  #: Int64 array, shape (n_features,).
    tree: np.ndarray  #: Int64 array, shape (n_paths,). The tree of each path.

    def __len__(self) -> int:
        return len(self.allowed)

    @property
    def n_cells(self) -> int:
        """Cells of the domain, a Python int of any size."""
        return math.prod(self.n_levels.tolist())

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.tree.max()) + 1

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many levels each path lets through in each column, int64, shape (n_paths, n_features)."""
        found = np.empty((len(self), len(self.n_levels)), dtype=np.int64)
        for j, (start, n) in enumerate(zip(self.starts, self.n_levels)):
            found[:, j] = np.count_nonzero(self.allowed[:, start : start + n], axis=1)
        return found

    @cached_property
    def starts(self) -> np.ndarray:
        """Where each column's levels begin, shape (n_features,)."""
        return np.concatenate([[0], np.cumsum(self.n_levels)[:-1]]).astype(np.int64)

    @property
    def tests(self) -> np.ndarray:
        """Whether a path tests a column: it does not let all levels through; (n_paths, n_features)."""
        return self.sizes < self.n_levels

    @property
    def cells(self) -> np.ndarray:
        """Cells of each box, float64: exact up to 2**53, shape (n_paths,)."""
        return self.sizes.prod(axis=1, dtype=np.float64)

    @cached_property
    def distinct(self) -> tuple[Paths, np.ndarray]:
        """These paths without copies, sorted, and which of them each path is: (Paths, int64 array)."""
        first, place = distinct(self.allowed)
        return self.take(first), place

    def take(self, rows: np.ndarray) -> Paths:
        """These paths alone, in the order of `rows`."""
        found = Paths(self.allowed[rows], self.n_levels, self.tree[rows])
        vars(found)["starts"] = self.starts
        if "sizes" in vars(self):  # which many small parts would count again
            vars(found)["sizes"] = self.sizes[rows]
        return found

    def overlaps(self, other: Paths | None = None) -> np.ndarray:
        r"""Cells that these boxes share with others of the same domain, or with each other, :math:`TT^\top`, as
        floats.
        """
        other = self if other is None else other
        shared = np.ones((len(self), len(other)))
        tests = self.tests.any(axis=0) | other.tests.any(axis=0)
        for columns in self._together(np.flatnonzero(tests).tolist()):
            mine, theirs = (p.over(columns).astype(np.float32) for p in (self, other))
            shared *= mine @ theirs.T
        levels = self.n_levels[~tests].astype(float)
        for first in range(0, len(levels), 8):  # no product of so few overflows, and 0 stays 0
            shared *= levels[first : first + 8].prod()
        return shared

    def _together(self, columns: list[int]) -> Iterator[list[int]]:
        """Columns in groups of few cells."""
        group, cells = [], 1
        for j in columns:
            n = int(self.n_levels[j])
            if group and cells * n > TOGETHER:
                yield group
                group, cells = [], 1
            group.append(j)
            cells *= n
        if group:
            yield group

    def over(self, columns: Sequence[int]) -> np.ndarray:
        """Which cells of some columns each path lets through, bool, shape (n_paths, cells of the columns)."""
        rows, starts = np.ones((len(self), 1), dtype=bool), self.starts
        for j in columns:
            levels = slice(starts[j], starts[j] + self.n_levels[j])
            rows = (rows[:, :, None] & self.allowed[:, None, levels]).reshape(len(self), -1)
        return rows

    def matrix(self) -> np.ndarray:
        """T itself, bool, shape (n_paths, n_cells)."""
        check_entries(len(self), self.n_levels, "paths")
        return self.over(range(len(self.n_levels)))

    def reached(self, codes: ArrayLike) -> np.ndarray:
        """Which paths each record follows, Q T' for queries: bool, shape (n_records, n_paths)."""
        codes = check_codes(codes, self.n_levels)
        follows = np.ones((len(codes), len(self)), dtype=bool)
        for j, start in enumerate(self.starts):
            follows &= self.allowed[:, start + codes[:, j]].T
        return follows


def decision_paths(forest: object, n_levels: ArrayLike | None = None) -> Paths:
    """The decision paths of a fitted forest, or of its trees: the rows of T (M-RF, figure 1), in the leaves'
    order.

    All columns are categorical; a continuous one, which has no cells, is a ValueError: use public bins. With a
    `dplit.trees.Trees` in place of an estimator `n_levels` is needed, each at least 1.

    >>> from dplit import Categorical, Domain, matrix, trees
    >>> import numpy as np
    >>> tennis = Domain([Categorical(["sunny", "overcast", "rainy"]), Categorical([False, True])])
    >>> grown = trees.grow_random_trees(tennis, 1, 1, rng=np.random.default_rng(0))
    >>> matrix.decision_paths(grown, tennis.n_levels).matrix().astype(int)
    array([[1, 0, 1, 0, 1, 0],
           [0, 1, 0, 1, 0, 1]])
    """
    trees = getattr(forest, "trees_", forest)
    if not hasattr(trees, "feature"):
        raise ValueError(f"forest must be a fitted forest or its trees, got a {type(forest).__name__}")
    if n_levels is None and not hasattr(forest, "domain_"):
        raise ValueError("n_levels must be given with bare trees: the number of each column's levels")
    n_levels = check_levels(forest.domain_.n_levels if n_levels is None else n_levels)
    most = int(trees.feature.max()) + 1
    if len(n_levels) < most:
        raise ValueError(f"n_levels must have an entry for each column, at least {most}, got {len(n_levels)}")
    starts = np.concatenate([[0], np.cumsum(n_levels)])
    allowed = np.zeros((trees.n_leaves, int(starts[-1])), dtype=bool)
    nodes = np.asarray(trees.roots, dtype=np.int64)
    boxes = np.ones((len(nodes), allowed.shape[1]), dtype=bool)
    while len(nodes):  # a level of all trees at a time
        feature = trees.feature[nodes]
        ends = feature < 0
        allowed[trees.child[nodes[ends]]] = boxes[ends]
        below = [(nodes[:0], boxes[:0])]
        for j in np.unique(feature[~ends]):
            here, columns = feature == j, slice(starts[j], starts[j + 1])
            below += _children(trees, nodes[here], boxes[here], columns)
        nodes, boxes = (np.concatenate(parts) for parts in zip(*below))
    of_tree = np.repeat(np.arange(trees.n_trees), np.diff(trees.leaf_starts))
    return Paths(allowed, n_levels, of_tree)


def _children(
    trees: Trees, nodes: np.ndarray, boxes: np.ndarray, columns: slice
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The children of nodes that test one column, and their boxes, one pair for each step."""
    levels = np.arange(columns.stop - columns.start)
    steps = trees.steps[trees.side[nodes][:, None] + levels]
    for step in np.unique(steps):
        goes = steps == step
        some = goes.any(axis=1)
        below = boxes[some]
        below[:, columns] &= goes[some]
        yield trees.child[nodes[some]].astype(np.int64) + int(step), below


def distinct(*marks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Equal rows of tables of marks: where each first occurs, sorted, and which one each row is.

    Several tables, bool, shape (n_rows, n_marks), are one after the other.
    """
    packed = np.concatenate([np.packbits(table, axis=1) for table in marks])
    packed = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    words = packed.view(">u8").astype(np.uint64)
    order = np.lexsort(words.T[::-1])
    new = np.ones(len(order), dtype=bool)
    new[1:] = (words[order[1:]] != words[order[:-1]]).any(axis=1)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    return order[new], place


def cells_of(codes: ArrayLike, n_levels: ArrayLike) -> np.ndarray:
    """The cell of each record: its number in the order of the columns of T."""
    codes = check_codes(codes, n_levels)
    return np.ravel_multi_index(tuple(codes.T), tuple(np.asarray(n_levels).tolist()))


def data_matrix(codes: ArrayLike, classes: ArrayLike, n_levels: ArrayLike, n_classes: int) -> np.ndarray:
    """The contingency table D of records, int64, shape (n_cells, k): how many of each class are in each cell."""
    check_entries(check_integer(n_classes, "n_classes", 1), n_levels, "classes")
    cells, n = cells_of(codes, n_levels), math.prod(np.asarray(n_levels).tolist())
    classes = check_classes(classes, n_classes, len(cells))
    return np.bincount(cells * n_classes + classes, minlength=n * n_classes).reshape(n, -1)


def query_matrix(codes: ArrayLike, n_levels: ArrayLike) -> np.ndarray:
    """The inference query matrix Q, int64, shape (n_queries, n_cells): a single one a row, at the query's cell."""
    codes = check_codes(codes, n_levels)
    check_entries(len(codes), n_levels, "queries")
    cells = cells_of(codes, n_levels)
    rows = np.zeros((len(cells), math.prod(np.asarray(n_levels).tolist())), dtype=np.int64)
    rows[np.arange(len(cells)), cells] = 1
    return rows


def check_levels(n_levels: ArrayLike) -> np.ndarray:
    """Return `n_levels` as an int64 array; a column of no level is continuous, and has no cells."""
    try:
        levels = np.asarray(n_levels)
    except ValueError:  # rows of different lengths
        levels = np.empty(0)
    if levels.ndim != 1 or not len(levels) or levels.dtype.kind not in "iu" or (levels < 0).any():
        raise ValueError(f"n_levels must be a whole number for each column, got {n_levels!r}")
    if not levels.all():
        raise ValueError(
            f"column {int(np.argmin(levels))} is continuous and has no cells; a matrix needs public bins"
        )
    return levels.astype(np.int64)


def check_codes(codes: ArrayLike, n_levels: ArrayLike, name: str = "codes") -> np.ndarray:
    """Return codes of levels as an int64 array, shape (n_records, n_features), each of its column's."""
    whole = isinstance(codes, np.ndarray) and codes.dtype.kind in "iu"  # the most common by far
    codes, n_levels = codes if whole else check_numbers(codes, name), check_levels(n_levels)
    if codes.ndim != 2 or codes.shape[1] != len(n_levels):
        raise ValueError(f"{name} must have {len(n_levels)} columns, got shape {codes.shape}")
    inside = (codes >= 0) & (codes < n_levels) & (codes == np.floor(codes))
    if not inside.all():
        j = int(np.argmin(inside.all(axis=0)))
        raise ValueError(f"{name} must be whole numbers from 0 to {n_levels[j] - 1} in column {j}, got another")
    return codes.astype(np.int64)


def check_classes(classes: ArrayLike, n_classes: int, n_records: int) -> np.ndarray:
    """Return `classes` as an int64 array, a whole number below `n_classes` for each record."""
    classes = check_whole(classes, "classes", 0, n_classes - 1, ndim=1)
    if len(classes) != n_records:
        raise ValueError(f"classes must be one for each of {n_records} records, got {len(classes)}")
    return classes


def check_entries(rows: int, n_levels: ArrayLike, what: str) -> None:
    """Raise a ValueError if a matrix over the domain would have more than `MOST_CELLS` entries."""
    n_cells = math.prod(check_levels(n_levels).tolist())
    if rows * n_cells > MOST_CELLS:
        raise ValueError(
            f"the domain has {n_cells:,} cells, too many for a matrix of {rows:,} {what}: "
            f"at most {MOST_CELLS:,} entries"
        )
