"""Small forests for the tests, and their matrices made by routing every cell."""

import numpy as np

from dplit import Categorical, Domain, matrix, trees


def grown(levels, n_trees, depth, seed):
    domain = Domain([Categorical(range(n)) for n in levels])
    return trees.grow_random_trees(domain, n_trees, depth, rng=np.random.default_rng(seed))


def routed(found, codes):
    """Which leaves each record reaches, shape (n_records, n_leaves)."""
    reached = trees.apply(found, np.asarray(codes, dtype=float)) + found.leaf_starts[:-1]
    rows = np.zeros((len(codes), found.n_leaves))
    np.put_along_axis(rows, reached, 1, axis=1)
    return rows


def records(levels, n, seed):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(0, k, n) for k in levels])


def small(seed):
    """(levels, T with all copies, workload of leaves, Q T' T, workload of votes) of a random forest."""
    rng = np.random.default_rng(seed)
    levels = tuple(rng.integers(2, 4, size=rng.integers(2, 5)).tolist())
    depth, tau = int(rng.integers(1, len(levels) + 1)), int(rng.integers(1, 7))
    found = grown(levels, tau, depth, seed)
    T = routed(found, list(np.ndindex(levels))).T
    queries = records(levels, 6, seed)
    paths = matrix.decision_paths(found, levels)
    leaves, votes = matrix.Workload.of(paths), matrix.Workload.of(paths, queries)
    return levels, T, leaves, routed(found, queries) @ T, votes
