"""Who gets which records: the law of each way, and the account that it comes with."""

import math

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from dplit.budget import Bootstrap, EqualParts, Group, Parallel, Sequence, Spend
from dplit.forests.partition import AllRecords, Independent, Resampled, ShuffledParts, at_most, level_shares

WAYS = (Independent, ShuffledParts, AllRecords, Resampled)
TREE = Sequence("a tree", (Spend("leaf", 0.7),))


def parts_of(way, n_trees, n_records, seed=0):
    return way(n_trees).parts(n_records, np.random.default_rng(seed))[0]


@pytest.mark.parametrize("way", [Independent, ShuffledParts])
@pytest.mark.parametrize(("n_trees", "n"), [(1, 5), (3, 100), (7, 2), (4, 0)])
def test_a_record_goes_to_one_tree(way, n_trees, n):
    parts = parts_of(way, n_trees, n)
    assert len(parts) == n_trees
    assert sorted(np.concatenate(parts).tolist()) == list(range(n))
    assigned, _ = way(n_trees).assign(n, np.random.default_rng(0))
    assert assigned.shape == (n,) and set(assigned.tolist()) <= set(range(n_trees))


@pytest.mark.parametrize("shape", ["parts", "assign"])
def test_independent_trees_have_a_binomial_number_of_records(shape):
    """Of four records the first of two trees; 4,000 draws, chi-square at 1e-9. Equal parts never."""
    rng = np.random.default_rng(3)

    def size(way):
        drawn, _ = getattr(way(2), shape)(4, rng)
        return len(drawn[0]) if shape == "parts" else int((drawn == 0).sum())

    seen = np.bincount([size(Independent) for _ in range(4000)], minlength=5)
    assert chisquare(seen, 4000 * binom.pmf(range(5), 4, 0.5)).pvalue > 1e-9
    assert {size(ShuffledParts) for _ in range(100)} == {2}


@pytest.mark.parametrize("way", [Independent, ShuffledParts])
def test_every_record_is_as_likely_in_every_tree(way):
    """Five records, three trees, 3,000 draws of each shape; chi-square at 1e-9."""
    rng, sizes = np.random.default_rng(4), {Independent: [5 / 3] * 3, ShuffledParts: [2, 2, 1]}
    by_parts, by_assignment = np.zeros((3, 5)), np.zeros((3, 5))
    for _ in range(3000):
        for t, part in enumerate(way(3).parts(5, rng)[0]):
            by_parts[t, part] += 1
        by_assignment[way(3).assign(5, rng)[0], np.arange(5)] += 1
    expected = 3000 * np.repeat(sizes[way], 5).reshape(3, 5) / 5
    for seen in (by_parts, by_assignment):
        assert chisquare(seen.ravel(), expected.ravel()).pvalue > 1e-9


def test_equal_parts_differ_by_one_record():
    assert sorted(map(len, parts_of(ShuffledParts, 3, 100))) == [33, 33, 34]
    assigned, _ = ShuffledParts(5).assign(62, np.random.default_rng(0))
    assert np.bincount(assigned).tolist() == [13, 13, 12, 12, 12]


def test_all_records_and_resampled_ones():
    """A resampled record is drawn a binomial number of times; 4,000 draws, chi-square at 1e-9."""
    assert [part.tolist() for part in parts_of(AllRecords, 3, 4)] == [[0, 1, 2, 3]] * 3
    draws = parts_of(Resampled, 4000, 4)
    assert {len(draw) for draw in draws} == {4} and len({tuple(draw) for draw in draws}) == 4**4
    times = np.bincount([(draw == 2).sum() for draw in draws], minlength=5)
    assert chisquare(times, 4000 * binom.pmf(range(5), 4, 0.25)).pvalue > 1e-9


# What they cost --------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_the_account_of_one_more_record(way):
    """By the composition theorems, written out: 0.7 for one tree, of three."""
    _, account = way(3).parts(4, np.random.default_rng(0))
    expected = {
        Independent: 0.7,
        ShuffledParts: math.log((math.exp(0.7) + 2 * math.exp(3 * 0.7)) / 3),
        AllRecords: 3 * 0.7,
        Resampled: 3 * Bootstrap("", TREE).epsilon,
    }
    node = account(TREE)
    assert node.epsilon == pytest.approx(expected[way], rel=1e-12)
    assert node.neighbours == "add-remove" and node.name == "trees"
    assert isinstance(node, {Independent: Parallel, ShuffledParts: EqualParts}.get(way, Sequence))


@pytest.mark.parametrize("way", WAYS)
def test_the_account_of_a_replaced_record(way):
    """A replaced record keeps its place in a shuffle, so that equal parts are as good as any."""
    _, account = way(3, "replace-one").parts(4, np.random.default_rng(0))
    one = {AllRecords: 3 * 0.7, Resampled: 3 * Bootstrap("", TREE).epsilon}.get(way, 0.7)
    node = account(TREE, "labels", "why")
    assert isinstance(node, Group) and node.why == "why"
    assert (node.name, node.part.name) == ("labels after a replacement", "labels")
    assert node.epsilon == pytest.approx(2 * one, rel=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_shares_add_up_to_epsilon_and_never_more(way):
    """The largest such float, or one below it, where the quotient itself rounds up or down."""
    for n_trees in (1, 3, 7, 10, 49):
        for epsilon in (0.1, 0.3, 0.7, 1.0, 3.3, 1e-200):
            share, readers = way(n_trees).share(epsilon), way(n_trees).readers
            assert readers == (n_trees if way in (AllRecords, Resampled) else 1)
            assert readers * share <= epsilon < readers * share * (1 + 1e-15) + 1e-300
    assert way(3).share(math.inf) == math.inf


def test_some_quotients_need_the_rounding():
    """Else the tests of rounding would show nothing."""
    exceeding = [(n, e / 10) for n in range(1, 100) for e in range(1, 50) if n * (e / 10 / n) > e / 10]
    assert exceeding
    for n, epsilon in exceeding:
        assert n * at_most(epsilon / n, lambda share, n=n: n * share, epsilon) <= epsilon


@pytest.mark.parametrize("depth", [0, 1, 3, 7])
def test_levels_and_leaves_share_a_trees_epsilon(depth):
    for epsilon in (0.1, 0.3, 0.7, 1.0, 3.3):
        for rho in (0.1, 0.3, 0.5, 0.9):
            level, leaf = level_shares(epsilon, depth, rho)
            spent = (depth * level if depth else 0.0) + leaf
            assert epsilon * (1 - 1e-15) <= spent <= epsilon
            if depth:
                assert level == pytest.approx(rho * epsilon / depth, rel=1e-12)
    assert level_shares(math.inf, depth, 0.5) == (math.inf, math.inf)
