"""Random trees with two children at every node: completely random splits (extremely random trees).

No record is read: the trees are random variables of their own, and cost nothing. At each node a
column is drawn uniformly from those that the path has left open. A continuous one is cut at a
uniform point of what the path has left of its interval; the levels that the path has left of a
categorical one are split by a uniform choice among all ways to split them in two. A path ends at
`max_depth`, or when all columns are closed.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dplit.trees.arrays import LEAF, Trees
from dplit.trees.median import _narrow, _open
from dplit.trees.random import MAX_NODES, _inherit, _resized


def grow_random_binary_trees(domain, n_trees, max_depth, *, rng):
    """Grow a forest of completely random binary trees.

    Parameters
    ----------
    domain : Domain
    n_trees, max_depth : int
    rng : numpy.random.Generator
        Each tree draws from a stream of its own, spawned from it.

    Returns
    -------
    Trees

    Raises
    ------
    ValueError
        If the forest would have more than `MAX_NODES` nodes.
    """
    limit = MAX_NODES // n_trees
    levels, bounds = domain.n_levels, domain.bounds
    too_large = ValueError(
        f"max_depth={max_depth} with n_estimators={n_trees} needs more than {MAX_NODES:,} nodes "
        "on this domain: choose fewer or shallower trees"
    )
    endless = (bounds[:, 0] < bounds[:, 1]).any()
    if endless and 2 ** (min(max_depth, 64) + 1) - 1 > limit:
        raise too_large
    starts = np.concatenate([[0], np.cumsum(levels)])
    trees = []
    for stream in rng.spawn(n_trees):
        trees.append(_grow(bounds, levels, starts, max_depth, limit, stream))
        if len(trees[-1][0]) == 0:
            raise too_large
    return Trees.join(trees, levels.max())


@njit(cache=True, nogil=True)
def _grow(bounds, n_levels, level_starts, max_depth, limit, rng):
    """One tree as (feature, threshold, child, side, steps); empty beyond `limit`. Depth first.

    Row d of `low`, `high` and `allowed` describes the node of depth d on the current path.
    """
    n_features = len(n_levels)
    rows = min(max_depth, 64 + n_levels.sum()) + 1
    low, high = np.empty((rows, n_features)), np.empty((rows, n_features))
    low[0], high[0] = bounds[:, 0], bounds[:, 1]
    allowed = np.ones((rows, level_starts[-1]), dtype=np.bool_)
    unread = np.zeros((rows, n_features), dtype=np.bool_)
    columns = np.empty(n_features, dtype=np.int64)

    capacity = 2 ** min(max_depth + 1, 12)
    feature, child = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    threshold, side = np.empty(capacity), np.zeros(capacity, np.int32)
    steps, n_steps = np.empty(0, np.int32), 0
    stack = [(0, 0, -1)]  # node, depth, parent
    n_nodes, n_leaves = 1, 0

    while len(stack) > 0:
        node, depth, parent = stack.pop()
        n_open = 0
        if depth < max_depth:
            if parent >= 0:
                _inherit(low, high, unread, depth)
                allowed[depth] = allowed[depth - 1]
                _narrow(feature[parent], threshold[parent], steps[side[parent] :], node - child[parent],
                        low[depth], high[depth], allowed[depth], n_levels, level_starts)  # fmt: skip
            n_open = _open(low[depth], high[depth], allowed[depth], n_levels, level_starts, columns)
        if n_open == 0:
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            n_leaves += 1
            continue
        if n_nodes + 2 > limit:
            return feature[:0], threshold[:0], child[:0], side[:0], steps
        if n_nodes + 2 > len(feature):
            more = 2 * len(feature)
            feature, child = _resized(feature, more), _resized(child, more)
            threshold, side = _resized(threshold, more), _resized(side, more)
        j = columns[int(rng.random() * n_open)]
        feature[node], threshold[node], child[node], side[node] = j, np.nan, n_nodes, 0
        if n_levels[j] == 0:
            a, b = low[depth, j], high[depth, j]
            cut = a + rng.random() * (b - a)
            threshold[node] = a if cut >= b else cut
        else:
            if n_steps + n_levels[j] > len(steps):
                steps = _resized(steps, 2 * len(steps) + n_levels[j])
            levels = allowed[depth, level_starts[j] : level_starts[j + 1]]
            _split_levels(levels, steps[n_steps : n_steps + n_levels[j]], rng)
            side[node] = n_steps
            n_steps += n_levels[j]
        stack.append((n_nodes + 1, depth + 1, node))
        stack.append((n_nodes, depth + 1, node))
        n_nodes += 2

    return (feature[:n_nodes].copy(), threshold[:n_nodes].copy(), child[:n_nodes].copy(),
            side[:n_nodes].copy(), steps[:n_steps].copy())  # fmt: skip


@njit(cache=True, nogil=True)
def _split_levels(allowed, steps, rng):
    """Write the step of each level: a uniform split of the allowed ones in two; the others go right."""
    n_allowed, n_left = allowed.sum(), 0
    while n_left == 0 or n_left == n_allowed:
        n_left = 0
        for level in range(len(allowed)):
            steps[level] = 0 if allowed[level] and rng.random() < 0.5 else 1
            n_left += 1 - steps[level]
