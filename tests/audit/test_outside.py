"""Stored draws of another library's forest: their counts, and the bounds computed from them."""

import json
import math
from runpy import run_path
from types import SimpleNamespace

import pytest
from scipy.stats import beta

from dplit.court.audit import outside
from dplit.ground.printed import data_file

STORED = json.loads(data_file("results/audit/diffprivlib.json").read_text(encoding="utf-8"))
SCRIPT = SimpleNamespace(**run_path(str(data_file("peers/forest.py"))))  # what made them
BOUNDS = {case["case"]: case for case in outside.bounds()}


def test_the_stored_draws_are_those_of_the_script():
    assert [c["case"] for c in STORED["cases"]] == list(SCRIPT.CASES)
    for case in STORED["cases"]:
        trees, *sides = SCRIPT.CASES[case["case"]]
        assert [case["data"], case["neighbour"]] == sides
        halves = [half for side in case["drawn"] for half in side]
        assert {sum(half.values()) for half in halves} == {SCRIPT.DRAWS // 2}
        assert {len(outcome) for half in halves for outcome in half} == {trees}


@pytest.mark.parametrize("case", STORED["cases"], ids=lambda case: case["case"])
def test_a_bound_is_that_of_the_second_half(case):
    """The limits of Clopper and Pearson once more, as quantiles of beta laws."""
    bound, m = BOUNDS[case["case"]]["bound"], SCRIPT.DRAWS // 2
    hits = [sum(n for o, n in side[1].items() if o in bound.event) for side in case["drawn"]]
    assert bound.counts == tuple(hits)
    more, fewer = sorted(hits, reverse=True)
    low = beta.ppf(0.5e-6, more, m - more + 1)
    high = beta.isf(0.5e-6, fewer + 1, m - fewer)
    assert math.exp(bound.epsilon) == pytest.approx(low / high, rel=1e-6)


def test_one_tree_is_within_and_the_others_are_not():
    caught = {name for name, case in BOUNDS.items() if case["bound"].epsilon > SCRIPT.EPSILON}
    assert caught == {"one tree, replace-one", "two trees, add-remove"}


def test_draws_in_halves():
    assert SCRIPT.halves(["a", "b", "a", "a"]) == [{"a": 1, "b": 1}, {"a": 2}]
