"""The private median against quadrature, fractions, enumeration and draws.

Statistical tests: each of the two goodness-of-fit tests draws at a fixed seed and has a false-alarm
rate of 1e-6 over other seeds.
"""

import math
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import chisquare

from dplit import median
from dplit.mechanisms import PermuteAndFlip

CUTS = ((0.25, 0.5, 0.5, 0.75), (0.125, 0.25, 0.875), (0.5,) * 4 + (0.75,) * 2)  # on eighths
ALARM = 1e-6
columns = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), max_size=8)
epsilons = st.sampled_from([0.05, 0.5, 1.0, 3.0])


def score(values, r):
    return -abs(sum(x < r for x in values) - sum(x >= r for x in values))


# The laws ------------------------------------------------------------------------------------


def test_the_rank_law_in_fractions():
    # e^(-epsilon/2) = 1/2, N = 3: weights 1/8, 1/2, 1/2, 1/8
    expected = [Fraction(1, 10), Fraction(4, 10), Fraction(4, 10), Fraction(1, 10)]
    assert median.rank_law(3, math.log(4)) == pytest.approx([float(p) for p in expected])
    assert median.rank_law(0, 1.0).tolist() == [1.0]


@pytest.mark.parametrize("values", [[], [0.3], [0.2, 0.9], [0.1, 0.15, 0.6]])
def test_the_rank_density_in_fractions(values):
    exact = [Fraction(v).limit_denominator(100) for v in values]
    weights = [Fraction(1, 2) ** abs(len(exact) - 2 * j) for j in range(len(exact) + 1)]
    parts = [w / sum(weights) for w in weights]
    lengths = [b - a for a, b in pairwise([Fraction(0), *exact, Fraction(1)])]
    law = median.rank_interval_law(values, 0, 1, math.log(4))
    assert law.edges.tolist() == pytest.approx([0, *values, 1])
    assert law.probabilities == pytest.approx([float(p) for p in parts])
    middles = law.edges[:-1] + law.lengths / 2
    assert law.density(middles) == pytest.approx([float(p / n) for p, n in zip(parts, lengths)])


@pytest.mark.parametrize(("neighbours", "rate"), [("add-remove", 0.5), ("replace-one", 0.25)])
@pytest.mark.parametrize("values", [[], [0.3], [0.7, 0.2, 0.2], [0.05, 0.5, 0.55, 0.9, 1.0]])
def test_the_value_law_by_quadrature(values, neighbours, rate):
    def weight(r):
        return math.exp(rate * 1.5 * score(values, r))

    law = median.interval_law(values, 0, 1, 1.5, neighbours)
    edges = sorted([0.0, *values, 1.0])
    masses = np.array([quad(weight, a, b)[0] for a, b in pairwise(edges)])
    assert law.edges.tolist() == edges
    assert law.probabilities == pytest.approx(masses / masses.sum(), abs=1e-12)


@given(columns, epsilons)
def test_the_value_law_is_symmetric_and_scales(values, epsilon):
    law = median.interval_law(values, 0, 1, epsilon)
    turned = median.interval_law([1 - v for v in values], 0, 1, epsilon)
    moved = median.interval_law([10 + 4 * v for v in values], 10, 14, epsilon)
    assert law.probabilities == pytest.approx(turned.probabilities[::-1], abs=1e-9)
    assert law.probabilities == pytest.approx(moved.probabilities, abs=1e-9)
    assert law.probabilities.sum() == pytest.approx(1)


def test_values_outside_the_bounds_are_clipped():
    law = median.interval_law([-5, 0.5, 7], 0, 1, 1.0)
    assert law.edges.tolist() == [0, 0, 0.5, 1, 1]
    assert law.probabilities[[0, 3]].tolist() == [0, 0]


def test_many_records_and_a_large_epsilon_do_not_overflow():
    values = np.linspace(0.2, 0.4, 100_001)
    law = median.interval_law(values, 0, 1, 50.0)
    assert np.isfinite(law.probabilities).all()
    middle = law.probabilities[50_000:50_002].sum()
    assert middle == pytest.approx(1, abs=1e-9)
    assert median.interval_law([0.0] * 2000, 0, 1, 50.0).probabilities[-1] == 1


