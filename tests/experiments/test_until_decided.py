"""Runs until sentences are decided, on an experiment of fakes whose true differences are known."""

import json
from importlib import import_module

import numpy as np
import pytest

from dplit.cli import main
from dplit.court import experiments
from dplit.court.claims.runs import reproduced
from dplit.court.claims.runs.until_decided import until_decided
from dplit.court.experiments import cells as CELLS
from dplit.court.experiments import curves, rule
from dplit.court.experiments.cells import Cell
from dplit.court.experiments.task import Outcome

RUN = import_module("dplit.court.experiments.run")
ID = "test/figure-1"
MEANS = {"RF": 0.9, "ERT": 0.8, "Breiman": 0.8}
KEYS = {m: f"wdbc/{m}/exact" for m in MEANS}


def ahead(one, other):
    def decide():
        return curves.ahead(experiments.stored(ID), KEYS[one], KEYS[other]), "words"

    return decide


def of_one_draw():
    scores = experiments.stored(ID).scores(KEYS["RF"])
    return rule.above(scores, 0.9, deviation=0.1, cells=((ID, KEYS["RF"]),), least=2), "words"


SENTENCES = {
    "test/better": ahead("RF", "ERT"),
    "test/worse": ahead("ERT", "RF"),
    "test/alike": ahead("ERT", "Breiman"),
    "test/open": lambda: (rule.OPEN, "of a method that is not here"),
    "test/draw": of_one_draw,
}


@pytest.fixture
def ran(monkeypatch, tmp_path):
    """What is run, by key; three repetitions are there. The scores deviate by 0.02."""
    done = dict.fromkeys(KEYS.values(), 0)

    def fake(id, cells, repetition, seed):
        done[cells[0].key] += 1
        word = CELLS.task_seed(seed, id, cells[0].key, repetition)
        score = MEANS[cells[0].method] + np.random.default_rng(word).normal(0, 0.02)
        return [Outcome(score, None, 3.6)]

    monkeypatch.setattr(RUN, "run_measures", fake)
    monkeypatch.setattr(CELLS, "REGISTERED", dict(CELLS.REGISTERED))
    cells = [Cell("wdbc", m, "exact", "accuracy", {"max_depth": 2}) for m in MEANS]
    CELLS.experiment(ID, "A test", repetitions=3)(lambda: cells)
    monkeypatch.setattr(reproduced, "levels", lambda: dict.fromkeys(SENTENCES, 0.0125))
    monkeypatch.setattr(reproduced, "SENTENCES", SENTENCES)
    monkeypatch.setattr(reproduced, "FIGURES", dict.fromkeys(SENTENCES, ID))
    experiments.run(ID, out=tmp_path / f"{ID}.json")
    return done


def test_each_sentence_is_run_until_it_is_decided(ran, tmp_path):
    verdicts, still = until_decided("test", lambda id: tmp_path / f"{id}.json", hours=10.0)
    assert verdicts == {
        "test/better": "agrees", "test/worse": "differs", "test/alike": "too close", "test/open": "undecided",
        "test/draw": "undecided",
    }  # fmt: skip
    assert {one.id for one in still} == {"test/open", "test/draw"}
    assert not any(one.wanted for one in still), "no runs decide these"
    assert ran[KEYS["RF"]] == rule.LEAST, "what is decided is not run on"
    assert ran[KEYS["ERT"]] == ran[KEYS["Breiman"]] > rule.LEAST
    result = experiments.read(tmp_path / f"{ID}.json")
    assert len(result.scores(KEYS["ERT"])) == ran[KEYS["ERT"]]
    assert len(result.runs) == 1, "all looks of one command are one run"


def test_no_more_hours_than_asked_for_are_spent(ran, tmp_path):
    """A task takes a thousandth of an hour; the first three were there."""
    _, still = until_decided("test", lambda id: tmp_path / f"{id}.json", hours=0.05)
    assert sum(ran.values()) - 9 <= 50
    (alike,) = [one for one in still if one.id == "test/alike"]
    assert alike.wanted and alike.hours > 0


def test_the_command(ran, tmp_path, capsys):
    asked = ["experiment", ID, "--until-decided", "--hours", "10", "--out", str(tmp_path), "--jobs", "1"]
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdicts"]["test/better"] == "agrees" and [*found["hours"]] == ["test/open", "test/draw"]
    assert main(asked) == 0
    assert "no run decides it" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["experiment", "test/figure-9", "--until-decided"])
    assert "no sentence is about 'test/figure-9'" in capsys.readouterr().err
