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

from dplit.trees.rules import PERMUTE_AND_FLIP, UNIFORM

MOST_SUBSETS = 254  # all splits of eight levels; of more levels as many are drawn, blindly
NEGLIGIBLE = 1e-290  # of the largest weight: rounds to nothing beside it
LOG_NEGLIGIBLE = -660.0


class Work(NamedTuple):
    """Arrays to compute in, made once a tree: nothing is allocated at a node.

    Attributes
    ----------
    values, weights : float64 arrays, shape (n_records + 2,)
    stats : float64 array, shape (most levels, at least 2; classes, at least 2)
        Class counts, or number and sum of targets.
    levels, counts : int64 arrays, shape (most levels,)
    subsets : bool array, shape (n_subsets, most levels)
    scores : float64 array, shape (n_subsets,)
    chance : float64 array, shape (most levels + 1, n_records + 1)
        Of no rows and columns if no column is categorical, or none is cut by balance alone.
    """

    values: np.ndarray
    weights: np.ndarray
    stats: np.ndarray
    levels: np.ndarray
    counts: np.ndarray
    subsets: np.ndarray
    scores: np.ndarray
    chance: np.ndarray

    @classmethod
    def of(cls, rule, n_records, n_levels, n_classes):
        """Arrays for a rule, records, the levels of the columns and the classes."""
        most = int(n_levels.max())
        chance = (0, 0) if most == 0 or rule.joint else (most + 1, n_records + 1)
        return cls(
            values=np.empty(n_records + 2),
            weights=np.empty(n_records + 2),
            stats=np.empty((max(most, 2), max(n_classes, 2))),
            levels=np.empty(most, dtype=np.int64),
            counts=np.empty(most, dtype=np.int64),
            subsets=np.empty((MOST_SUBSETS, most), dtype=np.bool_),
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
def between(a, b, rng):
    """A uniform point of [a, b), or their common value."""
    cut = a + rng.random() * (b - a)
    return a if cut >= b else cut


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

    `ids` are the node's records in the order of the column.
    """
    values, n = work.values, len(ids)
    values[0], values[n + 1] = low, high
    for i in range(n):
        values[i + 1] = column[ids[i]]
    score = 0.0
    if rule.joint:
        i, score = _joint_interval(ids, y, n_classes, rule, rng, work)
    else:
        i = _median_interval(values, n, rule, rng, work.weights)
        if rule.choice != UNIFORM:
            score = _gain_of(ids, i, y, n_classes, work.stats)
    return between(values[i], values[i + 1], rng), score


@njit(cache=True, nogil=True)
def _gain_of(ids, n_left, y, n_classes, stats):
    clear(stats[:2])
    for i in range(len(ids)):
        add(stats[0 if i < n_left else 1], y[ids[i]], n_classes)
    return gain(stats[0], n_classes) + gain(stats[1], n_classes)


@njit(cache=True, nogil=True)
def _median_interval(values, n, rule, rng, work):
    """Interval j of the n + 1 between `values`, with weight length x exp(-rate |n - 2j|).

    From the middle outwards, two intervals a step; weights are relative to the best interval that
    has a length, so that none of those that matter underflows.
    """
    shrink = np.exp(-2 * rule.rate)
    factor, found, total, steps = 1.0, False, 0.0, 0
    for step in range(n // 2 + 1):
        if found:
            factor *= shrink
            if factor < NEGLIGIBLE:
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
def _joint_interval(ids, y, n_classes, rule, rng, work):
    """Interval by balance and gain, and the logarithm of the mean weight over the range."""
    n, values, weights = len(ids), work.values, work.weights
    left, right = work.stats[0], work.stats[1]
    clear(work.stats[:2])
    for i in range(n):
        add(right, y[ids[i]], n_classes)
    squares_left = squares_right = 0.0
    for k in range(n_classes):
        squares_right += right[k] * right[k]
    best = -np.inf
    for j in range(n + 1):
        weights[j] = -np.inf
        if values[j + 1] > values[j]:
            if n_classes == 0:
                squares_left, squares_right = left[1] * left[1], right[1] * right[1]
            explained = squares_left / max(j, 1) + squares_right / max(n - j, 1)
            weights[j] = rule.gain_rate * explained - rule.rate * abs(n - 2 * j)
            best = max(best, weights[j])
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
        if weights[j] > best + LOG_NEGLIGIBLE:
            total += (values[j + 1] - values[j]) * np.exp(weights[j] - best)
        weights[j] = total
    j = draw_position(weights, n + 1, rng)
    return j, best + np.log(total / (values[n + 1] - values[0]))


# Categorical columns -------------------------------------------------------------------------


@njit(cache=True, nogil=True, inline="always")
def draw_sides(column, ids, y, n_classes, allowed, rule, rng, sides, work):
    """A split of the allowed levels: writes the step of each to `sides`; returns the score."""
    n_levels = np.int64(0)  # typed: what is called with a literal 0 is compiled for it, and again
    for level in range(len(allowed)):
        if allowed[level]:
            work.levels[level] = n_levels
            work.counts[n_levels] = 0
            n_levels += 1
    clear(work.stats[:n_levels])
    for i in range(len(ids)):
        level = work.levels[int(column[ids[i]])]
        work.counts[level] += 1
        add(work.stats[level], y[ids[i]], n_classes)
    if rule.joint:
        s, score = _joint_subset(n_levels, len(ids), n_classes, rule, rng, work)
    else:
        s, score = _median_subset(n_levels, len(ids), n_classes, rule, rng, work)
    for level in range(len(allowed)):
        sides[level] = 0 if allowed[level] and work.subsets[s, work.levels[level]] else 1
    return score


@njit(cache=True, nogil=True)
def _subset_gain(stats, goes_left, n_levels, n_classes):
    """The `gain` of the levels that go left, and of the others, together."""
    gains = 0.0
    for side in range(2):
        total = squares = 0.0
        for k in range(stats.shape[1]):
            cell = 0.0
            for level in range(n_levels):
                cell += stats[level, k] if goes_left[level] == (side == 0) else 0.0
            if n_classes > 0 or k == 0:
                total += cell
            if n_classes > 0 or k == 1:
                squares += cell * cell
        gains += squares / total if total > 0 else 0.0
    return gains


@njit(cache=True, nogil=True, inline="always")
def _joint_subset(n_levels, n, n_classes, rule, rng, work):
    """A set of levels by balance and gain, and the logarithm of the mean weight of the sets.

    All sets that are a split are candidates, or `MOST_SUBSETS` of them drawn without the data.
    """
    subsets, scores = work.subsets, work.scores
    every = n_levels <= 8
    n_subsets = (1 << n_levels) - 2 if every else MOST_SUBSETS
    best = -np.inf
    for s in range(n_subsets):
        size = n_left = 0
        while size == 0 or size == n_levels:
            size = n_left = 0
            for level in range(n_levels):
                inside = ((s + 1) >> level) & 1 == 1 if every else rng.random() < 0.5
                subsets[s, level] = inside
                size += inside
                n_left += inside * work.counts[level]
        explained = _subset_gain(work.stats, subsets[s], n_levels, n_classes)
        scores[s] = rule.gain_rate * explained - rule.rate * abs(n - 2 * n_left)
        best = max(best, scores[s])
    total = 0.0
    for s in range(n_subsets):
        total += np.exp(scores[s] - best)
        scores[s] = total
    s = draw_position(scores, n_subsets, rng)
    return s, best + np.log(total / n_subsets)


@njit(cache=True, nogil=True, inline="always")
def _median_subset(n_levels, n, n_classes, rule, rng, work):
    """A set of levels by balance alone: its number of records first, then the set among its like.

    Row i of `chance` is the law of the number of records that a random set of the first i levels
    holds: the subset-sum programme of `dplit.median.subset_law`.
    """
    chance, counts, chosen = work.chance, work.counts, work.subsets[0]
    for size in range(n + 1):
        chance[0, size] = 1.0 if size == 0 else 0.0
    for i in range(n_levels):
        for size in range(n + 1):
            chance[i + 1, size] = 0.5 * chance[i, size]
            if size >= counts[i]:
                chance[i + 1, size] += 0.5 * chance[i, size - counts[i]]
    splits = work.weights
    for size in range(n + 1):
        splits[size] = chance[n_levels, size]
    splits[0] -= 0.5**n_levels  # neither nothing nor everything is a split
    splits[n] -= 0.5**n_levels
    size = _median_size(splits, n, n_levels, rule, rng)
    n_chosen = 0
    while n_chosen == 0 or n_chosen == n_levels:
        n_chosen, left = 0, size
        for i in range(n_levels - 1, -1, -1):
            with_it = 0.5 * chance[i, left - counts[i]] if counts[i] <= left else 0.0
            chosen[i] = rng.random() * chance[i + 1, left] < with_it
            if chosen[i]:
                left -= counts[i]
                n_chosen += 1
    return 0, _subset_gain(work.stats, chosen, n_levels, n_classes)


@njit(cache=True, nogil=True)
def _median_size(splits, n, n_levels, rule, rng):
    """Number of records on the left; `splits` is in proportion to how many sets have it."""
    least = n
    for size in range(n + 1):
        if splits[size] > 0:
            least = min(least, abs(n - 2 * size))
    best, chosen, total = -np.inf, -1, 0.0
    for size in range(n + 1):
        worse = abs(n - 2 * size) - least
        if splits[size] <= 0 or (worse > 0 and rule.rate * worse > -LOG_NEGLIGIBLE):
            continue
        fall = rule.rate * worse if worse > 0 else 0.0
        if rule.choice == PERMUTE_AND_FLIP:
            # the largest of m exponential noises, m sets of this size
            m = splits[size] * 2.0**n_levels
            noisy = -np.log(-np.expm1(-rng.standard_exponential() / m)) - fall
            if noisy > best:
                best, chosen = noisy, size
        else:
            weight = splits[size] * np.exp(-fall)
            total += weight
            if rng.random() * total < weight:
                chosen = size
    return chosen
