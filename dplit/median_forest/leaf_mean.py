r"""What a leaf of a median forest releases as its mean, and how deep a tree should be.

Notation: a leaf holds :math:`N` records with targets in :math:`[L, U]`, :math:`R = U - L`; their mean is
:math:`L + R m`. *Clamped* is the mean plus Laplace noise of scale :math:`R/(N\epsilon)`, as both papers release
it, cut off at the bounds. Everything is in units of :math:`R`, add-remove; derived in :doc:`/book/median_forest`.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np

from dplit.ground.errors import MOST, check_between, check_finite, check_integer, check_numbers, check_positive

# The published release, clamped --------------------------------------------------------------


def clamped_loss(n: int, epsilon: float, mean: float = 0.0, added: float = 1.0) -> float:
    r"""Exact loss of the clamped release, as a record joins `n` others.

    .. math:: \max\Bigl(\epsilon a,\ \epsilon(1 - a),\ \log\tfrac{n+1}{n} + \epsilon\tfrac{n}{n+1}|a - m|\Bigr)

    The first two are the atoms at the ends, the third the density at the new mean. At the old mean and
    next to both ends it moves by less than the atoms do. Not clamped, the loss is infinite.
    `n`: records before, at least 1. `mean`, `added`: Mean of the n targets and the added one, m and a, between
    0 and 1. The defaults are the worst, for every n and epsilon.
    """
    mean, added = check_between(mean, "mean", 0, 1), check_between(added, "added", 0, 1)
    more = math.log1p(1 / check_integer(n, "n", 1))
    epsilon = check_positive(epsilon, "epsilon")
    move = epsilon * abs(added - mean)
    atoms = epsilon * max(added, 1 - added)
    return max(atoms, more + move * n / (n + 1))


def clamped_epsilon(epsilon: float) -> float:
    r"""What the clamped release costs over all leaves, :math:`\max(\epsilon, \log 2 + \epsilon/2)`.

    Attained by one record at one end that is joined by one at the other; it is `epsilon` from
    :math:`2\log 2` on. An empty leaf must release what one record in the middle would.
    """
    return max(check_positive(epsilon, "epsilon"), math.log(2) + epsilon / 2)


# Errors --------------------------------------------------------------------------------------


def clamped_error(n: int, mean: float, epsilon: float) -> float:
    """Mean squared error of the clamped release, closed form; units of R squared. `mean`: between 0 and 1."""
    mean = check_between(mean, "mean", 0, 1)
    rate = check_integer(n, "n", 1) * check_positive(epsilon, "epsilon")
    # E min(|x|, c)^2 over one side of a Laplace law: (1 - e^{-rc}(1 + rc)) / r^2
    reach = rate * np.array([mean, 1 - mean])
    return float(((1 - np.exp(-reach) * (1 + reach)) / rate**2).sum())


def votes_error(n: int, mean: float, epsilon: float) -> float:
    """Mean squared error of `BoundedMean` without a centre, by quadrature; as `clamped_error`."""
    mean = check_between(mean, "mean", 0, 1)
    scale = 1 / check_positive(epsilon, "epsilon")
    n = check_integer(n, "n", 0)
    return _ratio_error(n * mean, n * (1 - mean), scale, mean)


def first_order_errors(mean: float | list) -> tuple:
    r"""Variances times :math:`(N\epsilon)^2` of published mean, votes, and sum over count, N large.

    .. math:: 2, \qquad 2\bigl(m^2 + (1-m)^2\bigr), \qquad 4\bigl(m^2 + (1-m)^2\bigr)

    The last spends half of epsilon on the count and half on the sum about the middle.
    """
    mean = check_numbers(mean, "mean", 0, 1)
    votes = 2 * (np.square(mean) + np.square(1 - mean))
    return 2.0 + 0 * votes, votes, 2 * votes


def halves_error(n: int, mean: float, epsilon: float) -> float:
    """Mean squared error of noisy sum over noisy count, half of epsilon each; as `clamped_error`.

    The sum is taken about the middle of the interval and so moves by at most 1/2.
    """
    mean = check_between(mean, "mean", 0, 1)
    n = check_integer(n, "n", 0)
    scale = 1 / check_positive(epsilon, "epsilon")

    def error(noise: float) -> float:
        """Given the count's noise: the quotient is a Laplace law, clamped."""
        count = n + noise
        if count <= 0:
            return (0.5 - mean) ** 2
        centre = 0.5 + n * (mean - 0.5) / count
        return _clamped_moment(centre, scale / count, mean)

    return _expected(error, 2 * scale, (-n, 0.0))


