"""What a path has left of each column, from the root down to the node that grows now.

Row d of the tables describes the node of depth d. A child copies its parent's row and takes away
what the parent's test excludes; depth first, no deeper node overwrites a row that is still read.
A continuous column has an interval left. A categorical one is left as a whole, or level by level.
"""

from typing import NamedTuple

import numpy as np
from numba import njit


class Path(NamedTuple):
    """Tables of what is left, a row for each depth.

    The interval of each continuous column, from `low` to `high`; and in `left` whether a column may be tested,
    or whether a level of all columns' may still occur.
    """

    low: np.ndarray
    high: np.ndarray
    left: np.ndarray

    @classmethod
    def of(cls, bounds, left, depth):
        """Tables of a path of at most `depth` tests, with the row of the root filled in."""
        n_features = len(bounds)
        path = cls(
            np.empty((depth + 1, n_features)),
            np.empty((depth + 1, n_features)),
            np.empty((depth + 1, len(left)), dtype=np.bool_),
        )
        path.low[0], path.high[0], path.left[0] = bounds[:, 0], bounds[:, 1], left
        return path


@njit(cache=True, nogil=True)
def inherit(path, depth):
    """Copy the parent's row of each table to the child's."""
    low, high, left = path
    for j in range(low.shape[1]):
        low[depth, j] = low[depth - 1, j]
        high[depth, j] = high[depth - 1, j]
    for j in range(left.shape[1]):
        left[depth, j] = left[depth - 1, j]


@njit(cache=True, nogil=True)
def descend(path, depth, j, cut, first):
    """What is left below a test of column `j`: at a level, or at the `first` side of a cut."""
    inherit(path, depth)
    if cut != cut:  # no number: the column is categorical
        path.left[depth, j] = False
    elif first:
        path.high[depth, j] = cut
    else:
        path.low[depth, j] = cut


@njit(cache=True, nogil=True)
def columns_left(path, depth, found):
    """Write the columns that are left to `found`; how many there are."""
    n = 0
    for j in range(path.left.shape[1]):
        if path.left[depth, j]:
            found[n] = j
            n += 1
    return n


def level_starts(n_levels):
    """Where the levels of each column begin in a row of `Path.left`, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(n_levels)])


def split_depth(max_depth, n_levels):
    """Rows that are enough: a path without an open interval ends when its levels are split up."""
    return min(max_depth, 64 + int(n_levels.sum()))


@njit(cache=True, nogil=True, inline="always")
def narrow(path, depth, j, cut, side, steps, step, level_starts):
    """What is left on side `step` of a test of column `j`; its row of `steps` begins at `side`."""
    inherit(path, depth)
    if cut == cut:
        if step == 0:
            path.high[depth, j] = cut
        else:
            path.low[depth, j] = cut
    else:
        first = level_starts[j]
        for level in range(level_starts[j + 1] - first):
            if steps[side + level] != step:
                path.left[depth, first + level] = False


@njit(cache=True, nogil=True)
def columns_open(path, depth, level_starts, found):
    """Write the columns that can still be split in two to `found`; how many there are."""
    n = 0
    for j in range(path.low.shape[1]):
        first, end = level_starts[j], level_starts[j + 1]
        if first == end:
            open_here = path.low[depth, j] < path.high[depth, j]
        else:
            n_left = 0
            for level in range(first, end):
                n_left += path.left[depth, level]
            open_here = n_left > 1
        if open_here:
            found[n] = j
            n += 1
    return n
