"""Trees of Friedman and Schuster: the law of a cut, of a choice, of the end of a path, and their shape."""

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare, kstest, laplace

from dplit import Categorical, Continuous, Domain
from dplit.domain import GRID
from dplit.trees import apply
from dplit.trees.arrays import LEAF
from dplit.trees.greedy import Rule, draw_cut, grow_greedy_trees
from dplit.trees.greedy_levels import cost
from dplit.trees.rules import ENTROPY, MAJORITY, SQUARES

SCORES = {"squares": SQUARES, "entropy": ENTROPY, "majority": MAJORITY}
DRAWS = 2000


def rule(**options):
    settings = dict(max_depth=1, max_features=9, score=SQUARES, most_bits=np.inf, rate=0.5,
                    count_scale=0.0, fewest=0.0)  # fmt: skip
    return Rule(**{**settings, **options})


def table(values, y, cut):
    """Class counts of the two sides, in three classes."""
    return np.array([[((values <= cut) == left)[y == k].sum() for k in range(3)]
                     for left in (True, False)], dtype=float)  # fmt: skip


def interval_law(values, y, low, high, rule):
    """Probability of each interval between the values, its cost, and their ends; each on its own."""
    ends = np.array([low, *np.sort(values), high])
    middles = (ends[1:] + ends[:-1]) / 2
    costs = [cost(table(values, y, cut), 3, rule.score, rule.most_bits) for cut in middles]
    weights = np.diff(ends) * np.exp(-rule.rate * np.array(costs))
    return weights / weights.sum(), np.array(costs), ends


@pytest.mark.parametrize("most_bits", [np.inf, np.log2(4)])
@pytest.mark.parametrize("score", SCORES)
def test_a_cut_follows_its_law(score, most_bits):
    """Chi-square over the intervals, uniform inside one by Kolmogorov-Smirnov; 1e-9 each."""
    rng = np.random.default_rng(5)
    values = np.array([0.1, 0.2, 0.25, 0.25, 0.5, 0.6, 0.7, 1.0])
    y = np.array([0.0, 0, 1, 0, 1, 2, 1, 1])
    given = rule(score=SCORES[score], most_bits=most_bits)
    law, costs, ends = interval_law(values, y, 0.0, 1.0, given)
    ids, work = np.argsort(values, kind="stable"), np.empty((4, 10))
    cuts = []
    for _ in range(DRAWS):
        cut, least = draw_cut(np.rint(values * GRID), ids, y, 3, 0.0, GRID, given, work, rng)
        cut = (cut + 0.5) / GRID
        k = np.searchsorted(ends, cut, side="right") - 1
        assert least == pytest.approx(costs[k], abs=1e-12)
        cuts.append(cut)
    seen = np.histogram(cuts, bins=np.unique(ends))[0]
    possible = law[law > 0]
    assert chisquare(seen, DRAWS * possible).pvalue > 1e-9
    cuts = np.array(cuts)
    inside = cuts[(cuts > 0.25) & (cuts < 0.5)]
    assert kstest((inside - 0.25) / 0.25, "uniform").pvalue > 1e-9


def test_the_cap_on_the_bits_changes_the_law():
    """The two laws of the test above differ, so it tells them apart."""
    values, y = np.linspace(0.1, 0.9, 8), np.array([0.0, 0, 0, 0, 0, 0, 2, 0])
    free, capped = (
        interval_law(values, y, 0.0, 1.0, rule(score=ENTROPY, most_bits=bits))[0] for bits in (np.inf, 1.0)
    )
    assert abs(free - capped).max() > 0.01


@pytest.mark.parametrize("score", SCORES)
def test_without_noise_the_cut_is_a_best_one(score):
    rng = np.random.default_rng(2)
    values = rng.integers(GRID, size=60).astype(float)
    y = (values > 0.4 * GRID).astype(float)
    given = rule(score=SCORES[score], rate=np.inf)
    work = np.empty((4, 62))
    cut, least = draw_cut(values, np.argsort(values), y, 2, 0.0, GRID, given, work, rng)
    assert least == pytest.approx(0) and values[y == 0].max() <= cut < values[y == 1].min()


# Whole trees ---------------------------------------------------------------------------------

DOMAIN = Domain([Continuous(0, 1), Categorical(["a", "b", "c"]), Continuous(0, 2), Categorical(["z"]),
                 Categorical(["u", "v"]), Continuous(3, 3)])  # fmt: skip


def records(n=500, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random(n), rng.integers(3, size=n), 2 * rng.random(n), np.zeros(n),
                         rng.integers(2, size=n), np.full(n, 3.0)])  # fmt: skip
    return X, 1.0 * (X[:, 0] > 0.3) + (X[:, 1] == 2)


def grow(given, n_trees=1, seed=0, n=500, **options):
    X, y = records(n)
    parts = [np.arange(n)] * n_trees
    rng = np.random.default_rng(seed)
    return grow_greedy_trees(DOMAIN, X, y, 3, parts, given, rng=rng, **options)


def paths(trees, domain, node=0, path=()):
    """Every path from the root as its tests, (column, cut, side)."""
    j = trees.feature[node]
    if j == LEAF:
        yield path
        return
    for side in range(max(domain.n_levels[j], 2)):
        test = (int(j), float(trees.threshold[node]), side)
        yield from paths(trees, domain, trees.child[node] + side, (*path, test))


