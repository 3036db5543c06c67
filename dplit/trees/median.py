"""Trees whose cuts are private medians (DiPriMe v1, algorithm 1; v2, algorithm 1): :doc:`/book/median_forest`.

A path ends at `max_depth` or where no column has anything left to cut: no record decides it. Each continuous
column is sorted once a tree, and every split parts the sorted records without changing their order.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from dplit.domain import Domain
from dplit.mechanisms.secure import is_secure
from dplit.trees import nodes
from dplit.trees.arrays import LEAF, Trees
from dplit.trees.cuts import Work, draw_cut, pick
from dplit.trees.exact_cuts import ExactWork, choose_exactly, whole_targets
from dplit.trees.exact_rules import ExactRule, exact_rule
from dplit.trees.grid import by_column, cell_bounds, with_thresholds
from dplit.trees.levels import split_levels
from dplit.trees.normalised import stretched
from dplit.trees.paths import Path, columns_open, level_starts, narrow, split_depth
from dplit.trees.rules import UNIFORM, NormalisedRule, Rule


def grow_median_trees(
    domain: Domain,
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    parts: list[np.ndarray | None],
    rule: Rule | NormalisedRule,
    *,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> tuple[Trees, np.ndarray]:
    """Grow a forest on private records; with the `leaf_stats` of its leaves, which are private.

    From a secure generator cuts are drawn exactly, by an `ExactRule`.

    `X`: as `Domain.encode` gives it. `y`: targets in [0, 1], or codes of classes; `n_classes` is 0 for targets.
    `parts`: for each tree the positions of its records, or None for all.

    Raises a ValueError if the forest would have more nodes than `dplit.trees.nodes.MAX_NODES`, or no exact draw is
    there for a rule (`dplit.trees.exact_rules.exact_rule`).
    """
    rule = exact_rule(rule) if is_secure(rng) else rule
    size = nodes.Size(rule.max_depth, len(parts))
    size.check_binary(domain)
    shared = None if any(part is not None for part in parts) else by_column(domain, X)
    bounds, starts = cell_bounds(domain), level_starts(domain.n_levels)
    tasks = [(X, y, n_classes, domain, bounds, starts, part, shared, rule, size, r)
             for part, r in zip(parts, rng.spawn(len(parts)))]  # fmt: skip
    trees, stats = nodes.grow_all(_one_tree, tasks, n_jobs, domain.n_levels.max())
    return with_thresholds(trees, domain), stats


def _one_tree(X, y, n_classes, domain, bounds, starts, part, shared, rule, size, rng):
    columns, order = shared or by_column(domain, X[part])
    order = order.copy() if shared else order
    y = np.asarray(y if part is None else y[part], dtype=np.float64)
    n_levels, n = domain.n_levels, len(y)
    depth = split_depth(rule.max_depth, n_levels)
    room = nodes.Room.of(2 ** min(depth + 1, 12), depth, 2, n_levels.max(), n)
    path = Path.of(bounds, np.ones(starts[-1], dtype=np.bool_), depth)
    choice = Choice.of(n_levels, n)
    targets, kind = (whole_targets(y, n_classes), ExactWork) if isinstance(rule, ExactRule) else (y, Work)
    work = kind.of(rule, n, n_levels, n_classes)
    tree = nodes.grow(_grow, room, size, path, columns, order, targets, n_classes, starts, rule, rng, choice, work)
    return tree[:5], nodes.leaf_stats(order[0], tree[5], y, n_classes)


class Choice(NamedTuple):
    """What the choice at a node writes to."""

    row_of: np.ndarray  #: Row of the sorted records of each continuous column.
    columns: np.ndarray  #: Columns that are open, and then those drawn of them; cut and score of each drawn one.
    cuts: np.ndarray  #: As `columns`.
    scores: np.ndarray  #: As `columns`.
    sides: np.ndarray  #: Step of each level of a column that was drawn, shape (n_features, most levels).
    goes_right: np.ndarray  #: The side of each record, and room to part them.
    spare: np.ndarray  #: As `goes_right`.

    @classmethod
    def of(cls, n_levels, n_records):
        """Arrays for the columns, of so many levels each (0: continuous), and the records."""
        n_features = len(n_levels)
        return cls(
            np.cumsum(n_levels == 0) - 1,
            np.empty(n_features, dtype=np.int64),
            np.empty(n_features),
            np.empty(n_features),
            np.empty((n_features, n_levels.max()), dtype=np.int32),
            np.empty(n_records, dtype=np.bool_),
            np.empty(n_records, dtype=np.int32),
        )


@njit(cache=True, nogil=True)
def _grow(room, path, columns, order, y, n_classes, level_starts, rule, rng, choice, work):
    """One tree, as of `dplit.trees.nodes`; a node's records are the same stretch of every row of `order`."""
    feature, threshold, child, side, steps, ends, stack, at = room
    n_nodes, n_leaves, waiting, n_steps = at[nodes.NODES], at[nodes.LEAVES], at[nodes.WAITING], at[nodes.STEPS]
    last_node, last_step = len(feature) - at[nodes.NEEDS_NODES], len(steps) - at[nodes.NEEDS_STEPS]
    while waiting > 0 and n_nodes <= last_node and n_steps <= last_step:
        waiting -= 1
        node, depth, parent = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        start, end = stack[waiting, 3], stack[waiting, 4]
        n_open = 0
        if depth < rule.max_depth:
            if parent >= 0:
                narrow(path, depth, feature[parent], threshold[parent], side[parent], steps,
                       node - child[parent], level_starts)  # fmt: skip
            n_open = columns_open(path, depth, level_starts, choice.columns)
        if n_open == 0:
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            ends[n_leaves] = end
            n_leaves += 1
            continue

        j, cut = _chosen(columns, order[:, start:end], y, n_classes, n_open, path, depth,
                         level_starts, rule, rng, choice, work)  # fmt: skip
        feature[node], threshold[node], child[node] = j, cut, n_nodes
        n_levels = level_starts[j + 1] - level_starts[j]
        if n_levels > 0:
            side[node] = n_steps
            for level in range(n_levels):
                steps[n_steps + level] = choice.sides[j, level]
            n_steps += n_levels
        for k in range(start, end):
            i = order[0, k]
            value = columns[j, i]
            if n_levels == 0:
                choice.goes_right[i] = value > cut
            else:
                choice.goes_right[i] = choice.sides[j, int(value)] == 1
        middle = start
        for row in range(len(order) if depth + 1 < rule.max_depth else 1):
            middle = start + part(order[row, start:end], choice.goes_right, choice.spare)
        waiting = nodes.push(stack, waiting, n_nodes + 1, depth + 1, node, middle, end)
        waiting = nodes.push(stack, waiting, n_nodes, depth + 1, node, start, middle)
        n_nodes += 2
    at[nodes.NODES], at[nodes.LEAVES], at[nodes.WAITING], at[nodes.STEPS] = n_nodes, n_leaves, waiting, n_steps


