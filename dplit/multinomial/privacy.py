"""What a multinomial forest may keep: costs, rates and node laws of the repaired forest.

The impurity mass M of a cut and its rate r are those of :doc:`/book/multinomial_privacy`. Entropy is in bits, each
record's capped at a public number c. Candidates and their base weights w are public: features of equal weight, a
cut uniform over its public range. A fair coin of its own puts each record into structure or estimation: both run
at the full epsilon.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground import errors
from dplit.ground.renamed import moved
from dplit.multinomial.candidates import CRITERIA, DIGITS, gini_mass
from dplit.multinomial.selection import normalised

LOG2_E = 1 / math.log(2)
__getattr__ = moved(__name__, SmallForestLaw=("dplit.multinomial.small_forest.SmallForestLaw", "0.4"))


# Impurity mass ----------------------------------------------------------------------------------


def impurity_mass(counts: ArrayLike, criterion: str = "gini", most_bits: float | None = None) -> np.ndarray:
    r"""Number of records times their impurity.

    .. math:: n - \sum_k \frac{n_k^2}{n} \quad\text{(Gini)}, \qquad
        \sum_k n_k \min\bigl(\log_2 \tfrac{n}{n_k}, c\bigr) \quad\text{(entropy)}

    MRF, equation 4 times :math:`n`; the cap is ours. No records have no mass. `most_bits`: the cap :math:`c` on
    one record's bits; left out, none. Returns an array of shape (...); in records, or bits.
    """
    counts = np.atleast_1d(errors.check_numbers(counts, "counts", 0, errors.MOST))
    if errors.check_choice(criterion, CRITERIA, "criterion") == "gini":
        return gini_mass(counts)
    total = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(total > 0, total, 1)
    bits = -np.log2(np.where(shares > 0, shares, 1))
    most = math.inf if most_bits is None else errors.check_positive(most_bits, "most_bits")
    return (counts * np.minimum(bits, most)).sum(axis=-1)


def mass_step(counts: ArrayLike, label: int):
    r"""What one record more adds to a child's Gini mass, :math:`\frac{n}{n+1} \|e_y - p\|^2`.

    Gini mass is the sum of squares of the one-hot labels about their mean. Ours.
    `counts`: shape (classes,); `label`: class of the record that is added.
    """
    counts = errors.check_numbers(counts, "counts", 0, errors.MOST, ndim=1)
    n, label = counts.sum(), errors.check_integer(label, "label", 0, len(counts) - 1)
    if n == 0:
        return 0.0
    gaps = np.eye(len(counts))[label] - counts / n
    return float(n / (n + 1) * gaps @ gaps)


def mass_sensitivity(criterion: str = "gini", most_bits: float | None = None):
    r"""Least upper bound on what one record adds to an impurity mass; it never lowers one.

    Two for Gini. For entropy with bits capped at :math:`c` it is :math:`c + \log_2 e`: the record's own class
    rises by :math:`c` at most, all others together by :math:`n \log_2(1 + \frac1n)`. Without a cap there is
    none. Ours. `most_bits`: needed for entropy. Raises a ValueError if entropy has no cap.
    """
    if errors.check_choice(criterion, CRITERIA, "criterion") == "gini":
        return 2.0
    if most_bits is None:
        raise ValueError(
            "most_bits must be a positive number for entropy, whose mass one record can change by "
            "log2 of the number of records, got None"
        )
    return errors.check_positive(most_bits, "most_bits") + LOG2_E


def level_rate(
    epsilon: float,
    depth: int,
    criterion: str = "gini",
    most_bits: float | None = None,
    neighbours: str = "add-remove",
):
    r"""Weight :math:`r` of a unit of impurity mass with which a path of `depth` nodes costs `epsilon`.

    .. math:: r = \frac{\epsilon}{d \Delta}, \quad\text{half of it under replace-one,}

    with :math:`\Delta` of `mass_sensitivity`: :math:`\epsilon / (2d)` for Gini. Ours, theorem 2 repaired.
    `epsilon`: for the structure of a tree; ``inf`` takes a candidate of least mass; `depth`: public; at least 1.
    """
    levels = errors.check_integer(depth, "depth", 1) * _steps(neighbours)
    return errors.check_epsilon(epsilon) / (levels * mass_sensitivity(criterion, most_bits))


def normalised_rate(epsilon: float, depth: int, neighbours: str = "add-remove"):
    r"""Weight of a unit of min-max normalised score with which a path of `depth` nodes costs `epsilon`.

    Normalised scores lie in [0, 1] and can move both ways: a node costs twice the rate, and under
    replace-one :math:`2d - 1` nodes change: :math:`\epsilon/(2d)` and :math:`\epsilon/(4d - 2)`.
    """
    return errors.check_epsilon(epsilon) / (2 * nodes_changed(depth, neighbours))


def nodes_changed(depth: int, neighbours: str = "add-remove"):
    """Nodes of a tree with `depth` levels of splits that see a difference between neighbours.

    ``depth`` under add-remove; ``2 depth - 1`` under replace-one, whose two paths share the root.
    """
    depth = errors.check_integer(depth, "depth", 1)
    return depth if _steps(neighbours) == 1 else 2 * depth - 1


def _steps(neighbours: str):
    """How many records are added or removed between neighbours."""
    return 1 if errors.check_neighbours(neighbours) == "add-remove" else 2


# The law of a node ------------------------------------------------------------------------------


def split_law(
    left: ArrayLike,
    labels: ArrayLike,
    classes: int,
    rate: float,
    base: ArrayLike | None = None,
    criterion: str = "gini",
    most_bits: float | None = None,
) -> np.ndarray:
    r"""Law of the candidate that a node draws, :math:`\propto w\, e^{-r (n_L T_L + n_R T_R)}`.

    `left`: whether a record goes left, bool, shape (candidates, n_records); `labels`: classes, from 0, int,
    shape (n_records,); `rate`: as `level_rate` gives it; `base`: public base weights :math:`w`; left out, all
    alike, shape (candidates,). Returns an array of shape (candidates,), sums to 1.
    """
    rate = rate if rate == math.inf else errors.check_between(rate, "rate", 0, errors.MOST)
    mass = split_masses(left, labels, classes, criterion, most_bits)
    gaps = mass - mass.min()
    return _weighted(np.exp(-gaps * rate) if rate < math.inf else gaps <= 0, base)


def normalised_split_law(
    left: ArrayLike,
    labels: ArrayLike,
    classes: int,
    rate: float,
    base: ArrayLike | None = None,
    criterion: str = "gini",
):
    r"""`split_law` with the paper's score, :math:`\propto w\, e^{r \hat I}` with :math:`\hat I` in [0, 1].

    Over public candidates a node costs :math:`2r`, at the paper's :math:`r = B/2` the budget B
    (`normalised_rate`). Sound, and weak: a hundred records count as much as two.
    """
    rate = errors.check_between(rate, "rate", 0, errors.MOST)
    score = normalised(-split_masses(left, labels, classes, criterion))
    return _weighted(np.exp(rate * (score - 1)), base)


def split_masses(
    left: ArrayLike, labels: ArrayLike, classes: int, criterion: str = "gini", most_bits: float | None = None
):
    r"""Children's impurity mass :math:`n_L T_L + n_R T_R` of each candidate, shape (candidates,).

    Parameters as `split_law`. Rounded, as decreases are, so that what ties in fractions ties here.
    """
    left = errors.check_numbers(left, "left", 0, 1, ndim=2)
    one_hot = np.eye(errors.check_integer(classes, "classes", 1))
    records = one_hot[errors.check_whole(labels, "labels", 0, classes - 1, ndim=1)]
    if left.shape[1] != len(records) or not len(left):
        raise ValueError(f"left must have {len(records)} columns, one a label, got {left.shape}")
    counts = left @ records
    sides = np.stack([counts, records.sum(axis=0) - counts])
    return np.round(impurity_mass(sides, criterion, most_bits).sum(axis=0), DIGITS)


def _weighted(weights, base: ArrayLike | None):
    if base is not None:
        base = errors.check_numbers(base, "base", 0, errors.MOST)
        if base.shape != weights.shape or not (weights * base).sum() > 0:
            raise ValueError(f"base must be {len(weights)} weights, some above 0, got {base.shape}")
        weights = weights * base
    return weights / weights.sum()


class RangeCuts(NamedTuple):
    """The cuts of continuous features, one candidate for each interval between neighbouring values."""

    #: A cut in [low, high) of a feature; its base weight, the interval's share of the feature's public range over
    #: the number of features.
    feature: np.ndarray
    low: np.ndarray  #: As `feature`.
    high: np.ndarray  #: As `feature`.
    base: np.ndarray  #: As `feature`.
    left: np.ndarray


def range_cuts(values: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> RangeCuts:
    """Cuts uniform over public ranges, features of equal weight, as candidates of `split_law`.

    `values`: those outside the bounds are clipped, shape (n_records, n_features); `lower`, `upper`: public
    bounds, shape (n_features,).
    """
    values = errors.check_numbers(values, "values", -errors.MOST, errors.MOST, ndim=2)
    lower, upper = _ends(lower, "lower", values), _ends(upper, "upper", values)
    if not (lower < upper).all():
        raise ValueError("lower must be less than upper in each column")
    parts = []
    for j, column in enumerate(np.clip(values, lower, upper).T):
        edges = np.unique([lower[j], *column, upper[j]])
        share = np.diff(edges) / (upper[j] - lower[j]) / len(values.T)
        ids = np.full(len(share), j)
        parts.append((ids, edges[:-1], edges[1:], share, column <= edges[:-1, None]))
    return RangeCuts(*(np.concatenate(part) for part in zip(*parts)))


def _ends(bounds, name, values: ArrayLike):
    """One bound for each column of `values`."""
    bounds = errors.check_numbers(bounds, name, -errors.MOST, errors.MOST)
    if not values.shape[1] or bounds.shape not in ((), values.shape[1:]):
        raise ValueError(f"{name} must be one for each column of values, got shape {bounds.shape}")
    return np.broadcast_to(bounds, values.shape[1:])
