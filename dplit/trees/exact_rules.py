"""How a node's cut is drawn exactly: a `Rule` in whole numbers, less what rounding costs."""

from __future__ import annotations

import math
from typing import NamedTuple

from dplit.mechanisms.whole_weights import PRICE
from dplit.trees.rules import UNIFORM, Rule

BITS = 29  # of the larger rate
NO_NOISE = 1e290  # a rate that stands for an infinite one
ROUNDING = (
    5  # units of gain that rounding may add to what a record moves: see `dplit.trees.exact_cuts`
)


class ExactRule(NamedTuple):
    """A `Rule` in whole numbers, for cuts that are drawn exactly: see `dplit.trees.exact_cuts`.

    Attributes
    ----------
    max_depth, max_features : int
    unit : float
        Nats of a unit of score, a power of two.
    imbalance, gain : int
        Units of a unit of imbalance and of a unit of gain, each below 2^29; no gain without a joint draw.
    choice : int
        As in `Rule`.
    """

    max_depth: int
    max_features: int
    unit: float
    imbalance: int
    gain: int
    choice: int


def exact_rule(rule):
    """The `ExactRule` that spends no more than a rule does, where a record moves the gain by 1 or more.

    Its rates are rounded down, less what the rounding of scores and weights costs: `ROUNDING` units of
    gain and `dplit.mechanisms.whole_weights.PRICE` nats.

    Parameters
    ----------
    rule : dplit.trees.rules.Rule

    Returns
    -------
    ExactRule or Rule
        The same rule where its rate is infinite, which is no noise.

    Raises
    ------
    ValueError
        If nothing draws exactly by such a rule, or its rates are too small to pay for the rounding.
    """
    if isinstance(rule, Rule) and max(rule.rate, rule.gain_rate) >= NO_NOISE:
        return rule
    if not isinstance(rule, Rule) or rule.by_rank or not (rule.joint or rule.choice == UNIFORM):
        raise ValueError(
            "noise='secure' has no exact draw for these cuts: take noise='simulation', or cuts whose score is "
            "not normalised and accounting='proved'"
        )
    gain_rate = rule.gain_rate if rule.joint else 0.0
    unit = 2.0 ** (math.frexp(max(rule.rate, gain_rate))[1] - BITS)
    price = math.ceil(PRICE / unit)
    imbalance, gain = math.floor(rule.rate / unit), math.floor(gain_rate / unit)
    if rule.joint:
        gain -= ROUNDING + price
    else:
        imbalance -= math.ceil(price / 2)
    if min(imbalance, gain) < 0 or max(imbalance, gain) == 0:
        raise ValueError(
            f"epsilon must leave each cut more than {2 * PRICE:.2g} with noise='secure', whose rounding costs "
            f"that, got rates of {rule.rate:.3g} for balance and {gain_rate:.3g} for gain: take a larger "
            "epsilon, or noise='simulation'"
        )
    return ExactRule(rule.max_depth, rule.max_features, unit, imbalance, gain, rule.choice)
