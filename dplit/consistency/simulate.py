r"""Paths drawn as a multinomial forest draws them, and paths of the model in which cuts know no label.

`observed_paths` follows a fresh point X through a tree of a fresh data set: structure points cut, with both
multinomials and midpoints of neighbouring values as candidates; estimation points stop and vote. Every
draw has its own data, so draws are independent. `ideal_paths` cuts uniformly in the cell's ranks and draws
the counts that go with it; it knows no formula of `leaves` or `sizes`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from dplit.consistency.greedy import pair_and_trend
from dplit.ground.errors import check_between, check_choice, check_integer, check_rng
from dplit.multinomial.selection import check_budget

NEVER = 2**31
DESIGNS = ("independent", "one-curve")


class Paths(NamedTuple):
    """Draws, one a row: what the leaf of X holds and where it lies."""

    counts: np.ndarray  #: Estimation points in the leaf.
    depth: np.ndarray
    low: np.ndarray  #: The leaf's ends.
    high: np.ndarray  #: As `low`.
    point: np.ndarray  #: X, and an estimation point drawn from its leaf (X itself, if there is none).
    companion: np.ndarray  #: As `point`.
    votes: np.ndarray  #: Class that each tree gives X; a tie or an empty leaf tosses a coin.
    label: np.ndarray  #: X's own class.


class Ideal(NamedTuple):
    """Draws of the model, one a row: `counts`, `depth`, `low`, `high` and `point` as in `Paths`."""

    counts: np.ndarray
    depth: np.ndarray
    low: np.ndarray
    high: np.ndarray
    point: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """Extent of the leaf in each feature, shape (draws, features)."""
        return self.high - self.low


def ideal_paths(
    n: int, k: int, features: int, draws: int, levels: int | None = None, *, rng: np.random.Generator
) -> Ideal:
    r"""Draw paths of the model: independent uniform features, cuts uniform over the cell's range.

    `k`: a cell with more than k of them is split, at least 0; `levels`: cuts in every path, whatever it holds.
    """
    levels = None if levels is None else check_integer(levels, "levels", 0, 1_000_000)
    n, k, rng = check_integer(n, "n", 0), check_integer(k, "k", 0), check_rng(rng)
    draws, features = check_integer(draws, "draws", 1), check_integer(features, "features", 1)
    point = rng.random((draws, features))
    low, high = np.zeros_like(point), np.ones_like(point)
    counts, depth = np.full(draws, n), np.zeros(draws, dtype=int)
    while (row := np.flatnonzero(counts > k if levels is None else depth < levels)).size:
        a = rng.integers(features, size=row.size)
        left, right = low[row, a], high[row, a]
        cut = left + rng.random(row.size) * (right - left)
        below = point[row, a] <= cut
        low[row, a], high[row, a] = np.where(below, left, cut), np.where(below, cut, right)
        share = (high[row, a] - low[row, a]) / (right - left)
        counts[row] = rng.binomial(counts[row], share)
        depth[row] += 1
    return Ideal(counts, depth, low, high, point)


def observed_paths(
    n_structure: int,
    n_estimation: int,
    k: int,
    features: int,
    draws: int,
    feature_budget: float = 0.0,
    value_budget: float = 0.0,
    *,
    pair: float = 0.0,
    trend: float = 0.0,
    trees: int = 1,
    levels: int | None = None,
    design: str = "independent",
    rng: np.random.Generator,
) -> Paths:
    r"""Draw paths of a multinomial forest on fresh data, algorithm 1 of the paper with Gini's impurity.

    Returns Paths: of the last tree; `votes` of all. A cell with more than `k` estimation points is split, if its
    structure points allow a cut. `feature_budget`, `value_budget`: :math:`B_1` and :math:`B_2`; infinite: the arg
    max. `pair`, `trend`: of the labels' law, `pair_and_trend`; both 0: fair coins. `trees` vote on X, each with
    its own split of the same records into halves; `levels`: the most cuts in a path. `design`: "independent"
    uniform features, or "one-curve", :math:`x_a = t^{a+1}` of one uniform t: no density.
    """
    pair, trend = check_between(pair, "pair", 0, 0.5), check_between(trend, "trend", 0, 1)
    sizes = [
        check_integer(v, name, least)
        for v, name, least in (
            (n_structure, "n_structure", 0),
            (n_estimation, "n_estimation", 0),
            (k, "k", 0),
            (features, "features", 2 if pair else 1),
            (draws, "draws", 1),
            (trees, "trees", 1),
        )
    ]
    one_curve = check_choice(design, DESIGNS, "design") == "one-curve"
    most = NEVER if levels is None else check_integer(levels, "levels", 0)
    budgets = (check_budget(feature_budget, "feature_budget") / 2, check_budget(value_budget, "value_budget") / 2)
    rng = check_rng(rng)
    found = [_draw(*sizes[:4], sizes[5], *budgets, pair, trend, most, one_curve, rng) for _ in range(sizes[4])]
    return Paths(*map(np.array, zip(*found)))


def _draw(
    n_s: int,
    n_e: int,
    k: int,
    features: int,
    trees: int,
    half_1: float,
    half_2: float,
    pair: float,
    trend: float,
    most: int,
    one_curve: bool,
    rng: np.random.Generator,
) -> tuple:
    """One data set, one point X, and its path in each tree."""
    if one_curve:
        x = rng.random((n_s + n_e + 1, 1)) ** np.arange(1.0, features + 1)
    else:
        x = rng.random((n_s + n_e + 1, features))
    y = (rng.random(len(x)) < pair_and_trend(x, pair, trend)).astype(np.int64)
    votes, chosen = np.empty(trees, dtype=np.int64), np.empty(n_s + n_e, dtype=bool)
    order, ranked = np.arange(n_s + n_e), np.argsort(x[:n_s].T)
    by_value = np.argsort(x[:-1].T) if trees > 1 else ranked
    for tree in range(trees):
        if tree:
            rng.shuffle(order)
            chosen[order[:n_s]], chosen[order[n_s:]] = True, False
            ranked = by_value[chosen[by_value]].reshape(features, n_s)
        inside, depth, low, high = _path(x, y, ranked, order[n_s:], k, half_1, half_2, most, rng)
        margin = 2 * y[inside].sum() - inside.size
        votes[tree] = margin > 0 if margin else rng.integers(2)
    companion = x[inside[rng.integers(inside.size)]] if inside.size else x[-1]
    return inside.size, depth, low, high, x[-1], companion, votes, y[-1]


@njit(cache=True, nogil=True)
def _path(
    x: ArrayLike, y, ranked, estimation, k: int, half_1: float, half_2: float, most: int, rng: np.random.Generator
):
    """Follow the last row of x to its leaf: its estimation points, depth and ends.

    `ranked` holds the structure points once for each feature, in its order.
    """
    features, depth = x.shape[1], 0
    low, high = np.zeros(features), np.ones(features)
    while estimation.size > k and ranked.shape[1] > 1 and depth < most:
        gains, cuts = _candidates(x, y, ranked)
        best = np.array([row.max() for row in gains])
        a = _choose(best, half_1, rng)
        cut = cuts[a, _choose(gains[a], half_2, rng)]
        if x[-1, a] <= cut:
            high[a] = cut
        else:
            low[a] = cut
        ranked = np.ascontiguousarray(_inside(x, ranked.ravel(), a, low[a], high[a])).reshape(features, -1)
        estimation = _inside(x, estimation, a, low[a], high[a])
        depth += 1
    return estimation, depth, low, high


@njit(cache=True, nogil=True)
def _inside(x: ArrayLike, rows, feature, low, high):
    """Those of `rows` whose value of the feature is in (low, high], in their order."""
    kept, count = np.empty_like(rows), 0
    for row in rows:
        if low < x[row, feature] <= high:
            kept[count] = row
            count += 1
    return kept[:count]


@njit(cache=True, nogil=True)
def _candidates(x: ArrayLike, y, ranked):
    """Gini's gain of each cut of each feature, and the cut; structure points differ in every feature."""
    features, s = ranked.shape
    gains, cuts = np.empty((features, s - 1)), np.empty((features, s - 1))
    ones = y[ranked[0]].sum()
    for a in range(features):
        left = 0
        for i in range(1, s):
            here = ranked[a, i - 1]
            left += y[here]
            shift = left / i - (ones - left) / (s - i)
            gains[a, i - 1] = 2 * (i / s) * (1 - i / s) * shift * shift
            cuts[a, i - 1] = (x[here, a] + x[ranked[a, i], a]) / 2
    return gains, cuts


