"""The last bits: NumPy's noise reproduced, reachability against multiple precision and small grids."""

import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf

from dplit.court import attacks
from dplit.court.attacks import floats
from dplit.mechanisms import Laplace, PermuteAndFlip
from dplit.mechanisms.secure import secure_generator


@pytest.mark.parametrize("scale", [0.3, 1.0, 10.0, 1e6])
def test_float_noise_is_numpys_to_the_last_bit(scale):
    """One uniform number a draw: the same stream gives the same noise."""
    one, same = np.random.default_rng(7), np.random.default_rng(7)
    noise = [attacks.float_noise(u, scale) for u in one.random(20_000).tolist()]
    assert noise == same.laplace(scale=scale, size=20_000).tolist()


@pytest.mark.parametrize("value", [0.0, 1.0, -3.5, 1000.0])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 7.3])
def test_what_was_released_is_reached(value, epsilon):
    noise = Laplace(epsilon)
    released = noise.sample(np.full(2000, value), rng=np.random.default_rng(1))
    assert attacks.can_reach(released, value, noise.scale).all()


def test_what_is_not_reached_has_no_uniform_number():
    """By the inverse in a hundred digits: the nearest uniform numbers give other doubles."""
    mp.dps = 60
    noise, found = Laplace(0.5), 0
    released = noise.sample(np.zeros(300), rng=np.random.default_rng(2))
    reached = attacks.can_reach(released, 1.0, noise.scale)
    for z in released[~reached].tolist():
        x = mpf(z) - 1
        v = mp.exp(-abs(x) / mpf(noise.scale))
        u = v / 2 if x < 0 else 1 - v / 2
        near = int(mp.nint(u * 2**53))
        tried = [1.0 + attacks.float_noise(k / 2**53, noise.scale) for k in range(near - 3, near + 4)]
        assert z not in tried
        found += min(tried) < z < max(tried)
    assert found == (~reached).sum() > 200


def test_the_sets_differ_as_on_a_grid_that_can_be_listed():
    """Of all 2^12 uniform numbers of twelve bits: what 0 and 1 reach, by listing both sets."""
    listed = [{v + attacks.float_noise(k / 2**12, 2.0) for k in range(1, 2**12)} for v in (0.0, 1.0)]
    one = sorted(listed[0])[:200]
    told = attacks.tell_apart(one, (0.0, 1.0), 2.0)
    assert (told != 1).all()  # a twelve-bit number is one of 53 bits, too
    assert not listed[0] & listed[1] or len(listed[0] & listed[1]) < 10


def test_the_least_release_of_0_is_none_of_1():
    least = attacks.float_noise(2.0**-53, 10.0)
    assert least == pytest.approx(-10.0 * 52 * math.log(2), rel=1e-14)
    assert attacks.can_reach(least, 0.0, 10.0)
    assert not attacks.can_reach(least, 1.0, 10.0) and not attacks.can_reach(least - 1e-9, 0.0, 10.0)


def test_where_many_numbers_round_to_one_the_answer_is_yes():
    assert attacks.can_reach(2.0**60, 2.0**60, 1.0) and floats.WIDEST < 2**20


def test_a_value_is_told_only_where_the_other_is_impossible():
    noise, rng = Laplace(0.1), np.random.default_rng(3)
    for value in (0, 1):
        released = noise.sample(np.full(1000, float(value)), rng=rng)
        told = attacks.tell_apart(released, (0.0, 1.0), noise.scale)
        assert (told != 1 - value).all() and (told == value).mean() > 0.7
        assert told.shape == (1000,)


@pytest.mark.parametrize("exponent", [53, 57, 61])
def test_one_record_pulls_rounded_scores_apart(exponent):
    without, with_one = attacks.rounded_scores(exponent)
    assert (with_one - without).tolist() == [0, 1]
    gaps = [int(Fraction(float(b)) - Fraction(float(a))) for a, b in (without, with_one)]
    assert gaps == [0, 2 ** (exponent - 52)]


def test_the_exact_law_takes_gaps_first():
    for scores in attacks.rounded_scores(60):
        gap = int(scores[1]) - int(scores[0])
        assert attacks.exact_law(scores, 0.1)[0] == pytest.approx(math.exp(-0.1 * gap) / 2)
    assert PermuteAndFlip(0.1).pmf(attacks.rounded_scores(60)[0])[0] == 0.5  # as doubles: a tie


@pytest.mark.parametrize("bad", [52, 62, 60.5])
def test_an_exponent_is_one_that_integers_hold(bad):
    with pytest.raises((ValueError, TypeError), match="exponent"):
        attacks.rounded_scores(bad)


def test_secure_noise_refuses_what_the_attacks_need():
    """No Laplace noise in doubles, and no score that a double cannot hold."""
    rng = secure_generator()
    with pytest.raises(ValueError, match="exact sampler"):
        Laplace(0.1).sample(np.zeros(3), rng=rng)
    for scores in attacks.rounded_scores(60):
        with pytest.raises(ValueError, match=r"whole numbers within \+-2\^53"):
            PermuteAndFlip(0.1, monotonic=True).sample(scores, rng=rng)
