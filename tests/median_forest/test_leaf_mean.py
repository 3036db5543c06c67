"""Leaf means: losses against dense grids of densities, errors against simulation and quadrature."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace

from dplit.mechanisms import BoundedMean
from dplit.median_forest import leaf_mean

DRAWS = 400_000
SIGMAS = 7.0  # two-sided tail 3e-12 a comparison


def by_grid(n, epsilon, mean, added):
    """Largest log-ratio of atoms and densities on a fine grid, from scipy's Laplace law."""
    after = (n * mean + added) / (n + 1)
    one, two = laplace(mean, 1 / (n * epsilon)), laplace(after, 1 / ((n + 1) * epsilon))
    x = np.unique(np.clip([*np.linspace(0, 1, 4001), mean, after], 0, 1))
    inside = np.log(one.pdf(x) / two.pdf(x))
    return np.abs([*inside, np.log(one.cdf(0) / two.cdf(0)), np.log(one.sf(1) / two.sf(1))]).max()


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])
@pytest.mark.parametrize(("mean", "added"), [(0, 1), (1, 0), (0.3, 0.9), (0.5, 0.5), (0.2, 0)])
def test_clamped_loss_on_a_grid(n, epsilon, mean, added):
    expected = by_grid(n, epsilon, mean, added)
    assert leaf_mean.clamped_loss(n, epsilon, mean, added) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 2 * math.log(2), 1.5, 9.0])
def test_clamped_epsilon_is_the_worst_leaf(epsilon):
    losses = [
        leaf_mean.clamped_loss(n, epsilon, m, a)
        for n in (1, 2, 3, 30) for m in np.linspace(0, 1, 11) for a in np.linspace(0, 1, 11)
    ]  # fmt: skip
    assert leaf_mean.clamped_epsilon(epsilon) == pytest.approx(max(losses))
    private = leaf_mean.clamped_epsilon(epsilon) <= epsilon * (1 + 1e-12)
    assert private == (epsilon >= 2 * math.log(2))


def simulated(kind, n, mean, epsilon, rng):
    if kind == "votes":
        mechanism = BoundedMean(epsilon, 0.0, 1.0)
        return mechanism.mean(mechanism.sample([n * mean] * DRAWS, [n] * DRAWS, rng=rng))
    if kind == "clamped":
        return np.clip(rng.laplace(mean, 1 / (n * epsilon), DRAWS), 0, 1)
    count = n + rng.laplace(scale=2 / epsilon, size=DRAWS)
    total = n * (mean - 0.5) + rng.laplace(scale=1 / epsilon, size=DRAWS)
    ratio = np.divide(total, count, out=np.zeros(DRAWS), where=count > 0)
    return np.clip(0.5 + ratio, 0, 1)


@pytest.mark.parametrize("kind", ["votes", "clamped", "halves"])
@pytest.mark.parametrize(("n", "mean", "epsilon"), [(1, 0.2, 1.0), (3, 0.9, 0.3), (10, 0.0, 0.5), (50, 0.3, 1.0)])
def test_errors_against_simulation(kind, n, mean, epsilon):
    """Seeded; 12 comparisons at 7 standard errors: false alarms below 1e-10 in all."""
    squares = (simulated(kind, n, mean, epsilon, np.random.default_rng(n)) - mean) ** 2
    exact = {"votes": leaf_mean.votes_error, "clamped": leaf_mean.clamped_error, "halves": leaf_mean.halves_error}[
        kind
    ](n, mean, epsilon)
    assert abs(squares.mean() - exact) < SIGMAS * squares.std() / math.sqrt(DRAWS)


def test_clamped_error_by_quadrature():
    def h(x):
        return (min(max(x, 0), 1) - 0.3) ** 2 * laplace.pdf(x, 0.3, 1 / (4 * 0.7))

    parts = [quad(h, a, b)[0] for a, b in [(-40, 0), (0, 0.3), (0.3, 1), (1, 40)]]
    assert leaf_mean.clamped_error(4, 0.3, 0.7) == pytest.approx(sum(parts), rel=1e-8)


def test_share_cdf_by_double_quadrature():
    """P(A/(A + B) <= t, A + B > 0) from the joint density."""
    u, v, t = 1.3, 0.6, 0.35

    def inner(a):
        low = max(-a, a * (1 - t) / t)
        return laplace.pdf(a, u) * laplace.sf(low, v)

    expected = sum(quad(inner, x, y)[0] for x, y in [(-40, 0), (0, 0.32), (0.32, u), (u, 60)])
    assert leaf_mean._share_cdf(t, u, v) == pytest.approx(expected, abs=1e-7)


def test_no_records_and_no_votes():
    """Without records the share is symmetric, and three eighths of the votes sum to nothing or less."""
    assert leaf_mean.votes_error(0, 0.5, 1.0) == pytest.approx(leaf_mean.votes_error(0, 0.5, 9.0))
    assert leaf_mean._positive_total(0.0) == 0.5


def test_first_order():
    published, votes, halves = leaf_mean.first_order_errors([0.0, 0.5, 1.0])
    assert published.tolist() == [2, 2, 2]
    assert votes.tolist() == [2, 1, 2]
    assert halves.tolist() == [4, 2, 4]


def test_depth_by_occupancy():
    assert leaf_mean.occupancy_depth(Fraction(9 * 5875, 100), 25) == 4
    assert leaf_mean.occupancy_depth(100, 25) == 1  # 50 a leaf; 25 is not more than 25
    assert leaf_mean.occupancy_depth(101, 25) == 2
    assert leaf_mean.occupancy_depth(26, 25) == 0
    assert leaf_mean.occupancy_depth(127, 5, children=5) == 2


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: leaf_mean.clamped_loss(0, 1.0), "n must"),
        (lambda: leaf_mean.clamped_loss(1, 0.0), "epsilon"),
        (lambda: leaf_mean.clamped_loss(1, 1.0, mean=2.0), "mean"),
        (lambda: leaf_mean.clamped_loss(1, 1.0, added=-0.1), "added"),
        (lambda: leaf_mean.clamped_epsilon(-1.0), "epsilon"),
        (lambda: leaf_mean.clamped_error(0, 0.5, 1.0), "n must"),
        (lambda: leaf_mean.votes_error(-1, 0.5, 1.0), "n must"),
        (lambda: leaf_mean.halves_error(1, 0.5, 0.0), "epsilon"),
        (lambda: leaf_mean.occupancy_depth(10, 25), "records"),
        (lambda: leaf_mean.occupancy_depth(100, 25, 1), "children"),
    ],
)
def test_errors_name_the_argument(call, name):
    with pytest.raises(ValueError, match=name):
        call()
