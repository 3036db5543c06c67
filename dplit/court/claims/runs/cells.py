"""Cells of stored runs, compared in pairs: the vocabulary in which sentences about runs are written.

A sentence is a statement, the cells of which it says that one is ahead of another, by how much, and a rule
that joins these comparisons: ``Pairs(result, cells).that(rule.most, by=0.02)``. What comes out is a
`Decided`: the `dplit.court.experiments.rule.Part` that decides, and our numbers in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np

from dplit.court.experiments import authors, rule
from dplit.court.experiments.curves import NotRun, ahead, ahead_once, differences, key, of_cells, repetitions
from dplit.court.experiments.registry import get
from dplit.court.experiments.result import Result

FEW, MANY = 9, 24  # pairs: with more the positive gains are counted, and no longer listed
ONE_DRAW = "the printed size is of one draw, and is met to a point"

Decided = tuple[rule.Part, str]
Join = Callable[[Iterable[rule.Part]], rule.Part]


class Pairs(dict[str, "tuple[str, str] | None"]):
    """Pairs of keys by name: the first cell is held to be ahead of the second; None where they are not run.

    `number` picks one of several numbers of a score; `gain` is what its gains are called in words.
    """

    def __init__(self, result: Result, pairs: Mapping, number: int | None = None, gain: str = "gain in points"):
        super().__init__(pairs)
        self.result, self.number, self.gain = result, number, gain

    def parts(self, by: float | Callable = 0.0, once: bool = False) -> list[rule.Part]:
        """That each first cell is better than the second by more than `by`; open where it is not run.

        `by` may be a function of (result, first, second). With `once` it is a size that the paper has of its
        one draw, on sets that are drawn again and again here.
        """
        return [self._part(pair, by, once) for pair in self.values()]

    def _part(self, pair: tuple | None, by: float | Callable, once: bool) -> rule.Part:
        if pair is None:
            return rule.OPEN
        size = by(self.result, *pair) if callable(by) else by
        if once and get(self.result.experiment).cell(pair[0]).draws:
            return ahead_once(self.result, *pair, by=size)
        return ahead(self.result, *pair, by=size, number=self.number)

    def that(
        self, join: Join = rule.all_of, by: float | Callable = 0.0, once: bool = False, largest: bool = False
    ) -> Decided:
        """That all are so, or most, or any, as `join` says; the gains, or the largest alone, in words."""
        shown = self.largest() if largest else self
        return join(self.parts(by, once)), shown.words(ONE_DRAW if once else "")

    def are(self, size: float, margin: float) -> Decided:
        """That every gain is a size, to a margin; the gains in words."""
        above, below = self.parts(size - margin), [~part for part in self.parts(size + margin)]
        both = rule.all_of(map(rule.all_of, zip(above, below)))
        return both, self.words(f"we allow {100 * margin:g}")

    def words(self, note: str = "") -> str:
        """The gains in words; of many only the least and the largest."""
        counted = f", {self.won()} of {len(self)} positive" if len(self) > FEW else ""
        listed = str(self) if len(self) <= MANY else f"from {self._least()} to {self.largest()}"
        theirs = authors.in_words(self.result, self)
        return f"{self.gain}{counted}: {listed}" + (f"; {note}" if note else "") + theirs

    def turned(self) -> Pairs:
        """The same pairs with the second cell held to be ahead."""
        return Pairs(self.result, {n: pair and pair[::-1] for n, pair in self.items()}, self.number)

    def gains(self) -> dict[str, float]:
        """The mean gain of each pair that is run."""
        return {name: float(found.mean()) for name, found in self._differences().items()}

    def won(self) -> int:
        """How many of the mean gains are positive."""
        return sum(gain > 0 for gain in self.gains().values())

    def largest(self) -> Pairs:
        """The pair of the largest mean gain alone."""
        gains = self.gains()
        return self._alone(max(gains, key=gains.get))

    def _least(self) -> Pairs:
        gains = self.gains()
        return self._alone(min(gains, key=gains.get))

    def _alone(self, name: str) -> Pairs:
        return Pairs(self.result, {name: self[name]}, self.number, self.gain)

    def means(self, form: str = "{:.3f} against {:.3f}", unit: float = 1.0) -> str:
        """Both means of each pair in words."""
        means = {name: (self.result.mean(k) / unit for k in pair) for name, pair in self.items()}
        return ", ".join(f"{name} {form.format(*pair)}" for name, pair in means.items())

    def __str__(self) -> str:
        words = []
        for name, d in self._differences().items():
            squared = get(self.result.experiment).cell(self[name][0]).measure == "mse"
            unit, form, short = (1, "+.2g", ".1g") if squared else (100, "+.1f", ".1f")
            error = f"± {unit * d.std(ddof=1) / np.sqrt(len(d)):{short}}" if len(d) > 1 else "(one run)"
            words.append(f"{name} {unit * d.mean():{form}} {error}")
        absent = ", ".join(name for name, pair in self.items() if pair is None)
        return (", ".join(words) or "none") + (f"; not run: {absent}" if absent else "")

    def _differences(self) -> dict[str, np.ndarray]:
        run = {name: pair for name, pair in self.items() if pair}
        return {name: differences(self.result, *pair, self.number) for name, pair in run.items()}


def pair(result: Result, *of, **at) -> tuple[str, str]:
    """Keys of two cells, as `key` takes them: a value that is a pair has the first's and the second's."""

    def cell(side):
        here = [value[side] if isinstance(value, (tuple, list)) else value for value in (*of, *at.values())]
        return key(result, *here[: len(of)], **dict(zip(at, here[len(of) :])))

    return cell(0), cell(1)


def better(result: Result, words: str, data: str, method: str, **at) -> Decided:
    """That the first of two cells, as `pair` takes them, is better than the second."""
    return Pairs(result, {words: pair(result, data, method, **at)}).that()


def together(found: Iterable[Decided], join: Join = rule.all_of) -> Decided:
    """Several statements as one: `join` says how many are true, their words stand one after the other."""
    parts, words = zip(*found)
    return join(parts), "; ".join(words)


def on_sets(result: Result, sets: Mapping, one: str | tuple, other: str | tuple, **at) -> Pairs:
    """On each data set, by its name in the paper, a cell of one method beside another's.

    A method is its name, or (name, reading, label); `at` are parameters of both cells.
    """
    methods = [(m,) if isinstance(m, str) else m for m in (one, other)]
    cells = {name: tuple(key(result, d, *m, **at) for m in methods) for d, name in sets.items()}
    ours, theirs = (f"{m[0]} (proved)" if "proved" in m else m[0] for m in methods)
    return Pairs(result, cells, gain=f"gain of {ours} over {theirs} in points")


def none_of(parts: Iterable[rule.Part]) -> rule.Part:
    """That no part is true."""
    return rule.all_of(~part for part in parts)


def best_of(result: Result, firsts: Iterable[str], others: Iterable[str]) -> rule.Part:
    """That one of the first cells is ahead of all others."""
    others = list(others)
    return rule.any_of(rule.all_of(ahead(result, a, b) for b in others) for a in firsts)


JOINS = {"all": rule.all_of, "any": rule.any_of, "most": rule.most, "none": none_of}


def joined(how: str | int) -> Join:
    """The rule that a row of a sentence names: a key of `JOINS`, or how many parts must be true."""
    return JOINS[how] if isinstance(how, str) else partial(rule.at_least, how)


def near(result: Result, cell: str, value: float, margin: float, **how) -> rule.Part:
    """That the mean score of a cell is within a margin of a value; `how` as in `rule.above`.

    `number` picks one of several numbers of a score.
    """
    scores, number = result.scores(cell), how.pop("number", None)
    scores = scores if number is None else scores[:, number]
    scores = repetitions(get(result.experiment).cell(cell), scores)
    return rule.within(scores, value, margin, **{"name": cell} | of_cells(result, cell) | how)


def means(result: Result, cells: Mapping, form: str = "{:.3f}", unit: float = 1.0) -> str:
    """Mean scores in words, by the cells' names: "training 0.812"."""
    found = {name: float(result.mean(k)) / unit for name, k in cells.items()}
    return ", ".join(f"{name} {form.format(mean)}" for name, mean in found.items())


def percent(result: Result, cells: Mapping) -> str:
    """Mean accuracies in percent, in words, and the authors' own."""
    return means(result, cells, "{:.1f}", 0.01) + authors.in_words(result, cells)


def where_run(cells: Callable[[str], tuple], data: str, otherwise: tuple | None = None):
    """What a function finds of one data set, as its cells; something else if they are not run."""
    try:
        return cells(data)
    except NotRun:
        return otherwise
