"""How tables are read, in ``dplit audit``: each cell by itself, and refused in words that quote none."""

import math
import warnings
from datetime import date
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from dplit.court.audit.subject import Found, estimator, public, subject, subjects_of
from dplit.domain import Categorical, Continuous, Date, Domain

RDF, SECRET, ENDS = "RandomDecisionForestClassifier", "nobody's", ("2019-01-01", "2020-12-31")
CELLS = (  # of all kinds, as files have them
    SECRET, "4711.25", "0.25", " 0.5", "1,5", "", "nan", "True", True, 0.75, 1, 2, -47110, 10**20, np.inf, None,
    "a", "A", "b ", "04/05/2019", "13/05/2019", "2019-05-04", "2019-05-04T18:00+02:00", "May 4, 2019",
    pd.Timestamp("2019-05-04"), date(2019, 5, 5), np.float32(0.1), b"a",
)  # fmt: skip
COLUMNS = {
    "numbers": Continuous(0, 1), "levels": Categorical(["a", "b", "A"]), "whole levels": Categorical(range(3)),
    "days": Date(*ENDS), "months": Date(*ENDS, by="month"),
}  # fmt: skip
MISSING = {"missing": True}
WAYS = {  # of giving some cells in a column
    "lists": lambda cells: [[cell] for cell in cells],
    "array": lambda cells: np.array([[*cells]], dtype=object).T,
    "frame": lambda cells: pd.DataFrame({"x": cells}),
}
TABLE = {"amount": [0.5, 2.0, 7.0, 7.0], "kind": ["a", "b", "b", "a"],
         "day": pd.to_datetime(["2020-01-01", "2020-02-01", "2020-02-01", "2020-03-01"])}  # fmt: skip
ROW = {"amount": 9.0, "kind": "c", "day": pd.Timestamp("2020-04-01")}
BOUNDS = {  # of a column, as they may be given
    "amount": (None, (0, None), (None, 10), (None, None), [0, 10], Continuous(0, 10), (-math.inf, 10)),
    "kind": (None, [*"abc"], ("a", None), ("a", "b"), Categorical([*"abc"]), pd.CategoricalDtype([*"ab"])),
    "day": (None, ("2020-01-01", None), (None, "2020-12-31"), Date("2020-01-01", "2020-12-31")),
}  # fmt: skip
DTYPES = {"amount": ("float32", "Int64", "category"), "kind": ("category", "string"), "day": ("category", str)}


def _outcome(read, *given):
    """What is read, as text, or the words in which it is refused."""
    with warnings.catch_warnings(action="ignore"):
        try:
            return str(np.asarray(read(*given), dtype=float).ravel().tolist())
        except (TypeError, ValueError) as error:
            return f"{type(error).__name__}: {error}"


def _quoted(cells, words):
    return "Error: " in words and any(len(str(c)) > 4 and str(c) in words for c in cells)


def _each(column, effort, rng):
    """How many pairs of cells are read otherwise than each cell alone, or are quoted."""
    wrong, made = [], 0
    for several, (way, given) in product(({}, MISSING), WAYS.items()):
        domain = Domain({"x": type(column)(**vars(column) | several)})
        read = partial(_read, estimator(RDF)(1.0, domain=domain, classes=[0, 1]), given)
        alone = [read([cell]) for cell in CELLS]
        for (one, a), (other, b) in product(zip(CELLS, alone), repeat=2):
            found, made = read([one, other]), made + 1
            right = "Error: " in found if "Error: " in a + b else found == f"{a[:-1]}, {b[1:]}"
            if not right or _quoted((one, other), found):
                wrong.append(f"{way}, {one!r} and {other!r}: {found}")
    return Found(0.0, float(len(wrong)), f"{made} pairs; {wrong[:3]}")


def _read(reader, given, cells):
    return _outcome(lambda: reader._read_fit(given(cells), [0] * len(cells))[0])


def _targets(kind, effort, rng):
    """How many targets are quoted where they are refused."""
    wrong, options = [], {"domain": Domain([Continuous(0, 1)]), "n_estimators": 1, "max_depth": 0}
    forest = estimator(kind)(1.0, **public(kind, 2) | options)
    for cell, way in product(CELLS, (list, partial(np.array, dtype=object), pd.Series)):
        words = _outcome(lambda y: forest.fit([[0.5]] * 2, y).budget_.epsilon, way([cell, 0]))
        wrong += [f"{cell!r}: {words}"] if _quoted([cell], words) else []
    return Found(0.0, float(len(wrong)), f"{len(CELLS)} targets; {wrong[:3]}")


def _schemas(effort, rng):
    """How many ways to give a frame's bounds tell a record of it, and do not say so."""
    wrong, made, more = [], 0, pd.DataFrame([ROW])
    for column, ways in BOUNDS.items():
        for given, dtype in product(ways, (None, *DTYPES[column])):
            said = []
            for table in (pd.DataFrame(TABLE), pd.concat([pd.DataFrame(TABLE), more], ignore_index=True)):
                with warnings.catch_warnings(action="ignore"):
                    try:
                        frame = table[[column]] if dtype is None else table[[column]].astype(dtype)
                        domain = Domain.from_frame(frame, {} if given is None else {column: given})
                        said.append("read" if domain.data_dependent else str(domain.to_dict()))
                    except (TypeError, ValueError) as error:
                        said.append(f"{error}")
            made += 1
            wrong += [f"{column}, {dtype}: {given}"] if said[0] != said[1] else []
    return Found(0.0, float(len(wrong)), f"{made} bounds; those that tell: {wrong}")


def registered():
    """The subjects of this file."""
    cells = {name: partial(_each, column) for name, column in COLUMNS.items()}
    yield from subjects_of(cells, "cells of all kinds, each by itself, in a column of {}")
    kinds = {kind: partial(_targets, kind) for kind in (RDF, "MedianForestRegressor")}
    yield from subjects_of(kinds, "targets of all kinds, {}")
    yield subject("schemas of a frame, bounds of all kinds", _schemas)
