"""Trees of which only what records reach is drawn: the same law as whole trees.

Statistical checks are seeded; each has a false-alarm rate of at most 1e-6,
and misses an event that is more or less likely by 0.1 in about one of ten draws at most.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dplit import Categorical, Continuous, Domain
from dplit.depth import leaves_law
from dplit.trees import apply, expected_leaves, grow_random_trees, reach_random_leaves

MIXED = Domain([Continuous(-1, 3), Categorical([*"abc"]), Continuous(10, 11), Categorical([0, 1])])
RECORDS = np.array([[0.0, 0, 10.2, 0], [1.0, 0, 10.9, 1], [2.5, 2, 10.2, 1]])


def mean_leaves(levels, continuous, depth):
    """Expected leaves by recursion over the root's test, in fractions."""
    columns = len(levels) + continuous
    if depth == 0 or columns == 0:
        return Fraction(1)
    found = 2 * continuous * mean_leaves(levels, continuous, depth - 1) if continuous else 0
    for i, level in enumerate(levels):
        found += level * mean_leaves(levels[:i] + levels[i + 1 :], continuous, depth - 1)
    return Fraction(found, columns)


@pytest.mark.parametrize("levels", [(), (3,), (2, 5), (4, 4, 2, 3), (1, 3)])
@pytest.mark.parametrize("continuous", [0, 1, 3])
def test_expected_leaves_by_recursion(levels, continuous):
    if levels or continuous:
        features = [Categorical(range(k)) for k in levels] + [Continuous(0, 1)] * continuous
        for depth in range(6):
            exact = float(mean_leaves(levels, continuous, depth))
            assert expected_leaves(Domain(features), depth) == pytest.approx(exact, rel=1e-12)


def test_expected_leaves_is_the_mean_of_the_law():
    levels = (3, 5, 4, 4, 3, 2, 3, 3)  # Nursery
    domain = Domain([Categorical(range(k)) for k in levels])
    for depth in (1, 3, 4):
        law = leaves_law(levels, depth)
        assert expected_leaves(domain, depth) == pytest.approx(law @ np.arange(len(law)))


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_records_end_together_as_in_whole_trees(depth):
    """Chi-square of the two samples of partitions of three records."""
    n, rng = 2500, np.random.default_rng(depth)
    whole = apply(grow_random_trees(MIXED, n, depth, rng=rng), RECORDS).T
    reached = [reach_random_leaves(MIXED, depth, RECORDS, rng=rng)[0] for _ in range(n)]
    tables = []
    for leaves in (whole, np.array(reached)):
        pairs = [leaves[:, 0] == leaves[:, 1], leaves[:, 0] == leaves[:, 2], leaves[:, 1] == leaves[:, 2]]
        tables.append(np.bincount(pairs[0] + 2 * pairs[1] + 4 * pairs[2], minlength=8))
    seen = np.array(tables)[:, np.sum(tables, axis=0) > 0]
    assert seen.shape[1] >= 2 and stats.chi2_contingency(seen).pvalue > 1e-6


def test_the_total_has_the_mean_of_whole_trees():
    """Totals add what is expected below unreached nodes, so their mean is exact: six deviations."""
    rng = np.random.default_rng(0)
    totals = [reach_random_leaves(MIXED, 4, RECORDS, rng=rng)[1] for _ in range(2000)]
    away = np.mean(totals) - expected_leaves(MIXED, 4)
    assert abs(away) < 6.2 * np.std(totals) / np.sqrt(len(totals))


def test_the_total_is_exact_for_continuous_columns():
    domain = Domain([Continuous(0, 1)] * 3)
    records = np.random.default_rng(1).random((50, 3))
    leaves, total = reach_random_leaves(domain, 6, records, rng=np.random.default_rng(2))
    assert total == 64 and sorted(set(leaves.tolist())) == list(range(leaves.max() + 1))


def test_depth_is_kept_where_whole_trees_are_too_large():
    domain = Domain([Categorical(range(6))] * 22)
    records = np.random.default_rng(3).integers(6, size=(40, 22)).astype(float)
    leaves, total = reach_random_leaves(domain, 11, records, rng=np.random.default_rng(4))
    assert total == pytest.approx(6.0**11) and len(set(leaves.tolist())) == 40


def test_the_same_generator_gives_the_same_tree():
    one, two = (reach_random_leaves(MIXED, 5, RECORDS, rng=np.random.default_rng(5)) for _ in range(2))
    assert one[0].tolist() == two[0].tolist() and one[1] == two[1]


def test_records_of_another_width_are_named():
    with pytest.raises(ValueError, match=r"records must have shape \(n_records, 4\), got \(2, 3\)"):
        reach_random_leaves(MIXED, 2, np.zeros((2, 3)), rng=np.random.default_rng(0))


@pytest.mark.parametrize(("x", "y"), [(0.05, 0.1), (0.4, 0.6), (0.9, 0.95)])
def test_a_second_cut_is_uniform_in_what_is_left(x, y):
    """Two cuts of [0, 1] part x < y with probability (y - x)(1 - ln y - ln(1 - x)): binomial test."""
    domain, pair, rng = Domain([Continuous(0, 1)]), np.array([[x], [y]]), np.random.default_rng(6)
    drawn = [reach_random_leaves(domain, 2, pair, rng=rng)[0] for _ in range(2500)]
    apart = sum(int(one != other) for one, other in drawn)
    chance = (y - x) * (1 - np.log(y) - np.log(1 - x))
    assert stats.binomtest(apart, len(drawn), chance).pvalue > 1e-6
