r"""How many records the smaller side of a private median split holds (DiPriMe v2, section 3.2).

Notation of :doc:`/book/balance`, where all is derived: N values in a public range of length R (`width`); a cut in
interval i, of length :math:`L_i`, leaves i of them on its left, and :math:`b_i = \min(i, N-i)` is the size of the
smaller block, :math:`N_c` its random size; d (`spread`) is the length of the range of the N - 2t centermost
values. Every `epsilon` is that of one split under add-remove; under replace-one put half of it. A uniform random
cut is ``epsilon=0``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground import errors

LARGEST = 700.0  # beyond it e^{-epsilon} is no normal number any more


def _check_epsilon(epsilon: float) -> np.ndarray:
    """Return `epsilon` as an array; every entry is at least 0 and finite (0: a random cut)."""
    rates = errors.check_numbers(epsilon, "epsilon")
    if rates.size == 0 or not (np.isfinite(rates) & (rates >= 0)).all():
        raise ValueError(f"epsilon must be finite and at least 0, got {epsilon!r}")
    return rates


def _check_spread(spread: float, width: float) -> tuple:
    """Return both as arrays, with 0 <= spread <= width and width positive."""
    d, r = errors.check_numbers(spread, "spread"), errors.check_numbers(width, "width")
    if not (np.isfinite(r) & (r > 0)).all():
        raise ValueError(f"width must be positive and finite, got {width!r}")
    if not ((d >= 0) & (d <= r)).all():
        raise ValueError(f"spread must lie between 0 and width {width!r}, got {spread!r}")
    return d, r


def _odds(epsilon: float) -> float:
    r"""Weight :math:`e^{-\epsilon}` of a block that is one record smaller."""
    return np.exp(-np.minimum(_check_epsilon(epsilon), LARGEST))


# Exact laws for given data -------------------------------------------------------------------


def intervals(values: ArrayLike, lower: float, upper: float) -> np.ndarray:
    """Lengths L_0, ..., L_N of the intervals between the bounds and the sorted values.

    `values`: shape (N,), between `lower` and `upper`; `lower`, `upper`: public bounds, in units of the values,
    lower < upper. Returns an array of shape (N + 1,), of sum upper - lower.
    """
    errors.check_finite(lower, "lower"), errors.check_finite(upper, "upper")
    x = errors.check_numbers(values, "values")
    if x.ndim != 1 or not lower < upper or not ((x >= lower) & (x <= upper)).all():
        raise ValueError(
            f"values must be a vector between lower < upper, got shape {x.shape}, {lower!r}, {upper!r}"
        )
    return np.diff([lower, *np.sort(x), upper])


def smaller_blocks(n: int) -> np.ndarray:
    """Size min(i, N-i) of the smaller block, for a cut with i = 0, ..., `n` records on its left."""
    i = np.arange(errors.check_integer(n, "n", 0) + 1)
    return np.minimum(i, n - i)


def split_law(values: ArrayLike, lower: float, upper: float, epsilon: float) -> np.ndarray:
    r"""Probability of each interval: the number of records on the left of the cut.

    .. math:: p_i = \frac{L_i e^{\epsilon b_i}}{\sum_k L_k e^{\epsilon b_k}}

    DiPriMe v2, section 3.1; the theorem "Law of the smaller block" of :doc:`/book/balance`.
    `values`, `lower`, `upper` as in `intervals`; `epsilon`: budget of the split under add-remove; 0 is a
    uniform random cut, at least 0. Returns an array of shape (N + 1,).
    """
    lengths = intervals(values, lower, upper)
    blocks = smaller_blocks(len(lengths) - 1)
    top = blocks[lengths > 0].max()
    weights = lengths * np.exp(_check_epsilon(epsilon) * np.minimum(blocks - top, 0))
    return weights / weights.sum()


def at_least(t: int, values: ArrayLike, lower: float, upper: float, epsilon: float) -> float:
    """Exact probability that the smaller block holds at least `t` records.

    `t`: at least 0; `values`, `lower`, `upper`, `epsilon` as in `split_law`; ``epsilon=0`` gives the uniform
    random cut.
    """
    law = split_law(values, lower, upper, epsilon)
    return float(law[smaller_blocks(len(law) - 1) >= errors.check_integer(t, "t", 0)].sum())


def more_than(t: int, values: np.ndarray, lower: float, upper: float, epsilon: float) -> float:
    """Exact probability that the smaller block holds more than `t` records, as in `at_least`."""
    return at_least(errors.check_integer(t, "t", 0) + 1, values, lower, upper, epsilon)


def central_range(t: int, values: ArrayLike) -> float:
    """Length d of the range of the N - 2t centermost values, x_{N-t} - x_{t+1}.

    `t`: at least 0 and below N/2; `values`: shape (N,).
    """
    x = np.sort(np.atleast_1d(errors.check_numbers(values, "values")))
    if not 2 * errors.check_integer(t, "t", 0) < len(x):
        raise ValueError(f"t must be below half of the {len(x)} values, got {t!r}")
    return float(x[len(x) - t - 1] - x[t])


# Bounds over all data of one spread ----------------------------------------------------------


def published_bound(spread: ArrayLike, width: ArrayLike, epsilon: ArrayLike) -> float:
    r"""Theorem 3's lower bound on the probability that the smaller block holds at least t records.

    .. math:: \frac{d}{R e^{-\epsilon} + d (1 - e^{-\epsilon})}

    DiPriMe v2, theorem 3; it holds and is loose, see `at_least_bound`. `spread`, `width`: d, the range of the N
    - 2t centermost values, and R, that of the public bounds, 0 <= spread <= width; `epsilon`: at least 0.
    """
    (d, r), q = _check_spread(spread, width), _odds(epsilon)
    return d / (r * q + d * (1 - q))


def more_than_bound(spread: float, width: float, epsilon: float) -> float:
    r"""Tight lower bound on the probability that the smaller block holds more than t records.

    .. math:: \frac{d}{d + (R - d) e^{-\epsilon}}

    It equals `published_bound`: theorem 3's formula belongs to this event. Attained by `worst_more_than` for every
    N of at least 2t + 2. `spread`, `width`, `epsilon` as in `published_bound`.
    """
    (d, r), q = _check_spread(spread, width), _odds(epsilon)
    return d / (d + (r - d) * q)


def at_least_bound(spread: float, width: float, epsilon: float) -> float:
    r"""Tight lower bound on the probability that the smaller block holds at least t records, t >= 1.

    .. math:: \frac{d}{d + (R - d) e^{-2\epsilon}}

    The worst data have no room for blocks of exactly t: the cut falls among t - 1 or t + 1. Corrects theorem 3;
    attained by `worst_at_least`. `spread`, `width`, `epsilon` as in `published_bound`.
    """
    return more_than_bound(spread, width, 2 * np.minimum(_check_epsilon(epsilon), LARGEST / 2))


def worst_more_than(n: int, t: int, spread: float, lower: float, upper: float) -> np.ndarray:
    """Data on which `more_than_bound` is attained.

    t values at each end, two at the edges of a central range of length `spread`; where n is larger, all others
    lie at its upper edge. `n`, `t`: 0 <= t and n >= 2t + 2; `spread`: at most upper - lower.
    """
    return _clumps(n, t, t, spread, lower, upper)


def worst_at_least(n: int, t: int, spread: float, lower: float, upper: float) -> np.ndarray:
    """Data on which `at_least_bound` is attained, t >= 1.

    As `worst_more_than`, with one value at each end fewer and one at each edge more.
    """
    return _clumps(n, t, errors.check_integer(t, "t", 1) - 1, spread, lower, upper)


def _clumps(n: int, t: int, outside: int, spread: float, lower: float, upper: float) -> np.ndarray:
    if errors.check_integer(n, "n", 2) < 2 * errors.check_integer(t, "t", 0) + 2:
        raise ValueError(f"n must be at least 2t + 2 = {2 * t + 2}, got {n!r}")
    spread = errors.check_between(spread, "spread", 0, errors.check_interval(lower, upper))
    left, right = (lower + upper - spread) / 2, (lower + upper + spread) / 2
    edge = t + 1 - outside
    ends = [lower] * outside, [upper] * outside
    return np.array(ends[0] + [left] * edge + [right] * (n - 2 * outside - edge) + ends[1])


# What a private median gains over a random cut -----------------------------------------------


def guaranteed_gain(spread: int | np.ndarray, width: float, epsilon: float) -> float | np.ndarray:
    r"""What a private median adds, on the worst data, to the chance of more than t records.

    .. math:: \frac{u}{u + (1-u) e^{-\epsilon}} - u, \qquad u = d/R

    The random cut succeeds with probability u. DiPriMe v2, the sentence after corollary 3.1. `spread`, `width`,
    `epsilon` as in `published_bound`.
    """
    d, r = _check_spread(spread, width)
    return more_than_bound(d, r, epsilon) - d / r


def best_spread(epsilon: float) -> float:
    r"""The d/R at which `guaranteed_gain` is largest, :math:`1/(1 + e^{\epsilon/2})`, at most 1/2."""
    return 1 / (1 + np.exp(np.minimum(_check_epsilon(epsilon), LARGEST) / 2))


def greatest_gain(epsilon: float) -> float:
    r"""The largest `guaranteed_gain` over all spreads, :math:`\tanh(\epsilon/4)`."""
    return np.tanh(_check_epsilon(epsilon) / 4)


def failure_ratio(spread: int | np.ndarray, width: float, epsilon: float) -> float | np.ndarray:
    r"""Tight upper bound on how much likelier than a random cut it is to leave at most t records.

    .. math:: \frac{\Pr[N_c^{med} \le t]}{\Pr[N_c^{rand} \le t]}
              \le \frac{e^{-\epsilon}}{u + (1-u) e^{-\epsilon}}, \qquad u = d/R < 1

    It falls from 1 to :math:`e^{-\epsilon}` as the spread grows. `spread`, `width`, `epsilon` as in
    `published_bound`.
    """
    (d, r), q = _check_spread(spread, width), _odds(epsilon)
    return r * q / (d + (r - d) * q)


# Two levels of one attribute -----------------------------------------------------------------


def two_levels(t: int, values: tuple, lower: float, upper: float, epsilon: float) -> float:
    r"""Exact probability that each of the four leaves of two levels holds more than `t` records.

    Both levels cut the same attribute, each with budget `epsilon`. With the first cut in
    :math:`(x_i, x_{i+1})`, y behind x_i, the left child succeeds with probability
    :math:`A/(B + y)`: A weighs its good intervals, B all up to x_i, and what lies between x_i and
    the cut has weight 1. The right child likewise, :math:`A'/(B' + L_i - y)`, and

    .. math:: \frac{1}{L_i}\int_0^{L_i} \frac{A}{B+y} \frac{A'}{B'+L_i-y}\,dy
       = \frac{A A'}{L_i (B+B'+L_i)} \ln\frac{(B+L_i)(B'+L_i)}{B B'} .

    `t`: at least 0. `values`, `lower`, `upper`, `epsilon` as in `split_law`. Weights grow as e^{epsilon N/4},
    which must be a float.
    """
    t = errors.check_integer(t, "t", 0)
    lengths = intervals(values, lower, upper)
    law = split_law(values, lower, upper, epsilon)
    total = 0.0
    for i in np.flatnonzero(lengths):
        good, whole = _child(t, lengths[:i], epsilon)
        good_right, whole_right = _child(t, lengths[:i:-1], epsilon)
        if good * good_right > 0:
            step = lengths[i]
            ends = np.log1p(step / whole) + np.log1p(step / whole_right)
            total += law[i] * good * good_right / (step * (whole + whole_right + step)) * ends
    return float(total)


def _child(t: int, lengths: np.ndarray, epsilon: float) -> tuple:
    """Weights of a child's good intervals and of all, but for the one that the first cut ends."""
    blocks = smaller_blocks(len(lengths))[:-1]
    weights = lengths * np.exp(_check_epsilon(epsilon) * blocks)
    return weights[blocks > t].sum(), weights.sum()


def two_levels_safe(n: int, t: int) -> float:
    r"""Budget of each level up to which no data lose by two private levels: what is proved.

    Infinite for n up to 4t + 5. For n from 4t + 6 to 5t + 4, with s = t + 1, the root of

    .. math:: \epsilon\,(5s - n) = 2 \ln\cosh(\epsilon s/2) .

    0 for larger n: there some data lose at every positive epsilon. `n`, `t`: at least 0.
    """
    s = errors.check_integer(t, "t", 0) + 1
    spare = 5 * s - errors.check_integer(n, "n", 0)
    if n <= 4 * s + 1:
        return math.inf
    if spare <= 0:
        return 0.0
    from scipy.optimize import brentq

    def gain(epsilon: float) -> float:
        return epsilon * spare - 2 * (np.logaddexp(epsilon * s / 2, -epsilon * s / 2) - math.log(2))

    return float(brentq(gain, 4 * spare / s**2, 2 * math.log(2) / (s - spare), xtol=1e-14))


def two_levels_trap(n: int, t: int, epsilon: float = 1.0) -> np.ndarray:
    """Values in [0, 1] whose four leaves keep more than t records likelier under random cuts.

    With s = t + 1, only a first cut after 2s values leads to four leaves of at least s, and a cut in a longer
    interval nearer to the median doesn't. For n of at least 5t + 6 this shows at every positive epsilon; for n of
    5t + 5 at the given one; for smaller n, of at least 4t + 6, at large ones, for n of 14 and t of 2 from 1.23.
    `n`, `t`: t >= 0 and n >= 4t + 6; `epsilon`: for n of at most 5t + 5: the gaps fit this budget, positive.
    Returns an array of shape (n,), sorted; lower is 0 and upper 1.
    """
    s = errors.check_integer(t, "t", 0) + 1
    n = errors.check_integer(n, "n", 4 * t + 6)
    small = min(1.0, errors.check_positive(epsilon, "epsilon")) / (100 * s)
    if n > 5 * s:
        sizes, gaps = (s, s, s, n - 3 * s), (1e3 * s, 1.0, 1e6 * s**2)
    else:
        third = s - 1 if n == 5 * s else 1
        sizes, gaps = (s, s, third, s - third, n - 3 * s), (small, small**2, 0.5, 0.5)
    places = np.cumsum([0.0, *gaps]) / sum(gaps)
    places[-1] = 1.0
    return np.repeat(places, sizes)
