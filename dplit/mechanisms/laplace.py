"""Laplace noise for a number (DiPriMe v1, equation 3; Dwork, McSherry, Nissim and Smith 2006)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_epsilon, check_numbers, check_positive, check_rng
from dplit.mechanisms.geometric import decay


class Laplace:
    r"""Adds noise with density :math:`e^{-|x|/b}/(2b)`, scale :math:`b = \Delta/\epsilon`.

    Epsilon-private for a number, or for a vector whose L1 sensitivity is `sensitivity`, under the
    neighbours that the sensitivity was computed for. Derived in :doc:`/book/mechanisms`.

    That is about real numbers: the last bits of the float that `sample` returns can tell more. Private
    counts take `Geometric`; what is published with Laplace noise is rounded (`rounded`).
    `sensitivity`: the most that one record changes the released number (a vector: the sum over its entries).
    """

    def __init__(self, epsilon: float, sensitivity: float = 1.0) -> None:
        self.epsilon = check_epsilon(epsilon)
        self.sensitivity = check_positive(sensitivity, "sensitivity")

    def __repr__(self) -> str:
        return f"Laplace(epsilon={self.epsilon:g}, sensitivity={self.sensitivity:g})"

    @property
    def scale(self) -> float:
        r""":math:`b = \Delta/\epsilon`, in the units of the released number."""
        return self.sensitivity / self.epsilon

    def pdf(self, noise: ArrayLike) -> float | np.ndarray:
        """Density of the noise, shape of `noise`; an infinite epsilon has none and is an error."""
        if self.scale == 0:
            raise ValueError(f"epsilon must be finite for a density, got {self.epsilon}")
        return decay(noise, self.epsilon / self.sensitivity) / (2 * self.scale)

    def cdf(self, noise: ArrayLike) -> float | np.ndarray:
        """Probability that the noise is at most `noise`, shape of `noise`."""
        tail = decay(noise, self.epsilon / self.sensitivity) / 2
        return np.where(np.asarray(noise) < 0, tail, 1 - tail)[()]

    def sf(self, noise: ArrayLike) -> float | np.ndarray:
        """Probability that the noise is above `noise`, exact far out where ``1 - cdf`` is not."""
        tail = decay(noise, self.epsilon / self.sensitivity) / 2
        return np.where(np.asarray(noise) < 0, 1 - tail, tail)[()]

    def sample(self, values: ArrayLike, *, rng: np.random.Generator) -> float | np.ndarray:
        """`values` plus independent noise, shape of `values`."""
        values = check_numbers(values, "values")
        return values + check_rng(rng).laplace(scale=self.scale, size=values.shape)
