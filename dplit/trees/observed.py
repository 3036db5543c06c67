r"""Trees of the consistent forests without privacy: cuts midway between observed values.

*Structure* points choose the cuts, *estimation* points give the leaves their classes; without a partition both
are all records. A cut counts if each side keeps at least `min_leaf` estimation points; if no drawn column has one,
more are drawn until one has, and a node where none has is a leaf. A `Rule` says which cut is taken. All columns
are numbers here, levels by their positions; of each the ranks of its values are computed once a fit.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from dplit.trees.arrays import LEAF, Trees
from dplit.trees.exact_rules import refuse_secure
from dplit.trees.nodes import grow_all, leaf_stats


class Rule(NamedTuple):
    """How a node's cut is chosen."""

    columns: int  #: How many columns compete; without effect where `mean_more` is not negative.
    mean_more: float  #: Mean of the Poisson number of columns that compete beside one; negative: `columns` do.
    #: Probabilities that one column competes alone, and that the cut is a uniform one of a column that competes,
    #: not the best.
    one_column: float
    any_cut: float  #: As `one_column`.
    range_points: int  #: Cuts lie between the extremes of so many structure points of the node; 0: of all.
    min_leaf: int  #: Estimation points that each side of a cut keeps at least.


def grow_observed_trees(
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    halves: list[tuple[np.ndarray, np.ndarray]],
    rule: Rule,
    *,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> tuple[Trees, np.ndarray]:
    """Grow a forest without privacy; with the class counts of each leaf's estimation points.

    `halves` has for each tree the positions of its structure points and of its estimation points. A secure
    generator is an error: floats decide.
    """
    refuse_secure(rng, "a cut without privacy")
    ranks, values, starts = ranked(X)
    tasks = [(ranks, values, starts, y.astype(np.int64), n_classes, *half, rule, r)
             for half, r in zip(halves, rng.spawn(len(halves)))]  # fmt: skip
    return grow_all(_one_tree, tasks, n_jobs)


def ranked(X):
    """Ranks of the values of each column, a row each; the values, a column after the other; their starts."""
    found = [np.unique(column, return_inverse=True) for column in X.T]
    starts = np.cumsum([0, *(len(values) for values, _ in found)])
    ranks = np.array([rank.ravel() for _, rank in found], dtype=np.int32)
    return ranks, np.concatenate([values for values, _ in found]), starts


def _one_tree(ranks, values, starts, y, n_classes, structure, estimation, rule, rng):
    leaves = max(len(estimation) // rule.min_leaf, 1)
    room = Room.of(leaves, len(structure), len(estimation), n_classes, starts)
    structure, estimation = structure.astype(np.int64), estimation.astype(np.int64)
    n_nodes, n_leaves = _grow(room, ranks, values, starts, y, structure, estimation, rule, rng)
    tree = tuple(a[:n_nodes].copy() for a in (room.feature, room.threshold, room.child))
    return tree, leaf_stats(estimation, room.ends[:n_leaves], y, n_classes)


class Room(NamedTuple):
    """Arrays that the grower fills: a tree has at most so many leaves that each keeps its records.

    `feature`, `threshold`, `child` and `ends` are as in `dplit.trees.nodes.Room`; `stack` has of each
    waiting node its position, and where its structure and estimation points begin and end. The rest
    is room for one node: columns in random order, records in the order of a column and their values,
    counts of values, classes on both sides, records that go right.
    """

    feature: np.ndarray
    threshold: np.ndarray
    child: np.ndarray
    ends: np.ndarray
    stack: np.ndarray
    columns: np.ndarray
    first: np.ndarray
    second: np.ndarray
    tally: np.ndarray
    sides: np.ndarray
    spare: np.ndarray
    picked: np.ndarray

    @classmethod
    def of(cls, leaves, n_structure, n_estimation, n_classes, starts):
        """Arrays for a tree of at most so many leaves."""
        nodes = 2 * leaves - 1
        stack = np.zeros((leaves + 1, 5), dtype=np.int64)
        stack[0] = 0, 0, n_structure, 0, n_estimation
        return cls(
            np.empty(nodes, dtype=np.int32),
            np.empty(nodes),
            np.empty(nodes, dtype=np.int32),
            np.empty(leaves, dtype=np.int32),
            stack,
            np.arange(len(starts) - 1),
            np.empty(n_structure, dtype=np.int64),
            np.empty(n_estimation, dtype=np.int64),
            np.empty(int(np.diff(starts).max()) + 1, dtype=np.int64),
            np.empty((2, n_classes)),
            np.empty(max(n_structure, n_estimation), dtype=np.int64),
            np.empty(n_structure, dtype=np.int64),
        )


@njit(cache=True, nogil=True)
def _grow(room, ranks, values, starts, y, structure, estimation, rule, rng):
    """One tree, leaves numbered in order; how many nodes and leaves."""
    stack = room.stack
    n_nodes, n_leaves, waiting = 1, 0, 1
    while waiting > 0:
        waiting -= 1
        node = stack[waiting, 0]
        a, b, c, d = stack[waiting, 1], stack[waiting, 2], stack[waiting, 3], stack[waiting, 4]
        j, cut = -1, np.nan
        if b - a >= 2 and d - c >= 2 * rule.min_leaf:
            j, cut = _choose(room, ranks, values, starts, y, structure[a:b], estimation[c:d], rule, rng)
        room.threshold[node] = cut
        if j < 0:
            room.feature[node], room.child[node], room.ends[n_leaves] = LEAF, n_leaves, d
            n_leaves += 1
            continue
        room.feature[node], room.child[node] = j, n_nodes
        first = starts[j]
        m = a + part(structure[a:b], ranks[j], values, first, cut, room.spare)
        n = c + part(estimation[c:d], ranks[j], values, first, cut, room.spare)
        stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = n_nodes + 1, m, b
        stack[waiting, 3], stack[waiting, 4] = n, d
        waiting += 1
        stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = n_nodes, a, m
        stack[waiting, 3], stack[waiting, 4] = c, n
        waiting += 1
        n_nodes += 2
    return n_nodes, n_leaves


@njit(cache=True, nogil=True)
def part(ids, ranks, values, first, cut, spare):
    """Move the records at or below the cut to the front, both sides keeping their order; how many."""
    n_left = n_right = 0
    for k in range(len(ids)):
        if values[first + ranks[ids[k]]] > cut:
            spare[n_right] = ids[k]
            n_right += 1
        else:
            ids[n_left] = ids[k]
            n_left += 1
    for k in range(n_right):
        ids[n_left + k] = spare[k]
    return n_left


@njit(cache=True, nogil=True)
def wanted(rule, n_columns, rng):
    """How many columns compete at a node."""
    count = rule.columns
    if rule.mean_more >= 0:
        count = 1 + rng.poisson(rule.mean_more)
    if rng.random() < rule.one_column:
        count = 1
    return min(count, n_columns)


@njit(cache=True, nogil=True)
def _choose(room, ranks, values, starts, y, structure, estimation, rule, rng):
    """Column and cut of a node; the column is -1 if no cut leaves enough on both sides."""
    count = wanted(rule, len(starts) - 1, rng)
    any_cut = rng.random() < rule.any_cut
    n_range = _draw_range(room, structure, rule, rng)
    best, least, cut = -1, np.inf, np.nan
    for k in range(len(starts) - 1):
        swap = k + int(rng.random() * (len(starts) - 1 - k))
        room.columns[k], room.columns[swap] = room.columns[swap], room.columns[k]
        j = room.columns[k]
        low, high = _limits(ranks[j], room.picked[:n_range])
        found, cost, at = _scan(room, ranks[j], values[starts[j] : starts[j + 1]], y, structure,
                                estimation, low, high, any_cut, rule.min_leaf, rng)  # fmt: skip
        if found and cost < least:
            best, least, cut = j, cost, at
        # a uniform cut is one of the first column that has any: columns come in random order
        if best >= 0 and (any_cut or k + 1 >= count):
            break
    return best, cut


@njit(cache=True, nogil=True)
def _draw_range(room, structure, rule, rng):
    """Draw the structure points whose extremes bound the cuts; how many, 0 for no bounds."""
    n = len(structure)
    if rule.range_points == 0 or rule.range_points >= n:
        return 0
    room.picked[:n] = structure
    for k in range(rule.range_points):
        swap = k + int(rng.random() * (n - k))
        room.picked[k], room.picked[swap] = room.picked[swap], room.picked[k]
    return rule.range_points


@njit(cache=True, nogil=True)
def _limits(ranks, ids):
    """Ranks between which cuts may lie."""
    if len(ids) == 0:
        return 0, 2**31 - 1
    low, high = ranks[ids[0]], ranks[ids[0]]
    for i in ids:
        low, high = min(low, ranks[i]), max(high, ranks[i])
    return low, high


@njit(cache=True, nogil=True)
def _scan(room, ranks, values, y, structure, estimation, low, high, any_cut, min_leaf, rng):
    """Whether a column has a cut that counts, the impurity that one leaves, and where it is.

    Impurity is each side's Gini index times its structure points; the least, or `any_cut` a uniform one.
    """
    n, n_classes = len(structure), room.sides.shape[1]
    order, other = room.first, room.second
    _by_rank(structure, ranks, len(values), room.tally, order)
    _by_rank(estimation, ranks, len(values), room.tally, other)
    room.sides[:] = 0.0
    left, right = room.sides[0], room.sides[1]
    for i in structure:
        right[y[i]] += 1
    squares_left, squares_right = 0.0, 0.0
    for k in range(n_classes):
        squares_right += right[k] ** 2
    found, least, at, below, n_cuts = False, np.inf, np.nan, 0, 0
    for k in range(n - 1):
        label = y[order[k]]
        squares_left += 2 * left[label] + 1
        squares_right -= 2 * right[label] - 1
        left[label] += 1
        right[label] -= 1
        this, after = ranks[order[k]], ranks[order[k + 1]]
        if this == after or this < low or after > high:
            continue
        cut = midway(values[this], values[after])
        while below < len(estimation) and values[ranks[other[below]]] <= cut:
            below += 1
        if below < min_leaf or len(estimation) - below < min_leaf:
            continue
        cost = n - squares_left / (k + 1) - squares_right / (n - k - 1)
        n_cuts += 1
        if any_cut:
            if rng.random() * n_cuts < 1:
                found, least, at = True, cost, cut
        elif cost < least:
            found, least, at = True, cost, cut
    return found, least, at


@njit(cache=True, nogil=True)
def midway(low, high):
    """A number from `low` to below `high`, near their mean: what is at most `low` goes left."""
    cut = low + (high - low) / 2
    return cut if low <= cut < high else low


@njit(cache=True, nogil=True)
def _by_rank(ids, ranks, n_values, tally, out):
    """Write the records in the order of a column: by counting where there are few values."""
    n = len(ids)
    if n_values > 2 * n + 64:
        for k in range(n):
            out[k] = np.int64(ranks[ids[k]]) * n + k  # a rank and a place in one number
        out[:n].sort()
        for k in range(n):
            out[k] = ids[out[k] % n]
        return
    tally[: n_values + 1] = 0
    for i in ids:
        tally[ranks[i] + 1] += 1
    for value in range(n_values):
        tally[value + 1] += tally[value]
    for i in ids:
        out[tally[ranks[i]]] = i
        tally[ranks[i]] += 1
