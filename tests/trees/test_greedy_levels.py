"""Trees with a child for each level: the law of a choice, and what a tree must be.

Laws are tested at the root: a forest of many trees of one split on the same records is a sample.
The reference computes what a column explains from each child's own records, and every probability
by enumeration. Chi-square and binomial tests reject a true law with probability 1e-6,
and miss one whose squared relative error is 1/16 in the mean with one below 1e-4.
"""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats as sps

from dplit.domain import GRID
from dplit.trees import apply, nodes
from dplit.trees.arrays import LEAF
from dplit.trees.greedy_levels import Rule, grow_greedy_level_trees
from dplit.trees.rules import ENTROPY, LOCAL_GINI, MAJORITY, SQUARES

DRAWS = 2000
CODES = np.array([[0, 0, 1, 1, 2, 2, 2], [0, 1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0, 0]], np.int32)
ARITY = np.array([4, 2, 3])  # the last level of the first and of the third column does not occur
CLASSES = np.array([0, 0, 1, 1, 2, 2, 0.0])
TARGETS = np.array([0.1, 0.0, 0.8, 1.0, 0.4, 0.5, 0.2])


def rule(**options):
    return Rule(**{**dict(max_depth=1, max_features=9, score=SQUARES, rate=1.0, count_scale=0.0), **options})


def grow(settings, y=CLASSES, n_classes=3, draws=DRAWS, codes=CODES, arity=ARITY, seed=0, **options):
    parts = [np.arange(codes.shape[1])] * draws
    rng = np.random.default_rng(seed)
    return grow_greedy_level_trees(codes, arity, y, n_classes, parts, settings, rng=rng, **options)


def squares(y):
    """Squared deviations of one-hot classes, from their variances."""
    return len(y) * np.eye(3)[y.astype(int)].var(axis=0).sum()


def entropy(y):
    return len(y) * sps.entropy(list(Counter(y.tolist()).values()), base=2)


def minority(y):
    return len(y) - max(Counter(y.tolist()).values())


REFERENCE = {
    "squares": (SQUARES, squares, 1.0),
    "local": (LOCAL_GINI, squares, (8 / 7) ** 2),
    "entropy": (ENTROPY, entropy, 1.0),
    "majority": (MAJORITY, minority, 1.0),
}


def left_over(measure, y):
    """What each column leaves unexplained: the sum over the children that hold records."""
    groups = [[y[row == level] for level in set(row.tolist())] for row in CODES]
    return np.array([sum(map(measure, children)) for children in groups])


def law(costs, rate, size):
    """Exponential mechanism on a uniform set of `size` columns, by going through the sets."""
    total = np.zeros(len(costs))
    sets = list(itertools.combinations(range(len(costs)), size))
    for chosen in map(list, sets):
        weights = np.exp(-rate * costs[chosen])
        total[chosen] += weights / weights.sum() / len(sets)
    return total


def agrees(trees, expected):
    seen = np.bincount(trees.feature[trees.roots], minlength=len(expected))
    return sps.chisquare(seen, seen.sum() * expected).pvalue > 1e-6


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("name", REFERENCE)
def test_the_choice_of_a_column_follows_its_law(name, size):
    score, measure, factor = REFERENCE[name]
    trees, _ = grow(rule(score=score, rate=0.7, max_features=size))
    assert agrees(trees, law(left_over(measure, CLASSES), 0.7 * factor, size))


def test_the_choice_of_a_regression_follows_its_law():
    trees, _ = grow(rule(rate=3.0), y=TARGETS, n_classes=0)
    costs = left_over(lambda y: len(y) * y.var(), TARGETS)
    assert agrees(trees, law(costs, 3.0, 3))
    assert np.ptp(costs) > 0.3  # or the choice would be blind


