"""What a check returns: `Evidence`, and the ways to draw a verdict from computed cases.

==========  ====================================================================================
evidence    meaning
==========  ====================================================================================
proved      a proof in the book, at the anchor that the claim names; the cases computed here check it
exact       every case of the statement was computed, in closed form or by enumeration
certified   a bound that is proved for each computed case: a dual solution, a rigorous inequality
simulated   draws, with an interval at the ledger's error rate
reproduced  a stored run, held against printed numbers or sentences by a rule that the claim states;
            the check computes a part of the run again, and it must come out the same
==========  ====================================================================================

A check that compares two sides case by case yields a `Case` for each and hands them to `bounded`,
`equal` or `private`. Simulated intervals share one family-wise false-alarm rate of `LEDGER_ERROR`:
the ledger has room for `CAPACITY` of them, and each is taken at `INTERVAL_ERROR`, the first divided
by the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dplit.errors import check_choice
from dplit.work import plain

VERDICTS = ("holds", "loose", "assumes", "fails", "leaks")  # of what a proof or arithmetic decides
RUN_VERDICTS = ("agrees", "differs", "undecided")  # of a sentence that needs a run
KINDS = ("proved", "exact", "certified", "simulated", "reproduced")
RELATIONS = ("", "<=", "<", "=", ">=", ">", "within", "not")
BROKEN = ("fails", "leaks")
RTOL = 1e-9  # room for rounding

LEDGER_ERROR = 1e-6
CAPACITY = 1000
INTERVAL_ERROR = LEDGER_ERROR / CAPACITY


@dataclass(frozen=True)
class Evidence:
    """What a check found."""

    verdict: str  #: Follows from the computation, never from the declaration.
    kind: str  #: One of `KINDS`.
    summary: str  #: One sentence with the decisive numbers.
    cases: int = 1  #: How many cases were computed, or draws made.
    published: float | None = None  #: What the paper's formula gives at the decisive case.
    computed: float | None = None  #: What is true there.
    #: Plain data that reproduces the failure: parameters, neighbouring inputs, both sides.
    counterexample: Mapping | None = None
    intervals: tuple = ()  #: Simulated evidence: (low, high), each at error `INTERVAL_ERROR`.
    quantity: str = ""  #: What the two sides are, with their unit: "privacy loss".
    relation: str = ""  #: What must hold, ``computed relation published``; one of `RELATIONS`.
    range: str = ""  #: Which cases were computed, as "N up to 12, both relations".

    def __post_init__(self):
        check_choice(self.verdict, VERDICTS + RUN_VERDICTS, "verdict")
        check_choice(self.kind, KINDS, "kind")
        check_choice(self.relation, RELATIONS, "relation")
        if self.verdict in BROKEN and not self.counterexample:
            raise ValueError(f"a verdict of {self.verdict!r} needs a counterexample")
        if self.kind == "simulated" and not self.intervals:
            raise ValueError("simulated evidence needs its intervals")
        self.to_dict()

    def to_dict(self):
        """Every attribute as plain data, ready for JSON; what is not plain is a TypeError."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}


def of_upper_bound(exact: ArrayLike, published: ArrayLike, rtol: float = RTOL) -> str:
    """Verdict of ``exact <= published``: "fails", "loose" (never met), or "holds" (met somewhere).

    Both have the same shape; `rtol` is relative room for rounding.
    """
    exact, published = _sides(exact, published)
    room = rtol * np.maximum(np.abs(published), np.finfo(float).tiny)
    if (exact > published + room).any():
        return "fails"
    return "holds" if (exact >= published - room).any() else "loose"


def of_equality(exact, published, rtol=RTOL, atol=0.0):
    """Verdict of ``exact == published`` up to rounding: "holds" or "fails"."""
    return "holds" if np.allclose(*_sides(exact, published), rtol=rtol, atol=atol) else "fails"


def _sides(exact, published):
    """Both sides as float arrays; no verdict follows from nothing, or from what is not a number."""
    exact, published = np.asarray(exact, dtype=float), np.asarray(published, dtype=float)
    if not exact.size or np.isnan(exact).any() or np.isnan(published).any():
        raise ValueError(f"exact and published must be numbers, got {exact!r} and {published!r}")
    return exact, published


def of_privacy(loss, epsilon, rtol=RTOL):
    """Verdict of a claimed `epsilon` against exact privacy losses: "leaks", "holds" or "loose"."""
    verdict = of_upper_bound(loss, np.broadcast_to(epsilon, np.shape(loss)), rtol)
    return "leaks" if verdict == "fails" else verdict


def interval(successes: int, draws: int, error: float = INTERVAL_ERROR) -> tuple[float, float]:
    """Clopper-Pearson interval of a probability, which misses the truth with a probability of at most `error`.

    Two-sided (Clopper and Pearson 1934): between the probabilities at which so few and so many successes, or
    still fewer and still more, each have the probability ``error / 2``.
    """
    from scipy.stats import beta

    low = beta.ppf(error / 2, successes, draws - successes + 1) if successes else 0.0
    high = beta.isf(error / 2, successes + 1, draws - successes) if successes < draws else 1.0
    return float(low), float(high)


