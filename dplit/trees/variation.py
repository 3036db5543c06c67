"""How much of the public domain each leaf covers, and what each column's tests explain of the leaves' values.

No record is read: the domain's are spread evenly over a continuous column's interval, and over levels.
"""

import numpy as np
from numba import njit

from dplit.trees.arrays import LEAF, Trees


def leaf_volumes(forest: Trees, n_levels: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Share of the domain that each leaf covers in its tree, shape (n_leaves,); they add up to 1 in each tree.

    `n_levels` is 0 of columns that are tested by thresholds, and `bounds` has their lower and upper bounds,
    shape (n_features, 2).
    """
    n_levels = np.asarray(n_levels, dtype=np.int64)
    volumes = np.zeros(len(forest.feature))
    volumes[forest.roots] = 1.0
    _spread(forest.arrays[:5], n_levels, np.asarray(bounds, dtype=np.float64), volumes)
    is_leaf = forest.feature == LEAF
    found = np.empty(forest.n_leaves)
    found[forest.child[is_leaf]] = volumes[is_leaf]
    return found


def explained(forest: Trees, n_levels: np.ndarray, weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """What each column's tests take away of the squared deviations of the leaves' values, at least 0.

    At a node the tests' share is the weighted squared deviation of the leaves below it from their mean,
    less those within its children; it is summed over all nodes of all trees. Weights are at least 0, of shape
    (n_leaves,), and values have the shape (n_leaves, n_outputs).
    """
    n_levels = np.asarray(n_levels, dtype=np.int64)
    found = np.zeros(len(n_levels))
    sums, mass = np.zeros((len(forest.feature), values.shape[1])), np.zeros(len(forest.feature))
    _explain(forest.arrays[:5], n_levels, weights, values, sums, mass, found)
    return np.maximum(found, 0.0)


@njit(cache=True, nogil=True)
def _n_children(node, feature, threshold, side, steps, n_levels):
    if not np.isnan(threshold[node]):
        return 2
    most = 0
    for code in range(n_levels[feature[node]]):
        most = max(most, steps[side[node] + code])
    return most + 1


@njit(cache=True, nogil=True)
def _explain(arrays, n_levels, weights, values, sums, mass, found):
    """From the bottom: weight and weighted sum of the values below each node, and what its test explains."""
    feature, threshold, child, side, steps = arrays
    for node in range(len(feature) - 1, -1, -1):  # children stand behind their parents
        if feature[node] == LEAF:
            leaf = child[node]
            mass[node] = weights[leaf]
            sums[node] = weights[leaf] * values[leaf]
            continue
        within = 0.0
        for step in range(_n_children(node, feature, threshold, side, steps, n_levels)):
            below = child[node] + step
            mass[node] += mass[below]
            sums[node] += sums[below]
            if mass[below] > 0:
                within += (sums[below] ** 2).sum() / mass[below]
        if mass[node] > 0:
            found[feature[node]] += within - (sums[node] ** 2).sum() / mass[node]


@njit(cache=True, nogil=True)
def _step_of(node, code, threshold, side, steps):
    """Which child of a node, whose column has levels, a code goes to."""
    cut = threshold[node]
    return steps[side[node] + code] if np.isnan(cut) else np.int64(code > cut)


@njit(cache=True, nogil=True)
def _spread(arrays, n_levels, bounds, volumes):
    """From the top: each node's share of the domain, parted among its children; its path is found by going up."""
    feature, threshold, child, side, steps = arrays
    parent = np.full(len(feature), -1)
    allowed = np.empty(n_levels.max(), dtype=np.bool_)
    for node in range(len(feature)):  # children stand behind their parents
        j = feature[node]
        if j == LEAF:
            continue
        n, first, cut = n_levels[j], child[node], threshold[node]
        low, high = bounds[j]
        allowed[:n] = True
        below, above = node, parent[node]
        while above >= 0:
            if feature[above] == j:
                step = below - child[above]
                if n == 0 and step == 0:
                    high = min(high, threshold[above])
                elif n == 0:
                    low = max(low, threshold[above])
                for code in range(n):
                    allowed[code] &= _step_of(above, code, threshold, side, steps) == step
            below, above = above, parent[above]
        for step in range(_n_children(node, feature, threshold, side, steps, n_levels)):
            parent[first + step] = node
        if n == 0:
            left = (min(max(cut, low), high) - low) / (high - low) if high > low else 1.0 * (low <= cut)
            volumes[first] = volumes[node] * left
            volumes[first + 1] = volumes[node] * (1 - left)
            continue
        part = volumes[node] / max(allowed[:n].sum(), 1)
        for code in range(n):
            if allowed[code]:
                volumes[first + _step_of(node, code, threshold, side, steps)] += part
