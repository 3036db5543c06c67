"""Advice: the best mean over sets of a kind, and none where it is not worth more than the constant."""

import numpy as np
import pytest

from dplit.court import bench


def found(**means):
    """Scores of ten splits: ``found(data={"method": mean})``, with little noise."""
    rng = np.random.default_rng(0)
    return {(data, m): mean + rng.normal(0, 1e-3, 10) for data, of in means.items() for m, mean in of.items()}


def test_the_best_mean_gain_is_advised():
    scores = found(
        one={"Constant": 0.5, "a": 0.6, "b": 0.9},
        two={"Constant": 0.7, "a": 0.75, "b": 0.6},
        three={"Constant": 0.6, "a": 0.7, "b": 0.65},
    )
    taken = bench.advise(scores, ["one", "two", "three"], ["a", "b", "missing"])
    assert (taken.method, taken.next, taken.sets, taken.worth) == ("b", "a", 3, 2)
    assert taken.points == pytest.approx(0.35 / 3, abs=2e-3)
    assert taken.behind == pytest.approx(-0.1 / 3, abs=2e-3)


def test_none_where_half_of_the_sets_or_more_are_at_the_constant():
    scores = found(one={"Constant": 0.5, "a": 0.9}, two={"Constant": 0.7, "a": 0.7})
    taken = bench.advise(scores, ["one", "two"], ["a"])
    assert (taken.method, taken.worth, taken.next) == (None, 1, "")
    assert bench.advise(scores, ["one"], ["a"]).method == "a"
    with pytest.raises(ValueError, match="on all of"):
        bench.advise(scores, ["one", "two"], ["b"])


def test_a_gain_within_its_noise_is_no_gain():
    noisy = {("d", "Constant"): np.full(10, 0.5), ("d", "a"): 0.5 + np.linspace(-0.1, 0.12, 10)}
    assert bench.beats_constant(noisy, "d", "a").low < 0 < bench.beats_constant(noisy, "d", "a").mean
    assert bench.advise(noisy, ["d"], ["a"]).method is None


@pytest.mark.parametrize(
    ("records", "cells", "classes", "epsilon", "kind"),
    [
        (900, 4, 2, 1.0, ("two classes", "under 1,000", "up to 20,000")),
        (1000, 20_000, 3, 1.0, ("more classes", "1,000 to 10,000", "up to 20,000")),
        (5000, 20_001, 0, 2.0, ("a number", "over 10,000", "more")),
    ],
)
def test_kinds_are_of_public_numbers(records, cells, classes, epsilon, kind):
    public = {"records": records, "cells": cells, "classes": classes}
    assert bench.kinds(public, epsilon) == kind


def test_the_table_has_a_row_a_kind_and_counts_sets_at_epsilons():
    by_epsilon = {
        0.1: found(car={"Constant": 0.7, "a": 0.65, "b": 0.6}),
        1.0: found(car={"Constant": 0.7, "a": 0.8, "b": 0.75}),
        4.0: found(car={"Constant": 0.7, "a": 0.8, "b": 0.95}),
    }
    table = bench.advice_table(by_epsilon, bench.public_table(), ["a", "b"])
    small, middle = (("more classes", size, "up to 20,000") for size in ("under 1,000", "1,000 to 10,000"))
    assert list(table.index) == [small, middle]
    assert table.loc[small, "take"] == "none" and table.loc[small, "worth"] == "0 of 1"
    assert table.loc[middle, "take"] == "b" and table.loc[middle, "worth"] == "2 of 2"
    assert table.loc[middle, "points"] == pytest.approx(15.0, abs=0.2)
    assert table.loc[middle, "next"].startswith("a -")
