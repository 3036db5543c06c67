"""A law on which the arg max of both multinomials never becomes consistent: a pair beside a trend.

It is that of thm-consistency-pair in :doc:`/book/consistency`. Ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_between, check_numbers

PAIR, TREND = 0.3, 0.4


def pair_and_trend(x: ArrayLike, pair: float = PAIR, trend: float = TREND) -> np.ndarray:
    r""":math:`\eta(x)`, the probability of class 1.

    `x`: the pair is in the first two features, the trend in the last, shape (..., features); `pair`, `trend`: a
    and b.
    """
    pair, trend = check_between(pair, "pair", 0, 0.5), check_between(trend, "trend", 0, 1)
    x = check_numbers(x, "x", 0, 1)
    if not x.ndim or x.shape[-1] < 1 + bool(pair):
        raise ValueError(f"x must have a value for each of at least two features, got shape {x.shape}")
    signs = np.sign((x[..., 0] - 0.5) * (x[..., 1] - 0.5)) if pair else 0.0
    return 0.5 + pair * signs + trend * (x[..., -1] - 0.5)


def pair_bayes_risk(pair: float = PAIR) -> float:
    r"""Bayes risk :math:`1/2 - a`, where the pair decides, :math:`b \le 2a`. `pair`: a."""
    pair = check_between(pair, "pair", 0, 0.5)
    return 0.5 - pair


def pair_blind_risk(trend: float = TREND) -> float:
    r"""Risk :math:`1/2 - b/4` of the best rule that sees the third feature only. `trend`: b."""
    trend = check_between(trend, "trend", 0, 1)
    return 0.5 - trend / 4
