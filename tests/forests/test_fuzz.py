"""Every estimator, called at random: a clear error or a right answer, and nothing else.

A right answer is that of the same table as plain lists, of the same parameters as plain Python numbers. A
clear error is a ValueError or a TypeError that names a parameter, a column, X, y or a label, and quotes no record.
``pytest -m deep tests/forests/test_fuzz.py`` makes some 4,000 calls.
"""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dplit import Categorical, Continuous, Domain, forests
from tests.forests.kinds import PRIVATE, TABLE, each, regresses, target

SECRET = "alice-1970"
SECRET_NUMBER = 71905.53
DOMAINS = {
    "numbers": Domain({name: Continuous(0, 100) for name in "abc"}),
    "mixed": Domain({"a": Continuous(0, 100), "b": Categorical(["no", "yes", "maybe"]), "c": Categorical([0, 1])}),
    "one level": Domain({"a": Continuous(7, 7), "b": Categorical(["no"]), "c": Categorical([0])}),
}
CELLS = {
    "numbers": [st.integers(0, 120)] * 3,
    "mixed": [st.integers(0, 120), st.sampled_from(["no", "yes", "maybe"]), st.integers(0, 1)],
    "one level": [st.integers(0, 120), st.just("no"), st.just(0)],
}
NUMBERS = [np.int8, np.uint8, np.int16, np.uint64, np.float16, np.float32, np.float64, object]
BAD_CELLS = [math.nan, math.inf, None, SECRET, SECRET_NUMBER, 10**400, [1], 1j, pd.NA, b"\xff"]

# What is tried in place of a parameter, and the plain value that it means; Ellipsis: whatever comes,
# it is a right answer or a clear error.
TRIED = {
    "epsilon": [(np.float32(0.5), 0.5), (np.int8(3), 3), (10**20, 1e20), (1e20, ...), (1e-199, ...),
                (math.inf, ...), (10**400, ...), (math.nan, ...), (0, ...), ("1", ...), (None, ...),
                (True, ...), ([1.0], ...)],
    "n_estimators": [(np.uint8(2), 2), (np.int8(3), 3), (np.int64(1), 1), (10**9, ...), (10**30, ...),
                     (0, ...), (2.5, ...), (np.uint8(255), 255), (True, ...)],
    "max_depth": [(np.uint8(2), 2), (np.int8(1), 1), (0, ...), (1, ...), (64, ...), (10**9, ...),
                  (10**30, ...), (-1, ...), (None, ...), (1.0, ...)],
    "max_features": [(np.uint8(2), 2), ("sqrt", 1), (0.7, 2), (10**30, None), (0, ...), (-0.5, ...)],
    "bins": [(np.uint8(3), 3), (1, ...), (10**9, ...), (10**30, ...), (0, ...), (None, ...)],
    "rho": [(np.float32(0.5), 0.5), (1e-300, ...), (1 - 1e-16, ...), (0, ...), (math.nan, ...)],
    "records_per_person": [(np.int8(2), 2), (10**9, ...), (10**400, ...), (0, ...), (1.5, ...)],
    "n_records": [(np.int16(300), 300), (1, ...), (10**9, ...), (10**400, ...), (0, ...)],
    "public_n": [(np.int16(300), 300), (1, ...), (10**9, ...), (10**400, ...), (0, ...)],
    "min_samples_leaf": [(np.int8(2), 2), (10**30, ...), (0, ...)],
    "partition_rate": [(np.float32(0.5), 0.5), (1e-300, ...), (1e300, ...), (-1, ...), (None, ...)],
    "ensembles": [(np.int8(1), 1), (2, ...), (10**9, ...), (0, ...)],
    "subset_size": [(np.int8(1), 1), (10**9, ...), (0, ...)],
    "neighbours": [("replace-one", ...), (None, ...), (1, ...)],
    "accounting": [("published", ...), ([], ...)],
    "partitioned": [(np.bool_(True), True), (False, ...), (None, ...), ("no", ...)],
    "n_jobs": [(np.int8(1), 1), (1, None), (0, ...), (10**6, ...), (10**30, ...), (1.5, ...)],
    "random_state": [(np.int8(5), 5), (np.uint64(5), 5), (-1, ...), (10**40, ...), ("x", ...),
                     (None, ...)],
    "noise": [("simulation", None), ("secure", ...), ("none", ...), (3, ...), ([], ...)],
    "classes": [(np.array(["no", "yes"]), ["no", "yes"]), (["no"], ...), ([], ...), ("no", ...),
                (["no", 1], ...), (["no", None], ...), ([["no"]], ...), (7, ...)],
    "target_bounds": [(np.array([0, 1], np.int8), (0.0, 1.0)), ((0, 10**400), ...), ((1, 0), ...),
                      ((math.nan, 1), ...), ("ab", ...), (([0], [1]), ...)],
    "domain": [(None, ...), ({"a": (0, 1)}, ...), (Domain([Continuous(0, 1)]), ...)],
    "mean_columns": [(0.5, ...), (np.float32(2), 2.0), (math.nan, ...)],
    "range_points": [(np.int8(3), 3), (0, ...)],
    "learner": [("forest", ...), (7, ...)],
    "queries": [("all", ...), (7, ...)],
}  # fmt: skip
TARGETS = {
    "plain": lambda y: y,
    "array": lambda y: np.array(y),
    "objects": lambda y: np.array(y, dtype=object),
    "series": lambda y: pd.Series(y, index=range(5, 5 + len(y))),
    "polars": lambda y: pl.Series("y", y),
    "column": lambda y: np.array(y).reshape(-1, 1),
}


