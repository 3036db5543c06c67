r"""The public grid of a continuous column: `dplit.domain.GRID` equal steps between its bounds.

A record is a whole number k from 0 to `GRID`, a cut a whole number c, and **a record goes left where k <= c**.
At a node whose interval holds no cut, it is at the edge and everything goes one way. Stored is a threshold in the
column's own units, the largest float whose record is on the left, half a step above grid point c. Why cuts that
are drawn from records need a grid: :doc:`/book/median_forest`.
"""

from dataclasses import replace

import numpy as np

from dplit.domain import GRID, Domain


def to_cells(domain: Domain, X: np.ndarray, steps: int = GRID) -> np.ndarray:
    """Continuous columns in steps above their lower bounds, rounded to whole ones; other columns as given.

    Shape of `X`, which is as `Domain.encode` gives it; halves are rounded down.
    """
    lower, upper = domain.bounds.T
    if (lower < upper).all():
        return _cell(X, lower, upper, steps)
    cells, wide = np.array(X, dtype=np.float64), lower < upper
    cells[:, wide] = _cell(cells[:, wide], lower[wide], upper[wide], steps)
    cells[:, (domain.n_levels == 0) & ~wide] = 0.0
    return cells


def by_column(domain, X):
    """Columns as rows, on their grids, and the records in the order of each continuous one.

    Where no column is continuous, one row of the records as they are.
    """
    columns = np.ascontiguousarray(to_cells(domain, X).T)
    continuous = np.flatnonzero(domain.n_levels == 0)
    order = np.empty((max(len(continuous), 1), len(X)), dtype=np.int32)
    order[0] = np.arange(len(X))
    for row, j in enumerate(continuous):
        order[row] = np.argsort(columns[j])
    return columns, order


def cell_bounds(domain):
    """First and last grid point of each column, shape (n_features, 2); zeros where nothing can be cut."""
    lower, upper = domain.bounds.T
    return np.column_stack([np.zeros(len(domain)), np.where(lower < upper, float(GRID), 0.0)])


def with_thresholds(trees, domain):
    """The same `Trees`, whose cuts were in steps, in the units of the columns."""
    return replace(trees, threshold=to_thresholds(domain, trees.feature, trees.threshold))


def to_thresholds(domain: Domain, feature: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Cuts in the units of their columns: a record is at most the threshold where its cell is at most the cut.

    `cuts` are in steps, NaN where the node is a leaf or its column is categorical; the same shape.
    """
    thresholds, at = np.array(cuts, dtype=np.float64), np.flatnonzero(~np.isnan(cuts))
    cut, (lower, upper) = thresholds[at], domain.bounds[feature[at]].T
    near = lower + (cut + 0.5) / GRID * (upper - lower)
    reach = 2.0**-50 * (upper - lower) + 2.0**-51 * np.maximum(abs(lower), abs(upper))
    low, high = np.maximum(near - reach, lower), np.minimum(near + reach, upper)
    low = np.where(_cell(low, lower, upper) <= cut, low, lower)
    high = np.where(_cell(high, lower, upper) > cut, high, upper)
    while True:  # low is on the left of the cut, high on the right of it
        middle = low + (high - low) / 2
        open_still = (low < middle) & (middle < high)
        if not open_still.any():
            break
        left = _cell(middle, lower, upper) <= cut
        low = np.where(open_still & left, middle, low)
        high = np.where(open_still & ~left, middle, high)
    thresholds[at] = np.where(cut < GRID, low, upper)
    return thresholds


def _cell(values, lower, upper, steps=GRID):
    cells = values - lower
    cells /= upper - lower
    cells *= steps
    cells -= 0.5
    return np.ceil(cells, out=cells)
