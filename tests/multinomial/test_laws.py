"""The two selection laws: against exact decimals, by enumeration, and at their edges."""

from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

from dplit import multinomial


def by_definition(decreases, budget):
    """Section 3.2 in decimals, from fractions."""
    decreases = [Fraction(d) for d in decreases]
    least, spread = min(decreases), max(decreases) - min(decreases)
    scores = [(d - least) / spread if spread else Fraction(0) for d in decreases]
    weights = [(Decimal(budget) / 2 * s.numerator / s.denominator).exp() for s in scores]
    return [float(w / sum(weights)) for w in weights]


@pytest.mark.parametrize("budget", [0, 0.5, 10, 400])
@pytest.mark.parametrize("decreases", [[0.25], [0, 0.5], [0.1, 0.1], [0.2, 0.45, 0.2, 0.3]])
def test_law_is_section_3_2_in_decimals(decreases, budget):
    law = multinomial.selection_law(decreases, budget)
    assert law == pytest.approx(by_definition(decreases, budget), rel=1e-9, abs=1e-300)


def test_law_runs_along_the_last_axis():
    decreases = np.array([[0.1, 0.2, 0.4], [0.3, 0.3, 0.3]])
    rows = [multinomial.selection_law(row, 3.0) for row in decreases]
    assert np.array_equal(multinomial.selection_law(decreases, 3.0), rows)


@pytest.mark.parametrize("budget", [1e6, np.inf])
def test_large_budgets_are_the_arg_max(budget):
    assert multinomial.selection_law([0.1, 0.3, 0.3], budget).tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize("budget", [-1.0, np.nan, "1", True, None])
def test_budgets_are_named_in_errors(budget):
    with pytest.raises(ValueError, match="budget must be a number of at least 0"):
        multinomial.selection_law([0.1], budget)


@pytest.mark.parametrize("decreases, what", [([], "shape"), ([np.nan, 1], "finite"), ([np.inf, 1], "finite")])
def test_decreases_are_checked(decreases, what):
    with pytest.raises(ValueError, match=what):
        multinomial.selection_law(decreases, 1.0)


def test_a_feature_without_a_cut_is_never_drawn():
    node = [[], [0.2, 0.4], [], [0.1]]
    assert (multinomial.feature_law(node, 2.0) > 0).tolist() == [False, True, False, True]
    features, _ = multinomial.sample(node, 2.0, 2.0, 1000, rng=np.random.default_rng(1))
    assert set(features.tolist()) == {1, 3}


def test_a_node_without_a_cut_is_an_error():
    for draw in (multinomial.joint_law, lambda *a: multinomial.sample(*a, rng=np.random.default_rng(1))):
        with pytest.raises(ValueError, match="a leaf"):
            draw([[], []], 1.0, 1.0)


def test_joint_law_is_the_product_of_both_draws():
    node = [[0.2, 0.5, 0.5], [0.2], [], [0.1, 0.4]]
    features = [max(cuts) for cuts in node if cuts]
    expected = iter(by_definition(features, 3))
    for cuts, chances in zip(node, multinomial.joint_law(node, 3.0, 7.0), strict=True):
        share = next(expected) if cuts else 0.0
        inner = by_definition(cuts, 7) if cuts else []
        assert chances.tolist() == pytest.approx([share * p for p in inner])


@pytest.mark.parametrize("budgets", [(0.0, 0.0), (3.0, 7.0), (np.inf, 2.0), (1e6, np.inf)])
def test_draws_have_the_joint_law(budgets):
    """Chi-squared at level 1e-6: the sampler takes Gumbel noise and does not know the law."""
    node = [[0.2, 0.5, 0.5], [0.5], [], [0.1, 0.4]]
    draws = 200_000
    features, values = multinomial.sample(node, *budgets, draws, rng=np.random.default_rng(5))
    law = multinomial.joint_law(node, *budgets)
    expected = draws * np.concatenate(law)
    starts = np.cumsum([0, *map(len, node)])
    counts = np.bincount(starts[features] + values, minlength=len(expected))
    assert counts[expected == 0].sum() == 0
    some = expected > 0
    statistic = ((counts - expected)[some] ** 2 / expected[some]).sum()
    assert chi2.sf(statistic, max(some.sum() - 1, 1)) > 1e-6


