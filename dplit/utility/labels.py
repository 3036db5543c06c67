r"""Noisy class counts and the accuracy of one private split (DiPriMe v2, theorem 2).

A leaf reports the class of the largest noisy count, negative sums set to 0; where all are 0, a class uniformly at
random. The gap of class j is :math:`D_j = \max_i c_i - c_j`. Derived in :doc:`/book/utility`.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import MOST, check_counts, check_integer, check_numbers, check_positive
from dplit.utility.split import smallest_block

WORST_GAP = math.sqrt(2)  # epsilon times the gap at which a leaf of two classes loses most
WORST_LABEL_LOSS = (1 + math.sqrt(2)) / 2 * math.exp(-math.sqrt(2))  # epsilon times that loss
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
NEGLIGIBLE = 60.0  # counts further than this over epsilon below the largest get no pieces


# As published --------------------------------------------------------------------------------


def published_flip(gap: ArrayLike, epsilon: float) -> float:
    r"""Probability that noise makes the minority of two classes win, :math:`P_f`; it is exact.

    .. math:: \left(\frac{\epsilon D}{4} + \frac12\right) e^{-\epsilon D}

    Appendix B.2 of v2. For more classes it is the chance that class j's noisy count passes the majority's, so it
    bounds the chance of reporting j. `gap` is D, in records.
    """
    x = check_positive(epsilon, "epsilon") * check_numbers(gap, "gap", 0, MOST)
    return (x / 4 + 0.5) * np.exp(-x)


def published_accuracy_loss(t: ArrayLike, purity: ArrayLike, epsilon: float) -> float:
    r"""Theorem 2 of v2: :math:`P_f` at the gap :math:`t(2\theta_m - 1)`.

    Both blocks hold more than t records; `purity` is :math:`\theta_m`, the least fraction of the majority in a
    block, from 1/2 to 1.
    """
    sure = 2 * check_numbers(purity, "purity", 0.5, 1) - 1
    return published_flip(check_numbers(t, "t", 0, MOST) * sure, epsilon)


# The label of a leaf -------------------------------------------------------------------------


def label_law(counts: ArrayLike, epsilon: float) -> np.ndarray:
    r"""Law of the label of a leaf of any number of classes, by quadrature.

    .. math:: \Pr(j) = \int f(x - c_j) \prod_{i \ne j} F(x - c_i)\, dx

    with f and F of the Laplace law. Setting negative counts to 0 does not change it: given that all noisy counts
    are negative, their distances from 0 are independent and exponential, so each is the largest with the same
    probability. The law, of the shape of `counts`, (k,), sums to 1 within 1e-12.
    """
    counts = check_counts(counts)
    if counts.ndim != 1:
        raise ValueError(f"counts must be of one leaf, shape (classes,), got shape {counts.shape}")
    c = check_positive(epsilon, "epsilon") * (counts - counts.max())  # in units of the noise, top 0
    points, weights = _rule(c)
    off = points[:, None] - c
    density, below = 0.5 * np.exp(-np.abs(off)), np.where(off < 0, 0.5 * np.exp(-np.abs(off)), 1.0)
    below = np.where(off < 0, below, 1 - density)
    others = np.stack([np.delete(below, j, axis=1).prod(axis=1) for j in range(len(c))], axis=1)
    return weights @ (density * others)


def _rule(c: np.ndarray) -> tuple:
    """Points and weights of a Gauss rule on pieces of length 1 at most between the counts and beyond."""
    kinks = np.unique([-NEGLIGIBLE, NEGLIGIBLE, *np.maximum(c, 1 - NEGLIGIBLE)])
    pieces = [np.linspace(a, b, math.ceil(b - a) + 1) for a, b in pairwise(kinks)]
    edges = np.unique(np.concatenate(pieces))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    return (middle[:, None] + half[:, None] * NODES).ravel(), (half[:, None] * WEIGHTS).ravel()


def label_loss(counts: list | np.ndarray, epsilon: float) -> float:
    r"""Expected number of training records that a leaf loses to the noise of its label: exact.

    .. math:: \sum_j D_j \Pr(j), \qquad D\,P_f(D) \text{ for two classes}
    """
    counts = check_counts(counts)
    return float(label_law(counts, epsilon) @ (counts.max() - counts))


def label_loss_bound(epsilon: float, classes: int = 2) -> float:
    r"""The most that the noise of a label costs a leaf in expectation, in records, whatever its counts.

    .. math:: (k - 1) \max_{D \ge 1} D\,P_f(D) \le (k - 1) \frac{\kappa}{\epsilon}, \quad
       \kappa = \max_x x\left(\frac x4 + \frac12\right)e^{-x}
              = \frac{1 + \sqrt 2}{2}\, e^{-\sqrt 2} = 0.2935

    The maximum is at a whole gap D next to :math:`\sqrt2/\epsilon`. Attained by two classes.
    """
    classes, rate = check_integer(classes, "classes", 2), check_positive(epsilon, "epsilon")
    gaps = max(1.0, float(math.floor(WORST_GAP / rate))) + np.arange(2)
    return (classes - 1) * float((gaps * published_flip(gaps, rate)).max())


# The accuracy of a split ---------------------------------------------------------------------


def expected_accuracy(leaves: ArrayLike, epsilon: float) -> float:
    """Exact expected training accuracy of leaves with noisy counts, shape (leaves, classes), given the split."""
    leaves = check_counts(leaves, "leaves")
    if leaves.ndim != 2 or not leaves.sum():
        raise ValueError(f"leaves must be counts of shape (leaves, classes), got {leaves!r}")
    kept = sum(leaf.max() - label_loss(leaf, epsilon) for leaf in leaves)
    return float(kept / leaves.sum())


def worst_accuracy_loss(n: int, epsilon: float) -> np.ndarray:
    r"""Exact largest loss of accuracy over all labels of two classes, given the split, for each k.

    .. math:: \max\ \mathrm{Acc} - \mathrm{E}[\widetilde{\mathrm{Acc}} \mid k], \qquad k = 0, \dots, N

    By enumeration of how many records of class 1 stay left, move, and stay right.
    """
    half = check_integer(n, "n", 2) // 2
    flip = published_flip(np.arange(n + 1), epsilon)
    return np.array([_worst_of(n, half, k, flip) for k in range(n + 1)])


def _worst_of(n: int, half: int, k: int, flip: np.ndarray) -> float:
    parts = min(k, half), abs(k - half), n - max(k, half)  # stay left, move, stay right
    left, moved, right = np.ix_(*(np.arange(m + 1) for m in parts))
    most = _majority(left + (k < half) * moved, half) + _majority(right + (k > half) * moved, n - half)
    new_left, new_right = left + (k > half) * moved, right + (k < half) * moved
    kept = sum(
        _majority(ones, size) - (gap := np.abs(2 * ones - size)) * flip[gap]
        for ones, size in ((new_left, k), (new_right, n - k))
    )
    return float((most - kept).max() / n)


def _majority(ones: np.ndarray, size: int) -> np.ndarray:
    return np.maximum(ones, size - ones)


def accuracy_loss_bound(n: int, t: float, epsilon: float, classes: int = 2) -> float:
    r"""What holds instead of theorem 2, for every data set and without any purity.

    .. math:: \mathrm{Acc} - \mathrm{E}[\widetilde{\mathrm{Acc}}] \le
       \frac{\lceil N/2 \rceil - s}{N} + \frac{2\lambda}{N}
       \le \frac{\lceil N/2 \rceil - s}{N} + \frac{2(k - 1)\kappa}{\epsilon_\ell N}, \quad
       s = \lfloor t \rfloor + 1

    Holds whenever both blocks hold more than t records, so with probability at least :math:`1 - \zeta_t`. The
    first term is the move of the split, the second the noise of the labels (:math:`\lambda` from
    `label_loss_bound`). Nor is any loss above :math:`1 - 1/k`, since the label is never worse than a guess; the
    smaller of both is returned.
    """
    s = smallest_block(t, n)
    return min(((n + 1) // 2 - s + 2 * label_loss_bound(epsilon, classes)) / n, 1 - 1 / classes)
