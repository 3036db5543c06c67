"""The claims on the paper's sentences about counts, local sensitivity and empty leaves, and what breaks them."""

import math

import numpy as np
import pytest

from dplit import majority
from dplit.court import claims
from dplit.court.claims.majority import remarks, sentences, smooth
from dplit.mechanisms import Laplace

OURS = claims.of("majority")


@pytest.mark.parametrize("counts", [(2, 0), (3, 1, 1), (0, 0, 0, 0)])
def test_noisy_counts_are_wrong_as_often_as_draws_are(counts):
    noisy = Laplace(0.7).sample(np.tile(counts, (200_000, 1)), rng=np.random.default_rng(3))
    drawn = np.count_nonzero(noisy.argmax(axis=1))
    low, high = claims.interval(drawn, len(noisy))
    assert low <= sentences.counts_error(counts, 0.7) <= high


def test_the_published_label_is_wrong_more_often_than_noisy_counts():
    found = OURS["rdf/less-noise-than-counts"].check().counterexample
    (j, _), e = found["counts"], found["epsilon"]
    published = 1 / (1 + math.exp(e / 2 * math.exp(j * e)))
    assert float(found["exact"]) == pytest.approx(published)
    assert published > (0.5 + e * j / 4) * math.exp(-e * j)


def test_at_three_quarters_the_published_label_is_better_at_every_gap():
    """With epsilon j fixed its error falls as epsilon grows, so that 3/4 decides for all that is larger."""
    gap = np.linspace(sentences.ENOUGH, 7, 20_001)  # epsilon j; beyond 7 it is below e^-400
    published = 1 / (1 + np.exp(sentences.ENOUGH / 2 * np.exp(gap)))
    assert (published < (0.5 + gap / 4) * np.exp(-gap)).all()
    assert OURS["rdf/less-noise-than-counts"].check().verdict == "assumes"


def test_a_label_that_is_worse_at_one_fails(monkeypatch):
    right = majority.smooth_exponential_law
    worse = lambda counts, e: right(counts, e) if e < 1 else np.array([0.5, 0.5])  # noqa: E731
    monkeypatch.setattr(majority, "smooth_exponential_law", worse)
    assert OURS["rdf/less-noise-than-counts"].check().verdict == "fails"


def test_the_assumptions_are_needed(monkeypatch):
    """Both would hold, or fail, if smooth sensitivity were another number."""
    right = majority.published_smooth_sensitivity
    monkeypatch.setattr(majority, "searched_smooth_sensitivity", right)
    assert OURS["rdf/table-2-tenfold"].check().verdict == "holds"
    assert OURS["rdf/orders-of-magnitude"].check().verdict == "fails"
    monkeypatch.setattr(sentences, "smooth_sensitivities", lambda: _off(sentences_cells))
    assert OURS["rdf/table-2-tenfold"].check().verdict == "fails"


sentences_cells = sentences.smooth_sensitivities()


def _off(cells):
    """The printed cells, but for the first column."""
    from dataclasses import replace

    return [(j, e, replace(c, value=c.value / 2) if e == 0.01 else c) for j, e, c in cells]


def test_global_sensitivity_would_be_private(monkeypatch):
    monkeypatch.setattr(sentences, "local_sensitivity", lambda counts: 1.0)
    assert OURS["rdf/local-sensitivity"].check().verdict == "fails"


def test_an_empty_leaf_whose_labels_score_nothing_would_hold(monkeypatch):
    right = sentences.score
    monkeypatch.setattr(sentences, "score", lambda x: tuple(s * bool(sum(x)) for s in right(x)))
    assert OURS["rdf/empty-leaf-scores"].check().verdict == "holds"


def test_the_share_of_an_empty_leaf_is_that_of_the_papers_noise(monkeypatch):
    assert OURS["rdf/false-confidence"].check().verdict == "holds"
    right = sentences._below
    monkeypatch.setattr(sentences, "_below", lambda x, e: right(x - 0.1, e))
    assert OURS["rdf/false-confidence"].check().verdict == "fails"


@pytest.mark.parametrize("claim", ["most-prominent", "almost-random"])
def test_another_published_label_is_noticed(claim, monkeypatch):
    right, claim = majority.smooth_exponential_law, OURS[f"rdf/{claim}"]
    assert claim.check().verdict == "holds"
    monkeypatch.setattr(majority, "smooth_exponential_law", lambda x, e: 0.99 * right(x, e))
    assert claim.check().verdict == "fails"


def test_an_effect_that_lasts_is_noticed(monkeypatch):
    monkeypatch.setattr(smooth, "_gain", lambda gap, epsilon, trees: gap)
    assert OURS["rdf/most-prominent"].check().verdict == "fails"


def test_a_label_with_more_noise_than_the_global_one_is_noticed(monkeypatch):
    right = majority.smooth_exponential_law
    assert OURS["rdf/never-more-noise"].check().verdict == "holds"
    monkeypatch.setattr(majority, "smooth_exponential_law", lambda x, e: right(x, 0.9 * e))
    assert OURS["rdf/never-more-noise"].check().verdict == "fails"


@pytest.mark.parametrize(("kept", "verdict"), [(5, "holds"), (-1, "fails")])
def test_the_rows_of_table_6_decide(kept, verdict, monkeypatch):
    """All rows but the last rise; without it the sentence holds, and by the last alone it fails."""
    right = remarks.label_probabilities
    some = slice(kept) if kept > 0 else slice(kept, None)
    assert OURS["rdf/improves"].check().verdict == "assumes"
    monkeypatch.setattr(remarks, "label_probabilities", lambda column: right(column)[some])
    assert OURS["rdf/improves"].check().verdict == verdict
