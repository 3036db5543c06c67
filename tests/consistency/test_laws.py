"""Exact laws and bounds of `dplit.consistency`, by enumeration, fractions, quadrature and draws.

Draws are seeded; a z-score of 5 would come by chance once in two million.
"""

from fractions import Fraction
from itertools import permutations, product
from math import comb, exp, log, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from dplit import consistency


def _kept(order):
    """Points on X's side of the cut, in an order of a cut "|", X and points "o"."""
    cut, x = order.index("|"), order.index("X")
    return (order[:cut] if x < cut else order[cut:]).count("o")


@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_leaf_counts_by_all_orders_of_the_points(k):
    """With k + 1 points in the cell a cut keeps all of them or makes a leaf: every order, in fractions."""
    orders = list(permutations("|X" + "o" * (k + 1)))
    counts = [_kept(o) for o in orders]
    leaf = [Fraction(counts.count(m), len(orders) - counts.count(k + 1)) for m in range(k + 1)]
    assert consistency.leaf_count_law(k) == pytest.approx([float(p) for p in leaf], rel=1e-14)
    assert consistency.empty_leaf(k) == pytest.approx(float(leaf[0]))


def _depths(n, k, longest):
    """Law of the depth by the chain, with the chances of one cut from a Beta integral."""
    if n <= k:
        return [1.0] + [0.0] * longest
    law = [0.0] * (longest + 1)
    for j in range(n + 1):
        chance = quad(lambda b, j=j: 2 * b * comb(n, j) * b**j * (1 - b) ** (n - j), 0, 1)[0]
        below = _depths(j, k, longest - 1) if longest else []
        for i, p in enumerate(below):
            law[i + 1] += chance * p
    return law


@pytest.mark.parametrize(("n", "k"), [(2, 0), (4, 1), (5, 3)])
def test_depths_by_a_beta_integral(n, k):
    law = consistency.depth_law(n, k)
    assert law[:5] == pytest.approx(_depths(n, k, 4), abs=1e-9)


def test_depths_sum_to_one_and_have_their_mean_and_variance():
    n, k = 3000, 7
    law = consistency.depth_law(n, k)
    steps = np.arange(law.size)
    means = sum(Fraction(2, j) for j in range(k + 1, n + 1))
    spread = sum(2 * (j + 2) / j**2 for j in range(k + 1, n + 1))
    assert law.sum() == pytest.approx(1) and (law >= 0).all()
    assert law @ steps == pytest.approx(1 + float(means)) == consistency.expected_depth(n, k)
    assert law @ steps**2 - (law @ steps) ** 2 == pytest.approx(spread)
    assert consistency.expected_depth(k, k) == 0 and consistency.depth_law(k, k).tolist() == [1.0]


def test_sizes_after_cuts_by_quadrature():
    for power, features in product((1, 2, 0.5), (1, 4)):
        side = quad(lambda u, p=power: u ** (1 + p) + (1 - u) ** (1 + p), 0, 1)[0]
        found = consistency.mean_power(3, features, power)
        assert found == pytest.approx((1 - (1 - side) / features) ** 3)


def test_the_leafs_size_by_hand():
    """One point, k = 0: its share b of density 2b keeps it with probability b."""
    stay, leave = 2 / 3, 1 / 3
    once = quad(lambda b: 2 * b * b * (1 - b), 0, 1)[0]  # E[V; no point left]
    again = quad(lambda b: 2 * b * b * b, 0, 1)[0]  # E[V; the point stays]
    assert consistency.leaf_power(1, 0, 1, 1) == pytest.approx(once / (1 - again))
    half = (1 - leave / 2 - once / 2) - (stay / 2 + again / 2)  # D = 2: every other cut leaves V alone
    assert half > 0
    expected = (leave / 2 + once / 2) / (1 - (stay / 2 + again / 2))
    assert consistency.leaf_power(1, 0, 2, 1) == pytest.approx(expected)
    assert consistency.leaf_power(5, 5, 2, 1) == 1.0


@pytest.mark.parametrize(("features", "power"), [(1, 2), (2, 2), (5, 1), (20, 2)])
def test_the_exponent_solves_its_equation_and_bounds_the_size(features, power):
    rho = consistency.size_exponent(features, power)
    other = 2 * (1 - 1 / features) / (2 - rho) if features > 1 else 0.0
    assert other + 2 / (power + 2 - rho) / features == pytest.approx(1)
    sizes = [consistency.leaf_power(n, 10, features, power) for n in (10**4, 10**6)]
    assert log(sizes[0] / sizes[1]) / log(100) == pytest.approx(rho, abs=5e-3)
    for n, k in ((11, 10), (300, 0), (10**5, 3)):
        exact = consistency.leaf_power(n, k, features, power)
        assert exact <= consistency.leaf_power_bound(n, k, features, power) * (1 + 1e-12)


