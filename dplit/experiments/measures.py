"""What is measured of one fitted method: a number, or a short list of numbers.

Each measure is a function ``(model, split) -> float or list of float`` of a fitted estimator and a
`dplit.experiments.protocol.Split`.
"""

from __future__ import annotations

import numpy as np

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def mse(model, split):
    """Mean squared error on the test part, targets on the scale of the records' own range."""
    errors = np.asarray(model.predict(split.X_test), float) - split.y_test
    return float(np.mean(errors**2)) * split.factor


def accuracy(model, split):
    """Share of the test part whose class is predicted."""
    return float(np.mean(np.asarray(model.predict(split.X_test)) == split.y_test))


def error(model, split):
    """Share of the test part whose class is not predicted."""
    return 1.0 - accuracy(model, split)


def leaf_shares(model, split):
    """Share of a tree's training records that a leaf holds, at `QUANTILES` over the leaves.

    Then the largest share, and the mean number of nodes and of leaves of a tree.
    """
    leaves = np.asarray(model.apply(split.X_train))
    shares, n_leaves = [], []
    for held, (n, numbers) in zip(leaves.T, _leaves(model, leaves)):
        counts = np.bincount(np.searchsorted(numbers, held), minlength=n)
        shares.append(counts / len(held))
        n_leaves.append(n)
    shares = np.concatenate(shares)
    nodes = float(np.mean(_node_counts(model)))
    return [*map(float, np.quantile(shares, QUANTILES)), nodes, float(np.mean(n_leaves))]


def _leaves(model, leaves):
    """Number of leaves of each tree, and their numbers in order."""
    trees = model.trees_
    for t in range(leaves.shape[1]):
        n = int(trees.leaf_starts[t + 1] - trees.leaf_starts[t])
        first = 0 if leaves[:, t].max() < n else int(trees.leaf_starts[t])
        yield n, np.arange(first, first + n)


def _node_counts(model):
    """Number of nodes of each tree."""
    trees = model.trees_
    ends = [*trees.roots[1:], len(trees.feature)]
    return np.diff([trees.roots[0], *ends])


def left_shares(model, split):
    """Share of a node's records that go to its first child, at `QUANTILES` over all inner nodes.

    Each tree sees all training records; nodes that none reaches are left out. Then the share of
    nodes that send between 40 and 60 % to the first child.
    """
    shares = left_fractions(model.trees_, model.domain_.encode(split.X_train))
    balanced = float(np.mean(np.abs(shares - 0.5) <= 0.1))
    return [*map(float, np.quantile(shares, QUANTILES)), balanced]


def left_fractions(trees, records):
    """Share of its records that each reached inner node sends to its first child.

    Parameters
    ----------
    trees : dplit.trees.Trees
    records : float64 array, shape (n_records, n_features)

    Returns
    -------
    float64 array, shape (n_reached,)
    """
    found = []
    for root in trees.roots:
        waiting = [(int(root), np.arange(len(records)))]
        while waiting:
            node, here = waiting.pop()
            feature = int(trees.feature[node])
            if feature < 0 or not len(here):
                continue
            values, cut = records[here, feature], trees.threshold[node]
            steps = values.astype(int) if np.isnan(cut) else (values > cut).astype(int)
            found.append(np.mean(steps == 0))
            first = int(trees.child[node])
            waiting += [(first + s, here[steps == s]) for s in np.unique(steps).tolist()]
    return np.array(found)


MEASURES = {
    f.__name__.replace("_", "-"): f for f in (mse, accuracy, error, leaf_shares, left_shares)
}
LOWER_IS_BETTER = {"mse": True, "error": True, "accuracy": False}
