"""Depths and empty leaves, against enumeration, fractions, quadrature and simulation."""

from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dplit import depth
from dplit.court import claims

ONE = Fraction(1)


@pytest.mark.parametrize(("s", "d"), [(1, 0), (1, 3), (2, 5), (3, 4), (4, 5), (5, 4), (6, 0)])
def test_law_of_untested_features_by_enumeration(s, d):
    """Every one of the s^d sequences of features, counted."""
    counts = np.bincount([s - len(set(path)) for path in product(range(s), repeat=d)], minlength=s + 1)
    law = depth.untested_features(s, d, ONE)
    assert list(law) == [Fraction(int(c), s**d) for c in counts]
    assert depth.untested_features(s, d) == pytest.approx(counts / s**d, abs=1e-15)
    assert depth.expected_untested(s, d) == pytest.approx(float(sum(x * p for x, p in enumerate(law))))


@pytest.mark.parametrize(("s", "r", "d"), [(2, 2, 3), (3, 2, 3), (1, 3, 4), (0, 3, 2), (2, 0, 4)])
def test_mixed_features_by_enumeration(s, r, d):
    """Every path of algorithm 2, with its probability: discrete features leave the urn."""

    def mean(urn, tested, left):
        if not left or not urn:
            return Fraction(s + r - len(tested))
        inner = (mean(urn if f < s else urn - {f}, tested | {f}, left - 1) for f in urn)
        return sum(inner) / len(urn)

    expected = mean(frozenset(range(s + r)), frozenset(), d)
    assert depth.expected_untested_mixed(s, r, d, ONE) == expected
    assert depth.expected_untested_mixed(s, r, d) == pytest.approx(float(expected))


def test_discrete_features_run_out():
    assert depth.expected_untested_mixed(0, 3, 7) == 0


@pytest.mark.parametrize("s", [*range(1, 41), 100, 1000])
def test_published_depth_is_the_smallest_below_half(s):
    d = depth.published_depth(s)
    mean = lambda d: s * Fraction(s - 1, s) ** d  # noqa: E731
    assert mean(d) < Fraction(s, 2) <= mean(d - 1)
    assert depth.table_depth(s) == d + 1


def test_discrete_features_add_half():
    assert [depth.published_depth(0, r) for r in range(5)] == [0, 1, 1, 2, 2]
    assert depth.table_depth(0, 22) == depth.published_depth(0, 22) == 11
    assert (depth.published_depth(6, 8), depth.table_depth(6, 8)) == (8, 9)


def test_table_4():
    """Typed in again from the paper: continuous, discrete, depth."""
    rows = "5 0 5,10 0 8,15 0 12,20 0 15,4 0 4,16 0 12,6 8 9,0 22 11,0 16 8,0 8 4".split(",")
    for s, r, printed in (map(int, row.split()) for row in rows):
        assert depth.table_depth(s, r) == printed == depth.published_depth(s, r) + (s > 0)


def empty_by_quadrature(n, d, rate):
    """Mean of (1 - exp(-rate G))^n, with G of the gamma law of shape d."""

    def integrand(g):
        density = g ** (d - 1) * mpmath.exp(-g) / mpmath.factorial(d - 1)
        return (1 - mpmath.exp(-rate * g)) ** n * density

    with mpmath.workdps(30):
        return float(mpmath.quad(integrand, [0, 1, 4, 12, 40, 120]))


@pytest.mark.parametrize("d", range(1, 6))
@pytest.mark.parametrize("n", [0, 1, 2, 7, 40])
def test_empty_leaves_by_quadrature(n, d):
    """The volume is exp(-G)."""
    assert depth.empty_leaves(n, d) == pytest.approx(empty_by_quadrature(n, d, 1), rel=1e-10)


def test_empty_leaves_by_nested_harmonic_sums():
    """a_2(n) = H_{n+1}/(n+1), and a million records at depth 20 are a fraction of a second."""
    n = np.array([0, 1, 10, 1000])
    harmonic = [float(mpmath.harmonic(int(k) + 1)) / (k + 1) for k in n]
    assert depth.empty_leaves(n, 2) == pytest.approx(harmonic, rel=1e-12)
    with mpmath.workdps(30):
        density = lambda g: g**19 * mpmath.exp(-g) / mpmath.factorial(19)  # noqa: E731
        ends = [0, 8, 11, 13, 14, 15, 17, 20, 30, 60, 150]
        exact = mpmath.quad(lambda g: (1 - mpmath.exp(-g)) ** 10**6 * density(g), ends)
    assert depth.empty_leaves(10**6, 20) == pytest.approx(float(exact), rel=1e-9)


def grow(points, box, depth_left, rng):
    """Leaves and empty leaves of one random tree over points in a box: algorithm 2, in plain Python."""
    if not depth_left:
        return 1, int(not len(points))
    j = rng.integers(box.shape[1])
    cut = rng.uniform(*box[:, j])
    left, right = box.copy(), box.copy()
    left[1, j] = right[0, j] = cut
    below = points[:, j] < cut
    a = grow(points[below], left, depth_left - 1, rng)
    b = grow(points[~below], right, depth_left - 1, rng)
    return a[0] + b[0], a[1] + b[1]


