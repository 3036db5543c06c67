"""The law of a whole fit of DP-RF, exactly, on a small domain: two binary columns, two classes.

A tree of one split is a column and a label for each of its two levels, eight outcomes; the law of two
trees is the mean over all assignments of the records. The reference computes sums of squares by
variances, in its own loops. That the forest follows the law is checked by simulation.
"""

import itertools

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from dplit import Categorical, Domain, baselines
from dplit.baselines import DPRandomForestClassifier
from dplit.baselines.dp_rf import CRITERIA, REACH, entropy_reach
from dplit.mechanisms import PermuteAndFlip
from dplit.trees.greedy_levels import cost

DOMAIN = Domain([Categorical([0, 1]), Categorical([0, 1])])
RECORDS = list(itertools.product((0, 1), (0, 1), (0, 1)))  # two columns and the class
SETS = [[], [(0, 0, 0)], [(0, 1, 1), (1, 0, 0)], [(0, 0, 1), (0, 0, 1), (1, 0, 0)]]


def forest(neighbours="add-remove", criterion="gini", **options):
    settings = dict(domain=DOMAIN, classes=[0, 1], n_estimators=2, max_depth=1, rho=0.6)
    return DPRandomForestClassifier(1.2, neighbours=neighbours, criterion=criterion, **{**settings, **options})


def costs(records, criterion):
    """Gini indices times sizes, or the minorities, of the two levels of each column."""
    for column in (0, 1):
        total = 0.0
        for level in (0, 1):
            y = [r[2] for r in records if r[column] == level]
            if y and criterion == "gini":
                total += 2 * len(y) * np.var(y)
            elif y:
                total += min(y.count(0), y.count(1))
        yield total


def tree_law(records, epsilon, criterion):
    """Probability of each column and pair of labels, shape (2, 2, 2)."""
    reach = {"gini": 2, "majority": 1}[criterion]
    weights = np.exp(-0.6 * epsilon / reach * np.array(list(costs(records, criterion))))
    law = np.empty((2, 2, 2))
    for column, weight in enumerate(weights / weights.sum()):
        counts = [[records.count((*x, c)) for x in level] for level in LEVELS[column] for c in (0, 1)]
        leaves = np.array(counts).sum(axis=1).reshape(2, 2)
        first, second = PermuteAndFlip(0.4 * epsilon, monotonic=True).pmf(leaves)
        law[column] = weight * np.outer(first, second)
    return law


LEVELS = [[[(0, 0), (0, 1)], [(1, 0), (1, 1)]], [[(0, 0), (1, 0)], [(0, 1), (1, 1)]]]


def forest_law(records, epsilon, criterion):
    """Law of both trees, shape (8, 8)."""
    total = np.zeros((8, 8))
    for assigned in itertools.product((0, 1), repeat=len(records)):
        parts = [[r for r, t in zip(records, assigned) if t == tree] for tree in (0, 1)]
        one, other = (tree_law(part, epsilon, criterion).ravel() for part in parts)
        total += np.outer(one, other)
    return total / 2 ** len(records)


def loss(one, other):
    return np.abs(np.log(one / other)).max()


@pytest.mark.parametrize("criterion", ["gini", "majority"])
@pytest.mark.parametrize("records", SETS, ids=len)
def test_a_record_more_changes_the_law_by_at_most_epsilon(records, criterion):
    before = forest_law(records, 1.2, criterion)
    losses = [loss(before, forest_law([*records, r], 1.2, criterion)) for r in RECORDS]
    fitted = forest(criterion=criterion).fit([(0, 0), (1, 1)], [0, 1])
    assert 0.2 * 1.2 < max(losses) <= fitted.budget_.epsilon


@pytest.mark.parametrize("records", SETS[1:], ids=len)
def test_a_replaced_record_changes_the_law_by_at_most_epsilon(records):
    before = forest_law(records, 0.6, "gini")
    losses = [loss(before, forest_law([r, *records[1:]], 0.6, "gini")) for r in RECORDS]
    fitted = forest("replace-one").fit([(0, 0), (1, 1)], [0, 1])
    assert 0.15 * 1.2 < max(losses) <= fitted.budget_.epsilon


