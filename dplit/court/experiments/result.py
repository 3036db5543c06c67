"""Where scores are kept: a journal, a line a task, folded into one small JSON file.

A run that is killed loses only the tasks that were running; the next one reads both, and does what is missing.
"""

import contextlib
import json
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from dplit.ground.printed import data_file
from dplit.ground.work import versions
from dplit.ground.writing import write_whole

LINE = ("experiment", "seed", "key", "repetition", "outcome")
HEAD = {"experiment": str, "seed": int, "runs": list, "cells": dict}  # names and types of what JSON holds
OUTCOME = {"epsilon": (int, float, str, type(None)), "seconds": (int, float)}
CELL = {"params": dict, "scores": list, **OUTCOME}
SCORE = {int, float, bool, type(None)}  # the last is a repetition that is missing
TASK = dict(zip(LINE, (str, int, str, int, dict), strict=True))
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pandas")


@dataclass
class Result:
    """The scores of one experiment.

    `cells` has by key ``params``; ``scores``, by repetition; ``epsilon``, the total of the first fit's proof tree
    ("inf" or null possible); ``seconds``, the mean of a task.
    """

    experiment: str  #: Its id.
    seed: int = 0
    cells: dict[str, dict] = field(default_factory=dict)
    #: Provenance of each run: command, date, versions, platform and number of tasks.
    runs: list[dict] = field(default_factory=list)
    #: (key, repetition, error) of each task of the last run that raised or whose process ended; not kept in
    #: the file.
    lost: list[tuple] = field(default_factory=list, compare=False)

    def scores(self, key):
        """Scores of one cell, float array, shape (repetitions,) or (repetitions, numbers)."""
        return np.array([s for s in self.cells[key]["scores"] if s is not None], dtype=float)

    def mean(self, key):
        """Mean score of one cell."""
        return self.scores(key).mean(axis=0)

    def deviation(self, key):
        """Standard deviation of one cell's scores, with n - 1 in the denominator; 0 for one score."""
        scores = self.scores(key)
        return scores.std(axis=0, ddof=1) if len(scores) > 1 else 0.0 * scores[0]

    def has(self, key, repetition):
        """True if this repetition of this cell is there."""
        scores = self.cells.get(key, {}).get("scores", [])
        return repetition < len(scores) and scores[repetition] is not None

    def add(self, key, params, repetition, outcome):
        """Enter what one task came to: a dict of score, epsilon and seconds."""
        cell = self.cells.setdefault(
            key, {"params": params, "epsilon": outcome["epsilon"], "seconds": 0.0, "scores": []}
        )
        done = sum(s is not None for s in cell["scores"])
        mean = (cell["seconds"] * done + outcome["seconds"]) / (done + 1)
        cell["seconds"] = round(mean, 3)
        cell["scores"] += [None] * (repetition + 1 - len(cell["scores"]))
        cell["scores"][repetition] = outcome["score"]

    def ran(self, run):
        """Enter what a run was; one like the last, as of a command that runs on and on, adds its tasks to it."""
        last = self.runs[-1] if self.runs else {}
        if {**last, "tasks": 0} == {**run, "tasks": 0}:
            last["tasks"] += run["tasks"]
        else:
            self.runs.append(run)

    def write(self, path):
        """Write the file, whole or not at all; cells in the order of their keys, one a line."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        head = {"experiment": self.experiment, "seed": self.seed, "runs": self.runs}
        lines = [json.dumps(head, ensure_ascii=False)[:-1] + ', "cells": {']
        cells = [f"{_dump(key)}: {_dump(self.cells[key])}" for key in sorted(self.cells)]
        lines += [",\n".join(cells), "}}"]
        write_whole(path, ("\n".join(lines) + "\n").encode())


def _dump(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def read(path: str | Path) -> Result:
    """The result in a file; raises a ValueError that names the file if it is none."""
    path = Path(path)
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:  # no JSON, no text
        held = None
    if not (_has(held, HEAD) and {*held} == {*HEAD}) or not all(map(_is_cell, held["cells"].values())):
        raise ValueError(f"{path.name} must be a result file, and holds something else")
    return Result(**held)


def _has(held, types):
    """Whether it is a dict with these entries of these types."""
    return isinstance(held, dict) and all(isinstance(held.get(name, ...), of) for name, of in types.items())


def _is_cell(held):
    return _has(held, CELL) and ({*map(type, held["scores"])} <= SCORE or all(map(_is_score, held["scores"])))


def _is_score(held):
    """Whether it is a number or several, or None of a repetition that is missing."""
    return {*map(type, held)} <= SCORE - {type(None)} if isinstance(held, list) else type(held) in SCORE


def _is_line(held):
    return _has(held, TASK) and _has(held["outcome"], OUTCOME) and _is_score(held["outcome"].get("score"))


@contextlib.contextmanager
def claimed(path: str | Path) -> Iterator[None]:
    """One run at a time writes a result file; the system frees it with the process that held it.

    Raises a ValueError if another run, of this or another process, is writing it.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"out must be a file, and {path.name or path} is a folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(path.with_name(path.name + ".lock"), timeout=0):
            yield
    except Timeout:
        raise ValueError(
            f"out must not be in use, and another run writes {path.name}: wait for it, or name another file"
        ) from None


def stored_path(id):
    """Path of the result of one experiment that comes with the project; it need not exist."""
    return data_file(f"results/{id}.json")


IN_HAND: dict[str, Result] = {}  # what `stored` gives in place of a file


@contextlib.contextmanager
def in_hand(results: dict[str, Result]) -> Iterator[None]:
    """While it is entered, `stored` gives these results."""
    before = dict(IN_HAND)
    IN_HAND.update(results)
    try:
        yield
    finally:
        IN_HAND.clear()
        IN_HAND.update(before)


def stored(id: str) -> Result:
    """The result that comes with the project; a FileNotFoundError names the command that makes one."""
    if id in IN_HAND:
        return IN_HAND[id]
    path = stored_path(id)
    if not path.is_file():
        raise FileNotFoundError(f"no result of {id} is stored; `dplit experiment {id}` makes one")
    return read(path)


class Journal:
    """The lines of finished tasks beside a result file."""

    def __init__(self, path):
        path = Path(path)
        name = path.stem if path.suffix == ".json" else path.name
        self.path = path.with_name(f"{name}.jsonl")

    def append(self, *values):
        """Write one line, the values of `LINE`, and flush it to the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_dump(dict(zip(LINE, values, strict=True))) + "\n")

    def lines(self) -> list[dict]:
        """The whole lines; a line that was cut short is left out.

        Raises a ValueError that names the file if a line is none of a finished task.
        """
        found = []
        if self.path.is_file():
            for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines():
                with contextlib.suppress(json.JSONDecodeError):
                    found.append(json.loads(line))
        if not all(map(_is_line, found)):
            raise ValueError(f"{self.path.name} must hold finished tasks, and holds something else")
        return found

    def close(self):
        """Remove the file: its lines are in the result."""
        self.path.unlink(missing_ok=True)


def provenance(command, tasks):
    """What a reader needs to know about a run: a dict without any path of the machine."""
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "platform": f"{platform.system()} {platform.machine()}",
        "versions": versions(*LIBRARIES),
        "tasks": tasks,
    }
