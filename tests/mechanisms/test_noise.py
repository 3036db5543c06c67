"""Laplace and geometric noise: exact laws, tails, privacy and samplers."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from dplit.mechanisms import Geometric, Laplace

FALSE_ALARM = 1e-9  # of each statistical test below


@pytest.mark.parametrize("epsilon, sensitivity", [(0.1, 1.0), (1.0, 2.5), (30.0, 0.5)])
def test_laplace_is_that_of_scipy(epsilon, sensitivity):
    mechanism = Laplace(epsilon, sensitivity)
    reference = stats.laplace(scale=sensitivity / epsilon)
    noise = np.linspace(-10, 10, 101) * mechanism.scale
    np.testing.assert_allclose(mechanism.pdf(noise), reference.pdf(noise), rtol=1e-13)
    np.testing.assert_allclose(mechanism.cdf(noise), reference.cdf(noise), rtol=1e-13)
    np.testing.assert_allclose(mechanism.sf(noise), reference.sf(noise), rtol=1e-13)


@pytest.mark.parametrize("epsilon, sensitivity", [(0.1, 1), (1.0, 3), (5.0, 1)])
def test_geometric_is_that_of_scipy(epsilon, sensitivity):
    mechanism = Geometric(epsilon, sensitivity)
    reference = stats.dlaplace(epsilon / sensitivity)
    noise = np.arange(-60, 61)
    np.testing.assert_allclose(mechanism.pmf(noise), reference.pmf(noise), rtol=1e-12)
    np.testing.assert_allclose(mechanism.cdf(noise), reference.cdf(noise), rtol=1e-12)


@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 1.0, 40.0])
def test_geometric_against_high_precision(epsilon):
    mechanism = Geometric(epsilon)
    noise = np.array([-(10**6), -700, -3, -1, 0, 1, 2, 700, 10**6])
    with mpmath.workdps(700):
        a = mpmath.exp(-mpmath.mpf(epsilon))
        pmf = [(1 - a) / (1 + a) * a ** abs(int(z)) for z in noise]
        below = [a ** -int(z) / (1 + a) if z < 0 else 1 - a ** (int(z) + 1) / (1 + a) for z in noise]
        above = [1 - p for p in below]
    for found, exact in [(mechanism.pmf, pmf), (mechanism.cdf, below), (mechanism.sf, above)]:
        np.testing.assert_allclose(found(noise), np.array(exact, float), rtol=1e-11, atol=1e-320)


def test_the_geometric_law_adds_up():
    mechanism = Geometric(0.3, 2)
    noise = np.arange(-400, 401)
    assert mechanism.pmf(noise).sum() == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_allclose(np.cumsum(mechanism.pmf(noise)), mechanism.cdf(noise), atol=1e-14)
    np.testing.assert_allclose(mechanism.cdf(noise) + mechanism.sf(noise), 1.0, rtol=1e-15)


def test_geometric_between_the_integers():
    mechanism = Geometric(1.0)
    assert mechanism.pmf([0.5, -2.25]).tolist() == [0.0, 0.0]
    np.testing.assert_array_equal(mechanism.cdf([-1.5, -0.5, 0.5, 7.9]), mechanism.cdf([-2, -1, 0, 7]))
    assert mechanism.cdf([-np.inf, np.inf]).tolist() == [0.0, 1.0]


def test_infinite_epsilon_adds_no_noise():
    rng = np.random.default_rng(0)
    with np.errstate(all="raise", under="ignore"):
        assert Geometric(math.inf).pmf([-1, 0, 1]).tolist() == [0, 1, 0]
        assert Geometric(math.inf).cdf([-1, 0, 1]).tolist() == [0, 1, 1]
        assert Laplace(math.inf).cdf([-1e-9, 1e-9]).tolist() == [0, 1]
        assert Geometric(math.inf).sample([3, 4], rng=rng).tolist() == [3, 4]
        assert Laplace(math.inf).sample([3, 4], rng=rng).tolist() == [3, 4]
    with pytest.raises(ValueError, match="epsilon must be finite for a density, got inf"):
        Laplace(math.inf).pdf(0)


def test_tails_far_out():
    assert Laplace(1.0).sf(700) == pytest.approx(float(mpmath.exp(-700) / 2), rel=1e-13)
    assert Geometric(1.0).sf(699) == pytest.approx(float(mpmath.exp(-700) / (1 + mpmath.exp(-1))), rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_the_exact_privacy_loss_is_epsilon(epsilon):
    """Each released value, under two true values one sensitivity apart."""
    noise = np.arange(-50, 51)
    for mechanism in (Geometric(epsilon), Geometric(epsilon, 3)):
        move = mechanism.sensitivity
        loss = np.abs(np.log(mechanism.pmf(noise)) - np.log(mechanism.pmf(noise - move)))
        assert loss.max() == pytest.approx(epsilon, rel=1e-12)
        assert np.abs(np.log(mechanism.pmf(noise) / mechanism.pmf(noise - 1))).max() <= epsilon + 1e-12
    laplace = Laplace(epsilon, 2.0)
    values = np.linspace(-30, 30, 601)
    loss = np.abs(np.log(laplace.pdf(values)) - np.log(laplace.pdf(values - 2.0)))
    assert loss.max() == pytest.approx(epsilon, rel=1e-12)


def test_laplace_draws_follow_the_law():
    draws = Laplace(0.5, 2.0).sample(np.full(100_000, 7.0), rng=np.random.default_rng(0))
    assert stats.kstest(draws - 7, Laplace(0.5, 2.0).cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_geometric_draws_follow_the_law(epsilon):
    mechanism = Geometric(epsilon)
    draws = mechanism.sample(np.full(200_000, 7), rng=np.random.default_rng(0)) - 7
    reach = int(np.flatnonzero(200_000 * mechanism.pmf(np.arange(200)) > 20)[-1])
    cells = np.clip(draws, -reach - 1, reach + 1) + reach + 1
    inner = mechanism.pmf(np.arange(-reach, reach + 1))
    expected = 200_000 * np.r_[mechanism.sf(reach), inner, mechanism.sf(reach)]
    distance = ((np.bincount(cells, minlength=2 * reach + 3) - expected) ** 2 / expected).sum()
    assert distance < stats.chi2.isf(FALSE_ALARM, 2 * reach + 2)


@pytest.mark.parametrize("mechanism", [Laplace(1.0), Geometric(1.0)])
def test_shapes_and_seeds(mechanism):
    values = np.arange(6).reshape(2, 3)
    first, again = (mechanism.sample(values, rng=np.random.default_rng(3)) for _ in range(2))
    assert first.shape == (2, 3)
    np.testing.assert_array_equal(first, again)
    assert np.ndim(mechanism.sample(4, rng=np.random.default_rng(3))) == 0
    assert all(isinstance(law(0), float) for law in (mechanism.cdf, mechanism.sf))
    assert mechanism.sample(np.zeros(0, int), rng=np.random.default_rng(3)).shape == (0,)


def test_geometric_releases_integers():
    assert Geometric(1.0).sample([1, 2], rng=np.random.default_rng(0)).dtype == np.int64
    with pytest.raises(ValueError, match="values must be integers, got dtype float64"):
        Geometric(1.0).sample([1.0], rng=np.random.default_rng(0))


def test_errors_and_names():
    with pytest.raises(ValueError, match=r"sensitivity must be an integer of at least 1, got 0.5"):
        Geometric(1.0, 0.5)
    with pytest.raises(ValueError, match="sensitivity must be a positive finite number, got 0"):
        Laplace(1.0, 0)
    with pytest.raises(ValueError, match="epsilon must be a positive number, got -1"):
        Laplace(-1)
    with pytest.raises(TypeError, match=r"rng must be a numpy.random.Generator"):
        Laplace(1.0).sample(0.0, rng=np.random.RandomState(0))
    assert repr(Laplace(0.5)) == "Laplace(epsilon=0.5, sensitivity=1)"
    assert repr(Geometric(0.5, 2)) == "Geometric(epsilon=0.5, sensitivity=2)"
    assert Geometric(1.0).alpha == math.exp(-1)


@pytest.mark.parametrize("epsilon", [1.0, 1e-3, 1e-5])
def test_geometric_noise_of_a_small_rate_follows_its_law_to_the_last_digit(epsilon):
    """Deciles by the distribution function, and the values modulo 16; chi-square, 1e-9 each."""
    mechanism = Geometric(epsilon, 2**32)
    found = mechanism.sample(np.zeros(40_000, dtype=int), rng=np.random.default_rng(5))
    tenths = np.bincount((mechanism.cdf(found) * 10).astype(int).clip(0, 9), minlength=10)
    assert stats.chisquare(tenths).pvalue > 1e-9
    assert stats.chisquare(np.bincount(found % 16, minlength=16)).pvalue > 1e-9


def test_geometric_noise_of_a_tiny_rate_is_clipped_where_no_value_comes():
    values = np.array([0, 2**60, -(2**60)] * 1000)
    found = Geometric(1e-150).sample(values, rng=np.random.default_rng(6))
    assert set(found.tolist()) == {2**61, -(2**61)}
    assert abs((found > 0).mean() - 0.5) < 0.06
    with pytest.raises(ValueError, match="within"):
        Geometric(1.0).sample([2**60 + 1], rng=np.random.default_rng(0))
