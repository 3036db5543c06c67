r"""One column's cut of a node, drawn from its records: compiled.

A candidate is the boundary below which records go left, or the set of levels that do. It is drawn
either by its balance alone, :math:`e^{-r|n - 2 n_L|}`, and then scored by what it explains, or
jointly by both, :math:`e^{-r|n - 2 n_L| + \kappa G}`. Here :math:`n` is the number of records,
:math:`n_L` how many go left, and the gain :math:`G = S_L^2/n_L + S_R^2/n_R`, with sums :math:`S` of
the targets, is the sum of squares that the cut explains up to a constant of the node; for classes
:math:`G = \sum_k c_{Lk}^2/n_L + \sum_k c_{Rk}^2/n_R` with their counts :math:`c`. The reference
for the laws is `dplit.median`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

UNIFORM, EXPONENTIAL, PERMUTE_AND_FLIP = range(3)
MOST_SUBSETS = 254  # all splits of eight levels; of more levels as many are drawn, blindly
NEGLIGIBLE = 1e-290  # of the largest weight: rounds to nothing beside it
LOG_NEGLIGIBLE = -660.0


class Rule(NamedTuple):
    """How a node's cut is drawn.

    Attributes
    ----------
    max_depth, max_features : int
    rate : float
        Weight of a unit of imbalance, half the epsilon of a median.
    gain_rate : float
        Weight of a unit of gain.
    choice : int
        Among the columns: `UNIFORM`, `EXPONENTIAL` or `PERMUTE_AND_FLIP`.
    joint : bool
        Whether a cut is drawn by balance and gain together.
    by_rank : bool
        Whether an interval between records counts as one, whatever its length (DiPriMe v1).
    """

    max_depth: int
    max_features: int
    rate: float
    gain_rate: float
    choice: int
    joint: bool
    by_rank: bool


@njit(cache=True, nogil=True)
def gain(stats, n_classes):
    """Sum of squares over the number of records, of (count, sum) or of class counts."""
    if n_classes == 0:
        return stats[1] * stats[1] / stats[0] if stats[0] > 0 else 0.0
    total = stats.sum()
    return (stats * stats).sum() / total if total > 0 else 0.0


@njit(cache=True, nogil=True)
def add(stats, y, n_classes):
    """Count one record."""
    if n_classes == 0:
        stats[0] += 1
        stats[1] += y
    else:
        stats[int(y)] += 1


@njit(cache=True, nogil=True)
def draw_cut(column, ids, y, n_classes, low, high, rule, rng, buffers):
    """A cut of a continuous column in [low, high), and its score for the choice of a column.

    `ids` are the node's records in the order of the column.
    """
    values, work = buffers
    n = len(ids)
    values[0], values[n + 1] = low, high
    for i in range(n):
        values[i + 1] = column[ids[i]]
    if rule.joint:
        i, score = _joint_interval(values[: n + 2], ids, y, n_classes, rule, rng, work)
    else:
        i = _median_interval(values[: n + 2], rule, rng, work)
        score = 0.0
        if rule.choice != UNIFORM:
            score = _gain_of(ids, i, y, n_classes)
    a, b = values[i], values[i + 1]
    cut = a + rng.random() * (b - a)
    return (a if cut >= b else cut), score


@njit(cache=True, nogil=True)
def _gain_of(ids, n_left, y, n_classes):
    left, right = np.zeros(max(n_classes, 2)), np.zeros(max(n_classes, 2))
    for i in range(len(ids)):
        add(left if i < n_left else right, y[ids[i]], n_classes)
    return gain(left, n_classes) + gain(right, n_classes)


@njit(cache=True, nogil=True)
def _median_interval(values, rule, rng, work):
    """Interval j of the n + 1 between `values`, with weight length x exp(-rate |n - 2j|).

    From the middle outwards, two intervals a step; weights are relative to the best interval that
    has a length, so that none of those that matter underflows.
    """
    n = len(values) - 2
    shrink = np.exp(-2 * rule.rate)
    factor, found, total, steps = 1.0, False, 0.0, 0
    for step in range(n // 2 + 1):
        if found:
            factor *= shrink
            if factor < NEGLIGIBLE:
                break
        lo = n // 2 - step
        hi = n - lo
        length = 1.0 if rule.by_rank else values[lo + 1] - values[lo]
        found = found or length > 0
        total += factor * length
        work[2 * step] = total
        if hi != lo:
            length = 1.0 if rule.by_rank else values[hi + 1] - values[hi]
            found = found or length > 0
            total += factor * length
        work[2 * step + 1] = total
        steps = step + 1
    k = np.searchsorted(work[: 2 * steps], rng.random() * total, side="right")
    lo = n // 2 - k // 2
    return lo if k % 2 == 0 else n - lo


@njit(cache=True, nogil=True)
def _joint_interval(values, ids, y, n_classes, rule, rng, work):
    """Interval by balance and gain, and the logarithm of the mean weight over the range."""
    n = len(ids)
    left, right = np.zeros(max(n_classes, 2)), np.zeros(max(n_classes, 2))
    for i in ids:
        add(right, y[i], n_classes)
    squares_left, squares_right = 0.0, (right * right).sum()
    best = -np.inf
    for j in range(n + 1):
        work[j] = -np.inf
        if values[j + 1] > values[j]:
            if n_classes == 0:
                squares_left, squares_right = left[1] * left[1], right[1] * right[1]
            explained = squares_left / max(j, 1) + squares_right / max(n - j, 1)
            work[j] = rule.gain_rate * explained - rule.rate * abs(n - 2 * j)
            best = max(best, work[j])
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
    total = 0.0
    for j in range(n + 1):
        if work[j] > best + LOG_NEGLIGIBLE:
            total += (values[j + 1] - values[j]) * np.exp(work[j] - best)
        work[j] = total
    j = np.searchsorted(work[: n + 1], rng.random() * total, side="right")
    return j, best + np.log(total / (values[n + 1] - values[0]))


# Categorical columns -------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def draw_sides(column, ids, y, n_classes, allowed, rule, rng, sides):
    """A split of the allowed levels: writes the step of each to `sides`; returns the score."""
    levels = np.flatnonzero(allowed)
    position = np.zeros(len(allowed), dtype=np.int64)
    position[levels] = np.arange(len(levels))
    stats = np.zeros((len(levels), max(n_classes, 2)))
    counts = np.zeros(len(levels), dtype=np.int64)
    for i in ids:
        level = position[int(column[i])]
        counts[level] += 1
        add(stats[level], y[i], n_classes)
    if rule.joint:
        goes_left, score = _joint_subset(counts, stats, n_classes, rule, rng)
    else:
        goes_left = _median_subset(counts, rule, rng)
        score = _subset_gain(stats, goes_left, n_classes)
    sides[:] = 1
    for level in range(len(levels)):
        if goes_left[level]:
            sides[levels[level]] = 0
    return score


@njit(cache=True, nogil=True)
def _subset_gain(stats, goes_left, n_classes):
    left, right = np.zeros(stats.shape[1]), np.zeros(stats.shape[1])
    for level in range(len(stats)):
        if goes_left[level]:
            left += stats[level]
        else:
            right += stats[level]
    return gain(left, n_classes) + gain(right, n_classes)


@njit(cache=True, nogil=True)
def _joint_subset(counts, stats, n_classes, rule, rng):
    """A set of levels by balance and gain, and the logarithm of the mean weight of the sets.

    All sets that are a split are candidates, or `MOST_SUBSETS` of them drawn without the data.
    """
    n_levels, n = len(counts), counts.sum()
    every = n_levels <= 8
    subsets = np.zeros(((1 << n_levels) - 2 if every else MOST_SUBSETS, n_levels), dtype=np.bool_)
    scores = np.empty(len(subsets))
    for s in range(len(subsets)):
        size = 0
        while size == 0 or size == n_levels:
            for level in range(n_levels):
                subsets[s, level] = ((s + 1) >> level) & 1 if every else rng.random() < 0.5
            size = subsets[s].sum()
        n_left = (counts * subsets[s]).sum()
        explained = _subset_gain(stats, subsets[s], n_classes)
        scores[s] = rule.gain_rate * explained - rule.rate * abs(n - 2 * n_left)
    best = scores.max()
    weights = np.cumsum(np.exp(scores - best))
    s = np.searchsorted(weights, rng.random() * weights[-1], side="right")
    return subsets[s], best + np.log(weights[-1] / len(subsets))


@njit(cache=True, nogil=True)
def _median_subset(counts, rule, rng):
    """A set of levels by balance alone: its number of records first, then the set among its like.

    Row i of `chance` is the law of the number of records that a random set of the first i levels
    holds: the subset-sum programme of `dplit.median.subset_law`.
    """
    n_levels, n = len(counts), counts.sum()
    chance = np.zeros((n_levels + 1, n + 1))
    chance[0, 0] = 1.0
    for i in range(n_levels):
        c = counts[i]
        chance[i + 1] = 0.5 * chance[i]
        chance[i + 1, c:] += 0.5 * chance[i, : n + 1 - c]
    splits = chance[n_levels].copy()
    splits[0] -= 0.5**n_levels  # neither nothing nor everything is a split
    splits[n] -= 0.5**n_levels
    size = _median_size(splits, n_levels, rule, rng)
    chosen = np.zeros(n_levels, dtype=np.bool_)
    while chosen.sum() == 0 or chosen.sum() == n_levels:
        left = size
        for i in range(n_levels - 1, -1, -1):
            with_it = 0.5 * chance[i, left - counts[i]] if counts[i] <= left else 0.0
            chosen[i] = rng.random() * chance[i + 1, left] < with_it
            if chosen[i]:
                left -= counts[i]
    return chosen


@njit(cache=True, nogil=True)
def _median_size(splits, n_levels, rule, rng):
    """Number of records on the left; `splits` is in proportion to how many sets have it."""
    n = len(splits) - 1
    least = n
    for s in range(n + 1):
        if splits[s] > 0:
            least = min(least, abs(n - 2 * s))
    best, chosen, total = -np.inf, -1, 0.0
    for s in range(n + 1):
        worse = abs(n - 2 * s) - least
        if splits[s] <= 0 or (worse > 0 and rule.rate * worse > -LOG_NEGLIGIBLE):
            continue
        fall = rule.rate * worse if worse > 0 else 0.0
        if rule.choice == PERMUTE_AND_FLIP:
            # the largest of m exponential noises, m sets of this size
            m = splits[s] * 2.0**n_levels
            noisy = -np.log(-np.expm1(-rng.standard_exponential() / m)) - fall
            if noisy > best:
                best, chosen = noisy, s
        else:
            weight = splits[s] * np.exp(-fall)
            total += weight
            if rng.random() * total < weight:
                chosen = s
    return chosen
