"""The exponential mechanism: its law at high precision, and its privacy."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.special import expit

from dplit.mechanisms import Exponential
from dplit.mechanisms.exponential import sample_index


@pytest.mark.parametrize("k", [1, 2, 17, 1000])
@pytest.mark.parametrize("spread", [0.0, 1.0, 900.0])
def test_the_law_against_high_precision(k, spread):
    scores = spread * np.random.default_rng(k).random(k)
    mechanism = Exponential(1.5, sensitivity=2.0)
    with mpmath.workdps(50):
        weights = [mpmath.exp(mpmath.mpf(float(s)) * 3 / 8) for s in scores]
        exact = [mpmath.log(w / mpmath.fsum(weights)) for w in weights]
    np.testing.assert_allclose(mechanism.logpmf(scores), np.array(exact, float), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(mechanism.pmf(scores), [float(mpmath.exp(p)) for p in exact], rtol=1e-12, atol=0)


def test_two_candidates_are_a_logistic_curve():
    gaps = np.linspace(-20, 20, 81)
    law = Exponential(2.0).pmf(np.stack([gaps, np.zeros_like(gaps)], axis=-1))
    np.testing.assert_allclose(law[:, 0], expit(gaps), rtol=1e-13)


def test_the_rational_law():
    assert Exponential.rational_law([1, 2, Fraction(1, 2)]) == [Fraction(2, 7), Fraction(4, 7), Fraction(1, 7)]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_exact_privacy_over_all_small_counts(epsilon):
    counts = np.array(list(itertools.product(range(5), repeat=3)))
    steps = np.eye(3, dtype=int)
    for monotonic, moves in [(True, steps), (False, (steps[:, None] - steps[None]).reshape(-1, 3))]:
        log_law = Exponential(epsilon, monotonic=monotonic).logpmf
        loss = np.abs(log_law(counts[:, None] + moves) - log_law(counts)[:, None])
        assert loss.max() < epsilon  # approached, for ever larger gaps, never attained
    log_law = Exponential(epsilon).logpmf
    far = np.abs(log_law([0, 40 / epsilon + 1]) - log_law([1, 40 / epsilon])).max()
    assert far == pytest.approx(epsilon, rel=1e-6)


def test_without_the_factor_two_it_costs_twice():
    """Scores that move in opposite directions, at the rate that is meant for monotonic ones."""
    log_law = Exponential(1.0, monotonic=True).logpmf
    assert np.abs(log_law([0, 100]) - log_law([1, 99])).max() == pytest.approx(2.0, rel=1e-9)


def test_a_candidate_of_probability_zero_is_never_drawn():
    thirds = np.array([1 / 3, 1 / 3, 1 / 3, 0.0])

    class Largest(np.random.Generator):
        def random(self, size=None):
            return np.full(size, 1 - 2.0**-53)

    tenths = np.full(11, 0.1) * (np.arange(11) < 10)
    assert sample_index(thirds, 3, rng=Largest(np.random.PCG64(0))).tolist() == [2, 2, 2]
    assert sample_index(tenths, 1, rng=Largest(np.random.PCG64(0))).tolist() == [9]
    assert sample_index(np.stack([tenths] * 2), rng=Largest(np.random.PCG64(0))).tolist() == [9, 9]
