"""What the releases draw with: many leaves of one fit, and a watch on what a fit's release returns."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import product

import numpy as np

from dplit.domain import Categorical, Domain


@cache
def crossed(columns: int) -> tuple[Domain, np.ndarray]:
    """A domain of so many columns of two levels, and a record of each of its cells, shape (2**columns, columns).

    A tree that may test them all has one leaf for each cell.
    """
    domain = Domain([Categorical([0, 1])] * columns)
    return domain, np.array(list(product((0, 1), repeat=columns)))


def same_in_each_cell(columns: int, labels: list) -> tuple[Domain, np.ndarray, np.ndarray]:
    """Records with these labels in each cell of `crossed`: domain, records and their labels."""
    domain, cells = crossed(columns)
    return domain, np.repeat(cells, len(labels), axis=0), np.tile(labels, len(cells))


class Enough(BaseException):
    """A fit has released what was watched for."""


@contextmanager
def watched(place: str, last: bool = False) -> Iterator[list]:
    """What ``module.name``, or ``module.Class.name``, of `dplit` returns meanwhile, wherever it was imported.

    `last`: it is the last of a fit that matters, so that `Enough` is raised there.
    """
    path, _, name = place.rpartition(".")
    module, _, kind = path.rpartition(".")
    is_method = kind[:1].isupper()
    owner = getattr(import_module(f"dplit.{module}"), kind) if is_method else import_module(f"dplit.{path}")
    original, seen, places = getattr(owner, name), [], [(owner, name)]

    def watching(*given, **named):
        seen.append(original(*given, **named))
        if last:
            raise Enough
        return seen[-1]

    if not is_method:
        places += [(m, a) for m, a in _places(original, len(sys.modules)) if vars(m).get(a) is original]
    try:
        for owner, attribute in places:
            setattr(owner, attribute, watching)
        yield seen
    finally:
        for owner, attribute in places:
            setattr(owner, attribute, original)


@cache
def _places(original, _):
    """(module, name) of each place where a function is held, while so many modules are loaded."""
    modules = [m for key, m in sys.modules.items() if key.startswith("dplit")]
    return [(m, a) for m in modules for a, v in list(vars(m).items()) if v is original]


def binned(values: np.ndarray, edges: list[float]) -> list[int]:
    """How many of the increasing edges each value reaches."""
    return np.searchsorted(edges, np.ravel(values), side="right").tolist()


def until(n: int, once: Callable[[], list]) -> list:
    """Outcomes of so many calls of ``once()`` that there are `n`."""
    found = []
    while len(found) < n:
        found.extend(once())
    return found


def seed_of(rng: np.random.Generator) -> int:
    """A seed for one fit."""
    return int(rng.integers(2**31))
