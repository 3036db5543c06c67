"""What the chapter's claims find, and that they change their verdict where a formula is another one."""

import numpy as np
import pytest

from dplit import balance
from dplit.court import claims
from dplit.court.claims.balance import one_cut

OURS = claims.of("balance")
SAFE, TRAP = balance.two_levels_safe, balance.two_levels_trap


@pytest.mark.deep
@pytest.mark.parametrize("id", ["diprime-v2/theorem-3/corrected", "diprime-v2/corollary-3.1-levels"])
def test_the_laws_agree_with_fractions_on_wider_grids(id):
    """The bounds are the minimum over all data; two levels lie within their certain bounds."""
    assert OURS[id].check("reader").verdict == "holds"


def test_the_spread_counterexample_is_reproducible():
    case = OURS["diprime-v2/spread"].check().to_dict()["counterexample"]
    gains = [
        balance.at_least(2, case[name], 0, case["width"], case["epsilon"])
        - balance.at_least(2, case[name], 0, case["width"], 0)
        for name in ("narrow", "wide")
    ]
    assert gains[1] < gains[0] - 1e-3
    assert case["width"] == 3


def test_the_spread_improves_the_ratio_and_not_the_difference(monkeypatch):
    """At twice the chance to fail on wide data neither reading of the sentence is left."""
    assert OURS["diprime-v2/spread"].check().verdict == "assumes"
    worst = one_cut._worst

    def worse_if_wide(n, width, root):
        found = worst(n, width, root)
        return {k: (a, 1 - 2 * (1 - p) if k[1] == width - 1 else p) for k, (a, p) in found.items()}

    monkeypatch.setattr(one_cut, "_worst", worse_if_wide)
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
