"""Cauchy noise and smooth sensitivity, against optimisation over densities and search over data."""

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import cauchy, t

from dplit import random_forest
from dplit.court import claims


@settings(deadline=None, max_examples=40)
@given(st.floats(0, 5), st.floats(0.2, 5))
def test_loss_over_a_dense_grid_of_outcomes(shift, scale):
    """The largest ratio of scipy's densities, in both directions."""
    z = np.concatenate([np.tan(np.linspace(-1.5707, 1.5707, 40_001)), [1e9, -1e9]])
    ratio = cauchy.logpdf(z) - cauchy.logpdf(z, shift, scale)
    loss = random_forest.cauchy_loss(shift, scale)
    assert (np.abs(ratio) <= loss + 1e-9).all()
    assert [ratio.max(), -ratio.min()] == pytest.approx([loss, loss], abs=1e-4)


def test_loss_by_hand():
    assert random_forest.cauchy_loss(0, 3.0) == pytest.approx(math.log(3))
    assert random_forest.cauchy_loss([0, 2.0]) == pytest.approx([0, math.acosh(3)])
    assert random_forest.cauchy_loss(1e-9) == pytest.approx(1e-9)


@settings(deadline=None, max_examples=40)
@given(st.floats(0, 4), st.floats(0.25, 4), st.sampled_from([0.5, 1.0, 2.0, 3.0, 10.0]))
def test_student_loss_over_a_dense_grid_of_outcomes(shift, scale, degrees):
    """The largest ratio of scipy's densities; the grid reaches 1e12 scales, where it has its limit."""
    far = np.geomspace(1e-3, 1e12, 20_001)
    z = np.concatenate([-far, far, shift + far[:8001], [shift]])
    ratio = np.abs(t.logpdf(z, degrees) - t.logpdf(z, degrees, shift, scale))
    loss = random_forest.student_loss(shift, scale, degrees)
    assert ratio.max() <= loss + 1e-9
    assert ratio.max() == pytest.approx(loss, abs=1e-4)


def test_student_loss_at_the_ends():
    """One degree of freedom is Cauchy's law; equal centres and equal scales have closed forms."""
    a, s = np.linspace(-3, 3, 7)[:, None], np.array([0.2, 1.0, 1.1, 4.0])
    assert random_forest.student_loss(a, s, 1) == pytest.approx(random_forest.cauchy_loss(a, s), abs=1e-12)
    for nu in (0.5, 1, 2, 7):
        dilation = max(1, nu) * np.abs(np.log(s))
        assert random_forest.student_loss(0, s, nu) == pytest.approx(dilation, abs=1e-12)
        shift = (nu + 1) * np.arcsinh(np.abs(a) / (2 * math.sqrt(nu)))
        assert random_forest.student_loss(a, 1.0, nu) == pytest.approx(shift, abs=1e-12)
        reverse = random_forest.student_loss(-a / s, 1 / s, nu)
        assert random_forest.student_loss(a, s, nu) == pytest.approx(reverse, abs=1e-12)
    assert np.ndim(random_forest.student_loss(1.0, 2.0)) == 0
    tiny = random_forest.student_loss([1e-300, 1e-90, -1e-90], 2.0, 3)
    assert tiny == pytest.approx(3 * math.log(2))


@pytest.mark.parametrize("degrees", [0.5, 1, 3, 8])
@pytest.mark.parametrize("share", [0, 0.5, 0.95])
def test_student_factor_is_private_and_tight_for_a_constant_bound(share, degrees):
    epsilon = 0.7
    beta = share * epsilon / max(1, degrees)
    factor = random_forest.student_factor(epsilon, beta, degrees)
    shifts = np.linspace(0, 1, 41)[:, None] / factor
    worst = random_forest.student_loss(shifts, np.exp(np.linspace(0, beta, 41)), degrees).max()
    assert worst <= epsilon * (1 + 1e-12)
    assert worst == pytest.approx(epsilon) or share > 0
    if degrees == 1:
        assert factor >= random_forest.smooth_factor(epsilon, beta) * (1 - 1e-12)


@pytest.mark.parametrize("x", [0.5, 4.0, 30.0])
def test_drawn_noise_has_the_tails_of_its_law(x):
    """Beyond x scales of a bound of 2: arctan for Cauchy, scipy's survival for t; ledger's intervals."""
    rng, draws, bound = np.random.default_rng(4), 100_000, 2.0
    cauchy_scale = bound / math.sqrt(2 * min(math.cosh(1) - 1, math.exp(0.2) * (math.cosh(1) - math.cosh(0.2))))
    drawn = random_forest.cauchy_noise(bound, 1.0, 0.2, draws, rng=rng)
    low, high = claims.interval((drawn > x * cauchy_scale).sum(), draws)
    assert low <= 0.5 - math.atan(x) / math.pi <= high
    student_scale = bound / (2 * math.sqrt(3) * math.sinh((1 - 3 * 0.2) / 4))
    drawn = random_forest.student_noise(bound, 1.0, 0.2, 3.0, draws, rng=rng)
    low, high = claims.interval((drawn > x * student_scale).sum(), draws)
    assert low <= t.sf(x, 3) <= high


def test_noise_needs_a_positive_bound():
    for noise in (random_forest.cauchy_noise, random_forest.student_noise):
        with pytest.raises(ValueError, match="bound must be a positive finite number, got 0"):
            noise(0.0, 1.0, 0.2, rng=np.random.default_rng(0))


