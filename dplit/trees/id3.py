r"""Greedy trees with a child for each level and two for a cut (Friedman and Schuster 2010).

At each node the noisy number of its records decides whether the path ends. If not, every candidate
column that is continuous is cut by an exponential mechanism, and another one chooses a column.
A cut at t weighs :math:`e^{-r\,C(t)}`, with :math:`C(t)` what the two sides leave unexplained: it is
the same for all t between two values, so the mechanism draws such an interval, with its length as
a factor, and then a uniform point of it.

What is public about a continuous column is what the path has left of its interval; it can be cut
again. A categorical column is used up on the path. The costs are those of `dplit.trees.kary`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dplit.trees.arrays import LEAF, Trees
from dplit.trees.cuts import add
from dplit.trees.kary import MAJORITY, SQUARES, _sort_by_level, _taller, cost, pick
from dplit.trees.median import _sorted
from dplit.trees.random import MAX_NODES, _descend, _resized, each


class Rule(NamedTuple):
    """How a node ends or splits.

    Attributes
    ----------
    max_depth, max_features : int
        Tests on a path; columns that compete at a node.
    score : int
        `SQUARES`, `ENTROPY` or `MAJORITY` of `dplit.trees.kary`.
    most_bits : float
        The most that a record counts by `ENTROPY`.
    rate : float
        Weight of a unit of cost, in every cut and choice; infinite: the best.
    count_scale : float
        Scale of the Laplace noise on a node's number of records.
    fewest : float
        A path ends where that number is below `fewest` times the most children that a test may have.
    """

    max_depth: int
    max_features: int
    score: int
    most_bits: float
    rate: float
    count_scale: float
    fewest: float


def grow_id3_trees(domain, X, y, n_classes, parts, rule, *, rng, n_jobs=None):
    """Grow a forest on private records.

    Parameters
    ----------
    domain : Domain
    X : float64 array, shape (n_records, n_features)
        As `Domain.encode` gives it.
    y : float64 array, shape (n_records,)
        Codes of classes.
    n_classes : int
    parts : list of int arrays
        For each tree the positions of its records.
    rule : Rule
    rng : numpy.random.Generator
        Each tree draws from a stream of its own, spawned from it: `n_jobs` changes nothing.
    n_jobs : int or None
        Threads, as in joblib.

    Returns
    -------
    trees : Trees
    counts : float64 array, shape (n_leaves, max(2, n_classes))
        Class counts of each leaf. Private.

    Raises
    ------
    ValueError
        If the forest would have more than `MAX_NODES` nodes.
    """
    limit = MAX_NODES // len(parts)
    alike = all(part is parts[0] for part in parts)
    shared = _sorted(X[parts[0]], domain.n_levels) if alike else None
    tasks = [(X, y, n_classes, domain, part, shared, rule, limit, r)
             for part, r in zip(parts, rng.spawn(len(parts)))]  # fmt: skip
    grown = each(_one_tree, tasks, n_jobs)
    if any(len(tree[0]) == 0 for tree in grown):
        raise ValueError(
            f"max_depth={rule.max_depth} with n_estimators={len(parts)} needs more than "
            f"{MAX_NODES:,} nodes on this domain: choose fewer or shallower trees"
        )
    trees = Trees.join([tree[:3] for tree in grown], domain.n_levels.max())
    return trees, np.concatenate([tree[3] for tree in grown])


def _one_tree(X, y, n_classes, domain, part, shared, rule, limit, rng):
    columns, order = shared or _sorted(X[part], domain.n_levels)
    schema = domain.bounds, domain.n_levels
    return _grow(columns, order.copy(), y[part], n_classes, *schema, rule, limit, rng)


@njit(cache=True, nogil=True)
def _grow(columns, order, y, n_classes, bounds, n_levels, rule, limit, rng):
    """One tree as (feature, threshold, child, counts); empty beyond `limit`. Depth first.

    Row d of `low`, `high` and `used` describes the node of depth d on the current path. A node's
    records are the same stretch, start to end, of every row of `order`.
    """
    n_features, n_records = columns.shape
    row_of = np.cumsum(n_levels == 0) - 1
    low, high = (
        np.empty((rule.max_depth + 1, n_features)),
        np.empty((rule.max_depth + 1, n_features)),
    )
    used = np.zeros((rule.max_depth + 1, n_features), dtype=np.bool_)
    low[0], high[0], used[0] = bounds[:, 0], bounds[:, 1], n_levels == 1
    most = max(n_levels.max(), 2)
    starts, spare = np.empty(most + 1, np.int64), np.empty(n_records, np.int32)
    branch, open_columns = np.empty(n_records, np.int32), np.empty(n_features, np.int64)
    table, work = np.zeros((most, max(n_classes, 2))), np.empty((3, n_records + 2))

    capacity = 1024
    feature, child = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    threshold = np.empty(capacity)
    counts, n_leaves = np.zeros((capacity, max(n_classes, 2))), 0
    stack = [(0, 0, -1, 0, n_records)]  # node, depth, parent, start, end
    n_nodes = 1

    while len(stack) > 0:
        node, depth, parent, start, end = stack.pop()
        n_open = 0
        if depth < rule.max_depth:
            if parent >= 0:
                first = node == child[parent]
                _descend(low, high, used, depth, feature[parent], threshold[parent], first)
            n_open, arity = _open(low[depth], high[depth], used[depth], n_levels, open_columns)
            noise = rng.standard_exponential() - rng.standard_exponential()
            if end - start + rule.count_scale * noise < rule.fewest * arity:
                n_open = 0
        if n_open == 0:
            if n_leaves == len(counts):
                counts = _taller(counts)
            for i in order[0, start:end]:
                add(counts[n_leaves], y[i], n_classes)
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            n_leaves += 1
            continue

        j, cut = _choose(columns, order[:, start:end], row_of, y, n_classes, open_columns[:n_open],
                         low[depth], high[depth], n_levels, rule, table, work, rng)  # fmt: skip
        arity = max(n_levels[j], 2)
        if n_nodes + arity > limit:
            return feature[:0], threshold[:0], child[:0], counts[:0]
        if n_nodes + arity > len(feature):
            more = 2 * len(feature) + arity
            feature, child = _resized(feature, more), _resized(child, more)
            threshold = _resized(threshold, more)
        feature[node], threshold[node], child[node] = j, cut, n_nodes
        for i in order[0, start:end]:
            value = columns[j, i]
            branch[i] = int(value) if n_levels[j] > 0 else value > cut
        for row in range(len(order) if depth + 1 < rule.max_depth else 1):
            _sort_by_level(order[row, start:end], branch, arity, starts, spare)
        for side in range(arity - 1, -1, -1):
            stack.append(
                (n_nodes + side, depth + 1, node, start + starts[side], start + starts[side + 1])
            )
        n_nodes += arity

    return (feature[:n_nodes].copy(), threshold[:n_nodes].copy(), child[:n_nodes].copy(),
            counts[:n_leaves].copy())  # fmt: skip


@njit(cache=True, nogil=True)
def _open(low, high, used, n_levels, found):
    """Write the columns that can still be tested to `found`; how many, and their most children."""
    n, most = 0, 0
    for j in range(len(n_levels)):
        if not used[j] and (n_levels[j] > 0 or low[j] < high[j]):
            found[n] = j
            n += 1
            most = max(most, n_levels[j], 2)
    return n, most


@njit(cache=True, nogil=True)
def _choose(columns, order, row_of, y, n_classes, candidates, low, high, n_levels, rule, table,
            work, rng):  # fmt: skip
    """A column and, where it is continuous, its cut."""
    count = min(rule.max_features, len(candidates))
    cuts, scores = np.full(count, np.nan), np.empty(count)
    for k in range(count):
        swap = k + int(rng.random() * (len(candidates) - k))
        candidates[k], candidates[swap] = candidates[swap], candidates[k]
        j = candidates[k]
        if n_levels[j] == 0:
            cuts[k], least = draw_cut(columns[j], order[row_of[j]], y, n_classes, low[j], high[j],
                                      rule, work, rng)  # fmt: skip
            scores[k] = -least
        else:
            table[: n_levels[j]] = 0.0
            for i in order[0]:
                add(table[int(columns[j, i])], y[i], n_classes)
            scores[k] = -cost(table[: n_levels[j]], n_classes, rule.score, rule.most_bits)
    k = 0 if count == 1 else pick(scores, rule.rate, rng)
    return candidates[k], cuts[k]


@njit(cache=True, nogil=True)
def draw_cut(column, ids, y, n_classes, low, high, rule, work, rng):
    """A cut of a continuous column in [low, high), and its cost.

    `ids` are the node's records in the order of the column; `work` is three rows of room.
    """
    n = len(ids)
    values, costs, sums = work[0], work[1], work[2]
    values[0], values[n + 1] = low, high
    for k in range(n):
        values[k + 1] = column[ids[k]]
    costs[: n + 1] = 0.0
    _add_costs(ids, y, n_classes, rule, costs[: n + 1])
    _add_costs(ids[::-1], y, n_classes, rule, costs[: n + 1][::-1])
    least = np.inf
    for k in range(n + 1):
        if values[k + 1] > values[k]:
            least = min(least, costs[k])
    total = 0.0
    for k in range(n + 1):
        length = values[k + 1] - values[k]
        if length > 0:
            worse = costs[k] - least
            total += length * np.exp(-rule.rate * worse) if worse > 0 else length
        sums[k] = total
    k = np.searchsorted(sums[: n + 1], rng.random() * total, side="right")
    a, b = values[k], values[k + 1]
    cut = a + rng.random() * (b - a)
    return (a if cut >= b else cut), costs[k]


@njit(cache=True, nogil=True)
def _add_costs(ids, y, n_classes, rule, costs):
    """Add to ``costs[k]`` the `cost` of a child that holds the first k of the records.

    A step for each record, so as not to go through all classes again. With n records the cap on the
    bits is out of reach up to :math:`n = 2^{bits}`.
    """
    counts = np.zeros((1, max(n_classes, 2)))
    squares, largest, logs, n = 0.0, 0.0, 0.0, 0
    for k in range(len(ids)):
        label = int(y[ids[k]])
        c = counts[0, label] + 1
        counts[0, label] = c
        n += 1
        if rule.score == SQUARES:
            squares += 2 * c - 1
            costs[n] += n - squares / n
        elif rule.score == MAJORITY:
            largest = max(largest, c)
            costs[n] += n - largest
        elif np.log2(n) > rule.most_bits:
            costs[n] += cost(counts, n_classes, rule.score, rule.most_bits)
        else:
            logs += c * np.log2(c) - (c - 1) * np.log2(max(c - 1, 1.0))
            costs[n] += n * np.log2(n) - logs
