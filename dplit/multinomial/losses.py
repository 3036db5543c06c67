"""What the published forest costs, exactly: the losses of lemmas 5 to 7 and of theorem 2's parts.

Notation: :math:`b = B/2` for the budget of one multinomial, :math:`m` its candidates; a leaf has :math:`n`
estimation points of :math:`K` classes. Losses are in nats. Derived in :doc:`/book/multinomial_privacy`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.stats import binom

from dplit.ground import errors
from dplit.multinomial.privacy import impurity_mass
from dplit.multinomial.selection import check_budget, label_law

READINGS = ("algorithm", "text")


# Lemmas 5 and 6 ---------------------------------------------------------------------------------


def selection_loss(candidates: int, budget: float):
    r"""Loss of one multinomial over fixed candidates, the least bound for all data.

    .. math:: \ln\frac{e^b (1 + (m-1) e^b)}{e^b + m - 1}, \qquad b = B/2

    From :math:`b` for two candidates up to :math:`B` for many. MRF, lemma 5 with :math:`m = D`; met by
    scores (0, 1, ..., 1) against (1, 0, ..., 0).
    """
    others, b = errors.check_integer(candidates, "candidates", 1) - 1, check_budget(budget) / 2
    if others == 0 or b == 0:
        return 0.0
    return b + math.log((math.exp(-b) + others) / (math.exp(-b) * others + 1))


# Lemma 7 ----------------------------------------------------------------------------------------


def label_loss(n: int, classes: int, label_budget: float, neighbours: str = "add-remove"):
    r"""Largest loss of one drawn label, over leaves that have `n` records and their neighbours.

    .. math:: \frac bn + \ln\frac{e^b + K - 1}{e^{b(n-1)/n} + e^{b/n} + K - 2}

    met by (n, 0, ...) against (n - 1, 1, 0, ...), or against (n - 1, 0, ...) from the latter by one record
    more. Under add-remove `n` is the larger leaf, and for :math:`n = 1` the other one is empty. Under
    replace-one a leaf of one record costs :math:`b = B_3/2`, the most of all. Lemma 7, tight.
    `n`, `classes`: both at least 1; `label_budget`: finite.
    """
    n, k = errors.check_integer(n, "n", 1), errors.check_integer(classes, "classes", 1)
    b = errors.check_between(label_budget, "label_budget", 0, errors.MOST) / 2
    if k == 1:
        return 0.0
    pure = b + math.log1p((k - 1) * math.exp(-b))  # logarithms: e^b may be no float
    if n == 1 and errors.check_neighbours(neighbours) == "add-remove":
        return max(pure - math.log(k), b - (pure - math.log(k)))
    others = [math.log(k - 2)] if k > 2 else []
    mixed = float(np.logaddexp.reduce([b * (n - 1) / n, b / n, *others]))
    return b / n + pure - mixed


# Theorem 2 --------------------------------------------------------------------------------------


def coin_loss(structure: float, labels: float):
    r"""What one record more costs if a fair coin gives it to one of two parts.

    .. math:: \ln\frac{e^a + e^b}{2} \le \max(a, b)

    Theorem 2's maximum, made tight; add-remove. `structure`, `labels`: epsilons :math:`a, b` of both parts.
    """
    structure = errors.check_between(structure, "structure", 0, errors.MOST)
    labels = errors.check_between(labels, "labels", 0, errors.MOST)
    most, least = max(structure, labels), min(structure, labels)
    return most + math.log1p(math.expm1(least - most) / 2)


def deepest(n_estimation: int, min_samples_leaf: int, n_structure: int, stopping: str = "text"):
    r"""The most levels of splits that a tree can have.

    Where both children keep :math:`k` estimation points (section 3.2), :math:`\lfloor n/k \rfloor - 1`; where a
    node is split if it has more than :math:`k` (algorithm 1), as many as distinct structure points allow, whatever
    :math:`n` is: theorem 2's :math:`d \le O(n/k)` has no counterpart. `stopping`: "text" or "algorithm".
    """
    n, s = (
        errors.check_integer(n_estimation, "n_estimation", 0),
        errors.check_integer(n_structure, "n_structure", 0),
    )
    k = errors.check_integer(min_samples_leaf, "min_samples_leaf", 1)
    most = max(s - 1, 0)
    if errors.check_choice(stopping, READINGS, "stopping") == "text":
        return min(max(n // k - 1, 0), most)
    return most if n > k else 0


# What the budget allows -------------------------------------------------------------------------


def accuracy_cap(classes: int, label_budget: float):
    r"""No drawn label is right more often than this: :math:`e^{B_3/2}/(e^{B_3/2} + K - 1)`.

    Whatever the structure, the data and the leaf. MRF, section 3.3; ours.
    """
    return float(label_law([1] + [0] * (errors.check_integer(classes, "classes", 1) - 1), label_budget)[0])


def vote_cap(n_trees: int, epsilon: float):
    r"""No binary problem is predicted better by the vote of `n_trees` at theorem 2's :math:`B_3 = \epsilon/t`.

    Each tree is right with `accuracy_cap` at most, independently given the trees; ties are broken by a fair
    coin. Ours. `epsilon`: of the whole forest, theorem 2's.
    """
    t = errors.check_integer(n_trees, "n_trees", 1)
    p = accuracy_cap(2, check_budget(epsilon, "epsilon") / t)
    return float(binom.sf(t // 2, t, p) + (binom.pmf(t // 2, t, p) / 2 if t % 2 == 0 else 0))


def cap_epsilon(accuracy, n_trees: int):
    """The least epsilon at which `vote_cap` reaches an accuracy in (1/2, 1)."""
    n_trees = errors.check_integer(n_trees, "n_trees", 1)
    if not 0.5 < errors.check_between(accuracy, "accuracy", 0.5, 1) < 1:
        raise ValueError(f"accuracy must lie between 0.5 and 1, got {accuracy!r}")
    # at this epsilon each tree is right so often as the vote is asked
    most = 2 * n_trees * math.log(2 / (1 - accuracy))
    return brentq(lambda e: vote_cap(n_trees, e) - accuracy, 0.0, most, xtol=1e-9)


# Half of the records ----------------------------------------------------------------------------


def thinned_mass(counts: ArrayLike) -> np.ndarray:
    r"""Expected Gini mass of the records that a fair coin keeps.

    .. math:: n T\, \frac{n/2 - 1 + 2^{-n}}{n - 1}

    Half of it, less about :math:`T/2`. Ours.
    """
    counts = errors.check_numbers(counts, "counts", 0, errors.MOST)
    n = np.atleast_1d(counts).sum(axis=-1)
    return impurity_mass(counts) * (n / 2 - 1 + 0.5**n) / np.maximum(n - 1, 1)


def thinned_error(n: int, epsilon: float):
    r"""Error of permute-and-flip on the fair-coin half of `n` records, all of one of two classes.

    .. math:: \tfrac12 \Bigl(\frac{1 + e^{-\epsilon}}{2}\Bigr)^n
        = \cosh(\tfrac\epsilon2)^n \cdot \tfrac12 e^{-\epsilon n/2}

    The second factor is the error of all records at :math:`\epsilon/2`. Ours.
    """
    n, epsilon = errors.check_numbers(n, "n", 0, errors.MOST), min(errors.check_epsilon(epsilon), errors.MOST)
    return 0.5 * ((1 + np.exp(-epsilon)) / 2) ** n
