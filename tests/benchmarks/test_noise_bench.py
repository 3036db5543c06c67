"""What exact noise costs: fits of 24,000 records with noise for release, beside simulated ones.

The aim is five times the simulated fit for boosted and median forests, and twenty for random ones.
"""

import pytest

from dplit import Continuous, Domain
from dplit.forests import BoostedForestClassifier, MedianForestClassifier, RandomDecisionForestClassifier

from .workload import DEPTH, EPSILON, FEATURES, TREES, data

GROWN = {"n_estimators": TREES, "max_depth": DEPTH}
KINDS = {BoostedForestClassifier: {}, MedianForestClassifier: GROWN, RandomDecisionForestClassifier: GROWN}


@pytest.mark.parametrize(("noise", "seed"), [("simulation", 0), ("secure", None)])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_fit(benchmark, kind, noise, seed):
    X, y, _ = data()
    schema = {"domain": Domain([Continuous(0, 1)] * FEATURES), "classes": [0, 1]}
    forest = kind(EPSILON, **schema, **KINDS[kind], n_records=len(X), noise=noise, random_state=seed)
    benchmark.pedantic(forest.fit, (X, y), rounds=5, warmup_rounds=1)
    assert forest.noise_ == noise
