"""What the chapter's claims find: the published proof, number by number, and formulas that are wrong."""

import pytest

from dplit import sensitivity
from dplit.court import claims

OURS = claims.of("sensitivity")


def test_first_norm_of_the_published_proof():
    """The records -B and B stay: the norm is B^2/N, the proof's bound (N-1)B^2/N^2; so on all of a box."""
    found = OURS["diprime-v1/sensitivity-mse-proof"].check()
    assert found.computed > found.published and found.counterexample["refuted"]["N"][0] >= 2


def test_smallest_excess_of_the_unweighted_reading():
    """R^2/8 = 1/2 on [-1, 1] exceeds 4/N first at N = 9; 1/8 on [0, 1] first at N = 33."""
    assert OURS["diprime-v1/sensitivity-unweighted"].check().counterexample["n"] == 9
    excess = [n for n in range(2, 40) if sensitivity.children_mse(n, 0, 1) > sensitivity.published_mse(n, 0, 1)]
    assert excess[0] == 33


@pytest.mark.parametrize(
    ("name", "wrong", "statement"),
    [
        ("published_mean", lambda n, low, high: (high - low) / (n + 1), "mean"),
        ("published_mse", lambda n, low, high: (high - low) ** 2 / (2 * n), "mse"),
        ("published_sse", lambda removed, low, high: (high - low) ** 2 * removed / 4, "sse"),
        ("mse", lambda n, low, high, neighbours="": 4 * (high - low) ** 2 / n, "mse/corrected"),
        ("children_mse", lambda n, low, high, neighbours: 1 / 8, "unweighted/corrected"),
        ("sse_removed", lambda n, d, low, high: d * (high - low) ** 2, "sse/corrected"),
    ],
)
def test_a_wrong_formula_changes_the_verdict(monkeypatch, name, wrong, statement):
    monkeypatch.setattr(sensitivity, name, wrong)
    found = OURS[f"diprime-v1/sensitivity-{statement}"].check()
    assert found.verdict == "fails" and found.counterexample
