"""Reads of private records for nothing: an open account warns once of what it can see."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import partial_dependence
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from dplit import Accountant, Domain, PrivacyLeakWarning, PrivateForestClassifier
from tests.test_accountant import DOMAIN, X, Y, forest

OTHERS = X + 0.0
FRAME = pd.DataFrame({"u": X[:, 0]})


def preset(**options):
    return PrivateForestClassifier(0.5, domain=DOMAIN, classes=["a", "b"], **options)


def told(read, limit=100):
    """Messages of the warnings of ``read(fitted)`` in an account that fitted a forest, and their files."""
    with warnings.catch_warnings(record=True) as caught, Accountant(limit):
        warnings.simplefilter("always")
        read(forest().fit(X, Y))
    return [str(w.message) for w in caught if w.category is PrivacyLeakWarning], [w.filename for w in caught]


SEEN = {
    "predict": lambda fitted: fitted.predict(X),
    "predict_proba": lambda fitted: fitted.predict_proba(X),
    "apply": lambda fitted: fitted.apply(X),
    "the preset": lambda _: preset().fit(OTHERS, Y).predict(OTHERS),
    "a frame": lambda _: forest(domain=Domain({"u": DOMAIN[0]})).fit(FRAME, Y).predict(FRAME),
    "score": lambda fitted: fitted.score(OTHERS, Y),
    "a scorer": lambda fitted: get_scorer("neg_log_loss")(fitted, OTHERS, Y),
    "cross_val_score": lambda _: cross_val_score(forest(), X, Y, cv=3),
    "in threads": lambda _: cross_val_score(forest(), X, Y, cv=3, n_jobs=2),
    "cross_val_predict": lambda _: cross_val_predict(forest(), X, Y, cv=3),
    "learning_curve": lambda _: learning_curve(forest(), X, Y, cv=3, train_sizes=[0.9]),
    "a search": lambda _: GridSearchCV(forest(), {"max_depth": [1, 2]}, cv=2).fit(X, Y),
    "a pipeline": lambda _: make_pipeline(FunctionTransformer(), forest()).fit(X, Y).score(X, Y),
    "a threshold": lambda _: TunedThresholdClassifierCV(forest(9.0, random_state=0), cv=3).fit(X, Y),
    "calibration": lambda _: CalibratedClassifierCV(forest(), cv=3).fit(X, Y),
    "of a fitted one": lambda fitted: CalibratedClassifierCV(FrozenEstimator(fitted), cv=3).fit(OTHERS, Y),
    "dependence": lambda fitted: partial_dependence(fitted, OTHERS, [0], kind="average"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("read", SEEN.values(), ids=SEEN)
def test_a_read_for_nothing_is_warned_of_once_and_says_what_pays(read):
    messages, _ = told(lambda fitted: [read(fitted) for _ in range(2)])
    assert len(messages) == 1
    assert "does not charge for this" in messages[0] and "dplit.metrics" in messages[0]


def test_it_points_at_the_users_line():
    for read in (SEEN["predict"], SEEN["the preset"], SEEN["score"]):
        assert told(read)[1] == [__file__]


NOT_SEEN = {
    "records of others": lambda fitted: fitted.predict(OTHERS),
    "a fit": lambda _: make_pipeline(FunctionTransformer(), forest()).fit(X, Y),
    "what was released": lambda fitted: fitted.feature_importances_,
}


@pytest.mark.parametrize("read", NOT_SEEN.values(), ids=NOT_SEEN)
def test_other_use_is_not_warned_of(read):
    assert told(read)[0] == []


def test_outside_of_an_account_nothing_is_said():
    fitted = forest().fit(X, Y)
    with Accountant(5):
        forest().fit(X, Y)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", PrivacyLeakWarning)
        fitted.score(X, Y)
        cross_val_score(fitted, X, Y, cv=2)
        with Accountant(5):
            fitted.predict(X)  # was not fitted in this one
    assert [w for w in said if issubclass(w.category, PrivacyLeakWarning)] == []


def test_each_account_warns_once_and_again_when_it_is_opened_anew():
    account = Accountant(5)
    for _ in range(2):
        with account, pytest.warns(PrivacyLeakWarning, match="does not charge"):
            forest().fit(X, Y).predict(X)


def test_the_forest_holds_nothing_of_the_records():
    records = np.array(X)
    with Accountant(5):
        fitted = forest().fit(records, Y)
        kept = pickle.dumps(fitted)
        assert records.tobytes()[:64] not in kept
        known = vars(fitted).values()
        assert not any(value is records for value in known)
