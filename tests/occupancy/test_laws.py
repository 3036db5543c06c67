"""Leaf counts against laws in fractions, convolution, quadrature, and draws.

The references share no code with the module: laws are computed here in fractions for rational
e^-epsilon, the docket enumerates all trees, and the model's tail is integrated by mpmath.
Statistical tests use the ledger's interval, so that each raises a false alarm with probability at
most 1e-9.
"""

import math
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dplit import occupancy
from dplit.court import claims


@cache
def split(m, root):
    """Law of the left child in fractions; `root` is e^(-epsilon/2)."""
    weights = [root ** abs(m - 2 * j) for j in range(m + 1)]
    return [w / sum(weights) for w in weights]


@cache
def one_leaf(n, depth, root, right=False):
    """Law of the leftmost leaf, or of the rightmost one, in fractions."""
    law = [Fraction(0)] * n + [Fraction(1)]
    for _ in range(depth):
        parts = [[p * w for w in split(m, root)] for m, p in enumerate(law)]
        law = [sum(q[-1 - j if right else j] for q in parts[j:]) for j in range(n + 1)]
    return law


@cache
def all_leaves_hold(n, depth, root, least, most):
    """Probability that every leaf holds `least` to `most` records, in fractions."""
    if depth == 0:
        return Fraction(least <= n <= most)
    below = [all_leaves_hold(j, depth - 1, root, least, most) for j in range(n + 1)]
    return sum(p * left * right for p, left, right in zip(split(n, root), below, below[::-1]))


SETTINGS = [(n, d, root) for n in range(6) for d in (0, 1, 2) for root in (Fraction(1, 3), Fraction(4, 5))]
SETTINGS += [(4, 3, Fraction(1, 2)), (5, 3, Fraction(2, 3))]


def epsilon_of(root):
    return -2 * math.log(root)


@pytest.mark.parametrize(("n", "depth", "root"), SETTINGS)
def test_one_leaf_in_fractions(n, depth, root):
    epsilon, mean = epsilon_of(root), Fraction(n, 2**depth)
    for right in (False, True):
        exact = one_leaf(n, depth, root, right)
        law = occupancy.leaf_law(n, depth, epsilon)
        np.testing.assert_allclose(law, np.array(exact, float), rtol=1e-12)
    for t in [Fraction(i, 8) for i in range(0, 8 * n + 9, 3)]:
        one = sum(p for k, p in enumerate(exact) if abs(k - mean) >= t)
        assert occupancy.leaf_tail(t, n, depth, epsilon) == pytest.approx(float(one), rel=1e-12)


@pytest.mark.parametrize(("n", "depth", "root"), SETTINGS)
def test_the_worst_leaf_in_fractions(n, depth, root):
    epsilon, mean = epsilon_of(root), Fraction(n, 2**depth)
    for t in [Fraction(i, 8) for i in range(0, 8 * n + 9, 3)]:
        within = math.floor(mean - t) + 1, math.ceil(mean + t) - 1
        some = float(1 - all_leaves_hold(n, depth, root, *within))
        assert occupancy.any_leaf_tail(n, depth, epsilon, t) == pytest.approx(some, rel=1e-12)
    for least in range(n + 2):
        some = float(1 - all_leaves_hold(n, depth, root, least, n))
        assert occupancy.any_leaf_below(n, depth, epsilon, least) == pytest.approx(some, rel=1e-12)


@pytest.mark.deep
def test_the_worst_leaf_by_enumeration_of_all_trees():
    assert claims.of("occupancy")["diprime-v1/worst-leaf"].check("reader").verdict == "holds"


def test_a_million_records():
    """The window keeps the mean and agrees with the geometric noise convolved level by level."""
    n, depth, epsilon = 2**20, 8, 0.5
    law = occupancy.leaf_law(n, depth, epsilon)
    k = np.arange(n + 1)
    assert law.sum() == pytest.approx(1, abs=1e-12)
    assert law @ k == pytest.approx(n / 2**depth, rel=1e-12)
    np.testing.assert_allclose(law[4000:4097], law[4096:4193][::-1], rtol=1e-9)  # symmetric
    # Variance, level by level: geometric noise, and a fair coin of 1/2 at odd nodes.
    odd, spread = Fraction(0), 0.0
    for level in range(depth):
        above = occupancy.leaf_law(n, level, epsilon)
        odd = above[1::2].sum()
        spread = spread / 4 + 1 / (2 * math.sinh(epsilon / 2) ** 2) + odd / 4
    assert law @ (k - n / 2**depth) ** 2 == pytest.approx(spread, rel=1e-9)


