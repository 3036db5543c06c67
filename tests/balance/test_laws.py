"""Balance of a private median split, against fractions, quadrature, enumeration and simulation."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from dplit import balance
from dplit.court.ledger import interval

EPSILONS = (0.0, 0.01, 0.7, 3.0)
VALUES = (0.1, 0.1, 0.25, 0.5, 0.55, 0.8, 1.0)


def by_quadrature(t, values, lower, upper, epsilon):
    """P(smaller block >= t) from the density exp(epsilon q(r) / 2) of the cut, no intervals."""
    values = np.asarray(values)

    def density(r, least):
        left, right = (values < r).sum(), (values > r).sum()
        return math.exp(-epsilon * abs(left - right) / 2) * (min(left, right) >= least)

    edges = np.unique([lower, *values, upper])
    wanted, total = (sum(quad(density, a, b, args=(least,))[0] for a, b in pairwise(edges)) for least in (t, 0))
    return wanted / total


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("t", range(5))
def test_laws_by_quadrature(t, epsilon):
    expected = by_quadrature(t, VALUES, 0.0, 1.0, epsilon)
    assert balance.at_least(t, VALUES, 0.0, 1.0, epsilon) == pytest.approx(expected, abs=1e-9)
    if t:
        assert balance.more_than(t - 1, VALUES, 0.0, 1.0, epsilon) == pytest.approx(expected, abs=1e-9)


def test_law_by_hand():
    """Values 1 and 2 in [0, 4], e^epsilon = 2: weights 1, 1 * 2, 2."""
    assert balance.split_law([2, 1], 0, 4, math.log(2)) == pytest.approx([1 / 5, 2 / 5, 2 / 5])
    assert balance.split_law([2, 1], 0, 4, 0) == pytest.approx([1 / 4, 1 / 4, 1 / 2])
    assert balance.intervals([2, 1], 0, 4).tolist() == [1, 1, 2]
    assert balance.smaller_blocks(5).tolist() == [0, 1, 2, 2, 1, 0]


def test_no_values_and_large_budgets():
    assert balance.split_law([], 0, 1, 1.0) == [1.0]
    law = balance.split_law([0.2, 0.4, 0.6] * 400, 0, 1, 500.0)
    assert np.isfinite(law).all() and law.sum() == pytest.approx(1)
    assert balance.at_least(1, [0.0, 0.0, 1.0], 0, 1, 600.0) == 1.0


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 12), min_size=2, max_size=12), st.integers(0, 5), st.floats(0, 5))
def test_bounds_hold_for_any_data(values, t, epsilon):
    if 2 * t >= len(values):
        return
    d = balance.central_range(t, values)
    more = balance.more_than(t, values, -1, 13, epsilon)
    assert more >= balance.more_than_bound(d, 14, epsilon) - 1e-12
    if t:
        least = balance.at_least(t, values, -1, 13, epsilon)
        assert least >= balance.at_least_bound(d, 14, epsilon) - 1e-12
    assert balance.more_than(t, values, -1, 13, 0) == pytest.approx(d / 14)
    if d < 14:
        ratio = (1 - more) / (1 - d / 14)
        assert ratio <= balance.failure_ratio(d, 14, epsilon) + 1e-12


@pytest.mark.parametrize("epsilon", EPSILONS[1:])
@pytest.mark.parametrize(("n", "t"), [(4, 1), (5, 1), (9, 2), (30, 14)])
def test_worst_data_attain_the_bounds(n, t, epsilon):
    """The chance on the worst data by quadrature equals the formula."""
    for data, add, bound in (
        (balance.worst_at_least(n, t, 2, 0, 6), 0, balance.at_least_bound),
        (balance.worst_more_than(n, t, 2, 0, 6), 1, balance.more_than_bound),
    ):
        assert len(data) == n and balance.central_range(t, data) == 2
        expected = by_quadrature(t + add, data, 0, 6, epsilon)
        assert bound(2, 6, epsilon) == pytest.approx(expected, abs=1e-8)


@given(st.floats(0, 1), st.floats(0, 50))
def test_the_published_bound_is_that_of_more_than_t(d, epsilon):
    """d / (R e^-epsilon + d (1 - e^-epsilon)) and d / (d + (R - d) e^-epsilon) are one number."""
    published = balance.published_bound(d, 1, epsilon)
    assert balance.more_than_bound(d, 1, epsilon) == pytest.approx(float(published))


def test_bounds_at_the_ends_of_their_ranges():
    for bound in (balance.published_bound, balance.more_than_bound, balance.at_least_bound):
        assert bound(0.3, 1, 0.0) == pytest.approx(0.3)
        assert bound([0, 1], 1, 1.0).tolist() == [0, 1]
        assert bound([0, 1e-9], 1, 1e6) == pytest.approx([0, 1])
    assert balance.failure_ratio([0, 1], 1, 1.0) == pytest.approx([1, math.exp(-1)])


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 6.0])
def test_the_gain_peaks_where_it_should(epsilon):
    u = np.linspace(0, 1, 100_001)
    gain = balance.guaranteed_gain(u, 1, epsilon)
    assert u[gain.argmax()] == pytest.approx(balance.best_spread(epsilon), abs=2e-5)
    assert gain.max() == pytest.approx(balance.greatest_gain(epsilon), rel=1e-6)


# Two levels ----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_two_levels_by_quadrature(epsilon):
    """The first cut integrated over numerically, each child's chance from its own exact law."""
    values = np.sort(np.array(VALUES))
    law = balance.split_law(values, 0, 1, epsilon)
    edges, total = [0.0, *values, 1.0], 0.0

    def both(r):
        left, right = values[values < r], values[values > r]
        chance = balance.more_than(0, left, 0, r, epsilon)
        return chance * balance.more_than(0, right, r, 1, epsilon)

    for p, a, b in zip(law, edges, edges[1:]):
        if b > a:
            total += p / (b - a) * quad(both, a, b)[0]
    assert balance.two_levels(0, values, 0, 1, epsilon) == pytest.approx(total, abs=1e-9)


