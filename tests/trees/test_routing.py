"""Routing against a plain walk in Python over the same arrays."""

from types import SimpleNamespace

import numpy as np
import pytest
from joblib import parallel_config

from dplit import Categorical, Continuous, Domain
from dplit.trees import apply, count_labels, grow_random_trees, routing, vote
from dplit.trees.arrays import LEAF

DOMAIN = Domain([Continuous(0, 1), Categorical(["a", "b", "c", "d"]), Continuous(-5, 5)])


def leaf_by_hand(trees, t, record):
    node = trees.roots[t]
    while (j := trees.feature[node]) != LEAF:
        step = int(record[j]) if DOMAIN.n_levels[j] else int(record[j] > trees.threshold[node])
        node = trees.child[node] + step
    return trees.child[node]


@pytest.fixture(scope="module")
def setting():
    rng = np.random.default_rng(0)
    trees = grow_random_trees(DOMAIN, 6, 5, rng=rng)
    columns = [rng.random(300), rng.integers(4, size=300), rng.uniform(-5, 5, 300)]
    X = np.column_stack(columns).astype(float)
    return trees, X, np.array([[leaf_by_hand(trees, t, x) for t in range(6)] for x in X])


@pytest.mark.parametrize("n_jobs", [None, 2, 3])
def test_apply(setting, n_jobs):
    trees, X, leaves = setting
    np.testing.assert_array_equal(apply(trees, X, n_jobs), leaves - trees.leaf_starts[:-1])


@pytest.mark.parametrize("n_jobs", [None, 2, 4])
def test_vote(setting, n_jobs):
    trees, X, leaves = setting
    labels = np.random.default_rng(1).integers(3, size=trees.n_leaves).astype(np.uint8)
    expected = (labels[leaves][:, :, None] == np.arange(3)).sum(axis=1)
    np.testing.assert_array_equal(vote(trees, X, labels, 3, n_jobs), expected)


@pytest.mark.parametrize("n_jobs", [None, 2, 4])
def test_count_labels(setting, n_jobs):
    trees, X, leaves = setting
    rng = np.random.default_rng(2)
    y, assigned = rng.integers(3, size=len(X)), rng.integers(6, size=len(X))
    expected = np.zeros((trees.n_leaves, 3), dtype=int)
    np.add.at(expected, (leaves[np.arange(len(X)), assigned], y), 1)
    np.testing.assert_array_equal(count_labels(trees, X, y, assigned, 3, n_jobs), expected)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_leaf_can_hold_more_records_than_32_bits(setting, monkeypatch, n_jobs):
    """Each count starts at what 32 bits hold, as if so many records had come before."""
    trees, X, leaves = setting
    start = 2**31 - 1
    zeros = SimpleNamespace(**{**vars(np), "zeros": lambda *a, **k: np.zeros(*a, **k) + start})
    expected = np.full((trees.n_leaves, 1), start)
    np.add.at(expected, (leaves[:, 0], 0), 1)
    none = np.zeros(len(X), dtype=np.int64)
    monkeypatch.setattr(routing, "np", zeros)
    np.testing.assert_array_equal(count_labels(trees, X, none, none, 1, n_jobs), expected)


def test_no_records(setting):
    trees, X, _ = setting
    assert apply(trees, X[:0]).shape == (0, 6)
    assert vote(trees, X[:0], np.zeros(trees.n_leaves, dtype=int), 2, n_jobs=2).shape == (0, 2)


def test_results_arrive_whatever_backend_the_user_has_chosen(setting):
    """A process would write its counts to a copy: blocks must share memory under any backend."""
    trees, X, leaves = setting
    y, assigned = np.arange(300) % 3, np.arange(300) % 6
    alone = grow_random_trees(DOMAIN, 6, 5, rng=np.random.default_rng(1))
    with parallel_config(backend="multiprocessing", n_jobs=2):
        counts = count_labels(trees, X, y, assigned, 3, n_jobs=2)
        routed = apply(trees, X, n_jobs=2)
        grown = grow_random_trees(DOMAIN, 6, 5, rng=np.random.default_rng(1), n_jobs=2)
    np.testing.assert_array_equal(counts, count_labels(trees, X, y, assigned, 3))
    np.testing.assert_array_equal(routed, leaves - trees.leaf_starts[:-1])
    np.testing.assert_array_equal(grown.threshold, alone.threshold)
