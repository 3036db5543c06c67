r"""What the counts of cells are, given what was released of them: the law that a histogram is shrunk by.

A count m has the prior :math:`\Pr(m) \propto \beta^m`, or a mixture of such priors, and t is m with geometric
noise. Derived in :doc:`/book/matrix_forest`.

Throughout `counts` are released whole numbers, with noise, of any shape, which an answer has, too. `alpha` is
:math:`e^{-\epsilon}` of the noise, from 0 to 1, and `mean` the prior's, positive; others are a ValueError.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_between, check_positive, check_whole

LEAST = -(2**63)  # of a released count, a whole number of 64 bits
LARGEST = 10**7  # steps: a released count of more, 10^4 scales of the noise, is taken as it is
FINEST = 1e-3  # least rate of noise whose steps are single records: see `_coarser`
COARSEST = 2.0**62  # records of a step: no count is larger
SMALLEST = 0.02  # mean of the least prior of a mixture
RATIO = 4.0  # of each one's to that of the one before it
ROUNDS = 60  # of the fit of their shares


def _released(counts: ArrayLike) -> np.ndarray:
    return check_whole(counts, "counts", LEAST)


def _decay(alpha: float) -> float:
    return check_between(alpha, "alpha", 0, 1)  # exp(-epsilon) of a least epsilon is 1


def _beta(mean: float) -> float:
    """Beta of a prior, from its mean; below 1, also where the mean is beyond what a float tells from 1."""
    mean = check_positive(mean, "mean")
    return min(mean / (1 + mean), 1 - 2.0**-53)


def _coarser(counts: np.ndarray, alpha: float) -> tuple[np.ndarray, float, float]:
    r"""Counts, noise and records of a step, where noise is so wide that single records need not be told apart.

    Below a rate of `FINEST` counts are in steps of which the noise has that rate: rounding to a step moves a
    count by at most half of `FINEST` of the noise's scale. Where even :math:`\alpha` rounds to 1, a step has
    `COARSEST` records, and all counts but the largest are 0. A step of 1 record: nothing was changed.
    """
    finest = math.exp(-FINEST)
    if alpha <= finest:
        return counts, alpha, 1.0
    step = min(FINEST / -math.log(alpha), COARSEST) if alpha < 1 else COARSEST
    return np.rint(counts / step).astype(np.int64), finest, step


def posterior_mean(counts: ArrayLike, alpha: float, mean: float) -> np.ndarray:
    r"""Mean of a count given what was released, where counts are geometric and so is the noise.

    With the prior :math:`\Pr(m) \propto \beta^m`, :math:`m \ge 0`, of mean :math:`\beta/(1-\beta)`, and noise of
    law :math:`\propto \alpha^{|z|}`, the count behind a released t is :math:`m \le t` with weight
    :math:`\beta^m\alpha^{t-m}` and :math:`m \ge t` with :math:`\beta^m\alpha^{m-t}`. What lies below 0 tells no
    more than that it does: all such t have one mean. Above :math:`\alpha = e^{-1/1000}` counts are in steps
    (`_coarser`).
    """
    counts, alpha, mean = _released(counts), _decay(alpha), check_positive(mean, "mean")
    counts, alpha, step = _coarser(counts, alpha)
    if step > 1:
        return step * posterior_mean(counts, alpha, mean / step)
    t, place = np.unique(counts, return_inverse=True)
    beta = _beta(mean)
    above = alpha * beta / (1 - alpha * beta)  # weight of all m > t, of which m = t has 1
    found = np.maximum(t, 0).astype(float)
    near = found <= LARGEST
    whole = found[near].astype(np.int64)
    steps = np.arange(whole.max(initial=0) + 1)
    if alpha < beta:  # sums over j = t - m
        powers = (alpha / beta) ** steps
        weight, moment = np.cumsum(powers)[whole], np.cumsum(steps * powers)[whole]
        off = above / (1 - alpha * beta) - moment
        found[near] += off / (weight + above)
    else:  # sums over m
        powers = (beta / alpha) ** steps
        weight, moment = np.cumsum(powers)[whole], np.cumsum(steps * powers)[whole]
        moment = moment + powers[whole] * above * (whole + 1 / (1 - alpha * beta))
        found[near] = moment / (weight + powers[whole] * above)
    found[t < 0] = above
    return found[place].reshape(np.shape(counts))


def released_law(counts: ArrayLike, alpha: float, mean: float) -> np.ndarray:
    r"""Probability of a released count: a geometric count of a mean, and geometric noise.

    With :math:`\beta` as in `posterior_mean` it is :math:`(1-\beta)\frac{1-\alpha}{1+\alpha}` times the weights
    of all m that are summed there: for :math:`t \ge 0` :math:`\frac{\alpha^{t+1} - \beta^{t+1}}{\alpha - \beta} +
    \beta^t\frac{\alpha\beta}{1 - \alpha\beta}`, and for :math:`t < 0` :math:`\frac{\alpha^{-t}}{1 -
    \alpha\beta}`. The mean's :math:`\beta` is another than :math:`\alpha`.
    """
    t, alpha, beta = _released(counts).astype(float), _decay(alpha), _beta(mean)
    if alpha == beta:
        raise ValueError(f"mean must not be alpha / (1 - alpha), got {mean!r} with alpha={alpha!r}")
    up, both = np.maximum(t, 0), alpha * beta
    inner = (alpha ** (up + 1) - beta ** (up + 1)) / (alpha - beta)
    weight = np.where(t < 0, alpha ** np.maximum(-t, 0), inner * (1 - both) + beta**up * both)
    return (1 - beta) * (1 - alpha) / (1 + alpha) * weight / (1 - both)


def mixed_mean(counts: ArrayLike, alpha: float) -> np.ndarray:
    """Mean of a count given all that was released, at least one count, where counts are of several sizes.

    The prior is a mixture of geometric ones, whose means are `SMALLEST` and so on, each `RATIO` times the one
    before, up to the largest released count; their shares are those of largest likelihood
    (expectation-maximization, `ROUNDS` times). The means and the number of times are chosen, not derived.

    >>> import numpy as np
    >>> from dplit.matrix.forest import mixed_mean, posterior_mean
    >>> released = np.array([500] + [-2, 3, 0, 1, -1, 2, 0, -3] * 10)
    >>> mixed_mean(released, 0.9)[0] > 490  # one prior of the mean of all takes it for noise
    np.True_
    >>> posterior_mean(released, 0.9, released.mean())[0] < 100
    np.True_
    """
    counts, alpha = _released(counts), _decay(alpha)
    if not counts.size:
        raise ValueError("counts must hold at least one count, got none")
    counts, alpha, step = _coarser(counts, alpha)
    if step > 1:
        return step * mixed_mean(counts, alpha)
    t, place, times = np.unique(counts, return_inverse=True, return_counts=True)
    if alpha == 0:
        return np.maximum(t, 0.0)[place].reshape(np.shape(counts))
    sizes = math.ceil(math.log(max(float(t[-1]), 1.0) / SMALLEST, RATIO)) + 1
    means = SMALLEST * RATIO ** np.arange(sizes)
    means = np.where(np.isclose(means / (1 + means), alpha, rtol=1e-9), 1.01 * means, means)
    densities = np.array([released_law(t, alpha, mean) for mean in means])
    shares = np.full((sizes, 1), 1 / sizes)
    for _ in range(ROUNDS):
        weights = shares * densities
        weights /= np.maximum(weights.sum(axis=0), 1e-300)  # a far negative count has none
        shares = (weights @ times / times.sum())[:, None]
    found = (weights * [posterior_mean(t, alpha, mean) for mean in means]).sum(axis=0)
    return found[place].reshape(np.shape(counts))
