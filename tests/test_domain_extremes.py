"""Least and largest number of each column: blocks of records side by side, against one column at a time."""

import math

import numpy as np
import pytest

from dplit import Continuous, Domain
from dplit.domain import columns as module
from dplit.domain.columns import extremes


def by_column(X):
    """By Python's own comparisons, in no blocks; NaN where a column holds one."""
    pairs = []
    for column in X.T.tolist():
        missing = any(map(math.isnan, column))
        pairs.append((math.nan,) * 2 if missing else (min(column), max(column)))
    return np.array(pairs).T


@pytest.mark.parametrize("block", [1, 64, 5000, 2**18])
@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (2000, 1), (1031, 3), (700, 10), (5, 1500)])
def test_every_record_is_seen(monkeypatch, shape, block):
    monkeypatch.setattr(module, "BLOCK", block)
    X = np.random.default_rng(0).normal(size=shape)
    np.testing.assert_array_equal(extremes(X), by_column(X))
    for row in {0, shape[0] // 2, shape[0] - 1}:  # an extreme of every column, in a row of its own
        Y = X.copy()
        Y[row] = np.where(np.arange(shape[1]) % 2, 99.0, -99.0)
        np.testing.assert_array_equal(extremes(Y), by_column(Y))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 500, 999])
def test_a_number_that_is_not_finite_shows_in_its_column_alone(bad, row):
    X = np.random.default_rng(1).random((1000, 7))
    X[row, 4] = bad
    low, high = extremes(X)
    finite = np.isfinite(low) & np.isfinite(high)
    assert finite.tolist() == [True] * 4 + [False] + [True] * 2


@pytest.mark.parametrize("view", [lambda X: X[::2], lambda X: X[:, ::-1], np.asfortranarray])
def test_views_of_any_layout(view):
    X = view(np.random.default_rng(2).random((300, 6)))
    np.testing.assert_array_equal(extremes(X), by_column(X))


def test_no_record():
    low, high = extremes(np.empty((0, 4)))
    assert (low == np.inf).all() and (high == -np.inf).all()


def test_a_domain_clips_what_is_outside_and_returns_what_is_not():
    domain = Domain([Continuous(0, 1)] * 3)
    inside = np.random.default_rng(3).random((2500, 3))
    assert domain.encode(inside) is inside
    outside = inside.copy()
    outside[2499, 2], outside[17, 0] = 1.5, -0.5
    found = domain.encode(outside)
    assert (found[2499, 2], found[17, 0]) == (1.0, 0.0)
    np.testing.assert_array_equal(
        found, [[min(max(v, 0.0), 1.0) for v in r] for r in outside.tolist()]
    )
