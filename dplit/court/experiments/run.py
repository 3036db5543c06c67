"""Run an experiment: the tasks that are not done yet, in any number of processes; or a part again."""

import contextlib
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from dplit import datasets
from dplit.court.experiments import images, registry, tables
from dplit.court.experiments.cells import Experiment
from dplit.court.experiments.result import LINE, Journal, Result, claimed, provenance, read
from dplit.court.experiments.task import run_measures, run_task
from dplit.datasets import DatasetError
from dplit.ground.errors import check_integer
from dplit.ground.work import fan_out, versions

CHEAP = 0.25  # share of the tasks among which the cheapest are run again
LIBRARY_METHODS = ("RF", "ERT", "Breiman")  # another version of scikit-learn may grow other trees


def run(
    id: str,
    *,
    jobs: int = 1,
    seed: int = 0,
    repetitions: int | None = None,
    cells: Sequence[str] = ("*",),
    out: str | Path,
    progress: Callable | None = None,
    command: str = "",
) -> Result:
    """Run what is missing of one experiment, and write the result.

    `jobs`: processes, -1 for one a core; the scores do not depend on it. `repetitions`: left out, the experiment's
    own number. `cells`: keys, or glob patterns over keys. `out`: a result file that is there is continued: what it
    holds is not run again. `progress` wraps the iterable of finished tasks, as ``progress(tasks, total=n)``; for
    tqdm. `command` is kept with the result. Its `lost` names the tasks that raised: they stop no other, and the
    next run tries them again. Raises a ValueError for an unknown experiment, a pattern that matches no cell, or a
    file of another experiment, another seed or other parameters, or one that another run is writing.
    """
    outs = {id: out}
    options = {"jobs": jobs, "seed": seed, "repetitions": repetitions, "cells": cells}
    return run_together(outs, **options, progress=progress, command=command)[id]


def run_together(
    outs: dict[str, str | Path],
    *,
    jobs: int = 1,
    seed: int = 0,
    repetitions: int | dict[tuple[str, str], int] | None = None,
    cells: Sequence[str] = ("*",),
    progress: Callable | None = None,
    command: str = "",
) -> dict[str, Result]:
    """Run what is missing of several experiments: what is one fit in some of them is fitted once.

    `outs`: result file by experiment; the others as in `run`, where a task is one fit. `repetitions` may be those
    of each cell, by (experiment, key): no other is run. The scores are those that each experiment has alone.
    """
    seed = check_integer(seed, "seed", 0)
    if isinstance(repetitions, int):
        repetitions = check_integer(repetitions, "repetitions", 1)
    chosen = {id: select(registry.get(id), cells) for id in outs}
    with contextlib.ExitStack() as claims:
        for out in outs.values():
            claims.enter_context(claimed(out))
        return _run_all(outs, chosen, seed, jobs, repetitions, progress, command)


def _run_all(outs, chosen, seed, jobs, repetitions, progress, command):
    """`run_together` with checked arguments and files that no other run writes."""
    results = {id: _resume(registry.get(id), seed, Path(out)) for id, out in outs.items()}
    journals, done = {id: Journal(out) for id, out in outs.items()}, dict.fromkeys(outs, 0)
    fits = _fits(results, chosen, repetitions)
    tasks = [(of, tuple(cell for _, cell in fits[of, key, r]), r, seed) for of, key, r in fits]
    try:
        with contextlib.closing(fan_out(_outcomes, tasks, jobs)) as ended:
            for task in progress(ended, total=len(tasks)) if progress else ended:
                of, (first, *_), r, _ = tasks[task.place]
                lost = task.error or (task.result if isinstance(task.result, str) else "")
                for n, (id, cell) in enumerate(fits[of, first.key, r]):
                    if lost:
                        results[id].lost.append((cell.key, r, lost))
                        continue
                    journals[id].append(id, seed, cell.key, r, task.result[n])
                    results[id].add(cell.key, cell.params, r, task.result[n])
                    done[id] += 1
    finally:
        for id, result in results.items():
            if done[id]:
                result.ran(provenance(command, done[id]))
            if result.cells:
                result.write(outs[id])
                journals[id].close()
    return results


