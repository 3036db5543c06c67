"""Every public function of the laws, called with junk: a clear error or a right answer, and nothing else.

A right answer to one number in another dress (a small NumPy type) is the one for the plain number. A clear
error is a ValueError, a TypeError or a KeyError that names a parameter and says what it must be. The right
calls that are spoilt are those of `tests.junk_calls`. ``pytest -m deep tests/test_junk.py`` makes each right
call, and five thousand spoilt ones. Schemas, mechanisms and trees have two arguments spoilt at once.
"""

from __future__ import annotations

import inspect
import math
import re
import signal
import warnings
from contextlib import contextmanager
from itertools import islice
from numbers import Number

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
from tests.junk_calls import call_of, public_functions

FUNCTIONS = public_functions()
TAKEN = [name for name in sorted(FUNCTIONS) if inspect.signature(FUNCTIONS[name]).parameters]
JUNK = [
    None, "x", math.nan, math.inf, -math.inf, -1, 0, -0.5, 10**400, 2**63, 1e308, 1e149, 1e-149, True, [],
    [[]], ["a"], [math.nan], [[1, 2], [3]], 1j, {}, object(), np.int8(-1), b"\xff", range(0),
]  # fmt: skip
SMALL = [np.int8, np.uint8, np.int64, np.float32, np.float64]
LONGEST = 120  # seconds of a call

# What the caller's own function is given, which may refuse it in its own words.
HANDED_ON = {("loss.privacy_loss", "data"), ("loss.privacy_loss", "neighbour"),
             ("loss.privacy_loss_witness", "data"), ("loss.privacy_loss_witness", "neighbour")}  # fmt: skip
# What hands back the records that it is given has nothing to say about a NaN among them.
HANDED_BACK = ("neighbours.",)


@contextmanager
def in_time():
    """An error, and no endless loop, where the system has alarms."""

    def late(*_):
        raise AssertionError(f"more than {LONGEST} s")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def called(function, call):
    """The answer; of a generator the first ones."""
    with in_time(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # NumPy's, where e.g. exp(-1e308) is 0
        found = function(**call)
        return list(islice(found, 50)) if inspect.isgenerator(found) else found


def numbers(found):
    """All numbers of an answer, in order."""
    if type(found).__module__.startswith("dplit.") and hasattr(found, "__dict__"):
        found = vars(found)
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, (tuple, list)):
        return [number for part in found for number in numbers(part)]
    if isinstance(found, (Number, np.ndarray)) and np.asarray(found).dtype.kind in "biufO":
        return np.asarray(found, dtype=float).ravel().tolist()
    return []


def check_error(error, names):
    assert isinstance(error, (ValueError, TypeError, KeyError)), repr(error)
    assert re.search(rf"\b({'|'.join(names)})\b", str(error)), f"names nothing: {error!r}"
    assert len(str(error)) < 1000, "too long"


def _is_plain(value):
    """A Python number, or a list of such, or a list of lists."""
    if isinstance(value, list):
        return len(set(map(np.size, value))) == 1 and all(map(_is_plain, value))
    return type(value) in (int, float)


def dressed(value, kind):
    """The same number or list of numbers as NumPy has it; itself, where the type cannot hold it."""
    if isinstance(value, bool) or not _is_plain(value):
        return value
    array = np.asarray(value)
    if array.dtype.kind == "i" and np.dtype(kind).kind == "f":
        return value  # a number of records is no float
    with np.errstate(all="ignore"):
        other = array.astype(kind)
    return other[()] if (other == array).all() else value


def check_junk(name, parameter, junk):
    """Junk in place of one argument."""
    function = FUNCTIONS[name]
    call = call_of(name, function)
    try:
        found = called(function, {**call, parameter: junk})
    except AssertionError:
        raise
    except Exception as error:
        if (name, parameter) not in HANDED_ON:
            check_error(error, call)
            assert re.search(r"\b(must|needs|too many)\b", str(error)), f"says nothing: {error!r}"
        return
    if not name.startswith(HANDED_BACK):
        assert not np.isnan(numbers(found)).any(), f"no number for {parameter}={junk!r}"


