"""What an audit can see: its exact power for one event, and the most that so many draws can show."""

from __future__ import annotations

import math

import numpy as np

from dplit.audit.blackbox import check_confidence, lower_limit, upper_limit
from dplit.errors import check_integer


def ceiling(draws, confidence=0.999):
    r"""The largest loss that draws can show: of an event that is certain on one input, impossible on the other.

    .. math:: \log \frac{r}{1 - r}, \quad r = (\beta/2)^{1/m}

    with :math:`m` the second half of the draws and :math:`\beta` one less the confidence. A mechanism
    whose epsilon is above it is never accused, whatever it does.

    Parameters
    ----------
    draws : int, at least 4
        On each input.
    confidence : float
    """
    m = check_integer(draws, "draws", 4) - draws // 2
    r = ((1 - check_confidence(confidence)) / 2) ** (1 / m)
    return math.log(r) - math.log1p(-r)


def accuses(p, q, epsilon, draws, confidence=0.999):
    r"""Exact probability that an event refutes `epsilon`, once the first half has chosen it.

    .. math:: P\{\log(p_{low}(K) / q_{high}(L)) > \epsilon\}

    for independent K and L, binomial of the second half of the draws.

    Parameters
    ----------
    p, q : float
        Probability of the event on the likelier input, and on the other.
    epsilon : float
    draws : int, at least 4
        On each input.
    confidence : float
    """
    from scipy.stats import binom

    m = check_integer(draws, "draws", 4) - draws // 2
    error = (1 - check_confidence(confidence)) / 2
    hits = np.arange(m + 1)
    limit = lower_limit(hits, m, error) * math.exp(-epsilon)
    highest = np.searchsorted(upper_limit(hits, m, error), limit)  # so many L accuse, from 0 up
    return float(binom.pmf(hits, m, p) @ binom.cdf(highest - 1, m, q))
