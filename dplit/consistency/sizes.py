"""How large X's cell is, where cuts know no label: independent features, sizes in ranks (B1 = B2 = 0).

:math:`V` is the share of one feature's range that X's cell keeps, the range measured by the feature's own
distribution function. A cut of this feature, one in D, leaves X a share of density 2u. Ours.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import ArrayLike
from scipy.special import digamma, gammaln

from dplit.ground.errors import MOST, check_between, check_integer, check_numbers, check_positive

MOST_POWER = 100.0  # beyond it its Gamma function is no float


def _checked(features: int, power: float) -> tuple[int, float]:
    power = check_between(check_positive(power, "power"), "power", 0, MOST_POWER)
    return check_integer(features, "features", 1), power


def mean_power(levels: ArrayLike, features: int, power: float = 1) -> float:
    r"""Expected :math:`V^p` after m cuts: :math:`(1 - \frac{p}{D(p+2)})^m`.

    So :math:`(1 - 1/(3D))^m` for the size, :math:`(1 - 1/(2D))^m` for its square.
    `levels`: m, cuts above the cell; `power`: p, positive.
    """
    features, power = _checked(features, power)
    return (1 - power / (features * (power + 2))) ** check_numbers(levels, "levels", 0, MOST)


def leaf_power(n: int, k: int, features: int, power: float = 1) -> float:
    r"""Expected :math:`V^p` of X's leaf, exact at every n and k, by the chain of the leaf's count.

    With N points in the cell the cut keeps j of them and multiplies :math:`V^p` on average by

    .. math:: \Pr(j) \Big[1 - \frac1D + \frac1D\,
              \frac{\Gamma(j+p+2)\,\Gamma(N+3)}{\Gamma(j+2)\,\Gamma(N+p+3)}\Big] .

    The time grows as n.
    """
    n, k = check_integer(n, "n", 0), check_integer(k, "k", 0)
    features, power = _checked(features, power)
    return float(_leaf_power(n, k, features, power))


@njit(cache=True, nogil=True)
def _leaf_power(n: int, k: int, features: int, power: float):
    other = 1 - 1 / features
    value, kept, cut = 1.0, 0.0, 0.0  # two running sums, each with its own weights
    grow = math.exp(math.lgamma(power + 2))  # Gamma(j + p + 2) / Gamma(j + 1), j = 0
    total = math.exp(math.lgamma(power + 3))  # Gamma(N + p + 3) / Gamma(N + 1), N = 0
    for j in range(n + 1):
        if j > k:
            scale = 2 / ((j + 1.0) * (j + 2.0))
            rest = other * scale * kept + 2 / total / features * cut
            stay = other * scale * (j + 1) + 2 / total / features * grow
            value = rest / (1 - stay)
        kept += (j + 1) * value
        cut += grow * value
        grow *= (j + power + 2) / (j + 1)
        total *= (j + power + 3) / (j + 1)
    return value


def size_exponent(features: int, power: float = 1) -> float:
    r"""The :math:`\rho` with :math:`\mathrm{E}\,V^p` of the leaf of order :math:`(k/n)^\rho`.

    .. math:: \rho = \tfrac12\Big[p + 2 - \sqrt{(p+2)^2 - 8p/D}\Big]

    For the square, :math:`2 - 2\sqrt{1 - 1/D}`, which is above 1/D.
    """
    features, power = _checked(features, power)
    return (power + 2 - math.sqrt((power + 2) ** 2 - 8 * power / features)) / 2


def leaf_power_bound(n: int, k: int, features: int, power: int = 1) -> float:
    r"""Bound :math:`h(n)/h(k)` on `leaf_power`, :math:`h(N) = \Gamma(N+1)/\Gamma(N+1+\rho)`, for n > k.

    Parameters as `leaf_power`.
    """
    n, k = check_integer(n, "n", 0), check_integer(k, "k", 0)
    rho = size_exponent(features, power)
    return math.exp(_log_h(max(n, k), rho) - _log_h(k, rho))


def _log_h(n: int, rho: float) -> float:
    return float(gammaln(n + 1) - gammaln(n + 1 + rho))


def squared_error_bound(n: int, k: int, features: int, lipschitz: float = 1.0) -> float:
    r"""Bound on :math:`\mathrm{E}(\hat\eta(X) - \eta(X))^2` of one tree at B1 = B2 = 0, two classes.

    .. math:: \frac{L^2 D}{12}\, \frac{h(n)}{h(k)} + \frac{k + H_k}{2(k+1)(k+2)} + \frac{1}{2(k+1)(k+2)}

    The first term is the leaf's extent, the second the labels' noise, the third the empty leaf, which predicts
    one half. Cuts uniform in the cell's ranks, independent features. `n`: estimation points of the tree, more
    than k; `lipschitz`: L: :math:`|\eta(x) - \eta(z)| \le L\,\|x - z\|`, both in ranks.
    """
    features = check_integer(features, "features", 1)
    lipschitz = check_between(lipschitz, "lipschitz", 0, MOST)
    k = check_integer(k, "k", 1)
    extent = lipschitz**2 * features / 12 * leaf_power_bound(n, k, features, 2)
    harmonic = float(digamma(k + 1) + np.euler_gamma)
    return extent + (k + harmonic + 1) / (2 * (k + 1) * (k + 2))


def linear_squared_error(n: int, k: int, features: int) -> float:
    r"""What `squared_error_bound` bounds, exactly, where :math:`\eta` is the mean of the features.

    .. math:: \frac{\mathrm{E}\,V^2}{12D} + \frac{k + H_k}{2(k+1)(k+2)} - \frac{w}{D}

    With c the middle of X's leaf, a leaf of N points has the variance :math:`c(1-c)/N`, and w is the mean of
    :math:`(c_1 - \frac12)^2/N` in one feature; an empty leaf, which predicts one half, adds this square in place
    of a variance, so that its N is -1. The time grows as n.
    """
    n, k, features = check_integer(n, "n", 0), check_integer(k, "k", 1), check_integer(features, "features", 1)
    extent = leaf_power(n, k, features, 2) / (12 * features)
    if n <= k:
        return extent + (1 / (4 * n) if n else 0.0)
    harmonic = float(digamma(k + 1) + np.euler_gamma)
    return extent + (k + harmonic) / (2 * (k + 1) * (k + 2)) - _off_the_middle(n, k, features) / features


@njit(cache=True, nogil=True)
def _off_the_middle(n: int, k: int, features: int):
    """Mean of (c - 1/2)^2/N over leaves, c the middle in one feature; an empty leaf has -1 for 1/N.

    From a cell of M points and length 1 the cut of this feature, to a share b on either side, moves the middle by
    (1 - b)/2 and shrinks by b^2 what the cuts below it do; j points stay.
    """
    split = 0.0  # mean of 1/N from a cell that is split
    for m in range(1, k + 1):
        split += 2 * (m + 1) / m
    split = (split - 2) / ((k + 1) * (k + 2))
    other, cut = 0.0, 0.0  # running sums of what is below, as in `_leaf_power`
    sums = np.zeros(3)  # of (j + 1) j^p times the mean of 1/N from j points
    value = 0.0
    for j in range(n + 1):
        inverse = split if j > k else 1 / j if j else -1.0
        for p in range(3):
            sums[p] += (j + 1.0) * j**p * inverse
        grow = (j + 1.0) * (j + 2) * (j + 3)
        if j > k:
            first = 2 * (1 - 1 / features) / ((j + 1.0) * (j + 2))
            second = 2 / features / ((j + 1.0) * (j + 2) * (j + 3) * (j + 4))
            moved = (j + 1.0) * (j + 2) * sums[0] - (2.0 * j + 3) * sums[1] + sums[2]
            value = (first * other + second * (cut + moved / 4)) / (1 - first * (j + 1) - second * grow)
        other += (j + 1) * value
        cut += grow * value
    return value


def best_leaf_size(n: int, features: int, lipschitz: float = 1.0) -> int:
    r"""The k that minimises `squared_error_bound`, of order :math:`n^{\rho/(1+\rho)}`.

    Parameters as `squared_error_bound`.
    """
    n = check_integer(n, "n", 1)
    sizes = np.unique(np.geomspace(1, max(n - 1, 1), 400).astype(int))
    bounds = [squared_error_bound(n, int(k), features, lipschitz) for k in sizes]
    return int(sizes[int(np.argmin(bounds))])
