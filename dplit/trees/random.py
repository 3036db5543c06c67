"""Random trees over the public domain (RDF, algorithm 2), grown without a record: :doc:`/book/random_forest`.

A continuous column is cut at a uniform point of what the path has left of its interval, and stays available; a
categorical one gets a child for each level and is used up on the path.
"""

import numpy as np
from numba import njit

from dplit.domain import Domain
from dplit.ground.work import in_threads
from dplit.trees.arrays import LEAF, Trees
from dplit.trees.nodes import LEAVES, NEEDS_NODES, NODES, WAITING, Room, Size, grow, push


def grow_random_trees(
    domain: Domain, n_trees: int, max_depth: int, *, rng: np.random.Generator, n_jobs: int | None = None
) -> Trees:
    """Grow a forest of random trees; more nodes than `dplit.trees.nodes.MAX_NODES` are a ValueError."""
    size = Size(max_depth, n_trees)
    depth, doublings = _reachable(domain, max_depth)
    size.check(2 ** (min(max(doublings, 0), 64) + 1) - 1)  # a tree has at least so many
    tasks = [(domain, depth, size, stream) for stream in rng.spawn(n_trees)]
    trees = in_threads(_one_tree, tasks, n_jobs)
    return Trees.join([tree[:3] for tree in trees], domain.n_levels.max())


def _reachable(domain, max_depth):
    """Tests on every path, and how many of them at least double the number of paths.

    A column with a single level does not double; without a continuous one a path ends after all columns.
    """
    depth = max_depth if domain.n_continuous else min(max_depth, len(domain))
    return depth, depth - int(np.count_nonzero(domain.n_levels == 1))


def _one_tree(domain, depth, size, rng):
    levels = domain.n_levels
    lower, upper = domain.bounds.T.copy()
    room = Room.of(2 ** min(depth + 1, 10), depth, max(levels.max(), 2))
    above, used = np.empty((2, depth + 1), dtype=np.int64)
    return grow(_grow, room, size, levels, lower, upper, depth, above, used, rng)


@njit(cache=True, nogil=True)
def _grow(room, n_levels, lower, upper, max_depth, above, used, rng):
    """One tree, leaves numbered in order: see `dplit.trees.nodes`.

    What a path has left of the columns is read off its own few tests: a table would be as wide as the domain.
    """
    feature, threshold, child, _, _, _, stack, at = room
    n_nodes, n_leaves, waiting = at[NODES], at[LEAVES], at[WAITING]
    categorical = n_levels.max() > 0
    while waiting > 0 and n_nodes + at[NEEDS_NODES] <= len(feature):
        waiting -= 1
        node, depth = stack[waiting, 0], stack[waiting, 1]
        above[depth] = node
        n_used = _used_up(above, depth, feature, n_levels, used) if categorical else 0
        if depth == max_depth or n_used == len(n_levels):
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            n_leaves += 1
            continue

        j = int(rng.random() * (len(n_levels) - n_used))
        for k in range(n_used):  # the j-th of the columns that are not used up
            j += used[k] <= j
        arity, cut = n_levels[j], np.nan
        if arity == 0:
            low, high = _interval(above, depth, feature, threshold, child, j, lower[j], upper[j])
            arity, cut = 2, low + rng.random() * (high - low)
        feature[node], threshold[node], child[node] = j, cut, n_nodes
        for step in range(arity - 1, -1, -1):
            waiting = push(stack, waiting, n_nodes + step, depth + 1, node, 0, 0)
        n_nodes += arity
    at[NODES], at[LEAVES], at[WAITING] = n_nodes, n_leaves, waiting


@njit(cache=True, nogil=True, inline="always")
def _used_up(above, depth, feature, n_levels, used):
    """Write the categorical columns that the path has tested to `used`, in order; how many there are."""
    n_used = 0
    for d in range(depth):
        j = feature[above[d]]
        if n_levels[j] > 0:
            k = n_used
            while k > 0 and used[k - 1] > j:
                used[k] = used[k - 1]
                k -= 1
            used[k] = j
            n_used += 1
    return n_used


@njit(cache=True, nogil=True, inline="always")
def _interval(above, depth, feature, threshold, child, j, low, high):
    """What the path has left of the interval of a continuous column."""
    for d in range(depth):
        node = above[d]
        if feature[node] == j:
            if above[d + 1] == child[node]:
                high = threshold[node]
            else:
                low = threshold[node]
    return low, high
