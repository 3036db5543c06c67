"""What results say: curves, paired differences, ranks, on results whose answer is known."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from dplit.court import experiments
from dplit.court.experiments import curves, rule

ID = "diprime-v2/figure-1"
DEPTHS = (2, 3, 4, 5, 6, 8, 10)
VALLEY = (0.09, 0.08, 0.07, 0.06, 0.07, 0.08, 0.09)
FALLING = (0.09, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03)


def scored(id, scores):
    """A result with the given scores of each key."""
    found = experiments.Result(id)
    for key, values in scores.items():
        for r, score in enumerate(values):
            found.add(key, {}, r, {"score": float(score), "epsilon": None, "seconds": 0.1})
    return found


def by_depth(of):
    """A result of the figure with the given means along the depth, and a little noise."""
    noise = np.random.default_rng(0)
    return scored(ID, {
        f"appliances-energy/{method}/published/max_depth={depth}": mean + centred(noise)
        for method, means in of.items() for depth, mean in zip(DEPTHS, means)
    })  # fmt: skip


def centred(rng):
    """A little noise whose mean is 0."""
    noise = rng.normal(0, 1e-4, 24)
    return noise - noise.mean()


def is_true(part):
    """Whether a part is decided to be true; it must be decided."""
    verdict = part.verdict(0.01)
    assert verdict in ("agrees", "differs")
    return verdict == "agrees"


def along(result, method):
    return curves.curve(result, method, "published", "max_depth")


def test_a_curve_that_turns():
    r = by_depth({"DiPriMe": VALLEY, "DP-ERT": FALLING})
    valley, falling = along(r, "DiPriMe"), along(r, "DP-ERT")
    assert [*valley] == [*DEPTHS]
    assert is_true(curves.turns(r, valley)) and not is_true(curves.turns(r, falling))
    assert curves.best(r, valley) == 5 and curves.best(r, falling) == 10
    assert is_true(curves.improves(r, falling))
    assert curves.improves(r, valley).verdict(0.01) == "too close", "both ends are alike"


def test_a_lower_error_is_a_gain():
    r = by_depth({"DiPriMe": VALLEY, "DP-ERT": [0.075] * 7})
    ours, theirs = along(r, "DiPriMe"), along(r, "DP-ERT")
    assert curves.gain(r, ours[5], theirs[5])[0] == pytest.approx(0.015)


def test_a_difference_within_chance_is_none():
    r = by_depth({"DiPriMe": [0.05] * 7, "DP-ERT": [0.05] * 7})
    a, b = (f"appliances-energy/{m}/published/max_depth=2" for m in ("DiPriMe", "DP-ERT"))
    assert curves.ahead(r, a, b).verdict(0.01) == "too close"
    assert is_true(curves.ahead(r, a, b, by=-0.01)) and not is_true(curves.ahead(r, a, b, by=0.01))


def test_the_error_of_a_gain():
    """By hand: errors of a and b; variance of the differences 1, 3, 1, ... over 12."""
    r = by_depth({"DiPriMe": [0.0] * 7, "DP-ERT": [0.0] * 7})
    a, b = (f"appliances-energy/{m}/published/max_depth=2" for m in ("DiPriMe", "DP-ERT"))
    r.cells[a]["scores"], r.cells[b]["scores"] = [1.0] * 12, [2.0, 4.0] * 6
    mean, error = curves.gain(r, a, b)
    assert mean == 2.0 and error == pytest.approx((12 / 11 / 12) ** 0.5)


def test_a_curve_that_rises():
    noise = np.random.default_rng(1).normal(0, 0.01, 24)  # of figure 8, a draw each
    keys = [f"synth-a/RDF, examined/published/n_estimators={t}" for t in (1, 3, 10)]
    of = {k: mean + noise[::step] for k, mean, step in zip(keys, (1, 2, 3), (1, -1, 1))}
    found = scored("rdf/figure-8", of)
    assert is_true(curves.rising(found, keys))
    assert not is_true(curves.rising(found, [keys[0], keys[2], keys[1]]))


def test_scores_that_scatter_less():
    keys = [f"synth-a/RDF/published/max_depth={d}" for d in (2, 5)]
    rng = np.random.default_rng(2)
    found = scored("rdf/figure-6", {k: rng.normal(0, s, 40) for k, s in zip(keys, (1, 20))})
    assert is_true(curves.steadier(found, *keys)) and not is_true(curves.steadier(found, *keys[::-1]))


@pytest.mark.parametrize(("theirs", "found"), [(0.7, "win"), (0.801, "tie"), (0.9, "loss")])
def test_a_tie_is_within_one_deviation(theirs, found):
    """The deviation of both is 0.0028; the last two scores of one alone do not count."""
    noise = np.array([-1e-3, 0.0, 1e-3, 2e-3, -5e-3])
    a, b = (f"adult/{m}/published" for m in ("RDF", "JPW"))
    r = scored("rdf/figure-11", {a: [*(0.8 + noise), 7, 7], b: theirs + noise})
    assert experiments.outcome(r, a, b) == found


def drawn(spread, within=1e-3, draws=24, of=(0.8, 0.79)):
    """RDF and JPW on SynthA: draws that differ by `spread`, with two splits each, `within` apart."""
    level = spread * np.linspace(-1, 1, draws)
    keys = [f"synth-a/{m}/published" for m in ("RDF", "JPW")]
    splits = {k: (m + level[:, None] + within * np.array([[-1, 1]])).ravel() for k, m in zip(keys, of)}
    return scored("rdf/figure-11", splits), keys


def test_a_tie_is_within_the_deviation_of_one_draw_however_draws_differ():
    """By hand: two splits 2 * within apart have the deviation sqrt(2) * within."""
    r, keys = drawn(spread=0.1)
    assert curves.deviation(r, keys[0]) == pytest.approx(2**0.5 * 1e-3)
    assert experiments.outcome(r, *keys) == "win"
    r, keys = drawn(spread=0.1, within=1e-2)
    assert experiments.outcome(r, *keys) == "tie"


def test_draws_are_independent_and_a_draw_is_one_number():
    """The splits of a draw do not make it two; what its records share is no overlap."""
    r, (a, b) = drawn(spread=0.0)
    r.cells[a]["scores"] = [0.8 + s for s in (0.01, 0.03, 0.03, 0.01, 0.04, 0.04) * 8]
    found = curves.differences(r, a, b)
    assert found == pytest.approx(np.array([0.03, 0.03, 0.05] * 8))
    mean, error = curves.gain(r, a, b)
    assert (mean, error) == pytest.approx((np.mean(found), np.std(found, ddof=1) / 24**0.5))
    assert curves.ahead(r, a, b).for_yes[0].n == 24
    r.cells[a]["scores"] = r.cells[a]["scores"][:39]
    assert curves.ahead(r, a, b).p == 1.0, "nineteen draws and a half decide nothing"


def test_a_size_that_was_read_off_one_draw_has_the_deviation_of_draws():
    """The mean is far above the size; that one draw is so is another matter."""
    r, (a, b) = drawn(spread=0.1)
    r.cells[b]["scores"] = [0.0] * 48
    s = np.std(0.1 * np.linspace(-1, 1, 24), ddof=1)
    for part in (curves.ahead_once(r, a, b, 0.7), curves.higher_once(r, a, 0.7)):
        assert part.for_yes[0].room == pytest.approx(s * norm.isf(rule.REMOTE))
        assert part.verdict(0.01) == "undecided"
    assert is_true(curves.ahead(r, a, b, by=0.7)) and is_true(curves.higher(r, a, 0.7))
    assert is_true(curves.ahead_once(r, a, b, 0.4)) and not is_true(curves.higher_once(r, a, 1.2))


def signed_rank_by_enumeration(differences):
    """Two-sided p-value over all signs; differences without ties or zeros."""
    ranks = np.argsort(np.argsort(np.abs(differences))) + 1
    statistic = min(ranks[differences > 0].sum(), ranks[differences < 0].sum())
    sums = [np.dot(ranks, signs) for signs in product((0, 1), repeat=len(ranks))]
    return min(1.0, 2 * np.mean(np.array(sums) <= statistic))


@pytest.mark.parametrize("seed", range(5))
def test_the_signed_rank_test_by_enumeration(seed):
    differences = np.random.default_rng(seed).normal(0.3, 1, 10)
    a, b = (f"adult/{m}/published" for m in ("RDF", "JPW"))
    r = scored("rdf/figure-11", {a: differences, b: np.zeros(10)})
    p = experiments.signed_rank(r, a, b)
    assert p == pytest.approx(signed_rank_by_enumeration(differences))
    assert experiments.signed_rank(r, a, a) == 1.0


def test_cells_that_are_not_run_are_named():
    empty = experiments.Result("rdf/figure-4")
    with pytest.raises(curves.NotRun, match="no cell synth-b/RDF/published"):
        experiments.key(empty, "synth-b", "RDF")
    with pytest.raises(curves.NotRun, match="no points of RDF"):
        curves.curve(empty, "RDF", "published", "max_depth")
