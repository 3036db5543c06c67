"""Exact noise on which trees agree: its law by enumeration, its counts in whole numbers, OpenDP for one tree.

Each statistical check rejects a true law with probability 1e-6.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest
from scipy.stats import chisquare

from dplit import matrix
from dplit.matrix.exact_treenorm import subset, whole_noise
from dplit.mechanisms import Geometric
from dplit.mechanisms.secure import secure_generator

FALSE_ALARM = 1e-6
dp.enable_features("contrib")


def drawn(sizes, rate, size):
    return whole_noise(np.array(sizes), rate, size, secure_generator())


def norms(noise, sizes):
    return np.add.reduceat(abs(noise), np.cumsum(sizes) - sizes, axis=-1).max(axis=-1)


def agreeing(sizes, most):
    """All points whose trees agree, of norm up to `most`."""
    each = []
    for m in sizes:
        by_sum = {}
        for point in itertools.product(range(-most, most + 1), repeat=m):
            if sum(map(abs, point)) <= most:
                by_sum.setdefault(sum(point), []).append(point)
        each.append(by_sum)
    for total in range(-most, most + 1):
        yield from itertools.product(*(by_sum.get(total, []) for by_sum in each))


def fits(noise, sizes, rate, most):
    """p-value of the points of norm up to `most`, of their law given that; rare ones together."""
    law = {
        sum(point, ()): math.exp(-rate * max(sum(map(abs, tree)) for tree in point))
        for point in agreeing(sizes, most)
    }
    seen = Counter(map(tuple, noise[norms(noise, sizes) <= most].tolist()))
    assert set(seen) <= set(law)
    expected = np.array(list(law.values())) / sum(law.values()) * seen.total()
    counts, rare = np.array([seen[point] for point in law]), expected < 10
    pairs = [np.append(a[~rare], a[rare].sum()) for a in (counts, expected)]
    return chisquare(*(p if rare.any() else p[:-1] for p in pairs)).pvalue


@pytest.mark.parametrize(
    ("sizes", "rate", "most"),
    [([3, 2], 0.6, 8), ([2, 2, 2], 0.5, 7), ([1, 3], 0.4, 9), ([1], 0.5, 20), ([4], 0.9, 8)],
)
def test_noise_has_the_law_of_the_norm(sizes, rate, most):
    noise = drawn(sizes, rate, 60_000)
    starts = np.cumsum(sizes) - sizes
    assert np.ptp(np.add.reduceat(noise, starts, axis=1), axis=1).max() == 0
    assert fits(noise, sizes, rate, most) > FALSE_ALARM


def test_another_rate_is_noticed():
    assert fits(drawn([3, 2], 0.8, 60_000), [3, 2], 0.6, 8) < FALSE_ALARM


def ways(m, s, most):
    """F_m(s, Q) as the module states it."""
    return sum(
        math.comb(s + r, r) * math.comb(m, n) * math.comb(m - 2 - r, m - 1 - r - n) * math.comb(most + i, i + n)
        if m - 1 - r
        else math.comb(s + r, r) * (n == 0)
        for r in range(m)
        for n in range(m - r)
        for i in [m - 1 - r - n]
        if i <= m - 2 - r or m - 1 == r
    )


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_ways_are_counted_rightly(m):
    for s, most in itertools.product(range(5), range(4)):
        reach = s + 2 * most
        points = itertools.product(range(-reach, reach + 1), repeat=m)
        counted = sum(sum(p) == s and sum(map(abs, p)) <= reach + 1 for p in points)
        assert ways(m, s, most) == counted


def test_what_is_kept_has_the_odds_of_the_bound():
    """Of three trees: uniform R, places and coins, against the terms of the bound, as fractions."""
    sizes, half = [4, 2, 3], Fraction(2, 5)  # for (1 + e^-a)/2
    places = sum(sizes) - len(sizes)
    found, bound = {}, {}
    for rising in itertools.product(*(range(m) for m in sizes)):
        R = sum(rising)
        falling = [m - 1 - r for m, r in zip(sizes, rising)]
        p = Fraction(1, (places + 1) * math.comb(places, R)) * half**R
        for m, r in zip(sizes, rising):
            p *= math.comb(m - 1, r)
            for i in range(1, r + 1):
                p *= Fraction(2 * m - 2 * i, 2 * m - 1 - i)
        odds = Fraction(math.factorial(R) * math.factorial(places - R)) * (half * 2) ** R
        for m, r, k in zip(sizes, rising, falling):
            odds *= Fraction(math.comb(m + k - 1, k), math.factorial(r) * math.factorial(k))
        found[rising], bound[rising] = p, odds
    ratios = {found[key] / bound[key] for key in found}
    assert len(ratios) == 1 and len(found) == 24


def test_one_tree_has_geometric_noise_ours_and_the_judges():
    rate, n = 0.5, 20_000
    law, inside = Geometric(rate), np.arange(-9, 10)
    expected = [law.cdf(-10), *law.pmf(inside), law.sf(9)]
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    judge = dp.m.make_laplace(*space, scale=1 / rate)
    for noise in (drawn([3], rate, n // 3).ravel(), np.array(judge([0] * n))):
        seen = np.bincount(np.clip(noise, -10, 10) + 10, minlength=21)
        assert chisquare(seen, len(noise) * np.array(expected)).pvalue > FALSE_ALARM


def test_small_steps_have_the_variances_of_the_reals():
    sizes, n = [4, 7, 2, 1], 6000
    noise = matrix.TreeNorm(sizes, epsilon=0.8)
    exact = noise.sample_exactly(n, rng=secure_generator()) / 2.0**noise.bits
    # a standard deviation of a square is below 3 variances: five of the mean's are 0.2
    assert exact.var(axis=0) == pytest.approx(noise.variances, rel=0.2)
    assert exact[:, :4].sum(axis=1).var() == pytest.approx(noise.total_variance, rel=0.2)


def test_a_set_of_numbers_is_uniform():
    rng, room = secure_generator(), np.empty(3, dtype=np.int64)
    seen = Counter(tuple(subset(3, 5, room, rng).tolist()) for _ in range(5000))
    assert set(seen) == set(itertools.combinations(range(1, 6), 3))
    assert chisquare(list(seen.values())).pvalue > FALSE_ALARM


@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 1.0, 1e3, 1e200])
def test_noise_of_every_size_is_of_whole_numbers(epsilon):
    noise = matrix.TreeNorm([5, 5, 9], epsilon)
    found = noise.sample_exactly(20, rng=secure_generator())
    assert found.dtype == np.int64 and 0 <= noise.bits <= 30
    scale = max(noise.scale * 2**noise.bits, 2**16)
    assert 0.2 * scale < norms(found, [5, 5, 9]).mean() / noise.dimension < 5 * scale


def test_the_ends_of_epsilon():
    none = matrix.TreeNorm([2, 3], math.inf).sample_exactly(4, rng=secure_generator())
    assert not none.any() and none.shape == (4, 5)
    with pytest.raises(ValueError, match=r"^epsilon must be at least 4\.55e-13 for noise='secure'"):
        matrix.TreeNorm([2, 3], 1e-13).sample_exactly(1, rng=secure_generator())
