"""What ``dplit audit`` runs: every mechanism and forest of the package, from `dplit.court.audit.subjects`.

A subject that is proved private must stay "within" its epsilon; a published leak must be "caught" above it. A
black-box row raises an alarm at a sound subject with a probability of at most `FALSE_ALARM`. A leak that is drawn
is missed with a probability that its row says (`dplit.court.audit.subject.Leak`). A row of method "law" holds
draws on one input against the law that is proved private. Derived in :doc:`/book/audit`.
"""

import math
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import numpy as np

from dplit.court.audit import subjects as families
from dplit.court.audit.subject import ROUNDING, Row, Subject
from dplit.ground.errors import check_integer
from dplit.ground.work import Effort, fan_out, is_pattern, nearest, stream

FIRST = ("mechanisms", "random_decision", "median")  # families in this order, then the others


@cache
def every_subject() -> dict[str, Subject]:
    """Return all subjects, family after family, by their names."""
    names = sorted(m.name for m in iter_modules(families.__path__))
    names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    modules = [import_module(f"{families.__name__}.{name}") for name in names]
    return {s.name: s for module in modules for s in module.registered()}


def subjects(effort: str = "deep") -> tuple[Subject, ...]:
    """Return every subject that an audit of this effort includes, in order."""
    effort = Effort(effort)
    return tuple(s for s in every_subject().values() if effort in s.efforts)


def select(patterns: Sequence[str] = (), effort: str = "quick", expected: str | None = None) -> tuple[str, ...]:
    """Return the names of the subjects that a name or a glob pattern matches, in order; of all without one.

    With `expected`, "within" or "caught", only of those. ValueError if a pattern matches none; the message
    names the nearest.
    """
    names = [s.name for s in subjects(effort) if expected in (None, s.expected)]
    chosen = set()
    for pattern in patterns:
        found = {name for name in names if name == pattern or fnmatchcase(name, pattern)}
        if not found and is_pattern(pattern):
            raise ValueError(f"no subject matches the pattern {pattern!r}")
        if not found:
            raise ValueError(f"no subject has the name {pattern!r}; {nearest(pattern, names)}")
        chosen |= found
    return tuple(n for n in names if n in chosen or not patterns)


def run(
    effort: str = "quick", seed: int = 0, jobs: int = 1, *, names: Sequence[str] | None = None,
    epsilon: float | None = None, timed: dict | None = None
) -> Iterator[Row]:  # fmt: skip
    """Audit subjects, all or those of `names`; yields a `Row` for each as it is done, in no particular order.

    An `effort` of "reader" or "deep" means larger spaces and more draws. Each subject has a stream of its own, of
    `seed`; the rows are the same for any number of processes `jobs`, as in joblib. `epsilon` holds each to this,
    in place of what it declares: it is then expected within. Subjects of method "law" declare 0 in any case.
    `timed`, if given, gets the seconds of each subject by its name.
    """
    known = {s.name: s for s in subjects(effort)}
    chosen = [known[n] for n in (known if names is None else names)]
    seed = check_integer(seed, "seed", 0)
    timed = {} if timed is None else timed
    return _rows(chosen, [(s.name, str(effort), seed, epsilon) for s in chosen], jobs, timed)


def _rows(chosen, tasks, jobs, timed):
    for done in fan_out(audit_subject, tasks, jobs):
        timed[chosen[done.place].name] = done.seconds
        yield done.result or stopped(chosen[done.place], done.error)


def stopped(subject: Subject, why: str) -> Row:
    """Return the row of a subject whose audit has no answer."""
    why = f"stopped: {why}"
    return Row(subject.name, subject.method, np.nan, np.nan, subject.expected, False, why)


def audit_subject(name: str, effort: str = "quick", seed: int = 0, epsilon: float | None = None) -> Row:
    """Audit one subject by its name; parameters as in `run`.

    KeyError if there is no subject of this name and effort; the message names the nearest.
    """
    known = {s.name: s for s in subjects(effort)}
    if name not in known:
        raise KeyError(f"no subject of effort {effort!r} has the name {name!r}; {nearest(name, known)}")
    subject = known[name]
    declared, found, detail = subject.check(Effort(effort), stream(name, seed))
    expected = subject.expected
    if epsilon is not None and subject.method != "law":
        declared, expected = epsilon, "within"
    caught = found > declared * (1 + ROUNDING)
    ok = bool(caught == (expected == "caught")) and math.isfinite(declared)
    miss = missed(subject, effort) if expected == "caught" else None
    return Row(name, subject.method, float(declared), float(found), expected, ok, detail, miss)


def missed(subject: Subject, effort: str = "quick") -> float:
    """Return the probability that an audit of a subject misses it: 0 where nothing is drawn."""
    return subject.check.missed(effort) if hasattr(subject.check, "missed") else 0.0
