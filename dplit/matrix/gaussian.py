r"""Gaussian noise in place of Laplace noise: another guarantee, (epsilon, delta), and another optimum.

Noise of deviation :math:`\sigma = s\Delta` for an L2 sensitivity :math:`\Delta` (Balle and Wang 2018) also has
zero-concentrated privacy of :math:`\rho = 1/(2s^2)` (Bun and Steinke 2016). It has pure differential privacy at no
:math:`\epsilon`: no number of this module may stand beside one of pure privacy as if both bought the same. All
relations here are add-remove. Derived in :doc:`/book/matrix_forest_experiments`.
"""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.random import Generator
from scipy.optimize import brentq
from scipy.special import erfcx, log_ndtr

from dplit.ground.errors import check_between, check_epsilon, check_kind, check_positive, check_rng
from dplit.matrix.strategies import DistinctLeaves, Identity, PerTree, Strategy
from dplit.matrix.strategies.base import check_domain, combined
from dplit.matrix.strategies.boxes import coefficients, functions
from dplit.matrix.strategies.spectrum import masses, row_masses
from dplit.matrix.workload import Workload

LARGEST = 1e6  # of an epsilon, and of a scale and of one over it


def gaussian_delta(epsilon: float, scale: float) -> float:
    r"""The least delta of Gaussian noise at :math:`s = \sigma/\Delta`, the positive `scale`: the module's formula.

    >>> from dplit import matrix
    >>> round(matrix.gaussian_delta(1.0, 1.0), 4)
    0.1269
    """
    epsilon = check_between(epsilon, "epsilon", 0, LARGEST)
    scale = check_between(check_positive(scale, "scale"), "scale", 1 / LARGEST, LARGEST)
    return math.exp(_log_delta(epsilon, scale))


def _log_delta(epsilon: float, s: float) -> float:
    x, apart = (epsilon * s - 1 / (2 * s)) / math.sqrt(2), 1 / (math.sqrt(2) * s)
    above = log_ndtr(-math.sqrt(2) * x)
    if x < 0:
        below = epsilon + log_ndtr(-math.sqrt(2) * (x + apart))
        return float(above + np.log(-np.expm1(below - above)))
    if apart > 1e-6 * x:  # the exponents' difference is epsilon, which the scaled functions leave out
        return float(above + np.log1p(-erfcx(x + apart) / erfcx(x)))
    slope = 1 / x if x > 1e3 else 2 / (math.sqrt(math.pi) * erfcx(x)) - 2 * x
    return float(above + np.log(apart * slope))


def gaussian_scale(epsilon: float, delta: float) -> float:
    r"""The least deviation s of Gaussian noise, over the L2 sensitivity, for :math:`(\epsilon, \delta)`.

    `epsilon` is finite, `delta` between 0 and 1. s is rounded up: `gaussian_delta` of it is at most `delta`.

    >>> from dplit import matrix
    >>> round(matrix.gaussian_scale(1.0, 1e-6), 3)
    4.225
    """
    if math.isinf(check_epsilon(epsilon)):
        raise ValueError("epsilon must be finite: without noise no scale is the least, got inf")
    epsilon = check_between(epsilon, "epsilon", 0, LARGEST)
    log_delta = math.log(_check_delta(delta))

    def excess(log_s):
        return _log_delta(epsilon, math.exp(log_s)) - log_delta

    low, high = -1.0, 1.0
    while excess(low) < 0:
        low *= 2
    while excess(high) > 0:
        high *= 2
    s = math.exp(brentq(excess, low, high, xtol=1e-14, rtol=1e-14))
    while _log_delta(epsilon, s) > log_delta:
        s *= 1 + 1e-13
    return s


def _check_delta(delta: float) -> float:
    number = isinstance(delta, Real) and not isinstance(delta, bool)
    if not number or not 0 < delta < 1:
        raise ValueError(f"delta must be a number between 0 and 1, both excluded, got {delta!r}")
    return float(delta)


def l2_sensitivity(strategy: Strategy | GaussianMarginals) -> float:
    r"""Most that a record changes :math:`AD`, in the L2 norm, add-remove.

    Entries of `Identity`, `PerTree` and `DistinctLeaves` with weights of 1 are 0 or 1, so it is
    :math:`\|A\|_1^{1/2}`; of the best marginals it is 1. Other strategies are a ValueError.
    """
    if isinstance(strategy, GaussianMarginals):
        return 1.0
    ones = isinstance(strategy, DistinctLeaves) and (strategy.weights == 1).all()
    if not (ones or isinstance(strategy, (Identity, PerTree))):
        raise ValueError(f"strategy must have entries of 0 and 1 or be GaussianMarginals, got {strategy!r}")
    return math.sqrt(strategy.norm)


