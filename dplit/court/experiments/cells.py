"""What an experiment is: cells, each a data set, a method and its parameters, measured repeatedly.

A method is run under a *reading*: "exact", not private, of which there is one way to run it; "published", as the
paper does: public bounds are the records' own extremes, budget and noise are the paper's; or "proved", at the same
epsilon, with the registry's public bounds and a budget whose proof tree adds up to epsilon.

Seeds: the split of repetition r of a data set depends on (seed, data set, r), so that all methods see the same
split; everything else in a task depends on (seed, experiment, cell, r). Each task can therefore be computed again
alone, and gives the same number to the last bit. With `folds`, repetition r tests on one part in turn of the cut
number r // folds: k-fold cross-validation. With `draws`, repetition r is of the draw number r // draws of a
synthetic set: a problem and records of its own, from a seed that depends on (seed, data set, r // draws).
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from dplit.ground.work import nearest

READINGS = ("exact", "published", "proved")
REPETITIONS = 30
TEST_SHARE = 0.1


@dataclass(frozen=True)
class Cell:
    """One entry of a table, or one point of a curve."""

    data: str  #: As `dplit.datasets.load` takes it.
    method: str  #: Key of `dplit.court.experiments.methods.METHODS`.
    reading: str  #: One of `READINGS`.
    measure: str  #: Key of `dplit.court.experiments.measures.MEASURES`.
    params: dict = field(default_factory=dict, hash=False)  #: What the method takes.
    at: tuple[str, ...] = ()  #: The parameters that the experiment varies: part of the key.
    label: str = ""  #: Row of the printed table, where it is not the method's name.
    not_run: str = ""  #: Why this cell is not run; empty if it is.
    folds: int = 0  #: Of cross-validation; 0: each repetition is a split of its own.
    #: Folds that are run of each draw of a synthetic set, drawn again and again; 0: the registry's one draw.
    draws: int = 0
    #: Experiment with a cell of the same key: the same forests, measured otherwise. Empty: this experiment.
    seeds: str = ""
    #: Experiment that ran the cell again when the method had changed: what is stored here is the earlier
    #: version's, and does not come out the same now. Empty: the method is as it was.
    superseded: str = ""
    most: int = 0  #: Repetitions that are enough for this cell; 0: the experiment's.
    why_most: str = ""  #: Why they are enough.

    def parts(self, repetition):
        """Which draw of the data, which cut of it, and which fold of the cut (None: no fold)."""
        if self.draws:
            draw, fold = divmod(repetition, self.draws)
            return draw, 0, fold
        return (None, *(divmod(repetition, self.folds) if self.folds else (repetition, None)))

    @property
    def key(self):
        """Name of the cell within its experiment: data, row, reading, and what is varied."""
        parts = [self.data, self.label or self.method, self.reading]
        if self.at:
            parts.append(",".join(f"{name}={_short(self.params[name])}" for name in self.at))
        return "/".join(parts)


@dataclass(frozen=True)
class Experiment:
    """A table or a figure: its cells, and how often each is measured."""

    id: str  #: "paper/name", as "diprime-v2/table-1".
    title: str  #: What is measured, in our words.
    cells: tuple[Cell, ...]
    ours: str = ""  #: What the paper leaves open and we chose; empty if nothing.
    repetitions: int = REPETITIONS
    why_repetitions: str = ""  #: Why so many, where it is another number than `REPETITIONS`.

    def __post_init__(self):
        keys = [cell.key for cell in self.cells]
        if len(set(keys)) != len(keys):
            twice = sorted({k for k in keys if keys.count(k) > 1})
            raise ValueError(f"cells of {self.id} must have distinct keys, got {twice[:3]} twice")

    def wanted(self, cell, repetitions=None):
        """How often a cell is measured when `repetitions` are asked for (default: the experiment's)."""
        repetitions = self.repetitions if repetitions is None else repetitions
        return min(repetitions, cell.most or repetitions)

    def cell(self, key):
        """The cell with this key."""
        if key not in self._by_key:
            raise ValueError(f"{self.id} has no cell {key!r}; {nearest(key, [*self._by_key])}")
        return self._by_key[key]

    @cached_property
    def _by_key(self):
        return {cell.key: cell for cell in self.cells}


REGISTERED: dict[str, tuple[str, Callable]] = {}  # by id: module, and what builds the experiment


def experiment(id, title, **fields):
    """Register the decorated ``cells() -> iterable of Cell``, a function or a partial one, as an `Experiment`."""

    def register(cells):
        if id in REGISTERED:
            raise ValueError(f"id must be unique, {id!r} is registered already")
        built = cache(lambda: Experiment(id, title, tuple(cells()), **fields))
        REGISTERED[id] = (getattr(cells, "func", cells).__module__, built)
        return cells

    return register


def split_rng(seed, data, repetition):
    """The generator that splits `data` into training and test part in one repetition."""
    return np.random.default_rng([seed, zlib.crc32(f"split {data}".encode()), repetition])


def draw_seed(seed, data, draw):
    """Seed of one draw of a synthetic set: an int in [0, 2**31)."""
    words = [seed, zlib.crc32(f"draw {data}".encode()), draw]
    return int(np.random.SeedSequence(words).generate_state(1)[0] >> 1)


def task_seed(seed, experiment_id, key, repetition):
    """Seed of everything else in one task: an int in [0, 2**31)."""
    words = [seed, *(zlib.crc32(part.encode()) for part in (experiment_id, key)), repetition]
    return int(np.random.SeedSequence(words).generate_state(1)[0] >> 1)


def _short(value):
    return f"{value:g}" if isinstance(value, float) else str(value)