def test_two_levels_by_simulation():
    """2,000 trees; the interval is at false-alarm rate 1e-9."""
    rng, draws, epsilon = np.random.default_rng(7), 2_000, 1.0
    values = np.array(VALUES)

    def cut(x, low, high):
        edges = np.array([low, *np.sort(x), high])
        i = rng.choice(len(x) + 1, p=balance.split_law(x, low, high, epsilon))
        return rng.uniform(edges[i], edges[i + 1])

    def splits(x, low, high):
        r = cut(x, low, high)
        return 0 < (x < r).sum() < len(x)

    hits = 0
    for _ in range(draws):
        r = cut(values, 0, 1)
        hits += splits(values[values < r], 0, r) and splits(values[values > r], r, 1)
    low, high = interval(hits, draws)
    assert low <= balance.two_levels(0, values, 0, 1, epsilon) <= high


@pytest.mark.parametrize("t", [0, 1, 2, 5])
@pytest.mark.parametrize("more", [0, 1, 4])
def test_traps_from_4t_plus_6_on(t, more):
    for n, epsilons in ((4 * t + 6 + more, (8.0,)), (5 * t + 6 + more, (0.001, 0.5, 8.0))):
        trap = balance.two_levels_trap(n, t)
        assert len(trap) == n and (np.diff(trap) >= 0).all()
        random = balance.two_levels(t, trap, 0, 1, 0)
        assert random > 0
        assert all(balance.two_levels(t, trap, 0, 1, e) < random for e in epsilons)


@pytest.mark.parametrize("epsilon", [0.001, 0.03, 1.0, 6.0])
@pytest.mark.parametrize("t", [1, 2, 5])
def test_the_trap_of_5t_plus_5_shows_at_each_budget(t, epsilon):
    """Its ratio is near to the limit 1 / cosh(epsilon/2)^2 of ever smaller gaps."""
    trap = balance.two_levels_trap(5 * t + 5, t, epsilon)
    random = balance.two_levels(t, trap, 0, 1, 0)
    lost = math.log(random / balance.two_levels(t, trap, 0, 1, epsilon))
    assert lost == pytest.approx(2 * math.log(math.cosh(epsilon / 2)), rel=0.1)


