r"""Rounds, depth and shares of epsilon, from public numbers alone.

With :math:`s = n\epsilon` (half of it for more than two classes, whose residuals reach twice as far)
the rounds are :math:`\sqrt{s/c_T}` and the depth :math:`\log_2(s/c_d)/2.2`: the powers that the balance of bias
and noise gives (`dplit.boosting.balance`, :math:`\alpha = 0.6`), with constants that were chosen on the sets of
`dplit.boosting.sets.CHOOSING`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

MOST_ROUNDS = 32
DEEPEST = 6
EXPONENT = 2.2  # 2 alpha + 1
STUMPS_BELOW = 3e4  # of a regression's s: as many tests, one a round


class Plan(NamedTuple):
    """What a fit does, decided before it reads a record.

    Attributes
    ----------
    rounds, depth : int
    prior : float
        Share of epsilon for the first release, the class counts or the mean.
    tests : float
        Share of a round's epsilon for its tests; the leaves get the rest.
    weight : float
        Of a parent's step, in units of the noise (`dplit.boosting.shrunk_steps`).
    clip : float
        Largest absolute step of a node, in log-odds or in clips of the residual.
    """

    rounds: int
    depth: int
    prior: float
    tests: float
    weight: float
    clip: float


def plan(n_records, epsilon, n_classes=0, rounds=None, depth=None):
    """The plan of a fit.

    Parameters
    ----------
    n_records : int
        Public; a number that is too small by a factor costs less than one that is too large.
    epsilon : float
        Of the whole fit under add-remove neighbours.
    n_classes : int
        0 for a regression.
    rounds, depth : int, optional
        In place of the rule's.

    Returns
    -------
    Plan
    """
    s = n_records * epsilon / (2 if n_classes > 2 else 1)
    wanted = math.sqrt(s / (200 if n_classes else 450))
    free = rounds is None
    if free:
        rounds = MOST_ROUNDS if wanted > MOST_ROUNDS else max(1, round(wanted))
    if depth is None:
        deep = math.log2(max(s, 1) / (10 if n_classes else 25)) / EXPONENT
        depth = DEEPEST if deep > DEEPEST else max(1, round(deep))
        if not n_classes and s < STUMPS_BELOW:
            rounds, depth = rounds * depth if free else rounds, 1
    prior = min(0.5, max(0.03, 20 / max(s, 1)))
    return Plan(rounds, depth, prior, 0.5, 10.0 if n_classes else 4.0, 3.0 if n_classes else 1.0)
