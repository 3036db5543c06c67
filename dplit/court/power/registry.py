"""Every release, and the ways to its test: for a chapter, for the ledger, for the audit."""

import json
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import numpy as np

from dplit.court.power import releases as families
from dplit.court.power.drawn import FALSE_ALARM, DrawnTest, Outcome, Release
from dplit.ground.errors import check_choice
from dplit.ground.printed import data_file
from dplit.ground.work import stream


@cache
def releases() -> dict[str, Release]:
    """Return every release, by its name."""
    names = sorted(module.name for module in iter_modules(families.__path__))
    modules = [import_module(f"{families.__name__}.{name}") for name in names]
    found = [one for module in modules for one in module.registered()]
    by_name = {one.name: one for one in found}
    assert len(by_name) == len(found), "two releases of one name"
    return by_name


def release(name: str) -> Release:
    """Return one release; ValueError with the names that there are for any other."""
    return releases()[check_choice(name, tuple(releases()), "name")]


def of(estimator: str, *nodes: str) -> tuple[str, ...]:
    """Names of the releases of an estimator or mechanism, as "forests.MedianForestClassifier"; of these nodes."""
    found = [r.name for r in releases().values() if r.estimator == estimator and (not nodes or r.node in nodes)]
    if not found:
        raise ValueError(f"no release is of estimator={estimator!r} and nodes={nodes!r}")
    return tuple(found)


@cache
def drawn_test(name: str, error: float = FALSE_ALARM) -> DrawnTest:
    """Return the test of a release; its events and number of draws are computed once."""
    return DrawnTest(release(name), error)


def drawn(name: str, rng: np.random.Generator, error: float = FALSE_ALARM) -> Outcome:
    """Draw the test of a release."""
    return drawn_test(name, error)(rng)


def show(*names: str, seed: int = 0) -> None:
    """Draw the tests of releases, and print them; AssertionError where the draws refute a law or a bound."""
    for name in names:
        found = drawn(name, stream(name, seed))
        print(*found.lines, sep="\n")
        assert not found.refused, "; ".join(found.refused)


def stored() -> dict:
    """Return the stored run of the tests' bugs, ``python -m tests.power``.

    ``rows``, a dict for each bug: its `release`, the chapter that it is of, the `bug`, the `power` as stated, and
    whether `chapter`, `ledger` and `audit` saw it. The other keys say where they come from.
    """
    return json.loads(data_file("results/audit/power.json").read_text(encoding="utf-8"))