def gaussian_error(
    workload: Workload, strategy: Strategy | GaussianMarginals, epsilon: float, delta: float
) -> float:
    """Total expected squared error of all queries for one class, with Gaussian noise at (epsilon, delta).

    Not to be held against `dplit.matrix.error`, which is of pure privacy. Strategies are those of
    `l2_sensitivity`.
    """
    workload = check_kind(workload, Workload, "workload")
    deviation = l2_sensitivity(strategy) * gaussian_scale(epsilon, delta)
    return deviation**2 * float(strategy.variances(workload) @ workload.multiplicity)


class GaussianMarginals:
    r"""The marginals that are best for a workload of boxes with Gaussian noise: a formula, no search.

    Let :math:`w_U` be the masses of the workload in the spaces of marginals, and :math:`d_U = \frac1n\prod_{i \in
    U}(n_i - 1)`. The strategy with :math:`A^\top A = \sum_U \lambda_UP_U` and :math:`\lambda_U \propto
    \sqrt{w_U/d_U}` has columns of norm 1 and the error :math:`(\sum_U \sqrt{w_Ud_U})^2`, times the variance of
    the noise. No strategy has less for a workload of whole marginals, and no weights of marginals have less for
    any workload.

    Released are the coefficients of the records' table in each space: of each marginal what its parts do not say
    already. The domain is never made. Workloads that are answered lie in the spaces of the one it was made for.
    """

    name = "gaussian marginals"

    def __init__(self, workload: Workload) -> None:
        self.n_levels = workload.boxes.n_levels
        self.masses = masses(workload)
        self.spaces = list(self.masses)
        w, d = np.array([*self.masses.values()]), self._density(self.spaces)
        self.optimum = float(np.sqrt(w * d).sum() ** 2)
        self.eigenvalues = np.sqrt(w / d) / math.sqrt(self.optimum)

    n_cells = Strategy.n_cells

    def _density(self, spaces: list[tuple[int, ...]]) -> np.ndarray:
        """Squared norm of each cell's part in each space, the same for all cells."""
        n = self.n_levels.astype(float)
        untested = np.exp(-np.log(n).sum())
        return np.array([untested * math.prod(n[list(u)] - 1) for u in spaces])

    def variances(self, workload: Workload) -> np.ndarray:
        """Variance of each distinct row's answer for noise of variance 1, shape (n_rows,)."""
        check_domain(self, workload)
        return row_masses(workload, self.spaces) @ (1 / self.eigenvalues)

    def release(
        self,
        codes: np.ndarray,
        classes: np.ndarray,
        n_classes: int,
        epsilon: float,
        delta: float,
        *,
        rng: Generator,
    ) -> list[np.ndarray]:
        """Noisy coefficients of the records' table, a block of shape (prod(n_i - 1), k) for each space.

        `epsilon` and `delta` are what all blocks cost together.
        """
        deviation, found = gaussian_scale(epsilon, delta), []
        check_rng(rng)
        for columns, value in zip(self.spaces, self.eigenvalues):
            exact = self._coefficients(columns, codes, classes, n_classes)
            noise = rng.normal(scale=deviation / math.sqrt(value), size=exact.shape)
            found.append(exact + noise)
        return found

    def _coefficients(
        self, columns: tuple[int, ...], codes: np.ndarray, classes: np.ndarray, n_classes: int
    ) -> np.ndarray:
        """Of the records' table in one space, in the products of `functions`."""
        shape = (*(int(self.n_levels[j]) for j in columns), n_classes)
        place = np.ravel_multi_index((*codes[:, list(columns)].T, classes), shape)
        table = np.bincount(place, minlength=math.prod(shape)).reshape(shape).astype(float)
        for axis, n in enumerate(shape[:-1]):
            table = np.moveaxis(np.tensordot(functions(n)[:, 1:], table, ([0], [axis])), 0, axis)
        rest = math.prod(int(n) for j, n in enumerate(self.n_levels) if j not in columns)
        return table.reshape(-1, n_classes) / math.sqrt(rest)

    def answer(self, workload: Workload, released: list[np.ndarray]) -> np.ndarray:
        """Unbiased answers of a workload's distinct rows from what `release` gave, shape (n_rows, k)."""
        check_domain(self, workload)
        parts = coefficients(workload.boxes, self.spaces)
        total = sum(part @ z for part, z in zip(parts, released)) * math.sqrt(self.n_cells)
        return combined(workload, total)
