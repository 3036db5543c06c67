"""Privacy bugs, planted at run time: what a careless change would do, and the subject that sees it.

Each `Mutant` replaces one function of the package while ``with planted(mutant):`` lasts, in every module
that has imported it. ``tests/audit/mutants`` plants many; `stored` lists them.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module

from dplit.ground.printed import data_file


@dataclass(frozen=True)
class Mutant:
    """One planted bug: ``change() -> (owner, attribute, wrap)``; ``wrap(original)`` stands in for the original."""

    name: str  #: What goes wrong, in words.
    caught_by: str  #: Subject of ``dplit audit`` that sees it.
    change: Callable


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """Run with one bug."""
    owner, attribute, wrap = mutant.change()
    original = vars(owner)[attribute] if isinstance(owner, type) else getattr(owner, attribute)
    stand_in = wrap(original)
    places = [(owner, attribute)]
    if not isinstance(owner, type):  # a function: wherever it was imported by its name
        modules = [m for name, m in sys.modules.items() if name.startswith("dplit")]
        places += [(m, a) for m in modules for a, v in list(vars(m).items()) if v is original]
    try:
        for place, name in places:
            setattr(place, name, stand_in)
        yield
    finally:
        for place, name in places:
            setattr(place, name, original)


_mutants = []


def every_mutant() -> dict[str, Mutant]:
    """Return all bugs that `plant` has registered so far, by their names."""
    return {m.name: m for m in _mutants}


def plant(name: str, caught_by: str, place: Callable[[], tuple]) -> Callable:
    """Decorate ``wrap(original)``: register a bug at ``place() -> (owner, attribute)``."""

    def register(wrap):
        _mutants.append(Mutant(name, caught_by, lambda: (*place(), wrap)))
        return wrap

    return register


def at(module: str, *names: str) -> Callable[[], tuple]:
    """Return the place of ``module.name``, or of ``module.Class.name``; imported when it is asked for."""

    def place():
        owner = import_module(f"dplit.{module}")
        for name in names[:-1]:
            owner = getattr(owner, name)
        return owner, names[-1]

    return place


def stored() -> dict:
    """Return the stored run of the tests' bugs, ``python -m tests.audit.mutants``.

    ``rows``, a dict for each bug: its `name`, the subject that it is `caught_by`, and in words what that subject
    `declared` and `found`. The other keys say where they come from: command, date, versions.
    """
    return json.loads(data_file("results/audit/planted.json").read_text(encoding="utf-8"))
