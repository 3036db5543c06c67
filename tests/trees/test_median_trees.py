"""Median trees: the law of a cut against sums over every cut there is, and what a tree must be.

Laws are tested at the root: a forest of many trees of one cut on the same records is a sample. The
reference computes sums of squares from each side's own variance, and every probability from
`dplit.median` or by enumeration. Each of some forty chi-square tests rejects a true law with probability
1e-6, and misses one whose squared relative error is 1/16 in the mean with one below 1e-3, in up to twelve cells:
most are far greater at twice or half of a rate; what a fit releases is tested with known power in `tests/power`.
"""

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from dplit import Categorical, Continuous, Domain, median
from dplit.domain import GRID
from dplit.mechanisms import Exponential, PermuteAndFlip
from dplit.trees import apply, cuts
from dplit.trees.arrays import LEAF
from dplit.trees.exact_rules import exact_rule
from dplit.trees.median import grow_median_trees
from dplit.trees.rules import EXPONENTIAL, PERMUTE_AND_FLIP, UNIFORM, Rule

DRAWS, ALARM = 2000, 1e-6
DRAWN = pytest.mark.parametrize("drawn", [lambda rule: rule, exact_rule], ids=["simulated", "exact"])
CHOICES = {EXPONENTIAL: Exponential, PERMUTE_AND_FLIP: PermuteAndFlip}
LEFT = [0.1, 0.15, 0.4, 0.4, 0.9]
RIGHT = [0.5, 0.2, 0.8, 0.3, 0.6]
Y = np.array([0.0, 0.1, 0.9, 0.7, 1.0])
CODES = np.array([0.0, 1.0, 2.0, 2.0, 0.0])


def rule(**options):
    plain = dict(max_depth=1, max_features=9, rate=0.4, gain_rate=2.0, choice=UNIFORM)
    return Rule(**{**plain, "joint": False, "by_rank": False, **options})


def roots(columns, y, settings, n_classes=0, domain=None, seed=0, draws=DRAWS):
    """Column and cut of so many roots, and the forest."""
    X = np.column_stack(columns).astype(float)
    domain = domain or Domain([Continuous(0, 1)] * X.shape[1])
    rng = np.random.default_rng(seed)
    trees, _ = grow_median_trees(domain, X, y, n_classes, [None] * draws, settings, rng=rng)
    return trees.feature[trees.roots], trees.threshold[trees.roots], trees


def squares(y, n_classes):
    """Sum of squares of targets about their mean; of one-hot classes if there are classes."""
    if len(y) == 0:
        return 0.0
    table = np.eye(n_classes)[y.astype(int)] if n_classes else y[:, None]
    return len(y) * table.var(axis=0).sum()


def intervals(values):
    """Edges, lengths, imbalance and mask of the left side for each interval between the values."""
    edges = np.concatenate([[0.0], np.sort(values), [1.0]])
    middles = (edges[:-1] + edges[1:]) / 2
    masks = [np.asarray(values) <= m for m in middles]
    return edges, np.diff(edges), np.array([abs(len(values) - 2 * m.sum()) for m in masks]), masks


def assert_follows(seen, law):
    """Chi-square of counts against a law, false alarm `ALARM`; nothing seen is no agreement."""
    seen, law = np.asarray(seen), np.asarray(law)
    assert seen.sum() > 0
    assert seen[law == 0].sum() == 0
    if (law > 0).sum() > 1:
        assert chisquare(seen[law > 0], seen.sum() * law[law > 0] / law.sum()).pvalue > ALARM


def interval_counts(thresholds, values):
    edges = np.concatenate([[0.0], np.sort(values), [1.0]])
    return np.bincount(np.searchsorted(edges, thresholds, side="right") - 1, minlength=len(edges) - 1)


@pytest.mark.parametrize("values", [LEFT, LEFT[:1], [0.2, 0.2, 0.2], [0.0, 1.0, 0.5, 0.0]], ids=str)
@DRAWN
def test_a_median_follows_its_law(values, drawn):
    _, found, _ = roots([values], np.zeros(len(values)), drawn(rule()))
    assert_follows(interval_counts(found, values), median.interval_law(values, 0, 1, 0.8).probabilities)


@DRAWN
def test_a_node_without_records_is_cut_uniformly(drawn):
    _, found, _ = roots([[]], np.zeros(0), drawn(rule()))
    assert_follows(np.histogram(found, 8, (0, 1))[0], np.full(8, 1 / 8))


def test_a_median_by_rank_follows_its_law():
    values = sorted({*LEFT, 0.41})
    _, found, _ = roots([values], np.zeros(len(values)), rule(by_rank=True))
    assert_follows(interval_counts(found, values), median.rank_law(len(values), 0.8))