def test_the_worst_leaf_of_a_million_records():
    """A million leaves at depth 20: below the sum of their tails, and near to independent leaves."""
    n, depth, epsilon = 10**6, 20, 0.5
    for t in (12.0, 16.0, 20.0):
        union = 2**depth * float(occupancy.leaf_tail(t, n, depth, epsilon))
        some = occupancy.any_leaf_tail(n, depth, epsilon, t)
        assert some < union
        assert some == pytest.approx(-math.expm1(-union), rel=0.01)


def test_the_ends():
    assert occupancy.leaf_law(0, 3, 1.0).tolist() == [1.0]
    assert occupancy.leaf_law(5, 0, 1.0).tolist() == [0, 0, 0, 0, 0, 1]
    assert occupancy.leaf_tail(0, 5, 2, 1.0) == 1.0
    assert occupancy.leaf_tail([5.0, 4.0], 5, 2, 1.0)[0] == 0.0
    assert occupancy.any_leaf_tail(7, 0, 1.0, 0.5) == 0.0


@pytest.mark.parametrize("depth", [1, 2, 5, 10])
@pytest.mark.parametrize("t", [0.5, 3.0, 8.0])
def test_the_models_tail_against_its_characteristic_function(depth, t):
    def integrand(u):
        return mpmath.sinc(u * t) * t * mpmath.fprod(1 / (1 + u**2 / 4**j) for j in range(depth))

    with mpmath.workdps(18):
        zeros = [k * mpmath.pi / t for k in range(20)]
        body = mpmath.quad(integrand, zeros)
        rest = mpmath.quadosc(integrand, [zeros[-1], mpmath.inf], omega=t)
        expected = float(1 - 2 / mpmath.pi * (body + rest))
    assert occupancy.model_tail(t / 0.7, depth, 0.7) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("depth", [1, 2, 6])
def test_the_weights_sum_to_one_and_give_the_variance(depth):
    weights = occupancy.laplace_weights(depth, Fraction(1))
    assert sum(weights) == 1
    variance = sum(2 * c / Fraction(4) ** j for j, c in enumerate(weights))
    assert float(variance) == pytest.approx(occupancy.gamma(depth), rel=1e-14)
    assert occupancy.model_tail(0.0, depth, 1.0) == pytest.approx(1)


def test_the_constant_stays_below_its_limit():
    limit = mpmath.nprod(lambda j: 1 / (1 - mpmath.mpf(4) ** -j), [1, mpmath.inf])
    constants = [occupancy.leading_constant(d) for d in range(1, 30)]
    assert constants == sorted(constants) and constants[0] == 1
    assert constants[-1] == pytest.approx(float(limit), rel=1e-12) and limit < 1.4524


def test_the_published_constants():
    w = mpmath.lambertw(-2 / mpmath.e**2)
    assert occupancy.BETA**2 == pytest.approx(0.757, abs=5e-4)
    assert occupancy.BETA**2 <= float(w.real) / 2 + 1  # so the moment bound of A.2.2 holds
    assert occupancy.gamma(1) == pytest.approx(2) and occupancy.gamma(2) == pytest.approx(2.5)
    assert occupancy.published_window() == pytest.approx((0.76, 3.61), abs=5e-3)
    turn = 2 * occupancy.BETA * occupancy.gamma(3) / 0.5  # both branches meet here
    assert occupancy.subexponential_bound(turn, 3, 0.5) == pytest.approx(
        2 * math.exp(-occupancy.BETA * 0.5 * turn / 2)
    )
    assert occupancy.chebyshev_bound(4.0, 1, 0.5) == pytest.approx(2 / 4)


