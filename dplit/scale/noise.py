r"""The error of a released count: sampling falls as :math:`n^{-1/2}`, noise as :math:`n^{-1}`.

Of n independent records each lies in a cell with probability q, and the count is released with geometric noise of
rate :math:`\epsilon`, :math:`\alpha = e^{-\epsilon}`, for add-remove neighbours.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from dplit.ground.errors import MOST, check_between, check_epsilon, check_integer, check_numbers, check_positive
from dplit.mechanisms.geometric import Geometric

LEAST = 1e-100  # of epsilon, whose square is a variance's, and of a probability
MOST_COUNTS = 10**7  # of the sum over all counts, whose weights are held in memory


def noise_variance(epsilon: float) -> float:
    r"""Variance of the noise, :math:`2\alpha/(1-\alpha)^2`.

    `epsilon`: at least `LEAST`; ``math.inf`` is no noise.
    """
    epsilon = _rate(epsilon)
    return 2 * math.exp(-epsilon) / math.expm1(-epsilon) ** 2


def _rate(epsilon: float) -> float:
    """Return `epsilon` as a float, far enough from 0 that its variance is one."""
    if check_epsilon(epsilon) < LEAST:
        raise ValueError(f"epsilon must be at least {LEAST:g}, got {epsilon!r}")
    return float(epsilon)


def _inner(q: float) -> float:
    """Return `q`, the probability of a cell that may be empty and need not be."""
    return check_between(q, "q", LEAST, 1 - 2.0**-53)


def share_error(n_records: ArrayLike, q: ArrayLike, epsilon: float) -> float | np.ndarray:
    r"""Root of the mean squared error of a released share, :math:`\sqrt{q(1-q)/n + 2\alpha/((1-\alpha)^2 n^2)}`.

    `n_records`: at least 1; a curve may have numbers between the whole ones; `q`: probability of the cell, from
    0 to 1; with `n_records` it broadcasts; `epsilon` as of `noise_variance`.
    """
    n, q = check_numbers(n_records, "n_records", 1, MOST), check_numbers(q, "q", 0, 1)
    return np.sqrt(q * (1 - q) / n + noise_variance(epsilon) / n**2)


def enough_records(q: float, epsilon: float, ratio: float = 1.0) -> float:
    r"""Least number of records at which the noise's variance is at most `ratio` times that of sampling.

    .. math:: \frac{2\alpha}{(1-\alpha)^2\,q(1-q)\,\text{ratio}}

    `q`: probability of the cell, above 0 and below 1; `epsilon` as of `noise_variance`; `ratio`: positive.
    """
    q, ratio = _inner(q), check_positive(ratio, "ratio")
    return noise_variance(epsilon) / (q * (1 - q)) / ratio


def far_off(n_records: int, q: float, epsilon: float, t: float) -> float:
    """Probability that a released share is at least t off, by the law of count and noise.

    `n_records`: from 1 to `MOST_COUNTS`; `q`: probability of the cell, above 0 and below 1; `epsilon` as of
    `noise_variance`; `t`: positive.
    """
    n_records = check_integer(n_records, "n_records", 1, MOST_COUNTS)
    q, epsilon, t = _inner(q), _rate(epsilon), check_positive(t, "t")
    counts = np.arange(n_records + 1)
    weights = stats.binom.pmf(counts, n_records, q)
    # the least and the largest noise that takes a count t n away from q n; a whole number is rounded to itself
    above = np.ceil(n_records * (q + t) - counts - 1e-9)
    below = np.floor(n_records * (q - t) - counts + 1e-9)
    below = np.minimum(below, above - 1)  # where t is next to nothing, no noise counts twice
    law = Geometric(epsilon)
    return float(weights @ (law.sf(above - 1) + law.cdf(below)))


def chebyshev(n_records: int, q: float, epsilon: float, t: float) -> float:
    """Bound of `far_off` by the variance, at most 1.

    `n_records`: at least 1; `q`: probability of the cell, from 0 to 1; `epsilon` as of `noise_variance`; `t`:
    positive.
    """
    n_records, q = check_integer(n_records, "n_records", 1), check_between(q, "q", 0, 1)
    return min(1.0, float(share_error(n_records, q, epsilon)) / check_positive(t, "t")) ** 2
