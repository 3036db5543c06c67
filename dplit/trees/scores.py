"""Scores of the candidates of a node: every cut of a continuous column, every level of a categorical one.

A node's categorical columns are counted together, in one pass over its records, whose codes stand in
rows: where a wide table's nodes are small, a column at a time waits for memory and for nothing else.
Scores are impurity decreases on the scale of `dplit.trees.multinomial`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit


class Work(NamedTuple):
    """Arrays to compute in, made once a tree."""

    #: Int64 array, shape (n_features,). Row of the sorted records of each continuous column, place among the codes
    #: of a categorical one.
    row_of: np.ndarray
    #: Int64 array, shape (n_features,): row of `table` of each categorical column's first level.
    first: np.ndarray
    columns: np.ndarray  #: Int64 array, shape (n_features,): those that have a candidate.
    best: np.ndarray  #: Float64 array, shape (n_features,): the largest score of each of them.
    #: Float64 arrays, shape (at least n_structure and most levels,): minus infinity, no candidate.
    scores: np.ndarray
    sums: np.ndarray  #: As `scores`.
    stats: np.ndarray  #: Float64 arrays, shapes (2, n_classes) and (n_classes,): of a cut, of the node.
    totals: np.ndarray  #: As `stats`.
    table: np.ndarray  #: Int32 array, shape (levels of all columns, n_classes): structure points of the node.
    held: np.ndarray  #: Int32 array, shape (levels of all columns,): its estimation points of each level.
    #: Int64 array, shape (2, n_features): `row_of` and `first` of the columns that are counted.
    listed: np.ndarray
    goes_right: np.ndarray  #: Bool and int32 arrays, shape (n_records,): sides, and room to part records.
    spare: np.ndarray  #: As `goes_right`.
    #: Int64 arrays, shapes (levels, n_features) and (levels,). Columns that are asked at each depth: a categorical
    #: one without a candidate has none below.
    asked: np.ndarray
    n_asked: np.ndarray  #: As `asked`.

    @classmethod
    def of(cls, n_levels, n_structure, n_records, n_classes, depth):
        """Arrays for the columns, of so many levels each (0: continuous), the records and classes."""
        n_features, most = len(n_levels), int(n_levels.max())
        cuts = n_levels == 0
        return cls(
            np.where(cuts, np.cumsum(cuts), np.cumsum(~cuts)) - 1,
            np.cumsum(n_levels) - n_levels,
            np.empty(n_features, dtype=np.int64),
            np.empty(n_features),
            np.empty(max(n_structure, most)),
            np.empty(max(n_structure, most)),
            np.empty((2, n_classes)),
            np.empty(n_classes),
            np.empty((n_levels.sum(), n_classes), dtype=np.int32),
            np.empty(n_levels.sum(), dtype=np.int32),
            np.empty((2, n_features), dtype=np.int64),
            np.empty(n_records, dtype=np.bool_),
            np.empty(n_records, dtype=np.int32),
            np.tile(np.arange(n_features), (depth, 1)),
            np.full(depth, n_features),
        )


def by_record(domain, X):
    """Codes of the categorical columns, a record a row: a node counts all columns in one pass over its records.

    In bytes where they fit, for the small nodes of wide tables wait for memory and nothing else.
    """
    small = np.uint8 if domain.n_levels.max() <= 256 else np.int32
    return np.ascontiguousarray(X[:, domain.n_levels > 0], dtype=small)


def logarithms(n):
    """c log c for c up to n, 0 for c = 0."""
    counts = np.arange(n + 1.0)
    return counts * np.log(np.maximum(counts, 1.0))


@njit(cache=True, nogil=True)
def count_levels(codes, asked, ids, kept, y, n_levels, least, work):
    """Count the node's points by level and class, for all categorical columns that are asked."""
    table, held, n = work.table, work.held, 0
    places, firsts = work.listed
    for j in asked:
        if n_levels[j] > 0:
            places[n], firsts[n] = work.row_of[j], work.first[j]
            n += 1
            for row in range(work.first[j], work.first[j] + n_levels[j]):
                held[row] = 0
                for label in range(table.shape[1]):
                    table[row, label] = 0
    if n == 0:
        return
    for i in ids:
        label = y[i]
        for k in range(n):
            table[firsts[k] + codes[i, places[k]], label] += 1
    if least > 0:
        for i in kept:
            for k in range(n):
                held[firsts[k] + codes[i, places[k]]] += 1


