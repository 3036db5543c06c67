"""The public grid: what a threshold does to a record is what the grid says, and no bits tell the rest."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dplit import Continuous, Domain
from dplit.baselines import JPWClassifier
from dplit.domain import GRID
from dplit.forests import MedianForestClassifier, MedianForestRegressor
from dplit.forests.releases import laplace_counts, noisy_counts, proved_means, published_means
from dplit.trees import apply
from dplit.trees.cuts import uniform_cut
from dplit.trees.grid import to_cells, to_thresholds
from dplit.trees.median import grow_median_trees
from dplit.trees.nodes import leaf_stats
from tests.trees.test_median_trees import assert_follows, rule

BOUNDS = [
    (0, 1), (-1, 1), (-1 / 3, 2 / 3), (0.1, 0.3), (-5, 1e9), (-8e307, 8e307), (1e300, 1.0000001e300),
    (1e16, 1e16 + 2), (1e16, 1e16 + 64), (0, 5e-324), (0, 1e-310),
]  # fmt: skip
CUTS = np.r_[0, 1, GRID // 2, GRID - 1, np.random.default_rng(0).integers(GRID, size=500)] * 1.0


@pytest.mark.parametrize(("lower", "upper"), BOUNDS)
def test_a_record_goes_where_the_grid_says(lower, upper):
    """A threshold is on the left of its own cut, and the next float is not, unless it is outside."""
    domain = Domain([Continuous(lower, upper)])
    thresholds = to_thresholds(domain, np.zeros(len(CUTS), dtype=int), CUTS)
    assert ((thresholds >= lower) & (thresholds < upper)).all()
    following = np.minimum(np.nextafter(thresholds, np.inf), upper)
    assert (to_cells(domain, thresholds[:, None])[:, 0] <= CUTS).all()
    assert (to_cells(domain, following[:, None])[:, 0] > CUTS).all()
    assert to_cells(domain, np.array([[lower], [upper]]))[:, 0].tolist() == [0, GRID]


def test_the_nearest_grid_point_by_fractions():
    rng = np.random.default_rng(1)
    for lower, upper in ((0.0, 1.0), (-3.0, 5.0)):
        values = lower + (upper - lower) * rng.random(200)
        found = to_cells(Domain([Continuous(lower, upper)]), values[:, None])[:, 0]
        exact = [(Fraction(v) - Fraction(lower)) / Fraction(upper - lower) * GRID for v in values]
        assert found.tolist() == [math.ceil(e - Fraction(1, 2)) for e in exact]


def test_levels_and_columns_of_one_value_have_no_cells():
    from dplit import Categorical

    domain = Domain([Categorical(["a", "b", "c"]), Continuous(3, 3), Continuous(0, 2)])
    assert to_cells(domain, np.array([[2.0, 3.0, 1.0]])).tolist() == [[2, 0, GRID / 2]]


def test_a_cut_is_a_uniform_whole_number():
    """Chi-square, 1e-9; and where there is none it is the edge."""
    rng = np.random.default_rng(2)
    found = np.array([uniform_cut(5.0, 12.0, rng) for _ in range(7000)])
    assert_follows(np.bincount(found.astype(int), minlength=12)[5:], np.ones(7))
    assert (found == np.floor(found)).all() and len(found) == 7000
    assert uniform_cut(5.0, 5.0, rng) == uniform_cut(5.0, 6.0, rng) == 5


@pytest.mark.parametrize("joint", [False, True])
def test_records_route_to_the_leaves_that_counted_them(joint):
    """Also where many are a step apart or less, and the column has hardly more floats than steps."""
    rng = np.random.default_rng(3)
    for lower, upper in ((0.0, 1.0), (1e16, 1e16 + 64)):
        domain = Domain([Continuous(lower, upper)])
        near = lower + (upper - lower) * (0.5 + rng.integers(-5, 6, size=200) * 2.0**-33)
        X = np.r_[near, rng.uniform(lower, upper, 100)][:, None]
        settings = rule(max_depth=7, joint=joint, choice=1 if joint else 0, rate=0.5)
        trees, stats = grow_median_trees(domain, X, np.zeros(300), 1, [None] * 20, settings, rng=rng)
        leaves = apply(trees, X) + trees.leaf_starts[:-1].astype(int)
        np.testing.assert_array_equal(stats[:, 0], np.bincount(leaves.ravel(), minlength=len(stats)))


# Bits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("selection", ["exponential", "permute-and-flip", "uniform"])
def test_a_threshold_says_which_cell_and_nothing_more(selection):
    """Whatever the records are, a cut is the middle of a step: an odd multiple of 2^-33."""
    forest = MedianForestClassifier(
        1.0, domain=Domain([Continuous(0, 1)]), classes=[0, 1], n_estimators=200, max_depth=2,
        selection=selection, partitioned=False,
    )  # fmt: skip
    for records in ([[0.7]], [[0.7], [0.3]], [[0.1], [1e-310], [0.9]]):
        cuts = forest.fit(records, [0] * len(records)).trees_.threshold
        odd = cuts[~np.isnan(cuts)] * 2.0**33
        assert len(odd) >= 400 and (odd % 2 == 1).all()


def test_counts_are_whole_numbers():
    domain = Domain([Continuous(0, 1)])
    forest = JPWClassifier(1.0, domain=domain, classes=[0, 1], max_depth=3).fit([[0.5]], [1])
    assert forest.leaf_counts_.dtype == np.int64
    assert noisy_counts(np.zeros((5, 2), int), 0.5, np.random.default_rng(0))[0].dtype == np.int64


def test_published_counts_and_means_are_multiples_of_a_public_step():
    """Of a scale 1/epsilon = 2.5 the power of two is 2, in a millionth of it; of means the step."""
    counts = np.array([[0, 1], [3, 10**6]])
    found, _ = laplace_counts(counts, 0.4, np.random.default_rng(0))
    steps = found * 2.0**19
    assert (steps == np.rint(steps)).all() and (found != np.rint(found)).all()
    found, _ = published_means(np.array([[3, GRID], [1, 7]]), 1.0, np.random.default_rng(0))
    assert (found * GRID == np.rint(found * GRID)).all()


def test_votes_are_whole_steps():
    """The last bits of what a leaf's mean is computed from do not tell its targets."""
    from dplit.mechanisms import BoundedMean

    for epsilon in (0.01, 1.0, 50.0):
        for mechanism, sums in ((BoundedMean(epsilon, -1, 3), 0.3), (BoundedMean(epsilon, 0, GRID), 7)):
            votes = mechanism.sample([sums] * 500, [2] * 500, rng=np.random.default_rng(0)) * GRID
            assert (votes == np.rint(votes)).all() and len(np.unique(votes % 64)) == 64


def test_targets_are_moved_to_the_grid_before_anything_reads_them():
    """Targets nearer than a half step to a grid point give one fit."""
    domain, X = Domain([Continuous(0, 1)]), np.linspace(0, 1, 50)[:, None]
    y = np.round(np.random.default_rng(0).random(50) * 2**20) / 2**20
    one, two = (
        MedianForestRegressor(5.0, domain=domain, target_bounds=(0, 1), random_state=1).fit(X, t)
        for t in (y, y + 2.0**-40)
    )
    np.testing.assert_array_equal(one.leaf_values_, two.leaf_values_)
    np.testing.assert_array_equal(one.trees_.threshold, two.trees_.threshold)


def test_sums_of_targets_are_exact():
    """Beyond the whole numbers that floats hold: 3 million targets just below 1, and one step."""
    n = 3_000_000
    y = np.full(n, 1 - 2.0**-32)
    y[0] = 2.0**-32
    stats = leaf_stats(np.arange(n), np.array([n]), y, 0)
    assert stats.tolist() == [[n, (n - 1) * (GRID - 1) + 1]]
    means, _ = proved_means(stats, np.inf, np.random.default_rng(0))
    assert means[0] == pytest.approx(1, abs=1e-6)
