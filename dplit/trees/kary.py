r"""Greedy trees with a child for each level of a categorical column (Friedman and Schuster's shape).

At each node some columns are drawn from those that the path has not used, each is scored by what
its levels explain, and one is chosen by the exponential mechanism. Nothing else that shapes a tree
reads a record: a path ends at `max_depth`, or when its columns are used up; only where `Rule` asks
for it, also where the released class counts of a node look pure.

Scores are costs with a minus sign. With :math:`n_j` records in child j and :math:`c_{jk}` of class k:

==============  =====================================================================
`SQUARES`       :math:`\sum_j (n_j - \sum_k c_{jk}^2/n_j)`, the children's Gini indices times
                their sizes; for a regression the sum of squared deviations
`LOCAL_GINI`    the same times :math:`((n+1)/n)^2`, n the node's own number of records
`ENTROPY`       :math:`\sum_j \sum_k c_{jk} \log_2 (n_j/c_{jk})`
`MAJORITY`      :math:`\sum_j (n_j - \max_k c_{jk})`
==============  =====================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from dplit.trees.arrays import LEAF, Trees
from dplit.trees.cuts import add
from dplit.trees.random import MAX_NODES, _resized, each

SQUARES, LOCAL_GINI, ENTROPY, MAJORITY = range(4)


class Rule(NamedTuple):
    """How a node's column is chosen.

    Attributes
    ----------
    max_depth, max_features : int
    score : int
        `SQUARES`, `LOCAL_GINI`, `ENTROPY` or `MAJORITY`; a regression knows `SQUARES` only.
    rate : float
        Weight of a unit of score; infinite: the best column.
    count_scale : float
        Scale of the Laplace noise on the class counts by which a node is found pure; 0: no such test.
    """

    max_depth: int
    max_features: int
    score: int
    rate: float
    count_scale: float


def grow_kary_trees(codes, arity, y, n_classes, parts, rule, *, rng, n_jobs=None):
    """Grow a forest on private records.

    Parameters
    ----------
    codes : int32 array, shape (n_features, n_records)
        Level of each record, a row for each column.
    arity : int array, shape (n_features,)
        Levels of each column; a column with one level is never tested.
    y : float64 array, shape (n_records,)
        Targets in [0, 1], or codes of classes.
    n_classes : int
        0 for a regression.
    parts : list of int arrays
        For each tree the positions of its records; a position may occur several times.
    rule : Rule
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
    arity = np.asarray(arity, dtype=np.int64)
    tasks = [(codes, arity, y, n_classes, np.array(part, dtype=np.int32), rule, limit, r)
             for part, r in zip(parts, rng.spawn(len(parts)))]  # fmt: skip
    grown = each(_grow, tasks, n_jobs)
    if any(len(tree[0]) == 0 for tree in grown):
        raise ValueError(
            f"max_depth={rule.max_depth} with n_estimators={len(parts)} needs more than "
            f"{MAX_NODES:,} nodes on this domain: choose fewer or shallower trees, or fewer bins"
        )
    trees = Trees.join([tree[:3] for tree in grown], arity.max())
    return trees, np.concatenate([tree[3] for tree in grown])


@njit(cache=True, nogil=True)
def _grow(codes, arity, y, n_classes, ids, rule, limit, rng):
    """One tree as (feature, threshold, child, stats); empty beyond `limit`. Depth first.

    Row d of `used` describes the node of depth d on the current path. A node's records are a
    stretch, start to end, of `ids`.
    """
    n_features, n_records = len(arity), len(ids)
    used = np.zeros((min(rule.max_depth, n_features) + 1, n_features), dtype=np.bool_)
    used[0] = arity < 2
    table = np.zeros((arity.max(), max(n_classes, 2)))
    spare, starts = np.empty(n_records, np.int32), np.empty(arity.max() + 1, np.int64)
    unused = np.empty(n_features, dtype=np.int64)

    capacity = 1024
    feature, child = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    stats, n_leaves = np.zeros((capacity, max(n_classes, 2))), 0
    stack = [(0, 0, -1, 0, n_records)]  # node, depth, column of the parent, start, end
    n_nodes = 1

    while len(stack) > 0:
        node, depth, tested, start, end = stack.pop()
        if depth > 0:
            used[depth] = used[depth - 1]
            used[depth, tested] = True
        n_unused = 0
        if depth < rule.max_depth:
            for j in range(n_features):
                if not used[depth, j]:
                    unused[n_unused] = j
                    n_unused += 1
        here = ids[start:end]
        if n_unused > 0 and rule.count_scale > 0:
            if _looks_pure(here, y, n_classes, rule.count_scale, rng):
                n_unused = 0
        if n_unused == 0:
            if n_leaves == len(stats):
                stats = _taller(stats)
            for i in here:
                add(stats[n_leaves], y[i], n_classes)
            feature[node], child[node] = LEAF, n_leaves
            n_leaves += 1
            continue

        j = _choose(codes, arity, here, y, n_classes, unused[:n_unused], rule, table, rng)
        if n_nodes + arity[j] > limit:
            return feature[:0], np.empty(0), child[:0], stats[:0]
        if n_nodes + arity[j] > len(feature):
            more = 2 * len(feature) + arity[j]
            feature, child = _resized(feature, more), _resized(child, more)
        feature[node], child[node] = j, n_nodes
        _sort_by_level(here, codes[j], arity[j], starts, spare)
        for level in range(arity[j] - 1, -1, -1):
            stack.append(
                (n_nodes + level, depth + 1, j, start + starts[level], start + starts[level + 1])
            )
        n_nodes += arity[j]

    return (feature[:n_nodes].copy(), np.full(n_nodes, np.nan), child[:n_nodes].copy(),
            stats[:n_leaves].copy())  # fmt: skip


