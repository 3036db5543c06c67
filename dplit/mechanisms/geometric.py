"""Two-sided geometric noise for a count (Ghosh, Roughgarden and Sundararajan 2009)."""

from __future__ import annotations

import math

import numpy as np

from dplit.errors import check_epsilon, check_integer, check_rng
from dplit.mechanisms._noise import decay


class Geometric:
    r"""Adds an integer :math:`z` with probability :math:`\frac{1-\alpha}{1+\alpha}\alpha^{|z|}`.

    Here :math:`\alpha = e^{-\epsilon/\Delta}`. The Laplace mechanism of the integers: what it
    releases is a count, and no bits of floating point go with it. Derived in :doc:`/book/mechanisms`.

    Parameters
    ----------
    epsilon : float
    sensitivity : int
        The most that one record changes the released count (a vector: the sum over its entries).
    """

    def __init__(self, epsilon, sensitivity=1):
        self.epsilon = check_epsilon(epsilon)
        self.sensitivity = check_integer(sensitivity, "sensitivity", 1)

    def __repr__(self):
        return f"Geometric(epsilon={self.epsilon:g}, sensitivity={self.sensitivity})"

    @property
    def rate(self):
        r""":math:`\epsilon/\Delta`."""
        return self.epsilon / self.sensitivity

    @property
    def alpha(self):
        r""":math:`\alpha = e^{-\epsilon/\Delta}`."""
        return math.exp(-self.rate)

    def pmf(self, noise):
        """Probability of each value in `noise`, shape of `noise`; 0 between the integers."""
        noise = np.asarray(noise, dtype=np.float64)
        law = math.tanh(self.rate / 2) * decay(noise, self.rate)  # tanh: (1 - alpha)/(1 + alpha)
        return np.where(noise == np.floor(noise), law, 0.0)[()]

    def cdf(self, noise):
        """Probability that the noise is at most `noise`, shape of `noise`."""
        steps = np.floor(np.asarray(noise, dtype=np.float64))
        below = decay(np.minimum(steps, -1), self.rate) / (1 + self.alpha)
        return np.where(steps < 0, below, 1 - self.sf(steps))[()]

    def sf(self, noise):
        """Probability that the noise is above `noise`, exact far out where ``1 - cdf`` is not."""
        steps = np.floor(np.asarray(noise, dtype=np.float64))
        above = decay(np.maximum(steps, 0) + 1, self.rate) / (1 + self.alpha)
        return np.where(steps < 0, 1 - decay(steps, self.rate) / (1 + self.alpha), above)[()]

    def sample(self, values, *, rng):
        """`values` plus independent noise, integers, shape of `values`."""
        values = np.asarray(values)
        if values.dtype.kind not in "iu":
            raise ValueError(f"values must be integers, got dtype {values.dtype}")
        success = -math.expm1(-self.rate)
        up, down = check_rng(rng).geometric(success, size=(2, *values.shape))
        return values.astype(np.int64) + up - down
