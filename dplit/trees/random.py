"""Random trees over the public domain (RDF, algorithm 2).

No record is read: the trees are random variables of their own, and cost nothing. At each node a
column is drawn uniformly from those still available. A continuous one is cut at a uniform point of
what the path has left of its interval, and stays available; a categorical one gets a child for each
level and is used up on the path. A path ends at `max_depth`, or when no column is left.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dplit.trees.arrays import LEAF, Trees
from dplit.trees.nodes import LEAVES, NEEDS_NODES, NODES, WAITING, Room, Size, each, grow, push
from dplit.trees.paths import Path, columns_left, descend


def grow_random_trees(domain, n_trees, max_depth, *, rng, n_jobs=None):
    """Grow a forest of random trees.

    Parameters
    ----------
    domain : Domain
    n_trees, max_depth : int
    rng : numpy.random.Generator
        Each tree draws from a stream of its own, spawned from it: `n_jobs` changes nothing.
    n_jobs : int or None
        Threads, as in joblib.

    Returns
    -------
    Trees

    Raises
    ------
    ValueError
        If the forest would have more nodes than `dplit.trees.nodes.MAX_NODES`.
    """
    size = Size(max_depth, n_trees)
    depth, doublings = _reachable(domain, max_depth)
    size.check(2 ** (min(max(doublings, 0), 64) + 1) - 1)  # a tree has at least so many
    tasks = [(domain, depth, size, stream) for stream in rng.spawn(n_trees)]
    trees = each(_one_tree, tasks, n_jobs)
    return Trees.join([tree[:3] for tree in trees], domain.n_levels.max())


def _reachable(domain, max_depth):
    """Tests on every path, and how many of them at least double the number of paths.

    A categorical column is used up by its test, so without a continuous one a path ends after all
    columns. A test of a column with a single level does not double.
    """
    depth = max_depth if domain.n_continuous else min(max_depth, len(domain))
    return depth, depth - int(np.count_nonzero(domain.n_levels == 1))


def _one_tree(domain, depth, size, rng):
    levels = domain.n_levels
    room = Room.of(2 ** min(depth + 1, 10), depth, max(levels.max(), 2))
    path = Path.of(domain.bounds, np.ones(len(levels), dtype=np.bool_), depth)
    found = np.empty(len(levels), dtype=np.int64)
    return grow(_grow, room, size, path, levels, depth, found, rng)


@njit(cache=True, nogil=True)
def _grow(room, path, n_levels, max_depth, found, rng):
    """One tree, leaves numbered in order: see `dplit.trees.nodes`."""
    feature, threshold, child, _, _, _, stack, at = room
    n_nodes, n_leaves, waiting = at[NODES], at[LEAVES], at[WAITING]
    while waiting > 0 and n_nodes + at[NEEDS_NODES] <= len(feature):
        waiting -= 1
        node, depth, parent = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        available = 0
        if depth < max_depth:
            if parent >= 0:
                descend(path, depth, feature[parent], threshold[parent], node == child[parent])
            available = columns_left(path, depth, found)
        if available == 0:
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            n_leaves += 1
            continue

        j = found[int(rng.random() * available)]
        arity, cut = n_levels[j], np.nan
        if arity == 0:
            low, high = path.low[depth, j], path.high[depth, j]
            arity, cut = 2, low + rng.random() * (high - low)
        feature[node], threshold[node], child[node] = j, cut, n_nodes
        for step in range(arity - 1, -1, -1):
            waiting = push(stack, waiting, n_nodes + step, depth + 1, node, 0, 0)
        n_nodes += arity
    at[NODES], at[LEAVES], at[WAITING] = n_nodes, n_leaves, waiting
