"""Matrix forests on Car: 128 trees of depth 4, from the schema to the votes, and the histogram beneath."""

import pytest

from dplit import datasets
from dplit.forests import HistogramForestClassifier, MatrixForestClassifier

STRATEGIES = ["auto", "identity", "per-tree", "merged"]


@pytest.fixture(scope="module")
def car():
    return datasets.load("car")


def forest(car, **options):
    return MatrixForestClassifier(1.0, domain=car.domain, random_state=0, **options)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_fit(benchmark, car, strategy):
    template = forest(car, strategy=strategy).fit(car.X, car.y)
    fitted = benchmark.pedantic(template.fit, (car.X, car.y), rounds=3, iterations=1)
    assert fitted.trees_.n_trees == 128


@pytest.mark.parametrize("voting", ["hard", "weighted"])
def test_predict(benchmark, car, voting):
    fitted = forest(car, strategy="identity", voting=voting).fit(car.X, car.y)
    assert len(benchmark.pedantic(fitted.predict, (car.X,), rounds=3, iterations=1)) == len(car)


@pytest.mark.parametrize("release", ["prediction", "subsample"])
def test_votes_for_345_queries(benchmark, car, release):
    options = dict(release=release, queries=car.X[:345], strategy="identity")
    fitted = benchmark.pedantic(forest(car, **options).fit, (car.X, car.y), rounds=3, iterations=1)
    assert fitted.query_votes_.shape == (345, 4)


def test_fit_of_the_histogram(benchmark, car):
    template = HistogramForestClassifier(1.0, domain=car.domain, n_estimators=20, random_state=0)
    fitted = benchmark.pedantic(template.fit, (car.X, car.y), rounds=3, iterations=1)
    assert fitted.cell_counts_.sum() != 0
