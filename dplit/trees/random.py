"""Random trees over the public domain (RDF, algorithm 2).

No record is read: the trees are random variables of their own, and cost nothing. At each node a
column is drawn uniformly from those still available. A continuous one is cut at a uniform point of
what the path has left of its interval, and stays available; a categorical one gets a child for each
level and is used up on the path. A path ends at `max_depth`, or when no column is left.
"""

from __future__ import annotations

import numpy as np
from joblib import Parallel, delayed
from numba import njit

from dplit.trees.arrays import LEAF, Trees

MAX_NODES = 100_000_000  # of a forest: about 2 GB


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
        If the forest would have more than `MAX_NODES` nodes.
    """
    limit = MAX_NODES // n_trees
    too_large = ValueError(
        f"max_depth={max_depth} with n_estimators={n_trees} needs more than {MAX_NODES:,} nodes "
        "on this domain: choose fewer or shallower trees"
    )
    depth, doublings = _reachable(domain, max_depth)
    if limit == 0 or doublings + 1 >= (limit + 1).bit_length():
        raise too_large  # before any tree grows: it has at least 2**(doublings + 1) - 1 nodes
    arguments = (domain.bounds, domain.n_levels, depth, limit)
    streams = rng.spawn(n_trees)
    if n_jobs is None or n_jobs == 1:
        trees = []
        while streams and all(len(feature) for feature, _, _ in trees[-1:]):
            trees.append(_grow(*arguments, streams.pop(0)))
    else:
        tasks = (delayed(_grow)(*arguments, stream) for stream in streams)
        trees = Parallel(n_jobs=n_jobs, require="sharedmem")(tasks)
    if any(len(feature) == 0 for feature, _, _ in trees):
        raise too_large
    return Trees.join(trees, domain.n_levels.max())


def each(grow, tasks, n_jobs):
    """``grow(*task)`` of every task, in order, in as many threads as joblib makes of `n_jobs`."""
    if n_jobs is None or n_jobs == 1:
        return [grow(*task) for task in tasks]
    return Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(grow)(*task) for task in tasks)


def _reachable(domain, max_depth):
    """Tests on every path, and how many of them at least double the number of paths.

    A categorical column is used up by its test, so without a continuous one a path ends after all
    columns. A test of a column with a single level does not double.
    """
    depth = max_depth if domain.n_continuous else min(max_depth, len(domain))
    return depth, depth - int(np.count_nonzero(domain.n_levels == 1))


@njit(cache=True, nogil=True)
def _grow(bounds, n_levels, max_depth, limit, rng):
    """One tree as (feature, threshold, child), leaves numbered in order; empty beyond `limit`.

    Depth first. Row d of `low`, `high` and `used` describes the node of depth d on the current
    path; a child copies its parent's row, which no deeper node overwrites.
    """
    n_features = len(n_levels)
    low = np.empty((max_depth + 1, n_features))
    high = np.empty((max_depth + 1, n_features))
    used = np.zeros((max_depth + 1, n_features), dtype=np.bool_)
    low[0], high[0] = bounds[:, 0], bounds[:, 1]

    capacity = 2 ** min(max_depth + 1, 10)
    feature = np.empty(capacity, dtype=np.int32)
    threshold = np.empty(capacity)
    child = np.empty(capacity, dtype=np.int32)
    stack = [(0, 0, -1)]  # node, depth, parent
    n_nodes, n_leaves = 1, 0

    while len(stack) > 0:
        node, depth, parent = stack.pop()
        available = 0
        if depth < max_depth:
            if parent >= 0:
                first = node == child[parent]
                _descend(low, high, used, depth, feature[parent], threshold[parent], first)
            available = n_features - used[depth].sum()
        if available == 0:
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            n_leaves += 1
            continue

        j = _nth_unused(used[depth], int(rng.random() * available))
        if n_levels[j] > 0:
            arity, cut = n_levels[j], np.nan
        else:
            arity = 2
            cut = low[depth, j] + rng.random() * (high[depth, j] - low[depth, j])
        if n_nodes + arity > limit:
            return feature[:0], threshold[:0], child[:0]
        if n_nodes + arity > len(feature):
            more = 2 * len(feature) + arity
            feature, threshold, child = (
                _resized(feature, more),
                _resized(threshold, more),
                _resized(child, more),
            )
        feature[node], threshold[node], child[node] = j, cut, n_nodes
        for step in range(arity - 1, -1, -1):
            stack.append((n_nodes + step, depth + 1, node))
        n_nodes += arity

    return feature[:n_nodes].copy(), threshold[:n_nodes].copy(), child[:n_nodes].copy()


@njit(cache=True, nogil=True)
def _descend(low, high, used, depth, j, cut, first):
    """What a path has left below a test of column `j`: at a level, or at the `first` side of a cut."""
    _inherit(low, high, used, depth)
    if cut != cut:  # no number: the column is categorical
        used[depth, j] = True
    elif first:
        high[depth, j] = cut
    else:
        low[depth, j] = cut


@njit(cache=True, nogil=True)
def _inherit(low, high, used, depth):
    """Copy the parent's row of each table to the child's."""
    for j in range(low.shape[1]):
        low[depth, j] = low[depth - 1, j]
        high[depth, j] = high[depth - 1, j]
        used[depth, j] = used[depth - 1, j]


@njit(cache=True, nogil=True)
def _nth_unused(used, n):
    """Position of the n-th False of `used`."""
    for j in range(len(used)):
        if not used[j]:
            if n == 0:
                return j
            n -= 1
    return -1


@njit(cache=True, nogil=True)
def _resized(array, length):
    longer = np.empty(length, dtype=array.dtype)
    longer[: len(array)] = array
    return longer
