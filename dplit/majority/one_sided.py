r"""ROSNAM, the report one-sided noisy arg-max of the addendum: permute-and-flip on the counts.

Counts are monotonic under add-remove, so the rate is :math:`\epsilon`. Under replace-one a gap can
change by two, and the rate is :math:`\epsilon/2`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import MOST, check_counts, check_epsilon, check_integer, check_neighbours, check_numbers
from dplit.mechanisms import PermuteAndFlip


def one_sided_law(counts: ArrayLike, epsilon: float, neighbours: str = "add-remove") -> np.ndarray:
    r"""Probability of each label, shape of `counts`: :math:`w_r\int_0^1\prod_{i\ne r}(1 - w_i t)\,dt`.

    Here :math:`w_r = e^{-\rho(\max_i c_i - c_r)}`, with rate :math:`\rho` of :math:`\epsilon`
    under add-remove and :math:`\epsilon/2` under replace-one. It is `epsilon`-private: :prf:ref:`thm-rosnam-law`.
    """
    monotonic = check_neighbours(neighbours) == "add-remove"
    return PermuteAndFlip(epsilon, monotonic=monotonic).pmf(check_counts(counts))


def gap_error(gap: ArrayLike, epsilon: float) -> float | np.ndarray:
    r"""Probability that ROSNAM reports the minority of two classes: :math:`e^{-\epsilon j}/2`.

    What table 6 of the addendum should have shown, under add-remove; pass half of `epsilon` under replace-one. It
    equals `error_lower_bound`: no private label that treats names alike errs less. See :prf:ref:`thm-rosnam-law`.
    """
    return 0.5 * np.exp(-min(check_epsilon(epsilon), MOST) * check_numbers(gap, "gap", 0, MOST))


def error_lower_bound(gap: ArrayLike, epsilon: float) -> float | np.ndarray:
    r"""No `epsilon`-private label is wrong less often than this at gap :math:`j`: :math:`e^{-\epsilon j}/2`.

    For any number of classes, under add-remove, and for mechanisms that treat the class names
    alike; for any other it bounds the average of the errors with the two leading names as they are and
    swapped. Proved in :prf:ref:`thm-majority-lower-bound`.
    """
    return 0.5 * np.exp(-min(check_epsilon(epsilon), MOST) * check_numbers(gap, "gap", 0, MOST))


def second_label(difference: ArrayLike, epsilon: float) -> float | np.ndarray:
    r"""Probability that ROSNAM reports B of two classes A, B when :math:`c_A - c_B` is `difference`.

    :math:`\Pr(d + \mathrm{Lap}(1/\epsilon) < 0)`: the difference of two exponential noises is Laplace noise.
    """
    d = check_numbers(difference, "difference", -MOST, MOST)
    tail = 0.5 * np.exp(-min(check_epsilon(epsilon), MOST) * np.abs(d))
    return np.where(d < 0, 1 - tail, tail)[()]


def unanimous_error(n: ArrayLike, classes: int, epsilon: float) -> float | np.ndarray:
    r"""Error of ROSNAM on :math:`(n, 0, \dots, 0)`: :math:`1 - \frac{1-(1-\alpha^n)^k}{k\alpha^n}`.

    Here :math:`\alpha = e^{-\epsilon}`, add-remove.
    """
    odds = np.exp(-min(check_epsilon(epsilon), MOST) * check_numbers(n, "n", 0, MOST))
    k = check_integer(classes, "classes", 1)
    nodes, weights = np.polynomial.legendre.leggauss((k + 1) // 2)  # exact: degree k - 1 in t
    wrong_by = -np.expm1((k - 1) * np.log1p(-odds[..., None] * (nodes + 1) / 2))
    return (wrong_by @ weights / 2)[()]
