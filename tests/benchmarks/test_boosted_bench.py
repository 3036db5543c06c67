"""Boosted forests on the workload of the forest benchmarks, and at a million records."""

import numpy as np
import pytest

from dplit import Continuous, Domain
from dplit.forests import BoostedForestClassifier
from dplit.trees.oblivious import Grid, histogram

from .workload import EPSILON, FEATURES, data


def forest(n, columns):
    domain = Domain([Continuous(0, 1)] * columns)
    return BoostedForestClassifier(EPSILON, domain=domain, classes=[0, 1], n_records=n, random_state=0)


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


@pytest.mark.parametrize("columns", [20])
def test_codes_of_a_million_records(benchmark, columns):
    grid = Grid(Domain([Continuous(0, 1)] * columns), 64)
    X = np.random.default_rng(0).random((1_000_000, columns))
    assert benchmark.pedantic(grid.encode, (X,), rounds=3, iterations=1).shape == X.shape[::-1]


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("cells", [1, 32, 256])
def test_sums_of_a_level_of_300_000_records(benchmark, cells, outputs):
    """Of the smaller cell of each two, but at the top; 256 cells of three outputs leave the cache."""
    rng, n = np.random.default_rng(0), 300_000
    grid = Grid(Domain([Continuous(0, 1)] * 20), 64)
    codes = grid.encode(rng.random((n, 20)))
    residuals = rng.integers(-(2**16), 2**16, (n, outputs)).astype(np.int32)
    of = rng.integers(cells, size=n).astype(np.uint8)
    before = None
    if cells > 1:
        before = histogram(grid, codes, residuals, of >> 1, cells // 2)
    args = (grid, codes, residuals, of, cells, before)
    sums = benchmark.pedantic(histogram, args, rounds=3, iterations=1, warmup_rounds=1)
    assert (sums[:, : grid.starts[1]].sum(axis=(0, 1)) == residuals.sum(axis=0)).all()
