"""The bounded mean: what a record moves, what is released, and how near the mean it comes."""

import numpy as np
import pytest
from scipy.stats import kstest

from dplit.mechanisms import BoundedMean


def votes(targets, lower, upper, seed=0):
    """Votes without noise."""
    mechanism = BoundedMean(np.inf, lower, upper)
    return mechanism.sample(sum(targets), len(targets), rng=np.random.default_rng(seed))


@pytest.mark.parametrize(("lower", "upper"), [(0, 1), (-3.0, 7.5), (1e6, 1e6 + 1)])
def test_a_record_moves_the_votes_by_one_whatever_its_target(lower, upper):
    rng = np.random.default_rng(1)
    targets = list(rng.uniform(lower, upper, 6))
    for extra in (lower, upper, *rng.uniform(lower, upper, 20)):
        moved = votes([*targets, extra], lower, upper) - votes(targets, lower, upper)
        assert np.abs(moved).sum() == pytest.approx(1, abs=1e-6)
        assert (moved >= -1e-6).all()
    replaced = votes([*targets[1:], lower], lower, upper) - votes([*targets[1:], upper], lower, upper)
    assert np.abs(replaced).sum() == pytest.approx(2, abs=1e-6), "replace-one costs twice"


def test_the_noise_is_laplace_on_each_count_of_votes():
    """Kolmogorov-Smirnov on 20,000 draws each, false alarm 1e-9."""
    mechanism = BoundedMean(0.5, 0, 10)
    found = mechanism.sample(np.full(20_000, 12.0), np.full(20_000, 3), rng=np.random.default_rng(2))
    for column, expected in ((0, 1.8), (1, 1.2)):
        assert kstest(found[:, column], "laplace", (expected, 2.0)).pvalue > 1e-9
    assert abs(np.corrcoef(found.T)[0, 1]) < 6.2 / np.sqrt(20_000), "false alarm below 1e-9"


def test_without_noise_the_mean_is_the_mean():
    mechanism, targets = BoundedMean(np.inf, -2, 4), [-2, 0.5, 4, 3]
    assert mechanism.mean(votes(targets, -2, 4)) == pytest.approx(np.mean(targets))
    assert mechanism.mean([[0.0, 0.0], [1.0, 0.0]]).tolist() == [1.0, -2.0]
    assert mechanism.mean([0.0, 0.0], centre=3.0) == 3


def test_the_mean_stays_inside_the_bounds_and_small_groups_near_the_centre():
    mechanism = BoundedMean(0.1, 0, 1)
    wild = np.random.default_rng(3).normal(scale=50, size=(1000, 2))
    for centre in (None, 0.3):
        assert ((mechanism.mean(wild, centre) >= 0) & (mechanism.mean(wild, centre) <= 1)).all()
    assert mechanism.mean([2.0, 0.0], centre=0.5) == pytest.approx(10 / 22)
    assert mechanism.mean([2.0, 0.0], centre=0.3) == pytest.approx(6 / 22)
    assert BoundedMean(0.1, -1, 3).mean([2.0, 0.0], centre=0.2) == pytest.approx(4 * 6 / 22 - 1)
    assert mechanism.mean([-30.0, -1.0]) == 0.5, "nothing is left: the middle"


def test_half_the_variance_of_a_noisy_sum_over_a_noisy_count():
    """1,000 records of mean 0.5, epsilon 1: standard errors below 2 % of either variance."""
    rng, draws = np.random.default_rng(4), 100_000
    ours = BoundedMean(1.0, 0, 1)
    mine = ours.mean(ours.sample(np.full(draws, 500.0), np.full(draws, 1000), rng=rng))
    centred = rng.laplace(scale=0.5 / 0.5, size=draws)  # half the budget on the sum about the middle
    halves = 0.5 + centred / (1000 + rng.laplace(scale=1 / 0.5, size=draws))
    assert halves.var() / mine.var() == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [((1, 1), "lower must be less than upper"), ((0, np.inf), "lower must be less than upper")],
)
def test_bad_bounds_are_named(bounds, message):
    with pytest.raises(ValueError, match=message):
        BoundedMean(1.0, *bounds)


def test_bad_sums_are_named():
    mechanism = BoundedMean(1.0, 0, 1)
    for sums, counts in ((3.0, 2), (-0.5, 4), (np.nan, 1)):
        with pytest.raises(ValueError, match="sums must be of targets inside the bounds"):
            mechanism.sample(sums, counts, rng=np.random.default_rng(0))
    with pytest.raises(TypeError, match="rng must be a numpy"):
        mechanism.sample(1.0, 2, rng=0)
