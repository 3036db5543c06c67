"""FS and RGV: the law of a whole fit by enumeration, what it really costs, and the reach of a score.

The references count in their own loops. One tree of one test on two binary columns and two classes
has ten outcomes: it ends at the root with one of two labels, or it is a column and two labels.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare, laplace

from dplit import Categorical, Continuous, Domain
from dplit.baselines import FSClassifier, RGVClassifier
from dplit.baselines.dp_rf import entropy_drift, entropy_reach
from dplit.budget import EqualParts, Group, Parallel
from dplit.mechanisms import Exponential, PermuteAndFlip
from dplit.trees.greedy_levels import cost
from dplit.trees.rules import ENTROPY

LEVELS = Domain([Categorical([0, 1]), Categorical([0, 1])])
LINE = Domain([Continuous(0, 1)])
UNIVERSE = list(itertools.product((0, 1), repeat=3))  # two columns and the class
SETS = [[], [(0, 0, 0)], [(0, 1, 1), (1, 0, 0)], [(0, 0, 0)] * 2 + [(1, 0, 1)],
        [(0, 0, 0)] * 3 + [(0, 1, 1)], [(0, 0, 0), (1, 1, 1)] * 4]  # fmt: skip
OPERATORS = ("max", "gini", "information-gain")
REACH = {"max": 1.0, "gini": 2.0, "information-gain": math.log2(3) + 1 / math.log(2)}


def make(operator="max", epsilon=1.2, domain=LEVELS, **options):
    settings = dict(domain=domain, classes=[0, 1], max_depth=1, operator=operator, public_n=2)
    return FSClassifier(epsilon, **{**settings, **options})


def unexplained(groups, operator):
    """What groups of labels leave unexplained, by definition."""
    total = 0.0
    for labels in groups:
        n, ones = len(labels), sum(labels)
        counts = [c for c in (ones, n - ones) if c]
        if operator == "max":
            total += n - max(counts, default=0)
        elif operator == "gini":
            total += n * (1 - sum((c / n) ** 2 for c in counts)) if n else 0
        else:  # no record counts more than the logarithm of public_n + 1
            total += sum(c * min(math.log2(n / c), math.log2(3)) for c in counts)
    return total


def label_law(labels, share, published):
    """Law of a leaf's class, by permute-and-flip or by the larger of two noisy counts."""
    counts = np.array([len(labels) - sum(labels), sum(labels)])
    if not published:
        return PermuteAndFlip(share, monotonic=True).pmf(counts)
    gap = abs(counts[1] - counts[0]) * share  # two Laplace noises apart
    behind = math.exp(-gap) * (2 + gap) / 4
    return np.array([behind, 1 - behind] if counts[1] > counts[0] else [1 - behind, behind])


def end_law(n, share):
    """Probability that the root ends: two classes, two children."""
    return laplace.cdf(math.sqrt(2) * 4 / share, n, 1 / share)


def tree_law(records, operator, epsilon=1.2, published=False):
    """Probabilities of the ten outcomes; a path has a number, a choice, a leaf, and one spare part."""
    share = epsilon / (4 if published else 3)
    rate = share / REACH[operator] / (2 if published else 1)
    end = end_law(len(records), share)
    groups = [[[r[2] for r in records if r[j] == level] for level in (0, 1)] for j in (0, 1)]
    weights = np.exp([-rate * unexplained(g, operator) for g in groups])
    labels = [np.outer(*(label_law(g, share, published) for g in pair)) for pair in groups]
    split = (1 - end) * (weights / weights.sum())[:, None, None] * np.array(labels)
    root = end * label_law([r[2] for r in records], share, published)
    return np.concatenate([root, split.ravel()])


def loss(one, other):
    return np.abs(np.log(one / other)).max()


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("operator", OPERATORS)
def test_a_record_more_changes_the_law_by_at_most_the_budget(operator, published):
    """All neighbours of six sets of up to eight records; public_n is 2, so the cap is at work."""
    accounting = "published" if published else "proved"
    budget = make(operator, accounting=accounting).fit([(0, 0)], [0]).budget_.epsilon
    worst = max(
        loss(tree_law(data, operator, published=published),
             tree_law([*data, record], operator, published=published))
        for data in SETS for record in UNIVERSE
    )  # fmt: skip
    assert 0.3 * budget < worst <= budget * (1 + 1e-12)


