r"""Trees of the multinomial random forest (MRF, algorithm 1): :doc:`/book/multinomial_forest`.

That chapter has the distributions, whose reference is `dplit.multinomial`, and what the paper leaves open. On the
grid of `dplit.trees.grid` a candidate midway between two values is rounded down; a categorical column of which a
node holds two levels has one. Scores are n times the decrease, up to a constant of the node.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from dplit.domain import Domain
from dplit.trees import nodes
from dplit.trees.arrays import LEAF, Trees
from dplit.trees.cuts import draw_position, pick
from dplit.trees.exact_rules import refuse_secure
from dplit.trees.grid import by_column, with_thresholds
from dplit.trees.median import part
from dplit.trees.rules import EXPONENTIAL
from dplit.trees.scores import Work, by_record, count_levels, logarithms, middle_of, score

LISTED = 64  # depths with a list of columns to ask; below, the last one's
TIED = 1e-12  # scores nearer than this, a record, differ by rounding


class Rule(NamedTuple):
    """How a node is split."""

    max_depth: int
    fewest: int  #: A node with no more estimation points is a leaf: the paper's k.
    least: int  #: Estimation points that each child must keep: 0 by algorithm 1, k by section 3.2.
    feature_rate: float  #: Weights of a normalised decrease, :math:`B_1/2` and :math:`B_2/2`; infinite: the best.
    value_rate: float  #: As `feature_rate`.
    entropy: bool  #: Whether the impurity is Shannon's entropy; if not, the Gini index.


def grow_multinomial_trees(
    domain: Domain,
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    n_trees: int,
    halves: Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]],
    rule: Rule,
    *,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> tuple[Trees, np.ndarray]:
    """Grow a forest on private records; with the counts of its leaves' estimation points, which are private.

    `X` is as `Domain.encode` gives it, `y` has codes of classes. `halves` tells of so many records whether each
    is a structure point of a tree, and whether it is an estimation point, drawn anew for each tree. A secure
    generator is an error, for floats decide; so are more nodes than `dplit.trees.nodes.MAX_NODES`.
    """
    refuse_secure(rng, "a choice by scores as published")
    size = nodes.Size(rule.max_depth, n_trees)
    shared, y = (*by_column(domain, X), by_record(domain, X)), np.asarray(y, dtype=np.int32)
    tasks = [(shared, y, n_classes, domain.n_levels, halves, rule, size, r) for r in rng.spawn(n_trees)]
    trees, counts = nodes.grow_all(_one_tree, tasks, n_jobs, domain.n_levels.max())
    return with_thresholds(trees, domain), counts


def _one_tree(shared, y, n_classes, n_levels, halves, rule, size, rng):
    columns, order, codes = shared
    structure, estimation = halves(len(y), rng)
    n, held = int(structure.sum()), order if rule.least else order[:1]
    order, held = _chosen(order, structure), _chosen(held, estimation)
    depth = min(rule.max_depth, max(n, 1))  # a test parts two structure points
    room = nodes.Room.of(1024, depth, 2, n_levels.max(), n)
    room.stack[0, 2] = held.shape[1]
    work = Work.of(n_levels, n, len(y), n_classes, min(depth, LISTED) + 1)
    logs = logarithms(n) if rule.entropy else None
    tree = nodes.grow(_grow, room, size, columns, codes, order, held, y, n_levels, rule, rng, work, logs)
    return tree[:5], nodes.leaf_stats(held[0], tree[5], y, n_classes)


def _chosen(order, inside):
    """Of every row those records that are `inside`, in the row's order."""
    return np.stack([row[inside[row]] for row in order])


