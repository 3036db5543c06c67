"""The careless changes that were written by hand: they are places of the code, and the stored run is of them."""

import ast
import json
from types import SimpleNamespace

import numpy as np
import pytest

from dplit.budget import Budget, Spend
from dplit.court.audit.suite import every_subject
from dplit.ground.printed import data_file
from dplit.mechanisms import Geometric
from tests.audit.careless import asked, careless, source_of

STORED = json.loads(data_file("results/audit/careless.json").read_text("utf-8"))


@pytest.mark.parametrize("name", careless())
def test_a_careless_change_is_one_of_the_present_source(name):
    assert ast.parse(source_of(careless()[name])) and asked(careless()[name])


def test_the_stored_run_is_of_these_changes():
    """The first count stands as it was; what was noticed then is noticed still."""
    assert STORED["command"] and STORED["date"] and STORED["versions"]
    rows = {row["name"]: row for row in STORED["rows"]}
    assert list(rows) == list(careless()) and len(rows) == 40
    known = every_subject()
    for row in rows.values():
        assert {row["first"], row["mended"]} - {""} <= set(known), row
        assert not row["first"] or row["mended"], row
    counts = {time: sum(bool(row[time]) for row in rows.values()) for time in ("first", "mended")}
    assert counts == STORED["noticed"] and counts["mended"] >= 36


def _fit(kept, X, y):
    """A fit that releases a noisy number of records, and keeps something else."""
    from dplit.court.audit.subjects import moved

    rng = moved.OfTheFit(np.random.PCG64(0))
    noisy = Geometric(0.5).sample(np.array([len(X)]), rng=rng)
    ties = rng.random(3)
    return SimpleNamespace(counts_=noisy, ties_=ties, kept_=kept(X), budget_=Budget(Spend("number", 0.5)))


@pytest.mark.parametrize(
    "kept", [len, lambda X: X.sum(axis=0), lambda X: (float(X.mean()),), lambda X: str(len(X))]
)
def test_lockstep_knows_what_is_stored_without_noise(kept):
    """A number, an array, a tuple or a text that is the records'; and what is released alone is not."""
    from dplit.court.audit.subjects import moved

    data = np.array([[0.5]]), np.array([0])
    more = np.array([[0.5], [0.9]]), np.array([0, 0])
    assert moved.in_lockstep(lambda *data: _fit(lambda X: 1, *data), data, more)[0] == pytest.approx(0.5)
    assert moved.in_lockstep(lambda *data: _fit(kept, *data), data, more)[0] == np.inf


def test_in_turn_knows_what_is_returned_without_noise():
    from dplit.court.audit.subjects import moved

    def called(n, told, rng):
        return Geometric(0.5).sample(np.array([n]), rng=rng).tolist(), told

    for told, loss in ((3, pytest.approx(0.5)), (4, np.inf)):
        assert moved.in_turn(lambda rng: called(3, 3, rng), lambda rng, n=told: called(4, n, rng))[0] == loss
