"""Multinomial forests beside scikit-learn's forest, and how they grow with records and columns."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from dplit import Continuous, Domain, datasets
from dplit.forests import MultinomialForestClassifier
from dplit.forests.partition import ShuffledHalves
from dplit.trees.multinomial import Rule, grow_multinomial_trees

TREES, COLUMNS = 100, 10


def data(n):
    """Uniform records; two columns and a coin decide the class."""
    rng = np.random.default_rng(20)
    X = rng.random((n, COLUMNS))
    return X, (X[:, 0] + X[:, 1] + 0.3 * rng.standard_normal(n) > 1).astype(int)


def multinomial(**options):
    settings = dict(domain=Domain([Continuous(0, 1)] * COLUMNS), classes=[0, 1], n_estimators=TREES,
                    accounting="published", random_state=0)  # fmt: skip
    return MultinomialForestClassifier(**{**settings, **options})


FORESTS = {
    "dplit": multinomial(),
    "MRF by the text": multinomial(stopping="text"),
    "MRF, entropy": multinomial(criterion="entropy"),
    "MRF, proved": multinomial(accounting="proved"),
    "RF, all columns": RandomForestClassifier(TREES, max_features=None, random_state=0),
    "RF, their root": RandomForestClassifier(TREES, random_state=0),
}


@pytest.mark.parametrize("library", FORESTS)
def test_fit_10_000_records_of_10_columns(benchmark, seconds, library):
    X, y = data(10_000)
    forest = FORESTS[library].fit(X[:200], y[:200])
    benchmark.pedantic(forest.fit, (X, y), rounds=3, iterations=1)
    if benchmark.stats:
        seconds[library, "MRF fit"] = benchmark.stats.stats.min


@pytest.mark.parametrize("library", ["dplit", "RF, all columns"])
def test_predict_6_000_records(benchmark, seconds, library):
    X, y = data(16_000)
    forest = FORESTS[library].fit(X[:10_000], y[:10_000])
    forest.predict(X[:200])
    benchmark.pedantic(forest.predict, (X[10_000:],), rounds=5, iterations=1)
    if benchmark.stats:
        seconds[library, "MRF predict"] = benchmark.stats.stats.min


@pytest.mark.parametrize("n", [25_000, 50_000, 100_000])
def test_growth_with_the_records(benchmark, n):
    X, y = data(n)
    forest = multinomial().fit(X[:200], y[:200])
    fitted = benchmark.pedantic(forest.fit, (X, y), rounds=1, iterations=1)
    assert fitted.trees_.n_trees == TREES


def test_a_tree_of_connect_4(benchmark):
    board = datasets.load("connect-4")
    forest = multinomial(domain=board.domain, classes=board.classes, n_estimators=1)
    records, y = board.domain.encode(board.X), np.asarray(board.y)
    codes = np.unique(y, return_inverse=True)[1]
    forest.fit(board.X.iloc[:200], y[:200])
    trees, _ = benchmark.pedantic(
        grow_multinomial_trees,
        (board.domain, records, codes, 3, 1, ShuffledHalves(1), Rule(999, 5, 0, 5.0, 5.0, False)),
        {"rng": np.random.default_rng(0)},
        rounds=3, iterations=1,
    )  # fmt: skip
    assert trees.n_leaves > 1000
