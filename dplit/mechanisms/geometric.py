"""Two-sided geometric noise for a count (Ghosh, Roughgarden and Sundararajan 2009)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_epsilon, check_integer, check_numbers, check_rng
from dplit.mechanisms.secure import exact_rate, is_secure

MOST = 2**60  # of a value
COARSE = 2.0**-20  # noise of a smaller rate is drawn in two digits


class Geometric:
    r"""Adds an integer :math:`z` with probability :math:`\frac{1-\alpha}{1+\alpha}\alpha^{|z|}`.

    Here :math:`\alpha = e^{-\epsilon/\Delta}`. The Laplace mechanism of the integers: what it
    releases is a count, and no bits of floating point go with it. Derived in :doc:`/book/mechanisms`.

    Noise of a small rate is drawn digit by digit: with k = h 2^m + l, h and l of a geometric variable
    k are independent, and each has fewer bits than a float holds. What is released is clipped to
    +-2^61, a public range that no value comes near. From a secure generator the noise is exact.
    `sensitivity`: the most that one record changes the released count (a vector: the sum over its entries).
    """

    def __init__(self, epsilon: float, sensitivity: int = 1) -> None:
        self.epsilon = check_epsilon(epsilon)
        self.sensitivity = check_integer(sensitivity, "sensitivity", 1)

    def __repr__(self) -> str:
        return f"Geometric(epsilon={self.epsilon:g}, sensitivity={self.sensitivity})"

    @property
    def rate(self) -> float:
        r""":math:`\epsilon/\Delta`."""
        return self.epsilon / self.sensitivity

    @property
    def alpha(self) -> float:
        r""":math:`\alpha = e^{-\epsilon/\Delta}`."""
        return math.exp(-self.rate)

    def pmf(self, noise: ArrayLike) -> float | np.ndarray:
        """Probability of each value in `noise`, shape of `noise`; 0 between the integers."""
        noise = check_numbers(noise, "noise")
        law = math.tanh(self.rate / 2) * decay(noise, self.rate)  # tanh: (1 - alpha)/(1 + alpha)
        return np.where(noise == np.floor(noise), law, 0.0)[()]

    def cdf(self, noise: ArrayLike) -> float | np.ndarray:
        """Probability that the noise is at most `noise`, shape of `noise`."""
        steps = np.floor(check_numbers(noise, "noise"))
        below = decay(np.minimum(steps, -1), self.rate) / (1 + self.alpha)
        return np.where(steps < 0, below, 1 - self.sf(steps))[()]

    def sf(self, noise: ArrayLike) -> float | np.ndarray:
        """Probability that the noise is above `noise`, exact far out where ``1 - cdf`` is not."""
        steps = np.floor(check_numbers(noise, "noise"))
        above = decay(np.maximum(steps, 0) + 1, self.rate) / (1 + self.alpha)
        return np.where(steps < 0, 1 - decay(steps, self.rate) / (1 + self.alpha), above)[()]

    def sample(self, values: ArrayLike, *, rng: np.random.Generator) -> np.ndarray:
        """`values` plus independent noise, integers within +-2^61, shape of `values`.

        Values lie within +-2^60; others, and numbers that are no integers, are a ValueError.
        """
        values = np.asarray(values)
        if values.dtype.kind not in "iu":
            raise ValueError(f"values must be integers, got dtype {values.dtype}")
        if not ((values >= -MOST) & (values <= MOST)).all():
            raise ValueError("values must lie within +-2^60, got one that does not")
        rng, values = check_rng(rng), values.astype(np.int64)
        if is_secure(rng):
            noise = self._exact_noise(values.size, rng).reshape(values.shape)
            return np.clip(values + noise, -2 * MOST, 2 * MOST)
        return self._simulated(values, rng)

    def _exact_noise(self, size: int, rng: np.random.Generator) -> np.ndarray:
        from dplit.mechanisms.exact import two_sided  # compiled: slow to import

        return two_sided(exact_rate(self.epsilon, self.sensitivity), size, rng)

    def _simulated(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if self.rate >= COARSE:
            up, down = rng.geometric(-math.expm1(-self.rate), size=(2, *values.shape))
            return values + up - down
        rate = max(self.rate, 1e-300)  # of smaller ones too, nothing is left but the clipped ends
        bits = min(round(math.log2(COARSE) - math.log2(rate)), 58)
        near = values + np.subtract(*_low_digit(rate, 2**bits, (2, *values.shape), rng))
        high = np.floor(rng.standard_exponential((2, *values.shape)) / (rate * 2.0**bits))
        most = 4 * MOST // 2**bits  # more is clipped anyway
        far = np.clip(np.subtract(*high), -most, most).astype(np.int64) * 2**bits
        return np.clip(near + far, -2 * MOST, 2 * MOST)


def _low_digit(rate: float, n: int, shape: tuple, rng: np.random.Generator) -> np.ndarray:
    """The geometric law on 0, ..., n - 1, nearly uniform there: a uniform number, mostly accepted."""
    digit, wrong = rng.integers(n, size=shape), np.ones(shape, dtype=bool)
    while True:
        wrong &= rng.standard_exponential(shape) < rate * digit
        if not wrong.any():
            return digit
        digit = np.where(wrong, rng.integers(n, size=shape), digit)


def decay(distance: float | np.ndarray, rate: float) -> np.ndarray:
    r""":math:`e^{-\text{rate}\,|x|}`, shape of `distance`; at an infinite rate 1 at zero, else 0."""
    distance = np.abs(check_numbers(distance, "distance"))
    with np.errstate(invalid="ignore"):
        return np.where(distance == 0, 1.0, np.exp(-rate * distance))


def rounded(released: np.ndarray, scale: float) -> np.ndarray:
    """What was released, as multiples of a public power of two, about 2^-20 of the noise's `scale`.

    The last bits of a float would tell what the noise was added to. No noise, no rounding.
    """
    if not 0 < scale < math.inf:
        return released
    step = 2.0 ** max(math.frexp(scale)[1] - 21, -1000)
    return step * np.rint(released / step)
