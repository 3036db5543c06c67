"""Exact samplers: their laws as fractions, by following every random word, and by draws."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.stats import binom, chisquare

from dplit.mechanisms import Exponential, Geometric, PermuteAndFlip, exact

FALSE_ALARM = 1e-6  # of each statistical check


def brackets(found, open_, outcome, probability):
    """Whether the law allows that probability, within what is open."""
    mass = found.get(outcome, Fraction(0))
    low, high = (mpf(m.numerator) / m.denominator for m in (mass, mass + open_))
    return low <= probability <= high


@pytest.mark.parametrize("p", [0.0, 0.25, 0.3125, 0.75, 1.0])
def test_a_coin_has_its_bias_exactly(p, followed):
    found, open_ = followed(f"lambda rng: exact.bernoulli({p}, rng)", 12)
    assert open_ == 0 and found.get(1, 0) == Fraction(p)


@pytest.mark.parametrize("x", [0.0, 0.25, 0.5, 0.8125, 1.0, 2.5])
def test_exponential_coins_follow_the_exponential(x, followed):
    found, open_ = followed(f"lambda rng: exact.bernoulli_exp({x}, rng)", 13)
    assert open_ < Fraction(1, 50)
    assert brackets(found, open_, 1, mp.exp(-mpf(x)))


@pytest.mark.parametrize(("rate", "gap"), [(0.5, 0), (0.5, 1), (0.25, 3), (0.5, 5)])
def test_a_gap_multiplies_the_rate(rate, gap, followed):
    found, open_ = followed(f"lambda rng: exact.bernoulli_exp_times({rate}, {gap}, rng)", 13)
    assert open_ < Fraction(1, 50)
    assert brackets(found, open_, 1, mp.exp(-mpf(rate) * gap))


@pytest.mark.parametrize("rate", [2.0, 0.5, 0.25])
def test_a_geometric_number_has_its_law(rate, followed):
    found, open_ = followed(f"lambda rng: exact.geometric({rate}, rng)", 13)
    assert open_ < Fraction(1, 4)
    left = 1 - mp.exp(-mpf(rate))
    assert all(brackets(found, open_, k, left * mp.exp(-mpf(rate) * k)) for k in range(12))


def test_two_sided_noise_has_its_law(followed):
    found, open_ = followed("lambda rng: exact.two_sided(1.0, 1, rng)[0]", 13)
    assert open_ < Fraction(1, 4)
    middle = mp.tanh(mpf(1) / 2)
    assert all(brackets(found, open_, k, middle * mp.exp(-abs(k))) for k in range(-6, 7))


def test_the_exponential_mechanism_is_the_rational_law(followed):
    draw = "lambda rng: exact.exponential(0.5, __import__('numpy').array([2, 1, 2, 0]), rng)"
    found, open_ = followed(draw, 11)
    assert open_ < Fraction(1, 5)
    law = Exponential(1.0).pmf([2.0, 1.0, 2.0, 0.0])
    assert all(brackets(found, open_, i, mpf(p)) for i, p in enumerate(law))


def test_permute_and_flip_is_the_rational_law(followed):
    draw = "lambda rng: exact.permute_and_flip(0.5, __import__('numpy').array([2, 1, 2]), [0] * 3, rng)"
    found, open_ = followed(draw, 13)
    assert open_ < Fraction(1, 20)
    law = PermuteAndFlip(1.0).pmf([2.0, 1.0, 2.0])
    assert all(brackets(found, open_, i, mpf(p)) for i, p in enumerate(law))


PRODUCTS = """
import random
from fractions import Fraction
from dplit.mechanisms import exact
asked = []
exact.bernoulli_exp = lambda x, rng: asked.append(Fraction(x)) is None
random.seed(0)
for _ in range(500):
    rate = random.uniform(0.5, 1) * 2.0 ** random.randint(-300, 300)
    gap = random.getrandbits(random.randint(1, 62))
    asked.clear()
    assert exact.bernoulli_exp_times(rate, gap, None) and sum(asked) == Fraction(rate) * gap, (rate, gap)
"""


def test_no_product_of_a_rate_and_a_gap_is_rounded():
    subprocess.run([sys.executable, "-c", PRODUCTS], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)


@pytest.mark.parametrize("rate", [2.0, 0.3, 0.01])
def test_two_sided_noise_has_the_geometric_law(rate):
    drawn = exact.two_sided(rate, 40_000, np.random.default_rng(0))
    law, reach = Geometric(rate), round(3 / rate)
    inside = np.arange(-reach, reach + 1)
    counts = [(drawn < -reach).sum(), *((drawn == k).sum() for k in inside), (drawn > reach).sum()]
    expected = [law.cdf(-reach - 1), *law.pmf(inside), law.sf(reach)]
    assert chisquare(counts, 40_000 * np.array(expected)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("rate", [1e-12, 2.0**-61])
def test_noise_of_a_small_rate_is_spread_as_it_should_be(rate):
    drawn = np.array([exact.geometric(rate, rng) for rng in [np.random.default_rng(1)] * 4000])
    middle = np.log(2) / rate
    assert FALSE_ALARM / 2 < binom.cdf((drawn < middle).sum(), 4000, 0.5) < 1 - FALSE_ALARM / 2
    far = (drawn == 2**62).sum()
    chance = np.exp(-rate * 2.0**62)
    assert far == 0 if chance < 1e-30 else abs(far / 4000 - chance) < 5 * np.sqrt(chance / 4000)


def test_far_candidates_are_reported_as_often_as_they_should_be():
    scores = np.array([1_000_000_007, 1_000_000_005, 1_000_000_000, 7])
    rng, order, n = np.random.default_rng(2), np.empty(4, dtype=np.int64), 20_000
    drawn = np.bincount([exact.permute_and_flip(0.25, scores, order, rng) for _ in range(n)], minlength=4)
    law = PermuteAndFlip(0.5).pmf(scores - scores.max())
    assert drawn[3] == 0 and chisquare(drawn[:3], n * law[:3] / law[:3].sum()).pvalue > FALSE_ALARM
