"""The forests are scikit-learn estimators: its own checks say so."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from dplit.forests import RandomDecisionForestClassifier

# At epsilon = 1 no private forest can promise 83 % on the checks' 300 records: they get more.
ESTIMATORS = [
    RandomDecisionForestClassifier(epsilon=1e3, n_estimators=10, max_depth=6),
    RandomDecisionForestClassifier(
        epsilon=1e3, n_estimators=10, max_depth=6, neighbours="replace-one", accounting="published"
    ),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