@njit(cache=True, nogil=True, inline="always")
def score(columns, j, ids, kept, y, n_levels, least, work, logs):
    """Write the score of each candidate of a column; the best, minus infinity if there is none."""
    row, scores, totals, n_kept = work.row_of[j], work.scores, work.totals, kept.shape[1]
    if n_levels > 0:
        levels = slice(work.first[j], work.first[j] + n_levels)
        table, held = work.table[levels], work.held[levels]
        return _score_levels(table, held, ids.shape[1], n_kept, least, scores, totals, logs)
    low, high = -np.inf, np.inf
    if least > 0:  # the cuts that leave so many estimation points on both sides
        if n_kept < 2 * least:
            return -np.inf
        low, high = columns[j, kept[row, least - 1]], columns[j, kept[row, n_kept - least]]
    return _score_cuts(columns, j, ids, row, y, low, high, scores, work.stats, totals, logs)


@njit(cache=True, nogil=True)
def _score_cuts(columns, j, ids, row, y, low, high, scores, stats, totals, logs):
    """Scores of the cuts behind each record of the column's order, from `low` up to below `high`."""
    n, inside, outside = ids.shape[1], 0.0, 0.0
    for k in range(len(totals)):
        stats[0, k], stats[1, k] = 0, totals[k]
        outside += _sum_term(totals[k], logs)
    best = -np.inf
    if n == 0:
        return best
    value = columns[j, ids[row, 0]]
    for k in range(n - 1):
        label = y[ids[row, k]]
        inside += _one_more(stats[0, label], logs)
        outside -= _one_more(stats[1, label] - 1, logs)
        stats[0, label] += 1
        stats[1, label] -= 1
        following = columns[j, ids[row, k + 1]]
        score = -np.inf
        cut = middle_of(value, following)
        if value < following and low <= cut < high:
            score = _pure(inside, k + 1, logs) + _pure(outside, n - k - 1, logs)
            best = max(best, score)
        scores[k] = score
        value = following
    return best


@njit(cache=True, nogil=True)
def _score_levels(table, held, n, n_kept, least, scores, totals, logs):
    """Scores of "this level or another", for each level, of the counts by level and class."""
    occupied = 0
    for level in range(len(table)):
        occupied += 0 < _size(table[level])
    if occupied < 2:
        return -np.inf
    best, n_found = -np.inf, 0
    for level in range(len(table)):
        size = _size(table[level])
        n_found += size > 0
        score = -np.inf
        mirrored = occupied == 2 and n_found == 2  # the second of two levels: the same split
        if 0 < size < n and not mirrored and least <= held[level] <= n_kept - least:
            inside, outside = 0.0, 0.0
            for k in range(len(totals)):
                inside += _sum_term(float(table[level, k]), logs)
                outside += _sum_term(totals[k] - table[level, k], logs)
            score = _pure(inside, size, logs) + _pure(outside, n - size, logs)
            best = max(best, score)
        scores[level] = score
    return best


@njit(cache=True, nogil=True, inline="always")
def _size(counts):
    size = 0
    for count in counts:
        size += count
    return size


# A side's score: n minus n times its Gini index, or minus n times its entropy.
@njit(cache=True, nogil=True, inline="always")
def _sum_term(count, logs):
    """A class's term in the sum over classes: its square, or c log c."""
    return count * count if logs is None else logs[int(count)]


@njit(cache=True, nogil=True, inline="always")
def _one_more(count, logs):
    """What one record more of a class adds to its term."""
    return 2 * count + 1 if logs is None else logs[int(count) + 1] - logs[int(count)]


@njit(cache=True, nogil=True, inline="always")
def _pure(terms, n, logs):
    """The side's score from its sum over classes."""
    return terms / n if logs is None else terms - logs[int(n)]


@njit(cache=True, nogil=True, inline="always")
def middle_of(a, b):
    """A cut between two values, which are whole numbers: the first goes left, the second right."""
    return np.floor((a + b) / 2)
