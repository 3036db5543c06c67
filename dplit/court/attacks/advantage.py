r"""The bound on every attack: the advantage of telling two neighbouring data sets apart.

The advantage is the probability of "member" of a member, less that of one who is none. Derived in
:doc:`/book/attacks`.
"""

import math

import numpy as np

from dplit.ground.errors import check_epsilon, check_finite


def advantage_bound(epsilon: float, delta: float = 0.0) -> float:
    r"""The largest advantage against anything that is :math:`(\epsilon, \delta)`-private.

    .. math:: \frac{e^\epsilon - 1 + 2\delta}{e^\epsilon + 1}

    Kairouz, Oh and Viswanath 2015, theorem 2.1 draws the region of both errors that this is the corner of.
    Theorem "No attack does better" of :doc:`/book/attacks`. An infinite epsilon gives 1; delta is from 0 to 1.

    >>> round(advantage_bound(1.0), 4)
    0.4621
    """
    epsilon, delta = check_epsilon(epsilon), check_finite(delta, "delta")
    if not 0 <= delta <= 1:
        raise ValueError(f"delta must lie between 0 and 1, got {delta}")
    shrunk = math.exp(-epsilon)
    return min((1 - shrunk + 2 * delta * shrunk) / (1 + shrunk), 1.0)


def randomised_response(epsilon: float) -> np.ndarray:
    r"""Law of the answer to a bit, as is or turned: rows the bit, columns the answer; shape (2, 2).

    The truth is told with probability :math:`e^\epsilon/(e^\epsilon + 1)`. It attains `advantage_bound`.
    """
    lie = 1 / (1 + math.exp(min(check_epsilon(epsilon), 700.0)))
    return np.array([[1 - lie, lie], [lie, 1 - lie]])


def advantage_range(member: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Interval of a difference of two probabilities, from an interval of each; their errors add up.

    The intervals are of the probability of "member", of a member and of one who is none.
    """
    return member[0] - other[1], member[1] - other[0]
