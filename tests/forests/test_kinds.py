"""What holds of every estimator that `kinds.TABLE` lists."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from tests.forests.kinds import PRIVATE, TABLE, each_private
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


@pytest.mark.parametrize("estimator", FITS, ids=repr)
def test_scikit_learn_checks(estimator):
    """The forests are scikit-learn estimators: its own checks say so."""
    found = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(found) > 40
    assert [(c["check_name"], c["exception"]) for c in found if c["status"] == "failed"] == []
