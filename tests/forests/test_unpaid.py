"""What no fit tells unpaid: how many records there are, by a warning or by what an account was charged."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest

from dplit import Accountant, Categorical, Continuous, Domain
from dplit.forests.boosted_releases import AGAIN, SIZE_SHARE
from tests.forests.kinds import PRIVATE, regresses, target
from tests.forests.kinds import each_private as each

BUYING = [kind for kind in PRIVATE if hasattr(kind, "delta")]  # a number of records
SEVERAL = {"neighbours": "replace-one", "records_per_person": 2}
DOMAIN = Domain({"u": Continuous(0, 1), "v": Categorical(["a", "b"])})
FRAME = pd.DataFrame({"u": np.linspace(0, 1, 6), "v": ["a", "b"] * 3})
Y = [0, 1] * 3


def made(kind, domain=DOMAIN, **options):
    return kind(1.0, domain=domain, **target(kind), **options)


# How many records ---------------------------------------------------------------------------------


def told(kind, n):
    """What fits of `n` records tell that is no drawn array, each as text; eight fits.

    What a fit lacks, as the plan of a preset that took another forest, is told by that.
    """
    domain = Domain([Categorical(["a"])])
    fits = [made(kind, domain, **SEVERAL).fit([["a"]] * n, [0] * n) for _ in range(8)]
    names = ("advice_", "plan_", "max_depth_", "budget_")
    return [{name: str(getattr(f, name, None)) for name in names} for f in fits]


@each
def test_one_record_more_changes_nothing_for_certain(kind):
    """Neighbours if a person with one record is replaced by one with two."""
    here, there = told(kind, 200), told(kind, 201)
    for name in here[0]:
        sides = [{fit[name] for fit in side} for side in (here, there)]
        assert sides[0] == sides[1] or max(map(len, sides)) > 1, name


@pytest.mark.parametrize("kind", BUYING, ids=lambda kind: kind.__name__)
def test_the_number_of_records_costs_what_its_noise_costs(kind):
    """At a share of half a record's epsilon, twice: a replacement, or a record more, is two steps at most."""
    forest = made(kind, **SEVERAL).fit(FRAME, Y)
    text = str(forest.budget_)
    assert "the same for all neighbours" not in text and "number of records" in text
    assert forest.budget_.epsilon <= 1.0
    assert math.isclose(cost_of(forest.budget_.root), (SIZE_SHARE + AGAIN) / 4)  # six records are few
    alone = made(kind, neighbours="replace-one").fit(FRAME, Y)
    assert "the same for all neighbours" in str(alone.budget_)
    assert cost_of(alone.budget_.root) == 0


def cost_of(node):
    """Of the node that buys the number, by itself: of few records, twice."""
    if node.name == "numbers of records":
        return node.epsilon
    return max([cost_of(part) for part in node.parts], default=0.0)


@each
def test_published_forests_cost_a_record_more_what_it_costs_under_add_remove(kind):
    for options in ({}, {"max_depth": None}, {"partitioned": True}):
        if not all(hasattr(kind, name) for name in options):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            several = made(kind, accounting="published", **SEVERAL, **options).fit(FRAME, Y)
            one = made(kind, accounting="published", **options).set_params(epsilon=0.5)
            one.fit(FRAME, Y)  # at what a record has, of two
        assert several.budget_.root.part.epsilon >= one.budget_.epsilon * (1 - 1e-9)


# Warnings -----------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_no_fit_of_a_wide_domain_warns_by_its_records(kind, accounting):
    for lower, upper in ((0.0, 1e19), (-1e19, 0.0), (-1e300, -1e299), (-1e300, 1e300)):
        domain = Domain([Continuous(lower, upper), Categorical([0, 1])])
        forest = made(kind, domain, n_estimators=2, max_depth=2, accounting=accounting)
        said = set()
        for value in (lower, lower / 2 + upper / 2, upper, 1.7e308, -1.7e308):
            X = np.column_stack([np.full(6, lower), Y])
            X[0, 0] = value
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                forest.fit(X, Y)
            said.add(tuple(str(warning.message) for warning in caught))
        assert len(said) == 1 and "cast" not in str(said)


# Accounts -----------------------------------------------------------------------------------------


def with_cell(column, value):
    frame = FRAME.astype(object)
    frame.loc[3, column] = value
    return frame


TABLES = {
    "level": with_cell("v", "c"), "no level": with_cell("v", None), "list": with_cell("v", [1]),
    "NaN": with_cell("u", np.nan), "inf": with_cell("u", np.inf), "text": with_cell("u", "x"),
    "complex": with_cell("u", 1j), "narrow": FRAME[["u"]], "no record": FRAME[:0],
    "date": FRAME.assign(u=pd.Timestamp("2020-01-01")), "flat": [1, 2, 3],
}  # fmt: skip
TARGETS = {
    "NaN": [*Y[:5], np.nan], "text": [*Y[:5], "x"], "list": [*Y[:5], [1]], "inf": [*Y[:5], np.inf],
    "short": [0, 1], "none": None, "wide": np.zeros((6, 2)),
}  # fmt: skip
REFUSED = [(X, Y[: len(X)]) for X in TABLES.values()] + [(FRAME, y) for y in TARGETS.values()]


@each
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_what_is_refused_costs_nothing(kind, neighbours):
    forest = made(kind, neighbours=neighbours)
    classes = [] if regresses(kind) else [(FRAME, [*Y[:5], 7])]
    with Accountant(10, neighbours=neighbours) as account:
        for X, y in REFUSED + classes:
            with pytest.raises((ValueError, TypeError)):
                forest.fit(X, y)
            assert account.spent == 0
