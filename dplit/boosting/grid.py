"""Where a boosted tree may cut: points and sets of levels that the public domain alone decides."""

from __future__ import annotations

import numpy as np

FAR = np.logspace(-3, -1.2, 16)  # shares of the width at which a skewed column is cut as well


def public_cuts(lower, upper, steps=64):
    """Cuts of a continuous column: equal steps, and points crowding at both ends and around 0.

    A column of money or of counts has most of its values near one end of generous public bounds;
    the crowding points reach them without a private quantile.

    Parameters
    ----------
    lower, upper : float
        Public bounds of the column.
    steps : int
        Equal steps of the interval.

    Returns
    -------
    float64 array, shape (n_cuts,)
        Increasing, distinct, within the bounds and below the upper one; a record goes right where
        its value is above the cut. Empty where the bounds are one point.
    """
    width = upper - lower
    parts = [lower + width * np.arange(1, steps) / steps, lower + width * FAR, upper - width * FAR]
    if lower < 0 < upper:
        parts += [np.zeros(1), upper * FAR, lower * FAR]
    cuts = np.unique(np.concatenate(parts))
    return cuts[(lower <= cuts) & (cuts < upper)]


def level_sets(n_levels, rng):
    """Sets of levels that go right: each level alone, and as many random halves.

    Parameters
    ----------
    n_levels : int
    rng : numpy.random.Generator
        Reads no record; the halves may be drawn anew for each test.

    Returns
    -------
    bool array, shape (n_sets, n_levels)
        One set where there are two levels, none where there is one.
    """
    if n_levels < 3:
        return np.eye(n_levels, dtype=bool)[1:]
    return np.concatenate([np.eye(n_levels, dtype=bool), rng.random((n_levels, n_levels)) < 0.5])
