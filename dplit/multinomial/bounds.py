"""Bounds on both multinomials, as published and tight (MRF, lemmas 3 and 4; :doc:`/book/multinomial`)."""

import math
from typing import NamedTuple

import numpy as np

from dplit.ground.errors import MOST, check_between, check_integer
from dplit.multinomial.selection import check_budget, selection_law


class Bounds(NamedTuple):
    """The least and the largest probability that a candidate can have."""

    lower: float
    upper: float


def published_selection_bounds(candidates: int, budget: float) -> Bounds:
    r"""Lemma 3 and equation 7: from :math:`1/(1+(m-1)e^B)` to :math:`e^B/(e^B+m-1)`.

    `candidates`: features D, or cuts m of a feature.
    """
    return _bounds(check_integer(candidates, "candidates", 1), check_budget(budget))


def selection_bounds(candidates: int, budget: float) -> Bounds:
    r"""Both ends of what a candidate's probability can be, tight: lemma 3 with :math:`e^{B/2}`.

    Met at scores (0, 1, ..., 1) and (1, 0, ..., 0). Parameters as `published_selection_bounds`.
    """
    return _bounds(check_integer(candidates, "candidates", 1), check_budget(budget) / 2)


def _bounds(candidates: int, log_odds: float) -> Bounds:
    others = candidates - 1
    shrunk = math.exp(-log_odds)
    lower = shrunk / (shrunk + others) if others else 1.0
    return Bounds(lower, 1 / (1 + others * shrunk))


def published_p1(features: int, feature_budget: float) -> float:
    r""":math:`P_1 = 1/(1+(D-1)e^{B_1})` of lemma 3."""
    features = check_integer(features, "features", 1)
    return _bounds(features, check_budget(feature_budget, "feature_budget")).lower


def tight_p1(features: int, feature_budget: float) -> float:
    r"""The largest constant for lemma 3, :math:`1/(1+(D-1)e^{B_1/2})`, if every feature has a cut."""
    features = check_integer(features, "features", 1)
    return _bounds(features, check_budget(feature_budget, "feature_budget") / 2).lower


def published_p2(parts: int, value_budget: float) -> float:
    r""":math:`P_2 = \frac{N-2}{N} e^{-2B_2}` of lemma 4.

    `parts`: :math:`N \ge 3` equal parts of the feature's range; the middle is all but the two outer ones.
    """
    parts = check_integer(parts, "parts", 3)
    return (parts - 2) / parts * math.exp(-2 * check_budget(value_budget, "value_budget"))


def tight_p2(parts: int, value_budget: float, density_ratio: float = 1.0) -> float:
    r"""The largest constant for lemma 4 with many candidates and a density in [c, C].

    .. math:: \frac{c(N-2)}{c(N-2) + 2C e^{B_2/2}}

    `parts`, `value_budget` as in `published_p2`; `density_ratio`: :math:`C/c \ge 1`, of the feature's values in
    the cell.
    """
    density_ratio = check_between(density_ratio, "density_ratio", 1, MOST)
    inner = check_integer(parts, "parts", 3) - 2
    return middle_bound(inner, 2 * density_ratio, value_budget)


def middle_bound(inside: float, outside: float, value_budget: float) -> float:
    r"""Least probability of the cuts inside, :math:`n_{in}/(n_{in} + n_{out} e^{B_2/2})`.

    `inside`, `outside`: how many candidates lie in the middle and outside of it, or in which proportion.
    """
    inside = check_between(inside, "inside", 0, MOST)
    outside = check_between(outside, "outside", 0, MOST)
    if inside + outside == 0:
        raise ValueError("inside and outside must not both be 0")
    shrunk = math.exp(-check_budget(value_budget, "value_budget") / 2)
    return inside * shrunk / (inside * shrunk + outside) if outside else 1.0


def uniform_distance(impurity_decreases: list, budget: float) -> float:
    """Total variation between `selection_law` and the uniform choice, shape (...)."""
    law = selection_law(impurity_decreases, budget)
    return np.abs(law - 1 / law.shape[-1]).sum(axis=-1) / 2


def uniform_distance_bound(budget: float) -> float:
    r"""The supremum of `uniform_distance`, :math:`\tanh(B/8)`, over any number of candidates.

    Met where a share :math:`1/(1+e^{B/4})` of the candidates has score 1 and the others 0.
    """
    return math.tanh(check_budget(budget) / 8)
