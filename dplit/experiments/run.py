"""Run an experiment: the tasks that are not done yet, in any number of processes; or a part again."""

from __future__ import annotations

import contextlib
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from dplit import datasets
from dplit.datasets import DatasetError
from dplit.errors import check_integer
from dplit.experiments import cells as registry
from dplit.experiments.result import LIBRARIES, LINE, Journal, Result, provenance, read
from dplit.experiments.task import run_task
from dplit.work import fan_out, versions

CHEAP = 0.25  # share of the tasks among which the cheapest are run again
LIBRARY_METHODS = ("RF", "ERT", "Breiman")  # another version of scikit-learn may grow other trees


def run(id, *, jobs=1, seed=0, repetitions=None, cells=("*",), out, progress=None, command=""):
    """Run what is missing of one experiment, and write the result.

    Parameters
    ----------
    id : str
    jobs : int
        Processes; -1 for one a core. The scores do not depend on it.
    seed : int
    repetitions : int, optional
        Left out, the experiment's own number.
    cells : sequence of str
        Keys, or glob patterns over keys.
    out : path
        Result file. One that is there is continued: what it holds is not run again.
    progress : callable, optional
        Wraps the iterable of finished tasks, as ``progress(tasks, total=n)``; for tqdm.
    command : str
        Kept with the result.

    Returns
    -------
    dplit.experiments.result.Result
        Its `lost` names the tasks that raised: they stop no other, and the next run tries them again.

    Raises
    ------
    ValueError
        For an unknown experiment, a pattern that matches no cell, or a file of another experiment,
        another seed or other parameters.
    """
    experiment = registry.get(id)
    seed = check_integer(seed, "seed", 0)
    repetitions = check_integer(
        experiment.repetitions if repetitions is None else repetitions, "repetitions", 1
    )
    chosen = select(experiment, cells)
    result, journal = _resume(experiment, seed, Path(out)), Journal(out)
    tasks = [
        (id, c, r, seed)
        for r in range(repetitions)
        for c in chosen
        if r < experiment.wanted(c, repetitions) and not result.has(c.key, r)
    ]
    tasks.sort(key=_records)
    done = 0
    try:
        with contextlib.closing(fan_out(_outcome, tasks, jobs)) as ended:
            for task in progress(ended, total=len(tasks)) if progress else ended:
                _, cell, r, _ = tasks[task.place]
                if task.error or isinstance(task.result, str):
                    result.lost.append((cell.key, r, task.error or task.result))
                    continue
                journal.append(id, seed, cell.key, r, task.result)
                result.add(cell.key, cell.params, r, task.result)
                done += 1
    finally:
        if done:
            result.runs.append(provenance(command, done))
        if result.cells:
            result.write(out)
            journal.close()
    return result


def _records(task):
    """Data set of a task, and its size: sorted by it, one data set at a time is in memory."""
    return task[1].data, task[1].params.get("n_records", 0)


def _outcome(id, cell, repetition, seed):
    """What one task came to, as plain data; the message where its records can't be had."""
    try:
        found = run_task(id, cell, repetition, seed)
    except DatasetError as error:
        return str(error)
    epsilon = "inf" if found.epsilon == float("inf") else found.epsilon
    return {"score": found.score, "epsilon": epsilon, "seconds": round(found.seconds, 3)}


def select(experiment, patterns=("*",)):
    """The cells that are run and whose key matches one of `patterns`, in order.

    Raises
    ------
    ValueError
        A pattern that matches no cell that is run.
    """
    runnable = [c for c in experiment.cells if not c.not_run]
    for pattern in patterns:
        if not any(fnmatchcase(c.key, pattern) for c in runnable):
            examples = ", ".join(c.key for c in runnable[:3])
            raise ValueError(
                f"cells {pattern!r} match none of {experiment.id}; keys are {examples}"
            )
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


def recheck(result, n, rng):
    """Run `n` of the cheaper tasks of a stored result again.

    Parameters
    ----------
    result : dplit.experiments.result.Result
    n : int
    rng : numpy.random.Generator
        Chooses the tasks.

    Returns
    -------
    list of (key, repetition, stored score, score now)
        Without the tasks whose records are not on this machine: nothing is downloaded.
    """
    experiment = registry.get(result.experiment)
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
    here = versions(*LIBRARIES)
    same = all(run["versions"].get("scikit-learn") == here["scikit-learn"] for run in result.runs)
    return same or cell.method not in LIBRARY_METHODS


def same(stored, now):
    """True if two scores are one up to the rounding of another processor."""
    return bool(np.allclose(stored, now, rtol=1e-9, atol=1e-12))