def test_the_best_leaf_is_the_best():
    n, features = 5000, 2
    best = consistency.best_leaf_size(n, features)
    least = min(consistency.squared_error_bound(n, k, features) for k in range(1, n))
    assert consistency.squared_error_bound(n, best, features) == pytest.approx(least, rel=1e-3)


def test_the_error_of_a_root_that_is_a_leaf():
    """eta(X) varies by 1/(12 D), and the share of n labels, fair coins on average, by 1/(4 n)."""
    for features in (1, 3):
        assert consistency.linear_squared_error(0, 2, features) == pytest.approx(1 / (12 * features))
        assert consistency.linear_squared_error(2, 2, features) == pytest.approx(1 / (12 * features) + 1 / 8)


def test_ideal_paths_have_all_exact_laws():
    n, k, features, draws = 400, 6, 3, 40_000
    found = consistency.ideal_paths(n, k, features, draws, rng=np.random.default_rng(0))
    law = consistency.leaf_count_law(k)
    shares = np.bincount(found.counts, minlength=k + 1) / draws
    assert np.abs(shares - law).max() < 5 * sqrt(0.25 / draws)
    spread = found.depth.std() / sqrt(draws)
    assert abs(found.depth.mean() - consistency.expected_depth(n, k)) < 5 * spread
    for power in (1, 2):
        sizes = found.sizes[:, 1] ** power
        exact = consistency.leaf_power(n, k, features, power)
        assert abs(sizes.mean() - exact) < 5 * sizes.std() / sqrt(draws)
    assert ((found.low <= found.point) & (found.point <= found.high)).all()


@pytest.mark.parametrize("levels", [0, 1, 5])
def test_ideal_paths_of_a_given_depth(levels):
    found = consistency.ideal_paths(50, 0, 2, 20_000, levels, rng=np.random.default_rng(1))
    assert (found.depth == levels).all()
    mean = consistency.mean_power(levels, 2)
    assert found.sizes.mean() == pytest.approx(mean, abs=0.02)


def test_observed_paths_are_those_of_an_algorithm_written_out():
    """Every leaf holds the points between its ends, and is one that algorithm 1 does not split."""
    found = consistency.observed_paths(40, 40, 6, 2, 300, 2.0, 2.0, trend=1.0, rng=np.random.default_rng(2))
    assert ((found.low < found.point) & (found.point <= found.high)).all()
    assert ((found.low < found.companion) & (found.companion <= found.high)).all()
    assert (found.counts <= 6).mean() > 0.9 and found.depth.min() >= 1
    assert set(np.unique(found.votes)) <= {0, 1} and found.votes.shape == (300, 1)


def test_observed_first_cuts_have_the_law_of_both_multinomials():
    """The first cut of a fixed data set, against the selection law of another module."""
    from dplit import multinomial
    from dplit.consistency import simulate

    rng = np.random.default_rng(3)
    x = rng.random((9, 2))
    y = rng.integers(2, size=9)
    structure = np.arange(6)
    ranked = structure[np.argsort(x[:6], axis=0)].T.copy()
    values = [np.sort(x[:6, a]) for a in range(2)]
    cuts = [(v[1:] + v[:-1]) / 2 for v in values]
    decreases = [[_decrease(x[:6, a], y[:6], c) for c in cuts[a]] for a in range(2)]
    law = multinomial.joint_law(decreases, 3.0, 5.0)
    seen, draws = {}, 20_000
    for _ in range(draws):
        _, _, low, high = simulate._path(x, y, ranked, np.arange(6, 8), 0, 1.5, 2.5, 1, rng)
        a = int(np.flatnonzero((low > 0) | (high < 1))[0])
        cut = low[a] if low[a] > 0 else high[a]
        i = int(np.argmin(np.abs(cuts[a] - cut)))
        seen[a, i] = seen.get((a, i), 0) + 1
    for a, i in product(range(2), range(5)):
        assert abs(seen.get((a, i), 0) / draws - law[a][i]) < 5 * sqrt(0.25 / draws)


def _decrease(values, labels, cut):
    """Equation 4 with Gini's impurity, by its definition."""
    gini = lambda part: 2 * part.mean() * (1 - part.mean())  # noqa: E731
    sides = labels[values <= cut], labels[values > cut]
    return gini(labels) - sum(len(s) / len(labels) * gini(s) for s in sides)


