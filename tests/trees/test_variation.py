"""Volumes of leaves and what tests explain, against records routed by the package's walk and by scikit-learn."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from dplit import Categorical, Continuous, Domain, baselines, forests
from dplit.trees import apply
from dplit.trees.arrays import LEAF, Trees
from dplit.trees.variation import explained, leaf_volumes

DOMAIN = Domain({"u": Continuous(-1, 3), "v": Categorical(list("abcde")), "w": Continuous(2, 2)})
KINDS = ["MedianForestClassifier", "RandomDecisionForestClassifier", "MultinomialForestClassifier"]
LEVELS = np.array([0, 3])
BOUNDS = np.array([[0.0, 1.0], [0.0, 0.0]])


def fitted(name, epsilon=20.0):
    rng = np.random.default_rng(2)
    X = [[u, v, 2.0] for u, v in zip(rng.uniform(-1, 3, 200), rng.choice(list("abcde"), 200))]
    y = [int(u > 1) ^ (v in "ab") for u, v, _ in X]
    kind = getattr(forests, name, None) or getattr(baselines, name)
    options = {} if name in baselines.NOT_PRIVATE else {"epsilon": epsilon, "max_depth": 3}
    options |= {"n_estimators": 2, "random_state": 1, "domain": DOMAIN, "classes": [0, 1]}
    return kind(**options).fit(X, y)


@pytest.mark.parametrize("name", [*KINDS, "DenilForestClassifier", "DPExtraTreesClassifier"])
def test_volumes_are_the_shares_of_records_spread_evenly(name):
    forest = fitted(name)
    volumes = leaf_volumes(forest.trees_, DOMAIN.n_levels, DOMAIN.bounds)
    u = -1 + 4 * (np.arange(20_000) + 0.5) / 20_000  # every cell of the domain, evenly
    X = np.array([[x, v, 2.0] for v in range(5) for x in u])
    reached = apply(forest.trees_, X) + forest.trees_.leaf_starts[:-1]
    shares = np.bincount(reached.ravel(), minlength=forest.trees_.n_leaves) / len(X)
    np.testing.assert_allclose(volumes, shares, atol=2e-4)
    for t in range(2):
        first, last = forest.trees_.leaf_starts[t : t + 2]
        assert volumes[first:last].sum() == pytest.approx(1)


def by_hand():
    """u <= 0.25: leaf 0; else v in {0, 2}: leaf 1; v = 1: leaf 2."""
    nan = np.nan
    return Trees(
        feature=np.array([0, LEAF, 1, LEAF, LEAF], dtype=np.int32),
        threshold=np.array([0.25, nan, nan, nan, nan]),
        child=np.array([1, 0, 3, 1, 2], dtype=np.int32),
        side=np.array([0, 0, 3, 0, 0], dtype=np.int32),
        steps=np.array([0, 1, 2, 0, 1, 0], dtype=np.int32),
        roots=np.zeros(1, dtype=np.int32),
        leaf_starts=np.array([0, 3]),
    )


def test_volumes_and_shares_worked_by_hand():
    volumes = leaf_volumes(by_hand(), LEVELS, BOUNDS)
    np.testing.assert_allclose(volumes, [1 / 4, 1 / 2, 1 / 4])
    found = explained(by_hand(), LEVELS, volumes, np.array([[0.0], [1.0], [0.0]]))
    # all: variance 1/4; below the first test, of 3/4 of the domain: 2/3 * 1/3.
    np.testing.assert_allclose(found, [1 / 4 - 3 / 4 * 2 / 9, 3 / 4 * 2 / 9])


def test_of_class_counts_it_is_scikit_learns_decrease_of_the_gini_index():
    rng = np.random.default_rng(0)
    X = rng.random((300, 4))
    y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int) + (X[:, 2] > 0.8)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y).tree_
    leaf = tree.children_left < 0
    # The same tree in an order where children stand side by side, behind their parent.
    order, places = [0], {}
    for node in order:
        if not leaf[node]:
            places[node] = len(order)
            order += [tree.children_left[node], tree.children_right[node]]
    numbers = np.cumsum(leaf[order]) - 1
    child = [numbers[i] if leaf[n] else places[n] for i, n in enumerate(order)]
    forest = Trees(
        feature=np.where(leaf, LEAF, tree.feature)[order].astype(np.int32),
        threshold=np.where(leaf, np.nan, tree.threshold)[order],
        child=np.array(child, dtype=np.int32),
        side=np.zeros(len(order), dtype=np.int32),
        steps=np.zeros(0, dtype=np.int32),
        roots=np.zeros(1, dtype=np.int32),
        leaf_starts=np.array([0, leaf.sum()]),
    )
    at = [n for n in order if leaf[n]]
    found = explained(forest, np.zeros(4), tree.weighted_n_node_samples[at], tree.value[at, 0])
    np.testing.assert_allclose(found / found.sum(), tree.compute_feature_importances(), atol=1e-12)
