r"""The one rule by which runs decide a sentence, however often one looks and whenever one stops.

On a paper's records the evidence against a mean is :math:`M_n` of :doc:`/book/median_forest_experiments`, where
the rule is stated and proved; :math:`1 / M_n` is a p-value at any :math:`n` (`above`). Beyond them one asks of
records like these (:doc:`/book/bench`): by the sign test over tables (`signs`), and of one table by the corrected
resampled t of Nadeau and Bengio 2003 (`beyond`).

A sentence is built of parts by `at_least`, `all_of`, `any_of` and ``~``. Each carries the p-value `yes`, small if
it is true, and `no`, small if it is false; a part also says how surely it is true, or false, up to a margin that
matters (`near_yes`, `near_no`). A sentence that is both is **too close**. A sentence of a paper with K sentences
is decided at :math:`\alpha / K` (`levels`). Holm's steps would not do: they count hypotheses that are left, and
each sentence leaves one however many are decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

LEAST = 20  # repetitions; with fewer a part is open, since fewer may be far from normal
LEAST_MEANS = 10  # of repetitions that are means of all folds of a cut
RATE = 0.05  # of a wrong verdict, over all sentences of one paper
EFFECTS = 0.5  # kappa: effects of some 1.4 deviations and less are looked for
REMOTE = 5e-6  # chance that another number is further from its mean than we allow for
POINT = 0.01  # margin of an accuracy, or of another share
TENTH = 0.1  # margin of an error, as a share of it
FINEST = 0.1  # of the margin; repetitions that vary less count as if they varied so much


def log_evidence(n: ArrayLike, squares: ArrayLike, away: ArrayLike) -> np.ndarray:
    """Logarithm of M against a mean that is `away` from that of n numbers, whose squared deviations have the sum
    `squares`; elementwise."""
    total = n + EFFECTS
    square = n * np.square(away)
    share = np.divide(square, squares + square, out=np.zeros(np.shape(square)), where=square > 0)
    return 0.5 * np.log(EFFECTS / total) - 0.5 * n * np.log1p(-n / total * share)


@dataclass(frozen=True)
class Difference:
    """What a part compares: an estimate of n independent numbers, and a limit."""

    name: str
    mean: float
    squares: float  #: Sum of the squared deviations from the mean, or the least that counts.
    limit: float
    n: int  #: Number of independent repetitions.
    relation: str = ">"  #: What the sentence says of the mean and the limit; or "<".
    room: float = 0.0  #: How far another number may be from its mean, on either side.
    overlap: float | None = None  #: Records tested over trained, of splits that stand for new records.
    cells: tuple[tuple[str, str], ...] = ()  #: What the numbers are of: (experiment, key) of each cell.

    def interval(self, level: float) -> tuple[float, float]:
        """Interval of the mean at error `level`, which holds at all n at once.

        Of splits that stand for new records the interval at this n, at error `level` on either side.
        """
        room = self.room + (self._t(level) if self.overlap is not None else self._always(level))
        return self.mean - room, self.mean + room

    def p(self) -> float:
        """p-value of the evidence that the mean is above the limit."""
        away = self.mean - self.limit - self.room
        if self.overlap is not None and self.error:
            from scipy.stats import t

            return float(t.sf(away / self.error, self.n - 1))
        if away <= 0 or self.overlap is not None:
            return float(away <= 0)
        evidence = float(log_evidence(self.n, self.squares, away))
        return min(1.0, np.exp(-evidence) + (REMOTE if self.room else 0.0))

    @property
    def within_room(self) -> bool:
        """True if the mean is so near to the limit that, given the room, no more repetitions decide."""
        return bool(self.room and abs(self.mean - self.limit) <= self.room)

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return float(np.sqrt(self.squares / (self.n - 1) * (1 / self.n + (self.overlap or 0.0))))

    def _always(self, level):
        """Half the width at which M is 1 / level."""
        n, total = self.n, self.n + EFFECTS
        share = (1 - (level**2 * EFFECTS / total) ** (1 / n)) * total
        return float(np.sqrt(share * self.squares / (n * (n - share)))) if n > share else np.inf

    def _t(self, level):
        from scipy.stats import t

        return float(t.isf(level, self.n - 1)) * self.error if self.error else 0.0


@dataclass(frozen=True)
class Won(Difference):
    """On how many of n tables a method is ahead: `mean` is their share."""

    def interval(self, level: float) -> tuple[float, float]:
        """Clopper and Pearson's interval of the share, at error `level` on either side."""
        from scipy.stats import beta

        won = round(self.mean * self.n)
        low = float(beta.ppf(level, won, self.n - won + 1)) if won else 0.0
        return low, float(beta.isf(level, won + 1, self.n - won)) if won < self.n else 1.0