def test_empty_leaves_by_growing_trees():
    """The mean over 1000 trees is within five standard errors: a false alarm in 1.7 million."""
    rng = np.random.default_rng(7)
    box = np.array([[0.0] * 3, [1.0] * 3])
    n, d = 30, 4
    shares = []
    for _ in range(1000):
        leaves, empty = grow(rng.random((n, 3)), box, d, rng)
        assert leaves == 2**d
        shares.append(empty / leaves)
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    assert abs(np.mean(shares) - depth.empty_leaves(n, d)) < 5 * error


@pytest.mark.parametrize("d", range(1, 6))
@pytest.mark.parametrize("n", [0, 1, 2, 7, 40])
def test_empty_leaf_visited_by_quadrature(n, d):
    """Shares of density 2u: the volume is exp(-G/2)."""
    exact = empty_by_quadrature(n, d, mpmath.mpf(1) / 2)
    assert depth.empty_leaf_visited(n, d) == pytest.approx(exact, rel=1e-10)


def others(points, new, box, depth_left, rng):
    """How many of the points share the leaf of the new one: one path of algorithm 2, in plain Python."""
    for _ in range(depth_left):
        j = rng.integers(box.shape[1])
        cut = rng.uniform(*box[:, j])
        side = int(new[j] < cut)
        box[side, j] = cut
        points = points[(points[:, j] < cut) == side]
    return len(points)


def test_empty_leaf_visited_by_growing_paths():
    """3000 new records: the interval is at false-alarm rate 1e-9."""
    rng, draws, n, d = np.random.default_rng(3), 3000, 20, 5
    unit = np.array([[0.0] * 3, [1.0] * 3])
    empty = sum(not others(rng.random((n, 3)), rng.random(3), unit.copy(), d, rng) for _ in range(draws))
    low, high = claims.interval(empty, draws)
    assert low <= depth.empty_leaf_visited(n, d) <= high
    assert depth.empty_leaf_visited(np.array([n, 0]), d).tolist() == [depth.empty_leaf_visited(n, d), 1.0]


@pytest.mark.parametrize(("leaves", "n"), [(1, 0), (1, 3), (2, 3), (3, 4), (4, 2), (5, 3)])
def test_floors_by_enumeration(leaves, n):
    """Every placement of n records; uniform leaves attain both floors."""
    shares = [Fraction(leaves - len(set(p)), leaves) for p in product(range(leaves), repeat=n)]
    assert depth.empty_leaves_floor(n, leaves) == pytest.approx(float(min(shares)))
    assert depth.expected_empty_floor(n, leaves) == pytest.approx(float(sum(shares) / len(shares)))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any), st.integers(0, 50))
def test_expected_floor_holds_for_any_probabilities(weights, n):
    shares = np.array(weights) / sum(weights)
    assert np.mean((1 - shares) ** n) >= depth.expected_empty_floor(n, len(weights)) - 1e-12


def trees(levels, d):
    """Number of leaves and probability of every tree, one by one."""
    if d == 0:
        return [(1, ONE)]
    found = []
    for i, level in enumerate(levels):
        children = trees(levels[:i] + levels[i + 1 :], d - 1)
        for combination in product(children, repeat=level):
            p = ONE / len(levels)
            for _, q in combination:
                p *= q
            found.append((sum(leaves for leaves, _ in combination), p))
    return found


@pytest.mark.parametrize(("levels", "d"), [((2,), 1), ((2, 3), 1), ((3, 2, 2), 2), ((2, 4, 1), 2), ((5,), 0)])
def test_leaves_law_by_listing_trees(levels, d):
    law = depth.leaves_law(levels, d)
    exact = np.zeros(len(law))
    for leaves, p in trees(levels, d):
        exact[leaves] += float(p)
    assert law == pytest.approx(exact, abs=1e-14)


@pytest.mark.parametrize("d", range(5))
def test_mean_of_leaves_is_an_elementary_symmetric_polynomial(d):
    """E[L] = e_d(levels) / C(m, d); for Nursery, whose features' levels these are."""
    levels = (3, 5, 4, 4, 3, 2, 3, 3)
    e = np.poly1d([1])
    for level in levels:
        e = e * np.poly1d([level, 1])
    law = depth.leaves_law(levels, d)
    assert law @ np.arange(len(law)) == pytest.approx(e.coeffs[::-1][d] / comb(8, d))
    assert law.sum() == pytest.approx(1)


def test_a_returned_law_is_the_callers_own():
    depth.leaves_law((2, 2), 1)[:] = 0
    assert depth.leaves_law((2, 2), 1).sum() == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: depth.empty_leaf_visited(1.5, 2), "n must be whole numbers of at least 0, got 1.5"),
        (lambda: depth.empty_leaf_visited(3, -1), "depth must be an integer of at least 0, got -1"),
        (lambda: depth.untested_features(0, 3), "s must be an integer of at least 1, got 0"),
        (lambda: depth.untested_features(3, -1), "depth must be an integer of at least 0, got -1"),
        (lambda: depth.expected_untested(2.5, 1), "s must be an integer of at least 1, got 2.5"),
        (lambda: depth.published_depth(-1), "continuous must be an integer"),
        (lambda: depth.table_depth(3, 0.5), "discrete must be an integer"),
        (lambda: depth.empty_leaves(-1, 2), "n must be whole numbers of at least 0, got -1"),
        (lambda: depth.empty_leaves(2.5, 2), "n must be whole numbers of at least 0, got 2.5"),
        (lambda: depth.leaves_law((2, 2), 3), "depth must be at most the number of features, 2, got 3"),
        (lambda: depth.leaves_law((2, 0), 1), "levels must be an integer of at least 1, got 0"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