@pytest.mark.parametrize("depth", [1, 2, 5, 12])
def test_chebyshev_is_the_tighter_inside_its_window_only(depth):
    low, high = occupancy.chebyshev_window(depth)
    unit = math.sqrt(occupancy.gamma(depth)) / 0.3
    for u, inside in ((low - 1e-6, 0), (low + 1e-6, 1), (3.61, 1), (high - 1e-6, 1), (high + 1e-6, 0)):
        t = u * unit
        tighter = occupancy.chebyshev_bound(t, depth, 0.3) < occupancy.subexponential_bound(t, depth, 0.3)
        assert tighter == bool(inside), u


@settings(max_examples=60, deadline=None)
@given(n=st.integers(0, 400), depth=st.integers(1, 6), epsilon=st.floats(0.02, 30), t=st.floats(0, 60))
def test_the_corrected_bound_holds(n, depth, epsilon, t):
    exact = occupancy.leaf_tail(t, n, depth, epsilon)
    assert exact <= occupancy.corrected_bound(t, n, depth, epsilon) * (1 + 1e-9) + 1e-33


@settings(max_examples=60, deadline=None)
@given(blocks=st.integers(1, 40), depth=st.integers(1, 6), epsilon=st.floats(0.02, 30), t=st.floats(0, 60))
def test_theorem_2_where_it_is_proved(blocks, depth, epsilon, t):
    exact = occupancy.leaf_tail(t, blocks * 2**depth, depth, epsilon) - 1e-33
    assert exact <= occupancy.divisible_bound(t, depth, epsilon) * (1 + 1e-9)
    assert exact <= occupancy.published_bound(t, depth, epsilon)
    rate = min(epsilon, occupancy.TURN)
    exact = occupancy.leaf_tail(t, blocks, depth, rate) - 1e-33
    assert exact <= occupancy.published_bound(t, depth, rate)


@pytest.mark.parametrize("depth", [1, 2, 7])
def test_the_moments_behind_the_divisible_bound(depth):
    """Second moment and mean cosh of the exact law, against the two numerators."""
    for epsilon in (0.3, 1.0, 4.0):
        n = 2**depth * 300
        off = np.arange(n + 1) - 300
        law, unit = occupancy.leaf_law(n, depth, epsilon), math.sinh(epsilon / 2)
        assert law @ off.astype(float) ** 2 <= (1 - 2.0**-depth) / unit**2 * (1 + 1e-9)
        s = occupancy.BETA * epsilon / 2
        ratio = (math.sinh(s / 2) / unit) ** 2
        seen = law > 0
        assert law[seen] @ (np.cosh(s * off[seen]) - 1) <= 2 * ratio / (1 - 2 * ratio)
        bound = float(occupancy.divisible_bound(2.4, depth, epsilon))
        sides = ((1 - 2.0**-depth) / (3 * unit) ** 2, ratio / (1 - 2 * ratio) / math.sinh(1.5 * s) ** 2)
        assert bound == pytest.approx(min(1, *sides))


def test_the_cells_of_the_proof():
    """The constant bounds corrected_bound inside a cell, and the proof ends soon after its turn."""
    for depth in (1, 2, 3, 9):
        for low, high in ((0.0, 0.1), (0.9, 1.0), (2.2, 2.26)):
            for epsilon in (max(low, 1e-3), (low + high) / 2, high):
                k = math.ceil(4 / epsilon)
                for n in (2**depth * 10 * k, 2**depth * 10 * k + 1):
                    exact = float(occupancy.corrected_bound(k, n, depth, epsilon))
                    rest = float(occupancy.corrected_bound(2 * k, n, depth - 1, epsilon))
                    rare, mean = rest / (1 + math.exp(epsilon)), n / 2**depth
                    off = [math.ceil(mean + k) - mean, mean - math.floor(mean - k)]
                    constant = 2 * (exact - rare) / sum(math.exp(-epsilon * x) for x in off)
                    most = occupancy.constant_at_most(depth, low, high)
                    assert constant <= most * (1 + 1e-8)
                    assert constant >= 0.9 * most or n % 2 == 0
    assert occupancy.proved_cells(occupancy.DEEPEST)
    assert not occupancy.proved_cells(occupancy.DEEPEST, high=2.3)
    assert all(left > right for left, right in occupancy.beyond_turn())


