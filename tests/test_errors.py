"""Every message names the argument, the value that came and what would be right."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dplit import PrivacyLeakWarning
from dplit.ground import errors


def test_good_values_come_back_as_plain_numbers():
    assert type(errors.check_epsilon(np.float32(0.5))) is float
    assert errors.check_epsilon(Fraction(1, 4)) == 0.25
    assert errors.check_epsilon(np.inf) == np.inf
    assert type(errors.check_integer(np.int16(3), "depth", 1)) is int
    assert errors.check_positive(2, "scale") == 2.0
    assert errors.check_neighbours("add-remove") == "add-remove"
    assert errors.check_counts([[1.0, 2.0]]).dtype == np.int64


@pytest.mark.parametrize("value", [0, -0.5, np.nan, True, "1", None, 1j, [1.0]])
def test_epsilon(value):
    with pytest.raises(ValueError) as error:
        errors.check_epsilon(value, "epsilon_1")
    assert str(error.value) == f"epsilon_1 must be a positive number, got {value!r}"


@pytest.mark.parametrize("value", [5e-324, 1e-201])
def test_an_epsilon_whose_noise_would_overflow(value):
    with pytest.raises(ValueError, match="epsilon must be at least 1e-200, got"):
        errors.check_epsilon(value)


@pytest.mark.parametrize("value", [0, -1, np.inf, np.nan, False, "2"])
def test_positive(value):
    with pytest.raises(ValueError) as error:
        errors.check_positive(value, "scale")
    assert str(error.value) == f"scale must be a positive finite number, got {value!r}"


@pytest.mark.parametrize("value", [0, 1.0, True, np.True_, "3", None])
def test_integer(value):
    with pytest.raises(ValueError) as error:
        errors.check_integer(value, "max_depth", 1)
    assert str(error.value) == f"max_depth must be an integer of at least 1, got {value!r}"


@pytest.mark.parametrize("value", [0, 1.5, True, "2"])
def test_jobs(value):
    with pytest.raises(ValueError) as error:
        errors.check_jobs(value)
    wanted = "n_jobs must be a number of threads, -1 for one a core, or None"
    assert str(error.value) == f"{wanted}, got {value!r}"
    assert [errors.check_jobs(n) for n in (None, -1, 2)] == [None, -1, 2]


@pytest.mark.parametrize("value", ["bounded", None, ["add-remove"]])
def test_neighbours(value):
    with pytest.raises(ValueError) as error:
        errors.check_neighbours(value)
    assert str(error.value) == f"neighbours must be one of 'add-remove', 'replace-one', got {value!r}"


@pytest.mark.parametrize("counts", [[1, -1], [0.5, 1], [np.nan, 1], [np.inf, 0], 3, [], ["a"]])
def test_counts(counts):
    with pytest.raises(ValueError, match=r"^counts must be .*, got "):
        errors.check_counts(counts)


@pytest.mark.parametrize("counts", [[4711, -815], [4711.5, 815], ["4711", "815"], 4711])
def test_counts_are_not_quoted(counts):
    """They are computed from records."""
    with pytest.raises(ValueError) as error:
        errors.check_counts(counts)
    assert "4711" not in str(error.value) and "815" not in str(error.value)


@pytest.mark.parametrize("rng", [None, 0, np.random.RandomState(0), np.random.PCG64(0)])
def test_rng(rng):
    with pytest.raises(TypeError, match=r"^rng must be a numpy.random.Generator.*default_rng"):
        errors.check_rng(rng)


def test_a_leak_warns_at_the_line_of_the_caller():
    def library_function():
        errors.warn_leak("bounds were read off the data")

    with pytest.warns(PrivacyLeakWarning, match="read off the data") as caught:
        library_function()
    assert caught[0].filename == __file__


# Numbers -----------------------------------------------------------------------------------------

BEYOND = 10**400


@pytest.mark.parametrize(
    ("check", "arguments", "message"),
    [
        (errors.check_epsilon, (BEYOND,), "epsilon must be a float, or math.inf .* beyond the floats"),
        (errors.check_positive, (BEYOND, "rate"), "rate must be a positive finite number, got one beyond"),
        (errors.check_finite, (BEYOND, "t"), "t must be a finite number, got one beyond the floats"),
        (errors.check_finite, (math.nan, "t"), "t must be a finite number, got nan"),
        (errors.check_finite, ("1", "t"), "t must be a finite number, got '1'"),
        (errors.check_range, (2, 1), "lower must be at most upper, got lower=2, upper=1"),
        (errors.check_range, (0, math.inf), "upper must be a finite number, got inf"),
        (errors.check_interval, (1, 1), "lower must be less than upper, both finite, got lower=1"),
        (errors.check_interval, (0, BEYOND), "lower must be less than upper, both finite"),
        (errors.check_interval, (None, 1), "lower must be less than upper, both finite"),
        (errors.check_numbers, (None, "gap"), "gap must be a number or .* got a NoneType"),
        (errors.check_numbers, ([0.5, "71905"], "gap"), "gap must be a number or .* got a list"),
        (errors.check_numbers, ([BEYOND], "gap"), "gap must be a number or an array of numbers"),
        (errors.check_numbers, ([[1], [1, 2]], "gap"), "gap must be a number or an array of numbers"),
        (errors.check_integer, (2**63, "n", 0), "n must be an integer of at most .*, got a larger one"),
        (errors.check_integer, (11, "n", 0, 10), "n must be an integer of at most 10, got 11"),
        (errors.check_jobs, (10**6,), "n_jobs must be at most 1,000 threads, got 1000000"),
    ],
)
def test_numbers_are_named(check, arguments, message):
    with pytest.raises(ValueError, match=f"^{message}") as caught:
        check(*arguments)
    assert "71905" not in str(caught.value)


def test_right_numbers_are_given_back():
    assert errors.check_range(Fraction(1, 3), 1) == Fraction(2, 3)  # exactly
    assert errors.check_interval(0, 2.5) == 2.5 and errors.check_finite(3, "t") == 3
    assert errors.check_numbers([1, Fraction(1, 2)], "x").tolist() == [1.0, 0.5]
    assert errors.check_numbers(np.int8(3), "x").dtype == np.float64
    assert type(errors.check_jobs(np.int8(2))) is int


def test_few_values_are_listed_and_the_others_counted():
    assert errors.few("ab") == "'a', 'b'" and errors.few(range(5)) == "0, 1, 2, 3, 4"
    assert errors.few(range(7)) == "0, 1, 2, 3, 4 and 2 more"


# Files that somebody damaged -----------------------------------------------------------------------

DAMAGED = """
import os, sys, numpy as np
from dplit import Continuous, Domain
from dplit.forests import RandomDecisionForestClassifier
from dplit.trees import random, routing