def counted(*counts):
    """So many of each record of `UNIVERSE`."""
    return [record for record, count in zip(UNIVERSE, counts) for _ in range(count)]


# At this rate 1,200 trees see each law that 1,500 would see at 1e-9 with probability 0.99 at least as often.
FITS, TREES, FALSE_ALARM = 40, 30, 1e-6
DRAWN = FITS * TREES


def trees_of_fits(model, X, y, seed, seen, place):
    """How often each tree was grown: a leaf alone by its label, else `place` of each test and two labels.

    Each tree of a fit reads all records, at the epsilon that it has when it is alone.
    """
    generator, epsilon = np.random.default_rng(seed), TREES * model.epsilon
    model = model.set_params(epsilon=epsilon, n_estimators=TREES, partitioned=False)
    for _ in range(FITS):
        fitted = model.set_params(random_state=int(generator.integers(2**32))).fit(X, y)
        labels, trees = fitted.leaf_labels_.astype(int), fitted.trees_
        first = trees.leaf_starts
        for root, begin, end in zip(trees.roots, first, first[1:]):
            ones = labels[begin:end]
            seen[ones[0] if end - begin == 1 else 2 + 4 * place(trees, root) + ones @ [2, 1]] += 1
    return seen


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("operator", OPERATORS)
def test_a_tree_follows_its_law(operator, published):
    """Trees against the exact law by chi-square. It tells twice the rate apart."""
    records = counted(2, 0, 7, 13, 5, 0, 0, 12)
    X, y = [r[:2] for r in records], [r[2] for r in records]
    model = make(operator, accounting="published" if published else "proved")
    seen = trees_of_fits(model, X, y, 11, np.zeros(10), lambda trees, root: trees.feature[root])
    law = tree_law(records, operator, published=published)
    assert law.sum() == pytest.approx(1)
    assert chisquare(seen, DRAWN * law).pvalue > FALSE_ALARM


def test_the_cap_is_at_work_above_the_public_number():
    """The first column is chosen with chance 0.66, and with 0.20 without it; binomial test, 1e-9."""
    records = counted(8, 3, 14, 0, 0, 15, 4, 0)
    law = tree_law(records, "information-gain", 3.0)
    X, y = [r[:2] for r in records], [r[2] for r in records]
    forest = make("information-gain", 300 * 3.0, n_estimators=300, partitioned=False, random_state=1)
    roots = forest.fit(X, y).trees_.feature[forest.trees_.roots]
    first = law[2:6].sum() / law[2:].sum()
    assert first == pytest.approx(0.66, abs=0.01)
    assert binomtest(int((roots == 0).sum()), int((roots >= 0).sum()), first).pvalue > 1e-9


# A continuous column -------------------------------------------------------------------------


def line_law(records, operator, cuts, epsilon=1.2):
    """Density of a tree on one continuous column: its end, or its cut with two labels; proved.

    `cuts` are points, one between any two neighbouring values; shape (2 + 4 len(cuts),).
    """
    share = epsilon / 4  # a number, a cut, a choice (of one column), a leaf
    rate, end = share / REACH[operator], end_law(len(records), share)
    ends = np.array([0.0, *sorted(x for x, _ in records), 1.0])
    middles = (ends[1:] + ends[:-1]) / 2

    def sides(cut):
        return [[y for x, y in records if (x <= cut) == left] for left in (True, False)]

    def weight(cut):
        return math.exp(-rate * unexplained(sides(cut), operator))

    total = sum(w * weight(cut) for w, cut in zip(np.diff(ends), middles))
    root = end * label_law([y for _, y in records], share, False)
    densities = [
        (1 - end) * weight(cut) / total * np.outer(*(label_law(side, share, False) for side in sides(cut))).ravel()
        for cut in cuts
    ]
    return np.concatenate([root, *densities])


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_record_more_changes_the_density_by_at_most_the_budget(operator):
    budget = make(operator, domain=LINE).fit([[0.5]], [0]).budget_.epsilon
    assert 1.2 * (1 - 1e-12) < budget <= 1.2
    worst = 0.0
    for n in range(4):
        for labels in itertools.product((0, 1), repeat=n):
            data = list(zip(np.linspace(0.2, 0.9, n), labels))
            for record in itertools.product((0.05, 0.4, 0.999), (0, 1)):
                more = [*data, record]
                ends = np.array([0.0, *sorted(x for x, _ in more), 1.0])
                cuts = (ends[1:] + ends[:-1]) / 2
                worst = max(worst, loss(line_law(data, operator, cuts), line_law(more, operator, cuts)))
    assert 0.3 * budget < worst <= budget


