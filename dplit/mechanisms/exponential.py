"""The exponential mechanism (McSherry and Talwar 2007; RDF, definition 4; DiPriMe v1, equation 4)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_rng
from dplit.mechanisms._selection import Selection, sample_shape
from dplit.mechanisms.secure import is_secure, no_exact_sampler


class Exponential(Selection):
    r"""Reports candidate :math:`r` with probability proportional to :math:`e^{\text{rate}\,s_r}`.

    Epsilon-private when each score has sensitivity `sensitivity`; `rate` is :math:`\epsilon/(2\Delta)`, or
    :math:`\epsilon/\Delta` for monotonic scores. Derived in :doc:`/book/mechanisms`.
    """

    def pmf(self, scores: ArrayLike) -> np.ndarray:
        """Probability of each candidate, shape of `scores`; the last axis sums to 1."""
        return normalised(self.log_odds(scores))

    def logpmf(self, scores: ArrayLike) -> np.ndarray:
        """Logarithm of `pmf`, exact where `pmf` underflows; shape of `scores`."""
        log_odds = self.log_odds(scores)
        return log_odds - np.log(np.exp(log_odds).sum(axis=-1, keepdims=True))

    @staticmethod
    def rational_law(weights: list) -> list:
        """The law for rational weights ``exp(rate * score)``, as a list of fractions."""
        total = sum(map(Fraction, weights))
        return [w / total for w in weights]

    def sample(
        self, scores: ArrayLike, size: int | tuple[int, ...] | None = None, *, rng: np.random.Generator
    ) -> int | np.ndarray:
        """Index of the reported candidate, shape ``size + scores.shape[:-1]``.

        From a secure generator the draw is exact, and scores have to be whole numbers. From any other one they
        are turned into floats first, which rounds whole numbers beyond 2^53 (:doc:`/book/attacks`).
        """
        if is_secure(check_rng(rng)):
            from dplit.mechanisms.exact import exponential_rows  # compiled: slow to import

            return self.exact_sample(exponential_rows, scores, size, rng)
        return sample_index(self.pmf(scores), size, rng=rng)


def normalised(log_weights: np.ndarray) -> np.ndarray:
    """Laws on the last axis whose weights have these logarithms, an array of the same shape."""
    weights = np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def sample_index(pmf: np.ndarray, size: int | None = None, *, rng: np.random.Generator) -> np.ndarray:
    """Draw an index from each law on the last axis of `pmf`, by inverting its distribution.

    Rounded: a secure generator is an error.
    """
    if is_secure(check_rng(rng)):
        raise no_exact_sampler("a draw by rounded probabilities", "draw by scores instead")
    cdf = np.cumsum(pmf, axis=-1)
    cdf = (cdf / cdf[..., -1:])[..., :-1]  # rounding must not reach a candidate of probability 0
    uniforms = rng.random(sample_shape(size, cdf.shape[:-1]))
    if cdf.ndim == 1:
        return np.searchsorted(cdf, uniforms, side="right")
    return (uniforms[..., None] >= cdf).sum(axis=-1)