class Case(NamedTuple):
    """One computed case: what is true, what is stated, and the plain data that reproduce it."""

    exact: float
    stated: float
    data: Mapping = {}


def bounded(
    cases: Iterable[Case],
    note: str,
    kind: str = "exact",
    broken: str = "fails",
    rtol: float = RTOL,
    **fields,
) -> Evidence:
    """Evidence of ``exact <= stated``: shown at the first case that breaks it, or the nearest to it.

    `note`: the summary; ``{cases}`` and the keys of the shown case's data are filled in. `broken`: the verdict
    where a case breaks it, "fails" or "leaks". `fields`: further ones of `Evidence`, quantity and range.
    """
    cases = list(cases)
    verdict = of_upper_bound([c.exact for c in cases], [c.stated for c in cases], rtol)
    nearest = max(cases, key=_ratio)
    shown = next((c for c in cases if _exceeds(c, rtol)), nearest)
    verdict = broken if verdict == "fails" else verdict
    return _evidence(verdict, kind, note, cases, shown, relation="<=", **fields)


def private(cases, note, kind="exact", **fields):
    """Evidence of a privacy statement: losses (`exact`) against the stated epsilon; as `bounded`."""
    return bounded(cases, note, kind, "leaks", **({"quantity": "privacy loss"} | fields))


def equal(cases, note, kind="exact", rtol=RTOL, atol=0.0, **fields):
    """Evidence of ``exact == stated`` up to rounding, shown at the first difference or the last case.

    Parameters as `bounded`.
    """
    cases = list(cases)
    verdict = of_equality([c.exact for c in cases], [c.stated for c in cases], rtol, atol)
    differs = (c for c in cases if of_equality([c.exact], [c.stated], rtol, atol) == "fails")
    return _evidence(verdict, kind, note, cases, next(differs, cases[-1]), relation="=", **fields)


def verdict_of(
    good: bool,
    note: str,
    counterexample: Mapping | None = None,
    broken: str = "fails",
    **fields,
) -> Evidence:
    """Evidence of a condition: "holds", or `broken` with the counterexample.

    `note` is the complete summary; `broken` is "fails", "leaks", "loose" or "assumes"; `fields` are those of
    `Evidence`: kind (left out, "exact"), cases, published, computed, intervals, quantity, ...
    """
    verdict = "holds" if good else broken
    shown = counterexample if verdict in BROKEN else None
    return Evidence(verdict, fields.pop("kind", "exact"), note, counterexample=shown, **fields)


def _ratio(case):
    """How near a case comes to its bound; 0 against 0 shows less than any other."""
    return float(case.exact) / float(case.stated) if case.stated else -1.0


def _exceeds(case, rtol):
    return of_upper_bound([case.exact], [case.stated], rtol) == "fails"


def _evidence(verdict, kind, note, cases, shown, **fields):
    found = {"exact": str(shown.exact), "stated": str(shown.stated), **shown.data}
    return Evidence(
        verdict,
        kind,
        note.format(cases=len(cases), exact=shown.exact, stated=shown.stated, **shown.data),
        cases=len(cases),
        published=float(shown.stated),
        computed=float(shown.exact),
        counterexample=found if verdict in BROKEN else None,
        **fields,
    )


# Counted events ----------------------------------------------------------------------------------


class Count(NamedTuple):
    """An event that was counted in independent draws, what is stated of it, and the setting."""

    events: int
    draws: int
    stated: float
    data: Mapping


def counts_at_most(counts, note, broken="fails", **fields):
    """Evidence that probabilities are at most what is stated: an interval above it breaks it.

    `note` is filled in with `cases` and the shown case's data; shown is the first case that breaks the
    statement, else the one nearest to it.
    """
    return _of_counts(counts, lambda low, high, stated: low <= stated, "<=", note, broken, fields)


def counts_equal(counts, note, broken="fails", **fields):
    """Evidence that probabilities are what is stated: an interval that misses it breaks it."""
    inside = lambda low, high, stated: low <= stated <= high  # noqa: E731
    return _of_counts(counts, inside, "within", note, broken, fields)


def _of_counts(counts, good, relation, note, broken, fields):
    counts = list(counts)
    spans = [interval(c.events, c.draws) for c in counts]
    bad = [i for i, c in enumerate(counts) if not good(*spans[i], c.stated)]
    nearest = max(
        range(len(counts)), key=lambda i: _share(counts[i]) / max(counts[i].stated, 1e-12)
    )
    shown = counts[bad[0] if bad else nearest]
    found = {"observed": _share(shown), "stated": float(shown.stated), **shown.data}
    return Evidence(
        broken if bad else "holds",
        "simulated",
        note.format(cases=len(counts), **found),
        cases=sum(c.draws for c in counts),
        published=float(shown.stated),
        computed=_share(shown),
        relation=relation,
        intervals=tuple(spans),
        counterexample=found if bad else None,
        **fields,
    )


def _share(count):
    return count.events / count.draws
