"""The multinomials of a node and of a leaf as exact laws (MRF, sections 3.2 and 3.3).

Candidates, scores and budgets are those of :doc:`/book/multinomial`; a leaf's label is a third multinomial, of the
shares of its classes (`label_law`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_counts, check_integer, check_numbers, check_rng

NOISE_AT_ONCE = 2_000_000  # numbers of a block of draws: 16 MB


def check_budget(budget: float, name: str = "budget") -> float:
    """Return `budget` as a float of at least 0; infinity is the arg max."""
    number = isinstance(budget, Real) and not isinstance(budget, (bool, np.bool_))
    if not number or not budget >= 0:
        raise ValueError(f"{name} must be a number of at least 0, got {budget!r}")
    try:
        return float(budget)
    except OverflowError:
        raise ValueError(f"{name} must be a float or math.inf, got an integer beyond it") from None


def normalised(impurity_decreases: ArrayLike) -> np.ndarray:
    r"""Scores stretched to [0, 1]: :math:`\hat I_i = (I_i - \min I)/(\max I - \min I)`.

    Where all candidates are alike, a single one among them, the paper's formula is 0/0. Their score is 0 here:
    whatever common score alike candidates get, they are equally likely, as no law that looks at decreases alone
    could have it otherwise. `impurity_decreases`: finite; at least one candidate, shape (..., candidates).
    The result has the same shape. Raises a ValueError if there is no candidate, or a decrease is not finite.
    """
    decreases = _checked(impurity_decreases)
    least = decreases.min(axis=-1, keepdims=True)
    spread = decreases.max(axis=-1, keepdims=True) - least
    return (decreases - least) / np.where(spread > 0, spread, 1.0)


def selection_law(impurity_decreases: ArrayLike, budget: float) -> np.ndarray:
    r"""Probability of each candidate of one multinomial, :math:`\mathrm{softmax}(\frac B2 \hat I)`.

    `impurity_decreases`: of the cuts of a feature, or each feature's largest, shape (..., candidates); `budget`:
    :math:`B_1` or :math:`B_2`, at least 0; infinite: uniform among the best. The result has the same shape. The
    last axis sums to 1. Raises a ValueError if there is no candidate, a decrease is not finite, or the budget is
    negative or NaN.

    Examples
    --------
    >>> selection_law([0.1, 0.3, 0.1], 2 * np.log(3)).round(6).tolist()
    [0.2, 0.6, 0.2]
    """
    return _law(impurity_decreases, check_budget(budget))


def _law(impurity_decreases: list | np.ndarray, budget: float) -> np.ndarray:
    weights = np.exp(_log_weights(impurity_decreases, budget))
    return weights / weights.sum(axis=-1, keepdims=True)


def feature_law(impurity_decreases: Sequence[ArrayLike], feature_budget: float) -> np.ndarray:
    """Probability of each feature of a node, by its best cut.

    `impurity_decreases`: an array for each feature, shape (cuts,). A feature without a cut in the node, a
    constant say, has an empty one. It cannot be drawn: the paper's maximum over its cuts is not defined, and the
    draw would split nothing. Returns an array of shape (features,). Raises ValueErrors as `selection_law`, and
    if no feature has a cut: such a node is a leaf.
    """
    cuts, budget = _by_feature(impurity_decreases), check_budget(feature_budget, "feature_budget")
    law = np.zeros(len(cuts))
    able = [j for j, decreases in enumerate(cuts) if decreases.size]
    law[able] = _law([cuts[j].max() for j in able], budget)
    return law


def joint_law(impurity_decreases: Sequence[ArrayLike], feature_budget: float, value_budget: float) -> list:
    r"""Probability of every cut of a node, :math:`\Pr(j)\Pr(i \mid j)`.

    `impurity_decreases` as in `feature_law`, one a feature, shape (cuts,). The probabilities have the shapes
    given, and all of them together sum to 1. Raises ValueErrors as `feature_law`.

    Examples
    --------
    >>> [p.round(3).tolist() for p in joint_law([[0.2, 0.5], [0.2]], 0.0, 0.0)]
    [[0.25, 0.25], [0.5]]
    """
    cuts = _by_feature(impurity_decreases)
    value_budget = check_budget(value_budget, "value_budget")
    return [
        share * _law(decreases, value_budget) if decreases.size else decreases
        for share, decreases in zip(feature_law(cuts, feature_budget), cuts)
    ]


def label_law(counts: ArrayLike, label_budget: float) -> np.ndarray:
    r"""Law of a leaf's label, :math:`\propto e^{B_3 n_c/(2n)}` (MRF, section 3.3).

    An empty leaf has no shares (equation 5 divides by 0); all its classes are equally likely here. `label_budget`:
    :math:`B_3`; infinite: the majority, ties uniform. The result has the same shape; the last axis sums to 1.
    """
    counts, b = check_counts(counts), check_budget(label_budget, "label_budget") / 2
    total = np.maximum(counts.sum(axis=-1, keepdims=True), 1)
    gaps = (counts - counts.max(axis=-1, keepdims=True)) / total
    weights = np.exp(b * gaps) if b < math.inf else gaps == 0
    return weights / weights.sum(axis=-1, keepdims=True)


def sample(
    impurity_decreases: Sequence[ArrayLike],
    feature_budget: float,
    value_budget: float,
    size: int | None = None,
    *,
    rng: np.random.Generator,
) -> tuple:
    """Draw a feature and then one of its cuts, as a tree does.

    The largest score with Gumbel noise has the law of `selection_law`, which is not used here.
    `impurity_decreases` as in `feature_law`, one a feature, shape (cuts,); `size`: number of independent draws;
    left out, one. Returns ints of shape (size,) or (), the positions of the feature and of
    its cut. Raises ValueErrors as `feature_law`.
    """
    cuts, rng = _by_feature(impurity_decreases), check_rng(rng)
    value_budget = check_budget(value_budget, "value_budget")
    size = None if size is None else check_integer(size, "size", 0)
    able = np.array([j for j, decreases in enumerate(cuts) if decreases.size])
    best = [cuts[j].max() for j in able]
    draws = 1 if size is None else size
    features = able[_noisiest(best, check_budget(feature_budget, "feature_budget"), draws, rng)]
    values = np.empty(draws, dtype=np.int64)
    for j in able:
        chosen = features == j
        values[chosen] = _noisiest(cuts[j], value_budget, int(chosen.sum()), rng)
    return (features[0], values[0]) if size is None else (features, values)


def _noisiest(decreases: list | np.ndarray, budget: float, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Position of the largest score with Gumbel noise, as often as asked."""
    weights = _log_weights(decreases, budget)
    found = np.empty(draws, dtype=np.int64)
    block = max(1, NOISE_AT_ONCE // len(weights))
    for start in range(0, draws, block):  # the noise comes in the same order as all at once
        part = found[start : start + block]
        part[:] = (weights + rng.gumbel(size=(len(part), len(weights)))).argmax(axis=1)
    return found


def _log_weights(decreases: list | np.ndarray, budget: float) -> np.ndarray:
    """Half the budget times the score's gap to the best: nothing overflows, whatever the budget."""
    gaps = normalised(decreases)
    gaps -= gaps.max(axis=-1, keepdims=True)
    if math.isinf(budget):
        return np.where(gaps == 0, 0.0, -np.inf)
    return budget / 2 * gaps


def _checked(impurity_decreases: list | np.ndarray) -> np.ndarray:
    decreases = check_numbers(impurity_decreases, "impurity_decreases")
    if decreases.ndim == 0 or decreases.shape[-1] == 0:
        raise ValueError(
            "impurity_decreases must have shape (..., candidates) with a candidate at least, "
            f"got shape {decreases.shape}"
        )
    if not np.isfinite(decreases).all():
        wrong = decreases[~np.isfinite(decreases)][0]
        raise ValueError(f"impurity_decreases must be finite, got {wrong}")
    return decreases


def _by_feature(impurity_decreases: list) -> list:
    if not isinstance(impurity_decreases, Iterable):
        raise ValueError(
            "impurity_decreases must have one row of numbers for each feature, got a "
            f"{type(impurity_decreases).__name__}"
        )
    cuts = [check_numbers(decreases, "impurity_decreases") for decreases in impurity_decreases]
    if any(decreases.ndim != 1 for decreases in cuts):
        raise ValueError("impurity_decreases must have one row of numbers for each feature")
    if not any(decreases.size for decreases in cuts):
        raise ValueError("impurity_decreases must have a cut of some feature, got none: a leaf")
    return cuts
