r"""The balance of bias and noise behind the rule for rounds and depth, derived in :doc:`/book/boosting`:

.. math:: \frac{b}{T} + b' 2^{-\alpha d} + \nu \frac{T^3 4^d}{s^2}, \qquad s = n\epsilon.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import MOST, check_between, check_numbers, check_positive

LARGEST = 1e30  # of s, of rounds and of a constant: no term is beyond the floats
DEEP = 100.0


def _records(s: float) -> np.ndarray:
    return check_numbers(s, "s", 1 / LARGEST, LARGEST)


def balance(
    rounds: ArrayLike,
    depth: ArrayLike,
    s: ArrayLike,
    bias: float = 1.0,
    deep: float = 0.0,
    alpha: float = 0.6,
    noise: float = 1.0,
) -> np.ndarray:
    r"""Excess error of the model above.

    `rounds`, `depth`: :math:`T > 0` and :math:`d \ge 0`; real numbers are allowed; `s`: :math:`n\epsilon`;
    `bias`, `deep`, `alpha`, `noise`: :math:`b, b', \alpha, \nu`. The shapes broadcast.
    """
    bias, deep = check_between(bias, "bias", 0, MOST), check_between(deep, "deep", 0, MOST)
    alpha, noise = check_between(alpha, "alpha", 0, MOST), check_between(noise, "noise", 0, MOST)
    rounds, depth = (check_numbers(rounds, "rounds", 0, LARGEST), check_numbers(depth, "depth", 0, DEEP))
    variance = noise * rounds**3 * 4.0**depth / np.square(_records(s))
    return bias / rounds + deep * 2.0 ** (-alpha * depth) + variance


def best_rounds(depth: float, s: float, bias: float = 1.0, noise: float = 1.0) -> float:
    r"""Rounds of least error at a given depth: :math:`T^* = (b s^2 / (3 \nu 4^d))^{1/4}`.

    They grow with the square root of :math:`s`. At :math:`x T^*` the two terms are :math:`(3/x + x^3)/4` of
    their least sum, so that too few rounds cost less than too many.
    """
    bias, noise = check_between(bias, "bias", 0, MOST), check_positive(noise, "noise")
    s, depth = _records(s), check_numbers(depth, "depth", 0, DEEP)
    return (bias * np.square(s) / (3 * noise * 4.0**depth)) ** 0.25


def best_depth(
    s: float, bias: float = 1.0, deep: float = 1.0, alpha: float = 0.6, noise: float = 1.0
) -> np.ndarray:
    r"""Depth of least error when the rounds are the best for it.

    With :math:`T^*` the error is :math:`\frac{4}{3} b/T^* + b' 2^{-\alpha d}`, where
    :math:`1/T^* \propto 2^{d/2} s^{-1/2}`, so that :math:`2^{d^*} = (\alpha b' / c)^{1/(\alpha + 1/2)}` with
    :math:`c = \frac{2}{3} b (3\nu/(b s^2))^{1/4}`: :math:`d^* = \log_2(s)/(2\alpha + 1)` and a constant.
    The result has the same shape; may be negative, where no test is worth its price.
    """
    bias, deep = check_positive(bias, "bias"), check_positive(deep, "deep")
    alpha, noise = check_positive(alpha, "alpha"), check_positive(noise, "noise")
    rate = 2 / 3 * bias * (3 * noise / (bias * np.square(_records(s)))) ** 0.25
    return np.log2(alpha * deep / rate) / (alpha + 0.5)
