"""Our sentences about the bench: other scores, and a verdict changes."""

import numpy as np
import pytest

from dplit.court import claims, experiments
from dplit.court.claims.runs import bench as docket
from dplit.court.claims.runs import reproduced
from dplit.court.experiments import rule
from dplit.ground import printed

HERE = claims.of("bench")
CLASSES, TARGETS = "bench/classification", "bench/regression"
LEVEL = 1e-4


def result(id, mean_of, n=10):
    """A result of the bench whose cells have the mean ``mean_of(cell)`` and little noise."""
    found, rng = experiments.Result(id), np.random.default_rng(1)
    for cell in experiments.get(id).cells:
        for r, step in enumerate(rng.normal(0, 1e-4, n)):
            outcome = {"score": mean_of(cell) + step, "epsilon": None, "seconds": 0.1}
            found.add(cell.key, cell.params, r, outcome)
    return found


def means(cell, ours=0.8, others=0.7, constant=0.6, **given):
    """The mean of a cell: of a method by `given`, or by what kind it is."""
    kind = {"Boosted": ours, "Constant": constant, "Gradient boosting": 0.9}
    return given.get(cell.method, kind.get(cell.method, others))


def verdict(test, *results):
    return test(*results)[0].verdict(LEVEL)


def test_no_sentence_is_missing():
    """That the stored runs decide as declared says the test of the ledger."""
    assert len(HERE) == 12 + 11 + 2 + 4 + 2 + 2 + 2 + 1


def test_all_sentences_share_one_level():
    ids = {f"ours/bench-{c.id.removeprefix('ours/bench-')}" for c in HERE}
    assert ids <= set(reproduced.SENTENCES) and ids <= set(reproduced.levels())


def test_half():
    assert verdict(docket.half, result(CLASSES, means)) == "agrees"
    behind = result(CLASSES, lambda c: means(c, JPW=0.9))
    assert verdict(docket.half, behind) == "differs"
    few = set(docket.FOR_CHOOSING.sets()[:5])
    some = result(CLASSES, lambda c: means(c, JPW=0.9 if c.data in few else 0.7))
    assert verdict(docket.half, some) == "agrees"
    small = result(CLASSES, lambda c: means(c, JPW=0.9 if c.params.get("epsilon") == 2 else 0.7))
    assert verdict(docket.half, small) == "differs"


@pytest.mark.parametrize(
    ("ahead", "epsilon", "expected"), [(0.005, 4.0, "agrees"), (0.05, 4.0, "differs"), (0.05, 0.5, "agrees")]
)
def test_point(ahead, epsilon, expected):
    def of(cell):
        there = (cell.data, cell.params.get("epsilon")) == ("cmc", epsilon)
        return means(cell, MRF=0.8 + ahead if there else 0.7)

    part, words = docket.point(result(CLASSES, of))
    assert part.verdict(LEVEL) == expected
    assert (f"MRF on cmc at {epsilon:g} {100 * ahead:+.1f}" in words) == (epsilon > 0.5)


def test_tenth():
    low = result(CLASSES, lambda c: means(c, 0.5, 0.5))
    assert verdict(docket.tenth, low) == "agrees"
    assert verdict(docket.tenth, result(CLASSES, means)) == "differs"
    one = result(CLASSES, lambda c: means(c, 0.5, 0.5, FS=0.7))
    assert verdict(docket.tenth, one) == "differs"


def test_constant():
    assert verdict(docket.constant, result(CLASSES, means)) == "agrees"
    below = result(CLASSES, lambda c: means(c, 0.5 if c.data == "wilt" else 0.8))
    assert verdict(docket.constant, below) == "differs"


@pytest.mark.parametrize(("share", "expected"), [(0.605, "agrees"), (0.7, "differs")])
def test_random_decision(share, expected):
    found = result(CLASSES, lambda c: means(c, RDF=share))
    assert verdict(docket.random_decision, found) == expected


@pytest.mark.parametrize(("ours", "expected"), [(0.86, "agrees"), (0.8, "differs")])
def test_ceiling(ours, expected):
    assert verdict(docket.ceiling, result(CLASSES, lambda c: means(c, ours))) == expected


def test_regression():
    assert verdict(docket.regression, result(TARGETS, means)) == "agrees"
    one = result(TARGETS, lambda c: means(c, 0.6 if c.data == "parkinsons" else 0.8))
    assert verdict(docket.regression, one) == "differs"


