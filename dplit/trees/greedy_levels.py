r"""Greedy trees with a child for each level of a categorical column (Friedman and Schuster's shape).

At each node some columns are drawn from those that the path has not used, and one is chosen by the exponential
mechanism. Nothing else that shapes a tree reads a record, unless `Rule` asks whether nodes look pure.

Scores are costs with a minus sign. With :math:`n_j` records in child j and :math:`c_{jk}` of class k:

==============  =====================================================================
`SQUARES`       :math:`\sum_j (n_j - \sum_k c_{jk}^2/n_j)`, the children's Gini indices times
                their sizes; for a regression the sum of squared deviations
`LOCAL_GINI`    the same times :math:`((n+1)/n)^2`, n the node's own number of records
`ENTROPY`       :math:`\sum_j \sum_k c_{jk} \log_2 (n_j/c_{jk})`
`MAJORITY`      :math:`\sum_j (n_j - \max_k c_{jk})`
==============  =====================================================================
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from dplit.mechanisms.exact import exponential
from dplit.mechanisms.secure import is_secure
from dplit.trees.arrays import LEAF, Trees
from dplit.trees.cuts import add, clear, pick
from dplit.trees.exact_cuts import whole_targets
from dplit.trees.exact_rules import ExactScores, exact_scores, refuse_secure
from dplit.trees.exact_scores import score_of, tally
from dplit.trees.nodes import LEAVES, NEEDS_NODES, NODES, WAITING, Room, Size, grow, grow_all, leaf_stats, push
from dplit.trees.paths import Path, columns_left, descend
from dplit.trees.rules import ENTROPY, EXPONENTIAL, LOCAL_GINI, MAJORITY


class Rule(NamedTuple):
    """How a node's column is chosen."""

    max_depth: int
    max_features: int
    score: int  #: `SQUARES`, `LOCAL_GINI`, `ENTROPY` or `MAJORITY`; a regression knows `SQUARES` only.
    rate: float  #: Weight of a unit of score; infinite: the best column.
    #: Scale of the Laplace noise on the class counts by which a node is found pure; 0: no such test.
    count_scale: float


