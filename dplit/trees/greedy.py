r"""Greedy trees with a child for each level and two for a cut (Friedman and Schuster 2010).

At each node the noisy number of its records decides whether the path ends. If not, every candidate column that is
continuous is cut by an exponential mechanism, and another one chooses a column. A cut at t weighs
:math:`e^{-r\,C(t)}`, with C the costs of `dplit.trees.greedy_levels`, on the grid of `dplit.trees.grid`.
A continuous column can be cut again; a categorical one is used up on the path.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import overload

from dplit.domain import Domain
from dplit.ground.renamed import moved
from dplit.mechanisms.exact import bernoulli_exp_times
from dplit.mechanisms.secure import is_secure
from dplit.trees.arrays import LEAF, Trees
from dplit.trees.cuts import add, clear, draw_interval, pick, uniform_cut
from dplit.trees.exact_cuts import whole_targets
from dplit.trees.exact_greedy import choose_exactly
from dplit.trees.exact_rules import ExactScores, exact_scores, exact_stop
from dplit.trees.greedy_levels import Sorting, cost, sort_by_level
from dplit.trees.grid import by_column, cell_bounds, with_thresholds
from dplit.trees.nodes import LEAVES, NEEDS_NODES, NODES, WAITING, Room, Size, grow, grow_all, leaf_stats, push
from dplit.trees.paths import Path, descend
from dplit.trees.rules import EXPONENTIAL, MAJORITY, SQUARES

__getattr__ = moved(__name__, grow_id3_trees=("dplit.trees.greedy.grow_greedy_trees", "0.4"))


class Rule(NamedTuple):
    """How a node ends or splits."""

    max_depth: int  #: Tests on a path; columns that compete at a node.
    max_features: int  #: As `max_depth`.
    #: `SQUARES`, `ENTROPY` or `MAJORITY` of `dplit.trees.greedy_levels`; `most_bits` is the most that a record
    #: counts by `ENTROPY`.
    score: int
    most_bits: float
    rate: float  #: Weight of a unit of cost, in every cut and choice; infinite: the best.
    #: Scale of the Laplace noise on a node's number of records. A path ends where that number is below `fewest`
    #: times the most children that a test may have.
    count_scale: float
    fewest: float


def grow_greedy_trees(
    domain: Domain,
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    parts: list[np.ndarray],
    rule: Rule,
    *,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> tuple[Trees, np.ndarray]:
    """Grow a forest on private records; with the class counts of its leaves, which are private.

    `X` is as `Domain.encode` gives it, `y` has codes of classes, as floats, and `parts` the positions of each
    tree's records. From a secure generator all is drawn exactly, by whole scores (`dplit.trees.exact_scores`).

    Raises a ValueError if the forest would have more nodes than `dplit.trees.nodes.MAX_NODES`; or if the generator
    is secure, and the rate cannot pay for the rounding.
    """
    if is_secure(rng) and not math.isinf(rule.rate):
        most = max(int(domain.n_levels.max()), 2)
        stop = exact_stop(rule.count_scale, rule.fewest / rule.count_scale, most)
        rule = exact_scores(rule, n_classes, cuts=True, stop=stop)
    size = Size(rule.max_depth, len(parts))
    alike = all(part is parts[0] for part in parts)
    shared = by_column(domain, X[parts[0]]) if alike else None
    bounds = cell_bounds(domain)
    tasks = [(X, y, n_classes, domain, bounds, part, shared, rule, size, r)
             for part, r in zip(parts, rng.spawn(len(parts)))]  # fmt: skip
    trees, counts = grow_all(_one_tree, tasks, n_jobs, domain.n_levels.max())
    return with_thresholds(trees, domain), counts


def _one_tree(X, y, n_classes, domain, bounds, part, shared, rule, size, rng):
    columns, order = shared or by_column(domain, X[part])
    order, y, n_levels = order.copy(), y[part], domain.n_levels
    most, n = max(n_levels.max(), 2), len(y)
    room = Room.of(1024, rule.max_depth, most, n_records=n)
    path = Path.of(bounds, n_levels != 1, rule.max_depth)
    targets, kind = y, np.float64
    if isinstance(rule, ExactScores):
        targets, kind = whole_targets(y, n_classes), np.int64
    choice = Choice.of(n_levels, n, n_classes, kind)
    tree = grow(_grow, room, size, path, columns, order, targets, n_classes, n_levels, rule, rng, choice,
                Sorting.of(most, n))  # fmt: skip
    return tree[:3], leaf_stats(order[0], tree[5], y, n_classes)


class Choice(NamedTuple):
    """What the choice at a node writes to; scores, table and work are int64 where they are whole."""

    row_of: np.ndarray  #: Row of the sorted records of each continuous column.
    #: Columns that can be tested, and then those drawn of them; cut and score of each drawn one.
    columns: np.ndarray
    cuts: np.ndarray  #: As `columns`.
    scores: np.ndarray  #: As `columns`.
    branch: np.ndarray  #: The child of each record.
    table: np.ndarray  #: Of shapes (most children, at least 2 classes) and (4, n_records + 2).
    work: np.ndarray  #: As `table`.

    @classmethod
    def of(cls, n_levels, n_records, n_classes, kind):
        """Arrays for the columns, of so many levels each (0: continuous), the records and classes."""
        n_features = len(n_levels)
        return cls(
            np.cumsum(n_levels == 0) - 1,
            np.empty(n_features, dtype=np.int64),
            np.empty(n_features),
            np.empty(n_features, dtype=kind),
            np.empty(n_records, dtype=np.int32),
            np.empty((max(n_levels.max(), 2), max(n_classes, 2)), dtype=kind),
            np.empty((4, n_records + 2), dtype=kind),
        )


@njit(cache=True, nogil=True)
def _grow(room, path, columns, order, y, n_classes, n_levels, rule, rng, choice, sorting):
    """One tree, as of `dplit.trees.nodes`; a node's records are the same stretch of every row of `order`."""
    feature, threshold, child, _, _, ends, stack, at = room
    n_nodes, n_leaves, waiting = at[NODES], at[LEAVES], at[WAITING]
    while waiting > 0 and n_nodes + at[NEEDS_NODES] <= len(feature):
        waiting -= 1
        node, depth, parent = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        start, end = stack[waiting, 3], stack[waiting, 4]
        n_open = 0
        if depth < rule.max_depth:
            if parent >= 0:
                descend(path, depth, feature[parent], threshold[parent], node == child[parent])
            n_open, arity = _open(path, depth, n_levels, choice.columns)
            if _stops(end - start, arity, rule, rng):
                n_open = 0
        if n_open == 0:
            feature[node], threshold[node], child[node] = LEAF, np.nan, n_leaves
            ends[n_leaves] = end
            n_leaves += 1
            continue

        j, cut = _chosen(columns, order[:, start:end], y, n_classes, n_open, path, depth, n_levels,
                         rule, rng, choice)  # fmt: skip
        arity = max(n_levels[j], 2)
        feature[node], threshold[node], child[node] = j, cut, n_nodes
        for k in range(start, end):
            i = order[0, k]
            value = columns[j, i]
            choice.branch[i] = int(value) if n_levels[j] > 0 else int(value > cut)
        for row in range(len(order) if depth + 1 < rule.max_depth else 1):
            sort_by_level(order[row, start:end], choice.branch, arity, sorting)
        for step in range(arity - 1, -1, -1):
            first, last = start + sorting.starts[step], start + sorting.starts[step + 1]
            waiting = push(stack, waiting, n_nodes + step, depth + 1, node, first, last)
        n_nodes += arity
    at[NODES], at[LEAVES], at[WAITING] = n_nodes, n_leaves, waiting


