"""Which depth is best, where the answer can be computed (ours; the question is RDF's section 4.3).

The model of :doc:`/book/depth`: tests cut independent uniform features in the middle, and the first one of a
feature tells its *sign*; the target depends on how many signs of the *relevant* features are positive. Continuous
features may be tested again on a path (``repeated=True``), those of two levels not. A Poisson number of records
makes all leaves and all trees independent, so that everything below is exact; labels are permute-and-flip's,
add-remove.

Throughout, `features` is m, `relevant` is h, from 1 to m, `depth` is at most m unless `repeated`, `n` is the mean
number of records of the forest, and `epsilon` its budget, ``inf`` without privacy.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from math import comb, inf, log

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom, hypergeom

from dplit.ground import errors
from dplit.majority import second_label


def relevant_tested(
    features: int, relevant: int, depth: int, repeated: bool = True, one: float | Fraction = 1.0
) -> np.ndarray:
    r"""Law of the number :math:`T` of relevant features that a path of `depth` nodes tests.

    Without replacement it is hypergeometric. With replacement one more node tests a new relevant
    feature with probability :math:`(h - t)/m`; for :math:`h = m` it is the law of :math:`m - X` of theorem 2.
    Returns the probabilities of T = 0, ..., h.
    """
    one = errors.check_one(one)
    m, h, d = _check(features, relevant, depth, repeated)
    if not repeated:
        ways = [comb(h, t) * comb(m - h, d - t) if t <= d else 0 for t in range(h + 1)]
        return np.array([w * one / comb(m, d) for w in ways])
    t = np.arange(h + 1)
    law = np.array([one] + [0 * one] * h)
    for _ in range(d):
        new = law * (h - t) / m
        law = law * (m - h + t) / m
        law[1:] += new[:-1]
    return law


def effective_records(n: float, epsilon: float, trees: int = 1) -> float:
    r"""What the records of a tree are worth at `epsilon`: :math:`\frac{n}{\tau}(1 - e^{-\epsilon})`.

    A leaf that holds records of one class, a number of mean :math:`\lambda`, is labelled wrongly with probability
    :math:`\mathrm{E}\, e^{-\epsilon N}/2 = e^{-\lambda(1 - e^{-\epsilon})}/2`.
    """
    n = float(errors.check_between(n, "n", 0, errors.MOST_INTEGER))
    return float(-np.expm1(-errors.check_epsilon(epsilon)) * n / errors.check_integer(trees, "trees", 1))


def parity_accuracy(
    depth: int, n: float, features: int, relevant: int, epsilon: float, trees: int = 1, repeated: bool = True
) -> float:
    r"""Expected accuracy of one tree whose target is the parity of the relevant signs.

    .. math:: \frac12 + \frac12 \Pr[T = h] \bigl(1 - e^{-n_\epsilon / 2^d}\bigr), \qquad
              n_\epsilon = \tfrac{n}{\tau}(1 - e^{-\epsilon})

    A path that misses a relevant feature says nothing about the parity; one that tests them all ends in a
    leaf of one class. With :math:`h = 1` the target is the sign of one feature. :prf:ref:`thm-depth-parity`.
    """
    known = relevant_tested(features, relevant, depth, repeated)[-1]
    return float((1 - known * np.expm1(-effective_records(n, epsilon, trees) / 2**depth)) / 2)


def deeper_from(depth: int, features: int, relevant: int, repeated: bool = True) -> float:
    r"""Effective records from which a tree of parity gains by one level more than `depth`.

    .. math:: n_\epsilon > -2^{d+1} \ln(\rho_d - 1), \qquad \rho_d = P_{d+1}/P_d, \quad P_d = \Pr[T_d = h]

    It is 0 where :math:`\rho_d \ge 2` or :math:`P_d = 0`, infinite where :math:`\rho_d = 1`, and grows with the
    depth. :prf:ref:`thm-depth-best`.
    """
    m, h, d = _check(features, relevant, depth, repeated)
    if not repeated and d == m:
        return inf
    if repeated:
        law = relevant_tested(m, h, d)
        gained, known = law[-2] / m, law[-1]
    else:  # P_d grows by the factor (d + 1) / (d + 1 - h)
        gained, known = h, d + 1 - h
    if gained == 0:
        return inf if known > 0 else 0.0
    return -(2.0 ** (d + 1)) * log(gained / known) if gained < known else 0.0


def best_depth(
    n: float, features: int, relevant: int, epsilon: float, trees: int = 1, repeated: bool = True
) -> int:
    r"""The depth of the largest `parity_accuracy`; of equals the smallest.

    Every tree votes alike, so this is the forest's best depth too, whatever the number of votes.
    """
    records = effective_records(n, epsilon, trees)
    return next(d for d in count() if deeper_from(d, features, relevant, repeated) >= records)


def vote_law(
    depth: int, n: float, features: int, target: ArrayLike, epsilon: float, trees: int = 1, repeated: bool = True
) -> np.ndarray:
    r"""Probability that a tree votes for class 1 where `w` of the relevant signs are positive.

    .. math:: q_w = \sum_t \Pr[T = t] \sum_v \frac{\binom{w}{v}\binom{h-w}{t-v}}{\binom{h}{t}}
              \Pr[D_{tv} + \mathrm{Lap}(1/\epsilon) > 0]

    :math:`D_{tv}` is the difference of the class counts in the leaf, independent Poisson numbers with means
    :math:`\lambda p` and :math:`\lambda (1-p)`, :math:`\lambda = n/(\tau 2^d)`; :math:`p` is the mean
    of the target given :math:`v` positive signs among the :math:`t` tested ones.
    `target` has the probabilities of class 1 where 0, ..., h of the relevant signs are positive, and the result
    those of w = 0, ..., h; `epsilon` is finite.
    """
    depth = errors.check_integer(depth, "depth", 0)
    target = _check_target(target)
    h, w = len(target) - 1, np.arange(len(target))
    records = effective_records(n, inf, trees) / 2**depth
    law = np.zeros(h + 1)
    for t, chance in enumerate(relevant_tested(features, h, depth, repeated)):
        rest = binom.pmf(np.arange(h - t + 1), h - t, 0.5)
        mean = np.convolve(target, rest, "valid")  # rest is symmetric
        seen = hypergeom.pmf(np.arange(t + 1), h, w[:, None], t)
        law += chance * (seen @ _first_label(mean, records, epsilon))
    return law


def forest_accuracy(
    depth: int, n: int, features: int, target: ArrayLike, epsilon: float, trees: int = 1, repeated: bool = True
) -> float:
    """Expected accuracy of the majority vote of all trees, a tied vote counting half.

    Given the signs of a point its votes are independent draws of `vote_law`. For an odd number of trees
    and features of two levels this is `dplit.forests.RandomDecisionForestClassifier`, whose tied votes go to
    the first class.
    """
    votes = vote_law(depth, n, features, target, epsilon, trees, repeated)
    won = np.arange(trees + 1)
    wins = binom.pmf(won, trees, votes[:, None]) @ np.where(2 * won == trees, 0.5, 2 * won > trees)
    target, h = _check_target(target), len(votes) - 1
    return float(binom.pmf(np.arange(h + 1), h, 0.5) @ (target * wins + (1 - target) * (1 - wins)))


def _first_label(share: np.ndarray, records: float, epsilon: float) -> np.ndarray:
    """Probability of label 1 in leaves of Poisson(records) records, a `share` of them of class 1.

    The law of the difference of the counts comes from its characteristic function, on a circle too
    long for its tails to meet.
    """
    length = 2 ** int(np.ceil(np.log2(2 * (records + 12 * np.sqrt(records) + 30))))
    turn = np.exp(-2j * np.pi * np.arange(length) / length)
    share = np.asarray(share)[:, None]
    law = np.fft.ifft(np.exp(records * (share * turn + (1 - share) * turn.conj() - 1))).real
    difference = np.fft.fftfreq(length, 1 / length)
    return law @ second_label(-difference, errors.check_positive(epsilon, "epsilon"))


def _check_target(target: ArrayLike) -> np.ndarray:
    values = errors.check_numbers(target, "target")
    if values.ndim != 1 or len(values) < 2 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"target must be probabilities for 0, ..., h positive signs, h >= 1, got {target!r}")
    return values


def _check(features: int, relevant: int, depth: int, repeated: bool) -> tuple:
    m, h = errors.check_integer(features, "features", 1), errors.check_integer(relevant, "relevant", 1)
    d = errors.check_integer(depth, "depth", 0)
    if h > m:
        raise ValueError(f"relevant must be at most the number of features, {m}, got {h}")
    if d > m and not repeated:
        raise ValueError(f"depth must be at most the number of features, {m}, if none is repeated, got {d}")
    return m, h, d