def test_the_corrected_bound_of_an_epsilon_beyond_the_exponents_is_its_limit():
    """No noise: of six records each side has three; of seven either has one more, by a fair coin."""
    t = np.array([0.5, 1.0, 3.0])
    for epsilon in (800.0, 1e150):
        for n, limit in ((6, [0, 0, 0]), (7, [1, 0, 0])):
            bound = occupancy.corrected_bound(t, n, 1, epsilon)
            np.testing.assert_allclose(bound, limit, atol=1e-300)


@pytest.mark.parametrize("n", [1000, 1001])
def test_the_corrected_bound_is_exact_for_one_split(n):
    t = np.arange(1, 40) / 2
    exact = occupancy.leaf_tail(t, n, 1, 0.5)
    np.testing.assert_allclose(occupancy.corrected_bound(t, n, 1, 0.5), exact, rtol=1e-9)


@pytest.mark.parametrize(("n", "t"), [(8, 1), (9, 0.5), (11, 2.3), (30, 4)])
def test_the_corrected_bound_written_out_for_two_splits(n, t):
    """By moments summed over the noise, and the bound of one split at 2t for the rare case."""
    epsilon, mean = 0.4, n / 4
    noise = np.arange(-2000, 2001)
    moment = np.exp(noise * 0.2 - np.abs(noise) * epsilon).sum() / np.exp(-np.abs(noise) * epsilon).sum()
    moment *= (math.exp(0.1) + math.exp(-0.1)) / 2 if n % 2 else 1
    whole = [k for k in range(n + 1) if abs(k - mean) >= t]
    over, under = (min(k for k in whole if k > mean), max((k for k in whole if k < mean), default=None))
    sides = math.exp(-epsilon * (over - mean))
    sides += 0 if under is None else math.exp(-epsilon * (mean - under))
    rare = occupancy.corrected_bound(2 * t, n, 1, epsilon) / (1 + math.exp(epsilon))
    expected = min(1, math.exp(epsilon / 2) / 2 * moment * sides + rare)
    assert occupancy.corrected_bound(t, n, 2, epsilon) == pytest.approx(expected, rel=1e-12)


def routed(values, depth, root):
    """Law of the leftmost and the rightmost leaf on a column, cut by cut and record by record."""
    laws = []
    for last in (False, True):
        nodes = {tuple(sorted(values)): Fraction(1)}
        for _ in range(depth):
            below = {}
            for node, p in nodes.items():
                for j, weight in enumerate(split(len(node), root)):
                    cut = "" if j == 0 else node[j - 1]  # any value up to the next record's
                    child = tuple(v for v in node if (v > cut) == last)
                    below[child] = below.get(child, 0) + p * weight
            nodes = below
        laws.append([sum(p for node, p in nodes.items() if len(node) == k) for k in range(len(values) + 1)])
    return laws


