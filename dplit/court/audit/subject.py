"""What one row of ``dplit audit`` is made of, and the ways to find a loss that the subjects share.

A check is called with an effort and a generator. `draws` are three numbers, one for each effort, of draws on each
input; pairs and laws are made when a check runs.
"""

import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import NamedTuple

import numpy as np

from dplit.court.audit.blackbox import Event, LowerBound, bound_from_draws, bound_of_event, draw, draw_pair
from dplit.court.audit.estimators import FreshFit
from dplit.court.audit.law import distance_of_draws
from dplit.court.audit.power import draws_needed, misses
from dplit.domain import Continuous, Domain
from dplit.ground.errors import PrivacyLeakWarning
from dplit.ground.work import EFFORTS, Effort
from dplit.loss import WorstCase, smallest_violation, worst_privacy_loss
from dplit.neighbours import append_record, replace_record

FALSE_ALARM = 1e-6
MISSED = (1e-4, 1e-6, 1e-8)  # of a leak that is drawn, for each effort: less than this
ROUNDING = 1e-9  # relative room that an exact loss gets above the declared epsilon
AR, RO = "add-remove", "replace-one"


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
    """Something to audit."""

    name: str
    method: str  #: "exact", "black box" or "law".
    expected: str  #: "within" or "caught".
    check: Callable  #: ``check(effort, rng) -> Found``.
    efforts: tuple[str, ...] = EFFORTS  #: The efforts that include it.


def subject(name: str, check: Callable, expected: str | None = None, efforts: tuple = EFFORTS) -> Subject:
    """Return a subject; its check tells the method and, left out, what is expected: of a `Leak` "caught"."""
    expected = expected or ("caught" if isinstance(check, Leak) else "within")
    return Subject(name, getattr(check, "method", "exact"), expected, check, efforts)


def subjects_of(checks: dict[str, Callable], words: str = "{}", expected: str | None = None) -> Iterator[Subject]:
    """Yield a `subject` for each check; `words` has braces where its name goes."""
    return (subject(words.format(name), check, expected) for name, check in checks.items())


class Drawing:
    """A check that draws: `draws` are how many, `drawn` gives what they show as a function of a confidence."""

    method = "black box"

    def __call__(self, effort: Effort, rng: np.random.Generator) -> Found:
        """Return what is shown at a false-alarm rate of `FALSE_ALARM`."""
        return self.drawn(effort.pick(*self.draws), rng)(1 - FALSE_ALARM)


class Pair(NamedTuple):
    """Two neighbouring inputs of a mechanism, the epsilon that it declares for them, and a summary."""

    mechanism: Callable
    data: object
    neighbour: object
    declared: float
    summary: Callable | None = None


@dataclass(frozen=True)
class BlackBox(Drawing):
    """Check that draws on two neighbouring inputs, those of ``pair()``; a lower bound of the loss."""

    pair: Callable[[], Pair]
    draws: tuple[int, int, int]

    def drawn(self, n_draws: int, rng: np.random.Generator) -> Callable[[float], Found]:
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
class Leak(Drawing):
    """Check of a leak whose proof names an event: it is fixed before any draw, and so is their number.

    The number of draws follows from the event's two probabilities, which are computed: this many miss the
    leak, at a false-alarm rate of `FALSE_ALARM`, with a probability below `MISSED`.
    """

    pair: Callable[[], Pair]  #: As of `BlackBox`.
    declared: float  #: As the pair's; known before the pair is made.
    chances: Callable[[], Iterable[float]]  #: The event's probability on data and on neighbour.
    outcomes: frozenset = frozenset({True})  #: The event: these outcomes of the pair's summary.

    @cached_property
    def _sided(self):
        """The input on which the event is likelier, and its probability there and on the other one."""
        p, q = map(float, self.chances())
        return ("data", p, q) if p > q else ("neighbour", q, p)

    @cached_property
    def draws(self) -> tuple[int, ...]:
        """Draws on each input, for each effort."""
        odds = *self._sided[1:], self.declared
        return tuple(draws_needed(*odds, miss, 1 - FALSE_ALARM) for miss in MISSED)

    def missed(self, effort: str) -> float:
        """Return the probability that an audit of this effort misses the leak."""
        draws = Effort(effort).pick(*self.draws)
        return misses(*self._sided[1:], self.declared, draws, 1 - FALSE_ALARM)

    def drawn(self, n_draws: int, rng: np.random.Generator) -> Callable[[float], Found]:
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
class AgainstLaw(Drawing):
    """Check that draws on one input and holds the draws against the law that the proof speaks of.

    It finds a lower bound of a log-ratio, and declares 0.
    """

    lawful: Callable[[], Lawful]
    draws: tuple[int, int, int]
    method = "law"

    def drawn(self, n_draws: int, rng: np.random.Generator) -> Callable[[float], Found]:
        mechanism, data, law, summary = self.lawful()
        draws = draw(mechanism, data, n_draws, rng=rng, summary=summary)

        def at(confidence):
            bound = distance_of_draws(draws, law, confidence)
            hits, stated = bound.counts
            m = n_draws - n_draws // 2
            detail = f"{bound.event}: {hits} of {m} draws, by the law {stated:g}"
            return Found(0.0, bound.epsilon, detail)

        return at


