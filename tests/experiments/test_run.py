"""Runs: seeds, resuming, and what a run that is stopped leaves behind."""

import errno
import json
import subprocess
import sys
from importlib import import_module
from itertools import product

import numpy as np
import pytest

from dplit import datasets
from dplit.court import experiments
from dplit.court.experiments import cells as CELLS
from dplit.court.experiments import task
from dplit.court.experiments.cells import Cell
from dplit.court.experiments.result import Journal, claimed
from dplit.court.experiments.task import Outcome, Predicted

RUN = import_module("dplit.court.experiments.run")  # the package's `run` is the function

ID = "test/run"


@pytest.fixture
def calls(monkeypatch):
    """An experiment of fakes: what was run, in order; the scores are those of its seeds."""
    done = []

    def fake(id, cells, repetition, seed):
        done.extend((cell.key, repetition) for cell in cells)
        words = [CELLS.task_seed(seed, id, cell.key, repetition) for cell in cells]
        return [Outcome(np.random.default_rng(w).random(), float("inf"), 0.5) for w in words]

    cells = [Cell("iris", m, "exact", "accuracy", {"max_depth": 2}) for m in ("RF", "ERT")]
    cells.append(Cell("higgs", "RF", "exact", "accuracy", {}, not_run="too large"))
    monkeypatch.setattr(RUN, "run_measures", fake)
    monkeypatch.setattr(CELLS, "REGISTERED", dict(CELLS.REGISTERED))
    CELLS.experiment(ID, "A test", repetitions=3)(lambda: cells)
    return done


def test_every_cell_that_is_run_and_every_repetition(calls, tmp_path):
    result = experiments.run(ID, out=tmp_path / "a" / "b.json")
    assert sorted(calls) == [(f"iris/{m}/exact", r) for m in ("ERT", "RF") for r in range(3)]
    assert {*result.cells} == {"iris/RF/exact", "iris/ERT/exact"}
    read = experiments.read(tmp_path / "a" / "b.json")
    assert read == result and read.cells["iris/RF/exact"]["epsilon"] == "inf"
    assert not (tmp_path / "a" / "b.jsonl").exists()


def test_cells_of_a_method_that_has_changed_are_not_compared(calls, monkeypatch, tmp_path):
    old = Cell("iris", "JPW", "proved", "accuracy", {"epsilon": 1.0}, superseded="test/run-2")
    CELLS.experiment("test/old", "A test", repetitions=2)(lambda: [old])
    both = [*experiments.get(ID).cells, old]
    CELLS.experiment("test/both", "A test", repetitions=2)(lambda: both)
    result = experiments.run("test/both", out=tmp_path / "both.json")
    monkeypatch.setattr(RUN, "run_task", lambda id, cell, r, seed: Outcome(0.0, 1.0, 0.1))
    found = {key for key, *_ in experiments.recheck(result, 40, np.random.default_rng(0))}
    assert found == {"iris/RF/exact", "iris/ERT/exact"}
    alone = experiments.run("test/old", out=tmp_path / "old.json")
    assert experiments.recheck(alone, 3, np.random.default_rng(0)) == []


def test_what_is_there_is_not_run_again(calls, tmp_path):
    out = tmp_path / "x.json"
    first = experiments.run(ID, repetitions=1, cells=["*/RF/*"], out=out, command="one")
    calls.clear()
    result = experiments.run(ID, out=out, command="two")
    assert ("iris/RF/exact", 0) not in calls and len(calls) == 5
    assert result.cells["iris/RF/exact"]["scores"][0] == first.cells["iris/RF/exact"]["scores"][0]
    assert [run["tasks"] for run in result.runs] == [1, 5]
    calls.clear()
    experiments.run(ID, out=out)
    assert calls == [] and experiments.read(out) == result


def test_a_run_that_is_stopped_loses_only_what_was_running(calls, tmp_path):
    out, whole = tmp_path / "x.json", experiments.run(ID, out=tmp_path / "whole.json")

    def stop(tasks, total):
        for n, one in enumerate(tasks):
            if n == 2:
                raise KeyboardInterrupt
            yield one

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
    outcome = {"score": 0.25, "epsilon": None, "seconds": 1.0}
    Journal(tmp_path / "y.json").append(ID, 0, "iris/RF/exact", 0, outcome)
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
    fake = RUN.run_measures

    def sometimes(id, cells, repetition, seed):
        (cell,) = cells
        if cell.method == "RF" and repetition != 1:
            raise datasets.DatasetError("its file is not here") if repetition else ZeroDivisionError
        return fake(id, cells, repetition, seed)

    monkeypatch.setattr(RUN, "run_measures", sometimes)
    out = tmp_path / "x.json"
    result = experiments.run(ID, out=out)
    assert {key: len(result.scores(key)) for key in result.cells} == {"iris/ERT/exact": 3, "iris/RF/exact": 1}
    lost = {r: (key, error) for key, r, error in result.lost}
    assert sorted(lost) == [0, 2] and "ZeroDivisionError" in lost[0][1]
    assert lost[2] == ("iris/RF/exact", "its file is not here")
    assert experiments.read(out) == result and experiments.read(out).lost == []
    monkeypatch.setattr(RUN, "run_measures", fake)
    assert experiments.run(ID, out=out).lost == []
    assert len(experiments.read(out).scores("iris/RF/exact")) == 3