def test_the_sampler_follows_the_law():
    values, draws = [0.2, 0.25, 0.25, 0.8], 40_000
    law = median.interval_law(values, 0, 1, 1.0)
    found = median.sample(values, 0, 1, 1.0, size=draws, rng=np.random.default_rng(3))
    fine = np.unique(np.concatenate([law.edges, np.linspace(0, 1, 21)]))
    expected = law.density(fine[:-1] + np.diff(fine) / 2) * np.diff(fine) * draws
    assert chisquare(np.histogram(found, fine)[0], expected).pvalue > ALARM
    assert isinstance(median.sample(values, 0, 1, 1.0, rng=np.random.default_rng(1)), float)


# Privacy -------------------------------------------------------------------------------------


@given(columns, st.floats(0, 1), epsilons)
def test_the_value_law_is_private_under_add_remove(values, x, epsilon):
    pair = (median.interval_law(v, 0, 1, epsilon) for v in (values, [*values, x]))
    assert median.density_loss(*pair) <= epsilon * (1 + 1e-9)


@given(columns, st.floats(0, 1), st.floats(0, 1), epsilons)
def test_the_value_law_is_private_under_replace_one(values, x, y, epsilon):
    pair = [median.interval_law([*values, z], 0, 1, epsilon, "replace-one") for z in (x, y)]
    assert median.density_loss(*pair) <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_rank_loss_grows_without_bound(epsilon):
    def loss(gap):
        pair = (median.rank_interval_law(x, 0, 1, epsilon) for x in ([0.5], [0.5, 0.5 + gap]))
        return median.density_loss(*pair)

    for gap in (1e-2, 1e-5, 1e-8):
        expected = math.log(1 / (gap * (1 + 2 * math.exp(-epsilon))))
        assert loss(gap) == pytest.approx(expected, rel=1e-6)
    assert loss(0) == math.inf  # an atom beside a density


def test_under_replace_one_the_rank_ratio_is_the_ratio_of_the_gaps():
    pair = [median.rank_interval_law([0.5, 0.5 + gap], 0, 1, 1.0) for gap in (0.25, 0.0625)]
    assert pair[0].probabilities.tolist() == pair[1].probabilities.tolist()
    wide, narrow = (law.density([0.55])[0] for law in pair)
    assert narrow / wide == pytest.approx(4)
    assert median.density_loss(*pair) > 1.0


def test_the_loss_of_known_pieces():
    one = median.IntervalLaw(np.array([0.0, 1.0]), np.array([1.0]))
    two = median.IntervalLaw(np.array([0.0, 0.25, 1.0]), np.array([0.5, 0.5]))
    inside = median.IntervalLaw(np.array([0.5, 1.0]), np.array([1.0]))
    assert median.density_loss(one, two) == pytest.approx(math.log(2))
    assert median.density_loss(one, inside) == math.inf
    assert median.total_variation(one, two) == pytest.approx(0.25)
    assert median.total_variation(one, inside) == pytest.approx(0.5)
    assert median.density_loss(one, one) == 0


# Grids ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [1, 3, 8])
@pytest.mark.parametrize("values", [[], [0.5], [0.2, 0.3, 0.9]])
def test_permute_and_flip_on_a_grid_by_its_definition(values, cells):
    middles = [(i + 0.5) / cells for i in range(cells)]
    scores = [score(values, r) for r in middles]
    odds = [Fraction(1, 2) ** (max(scores) - s) for s in scores]
    law = median.grid_law(values, 0, 1, math.log(4), cells)
    assert law.probabilities == pytest.approx([float(p) for p in PermuteAndFlip.rational_law(odds)])


@pytest.mark.parametrize("values", CUTS)
def test_the_exponential_mechanism_on_a_fitting_grid_is_the_value_law(values):
    law = median.grid_law(values, 0, 1, 1.0, 8, "exponential")
    assert median.total_variation(law, median.interval_law(values, 0, 1, 1.0)) < 1e-12


