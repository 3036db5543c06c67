r"""A node's column and cut, drawn exactly: whole numbers decide, floats never do. Compiled.

The laws are those of `dplit.trees.cuts`, with scores in whole units of u nats (`ExactRule`).
A cut that leaves :math:`n_L` of n records on the left has the score

.. math:: t = \lfloor K G_L \rfloor + \lfloor K G_R \rfloor - R\,|n - 2 n_L| ,

with whole K and R, and :math:`G = \sum_k c_k^2 / n` of a side for classes; for targets :math:`G = S^2/n`,
S in steps of :math:`2^{-16}`, to which each target is rounded before anything else. Rounding moves a
side's term by less than :math:`9/8` of a unit, so that what a record moves t by is within 4.5 units of what
it moves the sum by; `exact_rule` has taken as many off K. Each cut, a whole step of the public grid,
then weighs as `dplit.mechanisms.whole_weights` says, below the best cut of all columns that compete. A column
has the mean weight of its cuts, or of its sets of levels; it is drawn by that, and then the cut in it. Of more
than `MOST_LEVELS` levels `MOST_SUBSETS` sets compete that are drawn without the records, by balance alone too.

A normalised score (`dplit.trees.normalised`) is t, of the gain alone, stretched to 0, ..., T by the least and the
largest over all cuts of a node's open columns, and rounded down: whatever a record moves, it stays in that range.

Scores stay below :math:`2^{61}` for fewer than `MOST_RECORDS` records of a tree.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import overload

from dplit.mechanisms.whole_weights import divided, draw_place, flip_place, plus, weight
from dplit.trees.cuts import MOST_SUBSETS
from dplit.trees.exact_scores import share, tally
from dplit.trees.levels import count_levels
from dplit.trees.rules import MOST_LEVELS, PERMUTE_AND_FLIP, UNIFORM

STEPS = 2**16  # of a target
MOST_RECORDS = 2**30
NO_CUT = -(2**62)  # score where an interval holds none
ALIKE = 1  # unit by which scores of equal gains may differ: two sides are each rounded down


class ExactWork(NamedTuple):
    """Arrays to compute in, made once a tree, in place of `dplit.trees.cuts.Work`."""

    scores: np.ndarray  #: Int64 array, shape (columns that compete, most candidates of one).
    highs: np.ndarray  #: Int64 arrays, shape (most candidates,). Running sums of weights, as pairs.
    lows: np.ndarray  #: As `highs`.
    #: Int64 array, shape (2, columns that compete). Of each column's weights, as pairs; then their running sums.
    means: np.ndarray
    order: np.ndarray  #: Int64 array, shape (columns that compete,).
    #: Int64 array, shape (most levels, at least 2; classes, at least 2). Class counts, or number and sum of
    #: targets.
    stats: np.ndarray
    levels: np.ndarray  #: Int64 arrays, shape (most levels,).
    counts: np.ndarray  #: As `levels`.
    #: Bool array, shape (columns that compete, MOST_SUBSETS, most levels). None if no column is categorical.
    subsets: np.ndarray | None

    @classmethod
    def of(cls, rule, n_records, n_levels, n_classes):
        """Arrays for a rule, records, the levels of the columns and the classes."""
        most = int(n_levels.max())
        several = 1 if rule.choice == UNIFORM else min(rule.max_features, len(n_levels))
        candidates = max(n_records + 1, MOST_SUBSETS if most else 0)
        return cls(
            scores=np.empty((several, candidates), dtype=np.int64),
            highs=np.empty(candidates, dtype=np.int64),
            lows=np.empty(candidates, dtype=np.int64),
            means=np.empty((2, several), dtype=np.int64),
            order=np.empty(several, dtype=np.int64),
            stats=np.empty((max(most, 2), max(n_classes, 2)), dtype=np.int64),
            levels=np.empty(most, dtype=np.int64),
            counts=np.empty(most, dtype=np.int64),
            subsets=np.empty((several, MOST_SUBSETS, most), dtype=np.bool_) if most else None,
        )


def whole_targets(y, n_classes):
    """Codes of classes, or targets in [0, 1] in `STEPS`, as int64; too many records are an error."""
    if len(y) >= MOST_RECORDS:
        raise ValueError(f"X must hold fewer than {MOST_RECORDS:,} records for exact cuts, got {len(y):,}")
    return (y if n_classes else np.rint(y * STEPS)).astype(np.int64)


@njit(cache=True, nogil=True)
def choose_exactly(columns, order, y, n_classes, n_open, path, depth, level_starts, rule, rng, choice, work):
    """A column and, where it is continuous, its cut; the steps of levels are left in `choice.sides`."""
    candidates, best = choice.columns, np.int64(NO_CUT)
    count = 1 if rule.choice == UNIFORM else min(rule.max_features, n_open)
    for k in range(count):
        swap = k + rng.integers(0, n_open - k)
        candidates[k], candidates[swap] = candidates[swap], candidates[k]
        j = candidates[k]
        if level_starts[j] == level_starts[j + 1]:
            ids, low, high = order[choice.row_of[j]], path.low[depth, j], path.high[depth, j]
            best = max(best, _score_cuts(columns[j], ids, y, n_classes, low, high, rule, k, work))
        else:
            allowed = path.left[depth, level_starts[j] : level_starts[j + 1]]
            best = max(best, _scores_of_sets(work.subsets, columns[j], order[0], y, n_classes, allowed,
                                             rule, k, rng, work))  # fmt: skip
    if rule.top > 0:
        best = _stretch(order, path, depth, level_starts, count, rule, choice, work)
    k = 0
    if count > 1:
        for k in range(count):
            _add_up(columns, order, path, depth, level_starts, rule, candidates[k], k, best, choice, work)
        k = _pick(count, rule, rng, work)
    j = candidates[k]
    n = _add_up(columns, order, path, depth, level_starts, rule, j, k, best, choice, work)
    place = draw_place(work.highs, work.lows, n, rng)
    if level_starts[j] == level_starts[j + 1]:
        low, high = path.low[depth, j], path.high[depth, j]
        first, end = _edges(columns[j], order[choice.row_of[j]], low, high, place)
        return j, float(first + rng.integers(0, end - first))
    allowed = path.left[depth, level_starts[j] : level_starts[j + 1]]
    _sides_of_set(work.subsets, k, place, allowed, choice.sides[j])
    return j, np.nan


@njit(cache=True, nogil=True)
def _pick(count, rule, rng, work):
    """Which of the columns, by the means of their weights."""
    highs, lows = work.means
    if rule.choice == PERMUTE_AND_FLIP:
        return flip_place(highs, lows, count, work.order, rng)
    for k in range(1, count):
        highs[k], lows[k] = plus(highs[k], lows[k], 1, highs[k - 1], lows[k - 1])
    return draw_place(highs, lows, count, rng)


@njit(cache=True, nogil=True)
def _n_candidates(order, path, depth, starts, j, choice):
    if starts[j] == starts[j + 1]:
        return len(order[choice.row_of[j]]) + 1
    return _n_sets(path.left[depth, starts[j] : starts[j + 1]])


@njit(cache=True, nogil=True)
def _stretch(order, path, depth, starts, count, rule, choice, work):
    """Stretch the scores of a node to 0, ..., `rule.top`, which is returned: privacy needs that range alone."""
    least, most = -np.int64(NO_CUT), np.int64(NO_CUT)
    for k in range(count):
        for i in range(_n_candidates(order, path, depth, starts, choice.columns[k], choice)):
            if work.scores[k, i] > NO_CUT:
                least, most = min(least, work.scores[k, i]), max(most, work.scores[k, i])
    alike = most - least <= ALIKE
    for k in range(count):
        for i in range(_n_candidates(order, path, depth, starts, choice.columns[k], choice)):
            if work.scores[k, i] > NO_CUT:
                place = 1.0 if alike else (work.scores[k, i] - least) / (most - least)
                work.scores[k, i] = min(max(np.int64(rule.top * place), 0), rule.top)
    return np.int64(rule.top)


@njit(cache=True, nogil=True)
def _add_up(columns, order, path, depth, starts, rule, j, k, best, choice, work):
    """Write the running sums of a column's weights, and their mean; how many there are."""
    scores, continuous = work.scores[k], starts[j] == starts[j + 1]
    ids = order[choice.row_of[j] if continuous else 0]
    n, edge = _n_candidates(order, path, depth, starts, j, choice), np.int64(0)
    whole = np.int64(n)
    if continuous:
        edge = np.int64(path.low[depth, j])
        whole = np.int64(path.high[depth, j]) - edge
    high = low = np.int64(0)
    for i in range(n):
        length = np.int64(1)
        if continuous:
            last = i == len(ids)
            after = np.int64(path.high[depth, j] if last else columns[j, ids[i]])
            edge, length = after, after - edge
        if length > 0:
            first, second = weight(rule.unit * (best - scores[i]))
            high, low = plus(high, low, length, first, second)
        work.highs[i], work.lows[i] = high, low
    work.means[0, k], work.means[1, k] = divided(high, low, whole)
    return n