def _clamped_moment(centre: float, scale: float, mean: float) -> float:
    """E (clip(centre + Laplace(scale), 0, 1) - mean)^2, by parts: the value inside, and the tails."""
    inside = min(max(centre, 0.0), 1.0)
    total, reached = (inside - mean) ** 2, 0.5 * math.exp(-abs(centre - inside) / scale)
    if centre < 1:
        total += reached * _tail(inside, 1, 1 - inside, scale, mean)
    if centre > 0:
        total += reached * _tail(inside, -1, inside, scale, mean)
    return total


def _tail(start: float, sign: int, reach: float, scale: float, mean: float) -> float:
    """Integral of e^{-x/scale} d/dx (start + sign x - mean)^2 over 0 <= x <= reach."""
    end = math.exp(-reach / scale)
    flat = 2 * sign * (start - mean) * scale * (1 - end)
    return flat + 2 * scale**2 * (1 - end * (1 + reach / scale))


def _ratio_error(above: float, below: float, scale: float, mean: float) -> float:
    """E (A/(A + B) - mean)^2, clipped, with Laplace noise on both; the middle where A + B <= 0."""
    from scipy.integrate import quad

    u, v = above / scale, below / scale
    none = 1 - _positive_total(u + v)
    near = {mean + k / max(u + v, 1) for k in (-30, -10, -3, -1, 1, 3, 10, 30)}
    kinks = sorted({0.0, 0.5, float(mean), 1.0, *(x for x in near if 0 < x < 1)})
    body = sum(
        quad(lambda t: 2 * (t - mean) * _share_cdf(t, u, v), lo, hi, epsabs=1e-12)[0] for lo, hi in pairwise(kinks)
    )
    # E h(T) = h(1) P - int h'(t) P(T <= t) dt over the part with votes left
    return (1 - mean) ** 2 * (1 - none) - body + none * (0.5 - mean) ** 2


def _share_cdf(t: float, u: float, v: float) -> float:
    """P(A/(A + B) <= t, A + B > 0) for A, B with unit noise about u, v >= 0, and 0 <= t < 1."""
    # A < 0 < A + B: e^{-(a+u)}/2 at A = -a against P(B > a), on both sides of a = v
    total = 0.5 * math.exp(-u) * (1 - math.exp(-v) - 0.5 * v * math.exp(-v))
    total += 0.125 * math.exp(-u - v)
    if t == 0:
        return total
    slope = (1 - t) / t
    for lo, hi in pairwise(sorted({0.0, u, v / slope, math.inf})):
        middle = (lo + hi) / 2  # rounding must not put an end on the wrong side
        side = 1 if middle < u else -1  # density of A: e^{side (a - u)}/2
        if middle * slope < v:  # P(B >= slope a) = 1 - e^{slope a - v}/2
            total += 0.5 * _integral(side, -side * u, lo, hi)
            total -= 0.25 * _integral(side + slope, -side * u - v, lo, hi)
        else:
            total += 0.25 * _integral(side - slope, -side * u + v, lo, hi)
    return total


def _integral(rate: float, shift: float, lo: float, hi: float) -> float:
    """Integral of e^{rate a + shift} over [lo, hi]; an infinite hi needs a negative rate."""
    if hi == math.inf:
        return -math.exp(rate * lo + shift) / rate
    if abs(rate) * (hi - lo) < 1e-9:
        return (hi - lo) * math.exp(rate * lo + shift)
    if rate > 0:  # from the larger end: neither factor overflows
        return -math.exp(rate * hi + shift) * math.expm1(-rate * (hi - lo)) / rate
    return math.exp(rate * lo + shift) * math.expm1(rate * (hi - lo)) / rate


def _pdf(x: float, scale: float) -> float:
    return math.exp(-abs(x) / scale) / (2 * scale)


def _positive_total(total: float) -> float:
    """P(total + two unit Laplace variables > 0), total >= 0."""
    return 1 - (0.5 + total / 4) * math.exp(-total)


def _expected(function: Callable, scale: float, points: tuple) -> float:
    """Expectation over Laplace noise, by quadrature between the kinks of the function."""
    from scipy.integrate import quad

    ends = sorted({-60 * scale, *points, 60 * scale})
    return sum(
        quad(lambda x: function(x) * _pdf(x, scale), lo, hi, epsabs=1e-12, limit=200)[0]
        for lo, hi in pairwise(ends)
    )


# Depth ---------------------------------------------------------------------------------------


def occupancy_depth(records: int | Fraction, least: int, children: int = 2) -> int:
    """Deepest tree whose leaves hold more than `least` of the records on average.

    DiPriMe v2, section 4. Private records must not set it: one record more may change the depth, and with it the
    shape of the release. `records`: of one tree, a public number; `children`: of each node, at least 2.
    """
    records, depth = Fraction(check_between(records, "records", 0, MOST)), 0
    children, least = check_integer(children, "children", 2), check_finite(least, "least")
    if not 0 < least < records:
        raise ValueError(f"records must be more than least={least!r}, got {records}")
    while records > least * children ** (depth + 1):
        depth += 1
    return depth
