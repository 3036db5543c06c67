"""Numbers inside and outside their bounds: in one block or in many, against one number at a time."""

import numpy as np
import pytest

from dplit import Continuous, Domain
from dplit.domain import schema

LOWER, UPPER = [0.0, -1.5, 0.0, 10.0, 3.0, -2.0, 0.0], [1.0, 1.5, 0.0, 20.0, 3.5, 2.0, 1e30]
DOMAIN = Domain([Continuous(*pair) for pair in zip(LOWER, UPPER)])


@pytest.fixture(params=["few", "many"])
def size(request, monkeypatch):
    """The same records as few and as many: in one block, or one record a block."""
    monkeypatch.setattr(schema, "BLOCK", 1 if request.param == "many" else 10**9)


def records(n=1000):
    return np.random.default_rng(1).uniform(LOWER, UPPER, (n, 7))


def clipped(X):
    """By Python's own comparisons."""
    return [[min(max(v, a), b) for v, a, b in zip(row, LOWER, UPPER)] for row in X.tolist()]


@pytest.mark.parametrize("row", [0, 500, 999])
@pytest.mark.parametrize("column", range(7))
def test_a_number_outside_is_seen_wherever_it_stands(size, row, column):
    X = records()
    assert DOMAIN.encode(X) is X
    for outside in (np.nextafter(LOWER[column], -np.inf), np.nextafter(UPPER[column], np.inf)):
        Y = X.copy()
        Y[row, column] = outside
        found = DOMAIN.encode(Y)
        assert found is not Y and Y[row, column] == outside  # what was given stays as it is
        np.testing.assert_array_equal(found, clipped(Y))
    X[row] = LOWER
    assert DOMAIN.encode(X) is X
    X[row] = UPPER
    assert DOMAIN.encode(X) is X


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 500, 999])
def test_a_number_that_is_not_finite_is_named_by_its_column(size, bad, row):
    X = records()
    X[row, 4] = bad
    X[3, 0] = 7.0  # outside, and no error
    with pytest.raises(ValueError, match=r"^column 4 must hold finite numbers.*\(NaN, inf\)"):
        DOMAIN.encode(X)


@pytest.mark.parametrize(
    "view", [lambda X: X[::2], lambda X: X[:, ::-1][:, ::-1], np.asfortranarray, lambda X: X.astype("f4")]
)
def test_views_of_any_layout(size, view):
    X = view(records(300) * 1.01)
    found = DOMAIN.encode(X)
    np.testing.assert_array_equal(found, clipped(X.astype(np.float64)))
    assert found.flags.c_contiguous and found.dtype == np.float64


def test_no_record(size):
    assert DOMAIN.encode(np.empty((0, 7))).shape == (0, 7)
