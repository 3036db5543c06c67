"""What a boosted forest keeps of a block of records, and its released model while it grows.

Functions take a block (`Part`) and what is public or released, and return a new block or sums of whole numbers;
nothing is drawn in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dplit.boosting import STEPS, along, class_reach, class_residuals, clipped, counted, directions
from dplit.boosting.residuals import CLIP, TARGET_REACH, class_shares, target_residuals
from dplit.boosting.start import BINS
from dplit.domain import Continuous, Domain
from dplit.forests.boosted_releases import prior_of_classes, prior_of_targets

if TYPE_CHECKING:  # compiled: slow to import
    from dplit.trees.oblivious import Grid


class Part(NamedTuple):
    """Records as codes, and the released model at each of them."""

    grid: Grid
    codes: np.ndarray  #: Unsigned, shape (n_features, n_records).
    labels: np.ndarray  #: Classes, or targets as shares of the public interval, shape (n_records,).
    scores: np.ndarray | None = None  #: Shape (n_records, n_outputs).
    residuals: np.ndarray | None = None  #: Of the round, in steps, int32 of shape (n_records, n_outputs).
    #: What the round's tests so far say of each record, unsigned, shape (n_records,).
    cells: np.ndarray | None = None
    sums: np.ndarray | None = None  #: Of the level above, int64 of shape (n_cells, n_codes, n_outputs).


def encoded(records, labels, grid, domain, taken):
    """The part of encoded records; `taken` are the directions that are tested like columns."""
    return Part(grid, grid.encode(with_directions(records, domain, taken)), labels)


def with_directions(records, domain, taken):
    """The records with their values along directions as further columns."""
    return np.hstack([records, along(records, domain.bounds, taken)]) if taken else records


def started(part, initial):
    """The part under the released start of the model."""
    return part._replace(scores=np.tile(initial, (len(part.labels), 1)))


def opened(part, residuals_of, deepest, *told):
    """The part at the top of a round's tree, of at most `deepest` levels."""
    residuals = residuals_of(part.scores, part.labels, *told).astype(np.int32, order="C")
    cells = np.zeros(len(residuals), dtype=np.uint8 if deepest <= 8 else np.uint16)
    return part._replace(residuals=residuals, cells=cells)


def summed(part, n_cells):
    """The part with the residual sums of a level."""
    from dplit.trees.oblivious import histogram  # compiled: slow to import

    sums = histogram(part.grid, part.codes, part.residuals, part.cells, n_cells, part.sums)
    return part._replace(sums=sums)


def divided(part, test):
    """The part below one more test."""
    from dplit.trees.oblivious import descend

    cells = part.cells.copy()
    descend(part.codes, test, cells)
    return part._replace(cells=cells)


def divided_to_bins(part, column, bins, levels):
    """The part below the tests that part a column into bins."""
    from dplit.trees.oblivious import descend_to_bins

    cells = part.cells.copy()
    descend_to_bins(part.codes, column, bins, levels, cells)
    return part._replace(cells=cells, sums=None)


def closed(part, steps):
    """The part under the model with one more tree, whose leaves are its cells."""
    scores = steps[part.cells]
    scores += part.scores
    return part._replace(scores=scores, residuals=None, cells=None, sums=None)


def level_sums(block):
    """Residual sums of the level, int64 of shape (n_cells, n_codes, n_outputs)."""
    return block.sums


def leaf_pairs(part, n_leaves, shift):
    """Pair sums of the leaves, int64 array of shape (2, n_leaves, n_outputs)."""
    from dplit.trees.oblivious import pair_sums

    return pair_sums(part.residuals, part.cells, n_leaves, shift)


def leaf_counts(part, n_leaves, n_classes):
    """Class counts of the leaves, int64 array of shape (n_leaves, n_classes)."""
    places = part.cells.astype(np.int64) * n_classes + part.labels
    return np.bincount(places, minlength=n_leaves * n_classes).reshape(n_leaves, n_classes)


def class_counts(part, n_classes):
    """Records of each class, int64 array of shape (n_classes,)."""
    return np.bincount(part.labels, minlength=n_classes)


def target_counts(part):
    """Records of each bin of the targets' public interval, int64 array of shape (BINS,)."""
    return np.bincount(np.minimum((part.labels * BINS).astype(np.int64), BINS - 1), minlength=BINS)


def residuals_of_classes(scores, codes, clip=STEPS, two=True):
    """`class_residuals`, of scores with a column for each output, one of `two` classes; of others `clipped`."""
    if two and scores.shape[1] == 1:
        return class_residuals(scores[:, 0], codes)
    return clipped(class_residuals(scores, codes), clip)


def residuals_of_targets(scores, targets, clip):
    """`dplit.boosting.target_residuals` of the scores as shares of the public interval."""
    return target_residuals(np.clip(scores[:, 0], 0.0, 1.0), targets, clip)


CLIPS = 1.5, 0.85, 0.6  # of a target's residual, in spreads: its first factor, the decay, the least share of it
AGAIN = 0.8  # of a step by class counts of which others were made before
MOST_CODES = 6_000_000  # of directions, all records together


class ClassModel:
    """Log-odds of the second of two classes, or log-weights of several."""

    spread = 1.0  # variance of a residual, in units of its curvature

    def __init__(self, n_classes: int):
        self.n_classes, self.counted = n_classes, counted(n_classes)
        self.clip = CLIP // 2 if self.counted > 1 else CLIP

    def start(self, parts, epsilon, n_records, rng):
        """Release the class counts; returns the node."""
        logs, node = prior_of_classes(parts.total(class_counts, self.n_classes), epsilon, rng)
        self.initial = logs[1:] - logs[:1] if self.n_classes == 2 else logs
        self.low = self.high = self.initial
        parts.advance(started, self.initial)
        return node

    def open(self, parts, t, deepest):
        """Residuals of all records; returns their reach."""
        clip, self.unit = self.clip if t else STEPS, AGAIN if 0 < t < self.counted else 1.0
        parts.advance(opened, residuals_of_classes, deepest, clip, self.n_classes == 2)
        if self.n_classes == 2:
            return class_reach(self.low[0], self.high[0])
        return class_reach(self.low, self.high, clip)

    def release(self, parts, t, reach, n_cells, share, account, rng):
        """Pair sums of the leaves, in records, the variance of a gradient's noise, and what they cost.

        In the first rounds of several classes they are computed from class counts, of which a record changes
        one, and are those of residuals under the start: all records of a class have one.
        """
        if t < self.counted:
            counts = parts.total(leaf_counts, n_cells, self.n_classes)
            noisy, node = account.counts(counts, share, rng)
            shares = class_shares(self.initial[None, :]) / STEPS
            others = noisy.sum(axis=1, keepdims=True) - noisy
            return (np.array([noisy * (1 - shares), others * shares]), account.variance(1, share), node)
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
    """Means of targets, as shares of their public interval. `targets` is their spread."""

    spread = 0.1  # as of `ClassModel`, where a residual is a share of its clip

    def start(self, parts, epsilon, n_records, rng):
        """Release the targets' counts in bins; returns the node."""
        centre, self.targets, node = prior_of_targets(parts.total(target_counts), epsilon, n_records, rng)
        self.initial = np.array([centre])
        parts.advance(started, self.initial)
        return node

    def open(self, parts, t, deepest):
        """Residuals of all records, in steps of the round's clip; returns their reach."""
        first, decay, least = CLIPS
        self.unit = min(first * max(decay**t, least) * self.targets, 1.0)
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
