"""The printed chain of the proof of theorem 1, equations 9 to 15, and what is true in each place.

:math:`V_m` is the size of one feature of X's cell after m cuts, :math:`P_1` and :math:`P_2` the constants of
lemmas 3 and 4 (`dplit.multinomial`), N the equal parts of lemma 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import MOST, check_between, check_callable, check_integer, check_numbers, check_positive
from dplit.multinomial import published_p1, published_p2, tight_p1, tight_p2
from dplit.multinomial.selection import check_budget


def largest_child_bound(p2: float, parts: int) -> float:
    r"""Equation 9: :math:`\mathrm{E}\,V^*_m \le (1 - P_2/N)\, V_{m-1}`, the factor. `parts`: N."""
    p2 = check_between(p2, "p2", 0, 1)
    return 1 - p2 / check_integer(parts, "parts", 3)


def contraction(p1: float, p2: float, parts: int) -> float:
    r"""Equation 10: :math:`\mathrm{E}\,V_m \le (1 - P_1 P_2/N)\, V_{m-1}`, the factor."""
    p1, p2 = check_between(p1, "p1", 0, 1), check_between(p2, "p2", 0, 1)
    return 1 - p1 * p2 / check_integer(parts, "parts", 3)


def published_size(
    levels: ArrayLike, features: int, feature_budget: float, value_budget: float, parts: int = 4
) -> float:
    r"""Equation 11 with the published constants: :math:`(1 - P_1 P_2/N)^m`.

    `levels`: m; `parts`: N; 4 is the best.
    """
    p1, p2 = published_p1(features, feature_budget), published_p2(parts, value_budget)
    return contraction(p1, p2, parts) ** check_numbers(levels, "levels", 0, MOST)


def tight_size(
    levels: int,
    features: int,
    feature_budget: float,
    value_budget: float,
    parts: int = 4,
    density_ratio: float = 1.0,
) -> float:
    r"""Equation 11 with the tight constants of both lemmas, for a density in [c, C] and many candidates.

    `levels`, `features`, `feature_budget`, `value_budget`, `parts`: as `published_size`; `density_ratio`:
    :math:`C/c`.
    """
    p1 = tight_p1(features, feature_budget)
    return contraction(p1, tight_p2(parts, value_budget, density_ratio), parts) ** check_numbers(
        levels, "levels", 0, MOST
    )


def any_law_size(levels: int, features: int, feature_budget: float = 0.0, value_budget: float = 0.0) -> float:
    r"""What replaces equations 9 to 11, for every law without atoms and cells with many structure points.

    .. math:: \mathrm{E}\,V_m \le \Big(1 - \frac{P_1}{2(1 + e^{B_2/4})}\Big)^m, \qquad
              P_1 = \frac{1}{1 + (D-1)e^{B_1/2}}

    X falls to the longer side of a cut with the probability of that side, at most max(u, 1 - u) at rank u,
    so lengths don't enter. Met by two clumps at the ends of the cell and cuts that prefer the outer ranks.
    `levels`, `features`, `feature_budget`, `value_budget`: as `published_size`.
    """
    quarter = check_budget(value_budget, "value_budget") / 4
    taken = tight_p1(features, feature_budget) * math.exp(-quarter) / (2 * (1 + math.exp(-quarter)))
    return (1 - taken) ** check_numbers(levels, "levels", 0, MOST)


def levels_to_halve(rate: float) -> float:
    r"""Cuts until a bound :math:`(1 - r)^m` comes to one half: :math:`\ln 2/(-\ln(1 - r))`.

    `rate`: r, between 0 and 1; it may be far below the rounding of 1 - r.
    """
    if not 0 < check_between(rate, "rate", 0, 1) < 1:
        raise ValueError(f"rate must be between 0 and 1, both excluded, got {rate!r}")
    return math.log(2) / -math.log1p(-rate)


def published_middle(edge: float, cdf: Callable) -> Fraction:
    r"""Equation 12: :math:`\Pr(M_1 \ge s) = F(1 - s) - F(s)`, as printed.

    `edge`: :math:`s = \sigma^{1/m}`, at most 1/2; `cdf`: F, the distribution function of the cut.
    """
    cdf, edge = check_callable(cdf, "cdf"), check_between(edge, "edge", 0, 0.5)
    return cdf(1 - edge) - cdf(edge)


def middle(edge: Fraction, cdf: Callable, below: Callable) -> Fraction:
    r"""Equation 12 with an atom at s counted: :math:`F(1 - s) - F(s-)`.

    `edge`, `cdf`: as `published_middle`; `below`: :math:`F(s-)`, the probability of a cut below s.
    """
    cdf, below = check_callable(cdf, "cdf"), check_callable(below, "below")
    edge = check_between(edge, "edge", 0, 0.5)
    return cdf(1 - edge) - below(edge)


def published_all_large(middles: ArrayLike) -> float:
    r"""Equation 13: the product over m levels of the probabilities of `middle`."""
    return float(np.prod(check_numbers(middles, "middles", 0, 1)))


def all_large_bound(middles: ArrayLike) -> float:
    r"""What replaces equation 13: :math:`1 - \sum_i 2^{i-1} (1 - p_i)` over levels i, by the union bound.

    Level i has :math:`2^{i-1}` nodes that are cut, each with a chance p_i of a cut in the middle.
    """
    missed = 1 - check_numbers(middles, "middles", 0, 1)
    return float(max(0.0, 1 - np.sum(missed * 2.0 ** np.arange(missed.size))))


def chebyshev(n: int, p: float, k: int) -> float:
    r"""Equation 14: :math:`\Pr(|N^E| < k) \le \frac{np(1-p)}{2(k - np/2)^2}` for k < np/2.

    `n`: records; exactly n/2 of them are estimation points; `p`: probability of the cell. It is 1 where k is at
    least np/2 and the step says nothing.
    """
    p = check_between(p, "p", 0, 1)
    n, k = check_integer(n, "n", 1), check_integer(k, "k", 0)
    short = n * p / 2 - k
    return min(1.0, n * p * (1 - p) / (2 * short**2)) if short > 0 else 1.0


def small_cell_bound(delta: float, levels: int) -> float:
    r"""What replaces equations 12 to 15: :math:`\Pr(\mu(N_m(X)) < \delta^m) \le (2^m - 1)\delta^m`, any rule.

    `delta`: between 0 and 1/2.
    """
    delta = check_positive(delta, "delta")
    if delta > 0.5:
        raise ValueError(f"delta must be at most 0.5, got {delta!r}")
    levels = check_integer(levels, "levels", 0)
    return (2 * delta) ** levels - delta**levels


def leaf_tail_bound(share: ArrayLike, value_budget: float) -> float:
    r"""Bound on the limit of :math:`\Pr(|N^E(X)| \le ak)`, for any continuous law.

    It is :math:`ra^2/(1 + (r-1)a^2)` with :math:`r = e^{B_2/2}`. `share`: a, between 0 and 1.
    """
    odds = np.exp(min(check_budget(value_budget, "value_budget") / 2, 700.0))
    few = check_numbers(share, "share", 0, 1) ** 2
    return odds * few / (odds * few + (1 - few))
