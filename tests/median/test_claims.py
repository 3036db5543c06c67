"""The chapter's claims change their verdict where a law is another one."""

import pytest

from dplit import median
from dplit.court import claims
from dplit.mechanisms import Exponential, PermuteAndFlip

OURS = claims.of("median")


def test_the_checks_notice_a_broken_law(monkeypatch):
    """With v1's law in place of v2's, and with the value law in place of v1's, the verdicts change."""
    by_rank, by_value = median.rank_interval_law, median.interval_law
    monkeypatch.setattr(median, "interval_law", by_rank)
    assert OURS["diprime-v2/median-by-value"].check().verdict == "fails"
    assert OURS["diprime-v1/median-by-rank/corrected"].check().verdict == "fails"
    monkeypatch.setattr(median, "interval_law", by_value)
    monkeypatch.setattr(median, "rank_interval_law", by_value)
    assert OURS["diprime-v1/median-by-rank"].check().verdict == "fails"


def test_the_checks_notice_a_wrong_count_of_subsets(monkeypatch):
    sizes = median.subset_sizes
    monkeypatch.setattr(median, "subset_sizes", lambda counts: [1, *sizes(counts)[1:]])
    assert OURS["diprime-v1/categorical-law"].check().verdict == "fails"


def test_the_checks_notice_a_wrong_flip(monkeypatch):
    monkeypatch.setattr(median, "flip_rate", lambda *a: 1.0)
    assert OURS["diprime-v2/flip-continuous/corrected"].check().verdict == "fails"


def _half_the_rate(epsilon, neighbours):
    return epsilon / 4


def _twice_the_rate(epsilon, neighbours):
    return epsilon


def _one_rate_for_both(epsilon, neighbours):
    return epsilon / 2


@pytest.mark.parametrize(
    ("rate", "id"),
    [
        (_half_the_rate, "diprime-v2/median-by-value"),
        (_twice_the_rate, "diprime-v1/median-by-rank/corrected"),
        (_one_rate_for_both, "diprime-v2/median-by-value-replace-one"),
        (_half_the_rate, "diprime-v1/categorical-law"),
        (_twice_the_rate, "diprime-v2/flip-continuous"),
    ],
)
def test_the_checks_notice_another_rate(monkeypatch, rate, id):
    monkeypatch.setattr(median, "_rate", rate)
    assert OURS[id].check().verdict in ("fails", "leaks")


@pytest.mark.parametrize("kind", [PermuteAndFlip, Exponential])
def test_the_checks_notice_another_mechanism(monkeypatch, kind):
    other = {PermuteAndFlip: Exponential, Exponential: PermuteAndFlip}[kind]
    monkeypatch.setattr(kind, "pmf", other.pmf)
    assert OURS["diprime-v2/pfm-0.86/corrected"].check().verdict == "fails"