def test_processes_give_the_same_scores(monkeypatch, tmp_path):
    """The tasks go to the processes with their cells: these need not know the experiment."""
    options = {"cells": ["wdbc/*"], "repetitions": 2}
    monkeypatch.setattr(CELLS, "REGISTERED", dict(CELLS.REGISTERED))
    CELLS.experiment(ID, "A test")(lambda: [_forest("RF"), _forest("ERT")])
    one = experiments.run(ID, out=tmp_path / "1.json", **options)
    again = experiments.run(ID, out=tmp_path / "2.json", **options, jobs=2)
    other = experiments.run(ID, out=tmp_path / "3.json", **options, seed=1)
    scores = [{k: c["scores"] for k, c in r.cells.items()} for r in (one, again, other)]
    assert scores[0] == scores[1] != scores[2]


def _forest(method, measure="accuracy", **fields):
    return Cell("wdbc", method, "exact", measure, {"n_estimators": 2, "max_depth": 3}, **fields)


def test_what_is_one_fit_is_fitted_once_and_scores_as_alone(monkeypatch, tmp_path):
    """Two figures of the same forests: the second has one repetition less, and a cell of its own."""
    monkeypatch.setattr(CELLS, "REGISTERED", dict(CELLS.REGISTERED))
    CELLS.experiment(ID, "A test", repetitions=3)(lambda: [_forest("RF"), _forest("ERT")])
    other = [_forest("RF", "auc", seeds=ID), _forest("ERT", "f1")]
    CELLS.experiment("test/other", "A test", repetitions=2)(lambda: other)
    alone = [experiments.run(id, out=tmp_path / f"{n}.json") for n, id in enumerate((ID, "test/other"))]
    fits, fit = [], RUN.run_measures

    def counted(id, cells, repetition, seed):
        fits.append((id, [cell.measure for cell in cells], repetition))
        return fit(id, cells, repetition, seed)

    monkeypatch.setattr(RUN, "run_measures", counted)
    outs = {ID: tmp_path / "a.json", "test/other": tmp_path / "b.json"}
    both = experiments.run_together(outs)
    assert len(fits) == 3 + 3 + 2
    assert [one[1] for one in fits].count(["accuracy", "auc"]) == 2
    for result in alone:
        found, id = both[result.experiment], result.experiment
        assert found == experiments.read(outs[id])
        for key, cell in result.cells.items():
            assert found.cells[key]["scores"] == cell["scores"]
    (shared,) = {c["scores"][0] for k, c in both[ID].cells.items() if "/ERT/" in k}
    other = experiments.run_task("test/other", other[1], 0).score
    assert both["test/other"].cells["wdbc/ERT/exact"]["scores"][0] == other != shared


def test_predictions_of_the_test_part_are_made_once():
    calls = []

    class Model:
        classes_ = ("a", "b")

        def predict(self, X):
            calls.append(X)
            return np.zeros(len(X))

    test, train = np.ones((3, 1)), np.ones((5, 1))
    seen = Predicted(Model(), test)
    assert seen.classes_ == ("a", "b") and seen.predict(test) is seen.predict(test)
    assert len(calls) == 1 and len(seen.predict(train)) == 5 and len(calls) == 2


def test_draws_are_problems_of_their_own_and_two_folds_share_one():
    """Folds of one draw: disjoint test parts of one set of records. Sizes are nested within a draw."""
    cell = Cell("synth-a", "RDF", "proved", "accuracy", folds=10, draws=2)
    assert [cell.parts(r) for r in (0, 1, 2, 5)] == [(0, 0, 0), (0, 0, 1), (1, 0, 0), (2, 0, 1)]
    assert Cell("iris", "RF", "exact", "accuracy").parts(3) == (None, 3, None)
    assert Cell("iris", "RF", "exact", "accuracy", folds=10).parts(23) == (None, 2, 3)
    first, second, other = (_split(cell, r) for r in (0, 1, 2))
    assert len(first.X_test) == 3_000 and len(first.X_train) == 27_000
    assert {*first.X_test.index}.isdisjoint(second.X_test.index)
    index = second.X_test.index
    assert first.X_train.loc[index].equals(second.X_test)
    assert not np.isin(first.X_test.iloc[:, 0], other.X_train.iloc[:, 0]).any()
    words = {CELLS.draw_seed(s, d, n) for s, d, n in product((0, 1), ("synth-a", "synth-b"), range(9))}
    assert len(words) == 36
    few, many = (task._drawn(cell, 2, 0, n) for n in (100, 1_000))
    assert task._loaded(*many).X.iloc[:100].equals(task._loaded(*few).X)


