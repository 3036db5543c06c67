"""How many trees vote (RDF, section 4.4), in the model of `dplit.depth.best`; :doc:`/book/random_forest`.

The votes themselves are `dplit.depth.vote_law` and `dplit.depth.forest_accuracy`; `poisson_error` is the label of
one leaf of the model, for any number of classes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import binom as choose
from scipy.special import lambertw
from scipy.stats import binom

from dplit.depth import effective_records
from dplit.ground.errors import MOST, MOST_INTEGER, check_epsilon, check_integer, check_numbers, check_whole


def vote_errors(n: float, features: int, depth: int, epsilon: float, trees: ArrayLike) -> np.ndarray:
    r"""Error of the vote of an odd number of trees on the sign of one feature.

    A tree is right with probability :math:`\frac12 + \frac P2 (1 - e^{-x})`, where
    :math:`x = n(1 - e^{-\epsilon})/(\tau 2^d)`, and a path tests the feature with probability
    :math:`P = 1 - (1 - 1/m)^d`; the error is a binomial tail. What `dplit.depth.forest_accuracy` gives for any
    target, here for many numbers of trees at once. :prf:ref:`thm-number-of-trees`. `n`: mean number of records
    of the forest; `epsilon`: budget of the forest, add-remove; `trees`: odd numbers.
    """
    trees = check_whole(trees, "trees", -MOST_INTEGER)
    odd = (trees > 0) & (trees % 2 == 1)
    if not odd.all():
        raise ValueError(f"trees must be odd numbers of at least 1, got {trees[~odd].flat[0]}")
    m, d = check_integer(features, "features", 1), check_integer(depth, "depth", 0)
    tested = 1 - (1 - 1 / m) ** d
    right = (1 - tested * np.expm1(-effective_records(n, epsilon) / trees / 2**d)) / 2
    return binom.cdf((trees - 1) // 2, trees, right)


def poisson_error(mean: ArrayLike, epsilon: float, classes: int = 2) -> float | np.ndarray:
    r"""Error of permute-and-flip on a leaf whose Poisson number of records are all of one class.

    .. math:: 1 - \frac1k \sum_{i=0}^{k-1} (-1)^i \binom{k}{i+1} e^{-\lambda (1 - e^{-i\epsilon})}

    On :math:`N` records the label is right with probability :math:`\frac1k \sum_{i<k} (1 - q)^i`, where
    :math:`q = e^{-\epsilon N}`: a polynomial in :math:`q`, of which the Poisson number gives each power its mean.
    For two classes it is :math:`\frac12 e^{-\lambda(1-e^{-\epsilon})}`. :prf:ref:`thm-all-data-classes`.
    `mean`: mean number of records, :math:`\lambda \ge 0`; `epsilon`: budget of the label, add-remove;
    `classes`: k, at least 2 and at most 30: the sum alternates, and loses digits beyond.
    """
    mean = check_numbers(mean, "mean", 0, MOST)
    k = check_integer(classes, "classes", 2)
    if k > 30:
        raise ValueError(f"classes must be at most 30, got {k}")
    i = np.arange(k)
    powers = np.exp(np.multiply.outer(mean, np.expm1(-i * min(check_epsilon(epsilon), MOST))))
    return 1 - powers @ ((-1.0) ** i * choose(k, i + 1)) / k


def suggested_trees(n: float, depth: int, epsilon: float) -> float:
    r"""In the model, about how many trees are best: :math:`n_\epsilon / (x\, 2^d)` with :math:`x = 1.2564\dots`.

    It solves :math:`2x = e^x - 1`. There the mean margin of the vote, in its standard deviations, is largest for
    trees that are hardly better than a coin. Better trees want fewer: up to a fifth fewer where a path tests the
    relevant feature with probability 0.4 to 0.7 (:prf:ref:`thm-number-of-trees`), and one tree alone if all
    trees have the same leaves (:prf:ref:`thm-one-leaf`). `n`: mean number of records; under add-remove a public
    guess of it; `epsilon`: budget of the forest, add-remove; ``inf`` without privacy.
    """
    x = -0.5 - lambertw(-0.5 * np.exp(-0.5), -1).real
    return effective_records(n, epsilon) / 2 ** check_integer(depth, "depth", 0) / x
