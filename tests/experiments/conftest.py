"""Printed cells and stored results that take the place of the project's."""

from dataclasses import replace

import pytest

from dplit.court import experiments
from dplit.court.claims.runs import reproduced
from dplit.ground import printed


@pytest.fixture
def print_instead(monkeypatch):
    """Print other cells in a table: ``print_instead(id, {(data, row): text})``."""
    original = printed.table

    def change(id, texts, **fields):
        table = original(id)
        cells = dict(table.cells)
        for key, text in texts.items():
            unit = {c["data"]: c.get("unit", 1.0) for c in table.columns}[key[0]]
            cells[key] = printed.parse(text, unit)
        changed = replace(table, cells=cells, **fields)
        monkeypatch.setattr(printed, "table", lambda asked: changed if asked == id else original(asked))

    return change


@pytest.fixture
def own_instead(monkeypatch):
    """Other means of authors' own runs: ``own_instead(change)`` of a run, which gives its mean."""
    original = printed._own_runs("m-rf")

    def change(mean_of):
        runs = [r._replace(mean=mean_of(r)) for r in original]
        monkeypatch.setattr(printed, "_own_runs", lambda paper: runs)

    return change


@pytest.fixture
def stored(monkeypatch):
    """Results that take the place of the stored ones; none of them is run again."""
    kept = {}

    def stored_or_missing(id):
        if id not in kept:
            raise FileNotFoundError(f"no result of {id} is stored")
        return kept[id]

    monkeypatch.setattr(experiments, "stored", stored_or_missing)
    monkeypatch.setattr(reproduced, "_once", lambda id, n: 0)
    monkeypatch.setattr(reproduced, "levels", lambda: dict.fromkeys(reproduced.SENTENCES, 0.001))
    return kept