def described(bound: LowerBound, m: int) -> str:
    """Return a bound from m draws that count on each input, in words."""
    first, second = bound.counts
    event = textwrap.shorten(str(bound.event), 300, placeholder=" ...}")
    return f"{event}: {first} of {m} draws, {second} on the neighbour"


def exact_worst(declared: float, law: Callable, space: Iterable, neighbours: str | Callable) -> Found:
    """Return the largest loss and where it is; above `declared`, also the first pair that breaks it."""
    worst = worst_privacy_loss(law, space, neighbours)
    detail = _pair(worst)
    if worst.loss > declared * (1 + ROUNDING):
        first = smallest_violation(law, space, declared, neighbours, rtol=ROUNDING)
        detail += f"; first broken by {_pair(first)}: {first.loss:.6g}"
    return Found(declared, worst.loss, detail)


def _pair(case: WorstCase):
    return f"{case.data} and {case.neighbour}, outcome {case.outcome}"


def worst_of(declared: float, found: Iterable[tuple], noun: str = "pairs") -> Found:
    """Return the worst of tuples (loss, words, ...), and how many there were."""
    found = list(found)
    worst, *words = max(found)
    return Found(declared, worst, f"{len(found)} {noun}, the worst: {' and '.join(words)}")


@dataclass(frozen=True)
class Fits:
    """A `Pair` of a handful of records in [0, 1]: each draw is a fit with fresh randomness."""

    kind: str  #: The estimator's class.
    data: tuple  #: Its records, (X, y).
    #: A way and the record, values and label: "add", "replace" (the first record), or "add k" with a number k of
    #: copies, for which k times the budget is declared.
    change: tuple
    summary: Callable  #: Of the fitted estimator.
    #: What the paper says that a fit costs; left out, the total of the fitted budget.
    declared: float | None = None
    #: Parameters of the estimator; of all its columns `domain` is [0, 1] unless given.
    options: dict = field(default_factory=dict)
    mechanism: Callable = FreshFit  #: From the estimator to what draws.

    def __call__(self) -> Pair:
        """Return the pair, and what the fitted budget declares."""
        X, y = arrays(self.data)
        way, *record = self.change
        changed, copies = (X, y), 1
        if way == "replace":
            changed = replace_record(X, y, 0, *record)
        else:
            copies = int(way.split()[1]) if " " in way else 1
            for _ in range(copies):
                changed = append_record(*changed, *record)
        forest = unfitted(self.kind, self.data, **self.options)
        declared = self.declared or forest.fit(X, y).budget_.epsilon
        return Pair(self.mechanism(forest), (X, y), changed, copies * declared, self.summary)


def fits(
    kind: str, data: tuple, change: tuple, summary: Callable, draws: tuple, *,
    declared: float | None = None, fitting: Callable = FreshFit, **options
) -> BlackBox:  # fmt: skip
    """Return the check of `Fits` with these options."""
    return BlackBox(Fits(kind, data, change, summary, declared, options, fitting), draws)


def leak(
    kind: str, data: tuple, change: tuple, summary: Callable, declared: float, chances: Callable, *,
    outcomes: frozenset = frozenset({True}), **options
) -> Leak:  # fmt: skip
    """Return the check of a leak of `Fits` with these options."""
    pair = Fits(kind, data, change, summary, declared, options)
    return Leak(pair, declared, chances, outcomes)


def fits_by_law(
    kind: str, data: tuple, law: Callable[[], dict], summary: Callable, draws: tuple, **options
) -> AgainstLaw:
    """Return the check that fits with these options draw a summary by ``law()``."""

    def lawful():
        mechanism = FreshFit(unfitted(kind, data, **options))
        return Lawful(mechanism, arrays(data), law(), summary)

    return AgainstLaw(lawful, draws)


def unfitted(kind: str, data: tuple, **options):
    """Return an estimator for records like these; the domain of each column is [0, 1] unless given."""
    domain = Domain([Continuous(0, 1)] * np.shape(data[0])[1])
    return estimator(kind)(**{"domain": domain} | public(kind) | options)


def estimator(kind: str) -> type:
    """Return a class of `dplit.forests` or `dplit.baselines`, imported when it is asked for."""
    rooms = (import_module(f"dplit.{room}") for room in ("forests", "baselines"))
    return next(getattr(room, kind) for room in rooms if kind in room.__all__)


def public(kind: str, most: int = 1) -> dict:
    """Return what an estimator is told of targets from 0 to `most`: their bounds, or the classes."""
    if kind.endswith("Regressor"):
        return {"target_bounds": (0, most)}
    return {"classes": list(range(most + 1))}


def arrays(data: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y as arrays, X of floats, or of objects where a column has words."""
    words = any(isinstance(value, str) for value in data[0][0])
    return np.array(data[0], dtype=object if words else float), np.array(data[1])
