"""What one row of ``dplit audit`` is made of, and the ways to find a loss that the subjects share.

A check is called with an effort and a generator. Where it draws, it is a `BlackBox`, a `Leak` or an
`AgainstLaw`, which can be asked for other numbers of draws and another confidence as well.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import NamedTuple

import numpy as np

from dplit.court.audit.blackbox import Event, bound_from_draws, bound_of_event, draw, draw_pair
from dplit.court.audit.estimators import FreshFit
from dplit.court.audit.law import distance_of_draws
from dplit.court.audit.power import draws_needed, misses
from dplit.domain import Continuous, Domain
from dplit.ground.errors import PrivacyLeakWarning
from dplit.ground.work import EFFORTS, Effort
from dplit.loss import smallest_violation, worst_privacy_loss
from dplit.neighbours import append_record, replace_record

FALSE_ALARM = 1e-6
MISSED = (1e-4, 1e-6, 1e-8)  # of a leak that is drawn, for each effort: less than this
ROUNDING = 1e-9  # relative room that an exact loss gets above the declared epsilon


class Row(NamedTuple):
    """One subject's audit.

    `declared` is the epsilon that the subject claims, `found` its exact loss or a lower bound of
    it, `expected` "within" or "caught", and `ok` whether it came so. `detail` says where. A row of
    method "law" declares 0: `found` is then a lower bound of a log-ratio to the law that is proved.
    Of a subject whose audit stopped with an error, the two numbers are NaN and `detail` is the error.
    `miss` is the probability that this audit misses what it expects to be caught, computed before it
    draws: 0 where nothing is drawn, None where nothing is to be caught.
    """

    subject: str
    method: str
    declared: float
    found: float
    expected: str
    ok: bool
    detail: str
    miss: float | None = None


class Found(NamedTuple):
    """What the check of a subject returns."""

    declared: float
    found: float
    detail: str


@dataclass(frozen=True)
class Subject:
    """Something to audit.

    Attributes
    ----------
    name : str
    method : str
        "exact", "black box" or "law".
    expected : str
        "within" or "caught".
    check : callable
        ``check(effort, rng) -> Found``.
    efforts : tuple of str
        The efforts that include it.
    """

    name: str
    method: str
    expected: str
    check: Callable
    efforts: tuple = EFFORTS


class Pair(NamedTuple):
    """Two neighbouring inputs of a mechanism, the epsilon that it declares for them, and a summary."""

    mechanism: Callable
    data: object
    neighbour: object
    declared: float
    summary: Callable | None = None


@dataclass(frozen=True)
class BlackBox:
    """Check that draws on two neighbouring inputs.

    Parameters
    ----------
    pair : callable
        ``pair() -> Pair``, called when the check runs.
    draws : (int, int, int)
        Draws on each input, for each effort.
    """

    pair: Callable
    draws: tuple

    def __call__(self, effort, rng):
        """The lower bound at a false-alarm rate of `FALSE_ALARM`."""
        return self.drawn(effort.pick(*self.draws), rng)(1 - FALSE_ALARM)

    def drawn(self, n_draws, rng):
        """Draw; returns the function from a confidence to what these draws show at it."""
        sides, declared = _both_sides(self.pair, n_draws, rng)

        def at(confidence):
            bound = bound_from_draws(*sides, confidence)
            return Found(declared, bound.epsilon, described(bound, n_draws - n_draws // 2))

        return at


def _both_sides(pair, n_draws, rng):
    """Outcomes on both inputs, and the epsilon that is declared for them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        mechanism, data, neighbour, declared, summary = pair()
        options = {"n_draws": n_draws, "rng": rng, "summary": summary}
        return draw_pair(mechanism, data, neighbour, **options), declared


@dataclass(frozen=True)
class Leak:
    """Check of a leak whose proof names an event: it is fixed before any draw, and so is their number.

    The number of draws follows from the event's two probabilities, which are computed: this many miss the
    leak, at a false-alarm rate of `FALSE_ALARM`, with a probability below `MISSED`.

    Parameters
    ----------
    pair : callable
        ``pair() -> Pair``, called when the check runs.
    declared : float
        As the pair's; known before the pair is made.
    chances : callable
        ``chances() -> (float, float)``, the event's probability on data and on neighbour.
    outcomes : frozenset
        The event: these outcomes of the pair's summary.
    """

    pair: Callable
    declared: float
    chances: Callable
    outcomes: frozenset = frozenset({True})

    @cached_property
    def _sided(self):
        """The input on which the event is likelier, and its probability there and on the other one."""
        p, q = map(float, self.chances())
        return ("data", p, q) if p > q else ("neighbour", q, p)

    @cached_property
    def draws(self):
        """Draws on each input, for each effort."""
        odds = *self._sided[1:], self.declared
        return tuple(draws_needed(*odds, miss, 1 - FALSE_ALARM) for miss in MISSED)

    def missed(self, effort):
        """The probability that an audit of this effort misses the leak."""
        draws = Effort(effort).pick(*self.draws)
        return misses(*self._sided[1:], self.declared, draws, 1 - FALSE_ALARM)

    def __call__(self, effort, rng):
        """The lower bound at a false-alarm rate of `FALSE_ALARM`."""
        return self.drawn(effort.pick(*self.draws), rng)(1 - FALSE_ALARM)

    def drawn(self, n_draws, rng):
        """Draw; returns the function from a confidence to what these draws show at it."""
        sides, declared = _both_sides(self.pair, n_draws, rng)
        assert declared == self.declared, "the event was chosen for another epsilon"

        def at(confidence):
            bound = bound_of_event(Event(self.outcomes), self._sided[0], *sides, confidence)
            return Found(declared, bound.epsilon, described(bound, n_draws))

        return at


