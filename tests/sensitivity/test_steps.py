"""The claims on a step of both papers' proofs, and on noisy counts: what breaks them."""

from fractions import Fraction

import pytest

from dplit import sensitivity
from dplit.court import claims
from dplit.court.claims.sensitivity import steps
from dplit.mechanisms import Laplace

OURS = claims.of("sensitivity")
PAPERS = ("diprime-v1", "diprime-v2")


def test_two_equal_records_by_hand():
    """Nothing changes as one of two equal records leaves; the three norms are 1/2, 1/2 and 1."""
    one = (Fraction(-1),)
    assert steps._sse(one + one) - steps._sse(one) == 0
    assert steps._norms(one, one) == 2


@pytest.mark.parametrize("paper", PAPERS)
def test_norms_that_add_up_to_the_change_would_hold(paper, monkeypatch):
    found = OURS[f"{paper}/sensitivity-sse-proof"]
    assert found.check().verdict == "fails"
    exact = lambda out, stay: abs(steps._sse(out + stay) - steps._sse(stay))  # noqa: E731
    monkeypatch.setattr(steps, "_norms", exact)
    assert found.check().verdict == "holds"


@pytest.mark.parametrize("paper", PAPERS)
def test_a_smaller_sum_or_bound_is_noticed(paper, monkeypatch):
    found, right = OURS[f"{paper}/sensitivity-sse-proof/corrected"], steps._norms
    assert found.check().verdict == "holds"
    monkeypatch.setattr(steps, "_norms", lambda out, stay: right(out, stay) / 2)
    assert found.check().verdict == "fails"
    monkeypatch.undo()
    monkeypatch.setattr(sensitivity, "published_sse", lambda removed, *bounds: 2.5 * removed)
    assert found.check().verdict == "fails"


def test_the_assumption_of_the_noisy_counts_is_needed(monkeypatch):
    found = OURS["diprime-v2/leaf-counts"]
    assert found.check().verdict == "assumes"
    right = Laplace.scale.fget
    monkeypatch.setattr(Laplace, "scale", property(lambda self: 2 * right(self)))
    assert found.check().verdict == "holds"
    monkeypatch.setattr(Laplace, "scale", property(lambda self: right(self) / 2))
    assert found.check().verdict == "leaks"
