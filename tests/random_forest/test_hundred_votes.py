"""The claims on a hundred votes: what they assume, and a wrong function is found out."""

import numpy as np
import pytest
from scipy.stats import binom

from dplit import depth, majority
from dplit.court import claims
from dplit.court.claims.random_forest import hundred_votes
from dplit.mechanisms import PermuteAndFlip

OURS = claims.of("random_forest")


def test_kept_labels_of_drawn_leaves():
    """Poisson leaves of two classes, drawn and labelled with the package's own sampler."""
    rng, draws, mean = np.random.default_rng(11), 200_000, 1.5
    sizes = rng.poisson(mean, draws)
    for share, place in ((1.0, 0), (0.5, 1)):
        first = rng.binomial(sizes, share)
        counts = np.column_stack([first, sizes - first])
        label = PermuteAndFlip(1.0, monotonic=True).sample(counts, rng=rng)
        kept = (counts[np.arange(draws), label] == counts.max(axis=1)) & (sizes > 0)
        low, high = claims.interval(int(kept.sum()), draws)
        assert low <= hundred_votes._kept(mean)[place] <= high


def test_a_right_vote_by_hand(monkeypatch):
    """Three trees, of which none is empty: two or three of the votes are right."""
    monkeypatch.setattr(hundred_votes, "TREES", 3)
    assert hundred_votes._vote(0.0) == pytest.approx(3 * 0.8**2 * 0.2 + 0.8**3)
    monkeypatch.setattr(hundred_votes, "TREES", 2)
    assert hundred_votes._vote(1.0) == pytest.approx(0.5)


def test_the_assumption_is_needed(monkeypatch):
    assert OURS["rdf/eighty-percent"].check().verdict == "assumes"
    monkeypatch.setattr(depth, "parity_accuracy", lambda *args: 0.9)
    assert OURS["rdf/eighty-percent"].check().verdict == "fails"


def test_labels_that_flip_more_often_are_noticed(monkeypatch):
    right = majority.gap_error
    monkeypatch.setattr(majority, "gap_error", lambda j, e: 1.2 * right(j, e))
    assert OURS["rdf/eighty-percent"].check().verdict == "fails"


def test_more_empty_leaves_are_too_many(monkeypatch):
    right = depth.empty_leaf_visited
    assert OURS["rdf/empty-votes-cancel"].check().verdict == "holds"
    monkeypatch.setattr(depth, "empty_leaf_visited", lambda n, d: 1.1 * right(n, d))
    assert OURS["rdf/empty-votes-cancel"].check().verdict == "fails"
    assert binom.sf(50, 100, 0.55) < 0.9
