"""Random trees too large to store: only the nodes that some record reaches are drawn.

Where the records end has the same distribution as in `dplit.trees.grow_random_trees`
(:doc:`/book/random_forest_experiments`). Such a tree must not leave the fit: which nodes are drawn says where
records are, and no epsilon is finite. What is asked of it may: an undrawn label is a uniform class.
"""

import numpy as np
from numba import njit

from dplit.domain import Domain
from dplit.ground.errors import check_integer, check_rng
from dplit.trees.paths import Path, columns_left, descend


def reach_random_leaves(
    domain: Domain, max_depth: int, records: np.ndarray, *, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Leaf of each record in one random tree, of which no more is drawn than they reach.

    Records are as `Domain.encode` gives them; reached leaves are numbered from 0, int64. Beside them the leaves
    of the whole tree: those reached, and the expected number below nodes that are not.
    """
    depth = check_integer(max_depth, "max_depth", 0)
    records = np.ascontiguousarray(records, dtype=np.float64)
    if records.ndim != 2 or records.shape[1] != len(domain):
        raise ValueError(f"records must have shape (n_records, {len(domain)}), got {np.shape(records)}")
    path = Path.of(domain.bounds, np.ones(len(domain), dtype=np.bool_), depth)
    return _reach(path, domain.n_levels, depth, records, check_rng(rng))


def expected_leaves(domain: Domain, max_depth: int) -> float:
    r"""Expected number of leaves of a random tree.

    With :math:`j` of :math:`r` categorical columns on a path, all sets of :math:`j` are equally
    likely, so it is :math:`\sum_j P_j\, e_j(k_1, \dots, k_r) / \binom{r}{j}`: elementary symmetric
    polynomials of the numbers of levels, and :math:`P_j` with a factor 2 for each continuous test.
    """
    depth = check_integer(max_depth, "max_depth", 0)
    return _expected(domain.n_levels, np.ones(len(domain), dtype=np.bool_), depth)


@njit(cache=True, nogil=True)
def _expected(n_levels, left, depth):
    """Expected leaves below a node with `depth` levels to go and some columns `left`."""
    levels, continuous = 0, 0
    for j in range(len(n_levels)):
        if n_levels[j] == 0:
            continuous += 1
        elif left[j]:
            levels += 1
    means = np.zeros(levels + 1)  # of the product of j levels, over all sets of j
    means[0] = 1.0
    seen = 0
    for i in range(len(n_levels)):
        if n_levels[i] > 0 and left[i]:
            seen += 1
            for j in range(seen, 0, -1):  # mean over sets of j of `seen`: with i, and without
                means[j] = means[j] * (seen - j) / seen + means[j - 1] * n_levels[i] * j / seen
    weights = np.zeros(levels + 1)
    weights[0] = 1.0
    for _ in range(depth):
        for j in range(levels, -1, -1):
            columns = levels - j + continuous
            stays = weights[j] * 2.0 * continuous / columns if columns else weights[j]
            arrives = 0.0
            if j:
                arrives = weights[j - 1] * (levels - j + 1.0) / (columns + 1.0)
            weights[j] = stays + arrives
    return (weights * means).sum()


@njit(cache=True, nogil=True)
def _reach(path, n_levels, max_depth, X, rng):
    """Depth first over the reached nodes."""
    n, m = X.shape
    found = np.empty(m, dtype=np.int64)
    feature, cut = np.full(max_depth + 1, -1), np.empty(max_depth + 1)
    order, moved = np.arange(n), np.empty(n, dtype=np.int64)
    ends = np.zeros(max(2, n_levels.max()) + 1, dtype=np.int64)
    leaves, n_leaves, hidden = np.empty(n, dtype=np.int64), 0, 0.0
    stack = [(0, n, 0, 0)]  # records order[start:stop], depth, step from the parent

    while len(stack) > 0:
        start, stop, depth, step = stack.pop()
        if depth > 0:
            descend(path, depth, feature[depth - 1], cut[depth - 1], step == 0)
        available = columns_left(path, depth, found) if depth < max_depth else 0
        if available == 0:
            leaves[order[start:stop]] = n_leaves
            n_leaves += 1
            continue

        j = found[int(rng.random() * available)]
        feature[depth], arity = j, n_levels[j] if n_levels[j] > 0 else 2
        low, high = path.low[depth, j], path.high[depth, j]
        point = low + rng.random() * (high - low)
        cut[depth] = np.nan if n_levels[j] > 0 else point
        ends[: arity + 1] = 0
        for i in order[start:stop]:
            ends[_step(X[i, j], cut[depth], n_levels[j]) + 1] += 1
        ends[0] = start
        for s in range(arity):
            ends[s + 1] += ends[s]
        empty = 0
        for s in range(arity):
            if ends[s + 1] > ends[s]:
                stack.append((ends[s], ends[s + 1], depth + 1, s))
            else:
                empty += 1
        if empty:
            descend(path, depth + 1, j, cut[depth], True)
            hidden += empty * _expected(n_levels, path.left[depth + 1], max_depth - depth - 1)
        for i in order[start:stop]:
            s = _step(X[i, j], cut[depth], n_levels[j])
            moved[ends[s]] = i
            ends[s] += 1
        order[start:stop] = moved[start:stop]
    return leaves, n_leaves + hidden


@njit(cache=True, nogil=True, inline="always")
def _step(value, cut, n_levels):
    """The child that a record goes to."""
    return int(value) if n_levels > 0 else int(value > cut)
