"""What a leaf of a regression or a published classification releases."""

from __future__ import annotations

import numpy as np

from dplit.mechanisms import BoundedMean


def proved_means(stats, epsilon, rng):
    """Means in [0, 1]; where a leaf's votes are noise, near the mean of all released votes."""
    mechanism = BoundedMean(epsilon, 0.0, 1.0)
    votes = mechanism.sample(stats[:, 1], stats[:, 0], rng=rng)
    return mechanism.mean(votes, centre=float(mechanism.mean(votes.sum(axis=0))))


def published_means(stats, epsilon, rng):
    """Mean plus Laplace noise of scale 1/(count epsilon), as the papers have it: not clipped.

    They leave an empty leaf open; it releases the middle here.
    """
    counts, sums = stats.T
    noise = rng.laplace(size=len(stats))
    means = sums / np.maximum(counts, 1) + noise / (np.maximum(counts, 1) * epsilon)
    return np.where(counts > 0, means, 0.5)


def published_labels(counts, epsilon, rng):
    """Largest of the counts with Laplace noise, cut at 0; a uniform one of those that tie."""
    noisy = np.maximum(counts + rng.laplace(scale=1 / epsilon, size=counts.shape), 0.0)
    tied = noisy == noisy.max(axis=1, keepdims=True)
    return np.where(tied, rng.random(counts.shape), -1.0).argmax(axis=1)