def check_dress(name, parameter, kind):
    """A plain number in another dress."""
    function = FUNCTIONS[name]
    plain = call_of(name, function)
    other = dressed(plain[parameter], kind)
    if other is plain[parameter]:
        return
    right = numbers(called(function, call_of(name, function)))
    found = numbers(called(function, {**plain, parameter: other}))
    np.testing.assert_allclose(found, right, rtol=1e-6, err_msg=f"{name}({parameter}={other!r})")


@st.composite
def spoilt(draw):
    """A function, one of its parameters, and what comes in its place."""
    name = draw(st.sampled_from(TAKEN))
    parameter = draw(st.sampled_from(sorted(inspect.signature(FUNCTIONS[name]).parameters)))
    if draw(st.integers(0, 3)):
        return check_junk, name, parameter, draw(st.sampled_from(JUNK))
    return check_dress, name, parameter, draw(st.sampled_from(SMALL))


CHECKS = list(HealthCheck)


def test_every_function_has_a_call():
    assert len(FUNCTIONS) > 300
    assert {name.split(".")[0] for name in FUNCTIONS} >= {"loss", "occupancy", "matrix", "boosting"}
    for name, function in FUNCTIONS.items():
        call_of(name, function)


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_right_calls(name):
    found = called(FUNCTIONS[name], call_of(name, FUNCTIONS[name]))
    assert (found is None) == (name == "loss.smallest_violation")  # of a private law there is none


@settings(max_examples=600, deadline=None, derandomize=True, database=None, suppress_health_check=CHECKS)
@given(case=spoilt())
def test_junk(case):
    check, *what = case
    check(*what)


@pytest.mark.deep
@settings(max_examples=5000, deadline=None, database=None, suppress_health_check=CHECKS)
@given(case=spoilt())
def test_junk_deep(case):
    check, *what = case
    check(*what)


# Schemas and mechanisms --------------------------------------------------------------------------

THINGS = st.sampled_from([*JUNK, 3, 0.5, ["a", "b"], (0, 1), Continuous(0, 1), Categorical([1, 2])])
EDGES = {
    "Continuous": (lambda a, b: Continuous(a, b), "lower|upper"),
    "Categorical": (lambda a, b: Categorical(a, b), "levels|missing"),
    "Domain": (lambda a, b: Domain([Continuous(0, 1), a], ["u", b]), "features|names"),
    "Domain of a mapping": (lambda a, b: Domain({"u": a, "v": b}), "features"),
    "from_dict": (
        lambda a, b: Domain.from_dict({"columns": [{"lower": a, "upper": b}, a]}),
        "domain|column|columns",
    ),
    "from_frame": (lambda a, b: Domain.from_frame(pd.DataFrame({"u": [1.0, 2]}), {"u": a}), "bounds|column"),
    "from polars": (lambda a, b: Domain.from_frame(pl.DataFrame({"u": ["x"]}), {"u": a, "w": b}), "bounds|column"),
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
}
SCHEMA = {"classes": [0, 1], "n_estimators": 1, "max_depth": 1, "random_state": 0}
FITTED = RandomDecisionForestClassifier(domain=Domain([Continuous(0, 1), Categorical([1, 2])]), **SCHEMA).fit(
    [[0.5, 1]], [0]
)
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
@settings(max_examples=6, deadline=None, derandomize=True, database=None, suppress_health_check=CHECKS)
@given(a=THINGS, b=THINGS)
def test_edges(name, a, b):
    check_edge(name, a, b)


@pytest.mark.deep
@edge
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=CHECKS)
@given(a=THINGS, b=THINGS)
def test_edges_deep(name, a, b):
    check_edge(name, a, b)
