"""How a node is drawn exactly: the rules in whole numbers, less what rounding costs."""

from __future__ import annotations

import math
from typing import NamedTuple

from dplit.mechanisms.secure import is_secure, no_exact_sampler
from dplit.mechanisms.whole_weights import PRICE
from dplit.trees.rules import ENTROPY, LARGEST_FINITE, NO_NOISE, STRETCHED_NO_NOISE, UNIFORM, NormalisedRule, Rule

BITS = 29  # of the larger rate
STOP_BITS = 60  # of the units that a node's children must have
ENTROPY_BITS = 19  # of a rate of entropies: see `dplit.trees.exact_scores`
ROUNDING = 5  # units of gain that a record may move more: see `dplit.trees.exact_cuts`


class ExactRule(NamedTuple):
    """A `Rule` or a `NormalisedRule` in whole numbers: see `dplit.trees.exact_cuts`."""

    max_depth: int
    max_features: int
    unit: float  #: Nats of a unit of score, a power of two.
    #: Units of a unit of imbalance and of a unit of gain, each below 2^29; no gain without a joint draw.
    imbalance: int
    gain: int  #: As `imbalance`.
    choice: int
    top: int = 0  #: Units of the best normalised score; 0, if scores are not normalised.


class ExactScores(NamedTuple):
    """How tests are scored in whole numbers, and chosen or cut by the exponential mechanism.

    As the rules of `dplit.trees.greedy_levels` and `dplit.trees.greedy`, but for the rates: `unit` is nats of a
    unit of score, a power of two, and `gain` units of a unit of score, below 2^29. `stop` says how a path ends
    early.
    """

    max_depth: int
    max_features: int
    score: int
    most_bits: float
    unit: float
    gain: int
    stop: Stop | None = None


class Stop(NamedTuple):
    """When a noisy number of records ends a path, in whole numbers.

    That Laplace noise takes n records below t is a coin of probability :math:`e^{-|x|}/2`, or of one minus that,
    with x the epsilon of the number times n - t: no noise is drawn. `unit` is nats, a power of two; `record` and
    `child` are units of a record, and of as many records as a child must have.
    """

    unit: float
    record: int
    child: int


def exact_rule(rule: Rule | NormalisedRule) -> ExactRule | Rule | NormalisedRule:
    """The `ExactRule` that spends no more than a rule does, where a record moves the gain by 1 or more.

    Its rates are rounded down, less what the rounding of scores and weights costs: `ROUNDING` units of gain and
    `dplit.mechanisms.whole_weights.PRICE` nats. Of an infinite rate, which is no noise, it is the same rule.

    Raises a ValueError if nothing draws exactly by such a rule, or its rates are too small to pay for the
    rounding.
    """
    if isinstance(rule, NormalisedRule):
        return _exactly_normalised(rule)
    if isinstance(rule, Rule) and max(rule.rate, rule.gain_rate) >= NO_NOISE:
        return rule
    if not isinstance(rule, Rule) or rule.by_rank or not (rule.joint or rule.choice == UNIFORM):
        raise no_exact_sampler("a draw of such cuts", "take accounting='proved'")
    rate, gain_rate = rule.rate, rule.gain_rate if rule.joint else 0.0
    unit, price = _unit_and_price(max(rate, gain_rate), BITS)
    imbalance, gain = math.floor(rate / unit), math.floor(gain_rate / unit)
    if rule.joint:
        gain -= ROUNDING + price
    else:
        imbalance -= math.ceil(price / 2)
    if min(imbalance, gain) < 0 or max(imbalance, gain) == 0:
        raise too_little(f"rates of {rate:.3g} for balance and {gain_rate:.3g} for gain")
    return ExactRule(rule.max_depth, rule.max_features, unit, imbalance, gain, rule.choice)


def _exactly_normalised(rule):
    """The same of a `NormalisedRule`: rounding leaves scores in their range, and no record does more."""
    if rule.weight >= STRETCHED_NO_NOISE:
        return rule
    weight = rule.weight
    unit, price = _unit_and_price(weight, BITS)
    top = math.floor(weight / unit) - price
    if top <= 0:
        raise too_little(f"a rate of {weight:.3g}")
    limits = rule.max_depth, rule.max_features
    return ExactRule(*limits, unit, 0, 2**BITS - 1, rule.choice, top)


def exact_scores(rule, n_classes: int, *, cuts: bool = False, stop: Stop | None = None) -> ExactScores:
    """The `ExactScores` that spend no more than a rule does, where a record moves the score by 1 or more.

    The rule is one of `dplit.trees.greedy` or `dplit.trees.greedy_levels`, of a finite rate, with a score other
    than `LOCAL_GINI`; 0 classes are a regression. `cuts` says whether cuts are drawn by whole weights, which costs
    `PRICE`; columns are chosen exactly. A rate that cannot pay for the rounding is a ValueError.
    """
    entropies = rule.score == ENTROPY
    rate = min(rule.rate, LARGEST_FINITE)
    unit, price = _unit_and_price(rate, ENTROPY_BITS if entropies else BITS)
    rounding = 3 * (n_classes + 1) if entropies else ROUNDING
    gain = math.floor(rate / unit) - rounding - (price if cuts else 0)
    if gain <= 0:
        raise too_little(f"a rate of {rate:.3g}")
    limits = rule.max_depth, rule.max_features
    return ExactScores(*limits, rule.score, getattr(rule, "most_bits", math.inf), unit, gain, stop)


def exact_stop(scale, children, most_children):
    """The `Stop` of Laplace noise of this scale where a path ends below `children` times the scale for each child.

    The rate of a record is rounded down. Where it is so small that what `most_children` must have would take
    more than `STOP_BITS` in units of `BITS` of it, it has fewer: of fewer than 2^30 records that changes the
    exponent by less than 2^-28 of what they must have.
    """
    rate = min(1 / scale * (1 - 2.0**-50), LARGEST_FINITE)
    least = math.frexp(children * most_children)[1] - STOP_BITS
    unit = 2.0 ** max(math.frexp(rate)[1] - BITS, least)
    return Stop(unit, math.floor(rate / unit), math.ceil(children / unit))


def refuse_secure(rng, what):
    """Raise the error of a draw by floats, if the generator is secure; `what` says of what."""
    if is_secure(rng):
        raise no_exact_sampler(what, "take noise='simulation', or accounting='proved'")


def too_little(got):
    """The error of an epsilon that cannot pay for what rounding costs."""
    return ValueError(
        f"epsilon must leave each cut more than {2 * PRICE:.2g} with noise='secure', whose rounding costs "
        f"that, got {got}: take a larger epsilon, or noise='simulation'"
    )


def _unit_and_price(rate, bits):
    """A power of two, of which the rate has so many bits; and what whole weights cost in it."""
    unit = 2.0 ** max(math.frexp(rate)[1] - bits, -1000)
    return unit, math.ceil(PRICE / unit)
