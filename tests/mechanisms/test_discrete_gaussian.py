"""Discrete Gaussian noise: its law, its sampler, and what it costs."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import opendp.prelude as opendp
import pytest
from scipy import stats

from dplit.mechanisms import DiscreteGaussian, exact_gaussian
from dplit.mechanisms.secure import secure_generator
from tests.mechanisms.test_exact import brackets


@pytest.mark.parametrize("sigma", [0.2, 1.0, 9.99, 10.01, 300.0])
def test_the_law_against_high_precision(sigma):
    noise = np.array([-200, -7, -1, 0, 1, 2, 30, 900])
    with mpmath.workdps(60):
        weights = [mpmath.exp(-(mpmath.mpf(int(z)) ** 2) / (2 * mpmath.mpf(sigma) ** 2)) for z in noise]
        total = mpmath.jtheta(3, 0, mpmath.exp(-1 / (2 * mpmath.mpf(sigma) ** 2)))
        expected = [float(w / total) for w in weights]
    np.testing.assert_allclose(DiscreteGaussian(sigma).pmf(noise), expected, rtol=1e-12, atol=1e-300)
    assert DiscreteGaussian(sigma).pmf(0.5) == 0


@pytest.mark.parametrize("rng", [np.random.default_rng(1), secure_generator()], ids=["simulated", "exact"])
@pytest.mark.parametrize("sigma", [0.4, 0.8, 3.0, 1000.0])
def test_draws_have_the_law(sigma, rng):
    law = DiscreteGaussian(sigma)
    drawn = law.sample(np.full(100_000, 5), rng=rng) - 5
    edge = np.floor(np.linspace(-3, 3, 13) * sigma) + 0.5
    places = np.arange(-int(10 * sigma) - 9, int(10 * sigma) + 10)
    cells = np.searchsorted(edge, places)
    expected = np.bincount(cells, law.pmf(places), minlength=14)
    seen = np.bincount(np.searchsorted(edge, drawn), minlength=14)
    full = expected > 1e-4
    total = 100_000 * expected[full] / expected[full].sum()
    assert stats.chisquare(seen[full], total * seen[full].sum() / total.sum()).pvalue > 1e-6


# Exact draws -------------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [2.0**-100, 0.1, 0.49, 1.0, 7.7, 1e5, 3.3e9, 2.0**50])
def test_the_factors_make_the_law_of_a_deviation_that_is_hardly_larger(sigma):
    f, h = exact_gaussian.exact_factors(sigma)
    half = 1 / (2 * Fraction(sigma) ** 2)
    assert half * (1 - Fraction(1, 2**24)) < Fraction(f) <= half * (1 - Fraction(1, 2**50))
    assert Fraction(f * h) == Fraction(f) * h
    assert h == 1 or abs(h - 2 * sigma) <= max(0.5, 2.0**-24 * sigma)


def test_small_noise_follows_the_gaussian(followed):
    module = "__import__('dplit.mechanisms.exact_gaussian', fromlist=['x'])"
    found, open_ = followed(f"lambda rng: {module}.gaussian(1.0, 1, 1, rng)[0]", 15)
    assert open_ < Fraction(1, 4)
    total = mpmath.jtheta(3, 0, mpmath.exp(-1))
    for k in range(-2, 3):
        assert brackets(found, open_, k, mpmath.exp(-(k**2)) / total)


@pytest.mark.parametrize(("first", "second"), [(3, 4), (2**26 + 1, 2**26), (2**40, 2**40 + 1)])
def test_a_product_of_large_numbers_is_an_exponent(first, second):
    f, rng, n = 2.0 ** round(-math.log2(first * second)), np.random.default_rng(2), 40_000
    kept = sum(exact_gaussian._keeps(f, first, second, rng) for _ in range(n))
    chance = math.exp(-f * first * second)
    assert 0.5e-6 < stats.binom.cdf(kept, n, chance) < 1 - 0.5e-6


@pytest.mark.parametrize("sigma", [1e7, 1e12, 2.0**50])
def test_exact_noise_of_a_large_deviation_is_normal(sigma):
    drawn = DiscreteGaussian(sigma).sample(np.zeros(20_000, dtype=int), rng=secure_generator())
    assert stats.kstest(drawn / sigma, "norm").pvalue > 1e-6


def test_exact_noise_has_a_range_of_deviations():
    for sigma in (2.0**-101, 2.0**51):
        with pytest.raises(ValueError, match=r"^sigma must be from .* for noise='secure', got"):
            DiscreteGaussian(sigma).sample([1], rng=secure_generator())


@pytest.mark.parametrize("sigma, shift", [(0.5, 1), (2.0, 3), (20.0, 7)])
def test_the_divergence_is_that_of_its_rho(sigma, shift):
    """Rényi's divergence of every order is at most alpha rho, and nearly meets it."""
    law, places = DiscreteGaussian(sigma), np.arange(-int(60 * sigma) - 60, int(60 * sigma) + 60)
    log = -np.square(places / sigma) / 2
    other = -np.square((places - shift) / sigma) / 2
    total = math.log(np.exp(log).sum())
    np.testing.assert_allclose(law.pmf(places), np.exp(log - total), rtol=1e-11, atol=1e-300)
    for order in (1.5, 2.0, 7.0):
        moment = np.exp(order * log - (order - 1) * other - total)
        divergence = math.log(moment.sum()) / (order - 1)
        limit = order * shift**2 / (2 * sigma**2)
        assert 0.5 * limit < divergence <= limit * (1 + 1e-9)


def test_errors_name_what_is_wrong():
    with pytest.raises(ValueError, match=r"^sigma must be a positive finite number, got 0"):
        DiscreteGaussian(0)
    with pytest.raises(ValueError, match=r"^values must be integers, got dtype float64"):
        DiscreteGaussian(1.0).sample([0.5], rng=np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"^rng must be"):
        DiscreteGaussian(1.0).sample([1], rng=3)


def test_repr():
    assert repr(DiscreteGaussian(2.5)) == "DiscreteGaussian(sigma=2.5)"


@pytest.mark.parametrize("sigma", [0.6, 4.0])
def test_opendp_draws_the_same_law(sigma):
    """Chi-square of both samples against the law, by pieces of half a deviation or a whole number."""
    opendp.enable_features("contrib")
    space = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.l2_distance(T="i64")
    judge = opendp.m.make_gaussian(*space, scale=sigma)
    law, zeros = DiscreteGaussian(sigma), np.zeros(10_000, dtype=int)
    reach = round(2.5 * sigma)
    inside = np.arange(-reach, reach + 1)
    expected = np.append(law.pmf(inside), 1 - law.pmf(inside).sum())
    for noise in (law.sample(zeros, rng=secure_generator()), np.array(judge(zeros.tolist()))):
        seen = np.append([(noise == k).sum() for k in inside], (abs(noise) > reach).sum())
        assert stats.chisquare(seen, len(zeros) * expected).pvalue > 1e-6
