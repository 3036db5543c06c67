r"""Steps of the leaves as posterior means: the pull of a step towards its kin, found from the release itself.

Of a leaf are released :math:`G = hv + z` and its curvature :math:`h`; :math:`v` is the step that it should
take, :math:`z` has the variance :math:`\sigma^2 + qh` of the noise and of the records' own residuals. Steps
of leaves are kin: in a tree of :math:`d` tests and :math:`e` bins of one column their covariance is taken to be

.. math:: K_{cb,c'b'} = \tau^2 \sum_{l \le d} 0.7^l\,[c, c' \text{ agree in } l \text{ tests}]
    + \kappa^2\,B_{bb'}\,(1 + [c = c']),

where :math:`B` is the covariance of a Brownian path over the bins, less its mean. The best linear steps of each
pair of scales :math:`\tau, \kappa` are weighted with the density that it gives to what was released
(:doc:`/book/boosting`, which has the curvature :math:`(A + B)/2` and the pull of a single cell, too).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from dplit.boosting.plan import DEEPEST, Plan
from dplit.ground.errors import MOST, check_between, check_integer, check_kind, check_numbers, check_positive
from dplit.mechanisms.exponential import normalised

LARGEST = 1e300  # of a noisy sum, and of its variance
FADE = 0.7  # of a tree's covariance, from one test to the next


def brownian(n: int) -> np.ndarray:
    """Covariance at n equal bins of a Brownian path on [0, 1], less its mean; float64 array (n, n)."""
    n = check_integer(n, "n", 1)
    x = (np.arange(n) + 0.5) / n
    centre = np.eye(n) - 1 / n
    return -centre @ np.abs(x[:, None] - x) @ centre / 2


def priors(tests: int, bins: int, scales: tuple) -> np.ndarray:
    """Covariances of the steps of a tree's leaves, one for each pair of scales.

    `tests`, `bins`: the tree has 2**tests cells of 2**bins bins each, the bins of a cell side by side;
    `scales`: a tuple of those of the tests, and one of those of the bins. Returns an array of shape
    (n_pairs, n_leaves, n_leaves).
    """
    tests, bins = check_integer(tests, "tests", 0, DEEPEST), check_integer(bins, "bins", 0, DEEPEST)
    try:
        scales = tuple(tuple(map(float, part)) for part in scales)
    except (TypeError, ValueError, OverflowError):
        scales = ()
    if len(scales) != 2 or not all(0 <= scale <= MOST for part in scales for scale in part):
        raise ValueError("scales must be those of the tests and those of the bins, numbers from 0 on")
    return _priors(tests, bins, scales)


@cache
def _priors(tests: int, bins: int, scales: tuple) -> np.ndarray:
    cell, bin_ = np.divmod(np.arange(2 ** (tests + bins)), 2**bins)
    tree = np.zeros((len(cell), len(cell)))
    for level in range(tests + 1):
        above = cell >> (tests - level)
        tree += FADE**level * (above[:, None] == above)
    along = brownian(2**bins)[np.ix_(bin_, bin_)]
    along = along * (1 + (cell[:, None] == cell)) if tests else along
    pairs = product(scales[0], scales[1] if bins else (0.0,))
    return np.array([t**2 * tree + k**2 * along for t, k in pairs])


def leaf_steps(
    plan: Plan, gradients: np.ndarray, curvatures: np.ndarray, variance: float, spread: float
) -> np.ndarray:
    """Steps of the leaves of a round of this `dplit.boosting.Plan`; parameters as of `posterior_steps`."""
    check_kind(plan, Plan, "plan")
    released = gradients, curvatures, variance, spread
    if plan.fine:
        covariances = priors(plan.kept, plan.fine, plan.scales)
        return posterior_steps(*released, covariances, plan.clip)
    return tree_steps(*released, plan.scales[0], plan.clip)


def tree_steps(
    gradients: np.ndarray, curvatures: np.ndarray, variance: float, spread: float, scales: Sequence[float],
    clip: float,
) -> np.ndarray:  # fmt: skip
    r"""As `posterior_steps` of a tree without bins, in a time that grows with its leaves.

    A node's step is its parent's and an independent one of variance :math:`q = 0.7^l \tau^2` in level l.
    Upwards, of what lies below a node, :math:`\eta` and :math:`\lambda` are sums of the children's
    :math:`\eta/(1 + q\lambda)` and :math:`\lambda/(1 + q\lambda)`; downwards the step is
    :math:`v = (\eta + v'/q)/(\lambda + 1/q)`, with :math:`v'` the parent's: a pull of :math:`1/q`.
    `gradients`, `curvatures`, `variance`, `spread`, `clip` as of `posterior_steps`; the number of leaves is a
    power of two; `scales`: :math:`\tau`. Returns an array of shape (n_leaves, n_outputs).
    """
    gradients, curvatures = _released(gradients, curvatures, variance, spread)
    clip, variance = check_positive(clip, "clip"), float(variance)
    scales = check_numbers(scales, "scales", 0, MOST, ndim=1)
    if len(gradients) & (len(gradients) - 1) or not len(scales):
        raise ValueError(
            f"gradients must be of 2^depth leaves and scales at least one, got {len(gradients)} and {len(scales)}"
        )
    noise = _regular(variance + spread * curvatures, curvatures)
    squares = np.square(scales)[:, None, None]
    level = len(gradients).bit_length() - 1
    eta, weight = (np.repeat((curvatures * part / noise)[None], len(squares), axis=0)
                   for part in (gradients, curvatures))  # fmt: skip
    below, logs = [], 0.0
    while True:
        q = FADE**level * squares
        damped = 1 + q * weight
        logs = logs + ((q * eta**2 / damped - np.log(damped)) / 2).sum(axis=(1, 2))
        below.append((q, eta, damped))
        if level == 0:
            break
        eta, weight = ((x / damped)[:, ::2] + (x / damped)[:, 1::2] for x in (eta, weight))
        level -= 1
    steps = np.zeros((len(squares), 1, gradients.shape[1]))
    for q, eta, damped in reversed(below):
        parents = np.repeat(steps, eta.shape[1] // steps.shape[1], axis=1)
        steps = (parents + q * eta) / damped
    return np.clip(np.einsum("a,alk->lk", normalised(logs), steps), -clip, clip)


def _released(gradients: np.ndarray, curvatures: np.ndarray, variance: float, spread: float) -> tuple:
    """Check what a round released; return gradients, and curvatures of at least 0."""
    gradients = check_numbers(gradients, "gradients", -LARGEST, LARGEST, ndim=2)
    curvatures = check_numbers(curvatures, "curvatures", -LARGEST, LARGEST, ndim=2)
    check_between(variance, "variance", 0, LARGEST), check_between(spread, "spread", 0, MOST)
    if gradients.shape != curvatures.shape or not gradients.size:
        raise ValueError(
            f"gradients and curvatures must have one shape (n_leaves, n_outputs), "
            f"got {gradients.shape} and {curvatures.shape}"
        )
    return gradients, np.maximum(curvatures, 0.0)


def posterior_steps(
    gradients: np.ndarray, curvatures: np.ndarray, variance: float, spread: float, covariances: np.ndarray,
    clip: float,
) -> np.ndarray:  # fmt: skip
    """Best linear steps under each covariance, weighted by the density of the release.

    Returns an array of shape (n_leaves, n_outputs).

    `gradients`, `curvatures`: released, in records, shape (n_leaves, n_outputs). `covariances`: as `priors` gives
    them, shape (n_pairs, n_leaves, n_leaves). `variance`: of the noise of a gradient. `spread`: variance of a
    record's residual, in units of the curvature. `clip`: largest absolute step.
    """
    gradients, curvatures = _released(gradients, curvatures, variance, spread)
    clip, variance = check_positive(clip, "clip"), float(variance)
    covariances = check_numbers(covariances, "covariances", -MOST, MOST, ndim=3)
    if covariances.shape[1:] != (len(gradients),) * 2 or not len(covariances):
        raise ValueError(f"covariances must be matrices of {len(gradients)} leaves, got {covariances.shape}")
    logs, means = zip(
        *(_under_each(g, h, variance + spread * h, covariances) for g, h in zip(gradients.T, curvatures.T))
    )
    steps = np.einsum("a,kal->lk", normalised(np.sum(logs, axis=0)), np.array(means))
    return np.clip(steps, -clip, clip)


def _regular(noise: np.ndarray, curvature: np.ndarray) -> np.ndarray:
    """Variances that are positive where a release without noise is empty."""
    return noise + 1e-12 * (1 + curvature**2)


def _under_each(gradient: np.ndarray, curvature: np.ndarray, noise: np.ndarray, covariances: np.ndarray) -> tuple:
    """Log-densities of a release, up to a constant, and posterior means, under each covariance."""
    apart = covariances * curvature  # K h
    total = curvature[:, None] * apart
    total[:, range(len(noise)), range(len(noise))] += _regular(noise, curvature)
    root = np.linalg.cholesky(total)
    white = np.linalg.solve(root, gradient[:, None])[..., 0]
    logs = -np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1) - np.square(white).sum(axis=1) / 2
    back = np.linalg.solve(root.transpose(0, 2, 1), white[..., None])
    return logs, (apart @ back)[..., 0]


def step_error(curvature: ArrayLike, difference: ArrayLike, variance: float, pull: ArrayLike) -> np.ndarray:
    r"""Mean squared error of a cell's shrunk step, its curvature given.

    .. math:: \frac{\sigma^2 + w^2 \Delta^2}{(h + w)^2}

    `curvature`: :math:`h` of the cell, in records; `difference`: :math:`\Delta`: true step of the cell less its
    parent's; `variance`: :math:`\sigma^2` of the noise of the residual sum; `pull`: :math:`w`; 0 is the plain
    step. The shapes broadcast.
    """
    variance = check_between(variance, "variance", 0, MOST)
    difference = check_numbers(difference, "difference", -MOST, MOST)
    curvature = check_numbers(curvature, "curvature", 0, MOST)
    pull = check_numbers(pull, "pull", 0, MOST)
    if not (curvature + pull > 0).all():
        raise ValueError("curvature and pull must not both be 0")
    return (variance + np.square(pull * difference)) / np.square(curvature + pull)


def best_weight(curvature: int, difference: float, variance: float) -> float:
    r"""The pull of least error, :math:`w^* = \sigma^2/(h \Delta^2)`; shapes as `step_error`."""
    variance = check_between(variance, "variance", 0, MOST)
    difference = check_numbers(difference, "difference", -MOST, MOST)
    curvature = check_numbers(curvature, "curvature", 0, MOST)
    with np.errstate(divide="ignore"):
        return variance / (curvature * np.square(difference))
