"""DP-DF: greedy trees with a child for each level, and pruning (Fletcher and Islam 2015).

As DiPriMe describes it (v1, section 2.2; v2, section 3.3). Each choice on a path and the leaf's counts
get an equal share, and a choice's noise is scaled by the local sensitivity of the Gini index,
:math:`2n/(n+1)^2` at a node of n records: `local_gini_reach` says what that costs.
"""

import math
from functools import cache
from itertools import product

import numpy as np
from numba import njit

from dplit.baselines._shared import Choice, LevelsBaseline, shares_of
from dplit.budget import Spend
from dplit.forests.base import BaseForestClassifier, parameters
from dplit.forests.partition import level_shares
from dplit.forests.releases import grown_tree, laplace_counts, largest, noisy_counts
from dplit.trees.arrays import LEAF, Trees
from dplit.trees.rules import LOCAL_GINI, SQUARES


@cache
def local_gini_reach() -> float:
    r"""The most that one record more changes the scaled score of one column against another's.

    With rate r the weight of a column is :math:`e^{-r \alpha_n G}`, :math:`\alpha_n = ((n+1)/n)^2`, G the sum of
    the children's sizes times their Gini indices. One record more gives :math:`\alpha_{n+1}(G + \delta)`, which is
    at most :math:`\alpha_{n+1}\delta` more, for a column whose children were pure, and at most
    :math:`(\alpha_n - \alpha_{n+1})\,n\,g` less, g the node's own Gini index, for a column that separates nothing.
    The choice costs at most r times the sum of both. From 10 records on, the sum is below
    :math:`2 \alpha_{n+1} n/(n+1) + n(\alpha_n - \alpha_{n+1})`, falling with n; below, all class counts are gone
    through.

    It is 64/27: a choice at the published rate costs 16/27 of its share, under add-remove. The local
    sensitivity proves nothing, but at this score its noise does suffice.
    """
    return max(_spread(counts) for n in range(1, 10) for counts in _class_counts(n))


def _class_counts(n):
    """Class counts of n records of up to n classes, the largest first."""
    stack = [((), n)]
    while stack:
        counts, left = stack.pop()
        if left == 0:
            yield counts
        stack += [((*counts, c), left - c) for c in range(1, min((left, *counts[-1:])) + 1)]


def _spread(counts):
    """Bound for one node, over the class of the record that comes, a new one among them."""
    n = sum(counts)
    alpha, next_alpha = ((n + 1) / n) ** 2, ((n + 2) / (n + 1)) ** 2
    impurity = n - sum(c * c for c in counts) / n
    others = [counts[:k] + counts[k + 1 :] for k in range(len(counts))] + [counts]
    largest = max(map(_joined, others))
    return next_alpha * largest + (alpha - next_alpha) * impurity


def _joined(others):
    """The most that a record of a class adds to a child that holds records of the `others`."""
    children = product(*(range(c + 1) for c in others))
    squares = ((sum(child), sum(c * c for c in child)) for child in children)
    return max((t * (1 + s / t**2) / (t + 1) for t, s in squares if t), default=0.0)


@parameters
class DPDecisionForestClassifier(LevelsBaseline, BaseForestClassifier):
    """DP-DF: greedy trees with a child for each level, noisy class counts, and pruning.

    Parameters
    ----------
    epsilon, domain, classes, neighbours, n_estimators, max_depth, partitioned, noise, random_state
        As `DPExtraTreesClassifier`. A path also ends when its columns are used up.
    max_features, bins, rho, records_per_person, n_jobs
        As `DPRandomForestClassifier`.
    accounting : {"proved", "published"}
        "proved": each record in one tree, choices by the sum of squares at the sharp rate; it spends
        `epsilon`. "published": all records in each tree and the rate of the local sensitivity; the
        budget shows what that costs.

    Attributes
    ----------
    budget_, domain_, trees_, classes_
        As `DPRandomForestClassifier`.
    leaf_labels_ : uint array, shape (n_leaves,)
        Class of each leaf, or of the node that it was pruned to, as a position in `classes_`.
    leaf_shares_ : float64 array, shape (n_leaves, n_classes)
        Shares of the classes among its released counts, those below 0 raised to it, or among those of
        the node that it was pruned to; where none is above 0, the label has all.
    """

    def fit(self, X, y):
        """Grow the trees, release class counts for their leaves, and prune. See `BaseForest.fit`."""
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)

        rng = self._generator()
        binned, depth = self._binned(domain, records)
        way = self._way()
        plan = self._proved if self._is_proved() else self._published
        choice, leaf_epsilon, spend = plan(self._tree_epsilon(way), depth, self.rho)
        parts, account = way.parts(len(records), rng)
        forest, counts = self._grown(binned, codes, len(classes), parts, depth, choice, rng)
        release = noisy_counts if self._is_proved() else laplace_counts
        released, leaf = release(counts, leaf_epsilon, rng)
        pruned = prune(forest, binned.arity, released, 1 / leaf_epsilon)

        self.bins_ = self.bins
        labels = largest(pruned, rng)
        self._store_labels(labels, classes)
        self.leaf_shares_ = shares_of(pruned, labels)[:, np.argsort(self._store_classes(classes))]
        tree = grown_tree(leaf, spend, depth)
        return self._store(domain, forest, domain_node, class_node, account(tree))

    def _proved(self, epsilon, depth, rho):
        """The choice, what a leaf gets, and what an inner node spends."""
        level, leaf = level_shares(epsilon, depth, rho)
        spend = Spend("choice of a column", level, "exponential mechanism, gini")
        return Choice(SQUARES, level / 2), leaf, spend  # a record adds at most 2

    def _published(self, epsilon, depth, rho):
        share = epsilon / (depth + 1)
        note = "exponential mechanism, gini, noise scaled by the local sensitivity"
        spend = Spend("choice of a column", share / 4 * local_gini_reach(), note)
        return Choice(LOCAL_GINI, share / 4), share, spend


def prune(forest: Trees, arity: np.ndarray, counts: np.ndarray, scale: float) -> np.ndarray:
    """Counts of the lowest node above each leaf, itself included, whose total is not just noise.

    Shape of `counts`, (n_leaves, n_classes), the released ones, whose noise has this `scale`; where no node is
    above the noise, those of the root. The forest has a child for each level of a tested column, `arity` of each.
    """
    deviation = math.sqrt(2 * counts.shape[1]) * scale  # of the total of one leaf
    counts = np.asarray(counts, dtype=np.float64)
    return _prune(forest.feature, forest.child, np.asarray(arity), counts, deviation)


@njit(cache=True, nogil=True)
def _prune(feature, child, arity, counts, deviation):
    """Totals bottom-up, since children stand behind their parents; then the source top-down."""
    n_nodes = len(feature)
    totals, leaves = np.zeros((n_nodes, counts.shape[1])), np.ones(n_nodes)
    for node in range(n_nodes - 1, -1, -1):
        if feature[node] == LEAF:
            totals[node] = counts[child[node]]
            continue
        leaves[node] = 0
        for c in range(child[node], child[node] + arity[feature[node]]):
            totals[node] += totals[c]
            leaves[node] += leaves[c]
    source, pruned = np.arange(n_nodes), np.empty_like(counts)
    for node in range(n_nodes):
        if feature[node] == LEAF:
            pruned[child[node]] = totals[source[node]]
            continue
        for c in range(child[node], child[node] + arity[feature[node]]):
            if totals[c].sum() <= deviation * np.sqrt(leaves[c]):
                source[c] = source[node]
    return pruned