@njit(cache=True, nogil=True)
def _grow(room, columns, codes, order, held, y, n_levels, rule, rng, work, logs):
    """One tree, leaves numbered in order: see `dplit.trees.nodes`.

    A node's structure points are the same stretch of every row of `order`, its estimation points one
    of every row of `held`. A waiting node's are known by their end: they begin where the last leaf's
    end, for no node to the left of it waits.
    """
    feature, threshold, child, side, steps, ends, stack, at = room
    n_nodes, n_leaves, waiting, n_steps = at[nodes.NODES], at[nodes.LEAVES], at[nodes.WAITING], at[nodes.STEPS]
    last_node, last_step = len(feature) - at[nodes.NEEDS_NODES], len(steps) - at[nodes.NEEDS_STEPS]
    while waiting > 0 and n_nodes <= last_node and n_steps <= last_step:
        waiting -= 1
        node, depth, last = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        start, end = stack[waiting, 3], stack[waiting, 4]
        first = ends[n_leaves - 1] if n_leaves > 0 else 0
        ids, kept = order[:, start:end], held[:, first:last]
        n_open = 0
        if depth < rule.max_depth and last - first > rule.fewest:
            n_open = _score_columns(columns, codes, depth, ids, kept, y, n_levels, rule, work, logs)
        if n_open == 0:
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            ends[n_leaves] = last
            n_leaves += 1
            continue

        _normalise(work.best, n_open, TIED * (end - start))
        j = work.columns[pick(work.best, n_open, rule.feature_rate, EXPONENTIAL, rng)]
        chosen = _draw_value(columns, j, ids, kept, y, n_levels[j], rule, rng, work, logs)
        cut = np.nan
        if n_levels[j] == 0:
            ordered = ids[work.row_of[j]]
            cut = middle_of(columns[j, ordered[chosen]], columns[j, ordered[chosen + 1]])
        else:
            side[node] = n_steps
            for level in range(n_levels[j]):
                steps[n_steps + level] = level != chosen
            n_steps += n_levels[j]
        feature[node], threshold[node], child[node] = j, cut, n_nodes
        between = first + _split(kept, columns[j], cut, chosen, work.goes_right, work.spare)
        middle = start
        # else both children are leaves, and their structure points are not asked
        if max(between - first, last - between) > rule.fewest and depth + 1 < rule.max_depth:
            middle += _split(ids, columns[j], cut, chosen, work.goes_right, work.spare)
        waiting = nodes.push(stack, waiting, n_nodes + 1, depth + 1, last, middle, end)
        waiting = nodes.push(stack, waiting, n_nodes, depth + 1, between, start, middle)
        n_nodes += 2
    at[nodes.NODES], at[nodes.LEAVES], at[nodes.WAITING], at[nodes.STEPS] = n_nodes, n_leaves, waiting, n_steps


@njit(cache=True, nogil=True)
def _split(rows, column, cut, level, goes_right, spare):
    """Part every row; how many go left."""
    n_left = 0
    for i in rows[0]:
        goes_right[i] = column[i] != level if cut != cut else column[i] > cut
    for row in range(len(rows)):
        n_left = part(rows[row], goes_right, spare)
    return n_left


@njit(cache=True, nogil=True)
def _normalise(scores, n, tied):
    """Min-max normalised scores, of those that are finite; all 1 if they are alike."""
    low, high = np.inf, -np.inf
    for k in range(n):
        if scores[k] > -np.inf:
            low, high = min(low, scores[k]), max(high, scores[k])
    for k in range(n):
        if scores[k] >= high - tied:
            scores[k] = 1.0
        elif scores[k] > -np.inf:
            scores[k] = (scores[k] - low) / (high - low)


@njit(cache=True, nogil=True)
def _score_columns(columns, codes, depth, ids, kept, y, n_levels, rule, work, logs):
    """Write the columns that have a candidate, and the best score of each; how many there are."""
    asked, n_asked = work.asked, work.n_asked
    work.totals[:] = 0
    for i in ids[0]:
        work.totals[y[i]] += 1
    here, n, n_below = min(depth, len(asked) - 1), 0, 0
    count_levels(codes, asked[here, : n_asked[here]], ids[0], kept[0], y, n_levels, rule.least, work)
    for j in asked[here, : n_asked[here]]:
        best = score(columns, j, ids, kept, y, n_levels[j], rule.least, work, logs)
        if best > -np.inf:
            work.columns[n], work.best[n] = j, best
            n += 1
        if here + 1 < len(asked) and (best > -np.inf or n_levels[j] == 0):
            asked[here + 1, n_below] = j
            n_below += 1
    if here + 1 < len(asked):
        n_asked[here + 1] = n_below
    return n


@njit(cache=True, nogil=True)
def _draw_value(columns, j, ids, kept, y, n_levels, rule, rng, work, logs):
    """A candidate of column `j`: the record in its order behind which it is cut, or a level."""
    scores, sums = work.scores, work.sums
    score(columns, j, ids, kept, y, n_levels, rule.least, work, logs)
    n = n_levels if n_levels > 0 else ids.shape[1] - 1
    _normalise(scores, n, TIED * ids.shape[1])
    total = 0.0
    for k in range(n):
        gap = scores[k] - 1.0
        if gap == 0:
            total += 1.0
        elif gap > -np.inf:
            total += np.exp(gap * rule.value_rate)
        sums[k] = total
    return draw_position(sums, n, rng)
