r"""Counts and projections of boxes that never make a domain: sums over boxes, and a basis of their span.

A box is a product of sets of levels. Its count needs only the marginal of the columns that it tests, and its
row of T has, in the basis of products of one function a column (the constant one, or one that sums to 0),
the product of its columns' coefficients: zero unless all columns with a function that sums to 0 are tested.
"""

import math
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack, qr, solve_triangular

from dplit.matrix.paths import MOST_CELLS, Paths
from dplit.matrix.tested import below, dimensions, remembered, single_cells, tested_sets

NOTHING = 1e-10  # an eigenvalue so far below the largest one is 0
CLEAR = 1e-12  # what a factor leaves out, against the largest entry: a rank is plain if it is no more
FULL = 1e-5  # a Cholesky factor with diagonal entries so far below the largest one is not trusted
CHUNK = 4_000_000  # entries of a matrix of boxes that are made at a time


def _sums(boxes: Paths, columns: tuple[int, ...], table: np.ndarray) -> np.ndarray:
    """Sums over boxes of a table over some columns' cells, the columns that they test among them."""
    cell = single_cells(boxes, columns)
    if cell is not None:
        return table[cell]
    n = math.prod(int(boxes.n_levels[j]) for j in columns)
    found = np.zeros((len(boxes), table.shape[1]))
    step = max(1, CHUNK // max(n, 1))
    for first in range(0, len(boxes), step):
        rows = slice(first, first + step)
        found[rows] = boxes.take(rows).over(columns).astype(float) @ table
    return found


def sums_of_table(boxes: Paths, table: np.ndarray) -> np.ndarray:
    """What each box holds of a table of all cells, T times the table; shape (n_boxes, k)."""
    table = np.asarray(table, dtype=float)
    sets = [columns for columns, _ in tested_sets(boxes)]
    tables = dict(_marginals(table, boxes.n_levels.tolist(), sets))
    return sums_of_marginals(boxes, tables, table.shape[1])


def _marginals(
    table: np.ndarray, n_levels: list[int], sets: list[tuple[int, ...]], first: int = 0, front: int = 1
) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """Sums of a table for each set of columns, over all others; sets that begin alike share what they sum.

    The table's rows are `front` cells of columns before `first`, which all sets name, times the cells of the
    others. Sets are distinct and sorted.
    """
    rest = (j for columns in sets for j in columns if j >= first)
    column, k = min(rest, default=len(n_levels)), table.shape[1]
    gap = math.prod(n_levels[first:column])
    table = table.reshape(front, gap, -1).sum(axis=1).reshape(-1, k) if gap > 1 else table
    if column == len(n_levels):
        yield sets[0], table
        return
    n, others = n_levels[column], [columns for columns in sets if column not in columns]
    mine = [columns for columns in sets if column in columns]
    yield from _marginals(table, n_levels, mine, column + 1, front * n)
    if others:
        less = table.reshape(front, n, -1).sum(axis=1).reshape(-1, k)
        yield from _marginals(less, n_levels, others, column + 1, front)


def sums_of_marginals(boxes: Paths, tables: dict[tuple[int, ...], np.ndarray], k: int) -> np.ndarray:
    """What each box holds of tables of the columns that it tests, one for each tested set; shape (n_boxes, k)."""
    found = np.zeros((len(boxes), k))
    for columns, rows in tested_sets(boxes):
        found[rows] = _sums(boxes.take(rows), columns, tables[columns])
    return found


def counts_of_records(boxes: Paths, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    """How many records of each class each box holds, T D from records; int64, shape (n_boxes, k)."""
    found = np.zeros((len(boxes), n_classes))
    levels = boxes.n_levels.tolist()
    of_column = codes.T.astype(np.min_scalar_type(max(levels)), order="C")  # read again and again
    places, before = ([np.asarray(classes, dtype=np.int64)], ())  # class and cells of the first columns
    for columns, rows in sorted(tested_sets(boxes), key=lambda each: each[0]):
        here, n_cells = boxes.take(rows), math.prod(levels[j] for j in columns)
        if n_cells * n_classes > min(CHUNK, MOST_CELLS):
            found[rows] = _reached(here, codes, classes, n_classes)
            continue
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, columns)))
        del places[shared + 1 :]
        for j in columns[shared:]:
            places.append(places[-1] * levels[j] + of_column[j])
        table = np.bincount(places[-1], minlength=n_cells * n_classes)
        found[rows] = _sums(here, columns, table.reshape(n_classes, -1).T)
        before = columns
    return np.rint(found).astype(np.int64)