@njit(cache=True, nogil=True)
def _open(path, depth, n_levels, found):
    """Write the columns that can still be tested to `found`; how many, and their most children."""
    n, most = 0, 0
    for j in range(len(n_levels)):
        cuttable = n_levels[j] > 0 or path.low[depth, j] < path.high[depth, j]
        if path.left[depth, j] and cuttable:
            found[n] = j
            n += 1
            most = max(most, n_levels[j], 2)
    return n, most


def _stops(n, arity, rule, rng):
    """Whether the noisy number of a node's records is too small to go on; compiled."""
    raise NotImplementedError("_stops is for compiled code")


@overload(_stops)
def _stops_by_rule(n, arity, rule, rng):
    def exactly(n, arity, rule, rng):
        short = rule.stop.child * arity - rule.stop.record * n
        tail = rng.integers(0, 2) == 1 and bernoulli_exp_times(rule.stop.unit, abs(short), rng)
        return tail if short <= 0 else not tail

    def simulated(n, arity, rule, rng):
        noise = rng.standard_exponential() - rng.standard_exponential()
        return n + rule.count_scale * noise < rule.fewest * arity

    return exactly if rule.instance_class is ExactScores else simulated


def _chosen(columns, order, y, n_classes, n_open, path, depth, n_levels, rule, rng, choice):
    """A column and, where it is continuous, its cut; compiled."""
    raise NotImplementedError("_chosen is for compiled code")


