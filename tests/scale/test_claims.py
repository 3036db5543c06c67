"""Claims of the chapter on scale: a formula or a sum that is broken is found out."""

import numpy as np
import pytest

from dplit import scale
from dplit.court import claims
from dplit.court.claims.scale import blocks
from dplit.forests import blocks_boosted, boosted
from dplit.mechanisms import Geometric

OURS = claims.of("scale")
true = {name: getattr(scale, name) for name in scale.__all__}


def verdict(name):
    return OURS[f"ours/{name}"].check().verdict


def test_all_verdicts_are_those_declared():
    assert {c.id: c.check().verdict for c in OURS} == {c.id: c.verdict for c in OURS}
    assert len(OURS) == 5


@pytest.mark.parametrize(
    ("name", "wrong", "claim"),
    [
        ("share_error", lambda *a: 1.001 * true["share_error"](*a), "scale-noise"),
        ("enough_records", lambda *a: 1.0001 * true["enough_records"](*a), "scale-noise"),
        ("far_off", lambda *a: 0.5 * true["far_off"](*a), "scale-tail"),
        ("chebyshev", lambda *a: 0.1 * true["chebyshev"](*a), "scale-tail"),
        ("record_bytes", lambda *a: 1 + true["record_bytes"](*a), "scale-cost"),
        ("level_bytes", lambda *a: 8 + true["level_bytes"](*a), "scale-cost"),
        ("sent_bytes", lambda *a: 8 + true["sent_bytes"](*a), "scale-cost"),
        ("in_steps", lambda r: [65536 * x for x in r], "scale-order/corrected"),
    ],
)
def test_a_formula_that_is_wrong_fails(name, wrong, claim, monkeypatch):
    assert OURS[f"ours/{claim}"].verdict == "holds"
    monkeypatch.setattr(scale, name, wrong)
    assert verdict(claim) == "fails"


def test_doubles_that_are_added_exactly_choose_one_test(monkeypatch):
    monkeypatch.setattr(scale, "THREE", (0.25, 0.5, 0.125))
    assert verdict("scale-order") == "holds"


def test_sums_that_lose_something_in_each_block_are_found_out(monkeypatch):
    def coarse(part):
        return part.sums // 1000

    monkeypatch.setattr(boosted.blocks_boosted, "level_sums", coarse)
    assert verdict("scale-order/corrected") == "fails"


def test_a_block_that_is_left_out_is_found_out(monkeypatch):
    cut = true["random_blocks"]
    monkeypatch.setattr(scale, "random_blocks", lambda *a: cut(*a)[:-1])
    assert verdict("scale-order/corrected") == "fails"


def test_more_bytes_of_a_record_are_found_out(monkeypatch):
    opened = blocks_boosted.opened
    monkeypatch.setattr(
        blocks.blocks_boosted, "opened", lambda *a: (p := opened(*a))._replace(cells=p.cells.astype(np.uint16))
    )
    assert verdict("scale-cost") == "fails"


def test_a_sampler_of_another_rate_is_found_out(monkeypatch):
    drawn = Geometric.sample
    monkeypatch.setattr(Geometric, "sample", lambda self, *a, rng: drawn(Geometric(2 * self.epsilon), *a, rng=rng))
    assert verdict("scale-tail") == "fails"
