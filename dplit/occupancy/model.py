"""The Laplace model of a leaf count (DiPriMe v1, appendix A.2.2) and its tail in closed form.

A count is :math:`n/2^d + S` with the sum S of :doc:`/book/occupancy`, where all is derived. The model knows
neither that counts are whole nor that they end at 0 and n.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import MOST, check_integer, check_numbers, check_one, check_positive


def laplace_weights(depth: int, one: float | Fraction = 1.0) -> list:
    r"""Weights :math:`c_j = \prod_{l \ne j} (1 - 4^{j-l})^{-1}` that make S a signed mixture of Laplace laws.

    By partial fractions :math:`\prod_j (1 - 4^{-j} x)^{-1} = \sum_j c_j (1 - 4^{-j} x)^{-1}`. They
    alternate in sign, fall in size, and sum to 1. Returns `depth` of them, that of the widest law first.
    """
    levels, one = range(check_integer(depth, "depth", 1)), check_one(one)
    weights = []
    for j in levels:
        product = one
        for level in levels:
            if level != j:
                product /= 1 - one * 4**j / 4**level
        weights.append(product)
    return weights


def model_tail(t: ArrayLike, depth: int, epsilon: float) -> float | np.ndarray:
    r""":math:`\Pr(|S| \ge t) = \sum_j c_j\, e^{-2^j \epsilon_1 t}`, exact for the model.

    Derived in :doc:`/book/occupancy` as thm-occupancy-model.
    """
    odds = np.exp(-check_positive(epsilon, "epsilon") * at_least_zero(t))
    return sum(c * odds ** (2**j) for j, c in enumerate(laplace_weights(depth)))


def leading_constant(depth: int, one: float | Fraction = 1.0) -> float:
    r""":math:`A_d = c_0 = \prod_{j=1}^{d-1} (1 - 4^{-j})^{-1}`: 1 at depth 1, below 1.4524 at every depth."""
    return laplace_weights(depth, one)[0]


def model_bound(t: ArrayLike, depth: int, epsilon: float) -> float | np.ndarray:
    r""":math:`A_d\, e^{-\epsilon_1 t}`, an upper bound of `model_tail` whose ratio to it falls to 1.

    Ours; thm-occupancy-model in :doc:`/book/occupancy`.
    """
    return leading_constant(depth) * np.exp(-check_positive(epsilon, "epsilon") * at_least_zero(t))


def alternates_and_falls(depth: int, power: int = 0) -> bool:
    r"""Whether :math:`(2^j - 1)^p\, |c_j|`, j = 1, 2, ..., falls strictly while signs alternate; in fractions.

    With `power` p = 0 this proves :math:`\Pr(|S| \ge t) \le A_d e^{-\epsilon_1 t}` for all t at
    once, with p = 1 that the ratio of the two falls in t: both are alternating sums in
    :math:`e^{-\epsilon_1 t} \le 1` whose first term decides the sign.
    """
    weights, power = laplace_weights(depth, Fraction(1)), check_integer(power, "power", 0, 1)
    terms = [(2**j - 1) ** power * c for j, c in enumerate(weights)][1:]
    signs = all((c < 0) == (j % 2 == 0) for j, c in enumerate(terms))
    return signs and all(abs(a) > abs(b) for a, b in pairwise(terms))


def at_least_zero(t: np.ndarray) -> np.ndarray:
    """Return `t` as floats; a distance is at least 0."""
    return check_numbers(t, "t", 0, MOST)
