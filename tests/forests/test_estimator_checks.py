"""The forests are scikit-learn estimators: its own checks say so."""

import pytest
from sklearn.utils.estimator_checks import check_estimator

from dplit.forests import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    HistogramForestClassifier,
    MatrixForestClassifier,
    MedianForestClassifier,
    MedianForestRegressor,
    MultinomialForestClassifier,
    PrivateForestClassifier,
    PrivateForestRegressor,
    RandomDecisionForestClassifier,
)

# At epsilon = 1 no private forest can promise 83 % on the checks' 300 records, nor can ten trees that
# share 200 of them explain half the variance: they get more, or are one.
ESTIMATORS = [
    BoostedForestClassifier(epsilon=1e3),
    BoostedForestClassifier(epsilon=1e3, neighbours="replace-one", n_estimators=4, max_depth=3),
    BoostedForestRegressor(epsilon=1e3),
    PrivateForestClassifier(epsilon=1e3),
    PrivateForestRegressor(epsilon=1e3, neighbours="replace-one"),
    RandomDecisionForestClassifier(epsilon=1e3, n_estimators=10, max_depth=6),
    RandomDecisionForestClassifier(
        epsilon=1e3, n_estimators=10, max_depth=6, neighbours="replace-one", accounting="published"
    ),
    *(
        forest(epsilon=1e3, max_depth=7, max_features=None, **options)
        for forest in (MedianForestClassifier, MedianForestRegressor)
        for options in (
            {"n_estimators": 1},
            {"selection": "permute-and-flip", "partitioned": False, "neighbours": "replace-one"},
            {"accounting": "published", "selection": "uniform", "n_estimators": 1},
        )
    ),
    MultinomialForestClassifier(epsilon=1e3, n_estimators=3, max_depth=6),
    MultinomialForestClassifier(
        epsilon=1e3, n_estimators=1, max_depth=6, neighbours="replace-one", partition_rate=None
    ),
    MultinomialForestClassifier(n_estimators=20, accounting="published"),
    MultinomialForestClassifier(
        n_estimators=20, accounting="published", stopping="text", criterion="entropy",
        label_budget=50.0,
    ),
    MatrixForestClassifier(
        epsilon=1e3, n_estimators=10, max_depth=2, bins=6, strategy="merged"
    ),
    MatrixForestClassifier(
        epsilon=1e3, n_estimators=10, max_depth=2, bins=6, neighbours="replace-one",
        accounting="published", voting="weighted", mechanism="laplace", ensembles=2,
        strategy="merged",
    ),
    HistogramForestClassifier(epsilon=1e3, n_estimators=5, bins=2),
]  # fmt: skip


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_scikit_learn_checks(estimator):
    found = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(found) > 40
    assert [(c["check_name"], c["exception"]) for c in found if c["status"] == "failed"] == []
