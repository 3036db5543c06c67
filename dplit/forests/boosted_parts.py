"""One part of a boosted forest's records: what it keeps between the rounds, and the sums that it is asked for.

Each function takes a part and what is public or released, and returns a new part or sums of whole
numbers. Nothing is drawn here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dplit.boosting import along, class_residuals, target_residuals
from dplit.domain import GRID


class Part(NamedTuple):
    """Records as codes, and the released model at each of them.

    Attributes
    ----------
    grid : dplit.trees.oblivious.Grid
    codes : uint array, shape (n_features, n_records)
    labels : int or float64 array, shape (n_records,)
        Classes, or targets as shares of the public interval.
    scores : float64 array, shape (n_records, n_outputs), or None
    residuals : int32 array, shape (n_records, n_outputs), or None
        Of the round, in steps.
    cells : uint array, shape (n_records,), or None
        What the round's tests so far say of each record.
    sums : int64 array, shape (n_cells, n_codes, n_outputs), or None
        Of the level above.
    """

    grid: Any
    codes: np.ndarray
    labels: np.ndarray
    scores: np.ndarray | None = None
    residuals: np.ndarray | None = None
    cells: np.ndarray | None = None
    sums: np.ndarray | None = None


def encoded(records, labels, grid, domain, taken):
    """The part of encoded records; `taken` are the directions that are tested like columns."""
    return Part(grid, grid.encode(with_directions(records, domain, taken)), labels)


def with_directions(records, domain, taken):
    """The records with their values along directions as further columns."""
    return np.hstack([records, along(records, domain.bounds, taken)]) if taken else records


# Steps ---------------------------------------------------------------------------------------------


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


# Sums ----------------------------------------------------------------------------------------------


def level_sums(part):
    """Residual sums of the level, int64 array of shape (n_cells, n_codes, n_outputs)."""
    return part.sums


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


def target_sums(part):
    """Sum of the targets in steps of the public grid, and number of records: int64, shape (2,)."""
    return np.array([np.rint(part.labels * GRID).astype(np.int64).sum(), len(part.labels)])


# Residuals -----------------------------------------------------------------------------------------


def residuals_of_classes(scores, codes):
    """`dplit.boosting.class_residuals`, of scores with a column for each output."""
    return class_residuals(scores[:, 0] if scores.shape[1] == 1 else scores, codes)


def residuals_of_targets(scores, targets, clip):
    """`dplit.boosting.target_residuals` of the scores as shares of the public interval."""
    return target_residuals(np.clip(scores[:, 0], 0.0, 1.0), targets, clip)