def _fits(results, chosen, repetitions):
    """Cells of each fit to run, by (experiment of seeds, key, repetition); sorted, to hold one draw at a time."""
    fits = {}
    for id, cells in chosen.items():
        experiment = registry.get(id)
        for cell in cells:
            if isinstance(repetitions, dict):
                often = repetitions.get((id, cell.key), 0)
            else:
                often = experiment.wanted(cell, repetitions)
            for r in range(often):
                if not results[id].has(cell.key, r):
                    fits.setdefault((cell.seeds or id, cell.key, r), []).append((id, cell))
    return dict(sorted(fits.items(), key=lambda item: _place(item[0][2], item[1][0][1])))


def _place(repetition, cell):
    return cell.data, cell.params.get("n_records", 0), repetition


def _outcomes(id, cells, repetition, seed):
    """What the measures of one fit came to, as plain data; the message where its records can't be had."""
    try:
        found = run_measures(id, cells, repetition, seed)
    except DatasetError as error:
        return str(error)
    return [
        {
            "score": one.score,
            "epsilon": "inf" if one.epsilon == float("inf") else one.epsilon,
            "seconds": round(one.seconds, 3),
        }
        for one in found
    ]


def select(experiment: Experiment, patterns: Sequence[str] = ("*",)) -> list:
    """The cells that are run and whose key matches one of `patterns`, in order.

    Raises a ValueError for a pattern that matches no cell that is run.
    """
    runnable = [c for c in experiment.cells if not c.not_run]
    for pattern in patterns:
        if not any(fnmatchcase(c.key, pattern) for c in runnable):
            examples = ", ".join(c.key for c in runnable[:3])
            raise ValueError(f"cells {pattern!r} match none of {experiment.id}; keys are {examples}")
    return [c for c in runnable if any(fnmatchcase(c.key, p) for p in patterns)]


def _resume(experiment, seed, out):
    """What is there already, checked to be of this experiment."""
    result = read(out) if out.is_file() else Result(experiment.id, seed)
    if (result.experiment, result.seed) != (experiment.id, seed):
        raise ValueError(
            f"out must be a result of {experiment.id} with seed {seed}, {out.name} is of "
            f"{result.experiment} with seed {result.seed}: name another file"
        )
    known = {c.key: c for c in experiment.cells}
    for key, cell in result.cells.items():
        if key not in known or known[key].params != cell["params"]:
            raise ValueError(
                f"out holds the cell {key!r} with parameters {cell['params']}, and {experiment.id} "
                f"has {known[key].params if key in known else 'no such cell'}: name another file"
            )
    recovered = 0
    for line in Journal(out).lines():
        *of, key, r, outcome = (line[k] for k in LINE)
        if of != [experiment.id, seed]:
            raise ValueError(f"out has a journal of {of[0]} with seed {of[1]}: name another file")
        if key in known and not result.has(key, r):
            result.add(key, known[key].params, r, outcome)
            recovered += 1
    if recovered:
        result.runs.append(provenance("recovered from a run that was stopped", recovered))
    return result


def recheck(result: Result, n: int, rng: np.random.Generator) -> list[tuple]:
    """Run `n` of the cheaper tasks of a stored result again, drawn by `rng`.

    Returns (key, repetition, stored score, score now), without the tasks whose records are not on this
    machine: nothing is downloaded; and without those of a method that has changed since
    (`dplit.court.experiments.cells.Cell.superseded`).
    """
    experiment = registry.get(result.experiment)
    cells = ((k, experiment.cell(k)) for k in result.cells)
    keys = [k for k, cell in cells if _comparable(cell, result) and _is_here(cell.data)]
    keys.sort(key=lambda k: (result.cells[k]["seconds"], k))
    keys = keys[: max(3, round(CHEAP * len(keys)))]
    found = []
    for _ in range(n if keys else 0):
        key = keys[int(rng.integers(len(keys)))]
        scores = result.cells[key]["scores"]
        r = int(rng.choice([i for i, s in enumerate(scores) if s is not None]))
        now = run_task(experiment.id, experiment.cell(key), r, result.seed).score
        found.append((key, r, scores[r], now))
    return found


def _is_here(data):
    """True if the records are on this machine."""
    return tables.can_load(data) if tables.is_table(data) else data == images.NAME or datasets.available(data)


def _comparable(cell, result):
    """True if a score of this cell should come out the same with the libraries that are here."""
    here = versions("scikit-learn")["scikit-learn"]
    same = all(run["versions"].get("scikit-learn") == here for run in result.runs)
    return not cell.superseded and (same or cell.method not in LIBRARY_METHODS)


def same(stored, now):
    """True if two scores are one up to the rounding of another processor."""
    return bool(np.allclose(stored, now, rtol=1e-9, atol=1e-12))
