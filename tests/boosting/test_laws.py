"""Residuals, masses, steps and plans of boosted forests, against definitions and brute force."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dplit import boosting, datasets
from dplit.boosting import residuals, sets

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
def test_residuals_of_two_classes_are_those_of_the_logistic_function(score):
    down = math.floor(S / (1 + math.exp(-score)))
    found = boosting.class_residuals(np.array([score, score]), np.array([0, 1]))
    assert found.tolist() == [[-down], [S - down]]


def test_residuals_of_several_classes():
    weights = [Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)]
    scores = np.log([[1.0, 2.0, 4.0]])
    shares = [math.floor(S * w) for w in weights]
    for y in range(3):
        found = boosting.class_residuals(scores, np.array([y]))[0]
        expected = [S * (k == y) - share for k, share in enumerate(shares)]
        assert np.abs(found - expected).max() <= 1  # a float's logarithm
        assert found.sum() >= 0


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


def test_steps_without_a_pull_are_the_leaves_own():
    g, h = np.array([[2.0], [-3.0], [1.0], [0.0]]), np.array([[4.0], [1.0], [2.0], [0.0]])
    found = boosting.shrunk_steps(g, h, 0.0, 10.0, 2.0)
    # the last leaf has no curvature and takes its parent's step, 1 / 2
    assert found.ravel().tolist() == [0.5, -2.0, 0.5, 0.5]


def test_steps_by_hand():
    g, h, w = np.array([[4.0], [-1.0]]), np.array([[6.0], [2.0]]), 3.0
    root = 3 / (8 + w * math.sqrt(2))
    expected = [(4 + w * root) / (6 + w), (-1 + w * root) / (2 + w)]
    found = boosting.shrunk_steps(g, h, 1.5, 2.0, 9.0).ravel()
    assert found == pytest.approx(expected, rel=1e-12)
    assert np.abs(boosting.shrunk_steps(g, h, 1e12, 2.0, 9.0)).max() < 1e-11


def test_leaves_of_noise_alone_stay_near_their_parents():
    rng = np.random.default_rng(2)
    a, b = rng.laplace(size=(2, 64, 200))
    found = boosting.shrunk_steps(a - b, 0 * a, 1.0, 10.0, 99.0)
    # each level adds 2/10 of a standard deviation; a node's noise is in its ancestors', too
    heights = np.arange(7)
    variance = 0.04 * (2.0 ** (-abs(heights[:, None] - heights) / 2)).sum()
    assert np.square(found).mean() == pytest.approx(variance, rel=0.1)


# Plans -------------------------------------------------------------------------------------------------


def test_plans_are_public_and_grow_with_s():
    rounds = [boosting.plan(n, 1.0, 2).rounds for n in (10, 800, 3200, 10**5, 10**9)]
    assert rounds == [1, 2, 4, 22, 32]
    assert boosting.plan(1000, 2.0, 2)[:2] == boosting.plan(2000, 1.0, 2)[:2]
    assert boosting.plan(2000, 1.0, 7)[:2] == boosting.plan(1000, 1.0, 2)[:2]
    assert boosting.plan(5000, math.inf, 2)[:2] == (32, 6)
    assert boosting.plan(5000, 1.0, 2, rounds=7, depth=3)[:2] == (7, 3)
    assert boosting.plan(1000, 1.0).depth == 1 and boosting.plan(10**6, 1.0).depth > 3
    assert 0.03 <= boosting.plan(10**6, 1.0, 2).prior and boosting.plan(1, 1.0, 2).prior == 0.5


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
    share = (S / 2) / boosting.class_reach(0.0, 0.0).up
    assert boosting.worst_loss((), ((0, 1),), 1, model) == pytest.approx(0.7 * share)


def test_the_stretched_pair_meets_its_price_as_it_grows():
    model = boosting.SmallClasses(np.zeros((3, 1)), 0.5, 0.7)
    losses = [boosting.worst_loss(*boosting.stretched([1], [0], k=k), 1, model) for k in (1, 3, 9)]
    assert losses == sorted(losses) and losses[-1] == pytest.approx(1.2, abs=1e-4)
    assert losses[0] < losses[-1] <= 1.2
