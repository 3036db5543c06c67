"""The claim on the scores of successive intervals: what breaks it."""

from dplit import balance, claims

STEPS = claims.of("balance")["diprime-v2/score-steps"]


def test_the_middle_of_three_points_by_hand():
    found = STEPS.check()
    assert (2 * balance.smaller_blocks(3) - 3).tolist() == found.counterexample["scores"]
    assert (found.verdict, found.computed) == ("assumes", 0)


def test_another_law_of_the_smaller_block_is_noticed(monkeypatch):
    right = balance.smaller_blocks
    monkeypatch.setattr(balance, "smaller_blocks", lambda n: right(n) + (n == 5))
    assert STEPS.check().verdict == "fails"
