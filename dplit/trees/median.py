"""Trees whose cuts are private medians (DiPriMe v1, algorithm 1; v2, algorithm 1).

At each node some columns are drawn from those that the path has left open, each gives a candidate
cut, and one is chosen, by a `Rule`. What is public about a column shrinks along a path: a
continuous one keeps the interval between the path's cuts, a categorical one the levels on the
path's side; a column with nothing left to cut is closed. A path ends at `max_depth` or when all
columns are closed. Neither reads a record.

Each continuous column is sorted once a tree, and every split parts the sorted records without
changing their order: n log n for the sorting and n for each level and column.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dplit.trees.arrays import LEAF, Trees
from dplit.trees.cuts import PERMUTE_AND_FLIP, UNIFORM, add, draw_cut, draw_sides
from dplit.trees.random import MAX_NODES, _inherit, _resized, each


def grow_median_trees(domain, X, y, n_classes, parts, rule, *, rng, n_jobs=None):
    """Grow a forest on private records.

    Parameters
    ----------
    domain : Domain
    X : float64 array, shape (n_records, n_features)
        As `Domain.encode` gives it.
    y : float64 array, shape (n_records,)
        Targets in [0, 1], or codes of classes.
    n_classes : int
        0 for a regression.
    parts : list
        For each tree the positions of its records, or None for all.
    rule : dplit.trees.cuts.Rule
    rng : numpy.random.Generator
        Each tree draws from a stream of its own, spawned from it: `n_jobs` changes nothing.
    n_jobs : int or None
        Threads, as in joblib.

    Returns
    -------
    trees : Trees
    stats : float64 array, shape (n_leaves, max(2, n_classes))
        Count and sum of targets of each leaf, or its counts of classes. Private.

    Raises
    ------
    ValueError
        If the forest would have more than `MAX_NODES` nodes.
    """
    limit = MAX_NODES // len(parts)
    levels = domain.n_levels
    never_closed = domain.bounds[:, 0] < domain.bounds[:, 1]
    if never_closed.any() and 2 ** (min(rule.max_depth, 64) + 1) - 1 > limit:
        raise _too_large(rule, len(parts))
    shared = None if any(part is not None for part in parts) else _sorted(X, levels)
    tasks = [(X, y, n_classes, domain, part, shared, rule, limit, r)
             for part, r in zip(parts, rng.spawn(len(parts)))]  # fmt: skip
    grown = each(_one_tree, tasks, n_jobs)
    if any(len(tree[0]) == 0 for tree in grown):
        raise _too_large(rule, len(parts))
    trees = Trees.join([tree[:5] for tree in grown], levels.max())
    return trees, np.concatenate([tree[5] for tree in grown])


def _too_large(rule, n_trees):
    return ValueError(
        f"max_depth={rule.max_depth} with n_estimators={n_trees} needs more than {MAX_NODES:,} "
        "nodes on this domain: choose fewer or shallower trees"
    )


def _one_tree(X, y, n_classes, domain, part, shared, rule, limit, rng):
    columns, order = shared or _sorted(X[part], domain.n_levels)
    y = y if part is None else y[part]
    starts = np.concatenate([[0], np.cumsum(domain.n_levels)])
    schema = (domain.bounds, domain.n_levels, starts)
    return _grow(
        columns, order.copy() if shared else order, y, n_classes, *schema, rule, limit, rng
    )


def _sorted(X, n_levels):
    """Columns as rows, and the records in the order of each continuous one (or one row as they are)."""
    columns = np.ascontiguousarray(X.T)
    continuous = np.flatnonzero(n_levels == 0)
    order = np.empty((max(len(continuous), 1), len(X)), dtype=np.int32)
    order[0] = np.arange(len(X))
    for row, j in enumerate(continuous):
        order[row] = np.argsort(columns[j])
    return columns, order


@njit(cache=True, nogil=True)
def _grow(columns, order, y, n_classes, bounds, n_levels, level_starts, rule, limit, rng):
    """One tree as (feature, threshold, child, side, steps, stats); empty beyond `limit`.

    Depth first. Row d of `low`, `high` and `allowed` describes the node of depth d on the current
    path. A node's records are the same stretch, start to end, of every row of `order`.
    """
    n_features, n_records = columns.shape
    row_of = np.cumsum(n_levels == 0) - 1
    depth_rows = min(rule.max_depth, 64 + n_levels.sum()) + 1
    low, high = np.empty((depth_rows, n_features)), np.empty((depth_rows, n_features))
    allowed = np.ones((depth_rows, level_starts[-1]), dtype=np.bool_)
    low[0], high[0] = bounds[:, 0], bounds[:, 1]
    closed = np.zeros((depth_rows, n_features), dtype=np.bool_)
    open_columns = np.empty(n_features, dtype=np.int64)
    buffers = (np.empty(n_records + 2), np.empty(n_records + 2))
    goes_right, spare = np.empty(n_records, np.bool_), np.empty(n_records, np.int32)
    sides = np.empty((n_features, n_levels.max() + 1), dtype=np.int32)

    capacity = 2 ** min(rule.max_depth + 1, 12)
    feature, child = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    threshold, side = np.empty(capacity), np.zeros(capacity, np.int32)
    steps, n_steps = np.empty(0, np.int32), 0
    stats, n_leaves = np.zeros((capacity, max(n_classes, 2))), 0
    stack = [(0, 0, -1, 0, n_records)]  # node, depth, parent, start, end
    n_nodes = 1

    while len(stack) > 0:
        node, depth, parent, start, end = stack.pop()
        n_open = 0
        if depth < rule.max_depth:
            if parent >= 0:
                _inherit(low, high, closed, depth)
                allowed[depth] = allowed[depth - 1]
                _narrow(feature[parent], threshold[parent], steps[side[parent] :], node - child[parent],
                        low[depth], high[depth], allowed[depth], n_levels, level_starts)  # fmt: skip
            n_open = _open(
                low[depth], high[depth], allowed[depth], n_levels, level_starts, open_columns
            )
        if n_open == 0:
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            for i in order[0, start:end]:
                add(stats[n_leaves], y[i], n_classes)
            n_leaves += 1
            continue

        j, cut = _choose(columns, order[:, start:end], row_of, y, n_classes, open_columns[:n_open],
                         low[depth], high[depth], allowed[depth], n_levels, level_starts, rule, rng,
                         buffers, sides)  # fmt: skip
        if n_nodes + 2 > limit:
            return feature[:0], threshold[:0], child[:0], side[:0], steps, stats[:0]
        if n_nodes + 2 > len(feature):
            more = 2 * len(feature)
            feature, child, side = (
                _resized(feature, more),
                _resized(child, more),
                _resized(side, more),
            )
            threshold = _resized(threshold, more)
            longer = np.zeros((more, stats.shape[1]))
            longer[: len(stats)] = stats
            stats = longer
        feature[node], threshold[node], child[node], side[node] = j, cut, n_nodes, 0
        if n_levels[j] > 0:
            if n_steps + n_levels[j] > len(steps):
                steps = _resized(steps, 2 * len(steps) + n_levels[j])
            steps[n_steps : n_steps + n_levels[j]] = sides[j, : n_levels[j]]
            side[node] = n_steps
            n_steps += n_levels[j]
        for i in order[0, start:end]:
            value = columns[j, i]
            goes_right[i] = value > cut if n_levels[j] == 0 else sides[j, int(value)] == 1
        middle = start
        if depth + 1 < rule.max_depth:
            for row in range(len(order)):
                middle = start + _part(order[row, start:end], goes_right, spare)
        else:
            middle = start + _part(order[0, start:end], goes_right, spare)
        stack.append((n_nodes + 1, depth + 1, node, middle, end))
        stack.append((n_nodes, depth + 1, node, start, middle))
        n_nodes += 2

    return (feature[:n_nodes].copy(), threshold[:n_nodes].copy(), child[:n_nodes].copy(),
            side[:n_nodes].copy(), steps[:n_steps].copy(), stats[:n_leaves].copy())  # fmt: skip


@njit(cache=True, nogil=True)
def _narrow(j, cut, steps, step, low, high, allowed, n_levels, level_starts):
    """Apply the parent's cut to what the path has left of its column."""
    if n_levels[j] == 0:
        if step == 0:
            high[j] = cut
        else:
            low[j] = cut
    else:
        for level in range(n_levels[j]):
            if steps[level] != step:
                allowed[level_starts[j] + level] = False


