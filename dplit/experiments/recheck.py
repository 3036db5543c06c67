"""Compute a part of a stored result again."""

from __future__ import annotations

import numpy as np

from dplit import datasets
from dplit.experiments import core
from dplit.experiments.protocol import run_task
from dplit.experiments.store import versions

CHEAP = 0.25  # share of the tasks among which the cheapest are chosen
LIBRARY_METHODS = ("RF", "ERT")  # another version of scikit-learn may grow other trees


def recheck(result, n, rng):
    """Run `n` of the cheaper tasks of a stored result again.

    Parameters
    ----------
    result : dplit.experiments.store.Result
    n : int
    rng : numpy.random.Generator
        Chooses the tasks.

    Returns
    -------
    list of (key, repetition, stored score, score now)
        Without the tasks whose records are not on this machine: nothing is downloaded.
    """
    experiment = core.get(result.experiment)
    keys = [k for k in result.cells if _comparable(experiment.cell(k), result)]
    keys.sort(key=lambda k: (result.cells[k]["seconds"], k))
    keys = keys[: max(3, round(CHEAP * len(keys)))]
    found = []
    for _ in range(n):
        key = keys[int(rng.integers(len(keys)))]
        scores = result.cells[key]["scores"]
        r = int(rng.choice([i for i, s in enumerate(scores) if s is not None]))
        cell = experiment.cell(key)
        if datasets.available(cell.data):
            now = run_task(experiment.id, cell, r, result.seed).score
            found.append((key, r, scores[r], now))
    return found


def _comparable(cell, result):
    """True if a score of this cell should come out the same with the libraries that are here."""
    here = versions()
    same = all(run["versions"].get("scikit-learn") == here["scikit-learn"] for run in result.runs)
    return same or cell.method not in LIBRARY_METHODS


def same(stored, now):
    """True if two scores are one up to the rounding of another processor."""
    return bool(np.allclose(stored, now, rtol=1e-9, atol=1e-12))
