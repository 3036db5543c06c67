"""Public functions, called at random: a clear error or a right answer, and nothing else.

A right answer is the one for plain Python numbers. A clear error is a ValueError, a TypeError or a KeyError
that names a parameter. ``pytest -m deep tests/test_fuzz.py`` makes a thousand calls.
"""

from __future__ import annotations

import inspect
import math
import re
import warnings
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dplit import Categorical, Continuous, Domain, datasets, mechanisms
from dplit.baselines import JPWClassifier
from dplit.forests import RandomDecisionForestClassifier
from dplit.forests.export import export_text

# Names that other people's scripts call, by what their parameters mean.
VALUES = {
    "n": (6, 12), "depth": (1, 2), "epsilon": (0.5, 2), "lower": (0, -1.5), "upper": (1, 2.5),
    "neighbours": ("add-remove", "replace-one"), "t": (1, 0.25), "counts": ([3, 1], [0, 0, 2]),
    "classes": (2, 3), "gap": (1, 4), "values": ([0.25, 0.5], [0.0, 0.75, 0.5]), "features": (3, 6),
    "impurity_decreases": ([0.5, 0.25], [0.25, 0.25, 1]), "budget": (1, 2.5), "candidates": (2, 5),
    "feature_budget": (1, 2.5), "value_budget": (1, 2.5), "parts": (3, 6), "spread": (0.25, 0.5),
    "width": (1, 2), "continuous": (2, 5), "discrete": (1, 4), "s": (2, 4), "removed": (1, 2),
    "label_budget": (1, 2.5),
}  # fmt: skip
CALLED = {
    "sensitivity": ("mean", "published_mean", "split_score", "counts", "sse_removed"),
    "median": ("rank_law", "interval_law", "subset_law", "flip_rate"),
    "occupancy": ("leaf_law", "model_tail", "published_bound", "corrected_bound", "any_leaf_tail"),
    "balance": ("split_law", "published_bound", "at_least_bound", "more_than_bound", "central_range"),
    "multinomial": ("selection_law", "selection_bounds", "published_p1", "tight_p1", "published_p2",
                    "tight_p2", "label_law", "uniform_distance_bound"),
    "majority": ("smooth_sensitivity", "published_smooth_sensitivity", "smooth_exponential_law",
                 "one_sided_law", "error_lower_bound", "gap_error"),
    "depth": ("untested_features", "published_depth", "table_depth"),
    "utility": ("label_law", "published_flip"),
}  # fmt: skip
FUNCTIONS = {
    f"{module}.{name}": getattr(import_module(f"dplit.{module}"), name)
    for module, names in CALLED.items()
    for name in names
}
JUNK = [
    None,
    "x",
    math.nan,
    math.inf,
    -1,
    0,
    10**400,
    1e308,
    True,
    [],
    [[]],
    ["a"],
    1j,
    {},
    object(),
]
SMALL = [np.int8, np.uint8, np.int64, np.float32, np.float64]


def dressed(value, kind):
    """The same number or list of numbers as NumPy has it; itself, where the type cannot hold it."""
    if isinstance(value, str):
        return np.str_(value)
    array = np.asarray(value)
    if array.dtype.kind == "i" and np.dtype(kind).kind == "f":
        return value  # a number of records is no float
    return array.astype(kind)[()] if (array.astype(kind) == array).all() else value


def numbers(found):
    """All numbers of an answer, in order."""
    parts = list(vars(found).values()) if hasattr(found, "__dict__") else found
    if not isinstance(parts, (tuple, list)):
        return np.asarray(found, dtype=float).ravel()
    return np.concatenate([np.empty(0), *map(numbers, parts)])


def check_error(error, names):
    assert isinstance(error, (ValueError, TypeError, KeyError)), repr(error)
    assert re.search(rf"\b({'|'.join(names)})\b", str(error)), f"names nothing: {error!r}"
    assert len(str(error)) < 1000, "too long"


@st.composite
def calls(draw):
    """A function, its arguments, and one of them in place of which something else comes."""
    name = draw(st.sampled_from(sorted(FUNCTIONS)))
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    needed = [p.name for p in parameters if p.default is p.empty]
    arguments = {name: draw(st.sampled_from(VALUES[name])) for name in needed}
    changed = draw(st.sampled_from(needed))
    spoilt = draw(st.booleans())
    return name, arguments, changed, draw(st.sampled_from(JUNK if spoilt else SMALL)), spoilt