@DRAWN
def test_weights_far_from_the_middle_do_not_vanish(drawn):
    """Of 3,000 equal records only the two outer intervals have a length, both weights underflow."""
    _, found, _ = roots([np.full(3000, 0.25)], np.zeros(3000), drawn(rule(rate=2.0)))
    assert_follows([(found < 0.25).sum(), (found > 0.25).sum()], [0.25, 0.75])


def test_an_infinite_rate_cuts_in_the_middle():
    for values in (RIGHT, RIGHT[:4]):
        _, found, _ = roots([values], np.zeros(len(values)), rule(rate=np.inf))
        law = median.rank_law(len(values), 50.0) * np.diff([0, *np.sort(values), 1])
        assert_follows(interval_counts(found, values), np.where(law > 1e-9, law, 0))


def joint_weights(values, y, n_classes, settings):
    _, lengths, imbalance, masks = intervals(values)
    inside = np.array([squares(y[m], n_classes) + squares(y[~m], n_classes) for m in masks])
    return lengths * np.exp(-settings.rate * imbalance - settings.gain_rate * inside)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize(("y", "n_classes"), [(Y, 0), (CODES, 3)], ids=["targets", "classes"])
@DRAWN
def test_column_and_cut_follow_their_joint_law(choice, y, n_classes, drawn):
    settings = rule(joint=True, choice=choice)
    columns = [np.array(LEFT), np.array(RIGHT)]
    weights = [joint_weights(values, y, n_classes, settings) for values in columns]
    totals = np.array([w.sum() for w in weights])
    chosen = totals / totals.sum()
    if choice == PERMUTE_AND_FLIP:
        chosen = PermuteAndFlip(2.0).pmf(np.log(totals))
    law = [p * w / w.sum() for p, w in zip(chosen, weights)]
    feature, found, _ = roots(columns, y, drawn(settings), n_classes)
    seen = [interval_counts(found[feature == j], columns[j]) for j in (0, 1)]
    assert_follows(np.concatenate(seen), np.concatenate(law))


@pytest.mark.parametrize("choice", CHOICES)
@DRAWN
def test_columns_of_other_units_and_kinds_compete_on_equal_terms(choice, drawn):
    """A column on [-1, 3] and one of two levels: each has a base measure of total 1."""
    settings = rule(joint=True, choice=choice, gain_rate=3.0)
    levels = np.array([0, 1, 1, 0, 1])
    domain = Domain([Continuous(-1, 3), Categorical(["x", "y"])])
    weights = joint_weights(LEFT, Y, 0, settings)  # lengths on [0, 1]: shares of the range
    inside = squares(Y[levels == 0], 0) + squares(Y[levels == 1], 0)
    # both ways round: two sets of levels, one half each
    level = np.exp(-settings.rate * abs(5 - 2 * 2) - settings.gain_rate * inside)
    totals = np.array([weights.sum(), level])
    law = totals / totals.sum()
    if choice == PERMUTE_AND_FLIP:
        law = PermuteAndFlip(2.0).pmf(np.log(totals))
    feature, _, _ = roots([4 * np.array(LEFT) - 1, levels], Y, drawn(settings), domain=domain)
    assert_follows(np.bincount(feature, minlength=2), law)


def test_without_noise_every_node_is_cut_at_its_own_median():
    """Down to depth 4, on three columns: a node's records are those that arrive, in every column's order."""
    rng = np.random.default_rng(7)
    X, domain = rng.random((200, 3)), Domain([Continuous(0, 1)] * 3)
    settings = rule(rate=np.inf, max_depth=4)
    _, stats = grow_median_trees(domain, X, np.zeros(200), 0, [None] * 3, settings, rng=rng)
    sizes = sorted(stats[:, 0].tolist())
    assert sizes == sorted([12.0, 13.0, 12.0, 13.0] * 4 * 3)


@pytest.mark.parametrize("choice", CHOICES)
def test_published_candidates_compete_by_their_sum_of_squares(choice):
    """Every pair of candidates, one a column, and the selection between the two."""
    settings = rule(choice=choice)
    columns = [np.array(LEFT), np.array(RIGHT)]
    medians = [median.interval_law(c, 0, 1, 0.8).probabilities for c in columns]
    losses = [[squares(Y[m], 0) + squares(Y[~m], 0) for m in intervals(c)[3]] for c in columns]
    law = np.zeros((2, len(Y) + 1))
    for i, j in itertools.product(range(len(Y) + 1), repeat=2):
        pair = medians[0][i] * medians[1][j]
        first, second = CHOICES[choice](2 * settings.gain_rate).pmf([-losses[0][i], -losses[1][j]])
        law[0, i] += pair * first
        law[1, j] += pair * second
    feature, found, _ = roots(columns, Y, settings)
    seen = [interval_counts(found[feature == j], columns[j]) for j in (0, 1)]
    assert_follows(np.concatenate(seen), law.ravel())


