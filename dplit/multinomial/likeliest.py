r"""Which cut of a node is the likeliest, and what a choice costs (MRF, section 1, appendices C and D).

Feature j has :math:`S_j = \sum_i e^{-B_2(1 - \hat I_{ij})/2}` cuts that count (:doc:`/book/multinomial`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_integer, check_whole
from dplit.multinomial.selection import check_budget, feature_law, normalised

GOLDEN_BUDGET = 2 * math.log((1 + math.sqrt(5)) / 2)


def counting_cuts(impurity_decreases: ArrayLike, value_budget: float) -> np.ndarray:
    r"""Cuts of a feature that count, :math:`S = \sum_i e^{-B_2(1 - \hat I_i)/2}`: 1 over the best's chance.

    `impurity_decreases`: shape (..., cuts); `value_budget`: :math:`B_2`; infinite: how many cuts are tied for
    the best.
    """
    scores = normalised(impurity_decreases)
    gaps = scores.max(axis=-1, keepdims=True) - scores
    value_budget = check_budget(value_budget, "value_budget")
    if math.isinf(value_budget):
        return (gaps == 0).sum(axis=-1).astype(np.float64)
    return np.exp(-value_budget / 2 * gaps).sum(axis=-1)


def best_is_likeliest(impurity_decreases: Sequence[ArrayLike], feature_budget: float, value_budget: float) -> bool:
    r"""Whether the best cut of a node is the likeliest.

    It is exactly where :math:`e^{B_1(1 - \hat I_j)/2} \ge S_*/S_j` for every feature j, with
    :math:`S_*` that of the best feature (of several, the one with the fewest cuts that count).
    `impurity_decreases` as in `dplit.multinomial.feature_law`, one a feature, shape (cuts,).
    """
    features = feature_law(impurity_decreases, feature_budget)
    chances = np.array([
        share / counting_cuts(cuts, value_budget) if len(cuts) else 0.0
        for share, cuts in zip(features, impurity_decreases)
    ])  # fmt: skip
    tops = np.array([max(cuts, default=-np.inf) for cuts in impurity_decreases])
    return bool(chances[tops == tops.max()].max() >= chances.max() * (1 - 1e-12))


class Cost(NamedTuple):
    """What the choice of one node's cut takes: impurity decreases evaluated, and exponentials."""

    evaluated: float
    exponentials: float


def multinomial_cost(n_cuts: ArrayLike) -> Cost:
    """Cost of the two multinomials in a node, with the drawn feature the one that has the most cuts.

    `n_cuts`: cuts of each feature in the node, ints of shape (features,).
    """
    n_cuts = check_whole(n_cuts, "n_cuts", 0, ndim=1)
    return Cost(float(n_cuts.sum()), float((n_cuts > 0).sum() + n_cuts.max(initial=0)))


def greedy_cost(n_cuts: ArrayLike, candidates: int) -> Cost:
    """Cost of the greedy choice among `candidates` features, drawn uniformly without repeats: its mean.

    `n_cuts`: ints, shape (features,); `candidates`: the paper's rivals take the square root of the number of
    features, rounded down here.
    """
    n_cuts = check_whole(n_cuts, "n_cuts", 0, ndim=1)
    candidates = check_integer(candidates, "candidates", 1)
    if candidates > len(n_cuts):
        raise ValueError(f"n_cuts must have at least candidates={candidates}, got {len(n_cuts)}")
    return Cost(float(n_cuts.mean() * candidates), 0.0)
