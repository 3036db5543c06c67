"""A greedy node's column and cut, drawn exactly: whole numbers decide, floats never do. Compiled.

As `dplit.trees.greedy`, by the scores of `dplit.trees.exact_scores`: cuts by whole weights, columns by coins.
"""

import numpy as np
from numba import njit

from dplit.mechanisms.exact import exponential
from dplit.mechanisms.whole_weights import draw_place, plus, weight
from dplit.trees.exact_cuts import NO_CUT
from dplit.trees.exact_scores import add_scores, score_of, tally


@njit(cache=True, nogil=True)
def choose_exactly(columns, order, y, n_classes, n_open, path, depth, n_levels, rule, rng, choice):
    """A column and, where it is continuous, its cut."""
    candidates, cuts, scores = choice.columns, choice.cuts, choice.scores
    count = min(rule.max_features, n_open)
    for k in range(count):
        swap = k + rng.integers(0, n_open - k)
        candidates[k], candidates[swap] = candidates[swap], candidates[k]
        j = candidates[k]
        if n_levels[j] == 0:
            low, high = np.int64(path.low[depth, j]), np.int64(path.high[depth, j])
            cuts[k], scores[k] = draw_cut_exactly(columns[j], order[choice.row_of[j]], y, n_classes, low,
                                                  high, rule, choice, rng)  # fmt: skip
        else:
            cuts[k], levels = np.nan, choice.table[: n_levels[j]]
            levels[:] = 0
            for i in order[0]:
                tally(levels[int(columns[j, i])], y[i], n_classes)
            scores[k] = score_of(levels, n_classes, rule)
    k = exponential(rule.unit, scores[:count], rng)
    return candidates[k], cuts[k]


@njit(cache=True, nogil=True)
def draw_cut_exactly(column, ids, y, n_classes, low, high, rule, choice, rng):
    """A cut of a continuous column in [low, high), and its score."""
    n = len(ids)
    scores, highs, lows = choice.work[0, : n + 1], choice.work[1], choice.work[2]
    scores[:] = 0
    add_scores(ids, y, n_classes, rule, choice.table[0], scores)
    add_scores(ids[::-1], y, n_classes, rule, choice.table[0], scores[::-1])
    best, edge = np.int64(NO_CUT), low
    for k in range(n + 1):
        after = high if k == n else np.int64(column[ids[k]])
        if after > edge:
            best = max(best, scores[k])
        edge = after
    heavy, light, edge = np.int64(0), np.int64(0), low
    for k in range(n + 1):
        after = high if k == n else np.int64(column[ids[k]])
        if after > edge:
            first, second = weight(rule.unit * (best - scores[k]))
            heavy, light = plus(heavy, light, after - edge, first, second)
        highs[k], lows[k], edge = heavy, light, after
    k = draw_place(highs, lows, n + 1, rng)
    start = low if k == 0 else np.int64(column[ids[k - 1]])
    end = high if k == n else np.int64(column[ids[k]])
    return float(start + rng.integers(0, end - start)), scores[k]