def test_abalone(monkeypatch):
    better = result(TARGETS, lambda c: 0.48)
    assert verdict(docket.abalone, better) == "agrees"
    assert verdict(docket.abalone, result(TARGETS, lambda c: 0.42)) == "differs"
    cells = {("abalone", "ε = 0.15"): printed.parse("0.60")}
    table = printed.table("bench/s-gbdt-abalone")
    monkeypatch.setattr(docket, "table", lambda id: type(table)(**{**vars(table), "cells": cells}))
    assert verdict(docket.abalone, better) == "differs"


PEERS = [  # a sentence of either docket on the bench, its kind of sets, and the library that it compares with
    ("peer_forest", "classification", "diffprivlib forest"),
    ("peer_models", "classification", "diffprivlib naive Bayes"),
    ("peer_machine", "classification", "private EBM"),
    ("peer_machine_targets", "regression", "private EBM"),
]


def set_peers(monkeypatch, sets, method, score, of_held_out):
    """Scores of other libraries around one number, on these sets of the one side of the bench."""
    names, rng = {method, "diffprivlib logistic regression"}, np.random.default_rng(2)
    found = {(d, m): score + rng.normal(0, 1e-4, 10) for d in sets for m in names}

    def peer_scores(epsilon, held_out=False):
        return found if held_out == of_held_out else {}

    monkeypatch.setattr(docket, "peer_scores", peer_scores)


@pytest.mark.parametrize(("test", "kind", "method"), PEERS)
def test_peers(monkeypatch, test, kind, method):
    ours, sets = (
        result(f"bench/{kind}", means),
        docket.FOR_CHOOSING.sets() + docket.FOR_CHOOSING.sets("regression"),
    )
    for score, expected in ((0.7, "agrees"), (0.9, "differs")):
        set_peers(monkeypatch, sets, method, score, of_held_out=False)
        assert verdict(getattr(docket, test), ours) == expected


def test_sets_without_a_method_are_not_compared():
    found = {("car", "a"): np.ones(10), ("car", "b"): np.zeros(10), ("cmc", "a"): np.ones(10)}
    assert list(docket.gains(found, "a", "b", ["car", "cmc"])) == ["car"]
    with pytest.raises(LookupError, match="no set has both"):
        docket.gains(found, "a", "b", ["cmc"])


def test_a_cell_that_is_not_stored_leaves_its_sentences_open():
    """A part of the sets must not decide what is said of all."""
    part = result(CLASSES, means)
    for key in [k for k in part.cells if k.startswith("wilt/JPW") and k.endswith("=2")]:
        del part.cells[key]
    for test in (docket.half, docket.point):
        with pytest.raises(LookupError, match="not stored: JPW on wilt"):
            test(part)
    assert verdict(docket.constant, part) == "agrees"


def test_independent_draws_have_the_plain_t():
    rng = np.random.default_rng(0)
    one, two = rng.normal(0.1, 1, 10), np.zeros(10)
    found = {(d, m): s for d in ("synth-b", "car") for m, s in (("a", one), ("b", two))}
    parts = docket.gains(found, "a", "b", ["synth-b", "car"])
    assert parts["synth-b"].yes == rule.beyond(one, overlap=0.0).yes < 0.5
    assert parts["car"].yes == rule.beyond(one, overlap=0.25).yes > parts["synth-b"].yes


@pytest.mark.parametrize("side", [docket.FOR_CHOOSING, docket.ARE_HELD_OUT])
def test_rankings(monkeypatch, side):
    """Of the four measures it is the second one that is compared."""

    def of(former):
        return result(f"bench/ranking{side.end}", lambda c: np.array([0.7, former if c.label else 0.8, 0.7, 0.7]))

    def peers(share):
        table = {(d, docket.MACHINE): np.tile([share, 0.9, 0.9], (10, 1)) for d in side.sets(n_classes=2)}
        monkeypatch.setattr(docket, "peer_scores", lambda e, **given: table)
        return docket.ranking_machine(of(0.7), side)[0].verdict(LEVEL)

    found = [docket.ranking_former(of(former), side)[0].verdict(LEVEL) for former in (0.75, 0.85)]
    assert found == ["agrees", "differs"]
    assert [peers(share) for share in (0.75, 0.85)] == found
