"""Median forests: fit beside scikit-learn's forest, and how the cost grows with the records."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from dplit import Continuous, Domain
from dplit.forests import MedianForestRegressor


def data(n, columns):
    """Uniform records; two columns decide the target."""
    rng = np.random.default_rng(20)
    X = rng.random((n, columns))
    y = 0.5 * X[:, 0] + 0.3 * (X[:, 1] > 0.5) + 0.1 * rng.standard_normal(n)
    return X, np.clip(y, 0, 1)


def private(columns, **options):
    domain = Domain([Continuous(0, 1)] * columns)
    return MedianForestRegressor(10.0, domain=domain, target_bounds=(0, 1), max_depth=8, random_state=0, **options)


FORESTS = {
    "exponential": private(8),
    "permute-and-flip": private(8, selection="permute-and-flip"),
    "uniform": private(8, selection="uniform"),
    "RandomForest": RandomForestRegressor(10, max_depth=8, max_features=5, random_state=0),
}


@pytest.mark.parametrize("forest", FORESTS)
def test_fit_16_000_records_of_8_columns(benchmark, forest):
    X, y = data(16_000, 8)
    model = FORESTS[forest].fit(X[:200], y[:200])
    benchmark.pedantic(model.fit, (X, y), rounds=7, iterations=1)


@pytest.mark.parametrize("n", [62_500, 250_000, 1_000_000])
def test_fit_of_20_columns(benchmark, n):
    X, y = data(n, 20)
    model = private(20).fit(X[:200], y[:200])
    benchmark.pedantic(model.fit, (X, y), rounds=1, iterations=1)