@njit(cache=True, nogil=True)
def _open(low, high, allowed, n_levels, level_starts, found):
    """Write the columns that can still be cut to `found`; how many there are."""
    n = 0
    for j in range(len(n_levels)):
        levels = allowed[level_starts[j] : level_starts[j + 1]]
        if (low[j] < high[j]) if n_levels[j] == 0 else levels.sum() > 1:
            found[n] = j
            n += 1
    return n


@njit(cache=True, nogil=True)
def _choose(columns, order, row_of, y, n_classes, candidates, low, high, allowed, n_levels,
            level_starts, rule, rng, buffers, sides):  # fmt: skip
    """A column and, where it is continuous, its cut; the steps of levels are left in `sides`."""
    count = 1 if rule.choice == UNIFORM else min(rule.max_features, len(candidates))
    cuts, scores = np.full(count, np.nan), np.empty(count)
    for k in range(count):
        swap = k + int(rng.random() * (len(candidates) - k))
        candidates[k], candidates[swap] = candidates[swap], candidates[k]
        j = candidates[k]
        if n_levels[j] == 0:
            cuts[k], scores[k] = draw_cut(columns[j], order[row_of[j]], y, n_classes,
                                          low[j], high[j], rule, rng, buffers)  # fmt: skip
        else:
            levels = allowed[level_starts[j] : level_starts[j + 1]]
            scores[k] = draw_sides(columns[j], order[0], y, n_classes, levels, rule, rng,
                                   sides[j, : n_levels[j]])  # fmt: skip
    if count == 1:
        return candidates[0], cuts[0]
    scores -= scores.max()
    if not rule.joint:
        for k in range(count):
            scores[k] = scores[k] * rule.gain_rate if scores[k] < 0 else 0.0
    chosen, best = 0, -np.inf
    for k in range(count):
        if rule.choice == PERMUTE_AND_FLIP:
            noisy = scores[k] + rng.standard_exponential()
        else:
            noisy = scores[k] - np.log(rng.standard_exponential())
        if noisy > best:
            chosen, best = k, noisy
    return candidates[chosen], cuts[chosen]


@njit(cache=True, nogil=True)
def _part(ids, goes_right, spare):
    """Move the records that go left to the front, both sides keeping their order; how many."""
    n_left = n_right = 0
    for i in ids:
        if goes_right[i]:
            spare[n_right] = i
            n_right += 1
        else:
            ids[n_left] = i
            n_left += 1
    ids[n_left:] = spare[:n_right]
    return n_left
