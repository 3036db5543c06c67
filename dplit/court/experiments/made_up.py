"""Papers made up to try the rule on: every sentence is at its border, so that each verdict is a false one."""

from collections.abc import Callable

import numpy as np
from scipy.stats import t

from dplit.court.experiments.rule import FINEST, LEAST, POINT, RATE, log_evidence


def gains(papers: int, sentences: int, most: int, rng: np.random.Generator, effect: float = 0.0) -> np.ndarray:
    """Independent normal gains of variance 1, shape (papers, sentences, most): each sentence's repetitions."""
    return rng.normal(effect, 1.0, (papers, sentences, most))


def resampled(pool: list, papers: int, sentences: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """Gains whose mean is 0, drawn again from scores that were run: each sentence's from one cell of `pool`."""
    chosen = rng.integers(len(pool), size=papers * sentences)
    found = np.array([rng.choice(pool[c] - pool[c].mean(), most) for c in chosen])
    return found.reshape(papers, sentences, most)


def by_rule(numbers: np.ndarray, finest: float = FINEST * POINT) -> np.ndarray:
    """p-value of each sentence at each look, from `LEAST` repetitions on: shape (papers, sentences, looks).

    `finest`: the least deviation that counts.
    """
    n, mean, squares = _so_far(numbers)
    counted = np.maximum(squares, n * finest**2)
    return np.minimum(1.0, np.exp(-log_evidence(n, counted, np.abs(mean))))


def by_t(numbers: np.ndarray, overlap: float = 0.0) -> np.ndarray:
    """The same of a t test that takes each look for the only one; with an overlap the corrected one."""
    n, mean, squares = _so_far(numbers)
    error = np.sqrt(squares / (n - 1) * (1 / n + overlap))
    away = np.divide(np.abs(mean), error, out=np.full(mean.shape, np.inf), where=error > 0)
    return t.sf(away, n - 1)


def ever_wrong(numbers: np.ndarray, p: Callable = by_rule, rate: float = RATE) -> np.ndarray:
    """Of each paper whether a sentence is decided at some look, shape (papers,) of bool."""
    return (p(numbers) <= rate / numbers.shape[1]).any(axis=(1, 2))


def _so_far(numbers):
    n = np.arange(1, numbers.shape[-1] + 1)
    mean = np.cumsum(numbers, axis=-1) / n
    squares = np.maximum(np.cumsum(numbers**2, axis=-1) - n * mean**2, 0.0)
    return n[LEAST - 1 :], mean[..., LEAST - 1 :], squares[..., LEAST - 1 :]
