r"""Trees of the multinomial random forest (MRF, algorithm 1).

The records of a tree are structure points and estimation points. A node with more than k estimation
points is split; its column is drawn from :math:`\mathrm{softmax}(B_1 \hat I/2)`, with
:math:`\hat I` the largest impurity decrease of each column, min-max normalised over the columns,
and then the split from :math:`\mathrm{softmax}(B_2 \hat I^{(j)}/2)`, normalised over the column's
candidates. Only structure points are asked. The reference for both laws is `dplit.multinomial`.

What the paper leaves open is taken as follows. The candidates of a continuous column are the middles
between neighbouring values of the node's structure points (on the public grid of `dplit.trees.grid`,
as all families have it, rounded down), those of a categorical one "this level or
another" for every level that the structure points hold (once, where they hold two). A column
without a candidate takes no part; a node where none has one is a leaf. Where all scores are alike,
min and max being one, the choice is uniform: the limit of equal scores.

Scores are compared on the scale of n times the decrease, up to a constant of the node: the min-max
normalised scores are the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dplit.trees.arrays import LEAF
from dplit.trees.cuts import clear, draw_position, pick
from dplit.trees.grid import by_column, with_thresholds
from dplit.trees.median import part
from dplit.trees.nodes import (
    LEAVES,
    NEEDS_NODES,
    NEEDS_STEPS,
    NODES,
    STEPS,
    WAITING,
    Room,
    Size,
    grow,
    grow_all,
    leaf_stats,
    push,
)
from dplit.trees.rules import EXPONENTIAL

LISTED = 64  # depths with a list of columns to ask; below, the last one's
TIED = 1e-12  # scores nearer than this, a record, differ by rounding


class Rule(NamedTuple):
    """How a node is split.

    Attributes
    ----------
    max_depth : int
    fewest : int
        A node with no more estimation points is a leaf: the paper's k.
    least : int
        Estimation points that each child must keep: 0 by algorithm 1, k by section 3.2.
    feature_rate, value_rate : float
        Weights of a normalised decrease, :math:`B_1/2` and :math:`B_2/2`; infinite: the best.
    entropy : bool
        Whether the impurity is Shannon's entropy; if not, the Gini index.
    """

    max_depth: int
    fewest: int
    least: int
    feature_rate: float
    value_rate: float
    entropy: bool


def grow_multinomial_trees(domain, X, y, n_classes, n_trees, halves, rule, *, rng, n_jobs=None):
    """Grow a forest on private records.

    Parameters
    ----------
    domain : Domain
    X : float64 array, shape (n_records, n_features)
        As `Domain.encode` gives it.
    y : int array, shape (n_records,)
        Codes of classes.
    n_classes, n_trees : int
    halves : function
        From the number of records and a generator to whether each record is a structure point of a
        tree, and whether it is an estimation point: two bool arrays, drawn anew for each tree.
    rule : Rule
    rng : numpy.random.Generator
        Each tree draws from a stream of its own, spawned from it: `n_jobs` changes nothing.
    n_jobs : int or None
        Threads, as in joblib.

    Returns
    -------
    trees : Trees
    counts : int64 array, shape (n_leaves, n_classes): of each leaf's estimation points. Private.

    Raises
    ------
    ValueError
        If the forest would have more nodes than `dplit.trees.nodes.MAX_NODES`.
    """
    size = Size(rule.max_depth, n_trees)
    shared, y = by_column(domain, X), np.asarray(y, dtype=np.int32)
    tasks = [(shared, y, n_classes, domain.n_levels, halves, rule, size, r)
             for r in rng.spawn(n_trees)]  # fmt: skip
    trees, counts = grow_all(_one_tree, tasks, n_jobs, domain.n_levels.max())
    return with_thresholds(trees, domain), counts


def _one_tree(shared, y, n_classes, n_levels, halves, rule, size, rng):
    columns, order = shared
    structure, estimation = halves(len(y), rng)
    n, held = int(structure.sum()), order if rule.least else order[:1]
    order, held = _chosen(order, structure), _chosen(held, estimation)
    depth = min(rule.max_depth, max(n, 1))  # a test parts two structure points
    room = Room.of(1024, depth, 2, n_levels.max(), n)
    room.stack[0, 2] = held.shape[1]
    work = Work.of(n_levels, n, len(y), n_classes, min(depth, LISTED) + 1)
    logs = _logs(n) if rule.entropy else None
    tree = grow(_grow, room, size, columns, order, held, y, n_levels, rule, rng, work, logs)
    return tree[:5], leaf_stats(held[0], tree[5], y, n_classes)


def _chosen(order, inside):
    """Of every row those records that are `inside`, in the row's order."""
    return np.stack([row[inside[row]] for row in order])


def _logs(n):
    """c log c for c up to n, 0 for c = 0."""
    counts = np.arange(n + 1.0)
    return counts * np.log(np.maximum(counts, 1.0))