@dataclass(frozen=True)
class Part:
    """A statement about runs, with the p-values for and against it.

    `for_yes` and `for_no` are the comparison that decides each, a `Difference`, and the number of comparisons
    that it answers for.
    """

    yes: float = 1.0  #: p-value of the evidence that it is true; 1 if it is open.
    no: float = 1.0  #: p-value of the evidence that it is false.
    near_yes: float = 1.0  #: p-value of the evidence that it is true up to the margin that matters.
    near_no: float = 1.0  #: That it is false up to that margin.
    for_yes: tuple[Difference, float] | None = None
    for_no: tuple[Difference, float] | None = None

    def __invert__(self):
        shown = _turned(self.for_no), _turned(self.for_yes)
        return Part(self.no, self.yes, self.near_no, self.near_yes, *shown)

    @property
    def p(self) -> float:
        """The p-value that decides, for or against."""
        return min(self.yes, self.no)

    def verdict(self, level: float) -> str:
        """ "agrees", "differs", "too close" or "undecided", at error `level`."""
        if self.p > level or self.p == 1.0:
            return "too close" if max(self.near_yes, self.near_no) <= level else "undecided"
        return "agrees" if self.yes < self.no else "differs"

    def decided_by(self, level: float):
        """The comparison that decides, and its interval at the error that is left to it; or None."""
        found = self.for_yes if self.yes <= self.no else self.for_no
        return found and (found[0], found[0].interval(level / found[1]))


OPEN = Part()


def _turned(shown):
    """The comparison as the opposite statement has it."""
    relation = {">": "<", "<": ">"}
    return shown and (replace(shown[0], relation=relation[shown[0].relation]), shown[1])


def above(
    numbers: ArrayLike,
    limit: float = 0.0,
    *,
    margin: float | tuple[ArrayLike, ArrayLike] = POINT,
    name: str = "",
    deviation: float = 0.0,
    cells: tuple = (),
    least: int = LEAST,
) -> Part:
    """That the mean of independent repetitions is above `limit`, on these records; open with fewer than `least`.

    `margin`: a distance from the limit that does not matter; or the numbers whose mean is above the limit if
    the sentence is nearly true, and those whose mean is below it if it is nearly false. `name`: what is compared,
    for the evidence, and `cells`, of which more runs would tell more. `deviation`: of the limit, where it is a
    normal number itself.
    """
    return _part(numbers, limit, margin, name, deviation, None, cells, least)


def beyond(
    numbers: ArrayLike, limit: float = 0.0, *, overlap: float, margin: float = POINT, name: str = ""
) -> Part:
    """That the mean over new records like these is above `limit`: splits of one table, by the corrected t.

    `overlap`: records tested over records trained; 0 where each repetition has data of its own.
    """
    return _part(numbers, limit, margin, name, 0.0, overlap, (), 2)


