"""Public rules of trees and depth, and the depth that algorithm 1 forces."""

import math

import pytest

from dplit.multinomial.forest import advised_depth, advised_trees, least_depth


def test_the_rules_count_records_by_what_they_are_worth():
    assert [advised_trees(1, n) for n in (10, 12_000, 19_999, 20_000, 10**7)] == [3, 3, 3, 5, 99]
    assert advised_trees(0.5, 40_000) == advised_trees(1, 20_000)
    assert advised_trees(math.inf) == 99 and advised_trees(1) == advised_trees(1, 10_000)
    assert [advised_depth(1, 1, [0], n) for n in (1, 40, 79, 80, 10**9)] == [1, 1, 1, 2, 12]
    assert advised_depth(1, 1, [3, 2, 1], 10**6) == 3  # levels can be split no oftener
    assert advised_depth(math.inf, 1, [0]) == 12


def test_the_least_depth_is_that_of_the_smallest_tree():
    def smallest(n, k):
        return 0 if n <= k else 1 + smallest(n - n // 2, k)

    for n in range(200):
        for k in (1, 2, 5, 7):
            assert least_depth(n, k) == smallest(n, k)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match=r"^n_estimation must be an integer of at least 0"):
        least_depth(-1, 5)
    with pytest.raises(ValueError, match=r"^min_samples_leaf must be an integer of at least 1"):
        least_depth(5, 0)
    with pytest.raises(ValueError, match=r"^n_records must be an integer of at least 1"):
        advised_trees(1, 0)
    with pytest.raises(ValueError, match=r"^n_trees must be an integer of at least 1"):
        advised_depth(1, 0, [0])
    with pytest.raises(ValueError, match=r"^epsilon must be"):
        advised_depth(-1, 1, [0])