def test_infinite_budgets_take_the_best_cut_and_noise_cuts_prefer_ends():
    ends = [
        np.mean(np.abs(consistency.noise_cuts(1000, 3000, b, rng=np.random.default_rng(4)) - 500) > 450)
        for b in (0.0, 10.0, np.inf)
    ]
    assert ends[0] == pytest.approx(0.1, abs=0.03) and ends[0] < ends[1] < ends[2]


def test_any_law_size_by_an_adversary_who_searches():
    """Random scores and places of the gap never beat the bound; scores on the outer ranks meet it."""
    rng, m, budget = np.random.default_rng(5), 400, 4.0
    ranks, odds = (np.arange(m) + 0.5) / m, exp(budget / 2)
    bound = float(consistency.any_law_size(1, 1, 0.0, budget))
    for _ in range(300):
        weights = odds ** rng.random(m) ** rng.integers(0, 9)
        length = np.sort(rng.random(m)) ** rng.integers(1, 9)
        kept = weights @ (ranks * length + (1 - ranks) * (1 - length)) / weights.sum()
        assert kept <= bound
    outer = np.abs(ranks - 0.5) > 0.5 - 0.5 / (1 + sqrt(odds))
    weights = np.where(outer, odds, 1.0)
    met = weights @ np.maximum(ranks, 1 - ranks) / weights.sum()
    assert met == pytest.approx(bound, rel=1e-4) and met <= bound * (1 + 1e-9)


def test_levels_and_printed_steps_by_hand():
    assert consistency.levels_to_halve(0.5) == pytest.approx(1)
    assert consistency.levels_to_halve(1e-18) == pytest.approx(log(2) * 1e18)
    assert consistency.published_size(2, 1, 0, 0, 4) == pytest.approx((1 - 1 / 8) ** 2)
    assert consistency.published_all_large([0.5, 0.5]) == 0.25
    assert consistency.all_large_bound([1.0, 0.9, 0.9]) == pytest.approx(1 - 0.2 - 0.4)
    assert consistency.chebyshev(100, 0.5, 20) == pytest.approx(100 * 0.25 / (2 * 25))
    assert consistency.chebyshev(100, 0.5, 25) == 1.0
    assert consistency.small_cell_bound(0.1, 3) == pytest.approx(7 * 0.001)
    assert consistency.leaf_tail_bound(0.1, 2.0) == pytest.approx(0.01 * exp(1) / (0.99 + 0.01 * exp(1)))
    assert consistency.leaf_tail_bound(0.1, np.inf) == pytest.approx(1.0)


def test_the_grids_risk_by_enumeration():
    """Two cells and up to three records: every number in the cell and every label."""
    for records in range(4):
        risk = 0.0
        for cell in range(2):
            mean = (cell + 0.5) / 2
            for count in range(records + 1):
                chance = comb(records, count) / 2**records
                for ones in range(count + 1):
                    p = chance * comb(count, ones) * mean**ones * (1 - mean) ** (count - ones)
                    one = 0.5 if 2 * ones == count else float(2 * ones > count)
                    risk += p * (one * (1 - mean) + (1 - one) * mean) / 2
        assert consistency.grid_risk(2, records) == pytest.approx(risk)


def test_the_pair_beside_the_trend():
    assert consistency.pair_and_trend([0.9, 0.1, 1.0]) == pytest.approx(0.5 - 0.3 + 0.2)
    assert consistency.pair_and_trend([[0.9, 0.8, 0.5]], 0.25, 0.5) == pytest.approx(0.75)
    assert consistency.pair_bayes_risk(0.3) == pytest.approx(0.2)
    assert consistency.pair_blind_risk(0.4) == pytest.approx(0.4)


WRONG = [
    (consistency.leaf_count_law, (-1,), "k must be"),
    (consistency.depth_law, (1.5, 0), "n must be"),
    (consistency.leaf_power, (10, 1, 0), "features must be"),
    (consistency.mean_power, (1, 2, 0), "power must be"),
    (consistency.small_cell_bound, (0.6, 1), "delta must be"),
    (consistency.any_law_size, (1, 2, 0.0, -1.0), "value_budget must be"),
    (consistency.leaf_tail_bound, (0.1, float("nan")), "value_budget must be"),
    (consistency.vote_excess_bound, (0.1, 1), "classes must be"),
]


@pytest.mark.parametrize(("function", "arguments", "message"), WRONG)
def test_bad_input_is_named(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


def test_bad_designs_and_generators_are_named():
    with pytest.raises(ValueError, match="design must be one of"):
        consistency.observed_paths(5, 5, 1, 1, 1, design="grid", rng=np.random.default_rng(0))
    with pytest.raises(TypeError, match="rng must be"):
        consistency.ideal_paths(5, 1, 1, 1, rng=0)