def _part(numbers, limit, margin, name, deviation, overlap, cells, least):
    numbers = np.asarray(numbers, dtype=float)
    if len(numbers) < least:
        few = Difference(name, float("nan"), float("nan"), limit, len(numbers), cells=cells)
        return Part(for_yes=(few, 1), for_no=(few, 1))
    room = 0.0
    if deviation:
        from scipy.stats import norm

        room = float(norm.isf(REMOTE)) * deviation

    def compared(of, limit, sign=1):
        squares = float(((of - of.mean()) ** 2).sum()) if np.ptp(of) else 0.0
        if overlap is None:
            squares = max(squares, len(of) * finest**2)
        return Difference(name, sign * float(of.mean()), squares, sign * limit, len(of), ">", room, overlap, cells)

    if isinstance(margin, tuple):
        nearly = [np.asarray(of, dtype=float) for of in margin]
        finest = FINEST * abs(float(np.mean(nearly[0]) - np.mean(nearly[1]))) / 2
        near_yes, near_no = compared(nearly[0], limit).p(), compared(nearly[1], limit, -1).p()
    else:
        finest = FINEST * margin
        near_yes, near_no = compared(numbers, limit - margin).p(), compared(numbers, limit + margin, -1).p()
    seen = compared(numbers, limit)
    yes, no = seen.p(), compared(numbers, limit, -1).p()
    return Part(yes, no, min(yes, near_yes), min(no, near_no), (seen, 1), (seen, 1))


def signs(gains: Iterable[float], name: str = "tables with a gain") -> Part:
    """That a method is better on more than half of all tables like these: the sign test over tables.

    `gains`: one a table, whose signs count; tables without a gain or a loss are left out.
    """
    from scipy.stats import binom

    gains = np.array([gain for gain in gains if gain], dtype=float)
    won, n = int((gains > 0).sum()), len(gains)
    if not n:
        return OPEN
    seen = Won(name, won / n, won * (n - won) / n, 0.5, n)
    yes, no = (float(binom.sf(count - 1, n, 0.5)) for count in (won, n - won))
    return Part(yes, no, yes, no, (seen, 1), (seen, 1))


def within(numbers, middle, margin, **how):
    """That the mean of `numbers` is no further than `margin` from `middle`; `how` as in `above`.

    Half the margin does not matter.
    """
    how = {"margin": margin / 2} | how
    return all_of([above(numbers, middle - margin, **how), ~above(numbers, middle + margin, **how)])


def at_least(m, parts):
    """That at least `m` of the parts are true."""
    parts = list(parts)
    k = len(parts)
    if m > k:
        return Part(1.0, 0.0, 1.0, 0.0)
    true = sorted(parts, key=lambda part: (part.yes, -part.no))[m - 1]  # of equals the one less refuted
    false = sorted(parts, key=lambda part: (part.no, -part.yes))[k - m]
    return Part(
        min(1.0, (k - m + 1) * true.yes),
        min(1.0, m * false.no),
        min(1.0, (k - m + 1) * sorted(part.near_yes for part in parts)[m - 1]),
        min(1.0, m * sorted(part.near_no for part in parts)[k - m]),
        _times(true.for_yes, k - m + 1),
        _times(false.for_no, m),
    )


def _times(shown, factor):
    return shown and (shown[0], shown[1] * factor)


def all_of(parts):
    """That all parts are true."""
    parts = list(parts)
    return at_least(len(parts), parts)


def throughout(parts):
    """That all parts are true, which say the same of one method at several budgets.

    Against it is twice the mean of their p-values, whatever their dependence (Rueschendorf 1982): a method that is
    behind is so at all budgets, and then this is less than `all_of` has.
    """
    parts = list(parts)
    all_true, against = all_of(parts), max(parts, key=lambda part: part.no)
    no, near_no = (min(1.0, 2 * float(np.mean(of))) for of in zip(*((p.no, p.near_no) for p in parts)))
    return replace(all_true, no=no, near_no=near_no, for_no=_times(against.for_no, 2))


def any_of(parts):
    """That one of the parts is true, or more."""
    return at_least(1, parts)


def same_truth(parts):
    """That the parts are all true or all false."""
    parts = list(parts)
    return any_of([all_of(parts), all_of(~p for p in parts)])


def most(parts):
    """That more than half of the parts are true."""
    parts = list(parts)
    return at_least(len(parts) // 2 + 1, parts)


def levels(papers: dict[str, str], rate: float = RATE) -> dict[str, float]:
    """The level of each sentence, by its name: `rate` over the number of sentences of its paper.

    `papers`: of each sentence the paper whose wrong verdicts are counted together.
    """
    counts = Counter(papers.values())
    return {name: rate / counts[paper] for name, paper in papers.items()}
