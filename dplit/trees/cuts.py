r"""One column's cut of a node, drawn from its records: compiled.

A candidate, a boundary or a set of levels that goes left, is drawn either by its balance alone,
:math:`e^{-r|n - 2 n_L|}`, and then scored by its gain :math:`G`, or jointly, :math:`e^{-r|n - 2 n_L| + \kappa G}`
(:doc:`/book/median_forest`). The gain is :math:`S_L^2/n_L + S_R^2/n_R` with sums :math:`S` of the targets, for
classes the same of each class's counts. The reference for the distributions is `dplit.median`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from dplit.trees.rules import PERMUTE_AND_FLIP, UNIFORM

MOST_SUBSETS = 254  # all splits of eight levels; of more levels as many are drawn, blindly
FEW_LEVELS = 64  # of more levels than these, sets are counted in logarithms (`dplit.trees.subsets`)
LOG_FAR = -660.0  # a weight so far below the best one changes no sum
FAR = 1e-290
EXACT = 2**53  # whole numbers up to here are floats


class Work(NamedTuple):
    """Arrays to compute in, made once a tree: nothing is allocated at a node."""

    values: np.ndarray  #: Float64 arrays, shape (n_records + 2,).
    weights: np.ndarray  #: As `values`.
    sums: np.ndarray  #: As `values`.
    #: Float64 array, shape (most levels, at least 2; classes, at least 2). Class counts, or number and sum of
    #: targets.
    stats: np.ndarray
    levels: np.ndarray  #: Int64 arrays, shape (most levels,).
    counts: np.ndarray  #: As `levels`.
    subsets: np.ndarray | None  #: Bool array, shape (n_subsets, most levels). None if no column is categorical.
    scores: np.ndarray  #: Float64 array, shape (n_subsets,).
    #: Float64 array, shape (most levels, at most FEW_LEVELS, + 1; n_records + 1). Of no rows and columns if no
    #: column is categorical, or none is cut by balance alone.
    chance: np.ndarray

    @classmethod
    def of(cls, rule, n_records, n_levels, n_classes):
        """Arrays for a rule, records, the levels of the columns and the classes."""
        most = int(n_levels.max())
        rows = min(most, FEW_LEVELS) + 1
        chance = (0, 0) if most == 0 or rule.joint else (rows, n_records + 1)
        return cls(
            values=np.empty(n_records + 2),
            weights=np.empty(n_records + 2),
            sums=np.empty(n_records + 2),
            stats=np.empty((max(most, 2), max(n_classes, 2))),
            levels=np.empty(most, dtype=np.int64),
            counts=np.empty(most, dtype=np.int64),
            subsets=np.empty((MOST_SUBSETS, most), dtype=np.bool_) if most else None,
            scores=np.empty(MOST_SUBSETS),
            chance=np.empty(chance),
        )


@njit(cache=True, nogil=True)
def gain(stats, n_classes):
    """Sum of squares over the number of records, of (count, sum) or of class counts."""
    if n_classes == 0:
        return stats[1] * stats[1] / stats[0] if stats[0] > 0 else 0.0
    total = squares = 0.0
    for k in range(n_classes):
        total += stats[k]
        squares += stats[k] * stats[k]
    return squares / total if total > 0 else 0.0


@njit(cache=True, nogil=True)
def add(stats, y, n_classes):
    """Count one record."""
    if n_classes == 0:
        stats[0] += 1
        stats[1] += y
    else:
        stats[int(y)] += 1


@njit(cache=True, nogil=True)
def clear(stats):
    """Set all to 0."""
    for row in range(len(stats)):
        for k in range(stats.shape[1]):
            stats[row, k] = 0.0


@njit(cache=True, nogil=True)
def uniform_cut(a, b, rng):
    """A uniform whole number of a, ..., b - 1; a if there is none. `a` and `b` are whole too."""
    n = np.int64(b - a)
    if n <= 1:
        return a
    share = EXACT // n
    k = n
    while k >= n:  # what is left over when all have their share
        k = np.int64(rng.random() * EXACT) // share
    return a + k


@njit(cache=True, nogil=True)
def draw_position(sums, n, rng):
    """A position below n, with weights whose running sums are given."""
    target = rng.random() * sums[n - 1]
    first, end = 0, n
    while first < end:
        middle = (first + end) // 2
        if sums[middle] > target:
            end = middle
        else:
            first = middle + 1
    first = min(first, n - 1)
    while first > 0 and sums[first] == sums[first - 1]:  # rounded up to the total: no weight of 0
        first -= 1
    return first


@njit(cache=True, nogil=True)
def pick(scores, n, rate, choice, rng):
    """A position below n by `PERMUTE_AND_FLIP` or the exponential mechanism, with rate x score.

    The first has the law of the largest score with exponential noise, the second with Gumbel noise.
    An infinite rate picks the largest score.
    """
    top = -np.inf
    for k in range(n):
        top = max(top, scores[k])
    chosen, best = 0, -np.inf
    for k in range(n):
        gap = scores[k] - top
        noise = rng.standard_exponential()
        if choice != PERMUTE_AND_FLIP:
            noise = -np.log(noise)
        noisy = (gap * rate if gap < 0 else 0.0) + noise
        if noisy > best:
            chosen, best = k, noisy
    return chosen


@njit(cache=True, nogil=True, inline="always")
def draw_cut(column, ids, y, n_classes, low, high, rule, rng, work):
    """A cut of a continuous column in [low, high), and its score for the choice of a column.

    `ids` are the node's records in the order of the column; all in steps (`dplit.trees.grid`).
    """
    values, n, score = work.values, len(ids), 0.0
    read_values(column, ids, low, high, values)
    if rule.joint:
        i, score = _joint_interval(ids, y, n_classes, rule, rng, work)
    else:
        i = _median_interval(values, n, rule, rng, work.weights)
        if rule.choice != UNIFORM:
            score = _gain_of(ids, i, y, n_classes, work.stats)
    return uniform_cut(values[i], values[i + 1], rng), score


@njit(cache=True, nogil=True)
def read_values(column, ids, low, high, values):
    """Write the records' values to `values`, between the ends of the column's interval."""
    n = len(ids)
    values[0], values[n + 1] = low, high
    for i in range(n):
        values[i + 1] = column[ids[i]]


@njit(cache=True, nogil=True, inline="always")
def _gain_of(ids, n_left, y, n_classes, stats):
    clear(stats[:2])
    for i in range(len(ids)):
        add(stats[0 if i < n_left else 1], y[ids[i]], n_classes)
    return gain(stats[0], n_classes) + gain(stats[1], n_classes)


@njit(cache=True, nogil=True, inline="always")
def _median_interval(values, n, rule, rng, work):
    """Interval j of the n + 1 between `values`, with weight length x exp(-rate |n - 2j|).

    Outwards from the middle: a length is a whole number of at most 2^32, so that what is left out does not count.
    """
    shrink = np.exp(-2 * rule.rate)
    factor, found, total, steps = 1.0, False, 0.0, 0
    for step in range(n // 2 + 1):
        if found:
            factor *= shrink
            if factor < FAR:
                break
        for side in range(2):
            j = n // 2 - step
            if side == 1:
                j = n - j
            if side == 0 or 2 * j != n:  # the middle one is its own mirror image
                length = 1.0 if rule.by_rank else values[j + 1] - values[j]
                found = found or length > 0
                total += factor * length
            work[2 * step + side] = total
        steps = step + 1
    k = draw_position(work, 2 * steps, rng)
    j = n // 2 - k // 2
    return j if k % 2 == 0 else n - j


@njit(cache=True, nogil=True)
def draw_interval(values, n, weights, sums, rng):
    """Interval j of the n + 1 between `values`, with weight length x exp(weights[j]).

    Returned with the logarithm of the mean weight over the range. The largest weight among the intervals that have
    a length must be 0, and lengths are whole numbers: the sum is at least 1. `sums` is room for n + 1 numbers.
    """
    total = 0.0
    for j in range(n + 1):
        if weights[j] > LOG_FAR:
            total += (values[j + 1] - values[j]) * np.exp(weights[j])
        sums[j] = total
    return draw_position(sums, n + 1, rng), np.log(total / (values[n + 1] - values[0]))


@njit(cache=True, nogil=True)
def explain_cuts(ids, y, n_classes, work):
    """Write what a cut in each interval between `work.values` explains to `work.weights`.

    Minus infinity where an interval holds no cut.
    """
    n, values, explained = len(ids), work.values, work.weights
    left, right = work.stats[0], work.stats[1]
    clear(work.stats[:2])
    for i in range(n):
        add(right, y[ids[i]], n_classes)
    squares_left = squares_right = 0.0
    for k in range(n_classes):
        squares_right += right[k] * right[k]
    for j in range(n + 1):
        explained[j] = -np.inf
        if values[j + 1] > values[j]:
            if n_classes == 0:
                squares_left, squares_right = left[1] * left[1], right[1] * right[1]
            explained[j] = squares_left / max(j, 1) + squares_right / max(n - j, 1)
        if j < n:
            target = y[ids[j]]
            if n_classes == 0:
                left[1] += target
                right[1] -= target
            else:
                k = int(target)
                squares_left += 2 * left[k] + 1
                squares_right -= 2 * right[k] - 1
                left[k] += 1
                right[k] -= 1


@njit(cache=True, nogil=True, inline="always")
def _joint_interval(ids, y, n_classes, rule, rng, work):
    """Interval by balance and gain, and the logarithm of the mean weight over the range."""
    explain_cuts(ids, y, n_classes, work)
    n, values, weights, best = len(ids), work.values, work.weights, -np.inf
    for j in range(n + 1):
        if weights[j] > -np.inf:
            weights[j] = rule.gain_rate * weights[j] - rule.rate * abs(n - 2 * j)
            best = max(best, weights[j])
    for j in range(n + 1):
        weights[j] -= best
    j, mean = draw_interval(values, n, weights, work.sums, rng)
    return j, best + mean
