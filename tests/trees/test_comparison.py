"""Trees of triplet comparisons: the law of the pivots, routing by distances, and what leaves hold.

A law of the pivots is tested at a false alarm of 1e-6, and one whose squared relative error is 1/25 in the mean
is missed with less than 1e-2.
"""

import numpy as np
import pytest
from scipy.stats import chisquare

from dplit.trees.arrays import LEAF
from dplit.trees.comparison import grow_comparison_trees

ALARM = 1e-6


def root_pairs(X, y, by_class, n_trees=4000):
    """Positions of the two pivots of each root."""
    everyone = np.arange(len(y))
    forest, _ = grow_comparison_trees(
        X, y, int(y.max()) + 1, [(everyone, everyone)] * n_trees, by_class, len(y) - 1,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    rows = forest.pair[forest.roots]
    where = {tuple(x): i for i, x in enumerate(X)}
    return [(where[tuple(forest.pivots[r])], where[tuple(forest.pivots[r + 1])]) for r in rows]


def test_pivots_are_any_two_records():
    X, y = np.array([[0.0], [1.0], [3.0], [7.0]]), np.array([0, 0, 0, 1])
    found = root_pairs(X, y, False)
    counts = [found.count((a, b)) for a in range(4) for b in range(4) if a != b]
    assert sum(counts) == len(found) and chisquare(counts).pvalue > ALARM


def test_pivots_of_two_classes():
    """The first is any record, the second a uniform one of another class."""
    X, y = np.array([[0.0], [1.0], [3.0], [7.0]]), np.array([0, 0, 0, 1])
    found = root_pairs(X, y, True)
    law = {(0, 3): 1 / 4, (1, 3): 1 / 4, (2, 3): 1 / 4} | {(3, b): 1 / 12 for b in range(3)}
    assert set(found) == set(law)
    counts = [found.count(pair) for pair in law]
    assert chisquare(counts, [len(found) * p for p in law.values()]).pvalue > ALARM


def reached(forest, x, t):
    """Leaf of one record by its distances to the pivots, and the number of triplets asked."""
    node, asked = forest.roots[t], 0
    while forest.pair[node] != LEAF:
        a, b = forest.pivots[forest.pair[node] : forest.pair[node] + 2]
        node = forest.child[node] + int(np.linalg.norm(x - b) < np.linalg.norm(x - a))
        asked += 1
    return forest.child[node], asked


@pytest.mark.parametrize("by_class", [False, True])
def test_records_go_to_the_nearer_pivot(by_class):
    rng = np.random.default_rng(1)
    X, y = rng.uniform(size=(200, 3)), rng.integers(0, 3, 200)
    halves = [(o[:100], o[100:]) for o in (rng.permutation(200) for _ in range(4))]
    forest, counts = grow_comparison_trees(X, y, 3, halves, by_class, 5, rng=rng)
    leaves = forest.apply(X)
    asked = 0
    for i in range(200):
        for t in range(4):
            leaf, n = reached(forest, X[i], t)
            assert leaves[i, t] == leaf
            asked += n
    assert asked > 4 * 200
    for t, (structure, estimation) in enumerate(halves):
        first, last = forest.leaf_starts[t : t + 2]
        again = np.zeros((last - first, 3), dtype=int)
        np.add.at(again, (leaves[estimation, t] - first, y[estimation]), 1)
        own, held = counts[first:last], again.sum(axis=1)
        np.testing.assert_array_equal(own[held > 0], again[held > 0])
        assert (own.sum(axis=1) > 0).all(), "an empty leaf has the counts of a node above"
        for leaf in first + np.flatnonzero(held > 5):  # only a node without two pivots is so large
            ours = [i for i in structure if leaves[i, t] == leaf]
            assert len({y[i] if by_class else i for i in ours}) < 2


def test_a_node_of_as_few_points_as_a_leaf_keeps_is_a_leaf():
    """Each inner node holds more estimation points than `min_leaf`, counted along the paths."""
    rng = np.random.default_rng(4)
    X, y = rng.uniform(size=(300, 2)), rng.integers(0, 2, 300)
    everyone = np.arange(300)
    forest, _ = grow_comparison_trees(X, y, 2, [(everyone, everyone)] * 5, False, 5, rng=rng)
    held = np.zeros(len(forest.child), dtype=int)
    for x in X:
        for node in forest.roots:
            while forest.pair[node] != LEAF:
                held[node] += 1
                a, b = forest.pivots[forest.pair[node] : forest.pair[node] + 2]
                node = forest.child[node] + int(np.linalg.norm(x - b) < np.linalg.norm(x - a))
    inner = held[forest.pair != LEAF]
    assert inner.min() == 6 and inner.max() == 300


def test_an_empty_leaf_inherits():
    """All estimation points lie at the pivot on the left: the right leaf has none, and their counts."""
    X, y = np.array([[0.0], [1.0], [0.0], [0.1], [0.1]]), np.array([0, 1, 1, 0, 1])
    half = (np.array([0, 1]), np.array([2, 3, 4]))
    rng = np.random.default_rng(0)
    forest, counts = grow_comparison_trees(X, y, 2, [half] * 5, False, 2, rng=rng)
    assert forest.n_leaves == 10
    np.testing.assert_array_equal(counts, np.tile([1, 2], (10, 1)))


def test_records_at_one_point_are_a_leaf():
    X, y = np.zeros((20, 2)), np.arange(20) % 2
    everyone = np.arange(20)
    for by_class in (False, True):
        forest, counts = grow_comparison_trees(
            X, y, 2, [(everyone, everyone)], by_class, 1, rng=np.random.default_rng(0)
        )
        assert forest.n_leaves == 1 and counts.tolist() == [[10, 10]]
