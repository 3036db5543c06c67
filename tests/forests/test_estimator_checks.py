"""The forests are scikit-learn estimators: its own checks say so."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from dplit.forests import (
    MedianForestClassifier,
    MedianForestRegressor,
    RandomDecisionForestClassifier,
)

# At epsilon = 1 no private forest can promise 83 % on the checks' 300 records, nor can ten trees that
# share 200 of them explain half the variance: they get more, or are one.
ESTIMATORS = [
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
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)  # raises where the estimator breaks the convention
