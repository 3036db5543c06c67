"""Our sentences about the sets held out: other scores, and a verdict changes."""

from functools import partial

import numpy as np
import pytest

from dplit.court.claims.runs import bench, reproduced
from dplit.court.claims.runs import bench_held_out as docket
from tests.bench.test_claims import LEVEL, PEERS, means, result, set_peers

CLASSES, TARGETS = "bench/classification-held-out", "bench/regression-held-out"
PRESET = "PrivateForest"


def held_out(word):
    """A sentence about either side of the bench, of the sets held out."""
    return partial(getattr(bench, word), side=bench.ARE_HELD_OUT)


def verdict(test, id, mean_of, level=LEVEL):
    return test(result(id, mean_of))[0].verdict(level)


def by_signs():
    """The level of one sentence: 14 tables at four budgets can't refute at `LEVEL`, which others are held to."""
    return reproduced.levels()["ours/bench-classification-half"]


CEILING, HALF = held_out("ceiling"), held_out("half")


def better(cell):
    """The mean of a cell where ours and the preset lead."""
    return means(cell, PrivateForest=0.8)


@pytest.mark.parametrize(
    ("test", "given"),
    [
        (HALF, {"JPW": 0.9}),
        (docket.point, {"PrivateForest": 0.8, "Boosted": 0.82}),
        (docket.advice, {"PrivateForest": 0.78}),
        (held_out("constant"), {"Constant": 0.81}),
        (CEILING, {"Gradient boosting": 0.81, "Boosted": 0.7}),
    ],
)
def test_classes(test, given):
    expected = {CEILING: "differs"}.get(test, "agrees")
    level = by_signs() if test is HALF else LEVEL
    assert verdict(test, CLASSES, better, level) == expected
    other = "agrees" if expected == "differs" else "differs"
    if test is CEILING:
        given = {"Gradient boosting": 0.81}
    assert verdict(test, CLASSES, lambda c: means(c, **{PRESET: 0.8, **given}), level) == other


@pytest.mark.parametrize(("test", "method"), [(docket.point, "MRF"), (docket.advice, "Boosted")])
def test_one_set_is_enough_against_what_is_said_of_all(test, method):
    def one(cell):
        return 0.85 if (cell.data, cell.method) == ("yeast", method) else better(cell)

    assert verdict(test, CLASSES, one) == "differs"


@pytest.mark.parametrize(("score", "expected"), [(0.84, "agrees"), (0.82, "differs")])
def test_adult(score, expected):
    """Errors of 18.7 and 17.1 % are printed."""
    assert verdict(docket.adult, CLASSES, lambda c: score) == expected


def test_regression():
    assert verdict(held_out("regression"), TARGETS, means) == "agrees"
    one = {"metro-traffic": 0.6}
    assert verdict(held_out("regression"), TARGETS, lambda c: means(c, one.get(c.data, 0.8))) == "differs"


@pytest.mark.parametrize(("test", "kind", "method"), PEERS)
@pytest.mark.parametrize(("score", "expected"), [(0.7, "agrees"), (0.9, "differs")])
def test_peers(monkeypatch, test, kind, method, score, expected):
    sets = bench.ARE_HELD_OUT.sets() + bench.ARE_HELD_OUT.sets("regression")
    set_peers(monkeypatch, sets, method, score, of_held_out=True)
    level = by_signs() if method.startswith("diffprivlib") else LEVEL  # the others run on few tables
    found = verdict(held_out(test), f"bench/{kind}-held-out", means, level)
    assert found == expected


def again(kind, method, sets="again"):
    return partial(docket.versions, earlier=[f"bench/{kind}-held-out"], method=method, sets=sets, kind=kind)


@pytest.mark.parametrize(("test", "run", "method", "one"), [
    (again("classification", PRESET), "classification-held-out-2", PRESET, "nursery"),
    (again("regression", "Boosted"), "regression-held-out-2", "Boosted", "metro-traffic"),
    (again("classification", "Boosted", "many classes"), "classes-held-out", "Boosted", "yeast"),
])  # fmt: skip
@pytest.mark.parametrize(("score", "expected"), [(0.8, "agrees"), (0.796, "agrees"), (0.78, "differs")])
def test_a_later_run_beside_the_first(monkeypatch, test, run, method, one, score, expected):
    first_at_08(monkeypatch, f"bench/{run.removesuffix('-2').replace('classes', 'classification')}")
    assert verdict(test, f"bench/{run}", lambda c: score if c.data == one else 0.8) == expected


@pytest.mark.parametrize(("score", "expected"), [(0.85, "agrees"), (0.75, "differs")])
def test_what_the_clip_gains(monkeypatch, score, expected):
    """On all sets but one, which gains where the others lose."""
    first_at_08(monkeypatch, CLASSES)
    test = partial(again("classification", "Boosted", "many classes"), epsilons=(1.0, 2.0, 4.0), more=True)
    assert verdict(test, "bench/classes-held-out",
                   lambda c: 1.6 - score if c.data == "yeast" else score) == expected  # fmt: skip


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize(("score", "expected"), [(0.85, "agrees"), (0.75, "differs")])
def test_what_weights_gain(monkeypatch, score, expected, more):
    """In one of a ranking's columns; the others say the opposite."""
    first = docket.scores(result("bench/ranking-held-out", lambda c: np.full(4, 0.8)), 1.0)
    taken = docket.scores
    monkeypatch.setattr(docket, "scores", lambda of, e: first if isinstance(of, str) else taken(of, e))
    test = partial(docket.versions, earlier=["bench/ranking-held-out"], method="Boosted", sets="two classes",
                   kind="classification", column=1, more=more)  # fmt: skip
    other = 1.6 - score
    found = verdict(test, "bench/weighted-held-out", lambda c: np.array([other, score, other, other]))
    assert found == expected


@pytest.mark.parametrize(("score", "expected"), [(0.8, "agrees"), (0.796, "agrees"), (0.78, "differs")])
def test_the_third_version(monkeypatch, score, expected):
    """Of one set and all its budgets, in accuracy and in R2."""

    def ranked(cell):
        return np.full(4, score if cell.data == "magic" and not cell.label else 0.8)

    classes = result("bench/ranking-held-out", ranked)
    assert docket.third_accuracy(classes)[0].verdict(LEVEL) == expected
    before = {id: docket.scores(result(id, lambda c: 0.8), 1.0) for id in (TARGETS, f"{TARGETS}-2")}
    taken = docket.scores
    monkeypatch.setattr(docket, "scores", lambda of, e: before[of] if isinstance(of, str) else taken(of, e))
    third = result(f"{TARGETS}-4", lambda c: score if c.data == "metro-traffic" else 0.8)
    part, _ = docket.versions(third, [*before], "Boosted", "held out", "regression")
    assert part.verdict(LEVEL) == expected


def first_at_08(monkeypatch, id):
    """Scores of 0.8 throughout in the first run, for every epsilon that is asked."""
    first, taken = docket.scores(result(id, lambda c: 0.8), 1.0), docket.scores
    monkeypatch.setattr(docket, "scores", lambda of, e: first if of == id else taken(of, e))
