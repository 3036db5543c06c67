"""Every message names the argument, the value that came and what would be right."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dplit import PrivacyLeakWarning, errors


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
    assert (
        str(error.value) == f"neighbours must be one of 'add-remove', 'replace-one', got {value!r}"
    )


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
