"""Codes of a target, whatever holds it, against the place of each class in the list."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dplit
from dplit import Continuous, Domain, forests
from dplit.domain import GRID
from dplit.forests.targets import check_bounds, class_codes, public_classes, target_shares
from tests.forests.kinds import KINDS, regresses

NUMBERS, WORDS = [3, 1, 1, 2, 3] * 3, ["c", "a", "a", "b", "c"] * 3
HOLDERS = {
    "array": np.asarray,
    "objects": lambda y: np.array(y, dtype=object),
    "series": pd.Series,
    "categorical": lambda y: pd.Series(y, dtype="category"),
    "of pandas": lambda y: pd.Series(y, dtype="Int64" if isinstance(y[0], int) else "string"),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize(("y", "classes"), [(NUMBERS, [2, 3, 1, 7]), (WORDS, ["b", "c", "z", "a"])])
def test_a_code_is_the_place_in_the_list(y, classes, holder):
    codes = class_codes(HOLDERS[holder](y), classes)
    assert codes.dtype == np.int32 and codes.tolist() == [classes.index(v) for v in y]


def test_floats_and_booleans():
    assert class_codes(np.array([1.0, 0.0]), [0, 1]).tolist() == [1, 0]
    assert class_codes(np.array([True, False]), [False, True]).tolist() == [1, 0]


@pytest.mark.parametrize("classes", [[0, 1], None])
def test_targets_of_a_regression_are_none_of_a_classifier(classes):
    """With a class list or without one, and before any warning that the classes are read off."""
    y = np.linspace(0, 1, 11)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        class_codes(y, public_classes(y, classes)[0])


# A target on a log scale --------------------------------------------------------------------------------------

REGRESSORS = [kind for kind in KINDS if regresses(kind)]
each_regressor = pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
rng = np.random.default_rng(1)
X = rng.random((300, 2))
PRICES = np.exp(6 * X[:, 0] + rng.normal(0, 0.3, 300))  # from 1 to some 400
SCHEMA = {"domain": Domain([Continuous(0, 1)] * 2), "random_state": 0, "max_depth": 2, "n_estimators": 3}
WIDE = {"target_bounds": (1, math.exp(6)), "target_scale": "log"}


@given(st.lists(st.floats(allow_nan=False, width=64), min_size=1), st.floats(1e-300, 1e300), st.floats(1.001, 1e6))
def test_a_share_is_between_0_and_1_whatever_the_target(values, lower, factor):
    """So one record weighs at most what it does on a linear scale: what epsilon is proved for."""
    lower, upper = check_bounds((lower, lower * factor), "log")
    shares = target_shares(np.array(values), lower, upper, "log")
    assert (shares >= 0).all() and (shares <= 1).all() and (shares * GRID == np.rint(shares * GRID)).all()
    assert target_shares(np.array([lower / 2, lower, upper, math.inf]), lower, upper, "log").tolist() == [
        0,
        0,
        1,
        1,
    ]
    own = [target_shares(np.array([v]), lower, upper, "log")[0] for v in values]  # of its own record alone
    np.testing.assert_allclose(shares, own, rtol=0, atol=1 / GRID)


def test_a_share_of_a_logarithm_that_is_clipped_late_is_seen():
    """The bug that the test before is for: what is not positive is no share at all."""
    with np.errstate(all="ignore"):
        late = np.clip(np.log(np.array([-1.0, 0.0, 2.0])), 0, 6) / 6
        early = target_shares(np.array([-1.0, 0.0, 2.0]), 1, math.exp(6), "log")
    assert np.isnan(late[0]) and early[:2].tolist() == [0, 0] and early[2] == pytest.approx(late[2])


@each_regressor
@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_it_is_the_forest_of_the_logarithms_at_the_same_price(kind, accounting):
    """Bit by bit what is drawn, and all of the budget but the words on the bounds."""
    options = {**SCHEMA, "accounting": accounting, "neighbours": "replace-one"}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = kind(2.0, **options, **WIDE).fit(X, PRICES)
        other = kind(2.0, **options, target_bounds=(0, 6)).fit(X, np.log(np.clip(PRICES, 1, math.exp(6))))
    assert (forest.target_scale_, other.target_scale_) == ("log", "linear") and forest.target_bounds_[0] == 1
    np.testing.assert_allclose(forest.leaf_values_, other.leaf_values_, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(forest.trees_.feature, other.trees_.feature)
    assert forest.budget_.epsilon == other.budget_.epsilon and forest.budget_.delta == 0
    on = str(forest.budget_)
    assert "given as target_bounds, on a log scale" in on.replace("\n", " ") and "log scale" not in str(
        other.budget_
    )
    ends = np.clip(np.exp(other.predict(X)), 1, math.exp(6))
    np.testing.assert_allclose(forest.predict(X), ends, rtol=1e-9)


def test_a_skewed_target_is_predicted_better_by_a_factor():
    errors = {}
    for scale in ("linear", "log"):
        options = {"domain": SCHEMA["domain"], "target_bounds": (1, math.exp(8)), "target_scale": scale}
        forest = forests.PrivateForestRegressor(2.0, **options, random_state=0).fit(X, PRICES)
        errors[scale] = np.abs(np.log(forest.predict(X) / PRICES)).mean()
    assert errors["log"] < 0.6 * errors["linear"]


@each_regressor
def test_bounds_of_a_log_scale_are_positive_and_given(kind):
    for bounds in ((0, 10), (-1, 10), (1e300, np.nextafter(1e300, 2e300))):
        with pytest.raises(ValueError, match=r"^target_bounds must be positive on a log scale, and apart"):
            kind(1.0, **SCHEMA, target_bounds=bounds, target_scale="log").fit(X, PRICES)
    with pytest.raises(ValueError, match=r"^target_bounds must be .* on a log scale, got None") as caught:
        kind(1.0, **SCHEMA, target_scale="log").fit(X, PRICES)
    assert str(PRICES.max())[:6] not in str(caught.value)
    with pytest.raises(ValueError, match=r"^target_scale must be one of 'linear', 'log', got 'sqrt'"):
        kind(1.0, **SCHEMA, target_bounds=(1, 2), target_scale="sqrt").fit(X, PRICES)


@each_regressor
def test_a_file_a_card_and_words_have_the_scale(kind, tmp_path):
    forest = kind(5.0, **SCHEMA, **WIDE).fit(X, PRICES)
    forest.save(tmp_path / "a.forest")
    loaded = dplit.load(tmp_path / "a.forest")
    np.testing.assert_array_equal(loaded.predict(X), forest.predict(X))
    assert loaded.target_scale_ == loaded.target_scale == "log"
    assert "Targets lie in [1, 403.429], on a log scale." in forest.model_card()
    assert " (log)" in forest.export_text(0)
    inner = vars(loaded).get("forest_", loaded)
    inner.target_bounds_ = -1.0, 5.0
    with pytest.raises(ValueError, match=r"target_scale_ of other bounds"):
        loaded.predict(X)
    inner.target_bounds_, inner.target_scale_ = (1.0, 5.0), "sqrt"
    with pytest.raises(ValueError, match=r"target_scale_ of other bounds"):
        loaded.predict(X)
    inner.target_scale_ = "linear"
    del inner.target_scale_  # as a file of an earlier version
    loaded.predict(X)