@njit(cache=True, nogil=True)
def _edges(column, ids, low, high, place):
    """First and last grid point between which the cuts of an interval lie, the last one outside."""
    first = low if place == 0 else column[ids[place - 1]]
    end = high if place == len(ids) else column[ids[place]]
    return np.int64(first), np.int64(end)


@njit(cache=True, nogil=True)
def _score_cuts(column, ids, y, n_classes, low, high, rule, k, work):
    """Write the score of each interval that holds a cut; the best one."""
    n, left, right = np.int64(len(ids)), work.stats[0], work.stats[1]
    scores, best, before = work.scores[k], np.int64(NO_CUT), low
    left[:] = right[:] = 0
    if rule.gain > 0:
        for i in range(n):
            tally(right, y[ids[i]], n_classes)
    squares_left = np.int64(0)
    squares_right = _squares(right, n_classes)
    for j in range(n + 1):
        after, scores[j] = high if j == n else column[ids[j]], NO_CUT
        if after > before:
            scores[j] = -rule.imbalance * abs(n - 2 * j)
            if rule.gain > 0:
                if n_classes == 0:
                    squares_left, squares_right = left[1], right[1]
                scores[j] += share(rule.gain, squares_left, j, n_classes)
                scores[j] += share(rule.gain, squares_right, n - j, n_classes)
            best = max(best, scores[j])
        before = after
        if rule.gain > 0 and j < n:
            target = y[ids[j]]
            if n_classes == 0:
                left[1] += target
                right[1] -= target
            else:
                squares_left += 2 * left[target] + 1
                squares_right -= 2 * right[target] - 1
                left[target] += 1
                right[target] -= 1
    return best


