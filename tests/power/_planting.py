"""How a bug of `dplit.court.power.BUGS` is planted in a release: by other arguments, or in what it returns.

The node of the budget is the one of the arguments that were given, whatever is drawn.
"""

import math
from collections.abc import Callable
from functools import wraps
from inspect import signature

import numpy as np

from dplit.court.audit.mutants import Mutant, at, planted
from dplit.court.power import BUGS

LOUD = 1e5  # so many times its epsilon leave no noise
REGISTERED: dict[str, dict[str, Mutant]] = {}  # by the release's name, and the bug's


def _told(original, **changes):
    """The value of a release that is given other arguments, and the node of those that it was given."""

    @wraps(original)
    def careless(*given, **named):
        bound = signature(original).bind(*given, **named)
        bound.apply_defaults()
        for name, change in changes.items():
            bound.arguments[name] = change(bound.arguments[name])
        released, *_ = original(*bound.args, **bound.kwargs)
        return released, *original(*given, **named)[1:]

    return careless


def _returning(original, change):
    """A release, ``(value, node)``, whose value is changed."""

    @wraps(original)
    def careless(*given, **named):
        released, *node = original(*given, **named)
        return change(released), *node

    return careless


def rate_of(argument: str, power: float = 1.0) -> Callable:
    """A rate r: the release is told ``r**power`` times this argument; rho has the power 2."""

    def wrap(rate):
        times = min(rate, LOUD) ** power
        return lambda original: _told(original, **{argument: lambda value: value * times})

    return wrap


def told(argument: str, change: Callable) -> Callable:
    """The release is told another value of this argument."""
    return lambda original: _told(original, **{argument: change})


def shifted(by: float) -> Callable:
    """What is released is off by so much on average: a whole number by whole steps."""
    rng = np.random.default_rng(0)

    def change(value):
        value = np.asarray(value)
        if value.dtype.kind == "f":
            return value + by
        return value + math.floor(by) + (rng.random(value.shape) < by - math.floor(by))

    return lambda original: _returning(original, change)


def changed(change: Callable) -> Callable:
    """What is released is changed."""
    return lambda original: _returning(original, change)


def plants(release: str, place: str, rate: Callable, copies=None, bias=None, elsewhere=()) -> None:
    """Register the bugs of one release.

    `place`: the dotted name of what releases, below `dplit`. `rate`: from a rate to what wraps it; `copies` and
    `bias` wrap it, too. `elsewhere`: for a bug that is planted in another place, (bug, place, wrap).
    """
    found = {}
    for bug, said in BUGS.items():
        wrap = rate(said["rate"]) if "rate" in said else copies if "copies" in said else bias
        if wrap is not None:
            found[bug] = (place, wrap)
    found |= {bug: (where, wrap) for bug, where, wrap in elsewhere}
    for bug, (where, wrap) in found.items():
        named(release, bug, where, wrap)


def named(release: str, bug: str, place: str, wrap: Callable) -> None:
    """Register one more bug of a release, by a name of its own."""
    REGISTERED.setdefault(release, {})[bug] = _mutant(release, bug, place, wrap)


def _mutant(release, bug, place, wrap):
    module, _, name = place.rpartition(".")
    owner, _, method = module.rpartition(".")
    where = at(owner, method, name) if method[:1].isupper() else at(module, name)
    return Mutant(f"{release}: {bug}", release, lambda: (*where(), wrap))


__all__ = ["REGISTERED", "changed", "named", "planted", "plants", "rate_of", "shifted", "told"]
