"""Where cells pay, and wide domains: enumeration, other roots, and limits."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dplit import Categorical, Domain, matrix, trees


@pytest.mark.parametrize("levels", [(4, 4, 4, 3, 3, 3), (2, 5, 3), (7,)])
def test_expected_leaves_by_sets_and_by_growing(levels):
    domain = Domain([Categorical(range(n)) for n in levels])
    for depth in range(len(levels) + 1):
        sets = list(itertools.combinations(levels, depth))
        mean = sum(map(math.prod, sets)) / len(sets)
        assert matrix.expected_leaves(levels, depth) == pytest.approx(mean)
    if len(levels) == 3:
        grown = trees.grow_random_trees(domain, 4000, 2, rng=np.random.default_rng(0))
        leaves = np.diff(grown.leaf_starts)
        error = 6 * leaves.std() / math.sqrt(len(leaves))
        assert leaves.mean() == pytest.approx(matrix.expected_leaves(levels, 2), abs=error)


def test_crossings_of_the_published_settings():
    found = [matrix.crossing((4, 4, 4, 3, 3, 3), h) for h in (4, 2)]
    found.append(matrix.crossing((3, 5, 4, 4, 3, 2, 3, 3), 4))
    assert np.round(found, 1).tolist() == [3.4, 11.9, 10.3]


@pytest.mark.parametrize("depth", [-1, 3])
def test_a_depth_that_no_tree_has(depth):
    with pytest.raises(ValueError, match="depth must be"):
        matrix.expected_leaves((2, 2), depth)


def test_least_spread_is_the_inverse_of_the_entropy_and_convex():
    for p in (1e-9, 1e-3, 0.1, 0.3, 0.49):
        assert matrix.least_spread(stats.bernoulli(p).entropy()) == pytest.approx(p * (1 - p), rel=1e-6)
    assert matrix.least_spread(-1.0) == matrix.least_spread(0.0) == 0
    assert matrix.least_spread(math.log(2)) == matrix.least_spread(1.0) == 0.25
    grid = [matrix.least_spread(h) for h in np.linspace(0, math.log(2), 200)]
    assert (np.diff(grid, 2) >= -1e-12).all()


@pytest.mark.parametrize("tau, epsilon", [(1, 1.0), (1, 0.05), (7, 0.3), (100, 0.5), (50, 20.0)])
def test_the_best_number_of_records_is_found(tau, epsilon):
    every = [matrix.bound_at(n, tau, epsilon) for n in range(1, int(tau / epsilon) + 3)]
    assert matrix.wide_bound(tau, epsilon) == pytest.approx(max(every), abs=1e-12)


def test_bound_is_below_what_releases_have():
    for tau in (1, 4, 64, 512):
        bound = matrix.wide_bound(tau, 0.2)
        assert bound < matrix.BlockNorm([2] * tau, 0.2).variances[0] <= 2 * tau**2 / 0.04
    assert matrix.wide_bound(4096, 1.0) / 4096**2 == pytest.approx(0.01264, abs=1e-5)


def test_the_certificate_is_of_a_smaller_order_in_a_wide_domain():
    """Nuclear norms see the trees' number, the bound for wide domains its square."""
    ratios = []
    for tau in (2, 4, 8):
        stump = matrix.Paths(
            np.repeat(np.eye(tau, dtype=bool), 2, axis=0).repeat(2, axis=1)
            & np.tile(np.eye(2, dtype=bool), (tau, tau))
            | ~np.repeat(np.eye(tau, dtype=bool), 2, axis=0).repeat(2, axis=1),
            np.full(tau, 2),
            np.repeat(np.arange(tau), 2),
        )
        found = matrix.nuclear_bound(matrix.Workload.of(stump)) / (2 * tau)
        closed = (math.sqrt(tau / 2) + tau / math.sqrt(2)) ** 2 / (2 * tau)
        assert found == pytest.approx(closed)
        ratios.append(found / tau)
    assert ratios == sorted(ratios, reverse=True) and ratios[0] < 1
