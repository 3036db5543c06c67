"""What holds of every estimator that `kinds.TABLE` lists."""

import numpy as np
import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import (
    check_classifiers_train,
    check_dtype_object,
    check_estimator,
    check_regressors_train,
)

from dplit.forests import HistogramForestClassifier
from tests.forests.kinds import KINDS, PRIVATE, TABLE, each_private, regresses
from tests.forests.test_noise import X, Y, estimator

FITS = [kind(**options) for kind in PRIVATE for options in TABLE[kind.__name__].fits]


def test_every_private_estimator_is_listed():
    assert {*TABLE} == {kind.__name__ for kind in PRIVATE}
    assert {type(fit) for fit in FITS} == {*PRIVATE}


@each_private
def test_a_fit_holds_the_arrays_that_it_is_listed_to_release_and_no_other(kind):
    """Whatever else it drew or counted would be told unpaid, and stand in its file."""
    forest = estimator(kind).fit(X, Y)
    found = {name for name, value in vars(forest).items() if isinstance(value, np.ndarray)}
    assert found - {"classes_"} == {*TABLE[kind.__name__].releases}


def failed(estimator, **options):
    """Names of scikit-learn's own checks that an estimator fails, and why."""
    found = check_estimator(estimator, on_fail=None, on_skip=None, **options)
    assert len(found) > 40
    return [(c["check_name"], c["exception"]) for c in found if c["status"] == "failed"]


@pytest.mark.parametrize("estimator", FITS, ids=repr)
def test_scikit_learn_checks(estimator):
    """The forests are scikit-learn estimators: its own checks say so, that of scores among them."""
    assert not says_poor(estimator)
    assert failed(estimator) == []


# 2,000,000 noisy answers for ten columns of five bins, and sixty fits of a hundred trees on noisy cells
SLOW = "MatrixForestClassifier", "HistogramForestClassifier"


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.deep] * (k.__name__ in SLOW), id=k.__name__) for k in KINDS]
)
def test_scikit_learn_checks_the_defaults(kind):
    assert failed(kind()) == []


def test_ten_columns_of_numbers_are_no_more_cells_than_the_default_can_count():
    """Five bins of each would be 10,000,000 cells: scikit-learn's check of objects, the one that this is of."""
    check_dtype_object("HistogramForestClassifier", HistogramForestClassifier())


def says_poor(estimator):
    tags = get_tags(estimator)
    return (tags.classifier_tags or tags.regressor_tags).poor_score


@each_private
def test_scores_are_called_poor_where_the_noise_of_the_default_makes_them_so(kind, monkeypatch):
    """And nowhere else: without the tag the same default fails the check, or passes it."""
    check = check_regressors_train if regresses(kind) else check_classifiers_train
    says = says_poor(kind())
    monkeypatch.setattr(kind, "_poor_below", 0.0)
    assert not says_poor(kind())
    try:
        check(kind.__name__, kind())
    except AssertionError:
        assert says
    else:
        assert not says
