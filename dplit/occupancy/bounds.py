r"""Bounds on the tail of a leaf count: those of DiPriMe v1, theorem 2, and one that every n obeys.

Notation: :math:`\gamma = \frac83 (1 - 4^{-d})`, so that :math:`\gamma/\epsilon_1^2` is the variance of the
Laplace model, and :math:`\beta^2 = \frac12(\sqrt{1 - 2/e} + 1)`; distances in units of the standard deviation are
:math:`u = \epsilon_1 t/\sqrt\gamma`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import lambertw

from dplit.ground.errors import check_integer, check_positive
from dplit.occupancy.law import LARGEST
from dplit.occupancy.model import at_least_zero

BETA = math.sqrt((math.sqrt(1 - 2 / math.e) + 1) / 2)


def gamma(depth: int) -> float:
    r""":math:`\frac83(1 - 4^{-d})`, the model's variance times :math:`\epsilon_1^2`."""
    return 8 / 3 * (1 - 0.25 ** check_integer(depth, "depth", 1))


def chebyshev_bound(t: ArrayLike, depth: int, epsilon: float) -> np.ndarray:
    r""":math:`\gamma/(\epsilon_1 t)^2` (theorem 2, first line); infinite at t = 0."""
    with np.errstate(divide="ignore", over="ignore"):
        return gamma(depth) / (check_positive(epsilon, "epsilon") * at_least_zero(t)) ** 2


def subexponential_bound(t: ArrayLike, depth: int, epsilon: float) -> np.ndarray:
    r""":math:`2\max(e^{-\epsilon_1^2 t^2/(4\gamma)}, e^{-\beta\epsilon_1 t/2})` (theorem 2, second line).

    The first is larger up to :math:`t = 2\beta\gamma/\epsilon_1`, and the second beyond.
    """
    scaled = check_positive(epsilon, "epsilon") * at_least_zero(t)
    return 2 * np.exp(-np.minimum(scaled**2 / (4 * gamma(depth)), BETA * scaled / 2))


def published_bound(t: ArrayLike, depth: int, epsilon: float) -> np.ndarray:
    """Theorem 2 of DiPriMe v1: the tighter of `chebyshev_bound` and `subexponential_bound`.

    Derived in :doc:`/book/occupancy`; not cut off at 1.
    """
    return np.minimum(chebyshev_bound(t, depth, epsilon), subexponential_bound(t, depth, epsilon))


def published_window() -> tuple:
    r"""(0.76, 3.61), in units of u: :math:`2\sqrt{-W_0(-1/8)}` and :math:`2\sqrt{-W_{-1}(-1/8)}` (A.2.2)."""
    return tuple(2 * math.sqrt(-lambertw(-1 / 8, k).real) for k in (0, -1))


def chebyshev_window(depth: int) -> tuple:
    r"""Where Chebyshev is the tighter bound of the two, in units of u.

    From :math:`2\sqrt{-W_0(-1/8)}` to :math:`-\frac2a W_{-1}\left(-\frac{a}{2\sqrt2}\right)`,
    :math:`a = \beta\sqrt\gamma/2`: there the linear branch applies. Ours; thm-occupancy-window in
    :doc:`/book/occupancy`.
    """
    a = BETA * math.sqrt(gamma(depth)) / 2
    return published_window()[0], -2 / a * float(lambertw(-a / math.sqrt(8), -1).real)


def corrected_bound(t: ArrayLike, n: int, depth: int, epsilon: float) -> np.ndarray:
    r"""A bound on :math:`\Pr(|\tilde N - n/2^d| \ge t)` for the rank mechanism, valid for every n.

    .. math::
        B_d(t) = \kappa M \left(e^{-\epsilon_1 t_+} + e^{-\epsilon_1 t_-}\right)
                 + \frac{B_{d-1}(2t)}{1 + e^{\epsilon_1}}, \qquad
        M = \prod_{j=1}^{d-1} \frac{\cosh(2^{-j}\epsilon_1/2)}
            {1 - \left(\sinh(2^{-j}\epsilon_1/2) / \sinh(\epsilon_1/2)\right)^2}

    and :math:`\kappa = \frac12 e^{\epsilon_1/2}`; :math:`t_+, t_- \ge t` are the least
    distances at which a count is whole, upwards and downwards; a term beyond n or below 0 is left
    out. If n is even, the root's cosh is left out, which for d = 1 divides :math:`\kappa` by
    :math:`\cosh(\epsilon_1/2)`. Ours; thm-occupancy-mechanism in :doc:`/book/occupancy`.
    """
    n, depth = check_integer(n, "n", 0), check_integer(depth, "depth", 0)
    epsilon, t = min(check_positive(epsilon, "epsilon"), LARGEST), at_least_zero(t)
    if depth == 0:
        return np.where(t > 0, 0.0, 1.0)
    mean = n / 2**depth
    over, under = np.ceil(mean + t), np.floor(mean - t)
    sides = np.where(over <= n, np.exp(-epsilon * (over - mean)), 0.0)
    sides = sides + np.where(under >= 0, np.exp(-epsilon * (mean - under)), 0.0)
    above = corrected_bound(2 * t, n, depth - 1, epsilon)
    bound = rounding(n, depth, epsilon) * sides + above / (1 + math.exp(epsilon))
    return np.where(t > 0, np.minimum(bound, 1.0), 1.0)


def divisible_bound(t: ArrayLike, depth: int, epsilon: float) -> np.ndarray:
    r"""A bound on :math:`\Pr(|\tilde N - n/2^d| \ge t)` for the rank mechanism where 2^d divides n.

    With k the least whole number of at least t, :math:`s = \beta\epsilon_1/2` and
    :math:`\rho = \sinh(s/2)/\sinh(\epsilon_1/2)`, the smaller of

    .. math:: \frac{1 - 2^{-d}}{k^2 \sinh^2(\epsilon_1/2)} , \qquad
        \frac{\rho^2}{(1 - 2\rho^2) \sinh^2(sk/2)} .

    It proves theorem 2 for such n from :math:`\epsilon_1 = 2.26` on. Ours; thm-occupancy-proved
    in :doc:`/book/occupancy`.
    """
    depth = check_integer(depth, "depth", 1)
    epsilon = min(check_positive(epsilon, "epsilon"), LARGEST)
    k, s = np.ceil(at_least_zero(t)), BETA * epsilon / 2
    with np.errstate(over="ignore", divide="ignore"):
        unit = np.sinh(epsilon / 2)
        ratio = (np.sinh(s / 2) / unit) ** 2
        variance = (1 - 2.0**-depth) / (k * unit) ** 2
        moment = ratio / (1 - 2 * ratio) / np.sinh(s * k / 2) ** 2
    return np.minimum(np.minimum(variance, moment), 1.0)


def rounding(n: int, depth: int, epsilon: float) -> float:
    """kappa times M of `corrected_bound`: what noise and rounding above the last split contribute."""
    product = math.exp(epsilon / 2) / 2
    for j in range(1, depth):
        inner = 2.0**-j * epsilon / 2
        ratio = math.sinh(inner) / math.sinh(epsilon / 2)
        product *= math.cosh(inner) / (1 - ratio**2)
    root = 2.0 ** (1 - depth) * epsilon / 2
    return product if n % 2 else product / math.cosh(root)
