"""Neighbouring inputs, against counting and against every vector within a box."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import comb

from dplit.neighbours import count_vectors, data_sets, neighbouring_counts, neighbouring_data, neighbouring_pairs


@pytest.mark.parametrize("n, classes", [(0, 1), (5, 1), (4, 2), (3, 4)])
def test_count_vectors_are_all_of_them_smallest_first(n, classes):
    found = count_vectors(n, classes)
    every = {v for v in product(range(n + 1), repeat=classes) if sum(v) <= n}
    assert set(map(tuple, found.tolist())) == every
    assert len(found) == comb(n + classes, classes, exact=True)
    assert (np.diff(found.sum(axis=1)) >= 0).all()


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@given(counts=st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_neighbouring_counts_are_one_step_away(neighbours, counts):
    reach = range(max(counts) + 2)
    steps = {
        v
        for v in product(reach, repeat=len(counts))
        if (up := sum(max(a - b, 0) for a, b in zip(v, counts))) <= 1
        and (down := sum(max(b - a, 0) for a, b in zip(v, counts))) <= 1
        and up + down == (1 if neighbours == "add-remove" else 2)
    }
    found = neighbouring_counts(counts, neighbours).tolist()
    assert len(found) == len(steps) and set(map(tuple, found)) == steps


def test_data_sets_and_their_neighbours():
    assert list(data_sets("ab", 2)) == [(), ("a",), ("b",), ("a", "a"), ("a", "b"), ("b", "b")]
    near = neighbouring_data(("a", "b"), "ab", "add-remove")
    assert near == [("a",), ("b",), ("a", "a", "b"), ("a", "b", "b")]
    near = neighbouring_data(("a", "b"), "ab", "replace-one")
    assert near == [("a", "a"), ("b", "b")]
    assert neighbouring_data((), "ab", "replace-one") == []


def test_pairs_of_neighbours_come_once_and_inside_the_space():
    pairs = list(neighbouring_pairs(count_vectors(3, 2), "add-remove"))
    assert len(pairs) == 2 * 6  # each of the 6 vectors of total 2 or less can grow in 2 ways
    assert all(sum(later) == sum(earlier) + 1 for earlier, later in pairs)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: count_vectors(-1, 2), "n must be"),
        (lambda: neighbouring_counts([[1]], "add-remove"), "one vector"),
        (lambda: neighbouring_counts([1], "swap"), "neighbours must be"),
        (lambda: neighbouring_data(("c",), "ab", "add-remove"), "from universe, got 'c'"),
    ],
)
def test_errors_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
