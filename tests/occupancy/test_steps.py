"""The claims on steps of theorem 2's proof and on empty leaves: what breaks them."""

import pytest

from dplit import occupancy
from dplit.court import claims
from dplit.court.claims.occupancy import steps

OURS = claims.of("occupancy")


@pytest.mark.parametrize("beta", [0.9, 0.8])
def test_another_beta_is_noticed(monkeypatch, beta):
    assert OURS["diprime-v1/moment-bound"].check().verdict == "holds"
    monkeypatch.setattr(occupancy, "BETA", beta)
    assert OURS["diprime-v1/moment-bound"].check().verdict == "fails"


def test_a_larger_bound_of_lamberts_function_fails(monkeypatch):
    right = steps.lambertw
    monkeypatch.setattr(steps, "lambertw", lambda x, k: right(x, k) - 0.01)
    assert OURS["diprime-v1/lambert-bound"].check().verdict == "fails"


def test_three_ranks_by_hand():
    """Of two records one goes left with odds e^(epsilon) against none."""
    import math

    odds = math.exp(0.7)
    assert steps._all_filled(2, 1, 0.7) == pytest.approx(odds / (2 + odds))
    assert steps._all_filled(3, 2, 0.7) == 0


def test_enough_records_would_hold_and_another_law_fails(monkeypatch):
    assert OURS["diprime-v1/no-empty-leaves"].check().verdict == "assumes"
    many = {name: (10**6, depth, e) for name, (_, depth, e) in steps.SETTINGS.items()}
    right, filled = occupancy.any_leaf_below, steps._all_filled
    monkeypatch.setattr(steps, "_all_filled", lambda n, d, e: 1 - right(n, d, e))  # too many to list
    monkeypatch.setattr(steps, "SETTINGS", many)
    assert OURS["diprime-v1/no-empty-leaves"].check().verdict == "holds"
    monkeypatch.undo()
    assert steps._all_filled is filled
    monkeypatch.setattr(occupancy, "any_leaf_below", lambda n, d, e: right(n, d, 2 * e))
    assert OURS["diprime-v1/no-empty-leaves"].check().verdict == "fails"


def test_a_bound_that_stays_apart_from_the_tail_is_noticed(monkeypatch):
    """And one whose ratio falls too needs no assumption."""
    found, right = OURS["diprime-v1/tighter-for-large-t"], occupancy.published_bound
    assert found.check().verdict == "assumes"
    monkeypatch.setattr(occupancy, "published_bound", lambda t, *rest: 0.5 + 0 * right(t, *rest))
    assert found.check().verdict == "fails"
    monkeypatch.setattr(
        occupancy, "published_bound", lambda t, d, e: occupancy.leaf_tail(t, 2**20, d, e) * (1 + 9 / t)
    )
    assert found.check().verdict == "holds"
