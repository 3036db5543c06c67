"""What the private baselines share: checked parameters, the records of each tree, accounts."""

from __future__ import annotations

import math

import numpy as np

from dplit import trees
from dplit.budget import Budget, EqualParts, Group, Leak, Parallel, Sequence, Spend
from dplit.errors import check_choice, check_epsilon, check_integer, check_neighbours
from dplit.forests.base import PrivateForest
from dplit.mechanisms import PermuteAndFlip

ACCOUNTINGS = ("proved", "published")
PUBLIC_N = 10_000  # a guess of the number of records, where none is given


class Baseline(PrivateForest):
    """Base of the private baselines."""

    def _tree_epsilon(self):
        """Checked parameters; what each tree may spend, under add-remove neighbours."""
        epsilon = check_epsilon(self.epsilon)
        check_neighbours(self.neighbours)
        n_trees = check_integer(self.n_estimators, "n_estimators", 1)
        self._check_depth()
        check_choice(self.accounting, ACCOUNTINGS, "accounting")
        if not isinstance(self.partitioned, (bool, np.bool_, type(None))):
            raise ValueError(f"partitioned must be True, False or None, got {self.partitioned!r}")
        if self._is_proved() and self.neighbours == "replace-one":
            epsilon /= 2  # one replaced record is one removed and one added
        if self._is_partitioned():
            return epsilon
        share = epsilon / n_trees
        while n_trees * share > epsilon:
            share = math.nextafter(share, 0.0)
        return share

    def _check_depth(self):
        check_integer(self.max_depth, "max_depth", 0)

    def _is_proved(self):
        return self.accounting == "proved"

    def _is_partitioned(self):
        return self._is_proved() if self.partitioned is None else bool(self.partitioned)

    def _parts(self, n_records, rng):
        """Positions of the records of each tree."""
        n_trees = self.n_estimators
        if not self._is_partitioned():
            return [np.arange(n_records)] * n_trees
        if not self._is_proved():
            return np.array_split(rng.permutation(n_records), n_trees)
        assigned = rng.integers(n_trees, size=n_records)
        order = np.argsort(assigned, kind="stable")
        return np.split(order, np.cumsum(np.bincount(assigned, minlength=n_trees))[:-1])

    def _account(self, schema, tree, *more):
        """The budget of a fit from that of one tree, and from what all trees spend together."""
        n_trees = self.n_estimators
        if not self._is_partitioned():
            forest = Sequence("trees", (tree,), "every tree reads all records", n_trees)
        elif self.accounting == "published" and self.neighbours == "add-remove":
            why = "one record more can move another one from tree to tree"
            forest = EqualParts("trees", tree, n_trees, why)
        else:
            forest = Parallel("trees", (tree,), "a record is used in one tree", n_trees)
        if self.neighbours == "replace-one":
            why = "one replaced record is one removed and one added"
            forest = Group("trees after a replacement", forest, 2, "replace-one", why)
        return Budget(Sequence(type(self).__name__, (*schema, forest, *more)))


def check_public_n(public_n):
    """Check a public number of records, or None."""
    if public_n is not None:
        check_integer(public_n, "public_n", 1)


def leaf_stats(forest, records, y, n_classes, parts):
    """Count and sum of targets of every leaf, or its counts of classes, from its tree's own records.

    Parameters
    ----------
    forest : Trees
    records : float64 array, shape (n_records, n_features)
    y : array, shape (n_records,)
        Targets, or codes of classes.
    n_classes : int
        0 for a regression.
    parts : list of int arrays
        Positions of the records of each tree.

    Returns
    -------
    float64 array, shape (n_leaves, 2 or n_classes)
    """
    stats = np.zeros((forest.n_leaves, n_classes or 2))
    for t, part in enumerate(parts):
        first, last = forest.leaf_starts[t : t + 2]
        single = trees.Trees(
            *forest.arrays[:5], roots=forest.roots[t : t + 1],
            leaf_starts=forest.leaf_starts[t : t + 2],
        )  # fmt: skip
        leaves, target = trees.apply(single, records[part])[:, 0], y[part]
        size = last - first
        if n_classes:
            cells = np.bincount(leaves * np.int64(n_classes) + target, minlength=size * n_classes)
            stats[first:last] = cells.reshape(size, n_classes)
        else:
            stats[first:last, 0] = np.bincount(leaves, minlength=size)
            stats[first:last, 1] = np.bincount(leaves, weights=target, minlength=size)
    return stats


# What a leaf releases ------------------------------------------------------------------------


def proved_labels(counts, epsilon, rng):
    """A class of each leaf, by permute-and-flip."""
    mechanism = PermuteAndFlip(epsilon, monotonic=True)
    return mechanism.sample(counts.astype(np.int64), rng=rng)


def proved_label_spend(epsilon):
    """What `proved_labels` costs a leaf."""
    return Spend("class of a leaf", epsilon, f"PermuteAndFlip(epsilon={epsilon:.4g}) on its counts")


def noisy_counts(counts, epsilon, rng):
    """Class counts with Laplace noise of scale 1/epsilon."""
    return counts + rng.laplace(scale=1 / epsilon, size=counts.shape)


def largest(counts, rng):
    """Class of the largest count of each leaf; a uniform one of those that tie."""
    tied = counts == counts.max(axis=1, keepdims=True)
    return np.where(tied, rng.random(counts.shape), -1.0).argmax(axis=1)


def counts_spend(epsilon):
    """What `noisy_counts` costs a leaf: a record changes one count, by one."""
    return Spend("class counts of a leaf", epsilon, "Laplace noise of scale 1/epsilon")


def proved_mean_spend(epsilon):
    """What the means of a median forest cost a leaf, proved."""
    note = f"BoundedMean(epsilon={epsilon:.4g}): Laplace noise on the votes for both ends"
    return Spend("mean of a leaf", epsilon, note)


def published_mean_leak():
    """What they cost a leaf as published."""
    return Leak("mean of a leaf", "the noise is scaled by the private count")
