"""No false epsilon: what was read off the records, or is asked of persons with several, shows."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dplit import Categorical, Continuous, Domain, PrivacyLeakWarning, forests
from dplit.budget import Group
from tests.forests.kinds import PRIVATE, regresses, target
from tests.forests.kinds import each_private as each

CLASSIFIERS = [kind for kind in PRIVATE if not regresses(kind)]
DOMAIN = Domain({"u": Continuous(0, 1), "v": Categorical(["a", "b", "c"])})
rng = np.random.default_rng(3)
FRAME = pd.DataFrame({"u": rng.random(60), "v": rng.choice(["a", "b"], 60)})
Y = np.where(FRAME["u"] > 0.4, "yes", "no")
each_classifier = pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda kind: kind.__name__)


def made(kind, epsilon=1.0, **options):
    """An estimator of that kind, and targets for it."""
    schema = {"domain": DOMAIN, **target(kind, ("no", "yes"))}
    forest = kind(epsilon, **{**schema, "max_depth": 2, "random_state": 0, **options})
    return forest, FRAME["u"] if regresses(kind) else Y


@each
def test_categories_of_a_frame_are_read_off_the_records(kind):
    forest, y = made(kind, domain=None)
    coded = FRAME.astype({"v": "category"})
    with pytest.warns(PrivacyLeakWarning, match=r"the domain of .*'v'"):
        assert forest.fit(coded, y).budget_.epsilon == math.inf
    with pytest.warns(PrivacyLeakWarning):
        bounded = Domain.from_frame(coded, {"u": (0, 1)})
    assert forest.set_params(domain=bounded).fit(coded, y).budget_.epsilon == math.inf
    declared = Domain.from_frame(coded, {"u": (0, 1)}, public_categories=True)
    assert forest.set_params(domain=declared).fit(coded, y).budget_.epsilon == 1.0


@each_classifier
@pytest.mark.parametrize("schema", [pd.Categorical, pd.CategoricalIndex, pd.Series])
def test_categories_of_y_are_read_off_the_records(kind, schema):
    forest, y = made(kind, classes=None)
    with pytest.warns(PrivacyLeakWarning, match="classes was left out"):
        fitted = forest.fit(FRAME, schema(y, dtype="category"))
    assert fitted.budget_.epsilon == math.inf
    public = pd.CategoricalDtype(["yes", "no", "never"])
    fitted = forest.set_params(classes=public).fit(FRAME, schema(y, dtype=public))
    assert fitted.budget_.epsilon == 1.0 and fitted.classes_.tolist() == ["never", "no", "yes"]


@each
def test_booleans_are_public(kind):
    forest, y = made(kind, domain=None)
    frame = pd.DataFrame({"rich": FRAME["u"] > 0.3, "old": FRAME["v"] == "a"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert forest.fit(frame, y).budget_.epsilon == 1.0
    assert "the two values of each boolean column" in str(forest.budget_)


@each
def test_frames_of_another_library_in_another_order(kind):
    forest, y = made(kind)
    expected = forest.fit(FRAME, y).predict(FRAME)
    other = pl.DataFrame({"v": FRAME["v"].tolist(), "u": FRAME["u"].to_numpy()})
    again, _ = made(kind)
    np.testing.assert_array_equal(again.fit(other, y).predict(other), expected)
    np.testing.assert_array_equal(again.predict(FRAME), expected)  # the fit's order was another
    np.testing.assert_array_equal(forest.predict(other), expected)
    with pytest.raises(ValueError, match=r"names|columns"):
        forest.predict(FRAME.rename(columns={"u": "w"}))
    assert again.budget_.epsilon == 1.0


@each
@pytest.mark.parametrize("n", [1, 60])
def test_an_array_for_a_named_domain_warns_once_whatever_it_holds(kind, n):
    forest, y = made(kind)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        forest.fit(FRAME.to_numpy()[:n], y[:n])
    (warned,) = caught
    assert "its columns are taken in the order of domain: 'u', 'v'" in str(warned.message)


# One person, several records --------------------------------------------------------------------


@each
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_a_person_with_several_records_costs_what_epsilon_says(kind, neighbours):
    known = {"n_records": 60} if hasattr(kind, "n_records") else {}
    forest, y = made(kind, 3.0, records_per_person=3, neighbours=neighbours, **known)
    assert math.isclose(forest.fit(FRAME, y).budget_.epsilon, 3.0)
    assert forest.budget_.epsilon <= 3.0
    group = forest.budget_.root
    assert isinstance(group, Group) and group.distance == 3
    assert group.neighbours == neighbours and "up to 3 records" in str(forest.budget_)
    alone, _ = made(kind, group.part.epsilon, neighbours=neighbours, **known)
    alone.fit(FRAME, y)  # and the draws are those of a third of epsilon
    np.testing.assert_array_equal(forest.predict(FRAME), alone.predict(FRAME))
    if hasattr(forest, "trees_"):  # a histogram has none
        np.testing.assert_array_equal(forest.trees_.threshold, alone.trees_.threshold)


@each
def test_a_published_forest_says_what_a_person_costs(kind):
    forest, y = made(kind, accounting="published", records_per_person=3)
    group = forest.fit(FRAME, y).budget_.root
    assert isinstance(group, Group) and group.epsilon == 3 * group.part.epsilon


@pytest.mark.parametrize("several", [0, -1, 1.5, True, "2"])
def test_records_per_person_is_a_number_of_records(several):
    forest, y = made(forests.RandomDecisionForestClassifier, records_per_person=several)
    with pytest.raises(ValueError, match="records_per_person"):
        forest.fit(FRAME, y)


def test_a_meta_estimator_that_encodes_y_gets_a_hint():
    forest, _ = made(forests.RandomDecisionForestClassifier)
    with pytest.raises(ValueError, match=r"a meta-estimator that encodes y, pass classes=\[0, 1\]"):
        forest.fit(FRAME, (Y == "yes").astype(int))
