"""Discrete Gaussian noise for whole numbers (Canonne, Kamath and Steinke 2020)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_positive, check_rng
from dplit.mechanisms.geometric import Geometric
from dplit.mechanisms.secure import is_secure

FAR = 40  # deviations beyond which the law has no mass that a float could hold


class DiscreteGaussian:
    r"""Adds an integer :math:`z` with probability proportional to :math:`e^{-z^2/(2\sigma^2)}`.

    On a vector of whole numbers that one record moves by at most :math:`\Delta` in L2 norm it is
    :math:`\Delta^2/(2\sigma^2)`-zCDP (theorem 4 of the paper). It has no finite epsilon of its own. Derived
    in :doc:`/book/boosting`.

    Drawn by rejection from two-sided geometric noise (algorithm 3 of the paper); from a secure generator
    exactly, with a deviation that is rounded up in its eighth digit (`dplit.mechanisms.exact_gaussian`).
    `sigma`: positive and finite; the deviation is a little less than it where it is small.
    """

    def __init__(self, sigma: float) -> None:
        self.sigma = check_positive(sigma, "sigma")

    def __repr__(self) -> str:
        return f"DiscreteGaussian(sigma={self.sigma:g})"

    def pmf(self, noise: ArrayLike) -> float | np.ndarray:
        """Probability of each value in `noise`, shape of `noise`; 0 between the integers."""
        noise = np.asarray(noise, dtype=np.float64)
        law = np.exp(-np.square(noise / self.sigma) / 2) / self._total()
        return np.where(noise == np.floor(noise), law, 0.0)[()]

    def sample(self, values: ArrayLike, *, rng: np.random.Generator) -> np.ndarray:
        """`values` plus independent noise, int64 array, shape of `values`."""
        values, rng = np.asarray(values), check_rng(rng)
        if values.dtype.kind not in "iu":
            raise ValueError(f"values must be integers, got dtype {values.dtype}")
        noise = self._exact_noise if is_secure(rng) else self._noise
        return values.astype(np.int64) + noise(values.size, rng).reshape(values.shape)

    def _exact_noise(self, size: int, rng: np.random.Generator) -> np.ndarray:
        from dplit.mechanisms.exact_gaussian import exact_factors, gaussian  # compiled: slow to import

        return gaussian(*exact_factors(self.sigma), size, rng)

    def _noise(self, size: int, rng: np.random.Generator) -> np.ndarray:
        step = math.floor(self.sigma) + 1
        proposal, centre = Geometric(1.0, step), self.sigma**2 / step
        noise, wrong = np.zeros(size, dtype=np.int64), np.arange(size)
        while len(wrong):
            drawn = proposal.sample(np.zeros(len(wrong), dtype=np.int64), rng=rng)
            gap = (np.abs(drawn) - centre) / self.sigma
            noise[wrong] = drawn
            wrong = wrong[rng.standard_exponential(len(wrong)) < np.square(gap) / 2]
        return noise

    def _total(self) -> float:
        r"""Sum of the weights: :math:`\sigma\sqrt{2\pi}`, by Poisson's summation, where sigma is large."""
        if self.sigma > 10:
            return self.sigma * math.sqrt(2 * math.pi)
        reach = math.ceil(FAR * self.sigma)
        return float(np.exp(-np.square(np.arange(-reach, reach + 1) / self.sigma) / 2).sum())
