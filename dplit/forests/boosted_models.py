"""The released model of a boosted forest while it grows, and the columns that it tests.

A record's residual depends on that record and on what has been released. The two models differ in
what a residual is, and in how the sums of a leaf become its step.
"""

from __future__ import annotations

import math

import numpy as np

from dplit.boosting import (
    STEPS,
    along,
    class_reach,
    class_residuals,
    directions,
    target_residuals,
)
from dplit.boosting.residuals import TARGET_REACH, class_shares
from dplit.domain import Continuous, Domain
from dplit.forests.boosted_releases import prior_of_classes, prior_of_targets

CLIPS = 0.12, 0.8, 0.05  # of a target's residual: in the first round, its decay, the least one
MOST_CODES = 6_000_000  # of directions, all records together


class ClassModel:
    """Log-odds of the second of two classes, or log-weights of several.

    Parameters
    ----------
    codes : int array, shape (n_records,)
    n_classes : int
    """

    unit = 1.0  # of a step
    spread = 1.0  # variance of a residual, in units of its curvature

    def __init__(self, codes, n_classes):
        self.codes, self.n_classes = codes, n_classes

    def start(self, epsilon, rng):
        """Release the class counts; returns the node."""
        logs, node = prior_of_classes(self.codes, self.n_classes, epsilon, rng)
        self.initial = logs[1:] - logs[:1] if self.n_classes == 2 else logs
        self.scores = np.tile(self.initial, (len(self.codes), 1))
        self.low = self.high = self.initial
        return node

    def residuals(self, t):
        """Of all records, in steps, and their reach."""
        if self.n_classes == 2:
            residuals = class_residuals(self.scores[:, 0], self.codes)
            return residuals, class_reach(self.low[0], self.high[0])
        return class_residuals(self.scores, self.codes), class_reach(self.low, self.high)

    def release(self, t, residuals, reach, cells, n_cells, share, account, rng):
        """Pair sums of the leaves, in records, the variance of a gradient's noise, and what they cost.

        In the first round all records of a class have one residual. Of several classes their counts say
        all, and a record changes one of them.
        """
        if t == 0 and self.n_classes > 2:
            shape, cells = (n_cells, self.n_classes), cells.astype(np.int64)
            places = cells * self.n_classes + self.codes
            counts = np.bincount(places, minlength=math.prod(shape)).reshape(shape)
            noisy, node = account.counts(counts, share, rng)
            shares = class_shares(self.initial[None, :]) / STEPS
            others = noisy.sum(axis=1, keepdims=True) - noisy
            return (
                np.array([noisy * (1 - shares), others * shares]),
                account.variance(1, share),
                node,
            )
        from dplit.trees.oblivious import pair_sums  # compiled: slow to import

        pairs, node = account.pairs(pair_sums(residuals, cells, n_cells), share, reach, rng)
        noise = sum(account.variance(s / STEPS, share, reach.norm) for s in (reach.up, reach.down))
        return pairs, noise, node

    def parts(self, pairs):
        """Gradients and curvatures of the leaves."""
        return pairs[0] - pairs[1], (pairs[0] + pairs[1]) / 2

    def update(self, cells, steps):
        """Add a tree's steps."""
        self.scores += steps[cells]
        self.low, self.high = self.low + steps.min(axis=0), self.high + steps.max(axis=0)


class TargetModel:
    """Means of targets, as shares of their public interval.

    Parameters
    ----------
    targets : float64 array, shape (n_records,)
        Whole numbers of steps of the public grid.
    """

    spread = 0.1  # as of `ClassModel`, where a residual is a share of its clip

    def __init__(self, targets):
        self.targets = targets

    def start(self, epsilon, rng):
        """Release the mean; returns the node."""
        mean, node = prior_of_targets(self.targets, epsilon, rng)
        self.initial = np.array([mean])
        self.scores = np.full((len(self.targets), 1), mean)
        return node

    def residuals(self, t):
        """Of all records, in steps of the round's clip, and their reach."""
        first, decay, least = CLIPS
        self.unit = max(first * decay**t, least)
        means = np.clip(self.scores[:, 0], 0.0, 1.0)
        return target_residuals(means, self.targets, self.unit), TARGET_REACH

    def release(self, t, residuals, reach, cells, n_cells, share, account, rng):
        """Pair sums of the leaves, a vote of 2 a record, the variance of a gradient, and what they cost."""
        from dplit.trees.oblivious import pair_sums  # compiled: slow to import

        votes = pair_sums(residuals, cells, n_cells, STEPS)
        pairs, node = account.pairs(votes, share, reach, rng)
        return pairs, account.variance(2, share) / 2, node

    def parts(self, pairs):
        """Gradients and numbers of records of the leaves."""
        return (pairs[0] - pairs[1]) / 2, (pairs[0] + pairs[1]) / 2

    def update(self, cells, steps):
        """Add a tree's steps."""
        self.scores += steps[cells]


def possible_directions(domain, n_records, most):
    """At most so many `dplit.boosting.directions` of a domain, for a public number of records."""
    bounds, levels = domain.bounds, domain.n_levels
    continuous = np.flatnonzero((levels == 0) & (bounds[:, 1] > bounds[:, 0]))
    return directions(continuous.tolist(), min(most, MOST_CODES // n_records))


def tested(domain, taken):
    """The domain's columns and the directions that are `taken`, by names."""
    names = list(domain.names or [f"column {j}" for j in range(len(domain))])
    names += [f"{names[i]} - {c:g} {names[j]} (shares)" for i, j, c in taken]
    columns = [Continuous(-c, 1.0) for _, _, c in taken]
    return Domain([*domain.features, *columns], names=names)


def with_directions(records, domain, taken):
    """The records with their values along directions as further columns."""
    return np.hstack([records, along(records, domain.bounds, taken)]) if taken else records