@overload(_chosen)
def _chosen_by_rule(columns, order, y, n_classes, n_open, path, depth, n_levels, rule, rng, choice):
    return choose_exactly.py_func if rule.instance_class is ExactScores else _choose


def _choose(columns, order, y, n_classes, n_open, path, depth, n_levels, rule, rng, choice):
    """A column and, where it is continuous, its cut."""
    candidates, cuts, scores = choice.columns, choice.cuts, choice.scores
    count = min(rule.max_features, n_open)
    for k in range(count):
        swap = k + int(rng.random() * (n_open - k))
        candidates[k], candidates[swap] = candidates[swap], candidates[k]
        j = candidates[k]
        if n_levels[j] == 0:
            cuts[k], least = draw_cut(columns[j], order[choice.row_of[j]], y, n_classes,
                                      path.low[depth, j], path.high[depth, j], rule, choice.work,
                                      rng)  # fmt: skip
            scores[k] = -least
        else:
            cuts[k], levels = np.nan, choice.table[: n_levels[j]]
            clear(levels)
            for i in order[0]:
                add(levels[int(columns[j, i])], y[i], n_classes)
            scores[k] = -cost(levels, n_classes, rule.score, rule.most_bits)
    k = 0
    if count > 1:
        k = pick(scores, count, rule.rate, EXPONENTIAL, rng)
    return candidates[k], cuts[k]


@njit(cache=True, nogil=True)
def draw_cut(column, ids, y, n_classes, low, high, rule, work, rng):
    """A cut of a continuous column in [low, high), and its cost.

    `ids` are the node's records in the order of the column; all in steps (`dplit.trees.grid`).
    `work` is four rows of room.
    """
    n = len(ids)
    values, costs, weights = work[0], work[1], work[2]
    values[0], values[n + 1] = low, high
    for k in range(n):
        values[k + 1] = column[ids[k]]
    for k in range(n + 1):
        costs[k] = 0.0
    _add_costs(ids, y, n_classes, rule, costs[: n + 1])
    _add_costs(ids[::-1], y, n_classes, rule, costs[: n + 1][::-1])
    least = np.inf
    for k in range(n + 1):
        if values[k + 1] > values[k]:
            least = min(least, costs[k])
    for k in range(n + 1):
        worse = costs[k] - least
        weights[k] = -rule.rate * worse if worse > 0 else 0.0
    k, _ = draw_interval(values, n, weights, work[3], rng)
    return uniform_cut(values[k], values[k + 1], rng), costs[k]


@njit(cache=True, nogil=True)
def _add_costs(ids, y, n_classes, rule, costs):
    """Add to ``costs[k]`` the `cost` of a child that holds the first k of the records.

    No cap on the bits is needed: n records are out of its reach up to :math:`n = 2^{bits}`.
    """
    counts = np.zeros((1, max(n_classes, 2)))
    squares, largest, logs, n = 0.0, 0.0, 0.0, 0
    for k in range(len(ids)):
        label = int(y[ids[k]])
        c = counts[0, label] + 1
        counts[0, label] = c
        n += 1
        if rule.score == SQUARES:
            squares += 2 * c - 1
            costs[n] += n - squares / n
        elif rule.score == MAJORITY:
            largest = max(largest, c)
            costs[n] += n - largest
        elif np.log2(n) > rule.most_bits:
            costs[n] += cost(counts, n_classes, rule.score, rule.most_bits)
        else:
            logs += c * np.log2(c) - (c - 1) * np.log2(max(c - 1, 1.0))
            costs[n] += n * np.log2(n) - logs
