"""What leaves of a regressor release, as in `dplit.forests.releases`: a mean of targets in [0, 1]."""

from __future__ import annotations

import numpy as np

from dplit.budget import Leak, Spend
from dplit.domain import GRID
from dplit.mechanisms import BoundedMean


def proved_means(stats, epsilon, rng):
    """Means in [0, 1]; where a leaf's votes are noise, near the mean of all released votes.

    `stats` is the number of each leaf's targets and their sum in steps (`dplit.trees.nodes.leaf_stats`).
    """
    mechanism = BoundedMean(epsilon, 0, GRID)
    votes = mechanism.sample(stats[:, 1], stats[:, 0], rng=rng)
    means = mechanism.mean(votes, centre=float(mechanism.mean(votes.sum(axis=0)))) / GRID
    note = f"BoundedMean(epsilon={epsilon:.4g}): geometric noise on the votes for both ends"
    return means, Spend("mean of a leaf", mechanism.epsilon, note)


def published_means(stats, epsilon, rng):
    """Mean plus Laplace noise of scale 1/(count epsilon), as the papers have it: not clipped.

    They leave an empty leaf open; it releases the middle here. `stats` as of `proved_means`; means are
    rounded to whole steps.
    """
    counts, sums = stats.T
    noise = rng.laplace(size=len(stats))
    means = sums / GRID / np.maximum(counts, 1) + noise / (np.maximum(counts, 1) * epsilon)
    means = np.rint(means * GRID) / GRID
    node = Leak("mean of a leaf", "the noise is scaled by the private count")
    return np.where(counts > 0, means, 0.5), node
