"""The released model of a boosted forest while it grows, and the columns that it tests.

A record's residual depends on that record and on what has been released. The two models differ in
what a residual is, and in how the sums of a leaf become its step. Records are in parts (`dplit.forests.parts`).
"""

from __future__ import annotations

import numpy as np

from dplit.boosting import STEPS, class_reach, directions
from dplit.boosting.residuals import TARGET_REACH, class_shares
from dplit.domain import Continuous, Domain
from dplit.forests.boosted_parts import (
    class_counts,
    closed,
    leaf_counts,
    leaf_pairs,
    opened,
    residuals_of_classes,
    residuals_of_targets,
    started,
    target_sums,
)
from dplit.forests.boosted_releases import prior_of_classes, prior_of_targets
from dplit.forests.targets import check_count

CLIPS = 0.12, 0.8, 0.05  # of a target's residual: in the first round, its decay, the least one
MOST_CODES = 6_000_000  # of directions, all records together


class ClassModel:
    """Log-odds of the second of two classes, or log-weights of several.

    Parameters
    ----------
    n_classes : int
    """

    unit = 1.0  # of a step
    spread = 1.0  # variance of a residual, in units of its curvature

    def __init__(self, n_classes):
        self.n_classes = n_classes

    def start(self, parts, epsilon, rng):
        """Release the class counts; returns the node."""
        logs, node = prior_of_classes(parts.total(class_counts, self.n_classes), epsilon, rng)
        self.initial = logs[1:] - logs[:1] if self.n_classes == 2 else logs
        self.low = self.high = self.initial
        parts.advance(started, self.initial)
        return node

    def open(self, parts, t, deepest):
        """Residuals of all records; returns their reach."""
        parts.advance(opened, residuals_of_classes, deepest)
        if self.n_classes == 2:
            return class_reach(self.low[0], self.high[0])
        return class_reach(self.low, self.high)

    def release(self, parts, t, reach, n_cells, share, account, rng):
        """Pair sums of the leaves, in records, the variance of a gradient's noise, and what they cost.

        In the first round all records of a class have one residual. Of several classes their counts say
        all, and a record changes one of them.
        """
        if t == 0 and self.n_classes > 2:
            counts = parts.total(leaf_counts, n_cells, self.n_classes)
            noisy, node = account.counts(counts, share, rng)
            shares = class_shares(self.initial[None, :]) / STEPS
            others = noisy.sum(axis=1, keepdims=True) - noisy
            return (
                np.array([noisy * (1 - shares), others * shares]),
                account.variance(1, share),
                node,
            )
        pairs, node = account.pairs(parts.total(leaf_pairs, n_cells, 0), share, reach, rng)
        noise = sum(account.variance(s / STEPS, share, reach.norm) for s in (reach.up, reach.down))
        return pairs, noise, node

    def gradients(self, pairs):
        """Gradients and curvatures of the leaves."""
        return pairs[0] - pairs[1], (pairs[0] + pairs[1]) / 2

    def close(self, parts, steps):
        """Add a tree's steps."""
        parts.advance(closed, steps)
        self.low, self.high = self.low + steps.min(axis=0), self.high + steps.max(axis=0)


class TargetModel:
    """Means of targets, as shares of their public interval: whole numbers of steps of the public grid."""

    spread = 0.1  # as of `ClassModel`, where a residual is a share of its clip

    def start(self, parts, epsilon, rng):
        """Release the mean; returns the node."""
        total, n_records = parts.total(target_sums).tolist()
        check_count(n_records)  # of all parts together
        mean, node = prior_of_targets(total, n_records, epsilon, rng)
        self.initial = np.array([mean])
        parts.advance(started, self.initial)
        return node

    def open(self, parts, t, deepest):
        """Residuals of all records, in steps of the round's clip; returns their reach."""
        first, decay, least = CLIPS
        self.unit = max(first * decay**t, least)
        parts.advance(opened, residuals_of_targets, deepest, self.unit)
        return TARGET_REACH

    def release(self, parts, t, reach, n_cells, share, account, rng):
        """Pair sums of the leaves, a vote of 2 a record, the variance of a gradient, and what they cost."""
        pairs, node = account.pairs(parts.total(leaf_pairs, n_cells, STEPS), share, reach, rng)
        return pairs, account.variance(2, share) / 2, node

    def gradients(self, pairs):
        """Gradients and numbers of records of the leaves."""
        return (pairs[0] - pairs[1]) / 2, (pairs[0] + pairs[1]) / 2

    def close(self, parts, steps):
        """Add a tree's steps."""
        parts.advance(closed, steps)


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