@settings(deadline=None)
@given(columns, epsilons, st.integers(2, 200))
def test_permute_and_flip_is_within_the_bound_of_the_exponential_mechanism(values, epsilon, cells):
    scores = [score(values, (i + 0.5) / cells) for i in range(cells)]
    total = sum(math.exp(epsilon / 2 * (s - max(scores))) for s in scores)
    assume(total > 1.001)
    pair = [median.grid_law(values, 0, 1, epsilon, cells, kind) for kind in ("permute-and-flip", "exponential")]
    assert median.total_variation(*pair) <= 1 / (total - 1) + 1e-12


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_distance_falls_like_one_over_the_cells(epsilon):
    values, cells = CUTS[0], [512, 4096]
    rate = median.flip_rate(values, 0, 1, epsilon)
    limit = median.interval_law(values, 0, 1, epsilon)
    laws = [median.grid_law(values, 0, 1, epsilon, m) for m in cells]
    found = [median.total_variation(law, limit) for law in laws]
    errors = [abs(m * t / rate - 1) for m, t in zip(cells, found)]
    assert errors[1] < 0.01
    assert errors[1] == pytest.approx(errors[0] / 8, rel=0.1)


# Categorical splits --------------------------------------------------------------------------


def sets_of(levels):
    """Every set of levels but none and all."""
    return [c for k in range(1, levels) for c in combinations(range(levels), k)]


@pytest.mark.parametrize("counts", [(1, 1), (0, 0, 0), (3, 1, 4, 1, 5), (0, 7, 2, 2)])
@pytest.mark.parametrize(("neighbours", "rate"), [("add-remove", 0.5), ("replace-one", 0.25)])
def test_the_subset_law_by_enumeration(counts, neighbours, rate):
    n, expected = sum(counts), np.zeros(sum(counts) + 1)
    for c in sets_of(len(counts)):
        size = sum(counts[i] for i in c)
        expected[size] += math.exp(-rate * 0.8 * abs(n - 2 * size))
    found = median.subset_law(counts, 0.8, neighbours)
    assert found == pytest.approx(expected / expected.sum(), abs=1e-12)
    assert sum(median.subset_sizes(counts)) == 2 ** len(counts) - 2


def test_many_levels():
    # 300 levels of one record each: binomial coefficients
    sizes = median.subset_sizes([1] * 300)
    assert sizes[1:-1] == [math.comb(300, s) for s in range(1, 300)]
    assert (sizes[0], sizes[-1]) == (0, 0)
    assert median.subset_law([1] * 1200, 0.1).sum() == pytest.approx(1)


def test_the_subset_sampler_follows_the_law():
    counts, draws, rng = (2, 1, 0, 3), 4000, np.random.default_rng(5)
    n = sum(counts)
    weights = {c: math.exp(-0.5 * abs(n - 2 * sum(counts[i] for i in c))) for c in sets_of(len(counts))}
    found = dict.fromkeys(weights, 0)
    for _ in range(draws):
        chosen = median.sample_subset(counts, 1.0, rng=rng)
        found[tuple(np.flatnonzero(chosen).tolist())] += 1
    expected = np.array(list(weights.values())) / sum(weights.values()) * draws
    assert chisquare(list(found.values()), expected).pvalue > ALARM


# Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: median.interval_law([0.5], 1, 0, 1.0), "lower must be less than upper"),
        (lambda: median.interval_law([0.5], 0, math.inf, 1.0), "both finite"),
        (lambda: median.interval_law([math.nan], 0, 1, 1.0), "values must be finite"),
        (lambda: median.interval_law([[0.5]], 0, 1, 1.0), "of shape"),
        (lambda: median.interval_law([0.5], 0, 1, 0), "epsilon must be"),
        (lambda: median.interval_law([0.5], 0, 1, math.inf), "epsilon must be"),
        (lambda: median.interval_law([0.5], 0, 1, 1.0, "both"), "neighbours must be"),
        (lambda: median.rank_law(-1, 1.0), "n must be"),
        (lambda: median.grid_law([0.5], 0, 1, 1.0, 0), "cells must be"),
        (lambda: median.grid_law([0.5], 0, 1, 1.0, 4, "laplace"), "mechanism must be"),
        (lambda: median.subset_law([3], 1.0), "two levels or more"),
        (lambda: median.subset_law([1, -1], 1.0), "counts must be"),
    ],
)
def test_errors_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_samplers_need_a_generator():
    with pytest.raises(TypeError, match="rng must be"):
        median.sample([0.5], 0, 1, 1.0, rng=1)
    with pytest.raises(TypeError, match="rng must be"):
        median.sample_subset([1, 2], 1.0, rng=None)
