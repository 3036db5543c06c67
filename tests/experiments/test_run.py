"""Runs: seeds, resuming, and what a run that is stopped leaves behind."""

import json
from importlib import import_module
from itertools import product

import numpy as np
import pytest

from dplit import datasets, experiments
from dplit.experiments import cells as registry
from dplit.experiments.cells import Cell
from dplit.experiments.result import Journal
from dplit.experiments.task import Outcome

RUN = import_module("dplit.experiments.run")  # the package's `run` is the function

ID = "test/run"


@pytest.fixture
def calls(monkeypatch):
    """An experiment of fakes: what was run, in order; the scores are those of its seeds."""
    done = []

    def fake(id, cell, repetition, seed):
        done.append((cell.key, repetition))
        word = registry.task_seed(seed, id, cell.key, repetition)
        return Outcome(np.random.default_rng(word).random(), float("inf"), 0.5)

    cells = [Cell("iris", m, "exact", "accuracy", {"max_depth": 2}) for m in ("RF", "ERT")]
    cells.append(Cell("higgs", "RF", "exact", "accuracy", {}, not_run="too large"))
    monkeypatch.setattr(RUN, "run_task", fake)
    experiments.ids()  # all are registered before the registry is copied
    monkeypatch.setattr(registry, "_builders", dict(registry._builders))
    registry.experiment(ID, "A test", repetitions=3)(lambda: cells)
    return done


def test_every_cell_that_is_run_and_every_repetition(calls, tmp_path):
    result = experiments.run(ID, out=tmp_path / "a" / "b.json")
    assert sorted(calls) == [(f"iris/{m}/exact", r) for m in ("ERT", "RF") for r in range(3)]
    assert {*result.cells} == {"iris/RF/exact", "iris/ERT/exact"}
    read = experiments.read(tmp_path / "a" / "b.json")
    assert read == result and read.cells["iris/RF/exact"]["epsilon"] == "inf"
    assert not (tmp_path / "a" / "b.jsonl").exists()


def test_what_is_there_is_not_run_again(calls, tmp_path):
    out = tmp_path / "x.json"
    first = experiments.run(ID, repetitions=1, cells=["*/RF/*"], out=out)
    calls.clear()
    result = experiments.run(ID, out=out)
    assert ("iris/RF/exact", 0) not in calls and len(calls) == 5
    assert result.cells["iris/RF/exact"]["scores"][0] == first.cells["iris/RF/exact"]["scores"][0]
    assert [run["tasks"] for run in result.runs] == [1, 5]
    calls.clear()
    experiments.run(ID, out=out)
    assert calls == [] and experiments.read(out) == result


def test_a_run_that_is_stopped_loses_only_what_was_running(calls, tmp_path):
    out, whole = tmp_path / "x.json", experiments.run(ID, out=tmp_path / "whole.json")

    def stop(tasks, total):
        for n, task in enumerate(tasks):
            if n == 2:
                raise KeyboardInterrupt
            yield task

    with pytest.raises(KeyboardInterrupt):
        experiments.run(ID, out=out, progress=stop)
    assert sum(len(c["scores"]) for c in experiments.read(out).cells.values()) == 2
    assert experiments.run(ID, out=out).cells == whole.cells


def test_a_journal_of_a_killed_run_is_read(calls, tmp_path):
    out = tmp_path / "x.json"
    journal = Journal(out)
    journal.append(ID, 0, "iris/RF/exact", 1, {"score": 0.25, "epsilon": None, "seconds": 1.0})
    with journal.path.open("a") as file:
        file.write('{"experiment": "test/run", "se')  # killed in the middle of a line
    result = experiments.run(ID, out=out)
    assert ("iris/RF/exact", 1) not in calls and len(calls) == 5
    assert result.cells["iris/RF/exact"]["scores"][1] == 0.25
    assert not journal.path.exists()


def test_another_seed_or_experiment_needs_another_file(calls, tmp_path):
    out = tmp_path / "x.json"
    experiments.run(ID, out=out)
    with pytest.raises(ValueError, match=r"x\.json is of test/run with seed 0"):
        experiments.run(ID, seed=1, out=out)
    Journal(tmp_path / "y.json").append(ID, 0, "iris/RF/exact", 0, {})
    with pytest.raises(ValueError, match="journal of test/run with seed 0"):
        experiments.run(ID, seed=1, out=tmp_path / "y.json")