def grow_greedy_level_trees(
    codes: np.ndarray,
    arity: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    parts: list[np.ndarray],
    rule: Rule,
    *,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> tuple[Trees, np.ndarray]:
    """Grow a forest on private records; with the `leaf_stats` of its leaves, which are private.

    From a secure generator columns are chosen exactly, by whole scores (`dplit.trees.exact_scores`).

    `codes`: level of each record, int32, a row for each column. `arity`: levels of each column; a column with one
    level is never tested. `y`: targets in [0, 1], or codes of classes; `n_classes` is 0 for targets. `parts`: for
    each tree the positions of its records; a position may occur several times.

    Raises a ValueError if the forest would have more nodes than `dplit.trees.nodes.MAX_NODES`; or if the generator
    is secure, and the score is `LOCAL_GINI`, nodes are tested for purity, or the rate cannot pay for the rounding.
    """
    if rule.score == LOCAL_GINI or rule.count_scale > 0:
        refuse_secure(rng, "a choice by the local sensitivity, or a test for purity,")
    if is_secure(rng) and not math.isinf(rule.rate):
        rule = exact_scores(rule, n_classes)
    size = Size(rule.max_depth, len(parts), ", or fewer bins")
    arity = np.asarray(arity, dtype=np.int64)
    tasks = [(codes, arity, y, n_classes, part, rule, size, r) for part, r in zip(parts, rng.spawn(len(parts)))]
    return grow_all(_one_tree, tasks, n_jobs, arity.max())


def _one_tree(codes, arity, y, n_classes, part, rule, size, rng):
    ids, most = np.array(part, dtype=np.int32), arity.max()
    y = np.asarray(y, dtype=np.float64)
    depth = min(rule.max_depth, len(arity))
    room = Room.of(1024, depth, most, n_records=len(ids))
    path = Path.of(np.zeros((len(arity), 2)), arity > 1, depth)
    targets, kind = y, np.float64
    if isinstance(rule, ExactScores):
        targets, kind = whole_targets(y, n_classes), np.int64
    found, scores = np.empty(len(arity), dtype=np.int64), np.empty(len(arity), dtype=kind)
    table = np.empty((most, max(n_classes, 2)), dtype=kind)
    sorting = Sorting.of(most, len(ids))
    tree = grow(_grow, room, size, path, codes, arity, targets, n_classes, ids, rule, rng, found, scores,
                table, sorting)  # fmt: skip
    return tree[:3], leaf_stats(ids, tree[5], y, n_classes)


class Sorting(NamedTuple):
    """Room to sort records by level: `starts` of each level, the next `place` in it, a `spare` copy."""

    starts: np.ndarray
    place: np.ndarray
    spare: np.ndarray

    @classmethod
    def of(cls, n_levels, n_records):
        """Room for so many levels and records."""
        starts, place = np.empty(n_levels + 1, np.int64), np.empty(n_levels, np.int64)
        return cls(starts, place, np.empty(n_records, np.int32))


@njit(cache=True, nogil=True)
def _grow(room, path, codes, arity, y, n_classes, ids, rule, rng, found, scores, table, sorting):
    """One tree, leaves numbered in order: see `dplit.trees.nodes`; a node's records are a stretch of `ids`."""
    feature, threshold, child, _, _, ends, stack, at = room
    n_nodes, n_leaves, waiting = at[NODES], at[LEAVES], at[WAITING]
    while waiting > 0 and n_nodes + at[NEEDS_NODES] <= len(feature):
        waiting -= 1
        node, depth, parent = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        start, end = stack[waiting, 3], stack[waiting, 4]
        threshold[node] = np.nan
        n_found = 0
        if depth < rule.max_depth:
            if parent >= 0:
                descend(path, depth, feature[parent], np.nan, False)
            n_found = columns_left(path, depth, found)
        here = ids[start:end]
        if n_found == 0 or _is_pure(here, y, n_classes, rule, table, rng):
            feature[node], child[node] = LEAF, n_leaves
            ends[n_leaves] = end
            n_leaves += 1
            continue

        j = _chosen(codes, arity, here, y, n_classes, found[:n_found], rule, scores, table, rng)
        feature[node], child[node] = j, n_nodes
        sort_by_level(here, codes[j], arity[j], sorting)
        for level in range(arity[j] - 1, -1, -1):
            first, last = start + sorting.starts[level], start + sorting.starts[level + 1]
            waiting = push(stack, waiting, n_nodes + level, depth + 1, node, first, last)
        n_nodes += arity[j]
    at[NODES], at[LEAVES], at[WAITING] = n_nodes, n_leaves, waiting


def _is_pure(ids, y, n_classes, rule, table, rng):
    """Whether a node is tested for purity and looks pure; compiled."""
    raise NotImplementedError("_is_pure is for compiled code")


@overload(_is_pure)
def _is_pure_by_rule(ids, y, n_classes, rule, table, rng):
    def never(ids, y, n_classes, rule, table, rng):
        return False

    def tested(ids, y, n_classes, rule, table, rng):
        if rule.count_scale > 0:
            return _looks_pure(ids, y, n_classes, rule.count_scale, table[0], rng)
        return False

    return never if rule.instance_class is ExactScores else tested


def _chosen(codes, arity, ids, y, n_classes, candidates, rule, scores, table, rng):
    """A column; compiled."""
    raise NotImplementedError("_chosen is for compiled code")


@overload(_chosen)
def _chosen_by_rule(codes, arity, ids, y, n_classes, candidates, rule, scores, table, rng):
    return _choose_exactly if rule.instance_class is ExactScores else _choose


def _choose_exactly(codes, arity, ids, y, n_classes, candidates, rule, scores, table, rng):
    """`_choose` by whole scores, and by coins whose law is exact."""
    count = min(rule.max_features, len(candidates))
    for k in range(count):
        swap = k + rng.integers(0, len(candidates) - k)
        candidates[k], candidates[swap] = candidates[swap], candidates[k]
        j = candidates[k]
        levels = table[: arity[j]]
        levels[:] = 0
        for i in ids:
            tally(levels[codes[j, i]], y[i], n_classes)
        scores[k] = score_of(levels, n_classes, rule)
    return candidates[exponential(rule.unit, scores[:count], rng)]


@njit(cache=True, nogil=True)
def _looks_pure(ids, y, n_classes, scale, counts, rng):
    """Whether at most one noisy class count is above 0."""
    positive = 0
    for k in range(n_classes):
        counts[k] = 0.0
    for i in ids:
        counts[int(y[i])] += 1
    for k in range(n_classes):
        noise = scale * (rng.standard_exponential() - rng.standard_exponential())
        positive += counts[k] + noise > 0
    return positive <= 1


def _choose(codes, arity, ids, y, n_classes, candidates, rule, scores, table, rng):
    """A column, drawn from some of `candidates` by the exponential mechanism."""
    count = min(rule.max_features, len(candidates))
    for k in range(count):
        swap = k + int(rng.random() * (len(candidates) - k))
        candidates[k], candidates[swap] = candidates[swap], candidates[k]
        j = candidates[k]
        levels = table[: arity[j]]
        clear(levels)
        for i in ids:
            add(levels[codes[j, i]], y[i], n_classes)
        scores[k] = -cost(levels, n_classes, rule.score, np.inf)
    n, rate, chosen = len(ids), rule.rate, 0
    if rule.score == LOCAL_GINI and n > 0:
        rate = rate * ((n + 1) / n) ** 2
    if count > 1:
        chosen = pick(scores, count, rate, EXPONENTIAL, rng)
    return candidates[chosen]


@njit(cache=True, nogil=True)
def cost(table, n_classes, score, most_bits=np.inf):
    """What the children leave unexplained; a row of `table` is a child's (count, sum) or class counts.

    Of `ENTROPY` no record counts more than `most_bits`, which bounds what one more can add.

    A regression leaves out the sum of the squared targets, which all columns share; likewise
    `LOCAL_GINI` its factor.
    """
    total = 0.0
    for row in range(len(table)):
        child = table[row]
        if n_classes == 0:
            total -= child[1] * child[1] / child[0] if child[0] > 0 else 0.0
            continue
        n = squares = largest = 0.0
        for c in child:
            n += c
            squares += c * c
            largest = max(largest, c)
        if n == 0:
            continue
        if score == ENTROPY:
            for c in child:
                total += c * min(np.log2(n / c), most_bits) if c > 0 else 0.0
        elif score == MAJORITY:
            total += n - largest
        else:
            total += n - squares / n
    return total


@njit(cache=True, nogil=True)
def sort_by_level(ids, column, n_levels, sorting):
    """Sort records by level, each level's in the order they had; `starts` says where each begins."""
    starts, place, spare = sorting
    for level in range(n_levels + 1):
        starts[level] = 0
    for i in ids:
        starts[column[i] + 1] += 1
    for level in range(n_levels):
        place[level] = starts[level]
        starts[level + 1] += starts[level]
    for i in ids:
        spare[place[column[i]]] = i
        place[column[i]] += 1
    for k in range(len(ids)):
        ids[k] = spare[k]