@pytest.mark.parametrize("score", [SQUARES, LOCAL_GINI, ENTROPY, MAJORITY])
def test_without_noise_the_best_column_is_taken_and_ties_are_broken_evenly(score):
    measure = {v[0]: v[1] for v in REFERENCE.values()}[score]
    costs = left_over(measure, CLASSES)
    best = costs <= costs.min() + 1e-9
    trees, _ = grow(rule(score=score, rate=np.inf))
    seen = np.bincount(trees.feature[trees.roots], minlength=3)
    assert seen[~best].sum() == 0
    if best.sum() > 1:
        assert sps.chisquare(seen[best]).pvalue > 1e-6


def test_a_node_without_records_is_split_blindly():
    codes = CODES[:, :0]
    for score in (SQUARES, LOCAL_GINI, ENTROPY, MAJORITY):
        trees, stats = grow(rule(score=score, rate=5.0), y=CLASSES[:0], codes=codes)
        assert agrees(trees, np.full(3, 1 / 3))
        assert not stats.any()


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_a_node_is_found_pure_as_often_as_its_noise_says(scale):
    trees, _ = grow(rule(count_scale=scale))
    positive = sps.laplace.sf(-np.bincount(CLASSES.astype(int)), scale=scale)
    none = np.prod(1 - positive)
    one = sum(p * none / (1 - p) for p in positive)
    stopped = int((trees.feature[trees.roots] == LEAF).sum())
    assert sps.binomtest(stopped, DRAWS, none + one).pvalue > 1e-6


# What a tree must be -------------------------------------------------------------------------


def random_records(n=300, seed=5):
    rng = np.random.default_rng(seed)
    arity = np.array([3, 1, 5, 2, 4])
    codes = np.stack([rng.integers(a, size=n) for a in arity]).astype(np.int32)
    return codes, arity, rng.integers(3, size=n).astype(float)


@pytest.mark.parametrize("n_classes", [0, 3])
def test_leaves_count_the_records_that_are_routed_to_them(n_classes):
    codes, arity, y = random_records()
    y = y if n_classes else y / 2
    rng = np.random.default_rng(0)
    parts = [rng.integers(300, size=300), np.arange(100), np.arange(0)]
    trees, stats = grow_greedy_level_trees(codes, arity, y, n_classes, parts, rule(max_depth=3), rng=rng)
    leaves = apply(trees, codes.T.astype(float)) + trees.leaf_starts[:-1]
    expected = np.zeros(stats.shape)
    for t, part in enumerate(parts):
        for i in part:
            if n_classes:
                expected[leaves[i, t], int(y[i])] += 1
            else:
                expected[leaves[i, t]] += (1, y[i])
    unit = [1] * n_classes or [1, GRID]  # sums of targets are in steps
    np.testing.assert_array_equal(stats, expected * unit)


def test_a_path_tests_a_column_once_and_none_with_one_level():
    codes, arity, y = random_records()
    trees, _ = grow_greedy_level_trees(
        codes, arity, y, 3, [np.arange(300)] * 3, rule(max_depth=9), rng=np.random.default_rng(1)
    )
    depths = set()

    def walk(node, path):
        j = trees.feature[node]
        if j == LEAF:
            depths.add(len(path))
            return
        assert j not in path and arity[j] > 1
        for level in range(arity[j]):
            walk(trees.child[node] + level, [*path, j])

    for root in trees.roots:
        walk(root, [])
    assert depths == {4}  # all columns but the one with one level
    assert np.isnan(trees.threshold).all()
    assert trees.n_leaves == 3 * math.prod(arity)


def test_the_number_of_threads_changes_nothing():
    one, many = (grow(rule(max_depth=3, rate=0.5), draws=20, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one[0].feature, many[0].feature)
    np.testing.assert_array_equal(one[1], many[1])


def test_a_forest_that_is_too_large_is_an_error(monkeypatch):
    monkeypatch.setattr(nodes, "MAX_NODES", 60)
    grow(rule(max_depth=1), draws=2)
    with pytest.raises(ValueError, match="max_depth=3 with n_estimators=2 needs more than 60 nodes"):
        grow(rule(max_depth=3), draws=2)
