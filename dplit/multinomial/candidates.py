"""The candidates of a node, read off its records (MRF, equation 4 and section 3.2).

A cut lies halfway between neighbouring values of the node, and values of at most the cut go left, as in
:doc:`/book/multinomial`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_choice, check_numbers

CRITERIA = ("gini", "entropy")
DIGITS = 12  # of a decrease: what is equal in exact arithmetic must be equal here, or scores differ by 1


class Cuts(NamedTuple):
    """The cuts of one feature in a node, from left to right."""

    cuts: np.ndarray  #: Empty if the feature has one value in the node.
    decreases: np.ndarray  #: Their impurity decreases.


def candidate_cuts(X: ArrayLike, y: ArrayLike, criterion: str = "gini") -> list:
    r"""Every cut of a node and its impurity decrease, equation 4.

    .. math:: I(v) = T(\mathcal D) - \frac{n_l}{n} T(\mathcal D_l) - \frac{n_r}{n} T(\mathcal D_r)

    `X`: numbers, shape (n_records, n_features); `y`: labels, shape (n_records,); `criterion`: the impurity T,
    "gini", or "entropy" in nats. Returns the cuts of each feature. Raises a ValueError if the shapes do not fit,
    there is no record, or the criterion is unknown.

    Examples
    --------
    >>> [c.decreases.round(3).tolist() for c in candidate_cuts([[1, 0], [2, 1], [3, 0]], [0, 1, 1])]
    [[0.444, 0.111], [0.111]]
    """
    X, labels = check_numbers(X, "X"), np.unique(_vector(y), return_inverse=True)[1]
    if X.ndim != 2 or labels.ndim != 1 or len(X) != len(labels) or not len(X):
        shapes = f"got shapes {X.shape} and {np.shape(y)}"
        raise ValueError(f"X must have shape (n_records, n_features) and y (n_records,), {shapes}")
    measure = IMPURITIES[check_choice(criterion, CRITERIA, "criterion")]
    return [_cuts(column, np.eye(labels.max() + 1)[labels], measure) for column in X.T]


def _vector(y: ArrayLike) -> np.ndarray:
    try:
        return np.asarray(y)
    except ValueError:
        raise ValueError("y must be a label for each record, got rows of different lengths") from None


def _cuts(column: np.ndarray, ones: np.ndarray, measure: Callable) -> Cuts:
    order = column.argsort(kind="stable")
    values, left = column[order], ones[order].cumsum(axis=0)
    last = np.flatnonzero(values[1:] > values[:-1])
    total, left = left[-1], left[last]
    mass = measure(total) - measure(left) - measure(total - left)
    cuts = values[last] + (values[last + 1] - values[last]) / 2
    return Cuts(cuts, np.round(mass / len(column), DIGITS))


def gini_mass(counts: np.ndarray) -> float | np.ndarray:
    """Records times Gini impurity, of class counts of shape (..., classes)."""
    n = counts.sum(axis=-1)
    return n - (counts**2).sum(axis=-1) / np.maximum(n, 1)


def entropy_mass(counts: np.ndarray) -> float | np.ndarray:
    """Records times entropy in nats, of class counts of shape (..., classes)."""
    n = counts.sum(axis=-1, keepdims=True)
    return -(counts * np.log(np.where(counts > 0, counts, n) / n)).sum(axis=-1)


IMPURITIES = {"gini": gini_mass, "entropy": entropy_mass}


def decreases_of(X: np.ndarray, y: ArrayLike, criterion: str = "gini") -> list:
    """The decreases of `candidate_cuts` alone: what the selection laws take, one array a feature."""
    return [feature.decreases for feature in candidate_cuts(X, y, criterion)]