@pytest.mark.parametrize(("factor", "beta"), [(1.0, 0.0), (0.5, 0.8), (6.0, 1.0), (0.3, 2.0)])
def test_smooth_loss_over_all_neighbours(factor, beta):
    """Bounds S, S' of ratio up to e^beta, shifts up to the smaller, in any direction."""
    ratios = np.exp(np.linspace(0, beta, 401))
    shifts = np.linspace(0, 1, 101)[:, None] / factor
    worst = random_forest.cauchy_loss(shifts, ratios).max()
    assert random_forest.smooth_loss(factor, beta) == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0])
def test_least_factor(epsilon):
    for share in (0, 0.1, 0.5, 0.9, 0.999):
        factor = random_forest.smooth_factor(epsilon, share * epsilon)
        assert random_forest.smooth_loss(factor, share * epsilon) == pytest.approx(epsilon)
        assert random_forest.smooth_loss(0.99 * factor, share * epsilon) > epsilon


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0])
def test_free_beta(epsilon):
    beta, constant = random_forest.free_beta(epsilon), 1 / (2 * math.sinh(epsilon / 2))
    assert 0 < beta < epsilon
    assert beta == pytest.approx(math.log(2 * math.cosh(epsilon) - 1))
    for share in (0, 0.5, 1):
        assert random_forest.smooth_factor(epsilon, share * beta) == pytest.approx(constant)
    more = beta + 0.1 * (epsilon - beta)
    assert random_forest.smooth_factor(epsilon, more) > constant * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_published_constants_are_private_and_large(epsilon):
    """Nissim et al. (2007): c = 6/epsilon at beta = epsilon/6."""
    assert random_forest.smooth_loss(6 / epsilon, epsilon / 6) < epsilon / 3
    assert 6 / epsilon > 5.5 * random_forest.smooth_factor(epsilon, epsilon / 6)


GRID = (0.0, 1.0, 2.0, 3.0)


def replacements(data):
    for i in range(len(data)):
        for value in GRID:
            yield tuple(sorted((*data[:i], value, *data[i + 1 :])))


@pytest.mark.parametrize("n", [1, 3, 5])
@pytest.mark.parametrize("beta", [0.0, 0.2, 1.0])
def test_smooth_sensitivity_of_the_median_by_search(n, beta):
    """Local sensitivities by replacing values, then breadth-first over all data sets on a grid."""
    every = list(combinations_with_replacement(GRID, n))
    local = {x: max(abs(np.median(x) - np.median(y)) for y in replacements(x)) for x in every}
    for x in every:
        seen, ring, best = {x}, {x}, 0.0
        for k in range(n + 1):
            best = max(best, math.exp(-beta * k) * max(local[y] for y in ring))
            ring = {y for z in ring for y in replacements(z)}
            seen |= ring
        assert random_forest.median_smooth_sensitivity(x, 0, 3, beta) == pytest.approx(best)
        bounds = [random_forest.median_smooth_sensitivity(y, 0, 3, beta) for y in replacements(x)]
        assert max(bounds) <= math.exp(beta) * best * (1 + 1e-12)


@pytest.mark.parametrize("beta", [0.05, 0.6])
def test_the_private_median_is_private(beta):
    """Exact loss between the output laws of all neighbours on a grid; some come near epsilon."""
    epsilon, worst = 1.0, 0.0
    factor = random_forest.smooth_factor(epsilon, beta)
    for x in combinations_with_replacement(GRID, 3):
        for y in replacements(x):
            s, t = (factor * random_forest.median_smooth_sensitivity(z, 0, 3, beta) for z in (x, y))
            worst = max(worst, random_forest.cauchy_loss((np.median(y) - np.median(x)) / s, t / s))
    assert 0.85 * epsilon < worst <= epsilon * (1 + 1e-12)


def test_the_sample_has_the_law():
    """Share of 4000 draws within one scale of the median, one half: false-alarm rate 1e-9."""
    from dplit.court.claims import interval

    rng, values, beta = np.random.default_rng(4), [0.1, 0.4, 0.5, 0.8, 0.9], 0.3
    scale = random_forest.smooth_factor(1.0, beta) * random_forest.median_smooth_sensitivity(values, 0, 1, beta)
    drawn = np.array([random_forest.private_median(values, 0, 1, 1.0, beta, rng=rng) for _ in range(4000)])
    for center, probability in ((0.5, 0.5), (0.5 + scale, math.atan(2) / math.pi)):
        low, high = interval(int((abs(drawn - center) < scale).sum()), len(drawn))
        assert low <= probability <= high


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_forest.cauchy_loss(1, 0), "scale must be positive, got 0"),
        (lambda: random_forest.student_loss(1, -1), "scale must be positive, got -1"),
        (lambda: random_forest.student_loss(1, 1, 0), "degrees must be a positive finite number, got 0"),
        (
            lambda: random_forest.student_factor(1.0, 0.4, 3),
            r"beta must be less than epsilon / max\(1, degrees\) = 0.333333, got 0.4",
        ),
        (lambda: random_forest.student_factor(0, 0.1), "epsilon must be a positive finite number"),
        (lambda: random_forest.smooth_loss(0, 0.1), "factor must be a positive finite number, got 0"),
        (lambda: random_forest.smooth_factor(1.0, 1.0), "beta must be less than epsilon = 1, got 1.0"),
        (lambda: random_forest.smooth_factor(1.0, -0.1), "beta must be a positive finite number"),
        (lambda: random_forest.free_beta(0), "epsilon must be a positive number"),
        (lambda: random_forest.median_smooth_sensitivity([1, 2], 0, 3, 0.1), "values must be an odd number"),
        (lambda: random_forest.median_smooth_sensitivity([4], 0, 3, 0.1), "values must be an odd number"),
        (lambda: random_forest.median_smooth_sensitivity([1], 3, 0, 0.1), "lower must be less than upper"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