LEVELS = np.array([0, 0, 1, 2, 2, 2, 4])  # level 3 never occurs
GRADES = np.array([0.1, 0.3, 0.9, 1.0, 0.8, 1.0, 0.0])
FIVE = Domain([Categorical(list("abcde"))])


def subsets(n_levels):
    return [np.array(s, bool) for s in itertools.product([0, 1], repeat=n_levels)][1:-1]


def subset_counts(trees, n_levels):
    """How often each set of levels was the left side."""
    rows = trees.steps[trees.side[trees.roots][:, None] + np.arange(n_levels)]
    binary = (rows == 0) @ (2 ** np.arange(n_levels)[::-1])
    return np.bincount(binary, minlength=2**n_levels)[1:-1]


@pytest.mark.parametrize("choice", [UNIFORM, EXPONENTIAL, PERMUTE_AND_FLIP])
def test_a_set_of_levels_follows_its_law(choice):
    settings = rule(choice=choice, rate=0.3)
    scores = [-abs(len(LEVELS) - 2 * s[LEVELS].sum()) for s in subsets(5)]
    law = (PermuteAndFlip if choice == PERMUTE_AND_FLIP else Exponential)(0.6).pmf(scores)
    _, _, trees = roots([LEVELS], GRADES, settings, domain=FIVE)
    assert_follows(subset_counts(trees, 5), law)


@DRAWN
def test_a_set_of_levels_follows_its_joint_law(drawn):
    settings = rule(joint=True, choice=EXPONENTIAL)
    scores = []
    for s in subsets(5):
        left = s[LEVELS]
        inside = squares(GRADES[left], 0) + squares(GRADES[~left], 0)
        scores.append(-settings.rate * abs(7 - 2 * left.sum()) - settings.gain_rate * inside)
    _, _, trees = roots([LEVELS], GRADES, drawn(settings), domain=FIVE)
    assert_follows(subset_counts(trees, 5), np.exp(scores))


def test_an_infinite_rate_splits_levels_as_evenly_as_can_be():
    _, _, trees = roots([LEVELS], GRADES, rule(rate=np.inf), domain=FIVE)
    sizes = [s[LEVELS].sum() for s in subsets(5)]
    assert {sizes[i] for i in np.flatnonzero(subset_counts(trees, 5))} == {3, 4}


@DRAWN
def test_of_many_levels_a_fixed_number_of_sets_compete(drawn):
    """A mean of 0.54 is expected, of blind sets 0.14: by Hoeffding's inequality 1,000 trees give a false
    alarm with probability below 1e-48, and miss blind sets with one below 1e-20."""
    levels = np.arange(200) % 30
    domain = Domain([Categorical(range(30))])
    y = (levels < 15).astype(float)
    _, _, trees = roots(
        [levels], y, drawn(rule(joint=True, choice=EXPONENTIAL, gain_rate=9.0)), domain=domain, draws=1000
    )
    rows = trees.steps[trees.side[trees.roots][:, None] + np.arange(30)]
    assert (rows.sum(axis=1) % 30 > 0).all()
    explained = np.abs(rows[:, :15].mean(axis=1) - rows[:, 15:].mean(axis=1))
    assert explained.mean() > 0.3, "the best of 254 blind sets, not a set drawn blindly"


def mixed(n, seed):
    rng = np.random.default_rng(seed)
    domain = Domain(
        [Continuous(0, 1), Categorical(list("abcd")), Continuous(-5, 5), Categorical(list("xy")), Continuous(3, 3)]
    )
    X = np.column_stack(
        [rng.random(n).round(1), rng.integers(4, size=n), rng.normal(size=n), rng.integers(2, size=n),
         np.full(n, 3.0)]
    )  # fmt: skip
    return domain, X, rng


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("choice", [UNIFORM, EXPONENTIAL, PERMUTE_AND_FLIP])
def test_leaf_statistics_are_those_of_the_records_that_arrive(choice, joint):
    domain, X, rng = mixed(300, 1)
    y = rng.random(300)
    parts = np.array_split(rng.permutation(300), 4)
    settings = rule(choice=choice, joint=joint and choice != UNIFORM, max_depth=6, max_features=2)
    trees, stats = grow_median_trees(domain, X, y, 0, parts, settings, rng=rng)
    leaves = apply(trees, X) + trees.leaf_starts[:-1].astype(int)
    mine = np.concatenate([leaves[part, t] for t, part in enumerate(parts)])
    records = np.concatenate(parts)
    np.testing.assert_array_equal(stats[:, 0], np.bincount(mine, minlength=trees.n_leaves))
    sums = np.bincount(mine, np.rint(y * GRID)[records], minlength=trees.n_leaves)
    np.testing.assert_array_equal(stats[:, 1], sums)