def test_the_tree_on_a_line_follows_its_law():
    """Cuts by the interval they fall into, by chi-square."""
    records = [(x, int(x > 0.55)) for x in np.linspace(0.02, 0.98, 25)]
    ends = np.array([0.0, 0.31, 0.54, 0.56, 0.79, 1.0])
    grid = np.linspace(0, 1, 2001)[1:] - 0.00025
    law = line_law(records, "max", grid)
    cells = np.searchsorted(ends, grid) - 1
    expected = [*law[:2]]
    for cell in range(5):
        expected += (law[2:].reshape(-1, 4)[cells == cell].sum(axis=0) / 2000).tolist()
    X, y = [[x] for x, _ in records], [c for _, c in records]
    model = make("max", domain=LINE)
    seen = trees_of_fits(
        model, X, y, 4, np.zeros(22), lambda trees, root: np.searchsorted(ends, trees.threshold[root]) - 1
    )
    expected = DRAWN * np.array(expected) / sum(expected)
    assert chisquare(seen, expected).pvalue > FALSE_ALARM


# The capped entropy --------------------------------------------------------------------------


@pytest.mark.parametrize("public_n", [1, 2, 5])
def test_a_record_adds_at_most_the_reach_to_the_capped_entropy(public_n):
    """Nodes of up to 14 records in three classes, far above public_n; and it takes nothing off."""
    bits, largest = math.log2(public_n + 1), 0.0
    for counts in itertools.product(range(8), range(5), range(4)):
        before = cost(np.array([counts], dtype=float), 3, ENTROPY, bits)
        for k in range(3):
            more = np.array([counts], dtype=float)
            more[0, k] += 1
            change = cost(more, 3, ENTROPY, bits) - before
            assert -1e-12 <= change <= entropy_reach(public_n) + 1e-12
            largest = max(largest, change)
    assert largest > 0.6 * entropy_reach(public_n)


def test_the_cap_does_nothing_up_to_the_public_number():
    rng = np.random.default_rng(1)
    for _ in range(200):
        table = rng.integers(0, 4, size=(2, 3)).astype(float)
        n = table.sum(axis=1).max()
        free, capped = (cost(table, 3, ENTROPY, b) for b in (math.inf, math.log2(n + 1)))
        assert free == pytest.approx(capped, abs=1e-12)


def test_without_the_cap_more_records_than_the_public_number_break_the_budget():
    """One column keeps a node of 1000 pure when a record of another class comes, the other does not."""
    mechanism = Exponential(1.0 / entropy_reach(2), monotonic=True)  # a share of 1

    def change(bits):
        more = cost(np.array([[1000.0, 1.0]]), 2, ENTROPY, bits)
        return loss(*(mechanism.pmf(scores) for scores in ([0.0, 0.0], [0.0, -more])))

    assert change(math.inf) > 2.5 and change(math.log2(3)) <= 1.0


# Budgets -------------------------------------------------------------------------------------

MIXED = Domain([Continuous(0, 1), Categorical(["a", "b", "c"]), Continuous(0, 1), Continuous(2, 2)])
X = [[0.1, "a", 0.3, 2], [0.9, "b", 0.2, 2], [0.4, "a", 0.8, 2], [0.6, "c", 0.1, 2]]
Y = [0, 1, 1, 0]


@pytest.mark.parametrize("depth", [0, 1, 5])
@pytest.mark.parametrize(("domain", "cuts"), [(LEVELS, 0), (LINE, 1), (MIXED, 2)])
def test_fs_as_published_costs_less_than_it_says(domain, cuts, depth):
    """Numbers in full, choices and cuts by half, one leaf; of (2 + cuts) depth + 2 shares."""
    x = X if domain is MIXED else [row[: len(domain)] for row in [[0, 0], [1, 1], [0, 1], [1, 0]]]
    tree = make(epsilon=2.0, domain=domain, max_depth=depth, accounting="published").fit(x, Y)
    reached = min(depth, 2) if domain is LEVELS else depth
    share = 2.0 / ((2 + cuts) * reached + 2)
    assert tree.budget_.epsilon == pytest.approx(share * (reached * (1.5 + cuts / 2) + 1))