@pytest.mark.parametrize("values", ["a", "aaaa", "abbb", "aabbc", "abcdef", "aaaabcccd"])
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_leaves_of_equal_records_in_fractions(values, depth):
    root = Fraction(2, 3)
    blocks = [values.count(v) for v in sorted(set(values))]
    laws = occupancy.tied_leaf_laws(blocks, depth, epsilon_of(root))
    exact = np.array(routed(values, depth, root), float)
    np.testing.assert_allclose(laws[[0, -1]], exact, rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(laws.sum(axis=1), 1, rtol=1e-12)
    assert laws.sum(axis=0) @ np.arange(len(values) + 1) == pytest.approx(len(values))
    mean = len(values) / 2**depth
    for t in (0.5, 1.0, 2.5):
        tails = occupancy.tied_leaf_tail(t, blocks, depth, epsilon_of(root))
        off = np.abs(np.arange(len(values) + 1) - mean) >= t
        np.testing.assert_allclose(tails[[0, -1]], exact[:, off].sum(axis=1), rtol=1e-11, atol=0)


def test_distinct_values_have_the_law_of_a_leaf():
    for law in occupancy.tied_leaf_laws([1] * 200, 3, 0.4):
        np.testing.assert_allclose(law, occupancy.leaf_law(200, 3, 0.4), rtol=1e-9, atol=1e-30)


def test_the_bound_for_every_column_written_out():
    """The geometric series of the bounds of all levels, moments by sums over the noise."""
    epsilon, depth, most, t = 0.7, 3, 4, 12.0
    noise = np.arange(-800, 801)
    chance = np.exp(-np.abs(noise) * epsilon)
    factor = math.exp(epsilon / 2) / 2
    for level in (1, 2):
        s = epsilon / 2**level
        factor *= (np.exp(s * noise) @ chance) / chance.sum() * math.cosh(s / 2)
    left = t - (most - 1) * (1 + 1 / 2 + 1 / 4)
    series = sum(math.exp(-(i + 1) * epsilon * left) / (1 + math.exp(epsilon)) ** i for i in range(60))
    expected = 2 * factor * series
    assert expected < 1
    assert occupancy.tied_bound(t, most, depth, epsilon) == pytest.approx(expected, rel=1e-12)
    assert occupancy.tied_bound([3.0, 5.25], most, depth, epsilon).tolist() == [1.0, 1.0]


def test_the_line_is_above_the_recursion():
    for depth, epsilon in ((1, 0.3), (3, 1.0), (5, 3.0)):
        t = np.arange(1, 60) / 4
        bound = occupancy.corrected_bound(t, 2001, depth, epsilon)
        assert (bound <= occupancy.tied_bound(t, 1, depth, epsilon) * (1 + 1e-12)).all()


@pytest.mark.parametrize("n", [1, 3, 5, 101])
def test_an_odd_root_breaks_theorem_2_from_the_square_root_of_eight(n):
    for epsilon, broken in ((math.sqrt(8) * 0.999, False), (math.sqrt(8) * 1.001, True)):
        t = np.arange(1, n + 1, 2) / 2
        exact = occupancy.leaf_tail(t, n, 1, epsilon)
        assert (exact > occupancy.published_bound(t, 1, epsilon)).any() == broken


def test_draws_follow_the_law_of_a_split():
    rng, draws = np.random.default_rng(5), 20_000
    for m, root in ((0, Fraction(1, 2)), (1, Fraction(1, 2)), (6, Fraction(2, 3)), (7, Fraction(9, 10))):
        ranks = occupancy.draw_rank(np.full(draws, m), epsilon_of(root), rng=rng)
        for j, p in enumerate(split(m, root)):
            low, high = claims.interval(int((ranks == j).sum()), draws)
            assert low <= p <= high, (m, j)


def test_simulated_trees_keep_every_record():
    drawn = occupancy.simulate(1001, 4, 0.2, 50, rng=np.random.default_rng(2))
    assert drawn.shape == (50, 16) and (drawn >= 0).all() and (drawn.sum(axis=1) == 1001).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: occupancy.leaf_law(-1, 2, 1.0), "n must be an integer of at least 0, got -1"),
        (lambda: occupancy.leaf_law(4, 2, 0.0), "epsilon must be a positive finite number, got 0.0"),
        (lambda: occupancy.model_tail(-1.0, 2, 1.0), "t must be at least 0, got -1"),
        (lambda: occupancy.any_leaf_below(4, 2, 1.0, 0.5), "least must be an integer"),
        (lambda: occupancy.tied_leaf_laws([2, 0], 2, 1.0), "multiplicities must be whole numbers of at"),
        (lambda: occupancy.tied_bound(1.0, 0, 2, 1.0), "most must be an integer of at least 1"),
        (lambda: occupancy.divisible_bound(1.0, 0, 1.0), "depth must be an integer of at least 1"),
        (lambda: occupancy.proved_cells(0), "depth must be an integer of at least 1, got 0"),
        (lambda: occupancy.gamma(0), "depth must be an integer of at least 1, got 0"),
        (lambda: occupancy.corrected_bound(float("nan"), 4, 2, 1.0), "t must be at least 0, got nan"),
    ],
)
def test_errors_name_what_would_be_right(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_draws_need_a_generator():
    with pytest.raises(TypeError, match="rng must be a numpy"):
        occupancy.simulate(4, 1, 1.0, rng=1)
