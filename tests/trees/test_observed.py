"""Trees with cuts between observed values: the laws of their draws, and the best cut by brute force.

False alarms: below 1e-6 for each test of a law, and every draw is seeded. Of 5,000 trees a law is told from one
whose squared relative error is 1/50 in the mean, but for one draw in a thousand.
"""

import itertools
from fractions import Fraction
from math import exp, factorial

import numpy as np
import pytest
from scipy.stats import chisquare

from dplit import trees
from dplit.trees.observed import Rule, grow_observed_trees, ranked

ALARM, N_TREES = 1e-6, 5000
GREEDY = Rule(columns=1, mean_more=-1.0, one_column=0.0, any_cut=0.0, range_points=0, min_leaf=1)
N = 40


def ladder(n_columns=5):
    """Binary columns, 20 records each side; column j agrees with the class on all but j of each side."""
    y = np.repeat([0, 1], N // 2)
    X = np.tile(y[:, None], n_columns).astype(float)
    for j in range(n_columns):
        X[:j, j], X[N - j :, j] = 1.0, 0.0
    return X, y


def roots(X, y, rule, n_trees, seed=0):
    """Columns and cuts of the root of each tree."""
    everyone = np.arange(len(y))
    rng = np.random.default_rng(seed)
    forest, _ = grow_observed_trees(X, y, 2, [(everyone, everyone)] * n_trees, rule, rng=rng)
    return forest.feature[forest.roots], forest.threshold[forest.roots]


def best_of(size, n_columns):
    """Law of the least of `size` columns drawn without replacement, by enumeration."""
    sets = list(itertools.combinations(range(n_columns), size))
    return np.array([sum(min(s) == j for s in sets) / len(sets) for j in range(n_columns)])


def poisson_law(mean_more, n_columns):
    """Law of the best column where min(1 + Poisson, D) compete."""
    pmf = [exp(-mean_more) * mean_more**k / factorial(k) for k in range(n_columns - 1)]
    pmf.append(1 - sum(pmf))
    return sum(p * best_of(k + 1, n_columns) for k, p in enumerate(pmf))


def holds_law(found, law, n):
    counts = np.array([(found == j).sum() for j in range(len(law))])
    assert counts.sum() == n
    return chisquare(counts, n * np.asarray(law)).pvalue > ALARM


@pytest.mark.parametrize("mean_more", [0.0, 0.7, 2.5])
def test_a_poisson_number_of_columns_competes(mean_more):
    X, y = ladder()
    rule = GREEDY._replace(mean_more=mean_more, min_leaf=N // 2)
    columns, _ = roots(X, y, rule, N_TREES)
    assert holds_law(columns, poisson_law(mean_more, 5), N_TREES)
    assert not holds_law(columns, poisson_law(mean_more + 0.3, 5), N_TREES)


def test_two_bernoulli_draws():
    """One column alone, and any cut, each with its own probability, independently."""
    X, y = ladder()
    rule = GREEDY._replace(columns=3, one_column=0.3, any_cut=0.2, min_leaf=N // 2)
    columns, _ = roots(X, y, rule, 4 * N_TREES)
    uniform, greedy = np.full(5, 0.2), best_of(3, 5)
    law = 0.2 * uniform + 0.8 * (0.3 * uniform + 0.7 * greedy)
    assert holds_law(columns, law, 4 * N_TREES)
    assert not holds_law(columns, 0.2 * uniform + 0.8 * greedy, 4 * N_TREES)


def test_columns_without_a_cut_are_drawn_and_more_follow():
    """Two of five columns compete, three are constant: the better of the two good ones wins if both are
    drawn, and else the one that comes first in random order."""
    X, y = ladder(2)
    X = np.hstack([X, np.zeros((N, 3))])
    columns, _ = roots(X, y, GREEDY._replace(columns=2, min_leaf=N // 2), N_TREES)
    orders = list(itertools.permutations(range(5)))
    wins = sum(set(o[:2]) >= {0, 1} or o.index(0) < o.index(1) for o in orders) / len(orders)
    assert holds_law(columns, [wins, 1 - wins], N_TREES)


def test_any_cut_is_uniform_in_a_uniform_column():
    """Three columns with 1, 3 and no cuts: a constant one does not compete."""
    X = np.array([[0, 0, 5], [0, 1, 5], [0, 2, 5], [0, 2, 5], [1, 4, 5], [1, 4, 5.0]])
    y = np.array([0, 1, 0, 1, 0, 1])
    columns, cuts = roots(X, y, GREEDY._replace(any_cut=1.0), N_TREES)
    assert holds_law(columns, [0.5, 0.5], N_TREES)
    inside, counts = np.unique(cuts[columns == 1], return_counts=True)
    assert inside.tolist() == [0.5, 1.5, 3.0] and chisquare(counts).pvalue > ALARM


def test_cuts_lie_in_the_range_of_a_few_points():
    """Of eight records the best cut is in the middle; two points span it in 16 of 28 pairs."""
    X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    _, cuts = roots(X, y, GREEDY._replace(range_points=2, min_leaf=1), N_TREES)
    pairs = list(itertools.combinations(range(8), 2))
    spanned = sum(a < 4 <= b for a, b in pairs)
    hits = (cuts == 3.5).sum()
    expected = [N_TREES * spanned / len(pairs), N_TREES * (1 - spanned / len(pairs))]
    assert chisquare([hits, N_TREES - hits], expected).pvalue > ALARM
    _, all_cuts = roots(X, y, GREEDY._replace(range_points=8), 50)
    assert (all_cuts == 3.5).all()


def cost(X, y, structure, estimation, j, cut, min_leaf):
    """Gini mass of both sides by fractions; None where a side keeps too few."""
    total = Fraction(0)
    for side in (X[:, j] <= cut, X[:, j] > cut):
        if side[estimation].sum() < min_leaf or not side[structure].any():
            return None
        own = y[structure][side[structure]]
        shares = [Fraction(int((own == c).sum()), len(own)) for c in range(3)]
        total += len(own) * (1 - sum(s * s for s in shares))
    return total


@pytest.mark.parametrize("values", [4, 1000])
def test_the_best_cut_by_brute_force(values):
    """With few values and with many, which are sorted in two ways."""
    rng = np.random.default_rng(1)
    rule = GREEDY._replace(columns=3, min_leaf=3)
    for _ in range(40):
        X, y = rng.integers(0, values, (30, 3)).astype(float), rng.integers(0, 3, 30)
        X = np.vstack([X, rng.integers(0, values, (200, 3))])  # more values than a node has records
        y = np.append(y, np.zeros(200, dtype=int))
        structure, estimation = np.arange(15), np.arange(15, 30)
        forest, _ = grow_observed_trees(X, y, 3, [(structure, estimation)], rule, rng=rng)
        costs = {}
        for j in range(3):
            seen = np.unique(X[structure, j])
            for cut in (seen[:-1] + seen[1:]) / 2:
                found = cost(X, y, structure, estimation, j, cut, 3)
                if found is not None:
                    costs[j, cut] = found
        j, cut = forest.feature[0], forest.threshold[0]
        assert costs[j, cut] == min(costs.values())


@pytest.mark.parametrize("rule", [
    GREEDY._replace(columns=2, min_leaf=5), GREEDY._replace(any_cut=1.0, min_leaf=5),
    GREEDY._replace(mean_more=1.0, range_points=6, min_leaf=3),
])  # fmt: skip
def test_every_leaf_keeps_its_estimation_points(rule):
    """Counted by routing the records anew; a leaf that could be cut is cut."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 4)).round(1), rng.integers(0, 3, 300)
    halves = [(o[:150], o[150:]) for o in (rng.permutation(300) for _ in range(5))]
    forest, counts = grow_observed_trees(X, y, 3, halves, rule, rng=rng)
    leaves = trees.apply(forest, X)
    for t, (structure, estimation) in enumerate(halves):
        first, last = forest.leaf_starts[t : t + 2]
        again = np.zeros((last - first, 3), dtype=int)
        np.add.at(again, (leaves[estimation, t], y[estimation]), 1)
        np.testing.assert_array_equal(counts[first:last], again)
        assert again.sum(axis=1).min() >= rule.min_leaf
        for leaf in range(last - first) if not rule.range_points else ():
            ours, theirs = (X[ids[leaves[ids, t] == leaf]] for ids in (structure, estimation))
            for j in range(4):
                seen = np.unique(ours[:, j])
                low = np.searchsorted(np.sort(theirs[:, j]), (seen[:-1] + seen[1:]) / 2)
                assert not ((low >= rule.min_leaf) & (len(theirs) - low >= rule.min_leaf)).any()


def test_threads_change_nothing():
    X, y = ladder()
    everyone = np.arange(N)
    grown = [
        grow_observed_trees(
            X, y, 2, [(everyone, everyone)] * 8, GREEDY._replace(columns=2, any_cut=0.5),
            rng=np.random.default_rng(5), n_jobs=jobs,
        )[0].feature
        for jobs in (None, 2)
    ]  # fmt: skip
    np.testing.assert_array_equal(*grown)


def test_ranks_give_the_values_back():
    X = np.array([[3.0, 1.0], [1.0, 1.0], [2.0, 7.0]])
    ranks, values, starts = ranked(X)
    for j in range(2):
        np.testing.assert_array_equal(values[starts[j] : starts[j + 1]][ranks[j]], X[:, j])