@njit(cache=True, nogil=True)
def _taller(stats):
    taller = np.zeros((2 * len(stats), stats.shape[1]))
    taller[: len(stats)] = stats
    return taller


@njit(cache=True, nogil=True)
def _looks_pure(ids, y, n_classes, scale, rng):
    """Whether at most one noisy class count is above 0."""
    counts, positive = np.zeros(n_classes), 0
    for i in ids:
        counts[int(y[i])] += 1
    for k in range(n_classes):
        noise = scale * (rng.standard_exponential() - rng.standard_exponential())
        positive += counts[k] + noise > 0
    return positive <= 1


@njit(cache=True, nogil=True)
def _choose(codes, arity, ids, y, n_classes, candidates, rule, table, rng):
    """A column, drawn from some of `candidates` by the exponential mechanism (Gumbel noise)."""
    count = min(rule.max_features, len(candidates))
    scores = np.empty(count)
    for k in range(count):
        swap = k + int(rng.random() * (len(candidates) - k))
        candidates[k], candidates[swap] = candidates[swap], candidates[k]
        j = candidates[k]
        table[: arity[j]] = 0.0
        for i in ids:
            add(table[codes[j, i]], y[i], n_classes)
        scores[k] = -cost(table[: arity[j]], n_classes, rule.score)
    if count == 1:
        return candidates[0]
    n = len(ids)
    rate = rule.rate * ((n + 1) / n) ** 2 if rule.score == LOCAL_GINI and n > 0 else rule.rate
    return candidates[pick(scores, rate, rng)]


@njit(cache=True, nogil=True)
def pick(scores, rate, rng):
    """A position by the exponential mechanism (Gumbel noise); an infinite rate picks the largest."""
    top, chosen, best = scores.max(), 0, -np.inf
    for k in range(len(scores)):
        gap = scores[k] - top
        noisy = (gap * rate if gap < 0 else 0.0) - np.log(rng.standard_exponential())
        if noisy > best:
            chosen, best = k, noisy
    return chosen


@njit(cache=True, nogil=True)
def cost(table, n_classes, score, most_bits=np.inf):
    """What the children leave unexplained; a row of `table` is a child's (count, sum) or class counts.

    Of `ENTROPY` no record counts more than `most_bits`, which bounds what one more can add.

    A regression leaves out the sum of the squared targets, which all columns share; likewise
    `LOCAL_GINI` its factor.
    """
    total = 0.0
    for child in table:
        if n_classes == 0:
            total -= child[1] * child[1] / child[0] if child[0] > 0 else 0.0
            continue
        n = child.sum()
        if n == 0:
            continue
        if score == ENTROPY:
            for c in child:
                total += c * min(np.log2(n / c), most_bits) if c > 0 else 0.0
        elif score == MAJORITY:
            total += n - child.max()
        else:
            total += n - (child * child).sum() / n
    return total


@njit(cache=True, nogil=True)
def _sort_by_level(ids, column, n_levels, starts, spare):
    """Sort records by level, each level's in the order they had; `starts` says where each begins."""
    starts[: n_levels + 1] = 0
    for i in ids:
        starts[column[i] + 1] += 1
    for level in range(n_levels):
        starts[level + 1] += starts[level]
    place = starts[:n_levels].copy()
    for i in ids:
        spare[place[column[i]]] = i
        place[column[i]] += 1
    ids[:] = spare[: len(ids)]
