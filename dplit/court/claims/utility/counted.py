"""What the dockets of this chapter count: all targets at the bounds, all trees of a column, squared errors."""

from itertools import product

import numpy as np

BOUNDS = (-1, 1)  # B = 1, R = 2: where R = 2B the published constants are at their best
EPSILONS = (0.05, 0.3, 1.0, 3.0, 10.0)


def targets_at_bounds(n):
    """All 2^n vectors of targets 0 and 1 as rows; a worst case is always among them."""
    return np.asfortranarray((np.arange(2**n)[:, None] >> np.arange(n)) & 1)


def squared_error(y, columns):
    """Squared error about the mean of some columns of 0/1 targets: s (m - s) / m."""
    part = y[:, columns if isinstance(columns, slice) else list(columns)]
    m, s = part.shape[1], part.sum(axis=1)
    return s * (m - s) / max(m, 1)


def compositions(n, parts, low, high):
    """All tuples of `parts` sizes from `low` to `high` that sum to n."""
    for head in product(range(low, high + 1), repeat=parts - 1):
        if low <= n - sum(head) <= high:
            yield (*head, n - sum(head))


def leaf_blocks(sizes):
    """Records of each leaf, leaves of consecutive records."""
    stops = np.cumsum(sizes)
    return [slice(stop - size, stop) for size, stop in zip(sizes, stops)]


def trees(effort):
    """(n, depth, t) small enough to enumerate: all of N below 16, and the first failure of theorem 1."""
    sizes = [*((n, 1) for n in range(2, 15, 2)), (4, 2), (8, 2), (12, 2), (8, 3)]
    found = [(n, d, t) for n, d in sizes for t in range((n >> d) + 1)]
    larger = effort.pick([], [(16, 2, 2)], [(16, 2, 2), (16, 2, 4), (16, 3, 1)])
    return [*found, (16, 2, 1), *larger]
