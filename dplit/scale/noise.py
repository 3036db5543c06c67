r"""The error of a released count: sampling falls as :math:`n^{-1/2}`, noise as :math:`n^{-1}`.

Of n independent records each lies in a cell with probability q, and the count is released with geometric
noise of rate :math:`\epsilon`, :math:`\alpha = e^{-\epsilon}`, for add-remove neighbours. Derived in
:doc:`/book/scale`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dplit.mechanisms.geometric import Geometric


def noise_variance(epsilon):
    r"""Variance of the noise, :math:`2\alpha/(1-\alpha)^2`; float."""
    return 0.5 / math.sinh(epsilon / 2) ** 2


def share_error(n_records, q, epsilon):
    r"""Root of the mean squared error of a released share, :math:`\sqrt{q(1-q)/n + 2\alpha/((1-\alpha)^2 n^2)}`.

    Parameters
    ----------
    n_records : int or array_like
    q : float or array_like
        Probability of the cell.
    epsilon : float

    Returns
    -------
    float or float64 array
    """
    n = np.asarray(n_records, dtype=float)
    q = np.asarray(q, dtype=float)
    return np.sqrt(q * (1 - q) / n + noise_variance(epsilon) / n**2)


def enough_records(q, epsilon, ratio=1.0):
    r"""Number of records from which on the noise's variance is at most `ratio` times that of sampling.

    .. math:: \frac{2\alpha}{(1-\alpha)^2\,q(1-q)\,\text{ratio}}

    Parameters
    ----------
    q : float
    epsilon : float
    ratio : float

    Returns
    -------
    float
    """
    return noise_variance(epsilon) / (q * (1 - q) * ratio)


def far_off(n_records, q, epsilon, t):
    """Probability that a released share is at least t off, by the law of count and noise; float.

    Parameters
    ----------
    n_records : int
    q, epsilon, t : float
    """
    counts = np.arange(n_records + 1)
    weights = stats.binom.pmf(counts, n_records, q)
    # the least and the largest noise that takes a count t n away from q n; a whole number is rounded to itself
    above = np.ceil(n_records * (q + t) - counts - 1e-9)
    below = np.floor(n_records * (q - t) - counts + 1e-9)
    law = Geometric(epsilon)
    return float(weights @ (law.sf(above - 1) + law.cdf(below)))


def chebyshev(n_records, q, epsilon, t):
    """Bound of `far_off` by the variance, at most 1; float."""
    return min(1.0, float(share_error(n_records, q, epsilon)) ** 2 / t**2)
