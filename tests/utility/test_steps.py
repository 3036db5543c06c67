"""The claim that a flip is rarer in larger and purer leaves: what breaks it."""

import pytest

from dplit import utility
from dplit.court import claims
from dplit.court.claims.utility import steps

FLIPS = claims.of("utility")["diprime-v2/flip-monotone"]


def test_a_flip_without_a_gap_is_a_toss():
    assert steps._flips(0.0, 0.7) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("where", "name", "change"),
    [(utility, "published_flip", lambda p: 1.001 * p), (steps, "_flips", lambda p: min(p, 0.3))],
)
def test_another_probability_is_noticed(where, name, change, monkeypatch):
    right = getattr(where, name)
    assert FLIPS.check().verdict == "holds"
    monkeypatch.setattr(where, name, lambda gap, e: change(right(gap, e)))
    assert FLIPS.check().verdict == "fails"


def test_the_multiple_of_the_leaves_is_what_is_assumed(monkeypatch):
    found = claims.of("utility")["diprime-v1/divisible"]
    assert found.check().verdict == "assumes"
    assert steps._halved(6, 2) == [1, 2, 1, 2] and steps._halved(8, 2) == [2, 2, 2, 2]
    right = utility.published_loss
    monkeypatch.setattr(utility, "published_loss", lambda n, d, *rest: right(n * 2, d, *rest))
    assert found.check().verdict == "fails"


@pytest.mark.parametrize("paper", ["diprime-v1", "diprime-v2"])
@pytest.mark.parametrize("name", ["leaf_noise", "expected_sse"])
def test_another_noise_of_the_mean_is_noticed(paper, name, monkeypatch):
    found, right = claims.of("utility")[f"{paper}/noise-in-error"], getattr(utility, name)
    assert found.check().verdict == "holds"
    monkeypatch.setattr(utility, name, lambda *args: 1.01 * right(*args))
    assert found.check().verdict == "fails"