def test_one_draw_is_a_pair_of_numbers():
    feature, value = multinomial.sample([[0.1, 0.3]], 1.0, np.inf, rng=np.random.default_rng(0))
    assert (feature, value) == (0, 1)


# Bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("candidates", [1, 2, 5, 40])
@pytest.mark.parametrize("budget", [0.0, 1.0, 10.0])
def test_tight_bounds_are_the_extremes_of_scores(candidates, budget):
    """Every vector of scores in {0, 1/2, 1}, or for many candidates every number of ones."""
    if candidates <= 5:
        rows = list(product((0.0, 0.5, 1.0), repeat=candidates))
    else:
        rows = [[1.0] * ones + [0.0] * (candidates - ones) for ones in range(1, candidates)]
    laws = [by_definition(row, budget) for row in rows]
    low, high = multinomial.selection_bounds(candidates, budget)
    assert min(map(min, laws)) == pytest.approx(low) and max(map(max, laws)) == pytest.approx(high)
    published = multinomial.published_selection_bounds(candidates, budget)
    assert published.lower <= low and high <= published.upper
    assert multinomial.tight_p1(candidates, budget) == low
    assert multinomial.published_p1(candidates, budget) == published.lower


def test_bounds_at_the_papers_budget():
    """Five features at B1 = 10, by hand: 1 + 4 e^5 and 1 + 4 e^10."""
    assert 1 / multinomial.tight_p1(5, 10) == pytest.approx(1 + 4 * 148.4131591)
    assert 1 / multinomial.published_p1(5, 10) == pytest.approx(1 + 4 * 22026.4657948)
    assert multinomial.tight_p1(5, 1e6) == 0 and multinomial.tight_p1(1, np.inf) == 1


def test_middle_bounds():
    assert multinomial.published_p2(3, 0) == multinomial.tight_p2(3, 0) == pytest.approx(1 / 3)
    assert multinomial.tight_p2(4, 2 * np.log(3), 2) == pytest.approx(2 / (2 + 4 * 3))
    assert multinomial.middle_bound(2, 0, 5) == 1 and multinomial.middle_bound(0, 2, 5) == 0
    for wrong in ((2, 1.0), (3, -1.0), (3, 1.0, 0.5), (3, 1.0, np.inf)):
        with pytest.raises(ValueError, match="must be"):
            multinomial.tight_p2(*wrong)
    for wrong in ((-1, 1), (0, 0), (np.nan, 1)):
        with pytest.raises(ValueError, match="inside"):
            multinomial.middle_bound(*wrong, 1.0)


@pytest.mark.parametrize("budget", [0.05, 2.0, 10.0])
def test_distance_from_uniform_is_largest_at_the_stated_share(budget):
    """By a fine search over the share of candidates that have score 1."""
    share = np.linspace(1e-4, 1 - 1e-4, 200_001)
    odds = np.exp(budget / 2)
    distance = share * odds / (share * odds + 1 - share) - share
    assert distance.max() == pytest.approx(multinomial.uniform_distance_bound(budget), rel=1e-6)
    best = share[distance.argmax()]
    assert best == pytest.approx(1 / (1 + np.exp(budget / 4)), abs=1e-3)
    two = multinomial.uniform_distance([0.1, 0.2], budget)
    assert two == pytest.approx(np.tanh(budget / 4) / 2)


# Candidates of records -------------------------------------------------------------------------


def test_cuts_lie_halfway_between_values():
    (found,) = multinomial.candidate_cuts([[0.0], [0.5], [0.5], [2.0]], list("abab"))
    assert found.cuts.tolist() == [0.25, 1.25]
    assert multinomial.decreases_of([[1, 3]] * 3, [0, 1, 1])[0].size == 0


