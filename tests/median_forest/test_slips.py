"""The claims on the size of noise and on the index of the parts: what breaks them."""

import pytest

from dplit.court import claims
from dplit.court.claims.median_forest import slips
from dplit.mechanisms import Laplace

OURS = claims.of("median_forest")


def test_the_size_of_a_noise_is_its_scale():
    assert slips._size(Laplace(0.5, 3.0)) == pytest.approx(6.0)


@pytest.mark.parametrize(("id", "verdict"), [("noise-order", "fails"), ("signal-to-noise/corrected", "fails")])
def test_another_noise_is_noticed(id, verdict, monkeypatch):
    right = slips._size
    assert OURS[f"diprime-v2/{id}"].check().verdict != verdict
    monkeypatch.setattr(slips, "_size", lambda noise: 1.01 * right(noise))
    assert OURS[f"diprime-v2/{id}"].check().verdict == verdict


def test_a_noise_that_grows_with_the_records_is_noticed(monkeypatch):
    assert OURS["diprime-v2/signal-to-noise"].check().verdict == "assumes"
    monkeypatch.setattr(slips, "Laplace", lambda e, reach: Laplace(e, 4 / reach))
    assert OURS["diprime-v2/signal-to-noise"].check().verdict == "fails"


@pytest.mark.parametrize("paper", ["diprime-v1", "diprime-v2"])
def test_an_index_from_one_would_hold(paper, monkeypatch):
    right = slips._fitted
    monkeypatch.setattr(slips, "_fitted", lambda trees, first: right(trees, 1))
    assert OURS[f"{paper}/part-index"].check().verdict == "holds"
    monkeypatch.setattr(slips, "_fitted", lambda trees, first: right(trees, 0))
    assert OURS[f"{paper}/part-index"].check().verdict == "fails"


def test_a_choice_that_reads_more_of_a_small_node_is_noticed(monkeypatch):
    assert OURS["diprime-v2/low-counts"].check().verdict == "holds"
    right = slips.Exponential
    monkeypatch.setattr(slips, "Exponential", lambda e, reach: right(1.1 * e, reach))
    assert OURS["diprime-v2/low-counts"].check().verdict == "fails"


def test_another_count_of_the_settings_is_noticed(monkeypatch):
    assert OURS["diprime-v2/settings-budget"].check().verdict == "holds"
    right = slips.Spend
    monkeypatch.setattr(slips, "Spend", lambda name, e: right(name, e * (1.001 if name == "leaf" else 1)))
    assert OURS["diprime-v2/settings-budget"].check().verdict == "fails"
