"""The claims on a step of both papers' proofs, and on noisy counts: what breaks them."""

import pytest

from dplit import sensitivity
from dplit.court import claims
from dplit.mechanisms import Laplace

OURS = claims.of("sensitivity")
PAPERS = ("diprime-v1", "diprime-v2")


@pytest.mark.parametrize("paper", PAPERS)
def test_the_norms_add_up_to_more_on_a_whole_box(paper):
    """Of two equal records one goes: nothing changes, and the norms are 1/2, 1/2 and 1; so nearby."""
    found = OURS[f"{paper}/sensitivity-sse-proof"].check()
    assert found.verdict == "fails" and found.computed < found.published
    assert set(found.counterexample["refuted"]) == {"s", "d", "x", "y", "z"}


@pytest.mark.parametrize("paper", PAPERS)
def test_a_smaller_bound_is_noticed(paper, monkeypatch):
    found = OURS[f"{paper}/sensitivity-sse-proof/corrected"]
    assert found.check().verdict == "holds"
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
