r"""The one rule by which runs decide a sentence: a part of it is above a limit, below it, or open.

A part compares the mean of :math:`n` numbers, one a split, with a limit. They are paired
differences of two cells' scores, or one cell's scores. The splits of one data set share training
records, so the mean's variance is estimated by the corrected resampled t of Nadeau and Bengio (2003),

.. math:: \hat\sigma^2 \Bigl(\frac1n + \frac{n_\text{test}}{n_\text{train}}\Bigr),

on :math:`n - 1` degrees of freedom; where repetitions are independent data the second term is 0 and the test is
the plain t. A part with fewer than `LEAST` splits stays open, and so does one that the runs do not cover.

A sentence is built of parts by `at_least`, `all_of`, `any_of` and ``~``. Each carries two p-values:
`yes`, small if it is true, and `no`, small if it is false. That at least m of k parts are true has the
partial-conjunction p-value :math:`(k - m + 1)\,p_{(m)}` (Benjamini and Heller 2008): Bonferroni's for
one of them, the largest for all of them. `holm` then holds all sentences to one family-wise `RATE`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

RATE = 0.05  # family-wise, over all sentences
LEAST = 10  # splits; with fewer a part is open
POINT = 0.01  # margin of an accuracy, or of another share
TENTH = 0.1  # margin of an error, as a share of it


@dataclass(frozen=True)
class Difference:
    """What a part compares: an estimate with its standard error, and a limit."""

    name: str
    mean: float
    error: float
    limit: float
    n: int  #: Number of splits.
    relation: str = ">"  #: What the sentence says of the mean and the limit; or "<".

    def interval(self, level):
        """Two-sided interval of the mean at error `level`, tuple of float."""
        from scipy.stats import t

        room = t.isf(level / 2, self.n - 1) * self.error if self.error else 0.0
        return self.mean - room, self.mean + room


@dataclass(frozen=True)
class Part:
    """A statement about runs, with the p-values for and against it.

    `for_yes` and `for_no` are the comparison that decides each, a `Difference`, and the number of comparisons
    that it answers for.
    """

    yes: float = 1.0  #: p-value of the evidence that it is true; 1 if it is open.
    no: float = 1.0  #: p-value of the evidence that it is false.
    for_yes: tuple[Difference, float] | None = None
    for_no: tuple[Difference, float] | None = None

    def __invert__(self):
        return Part(self.no, self.yes, _turned(self.for_no), _turned(self.for_yes))

    @property
    def p(self):
        """Two-sided p-value: small if the runs decide the statement, either way."""
        return min(1.0, 2 * min(self.yes, self.no))

    def verdict(self, level):
        """ "agrees", "differs" or "undecided", at error `level`."""
        if self.p > level or self.p == 1.0:
            return "undecided"
        return "agrees" if self.yes < self.no else "differs"

    def decided_by(self, level):
        """The comparison that decides, and its interval at the error that is left to it; or None."""
        found = self.for_yes if self.yes <= self.no else self.for_no
        return found and (found[0], found[0].interval(level / found[1]))


OPEN = Part()


def _turned(shown):
    """The comparison as the opposite statement has it."""
    relation = {">": "<", "<": ">"}
    return shown and (replace(shown[0], relation=relation[shown[0].relation]), shown[1])


def above(
    numbers: ArrayLike, limit: float = 0.0, *, overlap: float, name: str = "", variance: float = 0.0
) -> Part:
    """That the mean of `numbers`, one a split, is above `limit`; open with fewer than `LEAST` splits.

    `overlap`: records tested over records trained, where splits are of one data set; 0 where each repetition has
    data of its own. `name`: what is compared, for the evidence. `variance`: of single runs, to be added: of
    another number with its own deviation.
    """
    from scipy.stats import t

    numbers = np.asarray(numbers, dtype=float)
    n = len(numbers)
    if n < LEAST:
        return OPEN
    error = float(np.sqrt((numbers.var(ddof=1) + variance) * (1 / n + overlap)))
    away = float(numbers.mean()) - limit
    shown = Difference(name, float(numbers.mean()), error, limit, n), 1
    if not error:
        return Part(float(away <= 0), float(away >= 0), shown, shown)
    return Part(float(t.sf(away / error, n - 1)), float(t.cdf(away / error, n - 1)), shown, shown)


def within(numbers, middle, margin, **how):
    """That the mean of `numbers` is no further than `margin` from `middle`; `how` as in `above`."""
    return all_of([above(numbers, middle - margin, **how), ~above(numbers, middle + margin, **how)])


def at_least(m, parts):
    """That at least `m` of the parts are true."""
    parts = list(parts)
    k = len(parts)
    if m > k:
        return Part(1.0, 0.0)
    by_yes, by_no = sorted(parts, key=lambda p: p.yes), sorted(parts, key=lambda p: p.no)
    true, false = by_yes[m - 1], by_no[k - m]
    return Part(
        min(1.0, (k - m + 1) * true.yes),
        min(1.0, m * false.no),
        _times(true.for_yes, k - m + 1),
        _times(false.for_no, m),
    )


def _times(shown, factor):
    return shown and (shown[0], shown[1] * factor)


def all_of(parts):
    """That all parts are true."""
    parts = list(parts)
    return at_least(len(parts), parts)


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


def holm(p: dict[str, float], rate: float = RATE) -> dict[str, float]:
    """The level at which Holm's procedure tests each of several sentences, at a family-wise error of `rate`.

    A sentence is decided if its p-value in `p` is no larger than its level.
    """
    levels, level, stopped = {}, 0.0, False
    for step, name in enumerate(sorted(p, key=p.get)):
        level = level if stopped else rate / (len(p) - step)
        stopped = stopped or p[name] > level
        levels[name] = level
    return levels
