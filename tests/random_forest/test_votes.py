"""How many trees are best, against a search for the largest margin and simulated votes."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import poisson

from dplit import depth, random_forest


@pytest.mark.parametrize(("n", "d", "epsilon"), [(1000, 3, 1.0), (30_000, 7, 0.2), (500, 0, np.inf)])
def test_suggested_trees_has_the_largest_margin(n, d, epsilon):
    """By search: the mean margin of the vote over its deviation, sqrt(tau) (1 - exp(-n_eps / (tau 2^d)))."""
    records = n * -math.expm1(-epsilon) / 2**d
    found = minimize_scalar(
        lambda tau: math.sqrt(tau) * math.expm1(-records / tau),
        bounds=(records / 5, records), method="bounded", options={"xatol": 1e-9 * records},
    )  # fmt: skip
    assert random_forest.suggested_trees(n, d, epsilon) == pytest.approx(found.x, rel=1e-4)


def test_suggested_trees_in_the_forest_of_the_model():
    """No number of trees is better than one within a fifth below the suggested one."""
    n, m, d, e = 4000, 10, 5, 1.0
    rule = random_forest.suggested_trees(n, d, e)
    accuracy = {t: depth.forest_accuracy(d, n, m, [0, 1], e, t) for t in range(1, int(2 * rule), 2)}
    best = max(accuracy, key=accuracy.get)
    assert 0.8 * rule - 2 <= best <= rule + 2 and best > 30


def test_vote_errors_by_simulation():
    """Votes drawn from Poisson leaves: 60,000 points, six standard errors, false-alarm rate 2e-9."""
    rng, (n, m, d, e, trees) = np.random.default_rng(5), (300, 4, 3, 1.0, 7)
    tested = rng.random((60_000, trees)) < 1 - (3 / 4) ** 3
    records = rng.poisson(n / trees / 2**d, size=tested.shape)
    wrong = np.where(tested, np.exp(-e * records) / 2, 0.5)  # where it is not tested, a coin
    errors = (rng.random(tested.shape) < wrong).sum(axis=1) > trees / 2
    expected = random_forest.vote_errors(n, m, d, e, [trees])[0]
    assert errors.mean() == pytest.approx(expected, abs=6 * errors.std() / math.sqrt(60_000))


def right_label(n, odds, classes):
    """Permute-and-flip on n records of class 0, over all orders of the candidates, in fractions."""
    stops = Fraction(1) / Fraction(odds) ** n
    right, orders = Fraction(0), list(permutations(range(classes)))
    for order in orders:
        right += (1 - stops) ** order.index(0)
    return right / len(orders)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("mean", [0.01, 3.0])
def test_poisson_error_over_orders_and_numbers(classes, mean):
    n = range(60)
    right = [float(right_label(i, 3, classes)) for i in n]
    expected = 1 - poisson.pmf(n, mean) @ right
    found = random_forest.poisson_error(mean, math.log(3), classes)
    assert found == pytest.approx(expected, rel=1e-12)


def test_where_a_share_is_better():
    """100 trees at epsilon 1: up to 46 records on average with four classes, 154 with ten, none with two."""
    means = np.arange(1, 300)
    last = {}
    for k in (2, 4, 10):
        gain = random_forest.poisson_error(means, 0.01, k)
        gain -= random_forest.poisson_error(means / 100, 1.0, k)
        last[k] = int(means[gain > 0].max(initial=0))
    assert last == {2: 0, 4: 45, 10: 154}


def test_one_vote_is_one_label():
    """A single tree of depth 0 and one feature has tested nothing: a coin; of depth 1 it is a leaf's label."""
    assert random_forest.vote_errors(50, 1, 0, 1.0, 1) == pytest.approx(0.5)
    wrong = math.exp(-25 * -math.expm1(-1.0)) / 2
    assert random_forest.vote_errors(50, 1, 1, 1.0, 1) == pytest.approx(wrong)
    assert random_forest.vote_errors(50, 1, 1, 1.0, [[1], [3]]).shape == (2, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_forest.suggested_trees(9, -1, 1.0), "depth must be an integer of at least 0"),
        (lambda: random_forest.suggested_trees(-1, 1, 1.0), "n must be a finite number of at least 0"),
        (lambda: random_forest.vote_errors(9, 2, 1, 1.0, [3, 4]), "trees must be odd .* got 4"),
        (lambda: random_forest.vote_errors(9, 2, 1, 1.0, -1), "trees must be odd .* got -1"),
        (lambda: random_forest.vote_errors(9, 0, 1, 1.0, 1), "features must be an integer"),
        (lambda: random_forest.vote_errors(9, 2, -1, 1.0, 1), "depth must be an integer"),
        (lambda: random_forest.vote_errors(-9, 2, 1, 1.0, 1), "n must be a finite number"),
        (lambda: random_forest.vote_errors(9, 2, 1, 0, 1), "epsilon must be"),
        (lambda: random_forest.poisson_error(9, 1.0, 31), "classes must be at most 30, got 31"),
        (lambda: random_forest.poisson_error(9, 1.0, 1), "classes must be an integer of at least 2"),
        (lambda: random_forest.poisson_error(9, 0.0), "epsilon must be"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
