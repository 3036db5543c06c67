"""Completely random binary trees: the law of a split, and what a path leaves of a column.

Chi-square and Kolmogorov-Smirnov tests reject a true law with probability 1e-9.
"""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from dplit import Categorical, Continuous, Domain
from dplit.trees import nodes
from dplit.trees.arrays import LEAF
from dplit.trees.random_binary import grow_random_binary_trees

DOMAIN = Domain([Continuous(-2, 6), Categorical(list("abc")), Continuous(1, 1), Categorical(["x"])])


def grow(domain=DOMAIN, n_trees=4000, depth=1, seed=0):
    return grow_random_binary_trees(domain, n_trees, depth, rng=np.random.default_rng(seed))


def test_the_root_splits_an_open_column_at_random():
    trees = grow()
    feature = trees.feature[trees.roots]
    assert set(feature.tolist()) == {0, 1}  # a constant and a single level have nothing to split
    assert chisquare(np.bincount(feature)).pvalue > 1e-9
    cuts = trees.threshold[trees.roots][feature == 0]
    assert kstest(cuts, "uniform", (-2, 8)).pvalue > 1e-9
    rows = [tuple(trees.steps[s : s + 3]) for s in trees.side[trees.roots][feature == 1]]
    seen = Counter(rows)
    assert len(seen) == 6  # all ways to split three levels in two, left and right told apart
    assert chisquare(list(seen.values())).pvalue > 1e-9


def paths(trees, node, low, high, levels, depth=0):
    """Walk a tree over `DOMAIN`, checking each split against what its path has left."""
    j = trees.feature[node]
    if j == LEAF:
        yield depth, (high > low) + (len(levels) > 1)
        return
    left = trees.child[node]
    if j == 0:
        cut = trees.threshold[node]
        assert low <= cut < high
        yield from paths(trees, left, low, cut, levels, depth + 1)
        yield from paths(trees, left + 1, cut, high, levels, depth + 1)
    else:
        assert j == 1
        steps = trees.steps[trees.side[node] :]
        sides = [{v for v in levels if steps[v] == side} for side in (0, 1)]
        assert all(sides)
        for side in (0, 1):
            yield from paths(trees, left + side, low, high, sides[side], depth + 1)


def test_splits_lie_in_what_the_path_has_left():
    trees = grow(n_trees=50, depth=6)
    ends = [end for root in trees.roots for end in paths(trees, root, -2.0, 6.0, {0, 1, 2})]
    assert {depth for depth, _ in ends} == {6}  # the interval is never used up
    assert trees.n_leaves == 50 * 2**6


def test_a_path_ends_when_all_columns_are_closed():
    trees = grow(Domain([Categorical(list("abc")), Categorical(["x"])]), n_trees=30, depth=5)
    assert trees.n_leaves == 30 * 3
    alone = grow(Domain([Categorical(["x"]), Continuous(3, 3)]), n_trees=2, depth=4)
    assert alone.n_leaves == 2 and (alone.feature == LEAF).all()


def test_trees_of_a_seed_are_the_same():
    one, same, other = grow(depth=3), grow(depth=3), grow(depth=3, seed=1)
    np.testing.assert_array_equal(one.threshold, same.threshold)
    assert not np.array_equal(one.feature, other.feature)


@pytest.mark.parametrize("domain", [DOMAIN, Domain([Categorical(range(9))])], ids=["open", "closed"])
def test_a_forest_that_is_too_large_is_an_error(domain, monkeypatch):
    monkeypatch.setattr(nodes, "MAX_NODES", 30)
    grow(domain, n_trees=2, depth=2)
    with pytest.raises(ValueError, match="max_depth=9 with n_estimators=2 needs more than 30 nodes"):
        grow(domain, n_trees=2, depth=9)
