"""Paired differences against scipy; scores and peers as they are read."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import ttest_rel

from dplit.court import bench, experiments


def pair(seed=0, n=10):
    rng = np.random.default_rng(seed)
    return rng.normal(0.8, 0.02, n), rng.normal(0.78, 0.02, n)


@pytest.mark.parametrize("seed", range(3))
def test_independent_splits_have_the_plain_paired_interval(seed):
    first, second = pair(seed)
    found = bench.gain(first, second, overlap=0.0, level=0.1)
    low, high = ttest_rel(first, second).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.mean == pytest.approx(np.mean(first) - np.mean(second)) and found.n == 10


def test_splits_that_share_records_have_a_wider_one():
    """Ten splits at 80:20: the variance of the mean is (1/10 + 1/4) / (1/10) of the plain one's."""
    plain, shared = bench.gain(*pair(), overlap=0.0), bench.gain(*pair())
    widths = [g.high - g.low for g in (plain, shared)]
    assert widths[1] == pytest.approx(widths[0] * np.sqrt(3.5))


def test_only_common_splits_count():
    first, second = pair()
    assert bench.gain(first, second[:6]) == bench.gain(first[:6], second[:6])
    with pytest.raises(ValueError, match="two splits in common or more, got 1"):
        bench.gain(first, second[:1])


def test_the_best_rival_is_chosen_by_its_mean():
    found = {("d", "a"): [0.9], ("d", "b"): [0.5, 0.7], ("d", "c"): [0.61]}
    assert bench.best_rival(found, "d", "a", ["a", "b", "c", "e"]) == "c"
    assert bench.best_rival(found, "d", "a", ["a"]) is None


def of_bench():
    """A result of the bench: car, scores by place of the method, epsilon and split."""
    result = experiments.Result("bench/classification")
    for i, cell in enumerate(experiments.get(result.experiment).cells):
        if cell.data == "car":
            for r in range(3):
                score = i + cell.params.get("epsilon", 0) + r / 100
                outcome = {"score": score, "epsilon": None, "seconds": float(i)}
                result.add(cell.key, cell.params, r, outcome)
    return result


def test_scores_are_of_one_epsilon_and_of_what_is_not_private():
    result = of_bench()
    cells = {c.key: i for i, c in enumerate(experiments.get("bench/classification").cells)}
    for epsilon in (0.1, 4.0):
        found = bench.scores(result, epsilon)
        place = cells[f"car/MRF/proved/epsilon={epsilon:g}"]
        assert found["car", "MRF"] == pytest.approx(place + epsilon + np.arange(3) / 100)
        assert found["car", "Constant"][0] == cells["car/Constant/exact"]
        table = bench.means(found)
        assert table.loc["car", "MRF"] == pytest.approx(place + epsilon + 0.01)
        assert list(table.index) == ["car"]
        assert list(table.columns)[:2] == ["Constant", "Gradient boosting"]


def test_peers_are_read_by_epsilon_and_slow_ones_left_out():
    cells = {
        "car/private EBM/epsilon=0.5": {"scores": [0.5, 0.6]},
        "car/private EBM/epsilon=10": {"scores": [0.9, 0.8]},
        "adult/private EBM/epsilon=0.5": {"scores": [0.5]},
    }
    found = bench.peer_scores(0.5, {"cells": cells})
    assert list(found) == [("car", "private EBM")]
    assert found["car", "private EBM"].tolist() == [0.5, 0.6]


def test_duels_are_over_common_sets():
    found = {("one", "a"): [0.5, 0.7], ("one", "b"): [0.5, 0.5], ("two", "a"): [0.1, 0.1],
             ("two", "b"): [0.3, 0.3], ("three", "a"): [0.9, 0.9]}  # fmt: skip
    both = {"points": pytest.approx(-5.0), "higher": 1, "lower": 1, "sets": 2, "p": 1.0}
    assert bench.duel(found, "a", "b") == both
    assert bench.duel(found, "a", "b", ["two"])["points"] == pytest.approx(-20.0)
    assert bench.duel(found, "a", "b", ["three"])["sets"] == 0


def test_a_duel_is_judged_by_its_signed_ranks():
    """Of the 2^6 signs of the ranks 1 to 6, as many as this far from the middle, counted one by one."""
    gains = 0.01, 0.02, -0.03, 0.04, 0.05, 0.06
    found = {(f"{gain}", method): [0.5 + gain * (method == "a")] * 2 for gain in gains for method in "ab"}
    sums = [sum(signs) for signs in product(*((0, rank) for rank in range(1, 7)))]
    far = sum(abs(s - 10.5) >= abs(18 - 10.5) for s in sums) / 2**6
    assert bench.duel(found, "a", "b")["p"] == pytest.approx(far)


def test_what_is_covered():
    """At epsilon 2 four sets miss a repetition of a method, and one misses a constant at all."""
    experiment = experiments.get("bench/classification")
    sets = list(dict.fromkeys(c.data for c in experiment.cells))
    result = experiments.Result(experiment.id)
    for cell in experiment.cells:
        few = cell.method == "RDF" and cell.params["epsilon"] == 2 and cell.data in sets[:4]
        none = cell.method == "Constant" and cell.data == sets[-1]
        for r in range(0 if none else 9 if few else 10):
            result.add(cell.key, cell.params, r, {"score": 0.5, "epsilon": None, "seconds": 0.1})
    assert bench.covered(result, 2.0) == sets[4:-1]
    assert bench.covered(result, 4.0) == sets[:-1]
    assert bench.covered(experiments.Result(experiment.id), 1.0) == []
    assert len(bench.covered("bench/regression", 0.1)) == 3