@pytest.mark.parametrize("epsilon", [0.9, 1.21, 1.23, 2.0])
def test_the_trap_of_fourteen_records(epsilon):
    """Its ratio tends to 4 z^3 / (1 + z^2)^2 with z = e^epsilon, below 1 from 1.2188 on."""
    trap, z = balance.two_levels_trap(14, 2), math.exp(epsilon)
    ratio = balance.two_levels(2, trap, 0, 1, epsilon) / balance.two_levels(2, trap, 0, 1, 0)
    assert ratio == pytest.approx(4 * z**3 / (1 + z**2) ** 2, rel=0.03)
    assert (ratio < 1) == (epsilon > 1.22)


@pytest.mark.parametrize("epsilon", [1e-4, 1e-3, 1e-2])
def test_traps_of_many_records(epsilon):
    t = 1500
    trap = balance.two_levels_trap(5 * t + 6, t)
    assert balance.two_levels(t, trap, 0, 1, epsilon) < balance.two_levels(t, trap, 0, 1, 0)


def test_budgets_that_are_safe():
    assert balance.two_levels_safe(14, 2) == pytest.approx(math.log((1 + math.sqrt(5)) / 2))
    assert balance.two_levels_safe(5, 0) == balance.two_levels_safe(13, 2) == math.inf
    assert balance.two_levels_safe(6, 0) == balance.two_levels_safe(15, 2) == 0
    for n, t in ((14, 2), (18, 3), (19, 3), (480, 99)):
        safe = balance.two_levels_safe(n, t)
        for epsilon, held in ((safe * 0.999, True), (safe * 1.001, False)):
            bound = (2 * math.log(math.cosh(epsilon * (t + 1) / 2))) / (5 * t + 5 - n)
            assert (epsilon >= bound) == held


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.sampled_from([1e-9, 1e-6, 1e-3, 1.0, 3.0, 0.0]), min_size=15, max_size=15),
    st.floats(0.001, 0.4812),
)
def test_no_trap_of_fourteen_records_at_small_budgets(gaps, epsilon):
    if sum(gaps) == 0:
        return
    places = np.cumsum(gaps) / sum(gaps)
    values = np.minimum(places[:-1], 1.0)
    random = balance.two_levels(2, values, 0, 1, 0)
    assert balance.two_levels(2, values, 0, 1, epsilon) >= random * (1 - 1e-9)


@settings(deadline=None, max_examples=80)
@given(st.lists(st.floats(0.001, 0.999), min_size=8, max_size=9), st.floats(0.01, 6))
def test_no_trap_up_to_4t_plus_5(values, epsilon):
    private = balance.two_levels(1, values, 0, 1, epsilon)
    assert private >= balance.two_levels(1, values, 0, 1, 0) * (1 - 1e-9)


def test_the_limit_of_the_trap():
    """Where n is at least 5t + 6 the chance is about e^{-epsilon} times the random one."""
    for n, t in ((6, 0), (11, 1)):
        trap = balance.two_levels_trap(n, t)
        ratio = balance.two_levels(t, trap, 0, 1, 1.0) / balance.two_levels(t, trap, 0, 1, 0)
        assert ratio == pytest.approx(math.exp(-1), rel=5e-3)


# Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: balance.split_law([2.0], 0, 1, 1.0), "values"),
        (lambda: balance.split_law([[0.5]], 0, 1, 1.0), "values"),
        (lambda: balance.split_law([0.5], 1, 1, 1.0), "lower < upper"),
        (lambda: balance.split_law([0.5], 0, math.inf, 1.0), "upper"),
        (lambda: balance.split_law([0.5], 0, 1, -1.0), "epsilon"),
        (lambda: balance.at_least(0.5, [0.5], 0, 1, 1.0), "t must"),
        (lambda: balance.central_range(2, [1, 2, 3, 4]), "t must"),
        (lambda: balance.published_bound(2, 1, 1.0), "spread"),
        (lambda: balance.more_than_bound(0, 0, 1.0), "width"),
        (lambda: balance.at_least_bound(0.5, 1, math.nan), "epsilon"),
        (lambda: balance.worst_more_than(3, 1, 0.5, 0, 1), "n must"),
        (lambda: balance.worst_at_least(4, 0, 0.5, 0, 1), "t must"),
        (lambda: balance.two_levels_trap(5, 0), "n must"),
        (lambda: balance.two_levels_trap(10, 1, 0.0), "epsilon"),
        (lambda: balance.two_levels_safe(-1, 0), "n must"),
    ],
)
def test_errors_name_the_argument(call, name):
    with pytest.raises(ValueError, match=name):
        call()
