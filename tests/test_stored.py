"""Stored runs: what is written is what is read, whole or not at all."""

import json
import os

import pytest

import dplit
from dplit.court.attacks import run
from dplit.court.experiments.chapters import regimes, scaling
from dplit.ground.stored import stored_cells, write_cells


@pytest.mark.parametrize("module", [regimes, scaling, run], ids=lambda m: m.__name__)
def test_a_stored_run_is_written_as_it_was(module, tmp_path):
    """Its cells, and a head with the command, the seed and the versions; the bytes but for date and versions."""
    kept = json.loads(dplit.ground.printed.data_file(module.FILE).read_text("utf-8"))
    path = tmp_path / "a" / "run.json"
    write_cells(path, kept["cells"], kept["command"], kept["seed"], kept.get("trees"), ("numpy",))
    found = json.loads(path.read_text("utf-8"))
    assert list(found) == list(kept) and found["versions"]["dplit"] == dplit.__version__
    assert set(found["versions"]) == {"python", "dplit", "numpy"}
    same = {"date": kept["date"], "versions": kept["versions"]}
    stored = dplit.ground.printed.data_file(module.FILE).read_text("utf-8")
    assert json.dumps({**found, **same}, indent=1) + "\n" == stored
    assert found["cells"] == stored_cells(module.FILE)
    assert found["command"].startswith(f"python -m {module.__name__} data/{module.FILE}")


def test_a_fault_leaves_the_run_that_was_there(tmp_path, monkeypatch):
    path = tmp_path / "run.json"
    write_cells(path, {"a": 1}, "python", 0, None, ())
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_cells(path, {"a": 2}, "python", 0, None, ())
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("module", [regimes, scaling], ids=lambda m: m.__name__)
def test_a_run_writes_every_cell(module, tmp_path, monkeypatch):
    """With cells that cost nothing, the file is of the stored one's shape."""
    cell = "regime" if module is regimes else "point"
    monkeypatch.setattr(module, cell, lambda *where: {"of": list(where)})
    module.main(tmp_path / "run.json")
    found = json.loads((tmp_path / "run.json").read_text("utf-8"))["cells"]
    kept = stored_cells(module.FILE)
    assert list(found) == list(kept)
    if module is scaling:
        assert {a: list(line) for a, line in found.items()} == {a: list(k) for a, k in kept.items()}
        assert found["trees"]["4"] == {"of": ["trees", 4]}
