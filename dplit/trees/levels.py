"""One categorical column's split of a node in two sets of levels, drawn as in `dplit.trees.cuts`: compiled."""

import numpy as np
from numba import njit, types
from numba.extending import overload

from dplit.trees.cuts import FEW_LEVELS, LOG_FAR, MOST_SUBSETS, add, clear, draw_position
from dplit.trees.rules import MOST_LEVELS, PERMUTE_AND_FLIP
from dplit.trees.subsets import draw_even_subset


def split_levels(subsets, column, ids, y, n_classes, allowed, rule, rng, sides, work):
    """`_draw_sides`, for compiled code: where no column is categorical it is not compiled.

    `subsets` is that of `work`, None where no column is categorical.
    """
    raise NotImplementedError("split_levels is for compiled code")


@overload(split_levels)
def _split_levels(subsets, column, ids, y, n_classes, allowed, rule, rng, sides, work):
    def never(subsets, column, ids, y, n_classes, allowed, rule, rng, sides, work):
        return np.nan

    return never if isinstance(subsets, types.NoneType) else _draw_sides


@njit(cache=True, nogil=True)
def count_levels(column, ids, y, n_classes, allowed, work):
    """Number the allowed levels, count their records and add up their targets; how many there are."""
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
    return n_levels


def _draw_sides(subsets, column, ids, y, n_classes, allowed, rule, rng, sides, work):
    """A split of the allowed levels: writes the step of each to `sides`; returns the score."""
    n_levels = count_levels(column, ids, y, n_classes, allowed, work)
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


@njit(cache=True, nogil=True)
def explain_sets(n_levels, n_classes, rng, work):
    """Write what each set explains to `work.scores`; how many sets there are.

    All sets that are a split are candidates, or `MOST_SUBSETS` of them drawn without the data.
    """
    subsets, every = work.subsets, n_levels <= MOST_LEVELS
    n_subsets = (1 << n_levels) - 2 if every else MOST_SUBSETS
    for s in range(n_subsets):
        size = 0
        while size == 0 or size == n_levels:
            size = 0
            for level in range(n_levels):
                inside = ((s + 1) >> level) & 1 == 1 if every else rng.random() < 0.5
                subsets[s, level] = inside
                size += inside
        work.scores[s] = _subset_gain(work.stats, subsets[s], n_levels, n_classes)
    return n_subsets


@njit(cache=True, nogil=True, inline="always")
def _joint_subset(n_levels, n, n_classes, rule, rng, work):
    """A set of levels by balance and gain, and the logarithm of the mean weight of the sets."""
    n_subsets = explain_sets(n_levels, n_classes, rng, work)
    subsets, scores, best = work.subsets, work.scores, -np.inf
    for s in range(n_subsets):
        n_left = 0
        for level in range(n_levels):
            n_left += subsets[s, level] * work.counts[level]
        scores[s] = rule.gain_rate * scores[s] - rule.rate * abs(n - 2 * n_left)
        best = max(best, scores[s])
    total = 0.0
    for s in range(n_subsets):
        total += np.exp(scores[s] - best)
        scores[s] = total
    s = draw_position(scores, n_subsets, rng)
    return s, best + np.log(total / n_subsets)


@njit(cache=True, nogil=True, inline="always")
def _median_subset(n_levels, n, n_classes, rule, rng, work):
    """A set of levels by balance alone, and its gain; of few levels, numbers of sets are exact in floats."""
    chosen = work.subsets[0]
    if n_levels > FEW_LEVELS:
        flips = rule.choice == PERMUTE_AND_FLIP
        draw_even_subset(work.counts[:n_levels], n, rule.rate, flips, rng, chosen)
    else:
        _even_subset_of_few(n_levels, n, rule, rng, work, chosen)
    return 0, _subset_gain(work.stats, chosen, n_levels, n_classes)


@njit(cache=True, nogil=True, inline="always")
def _even_subset_of_few(n_levels, n, rule, rng, work, chosen):
    """Its number of records first, then the set among its like.

    Row i of `chance`: distribution of the number of records of a random set of the first i levels.
    """
    chance, counts = work.chance, work.counts
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
    # Only sets of no records, or of all, can be neither: at least every other one of them is a split.
    while n_chosen == 0 or n_chosen == n_levels:
        n_chosen, left = 0, size
        for i in range(n_levels - 1, -1, -1):
            with_it = 0.5 * chance[i, left - counts[i]] if counts[i] <= left else 0.0
            chosen[i] = rng.random() * chance[i + 1, left] < with_it
            if chosen[i]:
                left -= counts[i]
                n_chosen += 1


@njit(cache=True, nogil=True, inline="always")
def _median_size(splits, n, n_levels, rule, rng):
    """Number of records on the left; `splits` is in proportion to how many sets have it.

    There are at most 2^FEW_LEVELS sets, so that what is passed over would not change the sum.
    """
    least = n
    for size in range(n + 1):
        if splits[size] > 0:
            least = min(least, abs(n - 2 * size))
    best, chosen, total = -np.inf, -1, 0.0
    for size in range(n + 1):
        worse = abs(n - 2 * size) - least
        if splits[size] <= 0 or (worse > 0 and rule.rate * worse > -LOG_FAR):
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