@njit(cache=True, nogil=True)
def _squares(stats, n_classes):
    """Sum of the squared class counts."""
    squares = np.int64(0)
    for k in range(n_classes):
        squares += stats[k] * stats[k]
    return squares


@njit(cache=True, nogil=True)
def _n_sets(allowed):
    """How many sets of the allowed levels are candidates: all splits, or `MOST_SUBSETS` drawn blindly."""
    n_levels = 0
    for level in range(len(allowed)):
        n_levels += allowed[level]
    return (1 << n_levels) - 2 if n_levels <= MOST_LEVELS else MOST_SUBSETS


def _scores_of_sets(subsets, column, ids, y, n_classes, allowed, rule, k, rng, work):
    """`_score_sets`, for compiled code: where no column is categorical it is not compiled."""
    raise NotImplementedError("_scores_of_sets is for compiled code")


@overload(_scores_of_sets)
def _score_where_there_are_levels(subsets, column, ids, y, n_classes, allowed, rule, k, rng, work):
    def never(subsets, column, ids, y, n_classes, allowed, rule, k, rng, work):
        return np.int64(NO_CUT)

    def some(subsets, column, ids, y, n_classes, allowed, rule, k, rng, work):
        return _score_sets(subsets[k], column, ids, y, n_classes, allowed, rule, k, rng, work)

    return never if isinstance(subsets, types.NoneType) else some


@njit(cache=True, nogil=True)
def _score_sets(subsets, column, ids, y, n_classes, allowed, rule, k, rng, work):
    """Write the candidates and the score of each; the best one."""
    n_levels, n = count_levels(column, ids, y, n_classes, allowed, work), np.int64(len(ids))
    best, every = np.int64(NO_CUT), n_levels <= MOST_LEVELS
    for s in range(_n_sets(allowed)):
        n_left = size = np.int64(0)
        while size == 0 or size == n_levels:
            n_left = size = np.int64(0)
            for level in range(n_levels):
                inside = ((s + 1) >> level) & 1 if every else rng.integers(0, 2)
                subsets[s, level] = inside == 1
                size += inside
                n_left += inside * work.counts[level]
        score = -rule.imbalance * abs(n - 2 * n_left)
        if rule.gain > 0:
            score += _share_of_side(subsets[s], True, n_levels, n_classes, n_left, rule, work.stats)
            score += _share_of_side(subsets[s], False, n_levels, n_classes, n - n_left, rule, work.stats)
        work.scores[k, s] = score
        best = max(best, score)
    return best


@njit(cache=True, nogil=True)
def _share_of_side(inside, side, n_levels, n_classes, n, rule, stats):
    """The `share` of the levels on one side together."""
    total = np.int64(0)
    for k in range(stats.shape[1]):
        cell = np.int64(0)
        for level in range(n_levels):
            if inside[level] == side:
                cell += stats[level, k]
        if n_classes > 0:
            total += cell * cell if k < n_classes else 0
        elif k == 1:
            total = cell
    return share(rule.gain, total, n, n_classes)


def _sides_of_set(subsets, k, place, allowed, sides):
    """Write the step of each level; compiled."""
    raise NotImplementedError("_sides_of_set is for compiled code")


@overload(_sides_of_set)
def _sides_where_there_are_levels(subsets, k, place, allowed, sides):
    def never(subsets, k, place, allowed, sides):
        return None

    def some(subsets, k, place, allowed, sides):
        number = 0
        for level in range(len(allowed)):
            sides[level] = 1
            if allowed[level]:
                if subsets[k, place, number]:
                    sides[level] = 0
                number += 1

    return never if isinstance(subsets, types.NoneType) else some