@pytest.mark.parametrize("score", SCORES)
def test_counts_are_those_of_the_records_that_reach_a_leaf(score):
    X, y = records()
    trees, counts = grow(rule(max_depth=4, score=SCORES[score], rate=0.05), n_trees=2)
    assert counts.shape == (trees.n_leaves, 3)
    leaves = apply(trees, X) + trees.leaf_starts[:-1]
    for leaf in leaves.T:
        expected = np.zeros_like(counts)
        np.add.at(expected, (leaf, y.astype(int)), 1)
        own = slice(leaf.min(), leaf.max() + 1)
        np.testing.assert_array_equal(counts[own], expected[own])
    assert counts.sum() == 2 * len(X)


def test_a_level_is_tested_once_a_path_and_a_cut_lies_in_what_is_left():
    trees, _ = grow(rule(max_depth=6, rate=0.0))
    assert any(len({j for j, _, _ in path}) < len(path) for path in paths(trees, DOMAIN))
    for path in paths(trees, DOMAIN):
        columns = [j for j, cut, _ in path if np.isnan(cut)]
        assert len(columns) == len(set(columns)) and set(columns) <= {1, 4}
        left = {0: (0.0, 1.0), 2: (0.0, 2.0)}
        for j, cut, side in path:
            if not np.isnan(cut):
                low, high = left[j]
                assert low <= cut < high
                left[j] = (low, cut) if side == 0 else (cut, high)
        assert len(path) == 6


def test_the_best_tree_without_noise():
    trees, counts = grow(rule(max_depth=2, rate=np.inf, score=ENTROPY))
    assert trees.feature[:4].tolist() == [1, 0, 0, 0]
    np.testing.assert_allclose(trees.threshold[1:4], 0.3, atol=0.02)
    assert (np.sort(counts, axis=1)[:, :2] == 0).all()


def test_equal_columns_are_chosen_alike_and_candidates_uniformly():
    """With no weight on the score the root is uniform among the columns that can be tested."""
    for features in (1, 2, 9):
        given = rule(rate=0.0, max_features=features)
        trees, _ = grow(given, n_trees=DRAWS, n=20)
        seen = np.bincount(trees.feature[trees.roots], minlength=6)
        assert not seen[[3, 5]].any()
        assert chisquare(seen[[0, 1, 2, 4]]).pvalue > 1e-9


def test_the_choice_follows_the_exponential_mechanism():
    """Two columns of levels, in closed form; chi-square, 1e-9."""
    domain = Domain([Categorical(["a", "b"]), Categorical(["a", "b"])])
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1.0]])
    y = np.array([0.0, 0, 1, 1, 1])
    # minorities: none below the first column, 1 + 1 below the second
    trees, _ = grow_greedy_trees(domain, X, y, 2, [np.arange(5)] * DRAWS,
                              rule(score=MAJORITY, rate=0.7), rng=np.random.default_rng(1))  # fmt: skip
    seen = np.bincount(trees.feature[trees.roots])
    weights = np.exp([0, -0.7 * 2])
    assert chisquare(seen, DRAWS * weights / weights.sum()).pvalue > 1e-9


@pytest.mark.parametrize("n", [0, 20, 40])
def test_a_path_ends_by_a_noisy_number(n):
    """Against Laplace's distribution function, three children at most; binomial test, 1e-9."""
    trees, _ = grow(rule(count_scale=6.0, fewest=8.0), n_trees=DRAWS, n=n)
    ended = int((trees.feature[trees.roots] == LEAF).sum())
    assert binomtest(ended, DRAWS, laplace.cdf(24, n, 6.0)).pvalue > 1e-9


def test_the_number_is_drawn_anew_at_every_node():
    """A node that follows an unlikely number is no likelier to end."""
    trees, _ = grow(rule(max_depth=2, count_scale=1000.0, rate=0.0), n_trees=DRAWS, n=20)
    roots = trees.roots[trees.feature[trees.roots] != LEAF]
    first = trees.feature[trees.child[roots]] == LEAF
    second = trees.feature[trees.child[roots] + 1] == LEAF
    chance = laplace.cdf(0, 20 / 3, 1000.0)
    assert binomtest(int(first.sum()), len(roots), chance).pvalue > 1e-9
    assert binomtest(int((first & second).sum()), len(roots), chance**2).pvalue > 1e-9


def test_threads_and_common_sorting_change_nothing():
    given = rule(max_depth=4, count_scale=1.0, fewest=2.0, rate=0.1)
    X, y = records()
    one, two = (grow(given, n_trees=3, n_jobs=jobs) for jobs in (None, 2))
    parts = [np.arange(500) for _ in range(3)]  # equal, but not the same array: sorted anew
    three = grow_greedy_trees(DOMAIN, X, y, 3, parts, given, rng=np.random.default_rng(0))
    for trees, counts in (two, three):
        np.testing.assert_array_equal(one[1], counts)
        np.testing.assert_array_equal(one[0].threshold, trees.threshold)


def test_too_many_nodes(monkeypatch):
    monkeypatch.setattr("dplit.trees.nodes.MAX_NODES", 40)
    with pytest.raises(ValueError, match="max_depth=6 with n_estimators=1 needs more than 40"):
        grow(rule(max_depth=6, rate=0.0))