def _reached(boxes: Paths, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    """The same through each record's boxes, where the tested columns have too many cells."""
    step, found = max(1, CHUNK // len(boxes)), np.zeros((len(boxes), n_classes))
    for first in range(0, len(codes), step):
        part = slice(first, first + step)
        of_class = classes[part, None] == np.arange(n_classes)
        found += boxes.reached(codes[part]).T.astype(float) @ of_class
    return found


def functions(n: int) -> np.ndarray:
    """An orthonormal basis of the functions of n levels, the constant one first, shape (n, n)."""
    basis = np.eye(n)
    basis[:, 0] = 1.0
    basis = np.linalg.qr(basis)[0]
    return basis if basis[0, 0] > 0 else -basis


def coefficients(boxes: Paths, spaces: list[tuple[int, ...]]) -> list[np.ndarray]:
    r"""Rows of T in the products of `functions`, a block of shape (n_boxes, prod(n_i - 1)) for each set of
    columns.

    They are scaled by :math:`\sqrt{n}`, so that with all spaces below the tested sets their products are those of
    T over the number of cells: nothing overflows.
    """
    parts = []
    for start, n in zip(boxes.starts, boxes.n_levels):
        rows = boxes.allowed[:, start : start + n].astype(float)
        part = rows @ functions(int(n)) / math.sqrt(n)
        part[rows.all(axis=1), 1:] = 0.0  # what rounding leaves
        parts.append(part)
    constants = np.array([part[:, 0] for part in parts])
    untested = constants.prod(axis=0)
    found = []
    for columns in spaces:
        block = (untested / constants[list(columns)].prod(axis=0))[:, None]
        for j in columns:
            block = (block[:, :, None] * parts[j][:, None, 1:]).reshape(len(block), -1)
        found.append(block)
    return found


def basis(boxes: Paths, weights: np.ndarray) -> np.ndarray:
    r"""An orthonormal basis of the columns of A, T with weighted rows: :math:`AA^+ = QQ^\top`, shape (n_boxes,
    rank).

    Through `coefficients` where they are no more than the boxes, else through the cells that boxes share.
    """
    if dimensions(boxes) > len(boxes):
        found = independent(boxes)
        if found is not None and found.rows is not None:
            return qr(weights[:, None] * found.rows, mode="economic", check_finite=False)[0]
        values, vectors = np.linalg.eigh(_gram(boxes) * np.outer(weights, weights))
        return vectors[:, values > NOTHING * values[-1]]
    spaces = below([columns for columns, _ in tested_sets(boxes)])
    rows = weights[:, None] * np.hstack(coefficients(boxes, spaces))
    gram = rows.T @ rows
    found = _pivoted(gram)
    if found is not None:
        factor, order = found
        rank = factor.shape[1]
        rows = rows[:, order[:rank]]
        return solve_triangular(factor[:rank], rows.T, lower=True, check_finite=False).T
    values, vectors = np.linalg.eigh(gram)
    kept = values > NOTHING * values[-1]
    return rows @ (vectors[:, kept] / np.sqrt(values[kept]))


class Independent(NamedTuple):
    r"""Boxes of independent rows, in whose span all others are, and what follows from a factor of their Gram."""

    first: np.ndarray  #: Int64 array. Numbers of these boxes, and of all others.
    rest: np.ndarray  #: As `first`.
    #: Shape (n_boxes, rank), or None. L with :math:`TT^\top/n = LL^\top`; None where there are fewer others than
    #: independent ones.
    rows: np.ndarray | None
    #: Shape (len(rest), rank), or None. The others' rows as combinations of the independent ones'; None where
    #: `rows` is not.
    others: np.ndarray | None


@remembered
def independent(boxes: Paths) -> Independent | None:
    """The `Independent` of boxes that have more coefficients than there are of them; None if rounding hides it."""
    found = _pivoted(_gram(boxes))
    if found is None:
        return None
    factor, order = found
    rank = factor.shape[1]
    first, rest = np.split(order, [rank])
    if len(rest) >= rank:
        rows = np.empty(factor.shape)
        rows[order] = factor
        return Independent(first, rest, rows, None)
    root, left = factor[:rank], factor[rank:]
    others = solve_triangular(root, left.T, trans=1, lower=True, check_finite=False).T
    return Independent(first, rest, None, others)


def _gram(boxes: Paths) -> np.ndarray:
    """The cells that boxes share, over the cells of the domain."""
    return boxes.overlaps() * math.exp(-sum(map(math.log, boxes.n_levels.tolist())))


def _pivoted(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    r"""A factor L of a Gram of some rank, :math:`G = LL^\top` in some order, several times faster than eigh.

    None where what is left out is not as good as nothing.
    """
    most = gram.diagonal().max()
    factor, order, rank, _ = lapack.dpstrf(gram, tol=FULL**2 * most, lower=True)
    factor, order = np.tril(factor)[:, :rank], order.astype(np.int64) - 1
    left = gram.diagonal()[order] - (factor**2).sum(axis=1)
    return (factor, order) if left.max() <= CLEAR * most else None
