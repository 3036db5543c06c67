"""The claim on the scores of successive intervals: what breaks it."""

from dplit import balance
from dplit.court import claims
from dplit.court.claims.balance import steps

STEPS = claims.of("balance")["diprime-v2/score-steps"]


def test_the_middle_of_three_points_by_hand():
    found = STEPS.check()
    assert (2 * balance.smaller_blocks(3) - 3).tolist() == found.counterexample["scores"]
    assert (found.verdict, found.computed) == ("assumes", 0)


def test_another_law_of_the_smaller_block_is_noticed(monkeypatch):
    right = balance.smaller_blocks
    monkeypatch.setattr(balance, "smaller_blocks", lambda n: right(n) + (n == 5))
    assert STEPS.check().verdict == "fails"


def test_equal_values_are_what_the_median_assumes_away(monkeypatch):
    found = claims.of("balance")["diprime-v2/median-balance"]
    assert found.check().verdict == "assumes"
    assert [steps._smaller((0, 0, 1, 1, 1), cut) for cut in (0, 1)] == [2, 0]
    monkeypatch.setattr(steps, "_smaller", lambda values, cut: len(values) // 2)
    assert found.check().verdict == "holds"
    monkeypatch.setattr(steps, "_smaller", lambda values, cut: len(set(values)) // 3)
    assert found.check().verdict == "fails"
