"""Whole weights: sums against Python's integers, laws as fractions by following every random number."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from mpmath import mp, mpf
from numba import njit
from scipy.stats import chisquare

from dplit.mechanisms import PermuteAndFlip
from dplit.mechanisms import whole_weights as whole
from tests.mechanisms.test_exact import FALSE_ALARM

MODULE = "__import__('dplit.mechanisms.whole_weights', fromlist=['x'])"


@njit
def _compiled(n, rng):
    return rng.integers(0, n)


def number(pair):
    return int(pair[0]) * whole.BASE + int(pair[1])


def pair(value):
    return divmod(value, whole.BASE)


def test_a_weight_is_what_it_says_up_to_its_price():
    with mp.workprec(300):
        for distance in [*np.linspace(0, 70, 2001), 36.7, 37.0, 1e3, 2.0**80]:
            ideal = mpf(2) ** 92 * mp.exp(-mpf(float(distance))) + whole.FLOOR
            error = abs(mp.log(mpf(number(whole.weight(float(distance)))) / ideal))
            assert error < mpf(2) ** -39.9  # of the four in the docstring of the module


def test_the_price_covers_four_weights_and_four_means():
    assert 4 * (2.0**-39.9 + 2.0**-40) < whole.PRICE


@pytest.mark.parametrize("length", [1, 3, 2**31 - 1, 2**31, 2**32 - 1, 2**32])
def test_sums_and_quotients_are_those_of_whole_numbers(length):
    rng = np.random.default_rng(length)
    others = rng.integers(2**60, size=40).tolist()
    for weight in [whole.FLOOR, 2**62 - 1, 2**62, 2**92 + whole.FLOOR, *others]:
        start = int(rng.integers(2**62)) << int(rng.integers(60))
        total = number(whole.plus(*pair(start), length, *pair(weight)))
        assert total == start + length * weight
        assert number(whole.divided(*pair(total), length)) == total // length


@pytest.mark.parametrize("total", [5, 2**62 - 1, 2**62 + 7, 3 * 2**61, 2**125 - 1])
def test_a_number_below_is_uniform(total):
    rng = np.random.default_rng(0)
    drawn = [number(whole.uniform_below(*pair(total), rng)) for _ in range(20_000)]
    assert max(drawn) < total
    cells = np.bincount([d * 5 // total for d in drawn], minlength=5)
    shares = np.diff([-(-total * k // 5) for k in range(6)]) / total
    assert chisquare(cells, 20_000 * shares.astype(float)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("total", [3 << 30, 3 << 40, 3 << 60, 3 << 61, 3 << 70])
def test_every_number_below_is_equally_likely(total):
    """By what is left of a third, which a draw without rejection gets wrong; see `below`."""
    rng = np.random.default_rng(1)
    left = [number(whole.uniform_below(*pair(total), rng)) % 3 for _ in range(40_000)]
    assert chisquare(np.bincount(left, minlength=3)).pvalue > FALSE_ALARM


def test_what_numba_compiles_is_why():
    """If this fails, numba rejects now, and `below` can be ``rng.integers``."""
    rng, twin = np.random.default_rng(2), np.random.default_rng(2)
    n = 3 << 60
    drawn = [_compiled(n, rng) for _ in range(2000)]
    words = twin.integers(2**64, size=2000, dtype=np.uint64)
    assert drawn == [int(w) * n >> 64 for w in words]


@pytest.mark.parametrize("weights", [[3, 1, 2], [1, 0, 4], [7], [0, 5, 0]])
def test_a_place_has_the_share_of_its_weight_exactly(weights, followed):
    sums = list(accumulate(weights))
    draw = f"lambda rng: {MODULE}.draw_place([0] * {len(sums)}, {sums}, {len(sums)}, rng)"
    found, open_ = followed(draw, 3)
    law = {k: Fraction(w, sums[-1]) for k, w in enumerate(weights) if w}
    assert open_ == 0 and found == law


@pytest.mark.parametrize("weights", [[3, 1, 2], [2, 2], [5, 4, 1, 1]])
def test_permute_and_flip_of_whole_weights_is_the_rational_law(weights, followed):
    n = len(weights)
    draw = f"lambda rng: {MODULE}.flip_place([0] * {n}, {weights}, {n}, [0] * {n}, rng)"
    found, open_ = followed(draw, 2 * n)
    assert open_ == 0
    assert [found[k] for k in range(n)] == PermuteAndFlip.rational_law(weights)


def test_large_weights_are_drawn_by_both_their_parts():
    weights = [2**92, 2**91 + 2**61, 2**90, 2**40]
    sums = np.array([pair(s) for s in accumulate(weights)], dtype=np.int64).T.copy()
    rng, n = np.random.default_rng(1), 40_000
    drawn = np.bincount([whole.draw_place(*sums, 4, rng) for _ in range(n)], minlength=4)
    law = np.array(weights, dtype=float) / sum(weights)
    assert drawn[3] == 0 and chisquare(drawn[:3], n * law[:3]).pvalue > FALSE_ALARM
    pairs = np.array([pair(w) for w in weights], dtype=np.int64).T.copy()
    order = np.empty(4, dtype=np.int64)
    drawn = np.bincount([whole.flip_place(*pairs, 4, order, rng) for _ in range(n)], minlength=4)
    law = np.array(PermuteAndFlip.rational_law(weights), dtype=float)
    assert drawn[3] == 0 and chisquare(drawn[:3], n * law[:3]).pvalue > FALSE_ALARM


def test_low_parts_alone_decide_between_small_weights():
    """A weight of 1 and one of 3; a sound sampler fails once in a million seeds."""
    highs, lows = np.zeros(2, dtype=np.int64), np.array([1, 4])
    rng = np.random.default_rng(0)
    first = sum(whole.draw_place(highs, lows, 2, rng) == 0 for _ in range(2000))
    assert abs(first - 500) < 4.9 * (2000 * 3 / 16) ** 0.5
