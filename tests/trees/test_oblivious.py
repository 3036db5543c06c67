"""Oblivious trees: compiled sums against brute force, and the arrays of a `Trees` against the tests."""

import numpy as np
import pytest

from dplit import Categorical, Continuous, Domain
from dplit.trees import apply
from dplit.trees.oblivious import RUN, Grid, add_steps, descend, descend_to_bins, histogram, pair_sums

DOMAIN = Domain([Continuous(0, 1), Categorical(list("abcd")), Continuous(-1, 3), Categorical([0])])
TWO = Domain([Categorical([False, True]), *DOMAIN, Categorical(["f", "m"]), Continuous(2, 2)])
N = 300


@pytest.fixture
def drawn():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(N), rng.integers(4, size=N), rng.uniform(-1, 3, N), np.zeros(N)])
    grid = Grid(DOMAIN, 16)
    residuals = rng.integers(-99, 100, size=(N, 3)).astype(np.int32)
    return rng, X, grid, grid.encode(X), residuals


def right(grid, test, X):
    """Which records a test sends right, by its definition."""
    if test.cut >= 0:
        return X[:, test.column] > grid.cuts[test.column][test.cut]
    return test.right[X[:, test.column].astype(int)]


def some_tests(grid, rng, count):
    masses, pick = grid.masses(np.zeros((1, grid.starts[-1], 1), dtype=np.int64), rng)
    return [pick(int(place)) for place in rng.integers(len(masses), size=count)]


def test_a_code_is_the_number_of_cuts_below(drawn):
    _, X, grid, codes, _ = drawn
    for j in (0, 2):
        assert codes[j].tolist() == [(grid.cuts[j] < v).sum() for v in X[:, j]]
    assert codes[1].tolist() == X[:, 1].tolist()
    on_a_cut = np.array([[grid.cuts[0][3], 0, 0, 0]])
    assert grid.encode(on_a_cut)[0].tolist() == [3]  # not above it: on the left


@pytest.mark.parametrize("bounds", [(0, 1), (-1, 3), (0, 1e300), (1e9, 1e9 + 1e-6), (0, 5e-324), (2, 2)])
def test_codes_beside_each_cut_and_at_the_bounds(bounds):
    grid = Grid(Domain([Continuous(*bounds)]), 64)
    cuts = grid.cuts[0]
    values = np.concatenate([cuts, *(np.nextafter(cuts, end) for end in bounds), bounds])
    values = np.concatenate([values, np.random.default_rng(0).choice(values, 100)])
    expected = [(cuts < v).sum() for v in values]
    assert grid.encode(values[:, None])[0].tolist() == expected


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_sums_of_more_records_than_one_run(n_outputs):
    rng, n = np.random.default_rng(1), RUN + 1000
    grid = Grid(Domain([Categorical(range(3)), Categorical(range(5))]), 16)
    codes = np.stack([rng.integers(3, size=n), rng.integers(5, size=n)]).astype(np.uint8)
    residuals = rng.integers(-99, 100, size=(n, n_outputs)).astype(np.int32)
    cells = rng.integers(2, size=n).astype(np.uint8)
    expected = np.zeros((2, 8, n_outputs), dtype=np.int64)
    for code, first in zip(codes, (0, 3)):
        np.add.at(expected, (cells, code + first), residuals)
    whole = histogram(grid, codes, residuals, np.zeros_like(cells), 1)
    np.testing.assert_array_equal(whole[0], expected.sum(axis=0))
    np.testing.assert_array_equal(histogram(grid, codes, residuals, cells, 2), expected)
    np.testing.assert_array_equal(histogram(grid, codes, residuals, cells, 2, whole), expected)


