"""What an experiment is: cells, each a data set, a method and its parameters, measured repeatedly.

A method is run under a *reading*:

==========  ====================================================================================
reading     meaning
==========  ====================================================================================
exact       not private: there is one way to run it
published   as the paper does: public bounds are the records' own extremes, the budget is split as
            the paper splits it, the noise is the paper's
proved      at the same epsilon, with what makes the claim true: the registry's public bounds, and
            a budget whose proof tree adds up to epsilon
==========  ====================================================================================

Seeds: the split of repetition r of a data set depends on (seed, data set, r), so that all methods
see the same split; everything else in a task depends on (seed, experiment, cell, r). Each task can
therefore be computed again alone, and gives the same number to the last bit.
"""

from __future__ import annotations

import difflib
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

READINGS = ("exact", "published", "proved")
REPETITIONS = 10


@dataclass(frozen=True)
class Cell:
    """One entry of a table, or one point of a curve.

    Attributes
    ----------
    data : str
        Name of a data set, as `dplit.datasets.load` takes it.
    method : str
        Key of `dplit.experiments.methods.METHODS`.
    reading : str
        One of `READINGS`.
    measure : str
        Key of `dplit.experiments.measures.MEASURES`.
    params : dict
        What the method takes.
    at : tuple of str
        The parameters that the experiment varies; they are part of the key.
    label : str
        Row of the printed table, where it is not the method's name.
    not_run : str
        Why this cell is not run; empty if it is.
    """

    data: str
    method: str
    reading: str
    measure: str
    params: dict = field(default_factory=dict, hash=False)
    at: tuple = ()
    label: str = ""
    not_run: str = ""

    @property
    def key(self):
        """Name of the cell within its experiment: data, row, reading, and what is varied."""
        parts = [self.data, self.label or self.method, self.reading]
        if self.at:
            parts.append(",".join(f"{name}={_short(self.params[name])}" for name in self.at))
        return "/".join(parts)


@dataclass(frozen=True)
class Experiment:
    """A table or a figure: its cells, and how often each is measured.

    Attributes
    ----------
    id : str
        "paper/name", as "diprime-v2/table-1".
    title : str
        What is measured, in our words.
    cells : tuple of Cell
    ours : str
        What the paper leaves open and we chose; empty if nothing.
    repetitions : int
    """

    id: str
    title: str
    cells: tuple
    ours: str = ""
    repetitions: int = REPETITIONS

    def __post_init__(self):
        keys = [cell.key for cell in self.cells]
        if len(set(keys)) != len(keys):
            twice = sorted({k for k in keys if keys.count(k) > 1})
            raise ValueError(f"cells of {self.id} must have distinct keys, got {twice[:3]} twice")

    def cell(self, key):
        """The cell with this key."""
        for cell in self.cells:
            if cell.key == key:
                return cell
        near = difflib.get_close_matches(key, [c.key for c in self.cells], n=3, cutoff=0.3)
        raise ValueError(f"{self.id} has no cell {key!r}; the nearest are {', '.join(near)}")


_builders: dict[str, tuple[str, Callable]] = {}


def experiment(id, title, **fields):
    """Register the decorated ``cells() -> iterable of Cell`` as an `Experiment`."""

    def register(cells):
        if id in _builders:
            raise ValueError(f"id must be unique, {id!r} is registered already")
        _builders[id] = cache(lambda: Experiment(id, title, tuple(cells()), **fields))
        return cells

    return register


def ids():
    """The ids of all experiments, in the papers' order, list of str."""
    return list(_builders)


def get(id):
    """The `Experiment` with this id.

    Raises
    ------
    ValueError
        If there is none; the message names the nearest.
    """
    if id in _builders:
        return _builders[id]()
    near = difflib.get_close_matches(str(id), _builders, n=3, cutoff=0.3) or ids()[:3]
    raise ValueError(f"no experiment has the id {id!r}; the nearest are {', '.join(near)}")


def split_rng(seed, data, repetition):
    """The generator that splits `data` into training and test part in one repetition."""
    return np.random.default_rng([seed, zlib.crc32(f"split {data}".encode()), repetition])


def task_seed(seed, experiment_id, key, repetition):
    """Seed of everything else in one task: an int in [0, 2**31)."""
    words = [seed, *(zlib.crc32(part.encode()) for part in (experiment_id, key)), repetition]
    return int(np.random.SeedSequence(words).generate_state(1)[0] >> 1)


def _short(value):
    return f"{value:g}" if isinstance(value, float) else str(value)
