"""Boosted forests on the workload of the forest benchmarks, and at a million records."""

import numpy as np
import pytest

from dplit import Continuous, Domain
from dplit.forests import BoostedForestClassifier

from .workload import EPSILON, FEATURES, data


def forest(n, columns):
    domain = Domain([Continuous(0, 1)] * columns)
    return BoostedForestClassifier(
        EPSILON, domain=domain, classes=[0, 1], n_records=n, random_state=0
    )


def test_fit_24_000_records_of_10_columns(benchmark):
    X, y, _ = data()
    benchmark(forest(len(X), FEATURES).fit, X, y)


def test_predict_6_000_records(benchmark):
    X, y, queries = data()
    benchmark(forest(len(X), FEATURES).fit(X, y).predict, queries)


@pytest.mark.parametrize("columns", [20])
def test_fit_a_million_records(benchmark, columns):
    rng = np.random.default_rng(0)
    X = rng.random((1_000_000, columns))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    benchmark.pedantic(forest(len(X), columns).fit, (X, y), rounds=1, iterations=1)
