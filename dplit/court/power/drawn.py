r"""The test of one release: events that planted bugs make likelier, counted among draws.

Of a bug that turns the law :math:`P` into :math:`Q` the event is :math:`\{o : Q(o) > t P(o)\}`, with the
threshold at which the fewest draws decide (Neyman and Pearson 1933). An outcome that the law excludes is never
accepted. Derived in :doc:`/book/audit`.
"""

import math
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

FALSE_ALARM = 1e-6  # of a test, over all its events
POWER = 0.999  # with which it sees each bug, at least
FEWEST, MOST = 200, 200_000  # draws
BUGS = {  # and the keywords of a release's law that say so
    "1.5 times its epsilon": {"rate": 1.5},
    "noise at a third": {"rate": 3.0},
    "no noise": {"rate": math.inf},
    "a record counted twice": {"copies": 2},
    "biased by a fifth of its deviation": {"bias": 0.2},
}
WIDTH, EVENT = 88, 17  # columns of what is printed, and of an event
HEAD = ("planted bug", "makes likelier", "law", "accepted", "drawn", "seen with")
NUMBERS = ("biased by a fifth of its deviation",)  # bugs of what releases a number

Law = Mapping[Hashable, float]


class Bound(NamedTuple):
    """A stated bound on the probability of an event.

    `stated` is what the statement says of the `members`: at most that, or at least where `relation` is ">=".
    Of a published bound that is wrong `holds` is False: then the draws must refute it.
    """

    words: str
    members: frozenset
    stated: float
    relation: str = "<="
    holds: bool = True


@dataclass(frozen=True)
class Release:
    """What one kind of node of an estimator's budget stands for, and how it is drawn and tested."""

    name: str  #: As "MedianForestClassifier, class of a leaf".
    estimator: str  #: Its class: "forests.MedianForestClassifier", or a mechanism's, "mechanisms.Laplace".
    node: str  #: The name of its node in the budget tree; of a mechanism, what it draws.
    chapter: str  #: The notebook that derives it, and holds the drawn test.
    says: str  #: The law in words, as in `statement`.
    #: ``law(rate=1, copies=1, bias=0)``: probability of each outcome. `rate` times the declared epsilon is spent,
    #: one record counts `copies` times, a number is off by `bias` of its deviation.
    law: Callable[..., Law]
    draw: Callable[
        [int, np.random.Generator], Iterable
    ]  #: So many outcomes, or some more, of the estimator's own.
    is_number: bool = False  #: Whether it may be biased.
    mechanism: str = ""  #: The word of the node's note that tells it from others of its name.
    bounds: Callable[[], Iterable[Bound]] = tuple  #: What is stated of it, published and corrected.
    without: tuple[str, ...] = ()  #: Bugs that leave its law as it is, so that no draw can see them.

    @property
    def statement(self) -> str:
        """That it is drawn by this law, in a sentence."""
        node = re.sub("^strategy (.*)", r"answers of the \1 strategy", self.node)
        node, how = f"the {node.replace(', again', ' a second time')}", self.says
        is_fit = self.estimator.startswith("forests.")
        if how.startswith("chooses "):
            does = how
        elif re.fullmatch(r"noise on a \w+", self.node):
            does = f"draws {how} {self.node}"
        else:
            if re.match("(the )?(exponential|permute)", how):
                how = f"by {how}"
            elif re.match(r"(\S+ )?(geometric|Gaussian|Laplace) noise", how):
                how = f"with {how}"
            does = f"{'releases' if is_fit else 'draws'} {node} {how}"
        exact = "The exact sampler of " if self.name.endswith(", exact noise") else ""
        return f"{'A fit of ' if is_fit else exact}`{self.estimator}` {does}."

    @property
    def bugs(self) -> dict[str, dict]:
        """Those of `BUGS` that a careless change can plant in it."""
        left_out = self.without if self.is_number else (*self.without, *NUMBERS)
        return {name: changed for name, changed in BUGS.items() if name not in left_out}


class Event(NamedTuple):
    """Outcomes that a bug makes likelier, their probability by the law, and the counts that are accepted."""

    bug: str
    members: frozenset
    chance: float
    least: int
    most: int
    power: float  #: With which this test sees the bug, at least.


class Outcome(NamedTuple):
    """What a test came to: what it refused, and all of it in words, bounds included."""

    refused: tuple[str, ...]
    lines: tuple[str, ...]


