"""The vocabulary of sentences about runs: pairs of cells, and what is said of them."""

import numpy as np
import pytest

from dplit import experiments
from dplit.court.claims.runs import cells
from dplit.court.experiments import rule

FIGURE = "m-rf/figure-3a"
NOISE = np.random.default_rng(0).normal(0, 1e-4, 100)  # twenty cuts into five


@pytest.fixture
def result():
    """Batch training has 90 % with 128 trees and 80 % with fewer, noise per tree 60 %."""
    found = experiments.Result(FIGURE)
    for cell in experiments.get(FIGURE).cells:
        many = cell.params["n_estimators"] == 128
        mean = 0.6 if cell.method == "Laplace" else 0.9 if many else 0.8
        for r, step in enumerate(NOISE):
            outcome = {"score": mean + step, "epsilon": None, "seconds": 0.1}
            found.add(cell.key, cell.params, r, outcome)
    return found


def sizes(result, method="M-RF training"):
    one = {f"{n} trees": (n, 128) for n in (1, 4)}
    return cells.Pairs(
        result, {name: cells.pair(result, "car", method, n_estimators=n) for name, n in one.items()}
    )


def test_a_tuple_has_the_values_of_both_cells(result):
    found = cells.pair(result, "car", ("M-RF training", "Laplace"), n_estimators=(1, 4))
    assert found == ("car/M-RF training/published/n_estimators=1", "car/Laplace/published/n_estimators=4")


def test_gains_have_a_size_to_a_margin(result):
    assert sizes(result).are(-0.1, 0.01)[0].verdict(0.01) == "agrees"
    assert sizes(result).are(-0.05, 0.01)[0].verdict(0.01) == "differs"


def test_what_is_not_run_is_open(result):
    pairs = cells.Pairs(result, sizes(result) | {"8 trees": None})
    assert pairs.are(-0.1, 0.01)[0].verdict(0.01) == "undecided"
    part, words = pairs.turned().that(rule.most)
    assert part.verdict(0.01) == "agrees" and "; not run: 8 trees; in the authors' own runs: 1 trees" in words


def test_many_gains_are_counted_and_their_ends_shown(result, monkeypatch):
    monkeypatch.setattr(cells, "FEW", 1)
    monkeypatch.setattr(cells, "MANY", 1)
    assert "0 of 2 positive: from" in sizes(result).words()
    one = cells.Pairs(result, {"1 tree": sizes(result)["1 trees"]}, gain="gain of one tree")
    assert one.words("noted") == f"gain of one tree: {one}; noted; in the authors' own runs: 1 tree -17.9"


def test_a_single_run_has_no_error_and_says_so(result, monkeypatch):
    monkeypatch.setattr(cells.Pairs, "_differences", lambda self: dict.fromkeys(self, np.array([0.1])))
    assert str(sizes(result)) == "1 trees +10.0 (one run), 4 trees +10.0 (one run)"


def test_statements_are_joined(result):
    said = [sizes(result).turned().that(), sizes(result).that()]
    assert cells.together(said)[0].verdict(0.01) == "differs"
    assert cells.together(said, rule.any_of)[0].verdict(0.01) == "agrees"
