"""What the chapter's claims find, and that they change their verdict where a formula is another one."""

import math
from itertools import product

import numpy as np
import pytest

from dplit import balance
from dplit.court import claims

OURS = claims.of("balance")
SAFE, TRAP = balance.two_levels_safe, balance.two_levels_trap


@pytest.mark.deep
@pytest.mark.parametrize("id", ["diprime-v2/theorem-3/corrected", "diprime-v2/corollary-3.1-levels"])
def test_the_laws_agree_with_fractions_on_wider_grids(id):
    """The bounds are the minimum over all data; two levels lie within their certain bounds."""
    assert OURS[id].check("reader").verdict == "holds"


def test_the_spread_counterexample_is_reproducible():
    """On all of the box that the certificate gives a wider spread gains less."""
    box = OURS["diprime-v2/spread"].check().to_dict()["counterexample"]["refuted"]
    for a, u, y in product(*([low + 1e-9, (low + high) / 2, high] for low, high in box.values())):
        gains = [float(balance.guaranteed_gain(d, 1, -math.log(a))) for d in (u, u + y * (1 - u))]
        assert gains[1] < gains[0]


def test_the_spread_improves_the_ratio_and_not_the_difference(monkeypatch):
    """At a ratio that grows with the spread neither reading of the sentence is left."""
    assert OURS["diprime-v2/spread"].check().verdict == "assumes"
    monkeypatch.setattr(balance, "failure_ratio", lambda d, width, epsilon: d / width)
    assert OURS["diprime-v2/spread"].check().verdict == "fails"


def _twice_the_budget(formula):
    return lambda *args: formula(*args[:-1], 2 * args[-1])


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("published_bound", "diprime-v2/theorem-3"),
        ("at_least_bound", "diprime-v2/theorem-3/corrected"),
        ("more_than_bound", "diprime-v2/theorem-3/corrected"),
        ("at_least", "diprime-v2/theorem-3/corrected"),
        ("more_than", "diprime-v2/theorem-3/corrected"),
        ("guaranteed_gain", "diprime-v2/spread/corrected"),
        ("failure_ratio", "diprime-v2/spread/corrected"),
        ("greatest_gain", "diprime-v2/spread/corrected"),
        ("best_spread", "diprime-v2/spread/corrected"),
        ("two_levels", "diprime-v2/corollary-3.1-levels"),
    ],
)
def test_a_formula_at_twice_the_budget_changes_the_verdict(monkeypatch, name, id):
    monkeypatch.setattr(balance, name, _twice_the_budget(getattr(balance, name)))
    assert OURS[id].check().verdict != OURS[id].verdict


def _even_if_small(n, t, epsilon=1.0):
    return (np.arange(n) + 0.5) / n if n < 100 else TRAP(n, t, epsilon)


@pytest.mark.parametrize(
    ("name", "wrong"), [("two_levels_safe", lambda n, t: 1.001 * SAFE(n, t)), ("two_levels_trap", _even_if_small)]
)
def test_budgets_beyond_the_safe_one_and_data_that_are_no_trap_are_noticed(monkeypatch, name, wrong):
    monkeypatch.setattr(balance, name, wrong)
    assert OURS["diprime-v2/corollary-3.1-levels"].check().verdict == "fails"
