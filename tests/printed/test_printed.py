"""Printed cells: every number is in the file as it is printed, and nothing else is."""

import math

import pytest

from dplit.ground import printed

TABLES = [*printed.tables("diprime-v1"), *printed.tables("diprime-v2")]


def test_a_cell_with_everything():
    cell = printed.parse("1.59 ± 0.07 (7)", 1e-2)
    assert math.isclose(cell.value, 0.0159) and math.isclose(cell.deviation, 0.0007)
    assert math.isclose(cell.rounding, 0.00005) and cell.depth == 7


def test_a_cell_with_its_own_power():
    cell = printed.parse("2.465 × 10^-2")
    assert math.isclose(cell.value, 0.02465) and math.isclose(cell.rounding, 0.000005)
    assert cell.deviation is None and cell.depth is None


def test_a_whole_number_is_rounded_to_ones():
    cell = printed.parse("241 ± 56 (4)", 1e-4)
    assert math.isclose(cell.value, 0.0241) and math.isclose(cell.rounding, 0.5e-4)


@pytest.mark.parametrize("text", ["", "about 3", "1.5 +- 0.2", "1.5 ± (7)", "-1.0"])
def test_what_is_no_cell(text):
    with pytest.raises(ValueError, match="printed cell"):
        printed.parse(text)


@pytest.mark.parametrize(
    ("id", "columns", "rows"),
    [
        ("diprime-v1/table-1", 3, 5),
        ("diprime-v1/table-2", 3, 6),
        ("diprime-v2/table-1", 5, 8),
        ("diprime-v2/table-2", 5, 9),
        ("diprime-v2-figures/figure-1a", 6, 6),
        ("diprime-v2-figures/figure-2", 7, 9),
        ("mrf/table-1", 22, 6),
        ("mrf/table-1-ranks", 1, 6),
        ("mrf/table-2", 3, 22),
        ("mrf/table-3", 3, 4),
        ("m-rf/appendix-table-1", 3, 6),
        ("m-rf/appendix-table-2", 1, 7),
        ("m-rf/appendix-seconds", 4, 7),
    ],
)
def test_shapes(id, columns, rows):
    table = printed.table(id)
    assert len(table.columns) == columns and len(table.rows) == rows
    assert len(table.cells) == columns * rows


def test_what_the_columns_say():
    three = printed.table("rdf/table-3")
    assert three.of("name")["synth-e"] == "SynthE" and three.of("depth")["synth-e"] == 12
    assert printed.table("diprime-v2/table-2").of("unit") == {}


@pytest.mark.parametrize("id", TABLES)
def test_every_cell_has_a_depth(id):
    table = printed.table(id)
    depths = {c["data"]: c.get("depth") for c in table.columns}
    assert all(cell.depth or depths[data] for (data, _), cell in table.cells.items())
    if id.startswith("diprime-v2"):
        assert all(cell.depth and cell.deviation is not None for cell in table.cells.values())


@pytest.mark.parametrize(
    ("id", "data", "row", "value", "deviation"),
    [
        ("diprime-v1/table-1", "parkinsons", "Median Trees", 0.02465, None),
        ("diprime-v1/table-2", "wall-following-24", "DP-DF", 0.397, None),
        ("diprime-v2/table-1", "gas-turbine", "DiPriMeExp", 9.60e-4, 1.11e-4),
        ("diprime-v2/table-1", "flight", "DP-RF", 407e-4, 26e-4),
        ("diprime-v2/table-2", "puc-rio-postures", "DP-DF", 0.515, 0.004),
        ("diprime-v2/table-2", "higgs", "DiPriMeFlip", 0.608, 0.005),
        ("mrf/table-1", "zoo", "CompRF-I", 0.9339, None),
        ("mrf/table-1", "connect4", "Denil14", 0.6619, None),
        ("mrf/table-1", "hepatitis", "Breiman", 0.6405, None),
        ("mrf/table-2", "samples", "Ads", 3729, None),
        ("mrf/table-3", "cmc", "B3 = 10", 0.5294, None),
        ("m-rf/appendix-table-2", "car", "training, q = 2", 0.810, None),
        ("m-rf/appendix-seconds", "strategy", "prediction, q = 1", 336.6, None),
    ],
)
def test_some_cells_against_the_paper(id, data, row, value, deviation):
    cell = printed.table(id).cells[data, row]
    assert math.isclose(cell.value, value)
    assert cell.deviation == (None if deviation is None else pytest.approx(deviation))


def test_the_authors_own_runs():
    """3,186 settings of nine files and more, each once; some means, as their files have them."""
    found = printed.own_runs("m-rf")
    keys = [(r.file, r.method, r.voting, r.depth, r.trees, r.queries, r.epsilon) for r in found]
    assert len(keys) == len({*keys}) == 3186 and all(0 <= r.deviation < 0.5 and r.runs in (5, 10) for r in found)
    at = {"file": "car_id1", "depth": 4, "epsilon": 2.0}
    few = {n: printed.own_runs("m-rf", method="Laplace", trees=n, **at)[0] for n in (1, 4)}
    assert {n: r.mean for n, r in few.items()} == {1: 0.7382, 4: 0.8162}
    assert printed.own_runs("m-rf", data="mushroom", method="M-RF training", epsilon=0.01)[0].mean == 0.809
    assert not printed.own_runs("m-rf", depth=1)


def test_marks_of_significance():
    """Ten daggers and seven dots, as the paper's table has them; the names are table 2's, in its order."""
    table = printed.table("mrf/table-1")
    marks = list(table.of("mark").values())
    assert (marks.count("†"), marks.count("•"), marks.count("")) == (10, 7, 5)
    assert tuple(table.of("name").values()) == printed.table("mrf/table-2").rows


def test_only_data_sets_that_are_not_had_are_not_run():
    from dplit import datasets

    missing = {c["data"] for id in TABLES for c in printed.table(id).columns} - {*datasets.names()}
    assert missing == {*printed.not_run()}
    assert all(printed.not_run().values())


@pytest.mark.parametrize("id", printed.tables("diprime-v2-figures"))
def test_what_is_read_off_an_image_has_an_error_of_reading(id):
    table = printed.table(id)
    assert 0 < table.parameters["reading"] < 0.2 * max(c.value for c in table.cells.values())
    assert ".png" in table.where and all(c.deviation is None for c in table.cells.values())
