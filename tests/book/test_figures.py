"""The figures with controls: their numbers are the package's, and no other page loads their script."""

import json
import math

import book_tools
import numpy as np
import pytest
from book_tools import MOVING, PAGES
from bs4 import BeautifulSoup

SCRIPT = "interactive/figures.js"
ROUNDED = {"rel": 1e-3}


@pytest.fixture(scope="module")
def numbers(site):
    """What each page's figure draws, by page."""
    return {page: read(site, page) for page in MOVING}


def read(site, page):
    found = BeautifulSoup((site / page).read_text("utf-8"), "html.parser")
    (script,) = found.select(f"figure#{MOVING[page]} > script.figure-data")
    assert found.select_one(f"figure#{MOVING[page]} > img"), "the picture, where no script runs"
    return json.loads(script.string)


def frame(data, **chosen):
    """Lines by name, at the controls' first values or at those of this name."""
    index = 0
    for control in data["controls"]:
        names, label = control["values"], control["label"]
        at = names.index(chosen[label]) if label in chosen else control["start"]
        index = index * len(names) + at
    return dict(zip((line["name"] for line in data["lines"]), data["frames"][index], strict=True))


@pytest.mark.parametrize("page", MOVING)
def test_every_position_of_the_controls_has_every_line(numbers, page):
    data = numbers[page]
    assert len(data["frames"]) == math.prod(len(c["values"]) for c in data["controls"])
    shape = {(len(lines), *{len(y) for y in lines}) for lines in data["frames"]}
    assert shape == {(len(data["lines"]), len(data["x"]["values"]))}
    assert all(0 <= c["start"] < len(c["values"]) for c in data["controls"])
    looks = [(line["color"], line["dash"], line["mark"]) for line in data["lines"]]
    assert len(set(looks)) == len(looks)


def test_numbers_are_light(numbers):
    assert max(len(json.dumps(data)) for data in numbers.values()) < 200_000


def test_tails_are_below_their_corrected_bound_and_as_the_law_says(numbers):
    from dplit import occupancy

    data = numbers["book/occupancy.html"]
    for n, depth, epsilon in (("1776", "5", "0.5"), ("100", "3", "2"), ("10000", "7", "0.1")):
        lines = frame(data, **{"records n": n, "depth": depth, "ε": epsilon})
        law = occupancy.leaf_law(int(n), int(depth), float(epsilon))
        off = np.abs(np.arange(law.size) - int(n) / 2 ** int(depth))
        for t, exact, bound in zip(data["x"]["values"], lines["exact"], lines["corrected"]):
            expected = law[off >= t - 1e-9].sum()
            if expected >= data["y"]["low"]:
                assert exact == pytest.approx(expected, **ROUNDED)
                assert bound >= exact * (1 - 1e-3)


def test_tails_that_coincide_have_a_panel_of_ratios(numbers):
    data = numbers["book/occupancy.html"]
    axis = data["ratio"]
    lines = frame(data)
    exact = lines[data["lines"][axis["over"]]["name"]]
    assert exact is lines["exact"]
    for name, inside in (("model", True), ("corrected", True), ("sub-exponential", False)):
        ratios = [y / e for y, e in zip(lines[name], exact) if y and e]
        shown = [axis["low"] <= r <= axis["high"] for r in ratios]
        assert all(shown) is inside and any(shown) is inside, name
    assert [page for page in numbers if "ratio" in numbers[page]] == ["book/occupancy.html"]


def test_labels_are_at_the_least_error_and_the_published_one_falls_below(numbers):
    data = numbers["book/majority.html"]
    gaps = np.array(data["x"]["values"])
    for epsilon in ("0.2", "0.5", "1"):
        lines = frame(data, ε=epsilon)
        least = np.exp(-float(epsilon) * gaps) / 2
        seen = least >= data["y"]["low"] * 1.01
        for name in ("lower bound", "ROSNAM"):
            drawn = [y for y, kept in zip(lines[name], seen) if kept]
            assert drawn == pytest.approx(least[seen], **ROUNDED)
        exponential = 1 / (1 + np.exp(float(epsilon) * gaps))
        drawn = [y for y, e in zip(lines["exponential"], exponential) if e > data["y"]["low"] * 1.01]
        assert drawn == pytest.approx(exponential[: len(drawn)], **ROUNDED)
    assert any(y is None for y in frame(data, ε="1")["published (2017)"])


def test_votes_cost_as_many_variances_as_trees_with_noise_for_each(numbers):
    data = numbers["book/matrix_strategies.html"]
    for depth in "123":
        lines = frame(data, depth=depth)
        assert lines["noise for each tree"] == pytest.approx(data["x"]["values"])
        best = np.minimum(lines["leaves, least squares"], lines["cells"])
        assert best[-1] < lines["noise for each tree"][-1] / 4


def test_the_average_of_the_tables_is_their_average(numbers):
    data = numbers["book/bench.html"]
    (control,) = data["controls"]
    average = frame(data)
    each = [frame(data, table=name) for name in control["values"][1:]]
    for name, line in average.items():
        for k, value in enumerate(line):
            if value is not None:
                mean = np.mean([table[name][k] for table in each])
                assert value == pytest.approx(mean, abs=0.01)


def test_only_their_pages_load_the_script(site):
    loads = [p for p in PAGES if SCRIPT in (site / p).read_text("utf-8")]
    assert sorted(loads) == sorted(MOVING)
    assert (site / SCRIPT).is_file() and not list((site / "_static").rglob("figures.js"))
    assert book_tools.BOOK.joinpath("_interactive", "figures.js").read_text("utf-8").count("\n") < 300