def dressed(rows, domain, how):
    """The same table, as `how` says."""
    names = list(domain.names)
    if how in ("frame", "objects frame", "other order", "polars", "polars, other order"):
        order = names[::-1] if "other" in how else names
        columns = {name: [row[names.index(name)] for row in rows] for name in order}
        if how.startswith("polars"):
            return pl.DataFrame(columns)
        frame = pd.DataFrame(columns)
        return frame.astype(object) if how == "objects frame" else frame
    if how == "lists":
        return [list(row) for row in rows]
    if how == "wide":
        return np.asfortranarray(np.array(rows, dtype=object).reshape(len(rows), len(names)))
    return np.array(rows, dtype=how).reshape(len(rows), len(names))


@st.composite
def calls(draw, kind):
    """A call: table, targets, parameters, and what of it is out of the ordinary."""
    which = draw(st.sampled_from([*DOMAINS, "numbers", "mixed"]))
    rows = draw(st.lists(st.tuples(*CELLS[which]), max_size=12))
    domain = DOMAINS[which]
    ways = ["frame", "objects frame", "other order", "polars", "polars, other order", "lists", "wide"]
    how = draw(st.sampled_from(ways + (NUMBERS if which == "numbers" else [])))
    targets = st.integers(0, 1) if regresses(kind) else st.sampled_from(["no", "yes"])
    y = draw(st.lists(targets, min_size=len(rows), max_size=len(rows)))
    known = sorted(set(kind().get_params()) & set(TRIED))
    changed = draw(st.lists(st.sampled_from(known), max_size=2, unique=True))
    tried = {name: draw(st.sampled_from(TRIED[name])) for name in changed}
    spoilt = draw(st.sampled_from([None, None, None, None, "X", "y", "length", "width"]))
    bad = draw(st.sampled_from(BAD_CELLS))
    at = draw(st.integers(0, 11)), draw(st.integers(0, 2))
    return domain, rows, how, y, draw(st.sampled_from(sorted(TARGETS))), tried, spoilt, bad, at


def made(kind, domain, params):
    options = {"domain": domain, "n_estimators": 2, "max_depth": 2, "random_state": 3}
    options |= target(kind, ("no", "yes"))
    if kind is forests.MatrixForestClassifier:
        options["strategy"] = "identity"  # a search for the best one takes seconds
    allowed = kind().get_params()
    return kind(**{k: v for k, v in {**options, **params}.items() if k in allowed})


RELEASED = sorted({"leaf_counts_", *(name for kind in TABLE.values() for name in kind.releases)})


def released(forest, X):
    """What a fitted forest answers and holds, plain."""
    held = [forest.predict(X)]
    held += [np.asarray(getattr(forest, name)) for name in RELEASED if hasattr(forest, name)]
    return held


NAMED = re.compile(rf"\b(X|y|column|columns|label|fit|{'|'.join(TRIED)})\b")


def check_error(error):
    assert isinstance(error, (ValueError, TypeError)), repr(error)
    assert NAMED.search(str(error)), f"names nothing: {error!r}"
    assert SECRET not in str(error) and "71905" not in str(error), f"quotes a record: {error!r}"
    assert len(str(error)) < 1000, "too long"


def check(kind, call):
    domain, rows, how, y, target, tried, spoilt, bad, (i, j) = call
    rows, y = [list(row) for row in rows], list(y)
    if rows and spoilt == "X":
        rows[i % len(rows)][j] = bad
    elif y and spoilt == "y":
        y[i % len(y)] = bad
    elif spoilt == "length":
        y = [*y, *y[:1], *y[:1]][: len(y) + 1]
    elif spoilt == "width":
        rows = [row[:2] for row in rows]
    try:
        X = dressed(rows, domain if spoilt != "width" else Domain({"a": domain[0], "b": domain[1]}), how)
        given_y = TARGETS[target](y)
    except Exception:  # NumPy or polars does not make such a table
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = made(kind, domain, {name: value for name, (value, _) in tried.items()})
        try:
            forest.fit(X, given_y)
            answers = released(forest, X)
        except Exception as error:
            check_error(error)
            assert not hasattr(forest, "budget_") or "fit" not in str(error)
            usual = not tried and spoilt is None and len(rows)
            assert not usual, f"an error, though nothing is wrong: {error!r}"
            return
        assert rows, "a fit without records"
        assert len(answers[0]) == len(rows)
        if regresses(kind) and forest.accounting == "proved":
            assert np.isfinite(answers[0]).all()
        elif hasattr(forest, "classes_"):
            assert set(answers[0].tolist()) <= set(forest.classes_.tolist())
        private = kind in PRIVATE
        if private and forest.accounting == "proved" and not forest.domain_.data_dependent:
            assert forest.budget_.epsilon <= float(forest.epsilon)
        if private:
            assert forest.budget_.epsilon > 0
        if spoilt or any(plain is ... for _, plain in tried.values()):
            return
        plain = made(kind, domain, {name: value for name, (_, value) in tried.items()})
        table = pd.DataFrame(dict(zip(domain.names, zip(*rows)))).astype(object)
        for one, other in zip(answers, released(plain.fit(table, y), table), strict=True):
            np.testing.assert_array_equal(one, other)


CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large]


@each
@settings(max_examples=6, deadline=None, derandomize=True, database=None, suppress_health_check=CHECKS)
@given(data=st.data())
def test_a_clear_error_or_a_right_answer(kind, data):
    check(kind, data.draw(calls(kind)))


@pytest.mark.deep
@each
@settings(max_examples=200, deadline=None, database=None, suppress_health_check=CHECKS)
@given(data=st.data())
def test_a_clear_error_or_a_right_answer_deep(kind, data):
    check(kind, data.draw(calls(kind)))
