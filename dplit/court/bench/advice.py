"""Which private forest to take by what is public of a table, as the sets for choosing have it.

A set is of a kind: few or many records for its epsilon, few or many cells of its domain, a number or two
classes or more. The rule is that of :doc:`/book/bench`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dplit import datasets
from dplit.court.bench.paired import OVERLAP, Gain, gain
from dplit.court.experiments.bench import MOST_CELLS, cells_of

CONSTANT = "Constant"
MOST_SAID = 10**18  # what a column of a table can hold
FEW, MANY = f"up to {MOST_CELLS:,}", "more"
BY_RECORDS = (  # records times epsilon, up to and excluding
    (1_000, "under 1,000"),
    (10_000, "1,000 to 10,000"),
    (float("inf"), "over 10,000"),
)


@dataclass(frozen=True)
class Advice:
    """What is advised to tables of one kind; gains are means over its sets, in the unit of the score."""

    method: str | None  #: None: no private method is worth more than a constant.
    points: float  #: Its gain over the constant.
    sets: int  #: How many sets it rests on.
    worth: int  #: On how many of them it is above the constant, by the interval of that set.
    next: str  #: The second best; empty if there is none.
    behind: float  #: Its gain less that of the best.


def public_table() -> pd.DataFrame:
    """What is public of every data set, index its name, as `kinds` takes it.

    `dplit.datasets.table`, and "cells": of the domain, with five bins of a continuous column, `MOST_SAID` where
    there are more.
    """
    table = datasets.table().set_index("name")
    return table.assign(cells=[min(cells_of(data), MOST_SAID) for data in table.index])


def kinds(public: Mapping, epsilon: float) -> tuple[str, str, str]:
    """What kind of table a set is at an epsilon, by public numbers alone: target, records times epsilon, cells.

    `public` has "records", "classes" (0 of a number) and "cells", as a row of `public_table`.
    """
    target = {0: "a number", 2: "two classes"}.get(int(public["classes"]), "more classes")
    size = next(name for most, name in BY_RECORDS if public["records"] * epsilon < most)
    return target, size, FEW if public["cells"] <= MOST_CELLS else MANY


def beats_constant(found: dict, data: str, method: str, overlap: float = OVERLAP) -> Gain:
    """What a method gains over the constant prediction on one set, by the scores `found`."""
    return gain(found[data, method], found[data, CONSTANT], overlap)


def advise(found: dict, sets: Sequence[str], methods: Sequence[str], overlap: float = OVERLAP) -> Advice:
    """What is advised to tables like these sets, by scores `found` at one epsilon.

    `methods` are private; one that is missing on a set is not advised. Raises a ValueError if none is there on
    all sets.
    """
    there = [m for m in methods if all((data, m) in found for data in sets)]
    if not there or not sets:
        raise ValueError(f"found must have one of the methods on all of {list(sets)}")
    gains = {m: [beats_constant(found, data, m, overlap) for data in sets] for m in there}
    points = {m: float(np.mean([g.mean for g in of])) for m, of in gains.items()}
    best, *others = sorted(there, key=points.get, reverse=True)
    worth = sum(g.low > 0 for g in gains[best])
    taken = best if 2 * worth > len(sets) else None
    behind = points[others[0]] - points[best] if others else 0.0
    return Advice(taken, points[best], len(sets), worth, others[0] if others else "", behind)


def advice_table(by_epsilon: dict[float, dict], public: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """The advice to every kind of table that the sets have; `public` as `public_table`.

    Index (target, records times epsilon, cells); columns take, points (mean gain over the constant in
    hundredths), worth ("3 of 4": how often above it), and next (the second best and its distance). A kind has
    the cells (set, epsilon) of all epsilons.
    """
    groups = {}
    for epsilon, found in by_epsilon.items():
        for data in dict.fromkeys(data for data, _ in found):
            groups.setdefault(kinds(public.loc[data], epsilon), []).append((data, epsilon))
    rows = {}
    for kind, of in sorted(groups.items(), key=_order):
        together = {
            (at, m): by_epsilon[at[1]][at[0], m]
            for at in of
            for m in (CONSTANT, *methods)
            if (at[0], m) in by_epsilon[at[1]]
        }
        found = advise(together, of, methods)
        rows[kind] = {
            "take": found.method or "none",
            "points": round(100 * found.points, 1),
            "worth": f"{found.worth} of {found.sets}",
            "next": f"{found.next} {100 * found.behind:+.1f}" if found.next else "",
        }
    index = pd.MultiIndex.from_tuples(rows, names=["target", "records × ε", "cells"])
    return pd.DataFrame(list(rows.values()), index=index)


def _order(item):
    target, size, cells = item[0]
    return target, [name for _, name in BY_RECORDS].index(size), cells != FEW
