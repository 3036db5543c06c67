"""Whether records lie inside the bounds of their columns, in one pass: compiled, for many records."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def all_inside(X, lower, upper):
    """Whether every number lies between the bounds of its column; one that is missing lies nowhere.

    Parameters
    ----------
    X : float64 array, shape (n_records, n_features), C order
    lower, upper : float64 arrays, shape (n_features,)

    Returns
    -------
    bool
    """
    n, m = X.shape
    outside = 0
    for i in range(n):
        for j in range(m):  # without a branch, so that several columns are compared at once
            outside += not ((lower[j] <= X[i, j]) & (X[i, j] <= upper[j]))
        if outside:
            return False
    return True
