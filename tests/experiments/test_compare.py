"""The rule by which a printed cell and ours agree, and the tables that show it."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from dplit.court import experiments
from dplit.court.experiments import rule
from dplit.ground import printed


def cell(text, unit=1.0):
    return printed.parse(text, unit)


@pytest.mark.parametrize(
    ("mean", "deviation", "text", "agrees"),
    [
        (0.50, 0.0, "0.5 ± 0.0", True),
        (0.55, 0.0, "0.5 ± 0.0", True),  # half a printed digit
        (0.5501, 0.0, "0.5 ± 0.0", False),
        (0.515, 0.003, "0.500 ± 0.004", False),  # 2 * 0.005 and half a digit: up to 0.5105
        (0.5105, 0.003, "0.500 ± 0.004", True),
        (0.5106, 0.003, "0.500 ± 0.004", False),
        (0.4895, 0.003, "0.500 ± 0.004", True),
        (0.4894, 0.003, "0.500 ± 0.004", False),
        (0.500 + 2 * math.sqrt(2) * 0.01, 0.01, "0.500", True),  # no printed deviation: ours twice
        (0.500 + 2 * math.sqrt(2) * 0.01 + 0.0006, 0.01, "0.500", False),
    ],
)
def test_the_rule(mean, deviation, text, agrees):
    assert experiments.agree(mean, deviation, cell(text)) is agrees


@pytest.fixture
def result():
    """A result of v2's table 1 with three cells of Turbine."""
    found = experiments.Result("diprime-v2/table-1")
    scores = {
        "RF/exact": (1.20e-4, 1.24e-4) * 12,
        "DiPriMe/published": (9e-4, 11e-4) * 12,
        "DiPriMe/proved": (16e-4, 16e-4),
        "ERT/exact": (2.2e-4, 2.3e-4),
    }
    for name, values in scores.items():
        for r, score in enumerate(values):
            outcome = {"score": score, "epsilon": 10.0, "seconds": 1.0}
            found.add(f"gas-turbine/{name}", {}, r, outcome)
    return found


def test_side_by_side(result):
    shown = experiments.side_by_side("diprime-v2/table-1", result, data="gas-turbine")
    rf, diprime = shown.loc[("gas-turbine", "RF")], shown.loc[("gas-turbine", "DiPriMe")]
    assert [*rf] == ["1.22 ± 0.04", "1.22 ± 0.02", "", "alike", "+0.0", "agrees"]
    run = 0.9 * 10 / 3 / 2.262157  # "0.9" is Student's half width from ten runs, with n in the deviation
    z = (10.0 - 15.7) / math.hypot(math.sqrt(24 / 23 / 24), run / math.sqrt(10))
    assert [*diprime] == ["15.7 ± 0.9", "10.0 ± 1.0", "16.0 ± 0.0", "unlike", f"{z:.1f}", "differs"]
    assert [*shown.loc[("gas-turbine", "DP-RF")]][3:] == ["", "", "not run"]
    assert shown.loc[("gas-turbine", "ERT"), "verdict"] == "undecided", "two splits decide nothing"
    assert len(shown) == 8


def test_the_printed_cell_is_held_against_published_not_proved(result):
    found = experiments.compare("diprime-v2/table-1", result)
    rows = {r.row: r for r in found if r.data == "gas-turbine"}
    assert rows["DiPriMe"].agrees is False and rows["DiPriMe"].proved[0] == pytest.approx(16e-4)
    assert rows["RF"].agrees is True and rows["DP-RF"].agrees is None
    seen, cells = rows["DiPriMe"].part.for_no
    room = norm.isf(rule.REMOTE) * 0.9e-4 * 10 / 3 / 2.262157 / math.sqrt(10)
    assert seen.room == pytest.approx(room, rel=1e-6), "the printed mean has an error, too: of ten runs"
    assert cells == 2 and seen.limit == pytest.approx(0.9 * 15.7e-4 - 0.05e-4)
    assert experiments.tally(list(rows.values())) == (1, 1, 1, 5)


def test_what_is_not_run_says_why(result):
    rows = experiments.compare("diprime-v2/table-1", result)
    flight = [r for r in rows if r.data == "flight"]
    assert len(flight) == 8 and all(r.agrees is None and "800,000" in r.why for r in flight)


def test_deviations_have_n_minus_one(result):
    key = "gas-turbine/DiPriMe/published"
    assert float(result.deviation(key)) == pytest.approx(math.sqrt(24 / 23) * 1e-4)
    assert float(result.mean(key)) == pytest.approx(1e-3)


def test_a_printed_number_of_a_synthetic_set_is_one_draw():
    """Draws differ by 0.1, their two splits by nothing: a printed draw may be as far away as one of ours."""
    draws = 0.75 + 0.1 * np.linspace(-1, 1, 24)
    key = "synth-a/1 tree/published"
    found = experiments.Result("rdf/table-3")
    for r, score in enumerate(np.repeat(draws, 2)):
        found.add(key, {}, r, {"score": float(score), "epsilon": None, "seconds": 0.1})
    (row,) = [r for r in experiments.compare("rdf/table-3", found) if r.published]
    seen, cells = row.part.for_no
    s = draws.std(ddof=1)
    assert seen.room == pytest.approx(s * norm.isf(rule.REMOTE))
    assert (seen.n, cells) == (24, 2)
    assert row.z == pytest.approx((0.75 - row.printed.value) / (s * math.sqrt(1 / 24 + 1)))


def test_no_stored_result_says_the_command():
    with pytest.raises(FileNotFoundError, match="dplit experiment diprime-v9/table-1"):
        experiments.stored("diprime-v9/table-1")


def test_means_by_set():
    found = experiments.Result("rdf/figure-4")
    for key, score in (("synth-b/RDF/published", 0.75), ("synth-a/RDF/published", 0.5),
                       ("synth-b/RDF/proved", 0.7)):  # fmt: skip
        found.add(key, {}, 0, {"score": score, "epsilon": None, "seconds": 0.1})
    table = experiments.by_set("rdf/figure-4", {"one": ("RDF", "published"), "two": ("RDF", "proved")}, found)
    assert table.index.tolist() == ["synth-a", "synth-b"] and table.columns.tolist() == ["one", "two"]
    assert table.loc["synth-b"].tolist() == [0.75, 0.7]
    assert np.isnan(table.loc["synth-a", "two"])


def test_a_curve_of_one_data_set():
    found = experiments.Result("rdf/figure-7")
    for data, score in (("synth-a", 0.6), ("synth-b", 0.8)):
        key = f"{data}/RDF/published/n_estimators=10,epsilon=0.2"
        found.add(key, {}, 0, {"score": score, "epsilon": None, "seconds": 0.1})
    args = ("rdf/figure-7", "RDF", "published", "n_estimators", found)
    assert experiments.series(*args, data="synth-a", epsilon=0.2)["mean"].tolist() == [0.6]
