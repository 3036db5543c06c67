"""Residuals, masses, steps and plans of boosted forests, against definitions and brute force."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dplit import boosting, datasets
from dplit.boosting import residuals, sets
from dplit.mechanisms import PermuteAndFlip

S = boosting.STEPS


# Data sets ---------------------------------------------------------------------------------------


def test_sets_for_choosing_and_sets_kept_apart_are_two_lists_of_known_sets():
    assert not {*sets.CHOOSING} & {*sets.HELD_OUT}
    assert {*sets.CHOOSING, *sets.HELD_OUT} <= {*datasets.names()}
    assert len(sets.CHOOSING) == 17 and len(sets.HELD_OUT) == 16


# Cuts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lower", "upper"), [(0, 1), (-3, 5), (1e6, 1e6 + 1), (-1e-9, 1e9)])
def test_public_cuts_lie_within_the_bounds(lower, upper):
    cuts = boosting.public_cuts(lower, upper)
    assert (np.diff(cuts) > 0).all() and lower <= cuts[0] and cuts[-1] < upper
    assert len(cuts) >= 63 and ((0 in cuts) or not lower < 0 < upper)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("steps", [2, 63, 64, 1000])
def test_cuts_of_the_widest_bounds_are_those_of_narrow_ones(steps):
    for scale in (2.0**1022, 2.0**1000, 2.0**10):
        wide, narrow = (boosting.public_cuts(-a, a, steps) for a in (scale * 0.55, 0.55))
        np.testing.assert_allclose(wide / scale, narrow, rtol=1e-15)
    assert len(boosting.public_cuts(-5e307, 5e307)) >= 63


def test_a_column_of_one_value_has_no_cut():
    assert len(boosting.public_cuts(2.0, 2.0)) == 0


@pytest.mark.parametrize(("levels", "sets"), [(1, 0), (2, 1), (3, 6), (40, 80)])
def test_sets_of_levels(levels, sets):
    found = boosting.level_sets(levels, np.random.default_rng(0))
    assert found.shape == (sets, levels)
    if levels > 2:
        assert (found[:levels] == np.eye(levels)).all()
        assert abs(found[levels:].mean() - 0.5) < 0.35


# Residuals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", [-30.0, -1.3, 0.0, 0.7, 12.0])
def test_residuals_of_two_classes_are_those_of_the_logistic_function_over_the_larger_probability(score):
    p = 1 / (1 + math.exp(-score))
    down, up = (math.floor(S * share / max(p, 1 - p) + 1e-9) for share in (p, 1 - p))
    found = boosting.class_residuals(np.array([score, score]), np.array([0, 1]))
    assert found.tolist() == [[-down], [up]]


def test_residuals_of_several_classes():
    weights = [Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)]
    scores = np.log([[1.0, 2.0, 4.0]])
    shares = [math.floor(S * w) for w in weights]
    for y in range(3):
        found = boosting.class_residuals(scores, np.array([y]))[0]
        expected = [S * (k == y) - share for k, share in enumerate(shares)]
        assert np.abs(found - expected).max() <= 1  # a float's logarithm
        assert found.sum() >= 0


@pytest.mark.parametrize("k", [3, 7, 8, 9, 16, 40])
def test_shares_of_classes_are_those_of_each_record_alone_to_the_last_bit(k):
    """However they are laid out: else a forest of before would not be drawn again from its seed."""
    rng = np.random.default_rng(k)
    parts = rng.multinomial(1024 - k, np.full(k, 1 / k), size=500) + 1
    scores, codes = np.log(parts), rng.integers(k, size=500)  # whole steps but for rounding
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    own = codes[:, None] == np.arange(k)
    expected = S * own - np.floor(S * (weights / weights.sum(axis=1, keepdims=True)))
    assert np.array_equal(boosting.class_residuals(scores, codes), expected)
    in_turn = S * own - np.floor(S * (weights / sum(weights.T)[:, None]))
    assert np.array_equal(in_turn, expected) == (k < 8)  # the order of a sum is seen here


def test_no_record_within_the_bounds_of_a_model_reaches_further():
    rng = np.random.default_rng(1)
    for _ in range(200):
        k = int(rng.integers(2, 7))
        ends = np.sort(rng.normal(scale=3, size=(2, k)), axis=0)
        scores = rng.uniform(*ends, size=(300, k))
        scores[:60] = np.where(rng.random((60, k)) < 0.5, *ends)
        y = rng.integers(k, size=300)
        if k == 2:
            (low, high), scores, y = ends[:, 0], scores[:, 0], y
        else:
            low, high = ends
        r, reach = boosting.class_residuals(scores, y), boosting.class_reach(low, high)
        assert np.abs(r).sum(axis=1).max() <= reach.mass
        up, down = np.maximum(r, 0).sum(axis=1), np.maximum(-r, 0).sum(axis=1)
        assert (up / reach.up + down / reach.down).max() <= 1
        square = np.where(r > 0, r / reach.up, r / reach.down) ** 2
        assert np.sqrt(square.sum(axis=1)).max() <= reach.norm * (1 + 1e-12)


@pytest.mark.parametrize("clip", [1, 777, boosting.CLIP, S])
def test_clipped_residuals_are_scaled_and_rounded_towards_none(clip):
    rng = np.random.default_rng(clip)
    scores, y = rng.normal(scale=3, size=(400, 5)), rng.integers(5, size=400)
    whole = boosting.class_residuals(scores, y)
    found, reach = boosting.clipped(whole, clip), boosting.class_reach(np.full(5, -9.0), np.full(5, 9.0), clip)
    for row, less in zip(whole.tolist(), found.tolist()):
        factor = min(Fraction(clip, max(row)), Fraction(1)) if max(row) else Fraction(1)
        assert less == [math.trunc(factor * r) for r in row]  # towards 0
    assert np.abs(found).sum(axis=1).max() <= reach.mass == 2 * clip
    up, down = np.maximum(found, 0).sum(axis=1), np.maximum(-found, 0).sum(axis=1)
    assert (up / reach.up + down / reach.down).max() <= 1
    assert np.sqrt(np.square(found / reach.up).sum(axis=1)).max() <= reach.norm * (1 + 1e-12)


def test_targets_are_clipped_before_they_are_scaled():
    found = boosting.target_residuals(np.array([0.5] * 4), np.array([0.5, 0.6, 1.0, 0.0]), 0.2)
    assert found.ravel().tolist() == [0, round(0.5 * S), S, -S]
    reach = residuals.TARGET_REACH
    assert (reach.mass, reach.up, reach.down) == (S, 2 * S, 2 * S)


# Masses ------------------------------------------------------------------------------------------------


def test_mass_by_hand():
    r, cells = np.array([[3], [-5], [4], [-1]]), np.array([0, 0, 1, 1])
    sums = boosting.sums_by_cell(r, cells, 3)
    assert sums.ravel().tolist() == [-2, 3, 0] and boosting.mass(sums) == 5
    assert boosting.newton_gain(sums[:2], np.array([[2.0], [1.0]])) == 4 / 2 + 9
    assert boosting.worst_change(np.array([2, -3])) == 5


# Steps -------------------------------------------------------------------------------------------------


def test_one_cell_is_pulled_by_its_noise():
    """One leaf: the step is (G + w v')/(h + w) with the best pull, and v' = 0."""
    pull = (2.0 + 0.5 * 6.0) / (6.0 * 0.3**2)
    prior = np.array([[[0.3**2]]])
    found = boosting.posterior_steps(np.array([[4.0]]), np.array([[6.0]]), 2.0, 0.5, prior, 9.0)
    assert found[0, 0] == pytest.approx(4 / (6 + pull), rel=1e-9)


def test_steps_are_least_squares_of_the_release_and_the_prior():
    rng = np.random.default_rng(3)
    g, h = rng.normal(size=(8, 1)) * 9, rng.uniform(0, 30, size=(8, 1))
    prior = boosting.priors(2, 1, ((0.4,), (0.7,)))
    noise = np.sqrt(5.0 + 0.2 * h[:, 0])
    root = np.linalg.inv(np.linalg.cholesky(prior[0]))
    rows = np.vstack([np.diag(h[:, 0] / noise), root])
    expected = np.linalg.lstsq(rows, np.append(g[:, 0] / noise, np.zeros(8)), rcond=None)[0]
    found = boosting.posterior_steps(g, h, 5.0, 0.2, prior, 99.0)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-6)


def test_covariances_are_weighted_with_the_density_of_the_release():
    rng = np.random.default_rng(4)
    g, h = rng.normal(size=(4, 2)) * 5, rng.uniform(1, 20, size=(4, 2))
    several = boosting.priors(1, 1, ((0.1, 1.0), (0.0, 2.0)))
    densities, means = [], []
    for prior in several:
        laws = [stats.multivariate_normal(
            np.zeros(4), h[:, k, None] * prior * h[:, k] + np.diag(3 + h[:, k])) for k in (0, 1)
        ]  # fmt: skip
        densities.append(math.prod(law.pdf(g[:, k]) for k, law in enumerate(laws)))
        means.append(boosting.posterior_steps(g, h, 3.0, 1.0, prior[None], 99.0))
    expected = np.einsum("a,alk->lk", np.array(densities) / sum(densities), np.array(means))
    found = boosting.posterior_steps(g, h, 3.0, 1.0, several, 99.0)
    np.testing.assert_allclose(found, expected, rtol=1e-7)
    assert np.abs(boosting.posterior_steps(9 * g, h, 3.0, 1.0, several, 0.5)).max() == 0.5


@pytest.mark.parametrize("depth", [0, 1, 4])
@pytest.mark.parametrize("variance", [0.0, 7.0])
def test_a_tree_s_steps_up_and_down_are_those_of_its_covariances(depth, variance):
    rng, scales = np.random.default_rng(depth), (0.1, 0.6, 2.0)
    g, h = rng.normal(size=(2**depth, 3)) * 6, rng.uniform(0.1, 20, size=(2**depth, 3))
    dense = boosting.priors(depth, 0, (scales, (0.0,)))
    expected = boosting.posterior_steps(g, h, variance, 0.4, dense, 5.0)
    found = boosting.tree_steps(g, h, variance, 0.4, scales, 5.0)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    empty = boosting.tree_steps(0 * g, 0 * h, variance, 0.4, scales, 5.0)
    assert np.abs(empty).max() == 0


def test_noise_alone_leaves_the_steps_near_zero():
    rng = np.random.default_rng(2)
    prior = boosting.priors(6, 0, boosting.plan(1000, 1.0, 2).scales)
    h = np.full((64, 1), 10.0)
    found = [boosting.posterior_steps(rng.normal(size=(64, 1)) * 100, h, 1e4, 1.0, prior, 9.0) for _ in range(20)]
    assert np.square(found).mean() < 0.5**2  # the plain steps' is 10**2


def test_covariances_by_hand():
    root, half = 1 + 0.7, 1.0
    along = 0.25 * boosting.brownian(2) @ np.eye(2)
    found = boosting.priors(1, 1, ((2.0,), (0.5,)))[0]
    expected = 4 * np.kron([[root, half], [half, root]], np.ones((2, 2)))
    expected += np.kron([[2, 1], [1, 2]], along)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("n", [2, 5, 64])
def test_a_brownian_path_less_its_mean(n):
    found, places = boosting.brownian(n), np.arange(n)
    np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-12)
    steps = np.add.outer(np.diag(found), np.diag(found)) - 2 * found
    np.testing.assert_allclose(steps, np.abs(places[:, None] - places) / n, atol=1e-12)


# Bins and directions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("codes", "levels"), [(2, 4), (3, 2), (64, 6), (95, 6), (200, 3)])
def test_bins_are_ordered_and_alike(codes, levels):
    found = boosting.bins_of_codes(codes, levels)
    assert (np.diff(found) >= 0).all() and found[0] == 0 and found[-1] < 2**levels
    sizes = np.bincount(found, minlength=2**levels)
    assert sizes.max() - sizes.min() <= 1


def test_directions_by_hand():
    assert boosting.directions([0, 3], 9) == [(0, 3, 1.0), (0, 3, 0.5), (3, 0, 0.5)]
    assert boosting.directions([0, 3], 2) == [(0, 3, 1.0)] and boosting.directions([0, 3], 0) == []
    assert boosting.directions([4], 9) == []
    X, bounds = np.array([[1.0, 7.0], [3.0, 5.0]]), np.array([[1.0, 3.0], [5.0, 7.0]])
    found = boosting.along(X, bounds, [(0, 1, 1.0), (1, 0, 0.5)])
    assert found.tolist() == [[0 - 1, 1 - 0], [1 - 0, 0 - 0.5]]


# Plans -------------------------------------------------------------------------------------------------


def test_plans_are_public_and_grow_with_s():
    rounds = [boosting.plan(n, 1.0, 2).rounds for n in (10, 800, 3200, 10**5, 10**9)]
    assert rounds == [1, 3, 4, 16, 32]
    depths = [boosting.plan(n, 1.0, 2).depth for n in (10, 800, 3200, 10**4, 10**5, 10**9)]
    assert depths == [1, 1, 2, 3, 4, 6]
    assert [boosting.plan(n, 1.0, 3)[:2] for n in (10, 6400, 10**9)] == [(1, 1), (4, 4), (32, 6)]
    assert boosting.plan(3200, 1.0, 2, depth=1).rounds == 6  # for the depth that is asked for
    assert boosting.plan(1000, 2.0, 2)[:2] == boosting.plan(2000, 1.0, 2)[:2]
    assert boosting.plan(2000, 1.0, 7)[:2] == boosting.plan(1000, 2.0, 7)[:2]
    assert boosting.plan(5000, math.inf, 2)[:2] == boosting.plan(5000, math.inf, 9)[:2] == (32, 6)
    assert [boosting.counted(k) for k in (0, 2, 3, 5, 6, 9, 12, 100)] == [0, 0, 1, 1, 3, 4, 6, 6]
    assert boosting.plan(5000, 1.0, 2, rounds=7, depth=3)[:2] == (7, 3)
    assert boosting.plan(1000, 1.0)[:3] == (2, 1, 6) and boosting.plan(1000, 1.0).kept == 0
    small, large = boosting.plan(1000, 1.0), boosting.plan(10**6, 1.0)
    assert small.of(0) == small and small.of(1)[1:3] == (2, 4) and small.of(1).kept == 2
    assert large.of(15) == large and large.of(16)[1:3] == (3, 3) and large.of(31).kept == 3
    assert boosting.plan(500, 1.0).of(0) == boosting.plan(500, 1.0)  # a single round is of a column
    assert boosting.plan(500, 1.0, depth=2).of(5)[1:3] == (2, 0)
    assert boosting.plan(5000, 1.0, 2).fine == boosting.plan(5000, 1.0, depth=1).fine == 0
    assert 0.03 <= boosting.plan(10**6, 1.0, 2).prior and boosting.plan(1, 1.0, 2).prior == 0.5


@pytest.mark.parametrize("n_classes", [0, 2, 5, 9])
@pytest.mark.parametrize(("n", "rho"), [(3000, 0.002), (50_000, 0.01), (400, 0.5), (10**9, 1.0)])
def test_zero_concentrated_rounds_have_the_noise_of_their_equivalent(n, rho, n_classes):
    epsilon = boosting.equivalent(n, rho, n_classes)
    rounds = boosting.plan(n, epsilon, n_classes).rounds
    pure = math.sqrt(2) * rounds / (epsilon / 2)  # half of a round's epsilon is for its leaves
    assert math.sqrt(rounds / (2 * rho / 2)) == pytest.approx(pure, rel=1e-9)
    assert boosting.equivalent(n, rho, n_classes, 7) == pytest.approx(math.sqrt(56 * rho))


# The start of a regression -----------------------------------------------------------------------------

RNG = np.random.default_rng(7)
BINS = 128
LAWS = {
    "narrow": RNG.normal(0.8, 0.01, 4000),
    "middle": RNG.normal(0.4, 0.12, 4000),
    "skewed": RNG.exponential(0.1, 4000),
    "two values": RNG.choice([0.1, 0.9], 4000),
    "rare": RNG.random(4000) < 0.1,
}


def _counts(targets, epsilon):
    """Counts in equal bins with Laplace noise."""
    return np.rint(np.histogram(np.clip(targets, 0, 1), BINS, (0, 1))[0] + RNG.laplace(0, 1 / epsilon, BINS))


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("told", [1500, 4000, 10_000])
def test_centre_and_spread_of_targets_are_found_in_noise(name, told):
    targets = np.clip(LAWS[name], 0, 1)
    off = []
    for _ in range(20):
        centre, spread = boosting.target_start(_counts(targets, 0.1).astype(int), 0.1, told)
        off.append((abs(centre - targets.mean()) / targets.std(), spread / targets.std()))
    away, times = np.median(off, axis=0)
    assert away < 0.6 and 0.5 < times < 1.8


def test_a_start_says_little_where_noise_is_all_there_is():
    found = [boosting.target_start(_counts([], 0.01).astype(int), 0.01, 10) for _ in range(20)]
    centre, spread = np.mean(found, axis=0)
    assert abs(centre - 0.5) < 0.1 and 0.1 < spread < 0.25


@pytest.mark.parametrize(("counts", "word"), [([1.5] * BINS, "whole"), ([1] * 5, "of 128 bins"), ("no", "counts")])
def test_starts_of_bad_counts_are_refused(counts, word):
    with pytest.raises((TypeError, ValueError), match=word):
        boosting.target_start(counts, 1.0, 10)


def test_best_rounds_and_depth_are_minima_on_a_grid():
    s, grid = 1e5, np.geomspace(0.5, 500, 4001)
    best = grid[boosting.balance(grid, 3.0, s).argmin()]
    assert boosting.best_rounds(3.0, s) == pytest.approx(best, rel=2e-3)
    depths = np.linspace(0, 12, 2401)
    errors = [boosting.balance(grid, d, s, deep=2.0).min() for d in depths]
    assert boosting.best_depth(s, deep=2.0) == pytest.approx(depths[np.argmin(errors)], abs=0.01)


# The loss of small fits ------------------------------------------------------------------------------------


def test_one_round_by_hand():
    """No record and one: the masses are equal, and its side's sum moves by its whole reach."""
    model = boosting.SmallClasses(np.zeros((2, 1)), 0.5, 0.7)
    share = S / boosting.class_reach(0.0, 0.0).up
    assert boosting.worst_loss((), ((0, 1),), 1, model) == pytest.approx(0.7 * share)


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 2.0])
def test_the_divergence_of_a_round_by_sums_over_whole_steps(epsilon):
    """One record of class 1 more, on a coarse grid of the same ratios: a sum over outcomes."""
    model = boosting.SmallClasses(np.zeros((2, 1)), 0.05, 0.1)
    share = S / boosting.class_reach(0.0, 0.0).up
    sigma = 4000 / math.sqrt(0.2)
    places = np.arange(-200_000, 200_001)
    p, q = (stats.norm.pdf(places, m, sigma) for m in (4000 * share, 0))
    expected = np.maximum(p - math.exp(epsilon) * q, 0).sum()
    found = model.divergence((), ((0, 1),), epsilon)
    assert found == pytest.approx(expected, rel=1e-3, abs=1e-12)


