"""Random trees with two children at every node: completely random splits (extremely random trees).

As `dplit.trees.random`, but the levels that the path has left of a categorical column are split by a uniform
choice among all ways to split them in two, and the column stays open.
"""

import numpy as np
from numba import njit

from dplit.domain import Domain
from dplit.trees.arrays import LEAF, Trees
from dplit.trees.nodes import LEAVES, NEEDS_NODES, NEEDS_STEPS, NODES, STEPS, WAITING, Room, Size, grow, push
from dplit.trees.paths import Path, columns_open, level_starts, narrow, split_depth


def grow_random_binary_trees(domain: Domain, n_trees: int, max_depth: int, *, rng: np.random.Generator) -> Trees:
    """Grow a forest of completely random binary trees; too many nodes are a ValueError."""
    size = Size(max_depth, n_trees)
    size.check_binary(domain)
    trees = [_one_tree(domain, size, stream) for stream in rng.spawn(n_trees)]
    return Trees.join([tree[:5] for tree in trees], domain.n_levels.max())


def _one_tree(domain, size, rng):
    starts = level_starts(domain.n_levels)
    depth = split_depth(size.max_depth, domain.n_levels)
    room = Room.of(2 ** min(depth + 1, 12), depth, 2, domain.n_levels.max())
    path = Path.of(domain.bounds, np.ones(starts[-1], dtype=np.bool_), depth)
    found = np.empty(len(domain), dtype=np.int64)
    return grow(_grow, room, size, path, starts, size.max_depth, found, rng)


@njit(cache=True, nogil=True)
def _grow(room, path, level_starts, max_depth, found, rng):
    """One tree, leaves numbered in order: see `dplit.trees.nodes`."""
    feature, threshold, child, side, steps, _, stack, at = room
    n_nodes, n_leaves, waiting, n_steps = at[NODES], at[LEAVES], at[WAITING], at[STEPS]
    last_node, last_step = len(feature) - at[NEEDS_NODES], len(steps) - at[NEEDS_STEPS]
    while waiting > 0 and n_nodes <= last_node and n_steps <= last_step:
        waiting -= 1
        node, depth, parent = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        n_open = 0
        if depth < max_depth:
            if parent >= 0:
                narrow(path, depth, feature[parent], threshold[parent], side[parent], steps,
                       node - child[parent], level_starts)  # fmt: skip
            n_open = columns_open(path, depth, level_starts, found)
        if n_open == 0:
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            n_leaves += 1
            continue

        j = found[int(rng.random() * n_open)]
        feature[node], threshold[node], child[node] = j, np.nan, n_nodes
        n_levels = level_starts[j + 1] - level_starts[j]
        if n_levels == 0:
            threshold[node] = between(path.low[depth, j], path.high[depth, j], rng)
        else:
            levels = path.left[depth, level_starts[j] : level_starts[j + 1]]
            _split_levels(levels, steps[n_steps : n_steps + n_levels], rng)
            side[node] = n_steps
            n_steps += n_levels
        for step in (1, 0):
            waiting = push(stack, waiting, n_nodes + step, depth + 1, node, 0, 0)
        n_nodes += 2
    at[NODES], at[LEAVES], at[WAITING], at[STEPS] = n_nodes, n_leaves, waiting, n_steps


@njit(cache=True, nogil=True)
def between(a, b, rng):
    """A uniform point of [a, b), or their common value."""
    cut = a + rng.random() * (b - a)
    return a if cut >= b else cut


@njit(cache=True, nogil=True)
def _split_levels(allowed, steps, rng):
    """Write the step of each level: a uniform split of the allowed ones in two; the others go right."""
    n_allowed, n_left = 0, 0
    for level in range(len(allowed)):
        n_allowed += allowed[level]
    while n_left == 0 or n_left == n_allowed:
        n_left = 0
        for level in range(len(allowed)):
            steps[level] = 0 if allowed[level] and rng.random() < 0.5 else 1
            n_left += 1 - steps[level]