@DRAWN
def test_leaf_counts_of_classes_are_those_of_the_records_that_arrive(drawn):
    domain, X, rng = mixed(300, 2)
    y = rng.integers(3, size=300)
    settings = rule(choice=EXPONENTIAL, joint=True, max_depth=5)
    trees, stats = grow_median_trees(domain, X, y.astype(float), 3, [None] * 3, drawn(settings), rng=rng)
    leaves = apply(trees, X) + trees.leaf_starts[:-1].astype(int)
    table = np.zeros((trees.n_leaves, 3))
    np.add.at(table, (leaves, y[:, None]), 1)
    np.testing.assert_array_equal(stats, table)


def walk(trees, tree, domain):
    """Nodes with depth, the open part of each continuous column and the open levels of the others."""
    low, high = domain.bounds.T
    start = {"bounds": np.column_stack([low, high]), "levels": [set(range(k)) for k in domain.n_levels]}
    stack = [(int(trees.roots[tree]), 0, start)]
    while stack:
        node, depth, left = stack.pop()
        yield node, depth, left
        j, child = int(trees.feature[node]), int(trees.child[node])
        if j == LEAF:
            continue
        for step in (0, 1):
            bounds, levels = left["bounds"].copy(), list(left["levels"])
            if domain.n_levels[j]:
                row = trees.steps[trees.side[node] :][: domain.n_levels[j]]
                levels[j] = {v for v in levels[j] if row[v] == step}
            else:
                bounds[j, 1 - step] = trees.threshold[node]
            stack.append((child + step, depth + 1, {"bounds": bounds, "levels": levels}))


@DRAWN
def test_paths_end_at_the_depth_or_with_nothing_left_to_cut(drawn):
    domain, X, rng = mixed(40, 3)
    columns = Domain(domain.features[1:4:2])
    for one, records in ((domain, X), (columns, X[:, 1:4:2])):
        trees, _ = grow_median_trees(one, records, np.zeros(40), 0, [None] * 5, drawn(rule(max_depth=5)), rng=rng)
        for tree in range(5):
            for node, depth, left in walk(trees, tree, one):
                j = trees.feature[node]
                open_now = (left["bounds"][:, 0] < left["bounds"][:, 1]).any() or any(
                    len(s) > 1 for s in left["levels"]
                )
                assert (j == LEAF) == (depth == 5 or not open_now)
                if j != LEAF and one.n_levels[j] == 0:
                    assert left["bounds"][j, 0] <= trees.threshold[node] < left["bounds"][j, 1]
                elif j != LEAF:
                    row = trees.steps[trees.side[node] :][: one.n_levels[j]]
                    assert {row[v] for v in left["levels"][j]} == {0, 1}


@DRAWN
def test_the_forest_is_the_same_for_any_number_of_threads(drawn):
    domain, X, _ = mixed(200, 4)
    y = np.linspace(0, 1, 200)
    forests = [
        grow_median_trees(
            domain, X, y, 0, [None] * 4, drawn(rule(max_depth=4, choice=EXPONENTIAL, joint=True)),
            rng=np.random.default_rng(5), n_jobs=jobs,
        )
        for jobs in (1, 2)
    ]  # fmt: skip
    for name in ("feature", "threshold", "child", "side", "steps"):
        np.testing.assert_array_equal(*(getattr(trees, name) for trees, _ in forests))
    np.testing.assert_array_equal(forests[0][1], forests[1][1])


def test_columns_that_compete_are_drawn_anew_and_uniformly():
    columns = [LEFT, RIGHT, LEFT]
    feature, _, _ = roots(columns, Y, rule(choice=EXPONENTIAL, max_features=1))
    assert_follows(np.bincount(feature, minlength=3), np.ones(3))


def test_a_forest_that_would_not_fit_is_an_error():
    with pytest.raises(ValueError, match=f"max_depth=40 with n_estimators={DRAWS} needs more than"):
        roots([LEFT], Y, rule(max_depth=40))


def test_the_gain_is_a_sum_of_squares_up_to_a_constant():
    y = np.array([0.2, 0.9, 0.4])
    stats = np.array([3.0, y.sum()])
    assert (y**2).sum() - cuts.gain(stats, 0) == pytest.approx(squares(y, 0))
    counts = np.array([2.0, 1.0, 0.0])
    assert 3 - cuts.gain(counts, 3) == pytest.approx(squares(np.array([0.0, 0.0, 1.0]), 3))