@pytest.mark.parametrize("tests", [1, 2, 3])
def test_two_records_attain_the_price_of_every_test_of_a_round(tests):
    """Column 0 does not part them, and is drawn at every level."""
    X, residuals = np.array([[1, 0], [1, 1]]), np.array([[S // 2], [-S // 2]])
    law, chances = PermuteAndFlip(0.6, sensitivity=S // 2), []
    for n in (1, 2):
        cells, chance = np.zeros(n, dtype=int), 0.0
        for _ in range(tests):
            masses = [
                boosting.mass(boosting.sums_by_cell(residuals[:n], 2 * cells + x, 2 ** (tests + 1)))
                for x in X[:n].T
            ]
            chance += law.logpmf(masses)[0]
            cells = 2 * cells + X[:n, 0]
        chances.append(chance)
    assert chances[0] - chances[1] == pytest.approx(0.6 * tests)


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_two_records_attain_the_price_of_all_rounds(rounds):
    model = boosting.SmallClasses(np.zeros((3, 1)), 0.6, 0.8)
    share = S / boosting.class_reach(0.0, 0.0).up
    found = boosting.worst_loss(((1, 1),), ((1, 1), (2, 0)), rounds, model)
    assert found == pytest.approx(1.4 * rounds * share, rel=1e-9)


def test_the_stretched_pair_meets_its_price_as_it_grows():
    model = boosting.SmallClasses(np.zeros((3, 1)), 0.5, 0.7)
    losses = [boosting.worst_loss(*boosting.stretched([1], [0], k=k), 1, model) for k in (1, 3, 9)]
    assert losses == sorted(losses) and losses[-1] == pytest.approx(1.2, abs=1e-4)
    assert losses[0] < losses[-1] <= 1.2