def test_equal_decreases_are_equal_numbers():
    """2/3 in two ways; a difference in the last digit would be a score of 1."""
    for n in range(4, 60, 2):
        decreases = multinomial.decreases_of(np.c_[:n], np.arange(n) >= n // 2)[0]
        assert (decreases == decreases[::-1]).all()


def test_three_labels_by_hand():
    """Entropy of thirds against one pure and one halved side; Gini likewise."""
    X, y = [[0], [1], [2]], ["a", "b", "c"]
    gini, entropy = (multinomial.decreases_of(X, y, c)[0] for c in ("gini", "entropy"))
    assert gini == pytest.approx([2 / 3 - 2 / 3 / 2] * 2)
    assert entropy == pytest.approx([np.log(3) - 2 / 3 * np.log(2)] * 2)


@pytest.mark.parametrize("X, y, criterion", [([[1]], [0, 1], "gini"), ([], [], "gini"), ([[1]], [0], "bits")])
def test_candidates_check_their_input(X, y, criterion):
    with pytest.raises(ValueError, match=r"X must|criterion must"):
        multinomial.candidate_cuts(X, y, criterion)


def test_records_that_attain_the_bounds():
    X, y = multinomial.opposed_features(4)
    node = multinomial.decreases_of(X, y)
    assert [c.max() for c in node] == pytest.approx([1 / 9, 4 / 9, 4 / 9, 4 / 9])


@pytest.mark.parametrize("n, outer, level", [(1000, 1 / 3, 0.2), (10_000, 0.1, 0.05), (2, 0.5, 1)])
def test_level_labels_are_balanced_and_level(n, outer, level):
    y = multinomial.level_labels(n, outer, level)
    assert set(y.tolist()) <= {0, 1} and 2 * y.sum() == n
    k = np.arange(n + 1)
    excess = np.abs(2 * np.append(0, y.cumsum()) - k)
    assert (excess <= level * np.sqrt(k * (n - k)) + 2).all()
    inside = (k > outer * n + 2) & (k < (1 - outer) * n - 2)
    assert (excess[inside] <= 1).all()
    far = (k > n * level**2 + 9) & (k < (outer - level) * n - 9)
    assert (np.abs(excess - level * np.sqrt(k * (n - k)))[far] <= 2).all()


@pytest.mark.parametrize("wrong", [(10, 0.0, 0.1), (10, 0.6, 0.1), (10, 0.3, 0.0), (10, 0.3, 2.0)])
def test_level_labels_check_their_parameters(wrong):
    with pytest.raises(ValueError, match=r"(outer|level) must be a (finite )?number"):
        multinomial.level_labels(*wrong)


# The likeliest cut, cost, votes ----------------------------------------------------------------


@pytest.mark.parametrize("budgets", [(0.5, 0.5), (10.0, 10.0), (np.inf, np.inf), (0.0, 3.0)])
def test_best_is_likeliest_as_the_joint_law_has_it(budgets):
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(300):
        node = [rng.integers(0, 40, rng.integers(0, 6)) / 4 for _ in range(3)]
        if not any(map(len, node)):
            continue
        law = np.concatenate(multinomial.joint_law(node, *budgets))
        flat = np.concatenate(node)
        expected = law[flat == flat.max()].max() >= law.max() - 1e-12
        seen.add(bool(expected))
        assert multinomial.best_is_likeliest(node, *budgets) == expected
    assert seen == ({True} if budgets[0] == np.inf else {True, False})


def test_counting_cuts():
    assert multinomial.counting_cuts([0.3, 0.3, 0.1], 2 * np.log(4)) == pytest.approx(2.25)
    assert multinomial.counting_cuts([0.3, 0.3, 0.1], np.inf) == 2


def test_costs():
    assert multinomial.multinomial_cost([3, 0, 5]) == (8, 7)
    assert multinomial.greedy_cost([3, 0, 5], 2) == (pytest.approx(16 / 3), 0)


def test_votes_by_hand():
    assert multinomial.vote_outcomes(3, 0.5) == pytest.approx((0.5, 0, 0.5))
    assert multinomial.vote_outcomes(2, 0.7) == pytest.approx((0.49, 0.42, 0.09))
    assert multinomial.vote_outcomes(0, 0.7) == pytest.approx((0, 1, 0))
    with pytest.raises(ValueError, match="share must be a finite number from 0 to 1"):
        multinomial.vote_outcomes(3, 1.5)
