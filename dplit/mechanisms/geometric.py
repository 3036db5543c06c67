"""Two-sided geometric noise for a count (Ghosh, Roughgarden and Sundararajan 2009)."""

from __future__ import annotations

import math

import numpy as np

from dplit.errors import check_epsilon, check_integer, check_rng


class Geometric:
    r"""Adds an integer :math:`z` with probability :math:`\frac{1-\alpha}{1+\alpha}\alpha^{|z|}`.

    Here :math:`\alpha = e^{-\epsilon/\Delta}`. The Laplace mechanism of the integers: what it
    releases is a count, and no bits of floating point go with it.

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
    def alpha(self):
        r""":math:`\alpha = e^{-\epsilon/\Delta}`."""
        return math.exp(-self.epsilon / self.sensitivity)

    def pmf(self, noise):
        """Probability of each integer in `noise`, shape of `noise`."""
        return (1 - self.alpha) / (1 + self.alpha) * self.alpha ** np.abs(noise)

    def cdf(self, noise):
        """Probability that the noise is at most `noise`, shape of `noise`."""
        steps = np.floor(np.asarray(noise, dtype=np.float64))
        below = self.alpha ** np.abs(steps) / (1 + self.alpha)
        above = 1 - self.alpha ** (np.maximum(steps, 0) + 1) / (1 + self.alpha)
        return np.where(steps < 0, below, above)

    def sample(self, values, *, rng):
        """`values` plus independent noise, integers, shape of `values`."""
        values = np.asarray(values)
        if values.dtype.kind not in "iu":
            raise ValueError(f"values must be integers, got dtype {values.dtype}")
        success = -math.expm1(-self.epsilon / self.sensitivity)
        up, down = check_rng(rng).geometric(success, size=(2, *values.shape))
        return values.astype(np.int64) + up - down