def _chosen(columns, order, y, n_classes, n_open, path, depth, level_starts, rule, rng, choice, work):
    """A column and, where it is continuous, its cut; the steps of levels are left in `sides`; compiled."""
    raise NotImplementedError("_chosen is for compiled code")


@overload(_chosen)
def _chosen_by_rule(columns, order, y, n_classes, n_open, path, depth, level_starts, rule, rng, choice, work):
    return choose_exactly.py_func if rule.instance_class is ExactRule else _choose


def _choose(columns, order, y, n_classes, n_open, path, depth, level_starts, rule, rng, choice, work):
    """A column and, where it is continuous, its cut; the steps of levels are left in `sides`."""
    candidates, cuts, scores = choice.columns, choice.cuts, choice.scores
    rule = stretched(rule, columns, order, y, n_classes, n_open, path, depth, level_starts, rng, choice, work)
    count = 1 if rule.choice == UNIFORM else min(rule.max_features, n_open)
    for k in range(count):
        swap = k + int(rng.random() * (n_open - k))
        candidates[k], candidates[swap] = candidates[swap], candidates[k]
        j = candidates[k]
        first, last = level_starts[j], level_starts[j + 1]
        if first == last:
            cuts[k], scores[k] = draw_cut(columns[j], order[choice.row_of[j]], y, n_classes,
                                          path.low[depth, j], path.high[depth, j], rule, rng,
                                          work)  # fmt: skip
        else:
            cuts[k] = np.nan
            scores[k] = split_levels(work.subsets, columns[j], order[0], y, n_classes,
                                     path.left[depth, first:last], rule, rng, choice.sides[j],
                                     work)  # fmt: skip
    chosen = 0
    if count > 1:
        # a joint draw has put balance and gain together in the score
        rate = 1.0 if rule.joint else rule.gain_rate
        chosen = pick(scores, count, rate, rule.choice, rng)
    return candidates[chosen], cuts[chosen]


@njit(cache=True, nogil=True)
def part(ids, goes_right, spare):
    """Move the records that go left to the front, both sides keeping their order; how many.

    Each record is written to both sides and counted on its own: a branch would be guessed wrongly.
    """
    n_left = n_right = 0
    for k in range(len(ids)):
        i, right = ids[k], np.int64(goes_right[ids[k]])
        spare[n_right] = ids[n_left] = i
        n_right += right
        n_left += 1 - right
    for k in range(n_right):
        ids[n_left + k] = spare[k]
    return n_left