class Lawful(NamedTuple):
    """A mechanism, an input, the law of its summary, as a mapping, and the summary."""

    mechanism: Callable
    data: object
    law: dict
    summary: Callable | None = None


@dataclass(frozen=True)
class AgainstLaw:
    """Check that draws on one input and holds them against the law that the proof speaks of.

    Parameters
    ----------
    lawful : callable
        ``lawful() -> Lawful``, called when the check runs.
    draws : (int, int, int)
    """

    lawful: Callable
    draws: tuple

    def __call__(self, effort, rng):
        """The lower bound of a log-ratio, at a false-alarm rate of `FALSE_ALARM`; declares 0."""
        return self.drawn(effort.pick(*self.draws), rng)(1 - FALSE_ALARM)

    def drawn(self, n_draws, rng):
        """Draw; returns the function from a confidence to what these draws show at it."""
        mechanism, data, law, summary = self.lawful()
        draws = draw(mechanism, data, n_draws, rng=rng, summary=summary)

        def at(confidence):
            bound = distance_of_draws(draws, law, confidence)
            hits, stated = bound.counts
            m = n_draws - n_draws // 2
            detail = f"{bound.event}: {hits} of {m} draws, by the law {stated:g}"
            return Found(0.0, bound.epsilon, detail)

        return at


def described(bound, m):
    """A `LowerBound` from m draws that count on each input, in words."""
    first, second = bound.counts
    event = textwrap.shorten(str(bound.event), 300, placeholder=" ...}")
    return f"{event}: {first} of {m} draws, {second} on the neighbour"


def exact_worst(declared, law, space, neighbours):
    """Largest loss and where it is; above `declared`, also the first pair that breaks it."""
    worst = worst_privacy_loss(law, space, neighbours)
    detail = _pair(worst)
    if worst.loss > declared * (1 + ROUNDING):
        first = smallest_violation(law, space, declared, neighbours, rtol=ROUNDING)
        detail += f"; first broken by {_pair(first)}: {first.loss:.6g}"
    return Found(declared, worst.loss, detail)


def _pair(case):
    return f"{case.data} and {case.neighbour}, outcome {case.outcome}"


# Fits of an estimator ------------------------------------------------------------------------


@dataclass(frozen=True)
class Fits:
    """A `Pair` of a handful of records in [0, 1]: each draw is a fit with fresh randomness.

    Parameters
    ----------
    kind : callable
        The estimator's class; called when the check runs.
    data : tuple (X, y)
        Its records.
    change : tuple
        A way and the record, values and label: "add", "replace" (the first record), or "add k" with a
        number k of copies, for which k times the budget is declared.
    summary : callable
        Of the fitted estimator.
    declared : float, optional
        What the paper says that a fit costs; left out, the total of the fitted budget.
    options : dict
        Parameters of the estimator; of all its columns `domain` is [0, 1] unless given.
    mechanism : callable
        From the estimator to what draws.
    """

    kind: Callable
    data: tuple
    change: tuple
    summary: Callable
    declared: float | None = None
    options: dict = field(default_factory=dict)
    mechanism: Callable = FreshFit

    def estimator(self):
        """The estimator, unfitted."""
        kind, width = self.kind(), np.shape(self.data[0])[1]
        bounds = {"target_bounds": (0, 1)} if _is_regressor(kind) else {"classes": [0, 1]}
        given = {"domain": Domain([Continuous(0, 1)] * width)} | bounds | self.options
        return kind(**given)

    def __call__(self):
        """The pair, and what the fitted budget declares."""
        X, y = records(self.data[0]), np.array(self.data[1])
        way, *record = self.change
        changed, copies = (X, y), 1
        if way == "replace":
            changed = replace_record(X, y, 0, *record)
        else:
            copies = int(way.split()[1]) if " " in way else 1
            for _ in range(copies):
                changed = append_record(*changed, *record)
        estimator = self.estimator()
        declared = self.declared or estimator.fit(X, y).budget_.epsilon
        mechanism = self.mechanism(estimator)
        return Pair(mechanism, (X, y), changed, copies * declared, self.summary)


def records(rows):
    """Rows as an array: of floats, or of objects where a column has words."""
    words = any(isinstance(value, str) for value in rows[0])
    return np.array(rows, dtype=object if words else float)


def _is_regressor(kind):
    return kind.__name__.endswith("Regressor")


def named(module, kind):
    """Callable that imports an estimator when it is called: ``named("forests", "...")``."""

    def make():
        return getattr(import_module(f"dplit.{module}"), kind)

    return make
