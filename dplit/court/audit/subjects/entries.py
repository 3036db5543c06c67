"""Other ways into a fit, in ``dplit audit``: blocks of Dask, several records of a person, a replaced record.

And what is drawn there: counts that a mixture of priors is fitted to, and exact noise.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from dplit.court.audit.estimators import FreshFit
from dplit.court.audit.subject import AgainstLaw, BlackBox, Fits, Lawful, Subject, named
from dplit.court.audit.subjects.preset import planned_for
from dplit.court.audit.subjects.whole import first_labels
from dplit.domain import Categorical, Domain

RDF, HISTOGRAM, PRESET = (
    "RandomDecisionForestClassifier", "HistogramForestClassifier", "PrivateForestClassifier"
)  # fmt: skip
REPLACED = (  # of which no other subject replaces a record
    ("forests", "MedianForestRegressor"),
    ("forests", "PrivateForestRegressor"),
    ("baselines", "DPDecisionForestClassifier"),
    ("baselines", "DPExtraTreesClassifier"),
    ("baselines", "DPExtraTreesRegressor"),
    ("baselines", "DPRandomForestClassifier"),
    ("baselines", "DPRandomForestRegressor"),
    ("baselines", "JPWClassifier"),
    ("baselines", "RGVClassifier"),
)
FEW, SOME, SLOW = (240, 1500, 8000), (300, 3000, 20_000), (140, 1000, 5000)
RATE, FAR = 0.7, 4  # of exact noise, and where its outcomes are put together


@dataclass(frozen=True)
class InBlocks(FreshFit):
    """A fit of two blocks of Dask, the last record alone in the second."""

    def __call__(self, data, rng):
        """The fitted clone; everything is computed in this thread."""
        with in_blocks(data, (len(data[0]) - 1, 1)) as given:
            return super().__call__(given, rng)


@contextmanager
def in_blocks(data, lengths):
    """``data = (X, y)`` as Dask's arrays of blocks of these lengths, computed in this thread."""
    import dask
    import dask.array

    with dask.config.set(scheduler="synchronous"):
        yield tuple(dask.array.from_array(a, chunks=(lengths, *a.shape[1:])) for a in data)


@dataclass(frozen=True)
class held_in_cell:  # lower case: used as a function, an object so that processes can share it
    """Summary: the released count of a class in a cell, within +-`FAR`."""

    cell: int
    label: int

    def __call__(self, fitted):
        """A whole number."""
        return int(np.clip(fitted.cell_counts_[self.cell, self.label], -FAR, FAR))


def _exact_draw(rate, rng):
    from dplit.mechanisms.exact import two_sided  # compiled: slow to import

    return int(np.clip(two_sided(rate, 1, rng)[0], -FAR, FAR))


def _exact_noise():
    """The geometric series, summed by hand: from `FAR` on, all in one."""
    ratio = math.exp(-RATE)
    none = (1 - ratio) / (1 + ratio)
    law = {k: none * ratio ** abs(k) for k in range(1 - FAR, FAR)}
    tail = none * ratio**FAR / (1 - ratio)
    return Lawful(_exact_draw, RATE, {**law, FAR: tail, -FAR: tail})


def _replaced(where, kind):
    """One of two alike records becomes one of the other class, or of the other end."""
    label = (0.0, 1.0) if kind.endswith("Regressor") else (0, 1)
    options = {"epsilon": 1.0, "n_estimators": 1, "max_depth": 0, "neighbours": "replace-one"}
    data, change = ([[0.5]] * 2, [label[0]] * 2), ("replace", [0.5], label[1])
    return BlackBox(Fits(named(where, kind), data, change, _leaf(kind), None, options), FEW)


def _leaf(kind):
    return first_step if kind.startswith("Private") else first_labels


def first_step(fitted):
    """Summary: which side of the middle a preset's released mean lies on."""
    return bool(fitted.forest_.initial_[0] > 0.5)


def registered():
    """The subjects of this file."""
    for where, kind in REPLACED:
        name = f"{kind}, a record of one leaf replaced"
        yield Subject(name, "black box", "within", _replaced(where, kind))
    # three records of a person: together they cost what one budget says
    person = {"epsilon": 1.5, "n_estimators": 1, "max_depth": 0, "records_per_person": 3}
    one = ([[0.5]], [0])
    yield Subject(
        f"{RDF}, a person with three records", "black box", "within",
        BlackBox(Fits(named("forests", RDF), one, ("add 3", [0.5], 1), first_labels, 0.5, person), SOME),
    )  # fmt: skip
    # three records turn the majority: whoever reads blocks without noise says so in every draw
    blocks = {"epsilon": 0.2, "n_estimators": 1, "max_depth": 0}
    two, few = ([[0.5]] * 3, [0, 0, 1]), ([[0.5]] * 2, [0, 0])
    yield Subject(
        f"{RDF} from blocks, a label", "black box", "within",
        BlackBox(Fits(named("forests", RDF), few, ("add 3", [0.5], 1), first_labels, None, blocks,
                      InBlocks), SLOW),
    )  # fmt: skip
    many = {"epsilon": 80.0, "n_estimators": 1, "max_depth": 0}
    yield Subject(
        f"{PRESET} from blocks, number of records", "black box", "within",
        BlackBox(Fits(named("forests", PRESET), two, ("add", [0.5], 1), planned_for, 0.8, many, InBlocks), SLOW),
    )  # fmt: skip
    table = Domain([Categorical(["a", "b", "c"])])
    mixed = {"epsilon": 1.0, "release": "mixed", "domain": table, "n_estimators": 1}
    full = ([["a"]] * 3 + [["b"]], [0, 0, 1, 1])
    yield Subject(
        f"{HISTOGRAM}, mixed release, an empty cell", "black box", "within",
        BlackBox(Fits(named("forests", HISTOGRAM), full, ("add", ["c"], 1), held_in_cell(2, 1), None, mixed),
                 SOME),
    )  # fmt: skip
    yield Subject("exact two-sided noise draws its law", "law", "within",
                  AgainstLaw(_exact_noise, (4000, 40_000, 400_000)))  # fmt: skip