class Work(NamedTuple):
    """Arrays to compute in, made once a tree.

    Attributes
    ----------
    row_of : int64 array, shape (n_features,): row of the sorted records of each continuous column.
    columns : int64 array, shape (n_features,): those that have a candidate.
    best : float64 array, shape (n_features,): the largest score of each of them.
    scores, sums : float64 arrays, shape (at least n_structure and most levels,): minus infinity, no candidate.
    stats, totals : float64 arrays, shapes (at least 2 and most levels, n_classes) and (n_classes,)
    held : int64 array, shape (most levels,): estimation points of each level.
    goes_right, spare : bool and int32 arrays, shape (n_records,): sides, and room to part records.
    asked, n_asked : int64 arrays, shapes (levels, n_features) and (levels,)
        Columns that are asked at each depth: a categorical one without a candidate has none below.
    """

    row_of: np.ndarray
    columns: np.ndarray
    best: np.ndarray
    scores: np.ndarray
    sums: np.ndarray
    stats: np.ndarray
    totals: np.ndarray
    held: np.ndarray
    goes_right: np.ndarray
    spare: np.ndarray
    asked: np.ndarray
    n_asked: np.ndarray

    @classmethod
    def of(cls, n_levels, n_structure, n_records, n_classes, depth):
        """Arrays for the columns, of so many levels each (0: continuous), the records and classes."""
        n_features, most = len(n_levels), int(n_levels.max())
        return cls(
            np.cumsum(n_levels == 0) - 1,
            np.empty(n_features, dtype=np.int64),
            np.empty(n_features),
            np.empty(max(n_structure, most)),
            np.empty(max(n_structure, most)),
            np.empty((max(most, 2), n_classes)),
            np.empty(n_classes),
            np.empty(most, dtype=np.int64),
            np.empty(n_records, dtype=np.bool_),
            np.empty(n_records, dtype=np.int32),
            np.tile(np.arange(n_features), (depth, 1)),
            np.full(depth, n_features),
        )


@njit(cache=True, nogil=True)
def _grow(room, columns, order, held, y, n_levels, rule, rng, work, logs):
    """One tree, leaves numbered in order: see `dplit.trees.nodes`.

    A node's structure points are the same stretch of every row of `order`, its estimation points one
    of every row of `held`. A waiting node's are known by their end: they begin where the last leaf's
    end, for no node to the left of it waits.
    """
    feature, threshold, child, side, steps, ends, stack, at = room
    n_nodes, n_leaves, waiting, n_steps = at[NODES], at[LEAVES], at[WAITING], at[STEPS]
    last_node, last_step = len(feature) - at[NEEDS_NODES], len(steps) - at[NEEDS_STEPS]
    while waiting > 0 and n_nodes <= last_node and n_steps <= last_step:
        waiting -= 1
        node, depth, last = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        start, end = stack[waiting, 3], stack[waiting, 4]
        first = ends[n_leaves - 1] if n_leaves > 0 else 0
        ids, kept = order[:, start:end], held[:, first:last]
        n_open = 0
        if depth < rule.max_depth and last - first > rule.fewest:
            n_open = _score_columns(columns, depth, ids, kept, y, n_levels, rule, work, logs)
        if n_open == 0:
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            ends[n_leaves] = last
            n_leaves += 1
            continue

        _normalise(work.best, n_open, TIED * (end - start))
        j = work.columns[pick(work.best, n_open, rule.feature_rate, EXPONENTIAL, rng)]
        chosen = _draw_value(columns, j, ids, kept, y, n_levels[j], rule, rng, work, logs)
        cut = np.nan
        if n_levels[j] == 0:
            ordered = ids[work.row_of[j]]
            cut = _middle(columns[j, ordered[chosen]], columns[j, ordered[chosen + 1]])
        else:
            side[node] = n_steps
            for level in range(n_levels[j]):
                steps[n_steps + level] = level != chosen
            n_steps += n_levels[j]
        feature[node], threshold[node], child[node] = j, cut, n_nodes
        between = first + _split(kept, columns[j], cut, chosen, work.goes_right, work.spare)
        middle = start
        # else both children are leaves, and their structure points are not asked
        if max(between - first, last - between) > rule.fewest and depth + 1 < rule.max_depth:
            middle += _split(ids, columns[j], cut, chosen, work.goes_right, work.spare)
        waiting = push(stack, waiting, n_nodes + 1, depth + 1, last, middle, end)
        waiting = push(stack, waiting, n_nodes, depth + 1, between, start, middle)
        n_nodes += 2
    at[NODES], at[LEAVES], at[WAITING], at[STEPS] = n_nodes, n_leaves, waiting, n_steps


@njit(cache=True, nogil=True)
def _split(rows, column, cut, level, goes_right, spare):
    """Part every row; how many go left."""
    n_left = 0
    for i in rows[0]:
        goes_right[i] = column[i] != level if cut != cut else column[i] > cut
    for row in range(len(rows)):
        n_left = part(rows[row], goes_right, spare)
    return n_left


