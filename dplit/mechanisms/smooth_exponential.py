"""RDF's exponential mechanism scaled by smooth sensitivity: of no finite epsilon (:doc:`/book/majority`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_counts, check_epsilon
from dplit.mechanisms.exponential import sample_index


class SmoothExponential:
    r"""Reports a class with probability proportional to :math:`e^{\epsilon u_c / (2 S^*)}`.

    The score :math:`u_c` is 1 for every most frequent class and 0 for the others (RDF, equation 7),
    :math:`S^* = e^{-j\epsilon}` (equation 8), and :math:`j` is the largest count less the second
    largest. A leaf of one class only always reports it.
    `epsilon`: What the paper says that it costs. What it does cost is infinite.
    """

    def __init__(self, epsilon: float) -> None:
        self.epsilon = check_epsilon(epsilon)

    def __repr__(self) -> str:
        return f"SmoothExponential(epsilon={self.epsilon:g})"

    def log_odds(self, counts: ArrayLike) -> np.ndarray:
        """Logarithm of each class's weight less that of a most frequent one, shape of `counts`."""
        counts = check_counts(counts)
        scores = counts == counts.max(axis=-1, keepdims=True)
        j = gap(counts)
        with np.errstate(over="ignore", invalid="ignore"):
            exponent = self.epsilon / 2 * np.where(j == 0, 1.0, np.exp(self.epsilon * j))
        return np.where(scores, 0.0, -exponent[..., None])

    def pmf(self, counts: ArrayLike) -> np.ndarray:
        """Probability of each class, shape of `counts`; the last axis sums to 1."""
        return np.exp(self.logpmf(counts))

    def logpmf(self, counts: ArrayLike) -> np.ndarray:
        """Logarithm of `pmf`, exact where `pmf` underflows; shape of `counts`."""
        log_odds = self.log_odds(counts)
        return log_odds - np.log(np.exp(log_odds).sum(axis=-1, keepdims=True))

    def sample(
        self, counts: ArrayLike, size: int | tuple[int, ...] | None = None, *, rng: np.random.Generator
    ) -> int | np.ndarray:
        """Index of the reported class, shape ``size + counts.shape[:-1]``."""
        return sample_index(self.pmf(counts), size, rng=rng)


def gap(counts: tuple | np.ndarray) -> int:
    """Largest count less second largest, the paper's j; shape ``counts.shape[:-1]``."""
    counts = check_counts(counts)
    if counts.shape[-1] == 1:
        return counts[..., 0]
    top = np.partition(counts, -2, axis=-1)
    return top[..., -1] - top[..., -2]
