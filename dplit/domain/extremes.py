"""Least and largest number of each column, in one pass over the memory."""

from __future__ import annotations

import numpy as np

BLOCK = 2**18  # numbers that stay in the cache between the search for the least and for the largest
WIDE = 1024  # numbers of a row from which NumPy's reductions over rows are as fast as memory


def extremes(X):
    """Least and largest number of each column; NaN where a column holds one.

    NumPy reduces rows of a few numbers slowly, so several records are laid side by side as one row.

    Parameters
    ----------
    X : float64 array, shape (n_records, n_features)

    Returns
    -------
    low, high : float64 arrays, shape (n_features,)
        Infinity and minus infinity if there is no record.
    """
    n, m = X.shape
    if not X.flags.c_contiguous or m == 0:
        return X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf)
    beside = max(WIDE // m, 1)
    step = max(BLOCK // (beside * m), 1) * beside
    low, high = np.full(m, np.inf), np.full(m, -np.inf)
    for start in range(0, n, step):
        block = X[start : start + step]
        whole = len(block) // beside * beside
        for rows in (block[:whole].reshape(-1, beside * m), block[whole:]):
            if len(rows):
                least, most = rows.min(axis=0), rows.max(axis=0)
                low = np.minimum(low, least.reshape(-1, m).min(axis=0))
                high = np.maximum(high, most.reshape(-1, m).max(axis=0))
    return low, high
