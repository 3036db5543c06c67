r"""What the exponential mechanism scaled by smooth sensitivity costs, under add-remove.

A majority at gap :math:`j` has odds :math:`e^{a_j}` against each other class,
:math:`a_j = \frac{\epsilon}{2} e^{j\epsilon}`: no finite epsilon covers all leaves (:doc:`/book/majority`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import MOST, check_between, check_epsilon, check_integer, check_numbers, check_positive
from dplit.mechanisms import SmoothExponential

LEAST, LARGEST = 1e-4, 700.0  # of an epsilon that a search over gaps takes
LONGEST = 2**20  # gaps that are looked at together


def smooth_exponential_law(counts: ArrayLike, epsilon: float) -> np.ndarray:
    """Probability of each label as RDF publishes it (equations 2, 7 and 8), shape of `counts`.

    Not private at `epsilon`, nor at any other: see `smooth_exponential_loss` and :doc:`/book/majority`.
    """
    return SmoothExponential(epsilon).pmf(counts)


def smooth_exponential_loss(gap: ArrayLike, epsilon: float, classes: int = 2) -> float | np.ndarray:
    r"""Exact privacy loss of the step from gap :math:`j` to gap :math:`j + 1`.

    .. math:: \log\frac{e^{a_{j+1}} + k - 1}{e^{a_j} + k - 1} \quad (j \ge 1), \qquad
              \log\frac{e^{a_1} + 1}{2} \quad (j = 0,\ k = 2),

    or the loss of the majority's own label where that is larger (many classes, small gaps). From a tie it is
    the largest over all numbers of tied classes. Derived in :prf:ref:`thm-smooth-exponential-loss`.
    It is ``inf`` where it exceeds every float.
    """
    epsilon, others = check_epsilon(epsilon), check_integer(classes, "classes", 2) - 1
    j = check_numbers(gap, "gap", 0, MOST)
    with np.errstate(over="ignore"):
        low, high = (epsilon / 2 * np.exp(epsilon * g) for g in (j, j + 1))
        rest = [np.log1p(others * np.exp(-a)) for a in (low, high)]  # -log P(majority)
        step = np.maximum(low * np.expm1(epsilon) + rest[1] - rest[0], rest[0] - rest[1])
    return np.where(j > 0, step, _tie_loss(epsilon, others))[()]


def _tie_loss(epsilon: float, others: int) -> float:
    """Two tied classes make the loser's loss largest, a tie of all classes the winner's."""
    tied, winner = epsilon / 2, epsilon / 2 * np.exp(epsilon)
    rest = np.log1p(others * np.exp(-winner))
    loser = winner + rest - np.log(2 + (others - 1) * np.exp(-tied))
    return max(loser, np.log(others + 1) - rest)


def first_violation(epsilon: float, classes: int = 2, bound: float | None = None) -> int:
    """The smallest gap whose step to the next gap costs more than `bound`; the leaf (gap, 0, ..., 0).

    It exists for every bound: the loss grows without limit.
    Left out, it is `epsilon` itself; ``2 * epsilon`` asks whether the cost "may be twice".
    """
    epsilon = check_between(check_epsilon(epsilon), "epsilon", LEAST, LARGEST)
    bound = epsilon if bound is None else check_positive(bound, "bound")
    first, step = 0, 64
    while not (over := smooth_exponential_loss(first + np.arange(step), epsilon, classes) > bound).any():
        first, step = first + step, min(2 * step, LONGEST)
    return first + int(over.argmax())


def rescaled_loss(gap: ArrayLike, epsilon: float) -> float | np.ndarray:
    r"""Loss for two classes of the step from gap :math:`j \ge 1` with the *true* smooth sensitivity.

    The exponent is then :math:`\frac{\epsilon}{2} e^{(j-1)\epsilon} = a_{j-1}`: the published loss,
    one gap later, and as unbounded.
    """
    j, epsilon = check_numbers(gap, "gap", 1, MOST), check_epsilon(epsilon)
    with np.errstate(over="ignore"):
        low, high = (epsilon / 2 * np.exp(epsilon * g) for g in (j - 1, j))
        rise = low * np.expm1(epsilon)
    return (rise + np.log1p(np.exp(-high)) - np.log1p(np.exp(-low)))[()]


def smooth_exponential_delta(epsilon: float, classes: int = 2, spent: float | None = None) -> float:
    r"""The least :math:`\delta` for which the published mechanism is (`spent`, :math:`\delta`)-private.

    The largest :math:`\sum_c (P(c) - e^{\epsilon'} P'(c))_+` over all neighbouring leaves. The search
    over gaps stops where neither direction can reach what was found: the labels other than the
    majority have less mass than that, and the majority's own ratio is below :math:`e^{\epsilon'}`.
    `spent` is :math:`\epsilon'`; left out, `epsilon`.
    """
    epsilon = check_between(check_epsilon(epsilon), "epsilon", LEAST, LARGEST)
    spent = epsilon if spent is None else check_between(spent, "spent", LEAST, LARGEST)
    law = SmoothExponential(epsilon).pmf
    worst = max(_hockey_stick(law(x), law(y), spent) for x, y in _tied_steps(classes))
    for j in count(1):
        lower, upper = law([[j] + [0] * (classes - 1), [j + 1] + [0] * (classes - 1)])
        if lower[1:].sum() <= worst and lower[0] >= np.exp(-spent):
            return float(worst)
        worst = max(worst, _hockey_stick(lower, upper, spent))


def _hockey_stick(p: np.ndarray, q: np.ndarray, spent: float) -> float:
    """The larger of the two directions of sum (p - e^spent q)_+."""
    scale = np.exp(spent)
    return max(np.maximum(p - scale * q, 0).sum(), np.maximum(q - scale * p, 0).sum())


def _tied_steps(classes: int) -> Iterator:
    """One pair of leaves for each step from a tie of m classes: to a tie of m - 1, or to gap 1."""
    for m in range(2, check_integer(classes, "classes", 2) + 1):
        tied = [1] * m + [0] * (classes - m)
        yield tied, [2, *tied[1:]]
        yield tied, [*tied[: m - 1], 0, *tied[m:]]
