"""The baselines are scikit-learn estimators: its own checks say so."""

import pytest
from sklearn.utils.estimator_checks import check_estimator

from dplit import baselines

# With little noise, and with cuts fine enough for the checks that ask for accuracy: completely random
# trees need to be deep, five bins a column do not suffice.
RANDOM = {"epsilon": 1e4, "max_depth": 10, "partitioned": False, "n_estimators": 20}
GREEDY = {"epsilon": 1e4, "max_depth": 2, "bins": 12, "max_features": None, "partitioned": False}
PUBLISHED = {"accounting": "published", "neighbours": "replace-one"}
ESTIMATORS = [
    baselines.DPExtraTreesClassifier(**RANDOM),
    baselines.DPExtraTreesRegressor(**RANDOM),
    baselines.DPExtraTreesRegressor(**{**RANDOM, **PUBLISHED}),
    baselines.DPRandomForestClassifier(**GREEDY),
    baselines.DPRandomForestClassifier(**{**GREEDY, **PUBLISHED}),
    baselines.DPRandomForestRegressor(**GREEDY),
    baselines.DPDecisionForestClassifier(**GREEDY),
    baselines.JPWClassifier(**RANDOM),
    baselines.FSClassifier(epsilon=1e4, max_depth=2),
    baselines.FSClassifier(epsilon=1e4, max_depth=2, operator="information-gain", **PUBLISHED),
    baselines.RGVClassifier(epsilon=1e4, max_depth=3, n_estimators=20, partitioned=False),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_scikit_learn_checks(estimator):
    found = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(found) > 40
    assert [(c["check_name"], c["exception"]) for c in found if c["status"] == "failed"] == []