def check(call):
    name, arguments, changed, instead, spoilt = call
    function = FUNCTIONS[name]
    plain = arguments[changed]
    value = instead if spoilt else dressed(plain, instead)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, where e.g. exp(-1e308) is 0
        try:
            found = function(**{**arguments, changed: value})
        except Exception as error:
            check_error(error, arguments)
            if not spoilt:
                with pytest.raises(type(error)):
                    function(**arguments)
            return
        if not spoilt:
            np.testing.assert_allclose(numbers(found), numbers(function(**arguments)), rtol=1e-6)
            return
    assert not np.isnan(numbers(found)).any(), f"no number for {changed}={instead!r}"


CHECKS = list(HealthCheck)


@settings(
    max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=CHECKS
)
@given(call=calls())
def test_functions(call):
    check(call)


@pytest.mark.deep
@settings(max_examples=1000, deadline=None, database=None, suppress_health_check=CHECKS)
@given(call=calls())
def test_functions_deep(call):
    check(call)


# Schemas and mechanisms --------------------------------------------------------------------------

THINGS = st.sampled_from([*JUNK, 3, 0.5, ["a", "b"], (0, 1), Continuous(0, 1), Categorical([1, 2])])
EDGES = {
    "Continuous": (lambda a, b: Continuous(a, b), "lower|upper"),
    "Categorical": (lambda a, b: Categorical(a, b), "levels|missing"),
    "Domain": (lambda a, b: Domain([Continuous(0, 1), a], ["u", b]), "features|names"),
    "Domain of a mapping": (lambda a, b: Domain({"u": a, "v": b}), "features"),
    "from_dict": (lambda a, b: Domain.from_dict({"columns": [{"lower": a, "upper": b}, a]}),
                  "domain|column|columns"),
    "from_frame": (lambda a, b: Domain.from_frame(pd.DataFrame({"u": [1.0, 2]}), {"u": a}),
                   "bounds|column"),
    "from polars": (lambda a, b: Domain.from_frame(pl.DataFrame({"u": ["x"]}), {"u": a, "w": b}),
                    "bounds|column"),
    "from no frame": (lambda a, b: Domain.from_frame(a), "frame"),
    "encode": (lambda a, b: Domain([Continuous(0, 1)]).encode([[a]]), "column|X"),
    "a column": (lambda a, b: Domain([Continuous(0, 1)])[a], "column"),
    "load": (lambda a, b: datasets.load(a), "name|data set"),
    "Laplace": (lambda a, b: mechanisms.Laplace(a, b), "epsilon|sensitivity"),
    "Geometric": (lambda a, b: mechanisms.Geometric(a, b), "epsilon|sensitivity"),
    "Exponential": (lambda a, b: mechanisms.Exponential(a, b), "epsilon|sensitivity"),
    "PermuteAndFlip": (lambda a, b: mechanisms.PermuteAndFlip(a, b), "epsilon|sensitivity"),
    "BoundedMean": (lambda a, b: mechanisms.BoundedMean(1.0, a, b), "lower|upper"),
    "scores": (lambda a, b: mechanisms.Exponential(1.0).pmf(a), "scores"),
    "export_text": (lambda a, b: export_text(FITTED, a, max_depth=b), "tree|max_depth"),
    "predict": (lambda a, b: FITTED.predict([[a, 1]]), "X|column"),
    "predict numbers": (lambda a, b: NUMBERS.predict([[a, b]]), "X|column"),
}  # fmt: skip
SCHEMA = {"classes": [0, 1], "n_estimators": 1, "max_depth": 1, "random_state": 0}
FITTED = RandomDecisionForestClassifier(
    domain=Domain([Continuous(0, 1), Categorical([1, 2])]), **SCHEMA
).fit([[0.5, 1]], [0])
NUMBERS = JPWClassifier(domain=Domain([Continuous(0, 1)] * 2), **SCHEMA).fit([[0.5, 1]], [0])


def check_edge(name, a, b):
    make, names = EDGES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            make(a, b)
        except Exception as error:
            check_error(error, [names])


edge = pytest.mark.parametrize("name", EDGES)


@edge
@settings(
    max_examples=6, deadline=None, derandomize=True, database=None, suppress_health_check=CHECKS
)
@given(a=THINGS, b=THINGS)
def test_edges(name, a, b):
    check_edge(name, a, b)


@pytest.mark.deep
@edge
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=CHECKS)
@given(a=THINGS, b=THINGS)
def test_edges_deep(name, a, b):
    check_edge(name, a, b)
