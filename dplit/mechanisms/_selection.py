"""What the mechanisms share that select one of k candidates by noisy scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_epsilon, check_integer, check_numbers, check_positive
from dplit.mechanisms.secure import exact_rate, whole_scores


class Selection:
    """A mechanism that reports one candidate, more likely the higher its score.

    `epsilon`: privacy budget; ``inf`` reports a candidate of highest score. `sensitivity`: the most that one
    record changes the score of any one candidate. `monotonic`: True if neighbours change all scores in the same
    direction, as an added record does to counts. The mechanism then needs half the noise.
    """

    def __init__(self, epsilon: float, sensitivity: float = 1.0, monotonic: bool = False) -> None:
        self.epsilon = check_epsilon(epsilon)
        self.sensitivity = check_positive(sensitivity, "sensitivity")
        self.monotonic = bool(monotonic)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(epsilon={self.epsilon:g}, sensitivity={self.sensitivity:g}, "
            f"monotonic={self.monotonic})"
        )

    @property
    def rate(self) -> float:
        r"""Weight of a unit of score: :math:`\epsilon/\Delta` if monotonic, else half of it."""
        return self.epsilon / self.sensitivity / (1 if self.monotonic else 2)

    def exact_sample(
        self, kernel: Callable, scores: ArrayLike, size: int | tuple[int, ...] | None, rng: np.random.Generator
    ) -> np.ndarray:
        """Draws of a compiled kernel of `dplit.mechanisms.exact`, by row, from whole scores.

        `kernel` is a function of the rate, the scores and `rng`; `scores`: shape (..., k); Returns
        an array of int64 of shape ``size + scores.shape[:-1]``.
        """
        scores = whole_scores(check_scores(scores))
        shape = sample_shape(size, scores.shape[:-1])
        rows = np.broadcast_to(scores, (*shape, scores.shape[-1]))
        moved = Fraction(self.sensitivity) * (1 if self.monotonic else 2)
        rate = exact_rate(self.epsilon, moved)
        rows = np.ascontiguousarray(rows.reshape(-1, scores.shape[-1]))
        return kernel(rate, rows, rng).reshape(shape)[()]

    def log_odds(self, scores: ArrayLike) -> np.ndarray:
        r"""Weighted scores less their maximum, :math:`\log q_r = \text{rate}\,(s_r - \max s) \le 0`."""
        scores = check_scores(scores)
        with np.errstate(over="ignore"):  # a gap beyond the floats is infinite
            gaps = scores - scores.max(axis=-1, keepdims=True)
            if math.isinf(self.rate):
                return np.where(gaps == 0, 0.0, -np.inf)
            return self.rate * gaps


def check_scores(scores: ArrayLike) -> np.ndarray:
    """Return `scores` as floats of shape (..., k) with k >= 1; NaN and infinity are errors."""
    try:
        scores = check_numbers(scores, "scores")
    except (TypeError, ValueError):
        shape = "numbers of shape (..., candidates)"
        raise ValueError(f"scores must be {shape}, got {scores!r}") from None
    if scores.ndim == 0 or scores.shape[-1] == 0:
        raise ValueError(f"scores must have shape (..., candidates), got shape {scores.shape}")
    if not np.isfinite(scores).all():
        raise ValueError(f"scores must be finite, got {scores[~np.isfinite(scores)][0]}")
    return scores


def sample_shape(size: int | None, leading: tuple) -> tuple:
    """Shape of the draws: `size` copies (None: one) of each entry of the leading axes."""
    size = () if size is None else np.atleast_1d(size).tolist()
    return (*(check_integer(n, "size", 0) for n in size), *leading)
