"""A check as a generator of comparisons: each ``yield`` is one computed case, the value returned is the note.

=================================  ================================================================
``yield same(exact, stated)``      equal up to rounding
``yield at_most(exact, stated)``   a bound of the statement; where no case meets it, it is "loose"
``yield below(exact, stated)``     a bound beside it, of which nobody asks whether it is met
``yield private(loss, epsilon)``   a privacy loss, as `at_most`; a case that exceeds it "leaks"
``yield need(good)``               any other condition
``yield frequency(events, p)``     a share of draws, by an interval at the ledger's error
``yield counted(k, n, p)``         the same of a count
=================================  ================================================================

What is true comes first, by another method than the formula that states it. Keywords are the plain data
that reproduce the case, and fill in the note. Shown is the first case that breaks the statement, else the
one that is marked `decisive`, else the bound that is nearest to being met, else the last. The data of a case
that breaks the statement are its counterexample, also where the statement is true under an assumption.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dplit.court.ledger.evidence import BROKEN, RTOL, Evidence, interval


class Compared(NamedTuple):
    """One computed case: what is true (`exact`), what is stated, and whether that is good.

    `relation`: what must hold between them, one of `RELATIONS`; `data`: plain data that reproduce the case;
    `met`: whether a bound is attained, None if nobody asks; `broken`: the verdict where this case is not good, if
    another than the check's; `span`: a simulated interval, or none; `weight`: cases or draws that it stands for.
    """

    exact: float
    relation: str
    stated: float
    good: bool
    data: dict
    met: bool | None = None
    broken: str = ""
    span: tuple = ()
    weight: int = 1
    decisive: bool = False


class Note(NamedTuple):
    """What a check returns if a sentence is not all: the summary, and fields of `Evidence` that it knows."""

    text: str
    fields: dict


def note(text, **fields):
    """The summary of a check, and fields that follow from its effort: range, quantity, cases."""
    return Note(text, fields)


def same(exact, stated, rtol=RTOL, atol=0.0, broken="", **data):
    """``exact == stated`` up to rounding."""
    exact, stated = _numbers(exact, stated)
    return Compared(exact, "=", stated, bool(np.isclose(exact, stated, rtol, atol)), data, broken=broken)


def at_most(exact, stated, rtol=RTOL, met=True, broken="", **data):
    """``exact <= stated``; `met` says whether the statement is loose where no case attains it."""
    exact, stated = _numbers(exact, stated)
    room = rtol * max(abs(stated), np.finfo(float).tiny) if np.isfinite(stated) else 0.0
    attained = bool(exact >= stated - room) if met else None
    return Compared(exact, "<=", stated, bool(exact <= stated + room), data, attained, broken)


below = functools.partial(at_most, met=False)
private = functools.partial(at_most, broken="leaks")


def need(good, exact=1.0, relation="not", stated=0.0, broken="", **data):
    """A condition; with numbers where it has two sides."""
    return Compared(float(exact), relation, float(stated), bool(good), data, broken=broken)


def frequency(
    events: ArrayLike, stated: float | tuple[float, float], relation: str = "within", **data
) -> Compared:
    """The share of the events among independent draws against a stated probability.

    "within": the interval holds what is stated; "<=": it is not above it; ">=": not below. Where two limits are
    stated, the whole interval must lie between them.
    """
    events = np.asarray(events)
    return counted(int(events.sum()), events.size, stated, relation, **data)


def counted(events, draws, stated, relation="within", broken="", **data):
    """As `frequency`, of so many events in so many draws."""
    low, high = span = interval(events, draws)
    if np.ndim(stated):
        least, most = (float(limit) for limit in stated)
        good, stated = least < low and high < most, most
    else:
        under, over = low <= stated, stated <= high
        good = {"within": under and over, "<=": under, ">=": over}[relation]
    return Compared(events / draws, relation, float(stated), bool(good), data, None, broken, span, draws)


def decisive(case, when=True):
    """The same case, `when` so shown before others unless one breaks the statement."""
    return case._replace(decisive=bool(when))


def judged(check: Callable, broken: str = "fails", kind: str = "exact") -> Callable:
    """The ``check(effort, rng) -> Evidence`` of a generator of comparisons.

    `broken`: the verdict where a case is not good; `kind` as of `Evidence`.
    """

    @functools.wraps(check)
    def judge(effort, rng, **given):
        found, said = _run(check(effort, rng, **given))
        return _evidence(found, said, broken, kind)

    return judge


class _Words(dict):
    """What fills a note in; a case that lacks a word of it shows a question mark."""

    def __missing__(self, key):
        return _Unknown()


class _Unknown:
    def __format__(self, spec):
        return "?"


def _run(running):
    found = []
    while True:
        try:
            found.append(next(running))
        except StopIteration as end:
            if not found:
                raise ValueError("a check must compare at least one case, got none") from None
            return found, end.value if isinstance(end.value, Note) else note(end.value)


def _evidence(found, said, broken, kind):
    bad = next((case for case in found if not case.good), None)
    asked = [case.met for case in found if case.met is not None]
    verdict = (bad.broken or broken) if bad else "holds"
    if not bad and asked and not any(asked):
        verdict = "loose"
    shown = bad or max(reversed(found), key=_rank)
    weight = sum(case.weight for case in found if case.span) or len(found)
    words = _Words(shown.data, cases=len(found), exact=shown.exact, stated=shown.stated)
    data = {"exact": str(shown.exact), "stated": str(shown.stated), **shown.data}
    return Evidence(
        verdict,
        kind,
        said.text.format_map(words),
        counterexample=data if verdict in BROKEN or (bad and bad.data) else None,
        intervals=tuple(case.span for case in found if case.span),
        published=shown.stated,
        computed=shown.exact,
        relation=shown.relation,
        **({"cases": weight} | said.fields),
    )


def _rank(case):
    """Shown is what is decisive, else the bound that is nearest to being met; rounding decides between none."""
    near = round(case.exact / case.stated, 9) if case.relation == "<=" and case.stated else -1.0
    return case.decisive, near


def _numbers(exact, stated):
    """Both sides as floats; nothing follows from what is not a number."""
    exact, stated = float(exact), float(stated)
    if np.isnan(exact) or np.isnan(stated):
        raise ValueError(f"exact and stated must be numbers, got {exact} and {stated}")
    return exact, stated
