"""The compiled product of `dplit.matrix.strategies.leaf_gram`."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_leaf_sums(rows, leaves, copies, most, found):
    """Add to `found`, for each tree, the sum of each row over the leaf of each region.

    Parameters
    ----------
    rows, found : float64 array, shape (p, n_regions)
    leaves : integer array, shape (n_trees, n_regions)
    copies : float64 array, shape (n_trees,)
    most : int
        Leaves of a tree, at most.
    """
    sums = np.empty(most)
    for k in range(len(rows)):
        for t in range(len(leaves)):
            sums[:] = 0.0
            for j in range(rows.shape[1]):
                sums[leaves[t, j]] += rows[k, j]
            for j in range(rows.shape[1]):
                found[k, j] += copies[t] * sums[leaves[t, j]]
