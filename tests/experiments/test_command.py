"""``dplit experiment``: what it lists, runs, resumes and refuses."""

import json
import re

import pytest

from dplit.cli import main
from dplit.court import experiments
from dplit.court.experiments import cells as CELLS
from dplit.court.experiments.cells import Cell


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """One experiment more, on records that need no file; results go to a folder of the test."""
    monkeypatch.setattr(CELLS, "REGISTERED", dict(CELLS.REGISTERED))
    shape = {"n_estimators": 2, "max_depth": 2}
    cells = [Cell("wdbc", m, "exact", "accuracy", shape) for m in ("RF", "ERT")]
    CELLS.experiment("test/figure-1", "A small figure", repetitions=2)(lambda: cells)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_are_listed(capsys):
    assert main(["experiment"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"diprime-v2/table-1 +65 +52 ", out)
    assert all(experiments.get(id).title in out for id in experiments.ids())
    assert main(["experiment", "--json"]) == 0
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == [
        *experiments.ids(),
        *experiments.FORMULAS,
    ]


def test_one_is_run_and_gone_on_with(capsys, small):
    assert main(["experiment", "test/figure-1", "--repetitions", "1", "--cells", "*/RF/*"]) == 0
    out = capsys.readouterr().out
    assert "test/figure-1: A small figure" in out and re.search(r"wdbc/RF/exact +0\.\d+ +0\n", out)
    assert main(["experiment", "test/figure-1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [run["tasks"] for run in found["runs"]] == [1, 3]
    assert found["runs"][0]["command"] == (
        "dplit experiment test/figure-1 --cells '*/RF/*' --repetitions 1 --seed 0"
    )
    assert {key: len(c["scores"]) for key, c in found["cells"].items()} == {
        "wdbc/ERT/exact": 2,
        "wdbc/RF/exact": 2,
    }
    assert (small / "dplit-results" / "test" / "figure-1.json").is_file()


def test_two_are_run_together(capsys, small):
    cells = [Cell("wdbc", "RF", "exact", "f1", {"n_estimators": 2, "max_depth": 2}, seeds="test/figure-1")]
    CELLS.experiment("test/figure-2", "Another", repetitions=2)(lambda: cells)
    assert main(["experiment", "test/figure-1", "--with", "test/figure-2", "--out", "a/x.json"]) == 0
    assert "test/figure-1: A small figure" in capsys.readouterr().out
    found = [experiments.read(small / "a" / name) for name in ("x.json", "figure-2.json")]
    assert [run["tasks"] for result in found for run in result.runs] == [4, 2]
    command = "dplit experiment test/figure-1 --with test/figure-2 --seed 0"
    assert {run["command"] for result in found for run in result.runs} == {command}


def test_another_file_and_seed(capsys, small):
    assert main(["experiment", "test/figure-1", "--out", "x.json", "--seed", "3"]) == 0
    assert experiments.read(small / "x.json").seed == 3
    assert not (small / "dplit-results").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["test/figure-2"], "no experiment has the id 'test/figure-2'; the nearest are test/figure-1"),
        (["test/figure-1", "--cells", "iris/*"], "cells 'iris/*' match none of test/figure-1"),
        (["--cells", "*"], "--cells: needs the ID"),
        (["--with", "test/figure-1"], "--with: needs the ID"),
        (["--repetitions", "0"], "--repetitions: needs the ID"),
        (["--out", "x.json"], "--out: needs the ID"),
        (["test/figure-1", "--jobs", "0"], "--jobs"),
        (["test/figure-1", "--repetitions", "0"], "repetitions must be an integer of at least 1"),
    ],
)
def test_bad_arguments_are_named(capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        main(["experiment", *arguments])
    assert stop.value.code == 2 and message in capsys.readouterr().err


def test_a_table_is_shown_beside_the_printed_cells(capsys, small):
    result = experiments.Result("diprime-v2/table-2")
    for r, score in enumerate((0.985, 0.995) * 10):
        cell = experiments.get("diprime-v2/table-2").cell("banknote/RF/exact")
        result.add(cell.key, cell.params, r, {"score": score, "epsilon": None, "seconds": 0.1})
    result.write(small / "x.json")
    options = ["--cells", "banknote/RF/exact", "--repetitions", "20", "--out", "x.json"]
    assert main(["experiment", "diprime-v2/table-2", *options]) == 0
    out = capsys.readouterr().out
    assert re.search(r"banknote +RF +0\.989 ± 0\.007 +0\.990 ± 0\.005 +alike +\+0\.3 +undecided", out)
    # the printed mean of ten runs is not known to a point
    assert "0 cells agree, 0 differ, 1 are undecided, 44 are not run" in out


def test_records_that_are_not_here(capsys, monkeypatch, small):
    from dplit.datasets import DatasetError

    def away(*of):
        raise DatasetError("its file is not here")

    monkeypatch.setattr("dplit.court.experiments.task._loaded", away)
    assert main(["experiment", "test/figure-1", "--jobs", "1"]) == 1
    lost = "4 tasks lost: wdbc/RF/exact, wdbc/ERT/exact"
    assert capsys.readouterr().err == f"dplit experiment: its file is not here; {lost}\n"


def test_what_was_lost_is_named_and_the_rest_is_shown(capsys, monkeypatch, small):
    from dplit.court.experiments import methods

    def broken(setting, **params):
        raise ArithmeticError("no such forest")

    monkeypatch.setitem(methods.METHODS, "ERT", broken)
    assert main(["experiment", "test/figure-1", "--json", "--jobs", "1"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert [*found["cells"]] == ["wdbc/RF/exact"]
    assert [(row["cell"], row["repetition"]) for row in found["lost"]] == [
        ("wdbc/ERT/exact", 0),
        ("wdbc/ERT/exact", 1),
    ]
    assert "no such forest" in err and "2 tasks lost: wdbc/ERT/exact" in err
    assert len(err.splitlines()) == 1


CELL = {"params": {}, "epsilon": 1.0, "seconds": 0.1, "scores": [0.5]}


@pytest.mark.parametrize(
    "changed",
    [
        {"cells": 7},
        {"cells": [CELL]},
        {"cells": {"a": 7}},
        *({"cells": {"a": {k: v for k, v in CELL.items() if k != name}}} for name in CELL),
        {"cells": {"a": {**CELL, "scores": ["high"]}}},
        {"cells": {"a": {**CELL, "seconds": "long"}}},
        {"experiment": None},
        {"runs": {}},
        {"seed": "0"},
        {"lost": []},
    ],
    ids=lambda changed: json.dumps(changed),
)
def test_json_of_another_shape_is_no_result_file(changed, capsys, small):
    held = {"experiment": "test/figure-1", "seed": 0, "runs": [], "cells": {}, **changed}
    text = json.dumps(held)
    (small / "x.json").write_text(text)
    with pytest.raises(SystemExit) as stop:
        main(["experiment", "test/figure-1", "--out", "x.json"])
    assert stop.value.code == 2
    assert "x.json must be a result file, and holds something else" in capsys.readouterr().err
    assert (small / "x.json").read_text() == text


@pytest.mark.parametrize("line", ["7", "[]", "{}", '{"experiment": "test/figure-1", "seed": 0}'])
def test_a_journal_of_something_else_is_named(line, capsys, small):
    (small / "x.jsonl").write_text(line + "\n")
    with pytest.raises(SystemExit) as stop:
        main(["experiment", "test/figure-1", "--out", "x.json"])
    assert stop.value.code == 2 and "x.jsonl must hold finished tasks" in capsys.readouterr().err


def test_the_root_is_a_folder_with_a_name(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["experiment", "test/figure-1", "--out", "/"])
    assert stop.value.code == 2 and "out must be a file, and / is a folder" in capsys.readouterr().err