def _split(cell, repetition):
    part = cell.parts(repetition)[1:]
    return task._cached_split(task._drawn(cell, repetition, 0), False, cell.folds, part, 0)


def test_seeds_differ_by_each_of_their_parts():
    parts = [*product((0, 1), ("a/b", "a/c"), ("k", "l"), range(5))]
    assert len({CELLS.task_seed(*p) for p in parts}) == len(parts)
    assert CELLS.task_seed(*parts[0]) == CELLS.task_seed(*parts[0])


def test_the_split_is_one_for_all_methods_and_another_for_each_repetition():
    splits = [CELLS.split_rng(0, "iris", r).permutation(150).tolist() for r in (0, 0, 1)]
    assert splits[0] == splits[1] != splits[2]
    assert CELLS.split_rng(0, "wdbc", 0).permutation(150).tolist() != splits[0]


def test_keys_are_distinct():
    cell = Cell("iris", "RF", "exact", "accuracy")
    with pytest.raises(ValueError, match="distinct keys"):
        CELLS.Experiment("test/twice", "", (cell, cell))


def test_every_experiment_is_well_formed():
    for id in experiments.ids():
        found = experiments.get(id)
        least = 5 if id.startswith("bench/tables-") else 10  # where the unit is the table, one cut is enough
        assert found.cells and found.title and found.repetitions >= least
        for cell in found.cells:
            assert cell.reading in CELLS.READINGS and found.cell(cell.key) is cell
            given, told = {n for n in cell.params if n == "epsilon" or "budget" in n}, budgets(cell)
            assert told <= given, f"{id}: {cell.key}"
            of_labels = {"label_budget"} if "value_budget" in told else set()
            assert given <= told | of_labels | {*cell.at}, f"{id}: {cell.key}"


def budgets(cell):
    """The budgets that a method must be told: epsilon, but of MRF as published its own."""
    if cell.reading == "exact":
        return set()
    if cell.method.startswith("MRF") and cell.reading == "published":
        return {"feature_budget", "value_budget"}
    return {"epsilon"}


# Files ------------------------------------------------------------------------------------------


def test_a_second_run_on_one_file_is_refused(calls, tmp_path):
    out = tmp_path / "x.json"
    with claimed(out), pytest.raises(ValueError, match=r"another run writes x\.json: wait"):
        experiments.run(ID, out=out)
    assert calls == []
    assert len(experiments.run(ID, out=out).cells) == 2


def test_the_lock_of_a_process_that_is_gone_stops_nobody(calls, tmp_path):
    out = tmp_path / "x.json"
    script = "import os, sys\nfrom dplit.court.experiments.result import claimed\n"
    script += "with claimed(sys.argv[1]): os._exit(9)"
    done = subprocess.run([sys.executable, "-c", script, str(out)], check=False, timeout=120)
    assert done.returncode == 9
    assert len(experiments.run(ID, out=out).cells) == 2


def test_two_processes_never_write_one_file(calls, tmp_path):
    out = tmp_path / "x.json"
    script = "import sys, time\nfrom dplit.court.experiments.result import claimed\n"
    script += "with claimed(sys.argv[1]): print('held', flush=True); time.sleep(60)"
    other = subprocess.Popen([sys.executable, "-c", script, str(out)], stdout=subprocess.PIPE)
    assert other.stdout.readline() == b"held\n"
    with pytest.raises(ValueError, match="another run writes"):
        experiments.run(ID, out=out)
    other.kill()
    other.wait()
    other.stdout.close()
    assert len(experiments.run(ID, out=out).cells) == 2


def test_a_folder_and_a_file_of_something_else_are_named(calls, tmp_path):
    with pytest.raises(ValueError, match=r"out must be a file, and .* is a folder"):
        experiments.run(ID, out=tmp_path)
    for text in ("garbage", "[1, 2]", '{"a": 1}', ""):
        (tmp_path / "x.json").write_text(text)
        with pytest.raises(ValueError, match=r"x\.json must be a result file"):
            experiments.run(ID, out=tmp_path / "x.json")
        assert (tmp_path / "x.json").read_text() == text


def test_names_that_differ_in_their_ending_have_journals_of_their_own(tmp_path):
    names = ["run.v1", "run.v2", "run.json", "run"]
    assert len({Journal(tmp_path / name).path for name in names}) >= 3
    assert Journal(tmp_path / "run.v1").path != Journal(tmp_path / "run.v2").path


def test_a_full_disk_keeps_what_was_computed(calls, tmp_path, monkeypatch):
    out, whole = tmp_path / "x.json", experiments.run(ID, out=tmp_path / "whole.json")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", str(out))

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", full)
        with pytest.raises(OSError, match="No space"):
            experiments.run(ID, out=out)
    assert not out.exists() and not list(tmp_path.glob("*.writing"))
    calls.clear()
    assert experiments.run(ID, out=out).cells == whole.cells and calls == []