def test_other_parameters_need_another_file(calls, tmp_path):
    out = tmp_path / "x.json"
    experiments.run(ID, out=out)
    changed = json.loads(out.read_text())
    changed["cells"]["iris/RF/exact"]["params"]["max_depth"] = 3
    out.write_text(json.dumps(changed))
    with pytest.raises(ValueError, match=r"'iris/RF/exact' with parameters .*'max_depth': 3"):
        experiments.run(ID, out=out)


def test_unknown_names(calls, tmp_path):
    with pytest.raises(ValueError, match="'test/ran'; the nearest are test/run"):
        experiments.get("test/ran")
    with pytest.raises(ValueError, match=r"cells 'higgs/\*' match none of test/run"):
        experiments.run(ID, cells=["higgs/*"], out=tmp_path / "x.json")
    with pytest.raises(ValueError, match="repetitions must be an integer of at least 1"):
        experiments.run(ID, repetitions=0, out=tmp_path / "x.json")


def test_a_task_that_raises_stops_no_other(calls, monkeypatch, tmp_path):
    fake = RUN.run_task

    def sometimes(id, cell, repetition, seed):
        if cell.method == "RF" and repetition != 1:
            raise datasets.DatasetError("its file is not here") if repetition else ZeroDivisionError
        return fake(id, cell, repetition, seed)

    monkeypatch.setattr(RUN, "run_task", sometimes)
    out = tmp_path / "x.json"
    result = experiments.run(ID, out=out)
    assert {key: len(result.scores(key)) for key in result.cells} == {
        "iris/ERT/exact": 3,
        "iris/RF/exact": 1,
    }
    lost = {r: (key, error) for key, r, error in result.lost}
    assert sorted(lost) == [0, 2] and "ZeroDivisionError" in lost[0][1]
    assert lost[2] == ("iris/RF/exact", "its file is not here")
    assert experiments.read(out) == result and experiments.read(out).lost == []
    monkeypatch.setattr(RUN, "run_task", fake)
    assert experiments.run(ID, out=out).lost == []
    assert len(experiments.read(out).scores("iris/RF/exact")) == 3


def test_processes_give_the_same_scores(monkeypatch, tmp_path):
    """The tasks go to the processes with their cells: these need not know the experiment."""
    options = {"cells": ["wdbc/*"], "repetitions": 2}
    experiments.ids()
    monkeypatch.setattr(registry, "_builders", dict(registry._builders))
    registry.experiment(ID, "A test")(lambda: [_forest("RF"), _forest("ERT")])
    one = experiments.run(ID, out=tmp_path / "1.json", **options)
    again = experiments.run(ID, out=tmp_path / "2.json", **options, jobs=2)
    other = experiments.run(ID, out=tmp_path / "3.json", **options, seed=1)
    scores = [{k: c["scores"] for k, c in r.cells.items()} for r in (one, again, other)]
    assert scores[0] == scores[1] != scores[2]


def _forest(method):
    return Cell("wdbc", method, "exact", "accuracy", {"n_estimators": 2, "max_depth": 3})


def test_seeds_differ_by_each_of_their_parts():
    parts = [*product((0, 1), ("a/b", "a/c"), ("k", "l"), range(5))]
    assert len({registry.task_seed(*p) for p in parts}) == len(parts)
    assert registry.task_seed(*parts[0]) == registry.task_seed(*parts[0])


def test_the_split_is_one_for_all_methods_and_another_for_each_repetition():
    splits = [registry.split_rng(0, "iris", r).permutation(150).tolist() for r in (0, 0, 1)]
    assert splits[0] == splits[1] != splits[2]
    assert registry.split_rng(0, "wdbc", 0).permutation(150).tolist() != splits[0]


def test_keys_are_distinct():
    cell = Cell("iris", "RF", "exact", "accuracy")
    with pytest.raises(ValueError, match="distinct keys"):
        registry.Experiment("test/twice", "", (cell, cell))


def test_every_experiment_is_well_formed():
    for id in experiments.ids():
        found = experiments.get(id)
        assert found.cells and found.title and found.repetitions >= 10
        for cell in found.cells:
            assert cell.reading in registry.READINGS and found.cell(cell.key) is cell
            assert (cell.reading == "exact") == ("epsilon" not in cell.params)