def test_the_shares_of_a_tree_without_continuous_columns_are_the_published_ones():
    tree = make(epsilon=3.0, max_depth=2, accounting="published").fit([[0, 1]], [1])
    spends = {n.name: n.epsilon for n in tree.budget_.leaves()}
    assert spends["number of records"] == pytest.approx(3.0 / (2 * 3))
    assert spends["choice of a column"] == pytest.approx(3.0 / (2 * 3) / 2)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("name", [FSClassifier, RGVClassifier])
def test_the_information_gain_costs_more_where_the_number_of_records_is_secret(name, neighbours):
    def total(operator, public_n):
        model = name(2.0, domain=MIXED, classes=[0, 1], n_estimators=3, operator=operator,
                     public_n=public_n, accounting="published", neighbours=neighbours, max_depth=2,
                     partitioned=False)  # fmt: skip
        return model.fit(X, Y).budget_.epsilon

    assert total("information-gain", 50) == pytest.approx(total("gini", None))
    more = total("information-gain", None) - total("gini", None)
    if neighbours == "replace-one":
        assert more == pytest.approx(0)
    else:  # a choice and two cuts on each of two levels of three trees, one bit of classes
        share = (2.0 if name is RGVClassifier else 2.0 / 3) / (4 * 2 + 2)
        assert more == pytest.approx(3 * 2 * 3 * share / 2 * entropy_drift())


def test_a_fit_on_more_records_than_the_public_number():
    rng = np.random.default_rng(0)
    x = rng.random((300, 2))
    domain = Domain([Continuous(0, 1)] * 2)
    tree = make("information-gain", 1e5, domain=domain, public_n=7, max_depth=2, random_state=0)
    assert tree.fit(x, x[:, 1] > 0.4).score(x, x[:, 1] > 0.4) > 0.98
    assert tree.budget_.epsilon <= 1e5


def test_the_trees_of_rgv_add_up_as_published():
    one, many = (
        RGVClassifier(1.0, domain=MIXED, classes=[0, 1], n_estimators=n, accounting="published").fit(X, Y).budget_
        for n in (1, 110)
    )
    assert 0.5 < one.epsilon <= 1.0
    assert many.epsilon == pytest.approx(110 * one.epsilon)
    parts = RGVClassifier(1.0, domain=MIXED, classes=[0, 1]).fit(X, Y).budget_
    assert 1 - 1e-12 < parts.epsilon <= 1.0
    assert any(isinstance(part, Parallel) for part in parts.root.parts)
    cut = RGVClassifier(1.0, domain=MIXED, classes=[0, 1], partitioned=True, accounting="published",
                        neighbours="add-remove").fit(X, Y).budget_  # fmt: skip
    assert isinstance(cut.root.parts[-1], EqualParts) and cut.root.parts[-1].part.epsilon <= 1.0
    swap = RGVClassifier(1.0, domain=MIXED, classes=[0, 1], n_estimators=9, accounting="published",
                         neighbours="replace-one").fit(X, Y).budget_  # fmt: skip
    assert isinstance(swap.root.parts[-1], Group)
    assert swap.epsilon == pytest.approx(18 * one.epsilon)


@pytest.mark.parametrize(("features", "used"), [(None, 2), (1, 1), (3, 2), (9, 2)])
def test_only_the_columns_that_compete_are_cut(features, used):
    """Two of the three columns that can be tested are continuous; the square root of 3 is 2."""
    model = RGVClassifier(1.0, domain=MIXED, classes=[0, 1], max_features=features, n_estimators=1,
                          accounting="published")  # fmt: skip
    spends = [n for n in model.fit(X, Y).budget_.leaves() if n.name == "number of records"]
    assert spends[0].epsilon == pytest.approx(1.0 / ((2 + used) * 5 + 2))


def test_a_domain_without_anything_to_test_gives_a_leaf():
    domain = Domain([Continuous(1, 1), Categorical(["a"])])
    tree = make(domain=domain, epsilon=1.0).fit([[1, "a"]] * 3, [0, 1, 1])
    assert tree.trees_.n_leaves == 1 and tree.budget_.epsilon == 1.0
