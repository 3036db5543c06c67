r"""A law on which the arg max of both multinomials never becomes consistent: a pair beside a trend.

Three independent uniform features; :math:`s(x) = 1` above one half, otherwise -1, and

.. math:: \eta(x) = \tfrac12 + a\, s(x_1)\, s(x_2) + b\,(x_3 - \tfrac12) , \qquad a + b/2 \le 1/2,\ b \le 2a .

No cut of the first two features has a gain in a cell that spans both; every cut of the third has one, at every
scale. Ours; derived in :doc:`/book/consistency`.
"""

from __future__ import annotations

import numpy as np

from dplit.ground.errors import check_between, check_numbers

PAIR, TREND = 0.3, 0.4


def pair_and_trend(x, pair=PAIR, trend=TREND):
    r""":math:`\eta(x)`, the probability of class 1.

    Parameters
    ----------
    x : array_like, shape (..., features)
        The pair is in the first two features, the trend in the last.
    pair, trend : float
        a and b.
    """
    pair, trend = check_between(pair, "pair", 0, 0.5), check_between(trend, "trend", 0, 1)
    x = check_numbers(x, "x", 0, 1)
    if not x.ndim or x.shape[-1] < 1 + bool(pair):
        raise ValueError(
            f"x must have a value for each of at least two features, got shape {x.shape}"
        )
    signs = np.sign((x[..., 0] - 0.5) * (x[..., 1] - 0.5)) if pair else 0.0
    return 0.5 + pair * signs + trend * (x[..., -1] - 0.5)


def pair_bayes_risk(pair=PAIR):
    r"""Bayes risk :math:`1/2 - a`, where the pair decides, :math:`b \le 2a`.

    Parameters
    ----------
    pair : float
        a.
    """
    pair = check_between(pair, "pair", 0, 0.5)
    return 0.5 - pair


def pair_blind_risk(trend=TREND):
    r"""Risk :math:`1/2 - b/4` of the best rule that sees the third feature only.

    Parameters
    ----------
    trend : float
        b.
    """
    trend = check_between(trend, "trend", 0, 1)
    return 0.5 - trend / 4