class DrawnTest:
    """The drawn test of a release.

    `error`: its false-alarm rate, over all events. The number of draws is the fewest, to a tenth, that see each
    bug with a probability of at least `power`; ValueError if it takes more than `MOST`.
    """

    def __init__(self, release: Release, error: float = FALSE_ALARM, power: float = POWER):
        self.release, self.error = release, error
        self.law = _checked(release.law(), "law")
        self._others = {name: _checked(release.law(**bug), name) for name, bug in release.bugs.items()}
        self._chosen = {name: _event(self.law, other) for name, other in self._others.items()}
        draws = FEWEST
        while min(self._power(name, draws) for name in self._others) < power:
            draws = math.ceil(1.1 * draws)
            if draws > MOST:
                weak = min(self._others, key=lambda name: self._power(name, MOST))
                raise ValueError(f"{release.name}: {MOST:,} draws do not see {weak!r}")
        self.draws = draws

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """One for each bug."""
        found = []
        for name, members in self._chosen.items():
            chance = _mass(self.law, members)
            found.append(
                Event(name, members, chance, *self._limits(chance, self.draws), self._power(name, self.draws))
            )
        return tuple(found)

    def _limits(self, chance, draws):
        """The least and the most hits that are accepted."""
        from scipy.stats import binom

        each = self.error / len(set(self._chosen.values())) / 2
        least, most = int(binom.ppf(each, draws, chance)), int(binom.isf(each, draws, chance))
        return least, most

    def _power(self, name, draws):
        """With which probability a bug is seen: by its own event, or by an outcome that the law excludes."""
        from scipy.stats import binom

        members, other = self._chosen[name], self._others[name]
        least, most = self._limits(_mass(self.law, members), draws)
        hits = _mass(other, members)
        excluded = 1 - _mass(other, self.law)
        by_event = binom.cdf(least - 1, draws, hits) + binom.sf(most, draws, hits)
        by_outcome = -math.expm1(draws * math.log1p(-min(excluded, 1 - 1e-16)))
        return float(max(by_event, by_outcome))

    def counted(self, rng: np.random.Generator) -> tuple[int, list[int], int]:
        """Draw from the estimator: number of draws, hits of each event, and outcomes that the law excludes."""
        drawn = self._drawn(rng)
        excluded = sum(hits for o, hits in drawn.items() if not self.law.get(o))
        return drawn.total(), [_hits(drawn, event.members) for event in self.events], excluded

    def _drawn(self, rng):
        drawn = Counter(self.release.draw(self.draws, rng))
        if drawn.total() < self.draws:
            raise ValueError(f"{self.release.name}: {drawn.total()} draws for {self.draws}")
        return drawn

    def __call__(self, rng: np.random.Generator) -> Outcome:
        """Draw from the estimator, and judge what was drawn."""
        drawn = self._drawn(rng)
        n, refused = drawn.total(), []
        impossible = [o for o in drawn if not self.law.get(o)]
        if impossible:
            refused.append(f"{len(impossible)} outcomes that the law excludes, as {impossible[0]!r}")
        lines = [self.release.name, f"{n:,} draws, false alarms below {self.error:g}", _row(HEAD)]
        for event in self.events:
            hits = _hits(drawn, event.members)
            least, most = (event.least, event.most) if n == self.draws else self._limits(event.chance, n)
            words = _words(event.members, self.law), f"{event.chance:.3f}", f"{least / n:.3f} to {most / n:.3f}"
            lines.append(_row([event.bug, *words, f"{hits / n:.3f}", _shown(event.power)]))
            if not least <= hits <= most:
                refused.append(f"{event.bug}: {words[0]} drawn {hits / n:.4f}, accepted {words[2]}")
        for bound in self.release.bounds():
            line, good = self._judged(bound, drawn, n)
            lines += textwrap.wrap(line, WIDTH, subsequent_indent="    ")
            if not good:
                refused.append(line)
        return Outcome(tuple(refused), tuple(lines))

    def _judged(self, bound, drawn, n):
        """A bound in words with its interval, and whether the draws allow it, or refute it as they should."""
        hits = _hits(drawn, bound.members)
        low, high = _interval(hits, n, self.error)
        allowed = low <= bound.stated if bound.relation == "<=" else high >= bound.stated
        verdict = "holds" if allowed else "refuted"
        line = f"{bound.words} {bound.relation} {bound.stated:.4f}: drawn [{low:.4f}, {high:.4f}], {verdict}"
        return line, allowed == bound.holds


def _checked(law, name):
    total = math.fsum(law.values())
    if not math.isclose(total, 1, abs_tol=1e-9):
        raise ValueError(f"the probabilities of {name!r} must add up to 1, got {total}")
    return law


def _mass(law, members):
    return min(1.0, math.fsum(law.get(o, 0.0) for o in members))


def _event(law, other):
    """The first outcomes in the order of their likelihood ratio: so many that the fewest draws decide."""
    names = [o for o in law if law[o] > 0]
    p = np.array([law[o] for o in names])
    q = np.array([other.get(o, 0.0) for o in names])
    order = np.argsort(-q / p, kind="stable")
    p, q = np.minimum(p[order].cumsum(), 1), np.minimum(q[order].cumsum(), 1)
    with np.errstate(invalid="ignore"):
        score = (q - p) / (5 * np.sqrt(p * (1 - p)) + 3 * np.sqrt(q * (1 - q)) + 1e-3)
    best = int(np.nanargmax(score[:-1])) if len(names) > 1 else 0
    return frozenset(names[i] for i in order[: best + 1])


def _hits(drawn, members):
    return sum(drawn[o] for o in members)


def _row(cells):
    widths = 34, EVENT, 5, 14, 5, 9
    return " ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def _interval(hits, n, error):
    """Clopper and Pearson's."""
    from scipy.stats import beta

    low = beta.ppf(error / 2, hits, n - hits + 1) if hits else 0.0
    high = beta.isf(error / 2, hits + 1, n - hits) if hits < n else 1.0
    return float(low), float(high)


def _shown(power):
    """A probability near 1, rounded down; never 1."""
    return f"{min(math.floor(power * 1e4), 9999) / 1e4:.4f}"


def _words(members, law):
    """An event in a few words."""
    parts = sorted(map(str, members))
    words = ", ".join(parts)
    if all(isinstance(o, int) and not isinstance(o, bool) for o in law):
        words = " or ".join(_runs(sorted(members), sorted(law)))
    return words if len(words) <= EVENT else f"{len(parts)} of {len(law)} outcomes"


def _runs(inside, every):
    """Whole numbers as runs: "at most -3", "-1 to 1", "at least 4"."""
    place = {o: i for i, o in enumerate(every)}
    groups = []
    for o in inside:
        if groups and place[groups[-1][-1]] + 1 == place[o]:
            groups[-1].append(o)
        else:
            groups.append([o])
    words = []
    for group in groups:
        low, high = group[0], group[-1]
        if low == high:
            words.append(f"{low}")
        elif low == every[0]:
            words.append(f"at most {high}")
        else:
            words.append(f"at least {low}" if high == every[-1] else f"{low} to {high}")
    return words