@pytest.mark.parametrize("two_levels", [False, True])
def test_masses_are_those_of_every_test(drawn, two_levels):
    rng, X, grid, codes, residuals = drawn
    if two_levels:
        X = np.column_stack([rng.integers(2, size=N), X, rng.integers(2, size=N), np.full(N, 2)])
        grid = Grid(TWO, 16)
        codes = grid.encode(X)
    first = some_tests(grid, rng, 1)[0]
    cells = right(grid, first, X).astype(np.uint8)
    sums = histogram(grid, codes, residuals, cells, 2)
    masses, pick = grid.masses(sums, rng)
    for place, found in enumerate(masses):
        side = right(grid, pick(place), X)
        expected = 0
        for cell in (0, 1):
            for part in (side, ~side):
                expected += np.abs(residuals[part & (cells == cell)].sum(axis=0)).sum()
        assert found == expected
    cuts = sum(map(len, grid.cuts))
    assert len(masses) == cuts + 8 + 2 * two_levels  # each level and as many halves; one is no test


def test_the_smaller_child_and_the_difference_are_the_same_sums(drawn):
    rng, _, grid, codes, residuals = drawn
    cells, sums = np.zeros(N, dtype=np.uint8), None
    for level, test in enumerate([None, *some_tests(grid, rng, 4)]):
        if test is not None:
            descend(codes, test, cells)
        whole = histogram(grid, codes, residuals, cells, 2**level)
        sums = histogram(grid, codes, residuals, cells, 2**level, sums)
        np.testing.assert_array_equal(sums, whole)
        for cell in range(2**level):
            inside = residuals[cells == cell].sum(axis=0)
            assert (whole[cell, : grid.starts[1]].sum(axis=0) == inside).all()


@pytest.mark.parametrize("shift", [0, 100])
def test_pair_sums(drawn, shift):
    rng, _, _, _, residuals = drawn
    cells = rng.integers(4, size=N).astype(np.uint8)
    found = pair_sums(residuals, cells, 4, shift)
    for cell in range(4):
        r = residuals[cells == cell].astype(int)
        assert (found[0, cell] == np.maximum(shift + r, 0).sum(axis=0)).all()
        assert (found[1, cell] == np.maximum(shift - r, 0).sum(axis=0)).all()


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_records_reach_the_leaf_that_the_tests_say(drawn, depth):
    rng, X, grid, codes, _ = drawn
    rounds = [some_tests(grid, rng, depth) for _ in range(5)]
    leaves = apply(grid.trees(rounds, depth), X)
    for t, tests in enumerate(rounds):
        cells = np.zeros(N, dtype=np.uint8)
        expected = np.zeros(N, dtype=int)
        for test in tests:
            descend(codes, test, cells)
            expected = 2 * expected + right(grid, test, X)
        assert leaves[:, t].tolist() == cells.tolist() == expected.tolist()
    values = rng.normal(size=(5, 2**depth, 2))
    scores = add_steps(leaves, values)
    np.testing.assert_allclose(scores[7], sum(values[t, leaves[7, t]] for t in range(5)))


def test_many_levels_need_wider_codes():
    domain = Domain([Categorical(range(700)), Continuous(0, 1)])
    grid = Grid(domain, 8)
    codes = grid.encode(np.array([[699.0, 0.5], [3.0, 0.1]]))
    assert codes[0].tolist() == [699, 3]
    assert Grid(Domain([Continuous(1, 1), Categorical(["a"])]), 8).has_tests is False
    assert grid.has_tests


@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize("levels", [1, 3, 5])
def test_bins_below_tests_are_those_of_the_trees(drawn, column, levels):
    rng, X, grid, codes, _ = drawn
    tests, cells = some_tests(grid, rng, 2), np.zeros(N, dtype=np.uint8)
    for test in tests:
        descend(codes, test, cells)
    before = cells.astype(int)
    bins, finer = grid.fine(column, levels)
    descend_to_bins(codes, column, bins, levels, cells)
    assert cells.tolist() == (before * 2**levels + bins[codes[column]]).tolist()
    found = apply(grid.trees([tests + finer], 2 + levels), X)[:, 0]
    assert found.tolist() == cells.tolist()


def test_tests_end_where_the_next_column_begins(drawn):
    rng, _, grid, _, _ = drawn
    masses, pick = grid.masses(np.zeros((1, grid.starts[-1], 1), dtype=np.int64), rng)
    columns = [pick(place).column for place in range(len(masses))]
    ends = np.searchsorted(columns, np.arange(4), side="right")
    assert ends.tolist() == grid.ends.tolist()
