"""The predicates behind the sentences, on results whose answer is known."""

import pytest

from dplit.experiments import diprime_sentences, sentences, store

ID = "diprime-v2/figure-1"
DEPTHS = (2, 3, 4, 5, 6, 8, 10)


def result(curves):
    """A result of the figure with the given means along the depth, and a little noise."""
    found = store.Result(ID)
    for method, means in curves.items():
        for depth, mean in zip(DEPTHS, means):
            for r, noise in enumerate((-1e-4, 0.0, 1e-4)):
                key = f"appliances-energy/{method}/published/max_depth={depth}"
                outcome = {"score": mean + noise, "epsilon": None, "seconds": 0.1}
                found.add(key, {}, r, outcome)
    return found


VALLEY = (0.09, 0.08, 0.07, 0.06, 0.07, 0.08, 0.09)
FALLING = (0.09, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03)


def test_a_curve_that_turns():
    r = result({"DiPriMe": VALLEY, "DP-ERT": FALLING})
    valley = sentences.curve(r, "DiPriMe", "published", "max_depth")
    falling = sentences.curve(r, "DP-ERT", "published", "max_depth")
    assert [*valley] == [*DEPTHS]
    assert sentences.turns(r, valley) and not sentences.turns(r, falling)
    assert sentences.best(r, valley) == 5 and sentences.best(r, falling) == 10
    assert sentences.improves(r, falling) and not sentences.improves(r, valley)


def test_wins_counts_the_settings_with_the_lower_error():
    r = result({"DiPriMe": VALLEY, "DP-ERT": [0.075] * 7})
    ours, theirs = (sentences.curve(r, m, "published", "max_depth") for m in ("DiPriMe", "DP-ERT"))
    assert sentences.wins(r, ours, theirs) == (3, 7)
    assert sentences.gain(r, ours[5], theirs[5])[0] == pytest.approx(0.015)


def test_most_settings_counts_those_where_all_methods_are_ahead():
    """Each alone is ahead at four of seven depths, both together at one only."""
    r = result({"DiPriMe": [0.05] * 4 + [0.09] * 3, "DiPriMeExp": [0.09] * 3 + [0.05] * 4,
                "DP-ERT": [0.07] * 7})  # fmt: skip
    alone, _ = diprime_sentences.most(r, ("DiPriMe",), ("max_depth",))
    both, words = diprime_sentences.most(r, ("DiPriMe", "DiPriMeExp"), ("max_depth",))
    assert alone and not both
    assert "all at 1 of 7 settings (DiPriMe at 4, DiPriMeExp at 4)" in words


def test_the_same_best_depth_decides_nothing():
    one, two = result({"DiPriMe": VALLEY}), result({"DiPriMe": FALLING})
    assert diprime_sentences.deeper(two, one, ("DiPriMe",))[0]
    assert not diprime_sentences.deeper(one, two, ("DiPriMe",))[0]
    with pytest.raises(sentences.NotRun, match="too coarse: the best is DiPriMe 5 against 5"):
        diprime_sentences.deeper(one, one, ("DiPriMe",))


def test_a_difference_within_chance_is_none():
    r = result({"DiPriMe": [0.05] * 7, "DP-ERT": [0.05 + 1e-9] * 7})
    r.cells["appliances-energy/DP-ERT/published/max_depth=2"]["scores"] = [0.04, 0.05, 0.07]
    a, b = (f"appliances-energy/{m}/published/max_depth=2" for m in ("DiPriMe", "DP-ERT"))
    assert not sentences.better(r, a, b) and not sentences.better(r, b, a)


def test_missing_cells_leave_a_sentence_undecided():
    r = result({"DiPriMe": VALLEY})
    undecided = [sentences.decide(s, r)[0] for s in sentences.of(ID)]
    assert undecided == [None] * len(undecided) and undecided
