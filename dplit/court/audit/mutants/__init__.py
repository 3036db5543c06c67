"""Privacy bugs, planted at run time: what a careless change would do, and the subject that sees it.

Each `Mutant` replaces one function of the package while ``with planted(mutant):`` lasts, in every module
that has imported it. The budget tree goes on to say what it said: that is what makes it a bug.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

RDF, MEDIAN = "RandomDecisionForestClassifier", "MedianForestClassifier"


@dataclass(frozen=True)
class Mutant:
    """One planted bug.

    Attributes
    ----------
    name : str
        What goes wrong, in words.
    caught_by : str
        Subject of ``dplit audit`` that sees it.
    change : callable
        ``change() -> (owner, attribute, wrap)``; ``wrap(original)`` stands in for the original.
    """

    name: str
    caught_by: str
    change: Callable


@contextmanager
def planted(mutant):
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


def every_mutant():
    """All planted bugs, dict of name to `Mutant`."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return {m.name: m for m in _mutants}


_mutants = []


def plant(name, caught_by, place):
    """Decorator of ``wrap(original)``: register a bug at ``place() -> (owner, attribute)``."""

    def register(wrap):
        _mutants.append(Mutant(name, caught_by, lambda: (*place(), wrap)))
        return wrap

    return register


def at(module, *names):
    """Place of ``module.name``, or of ``module.Class.name``; imported when it is asked for."""

    def place():
        owner = import_module(f"dplit.{module}")
        for name in names[:-1]:
            owner = getattr(owner, name)
        return owner, names[-1]

    return place