@njit(cache=True, nogil=True, inline="always")
def _middle(a, b):
    """A cut between two values, which are whole numbers: the first goes left, the second right."""
    return np.floor((a + b) / 2)


@njit(cache=True, nogil=True)
def _normalise(scores, n, tied):
    """Min-max normalised scores, of those that are finite; all 1 if they are alike."""
    low, high = np.inf, -np.inf
    for k in range(n):
        if scores[k] > -np.inf:
            low, high = min(low, scores[k]), max(high, scores[k])
    for k in range(n):
        if scores[k] >= high - tied:
            scores[k] = 1.0
        elif scores[k] > -np.inf:
            scores[k] = (scores[k] - low) / (high - low)


@njit(cache=True, nogil=True)
def _score_columns(columns, depth, ids, kept, y, n_levels, rule, work, logs):
    """Write the columns that have a candidate, and the best score of each; how many there are."""
    row_of, found, best_of, scores, _, stats, totals, counts, _, _, asked, n_asked = work
    totals[:] = 0
    for i in ids[0]:
        totals[y[i]] += 1
    here, n, n_below = min(depth, len(asked) - 1), 0, 0
    for j in asked[here, : n_asked[here]]:
        best = _score(columns, j, row_of[j], ids, kept, y, n_levels[j], rule.least, scores, stats,
                      totals, counts, logs)  # fmt: skip
        if best > -np.inf:
            found[n], best_of[n] = j, best
            n += 1
        if here + 1 < len(asked) and (best > -np.inf or n_levels[j] == 0):
            asked[here + 1, n_below] = j
            n_below += 1
    if here + 1 < len(asked):
        n_asked[here + 1] = n_below
    return n


@njit(cache=True, nogil=True)
def _draw_value(columns, j, ids, kept, y, n_levels, rule, rng, work, logs):
    """A candidate of column `j`: the record in its order behind which it is cut, or a level."""
    scores, sums = work.scores, work.sums
    _score(columns, j, work.row_of[j], ids, kept, y, n_levels, rule.least, scores, work.stats,
           work.totals, work.held, logs)  # fmt: skip
    n = n_levels if n_levels > 0 else ids.shape[1] - 1
    _normalise(scores, n, TIED * ids.shape[1])
    total = 0.0
    for k in range(n):
        gap = scores[k] - 1.0
        if gap == 0:
            total += 1.0
        elif gap > -np.inf:
            total += np.exp(gap * rule.value_rate)
        sums[k] = total
    return draw_position(sums, n, rng)


@njit(cache=True, nogil=True, inline="always")
def _score(columns, j, row, ids, kept, y, n_levels, least, scores, stats, totals, counts, logs):
    """Write the score of each candidate of a column; the best, minus infinity if there is none."""
    if n_levels > 0:
        return _score_levels(columns[j], ids[0], kept[0], y, n_levels, least, scores, stats, totals,
                             counts, logs)  # fmt: skip
    low, high, n_kept = -np.inf, np.inf, kept.shape[1]
    if least > 0:  # the cuts that leave so many estimation points on both sides
        if n_kept < 2 * least:
            return -np.inf
        low, high = columns[j, kept[row, least - 1]], columns[j, kept[row, n_kept - least]]
    return _score_cuts(columns, j, ids, row, y, low, high, scores, stats, totals, logs)


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
        cut = _middle(value, following)
        if value < following and low <= cut < high:
            score = _pure(inside, k + 1, logs) + _pure(outside, n - k - 1, logs)
            best = max(best, score)
        scores[k] = score
        value = following
    return best


@njit(cache=True, nogil=True)
def _score_levels(column, ids, kept, y, n_levels, least, scores, table, totals, held, logs):
    """Scores of "this level or another", for each level."""
    stats, n = table[:n_levels], len(ids)
    clear(stats)
    for i in ids:
        stats[int(column[i]), y[i]] += 1
    held[:n_levels] = 0
    if least > 0:
        for i in kept:
            held[int(column[i])] += 1
    occupied = 0
    for level in range(n_levels):
        occupied += 0 < stats[level].sum()
    best, n_found = -np.inf, 0
    for level in range(n_levels):
        inside, outside, size = 0.0, 0.0, stats[level].sum()
        n_found += size > 0
        for k in range(len(totals)):
            inside += _sum_term(stats[level, k], logs)
            outside += _sum_term(totals[k] - stats[level, k], logs)
        score = -np.inf
        mirrored = occupied == 2 and n_found == 2  # the second of two levels: the same split
        if 0 < size < n and not mirrored and least <= held[level] <= len(kept) - least:
            score = _pure(inside, size, logs) + _pure(outside, n - size, logs)
            best = max(best, score)
        scores[level] = score
    return best


# A side's score: n minus n times its Gini index, or minus n times its entropy --------------------


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