@njit(cache=True, nogil=True)
def _choose(gains, half, rng: np.random.Generator):
    """Position drawn with weight e^(half * score), scores stretched to [0, 1]."""
    top, bottom = gains.max(), gains.min()
    weights = np.empty(gains.size)
    for i in range(gains.size):
        gap = (gains[i] - top) / (top - bottom) if top > bottom else 0.0
        weights[i] = np.exp(half * gap) if gap else 1.0  # an infinite budget leaves the best alone
    left = rng.random() * weights.sum()
    for i in range(gains.size):
        left -= weights[i]
        if left < 0:
            return i
    return gains.argmax()


def noise_cuts(n: int, draws: int, value_budget: float, *, rng: np.random.Generator) -> np.ndarray:
    r"""Draw the first cut of one feature of n records whose labels are fair coins.

    Returns an array of int of shape (draws,): records left of the cut, 1 to n - 1.
    """
    n, draws = check_integer(n, "n", 2), check_integer(draws, "draws", 1)
    half = check_budget(value_budget, "value_budget") / 2
    return _noise_cuts(n, draws, half, check_rng(rng))


@njit(cache=True, nogil=True)
def _noise_cuts(n: int, draws: int, half, rng: np.random.Generator):
    chosen, gains = np.empty(draws, dtype=np.int64), np.empty(n - 1)
    sums = np.empty(n + 1)
    for d in range(draws):
        sums[0] = 0
        for i in range(n):
            sums[i + 1] = sums[i] + (rng.random() < 0.5)
        for i in range(1, n):
            shift = sums[i] / i - (sums[n] - sums[i]) / (n - i)
            gains[i - 1] = i * (n - i) * shift * shift
        chosen[d] = _choose(gains, half, rng) + 1
    return chosen