X, domain = np.random.default_rng(0).random((40, 1)), Domain([Continuous(0, 1)])
kind = RandomDecisionForestClassifier
forest = kind(domain=domain, classes=[0, 1], n_estimators=2, max_depth=1, random_state=0)

def use():
    for step in (lambda: forest.fit(X, X[:, 0] > 0.5), lambda: forest.predict(X)):
        try:
            step()
        except Exception as error:
            print(f"{type(error).__name__}: {error}", end=" ")

for _ in sys.stdin:  # a process each, which reads the cache anew
    if not (child := os.fork()):
        use()
        print(flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print("it crashed", flush=True)
"""


def test_a_damaged_cache_of_compiled_code_is_named(tmp_path):
    where = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for path in Path(os.environ.get("NUMBA_CACHE_DIR", tmp_path)).glob("trees_*/r*.nb[ci]"):  # else it compiles
        folder = tmp_path / path.parent.name
        folder.mkdir(exist_ok=True)
        shutil.copy2(path, folder)

    with subprocess.Popen(
        [sys.executable, "-c", DAMAGED], env=where, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:

        def run():
            print(file=process.stdin, flush=True)
            return process.stdout.readline().strip()

        assert run() == ""
        for end, left in (("nbc", b""), ("nbi", b"no pickle")):
            for path in tmp_path.rglob(f"*.{end}"):
                path.write_bytes(left)
            said = run()
            assert said.startswith(f"RuntimeError: numba's cache of compiled code in '{tmp_path}")
            assert "is damaged" in said and "remove that folder" in said
        process.stdin.close()
