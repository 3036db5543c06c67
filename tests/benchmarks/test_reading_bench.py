"""What a fit does before and beside counting, at a million records: reading X and y, growing deep trees."""

import numpy as np
import pytest
from sklearn.utils.multiclass import check_classification_targets

from dplit import Continuous, Domain
from dplit.forests import RandomDecisionForestClassifier
from dplit.forests.targets import class_codes
from dplit.trees import grow_random_trees

rounds = {"rounds": 5, "iterations": 1, "warmup_rounds": 1}
DOMAIN = Domain([Continuous(0, 1)] * 10)
FOREST = RandomDecisionForestClassifier(domain=DOMAIN, classes=[0, 1])
WAYS = {
    "a fit": lambda X, y: FOREST._read_fit(X, y)[0],
    "one pass": lambda X, y: DOMAIN.encode(X),
    "NumPy": lambda X, y: X if (X.min(axis=0) >= 0).all() and (X.max(axis=0) <= 1).all() else None,
}


@pytest.mark.parametrize("way", WAYS)
def test_reading_a_million_records_of_10_columns(benchmark, way):
    X = np.random.default_rng(20).random((1_000_000, 10))
    y = np.arange(1_000_000) % 2
    assert benchmark.pedantic(WAYS[way], (X, y), **rounds) is X


def test_codes_of_a_million_targets(benchmark):
    y = np.random.default_rng(20).integers(2, size=1_000_000)
    codes = benchmark.pedantic(class_codes, (y, [0, 1]), **rounds)
    assert codes.sum() == y.sum()


def test_the_check_of_all_targets_that_is_not_made(benchmark):
    y = np.random.default_rng(20).integers(2, size=1_000_000)
    benchmark.pedantic(check_classification_targets, (y,), **rounds)


@pytest.mark.parametrize(("columns", "depth"), [(10, 8), (10, 14), (160, 8)])
def test_grow_100_random_trees(benchmark, columns, depth):
    domain = Domain([Continuous(0, 1)] * columns)
    grow = lambda: grow_random_trees(domain, 100, depth, rng=np.random.default_rng(0))  # noqa: E731
    assert benchmark.pedantic(grow, **rounds).depth == depth
