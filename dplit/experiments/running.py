"""Run an experiment: the tasks that are not done yet, in any number of processes."""

from __future__ import annotations

import contextlib
from fnmatch import fnmatchcase
from pathlib import Path

import joblib
from threadpoolctl import threadpool_limits

from dplit.errors import check_integer
from dplit.experiments import core, store
from dplit.experiments.protocol import run_task


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
    dplit.experiments.store.Result

    Raises
    ------
    ValueError
        For an unknown experiment, a pattern that matches no cell, or a file of another experiment,
        another seed or other parameters.
    """
    experiment = core.get(id)
    seed = check_integer(seed, "seed", 0)
    repetitions = check_integer(
        experiment.repetitions if repetitions is None else repetitions, "repetitions", 1
    )
    chosen = select(experiment, cells)
    result, journal = _resume(experiment, seed, Path(out)), store.Journal(out)
    tasks = [(c, r) for r in range(repetitions) for c in chosen if not result.has(c.key, r)]
    tasks.sort(key=lambda task: task[0].data)  # one data set at a time in memory
    done = 0
    try:
        with contextlib.closing(_outcomes(experiment.id, tasks, seed, jobs)) as outcomes:
            for cell, r, outcome in progress(outcomes, total=len(tasks)) if progress else outcomes:
                journal.append(experiment.id, seed, cell.key, r, outcome)
                result.add(cell.key, cell.params, r, outcome)
                done += 1
    finally:
        if done:
            result.runs.append(store.provenance(command, done))
        if result.cells:
            result.write(out)
            journal.close()
    return result


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
    result = store.read(out) if out.is_file() else store.Result(experiment.id, seed)
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
    for line in store.Journal(out).lines():
        *of, key, r, outcome = (line[k] for k in store.LINE)
        if of != [experiment.id, seed]:
            raise ValueError(f"out has a journal of {of[0]} with seed {of[1]}: name another file")
        if key in known and not result.has(key, r):
            result.add(key, known[key].params, r, outcome)
            recovered += 1
    if recovered:
        result.runs.append(store.provenance("recovered from a run that was stopped", recovered))
    return result


def _outcomes(id, tasks, seed, jobs):
    """Finished tasks as (cell, repetition, plain outcome), in the order in which they end."""
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    yield from parallel(joblib.delayed(_task)(id, cell, r, seed) for cell, r in tasks)


def _task(id, cell, repetition, seed):
    with threadpool_limits(1):
        found = run_task(id, cell, repetition, seed)
    epsilon = found.epsilon
    if epsilon is not None and epsilon == float("inf"):
        epsilon = "inf"
    outcome = {"score": found.score, "epsilon": epsilon, "seconds": round(found.seconds, 3)}
    return cell, repetition, outcome