@pytest.mark.parametrize(("neighbours", "criterion"), [("add-remove", "gini"), ("replace-one", "majority")])
def test_the_forest_follows_its_law(neighbours, criterion):
    """800 fits against the exact law: chi-square, false alarm 1e-9."""
    records = SETS[3]
    X, y = [r[:2] for r in records], [r[2] for r in records]
    generator = np.random.default_rng(7)
    seen = np.zeros((8, 8))
    for _ in range(800):
        fitted = forest(neighbours, criterion, random_state=int(generator.integers(2**32))).fit(X, y)
        columns = fitted.trees_.feature[fitted.trees_.roots]
        labels = fitted.leaf_labels_.reshape(2, 2)
        one, other = columns * 4 + labels @ [2, 1]
        seen[one, other] += 1
    exact = forest_law(records, 0.6 if neighbours == "replace-one" else 1.2, criterion)
    assert chisquare(seen.ravel(), 800 * exact.ravel()).pvalue > 1e-9


# Which records a tree sees -------------------------------------------------------------------


def minority_labels(name, n_estimators, **options):
    """How many trees of depth 0 label their leaf by the minority of records of classes 0, 0 and 1."""
    fitted = getattr(baselines, name)(
        1e7, domain=DOMAIN, classes=[0, 1], n_estimators=n_estimators, max_depth=0, random_state=1, **options
    ).fit([(0, 0)] * 3, [0, 0, 1])
    if name == "JPWClassifier":
        return int(fitted.leaf_counts_.argmax(axis=1).sum())
    return int(fitted.leaf_labels_.sum())


CLASSIFIERS = [n for n in baselines.__all__ if n.endswith("Classifier") and n not in baselines.NOT_PRIVATE]


def test_the_random_forest_as_published_draws_with_replacement():
    """Two or three of the three draws must be the one record: 7/27. Binomial test, 1e-9."""
    seen = minority_labels("DPRandomForestClassifier", 2000, accounting="published")
    assert binomtest(seen, 2000, 7 / 27).pvalue > 1e-9


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_trees_that_share_all_records_agree(name):
    assert minority_labels(name, 200, partitioned=False) == 0
    if "Random" not in name:
        assert minority_labels(name, 200, accounting="published") == 0


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_equal_parts_hold_one_record_each(name):
    assert minority_labels(name, 3, accounting="published", partitioned=True) == 1


# What a record adds to a score ---------------------------------------------------------------


def added(table, score):
    """What one record of each class adds to the cost, in each child."""
    before = cost(table, table.shape[1], score)
    for child, k in np.ndindex(table.shape):
        after = table.copy()
        after[child, k] += 1
        yield cost(after, table.shape[1], score) - before


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_record_only_adds_to_a_cost_and_at_most_its_reach(criterion):
    largest = 0.0
    for entries in itertools.product(range(5), repeat=4):
        table = np.array(entries, dtype=float).reshape(2, 2)
        reach = entropy_reach(int(table.sum())) if criterion == "entropy" else REACH[criterion]
        changes = list(added(table, CRITERIA[criterion]))
        assert min(changes) >= -1e-12 and max(changes) <= reach + 1e-12
        largest = max(largest, max(changes) / reach)
    assert largest > 0.7
    pure = np.array([[3000.0, 0.0], [0.0, 0.0]])
    reach = entropy_reach(3000) if criterion == "entropy" else REACH[criterion]
    assert 0.999 * reach < max(added(pure, CRITERIA[criterion])) <= reach


def test_a_record_adds_at_most_one_to_the_squared_deviations():
    """Of targets in [0, 1]: by numpy's variance, against the kernel's cost up to what all share."""
    rng = np.random.default_rng(0)
    largest = 0.0
    for _ in range(300):
        n = int(rng.integers(1, 30))
        y = rng.integers(0, 2, n) if rng.random() < 0.5 else rng.random(n)
        level, new, child = rng.integers(3, size=n), rng.integers(2), rng.integers(3)
        more, levels = np.append(y, new), np.append(level, child)
        spread = [sum(v[g == k].var() * (g == k).sum() for k in set(g.tolist()))
                  for v, g in ((y, level), (more, levels))]  # fmt: skip
        table = [np.array([[(g == k).sum(), v[g == k].sum()] for k in range(3)], dtype=float)
                 for v, g in ((y, level), (more, levels))]  # fmt: skip
        by_kernel = cost(table[1], 0, CRITERIA["gini"]) - cost(table[0], 0, CRITERIA["gini"])
        assert by_kernel + new**2 == pytest.approx(spread[1] - spread[0], abs=1e-9)
        assert -1e-9 <= spread[1] - spread[0] <= 1
        largest = max(largest, spread[1] - spread[0])
    assert largest > 0.5
