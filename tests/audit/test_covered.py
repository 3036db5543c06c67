"""The covering array of the fits in lockstep: every parameter of every estimator takes each of its values."""

import re
from inspect import signature
from itertools import combinations

import numpy as np
import pytest

from dplit.court.audit.subject import estimator, public
from dplit.court.audit.subjects import moved
from dplit.court.audit.subjects.moved import DOMAIN, ESTIMATORS, KINDS, VALUES, X, choices, labels_of, rows
from tests.audit.rows import found

APART = {  # whose subjects are others: of published forests, of queries and of seeds
    "accounting", "random_state", "feature_budget", "value_budget", "label_budget", "stopping", "draw_label",
    "median", "label", "queries",
}  # fmt: skip
PUBLISHED = {"entropy", "auto", "tree-norm"}  # or of noise that has laws of its own


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_each_value_of_each_parameter_is_in_a_fit(kind):
    """A parameter that is added without values fails, and so does a value that every fit refuses."""
    assert set(signature(estimator(kind)).parameters) <= {*VALUES} | APART
    taken = {(name, repr(value)) for row in rows(kind) for name, value in row.items()}
    assert {(name, repr(v)) for name, values in choices(kind).items() for v in values} == taken


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_each_choice_by_name_is_among_the_values(kind):
    """The names are those of the error that a wrong one gets."""
    for name, values in choices(kind).items():
        if name in ("form", "classes") or not any(isinstance(v, str) for v in values):
            continue
        given = {"domain": DOMAIN, name: "?", "random_state": 0} | public(kind, 2)
        with pytest.raises(ValueError, match="must be") as error:
            estimator(kind)(**given).fit(X, labels_of({"classes": [0, 1, 2]})[0])
        named = set(re.findall(r"'([\w-]+)'", str(error.value).partition("got")[0]))
        assert named - PUBLISHED <= {v for v in values if isinstance(v, str)}, (name, named)


def test_most_pairs_of_values_are_together():
    """Of a forest that takes nearly any."""
    values = choices("BoostedForestRegressor")
    pairs = {
        frozenset(p) for row in rows("BoostedForestRegressor") for p in combinations(map(str, row.items()), 2)
    }
    sizes = np.array([len(v) for v in values.values()])
    assert len(pairs) > 0.9 * (sizes.sum() ** 2 - (sizes**2).sum()) / 2


CHEAP = "PrivateForestRegressor", "RGVClassifier", "DPExtraTreesRegressor"  # to find anew


@pytest.mark.parametrize("words", [pytest.param(w, marks=() if w in CHEAP else pytest.mark.deep) for w in KINDS])
def test_the_stored_rows_are_those_that_a_search_finds(words):
    assert found(words) == moved.stored_rows()[words]


@pytest.mark.parametrize("words", KINDS)
def test_stored_rows_are_of_these_values_and_can_be_fitted(words):
    """`rows` reads them: where the checksum is another one it searches. Four of them stand for all."""
    assert moved.stored_rows()[words]["of"] == moved.checksum(moved.values_of(words))
    kind, some = words.partition(",")[0], np.random.default_rng(7).permutation(rows(words))[:4]
    assert all(moved.accepted(moved.Given(kind, row), X, labels_of(row)[0]) for row in some)
