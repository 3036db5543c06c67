"""The multinomial forest: what it spends, what it draws, what it keeps, and what it predicts."""

import itertools
import math
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

from dplit import Categorical, Continuous, Domain, datasets
from dplit.budget import EqualParts, Group, Leak, Parallel, Spend
from dplit.forests import MultinomialForestClassifier
from dplit.forests.partition import Coins, ShuffledHalves, Undivided
from dplit.mechanisms import PermuteAndFlip
from dplit.multinomial import normalised_split_law
from dplit.multinomial.forest import advised_depth, advised_trees
from dplit.trees.arrays import leaf_depths
from dplit.trees.median import grow_median_trees
from dplit.trees.rules import NormalisedRule

DOMAIN = Domain([Continuous(0, 1), Continuous(0, 1), Categorical(["a", "b", "c"])])


def data(n=600, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.random(n), "z": rng.random(n), "l": rng.choice(list("abc"), n)})
    return frame, np.where((frame["x"] > 0.6) ^ (frame["l"] == "b"), "hi", "lo")


def forest(**options):
    settings = dict(domain=DOMAIN, classes=["lo", "hi"], n_estimators=3, max_depth=3, random_state=0)
    return MultinomialForestClassifier(**{**settings, **options})


def published(**options):
    return forest(accounting="published", **{"max_depth": None, **options})


def leaves_of(fitted, name):
    return [node for node in fitted.budget_.leaves() if node.name == name]


# The privacy statement -----------------------------------------------------------------------


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("rate", [1, 0.3, None])
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_a_proved_fit_spends_epsilon_and_no_more(neighbours, rate, depth):
    for epsilon in (0.1, 1, 7.3):
        options = dict(epsilon=epsilon, neighbours=neighbours, partition_rate=rate, max_depth=depth)
        budget = forest(**options).fit(*data()).budget_
        assert epsilon * (1 - 1e-12) <= budget.epsilon <= epsilon
        assert budget.neighbours == neighbours


def test_structure_and_labels_each_have_the_whole_of_epsilon():
    fitted = forest(epsilon=2).fit(*data())
    (cut,), (label,) = leaves_of(fitted, "column and cut"), leaves_of(fitted, "class of a leaf")
    assert cut.epsilon == pytest.approx(2 / 3) and label.epsilon == 2
    both = forest(epsilon=2, partition_rate=None).fit(*data())
    (cut,), (label,) = leaves_of(both, "column and cut"), leaves_of(both, "class of a leaf")
    assert cut.epsilon == pytest.approx(1 / 3) and label.epsilon == 1


def test_a_published_fit_shows_its_budgets_and_every_leak():
    fitted = published(feature_budget=1, value_budget=2, label_budget=3).fit(*data())
    spends = {n.name: n.epsilon for n in fitted.budget_.leaves() if isinstance(n, Spend)}
    assert spends == {"column": 1, "value": 2, "class of a leaf": 3}
    leaks = {n.name for n in fitted.budget_.leaves() if isinstance(n, Leak)}
    assert leaks == {"candidates", "stopping", "depth"}
    assert fitted.budget_.epsilon == math.inf
    shallow = published(max_depth=2).fit(*data())
    assert not leaves_of(shallow, "depth") and leaves_of(shallow, "stopping")


def test_published_budgets_are_the_papers_whatever_epsilon_is():
    one, two = (published(epsilon=e).fit(*data()) for e in (0.01, 100))
    assert one.budget_.root == two.budget_.root
    assert (one.leaf_labels_ == two.leaf_labels_).all()
    spends = {n.name: n.epsilon for n in one.budget_.leaves() if isinstance(n, Spend)}
    assert spends == {"column": 10, "value": 10, "class of a leaf": math.inf}


def test_the_levels_in_the_budget_are_those_of_the_deepest_path():
    fitted = published().fit(*data())
    deepest = leaf_depths(fitted.trees_).max()
    assert fitted.max_depth_ == deepest
    assert f"levels: sum of {deepest} = inf" in str(fitted.budget_)


def test_labels_drawn_for_every_query_are_a_leak():
    fitted = published(draw_label="query", label_budget=1).fit(*data())
    (leaf,) = leaves_of(fitted, "class of a leaf")
    assert isinstance(leaf, Leak) and "every query" in leaf.why


def test_equal_halves_cost_more_than_coins_when_a_record_is_added():
    spend = Spend("a", 0.5), Spend("b", 0.5)
    halves = ShuffledHalves(1).account(spend[:1], spend[1])
    assert isinstance(halves, EqualParts) and 1 < halves.epsilon / 0.5 < 3
    assert Coins(1).account(spend[:1], spend[1]).epsilon == 0.5
    assert Undivided().account(spend[:1], spend[1]).epsilon == 1.0
    uneven = ShuffledHalves(2).account(spend[:1], spend[1])
    assert isinstance(uneven, Group) and uneven.epsilon == 1.5
    replaced = ShuffledHalves(1, "replace-one").account(spend[:1], spend[1])
    assert isinstance(replaced, Parallel) and replaced.epsilon == 0.5


def test_halves_have_the_sizes_that_they_say():
    rng = np.random.default_rng(0)
    for rate, n in ((1, 11), (3, 8), (0.5, 9)):
        structure, estimation = ShuffledHalves(rate)(n, rng)
        assert (structure ^ estimation).all() and structure.sum() == round(n * rate / (1 + rate))
    structure, estimation = Coins(3)(40_000, rng)
    assert (structure ^ estimation).all() and abs(structure.sum() - 30_000) < 600  # 7 deviations
    assert (Undivided()(7, rng)).tolist() == [[True] * 7] * 2


# What is drawn -------------------------------------------------------------------------------


def cuts_law(values, codes, rate):
    """Law of the interval of a root's cut: lengths times exp(-rate (n_L T_L + n_R T_R)), Gini."""
    ends = np.array([0.0, *np.sort(values), 1.0])
    weights = []
    for low, high in itertools.pairwise(ends):
        left = values <= (low + high) / 2
        mass = sum(m.sum() - (np.bincount(codes[m]) ** 2).sum() / max(m.sum(), 1) for m in (left, ~left))
        weights.append((high - low) * np.exp(-rate * mass))
    return np.array(weights) / sum(weights), ends


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_a_proved_cut_and_its_labels_follow_their_laws(neighbours):
    """One column, one tree, all records both: every record's side is known; 1e-9 each."""
    x, y = np.array([0.1, 0.25, 0.4, 0.7, 0.85]), np.array([0, 0, 1, 1, 1])
    epsilon, part = 3.0, {"add-remove": 1.5, "replace-one": 0.75}[neighbours]
    law, ends = cuts_law(x, y, part / 2)
    seen, low = np.zeros(6), np.zeros(2)
    for seed in range(600):
        fitted = MultinomialForestClassifier(
            epsilon, domain=Domain([Continuous(0, 1)]), classes=[0, 1], n_estimators=1, max_depth=1,
            partition_rate=None, neighbours=neighbours, random_state=seed,
        ).fit(x[:, None], y)  # fmt: skip
        cut = fitted.predict([[0.3], [0.34]])
        k = np.searchsorted(ends, fitted.trees_.threshold[0], side="right") - 1
        seen[k] += 1
        if k == 2:  # left: two records of class 0
            low[cut[1] if fitted.trees_.threshold[0] > 0.34 else fitted.predict([[0.2]])[0]] += 1
    assert chisquare(seen, 600 * law).pvalue > 1e-9
    label = PermuteAndFlip(part, monotonic=True).pmf([2, 0])
    assert chisquare(low, low.sum() * label).pvalue > 1e-9


@pytest.mark.parametrize("alike", [False, True])
def test_a_normalised_cut_follows_its_law(alike):
    """Two columns and one of three levels, every record a structure point; 1e-9."""
    x, z = np.array([0.1, 0.25, 0.4, 0.7, 0.85]), np.array([0.6, 0.2, 0.9, 0.5, 0.3])
    level, y = np.array([0, 1, 1, 2, 0]), np.zeros(5, int) if alike else np.array([0, 0, 1, 1, 1])
    left, base = [], []
    for values in (x, z):
        ends = np.array([0.0, *np.sort(values), 1.0])
        left += [values <= middle for middle in (ends[1:] + ends[:-1]) / 2]
        base += np.diff(ends).tolist()
    sets = [s for r in (1, 2) for s in itertools.combinations(range(3), r)]
    left, base = left + [np.isin(level, s) for s in sets], base + [1 / 6] * 6
    law = normalised_split_law(np.array(left), y, 2, 2.0, base)
    rng, seen = np.random.default_rng(2), np.zeros(len(law))
    records = np.column_stack([x, z, level]).astype(float)
    trees, _ = grow_median_trees(DOMAIN, records, y, 2, [None] * 4000, NormalisedRule(1, 3, 2.0), rng=rng)
    for root in trees.roots:
        j, cut = trees.feature[root], trees.threshold[root]
        if j == 2:
            steps = trees.steps[trees.side[root] :][:3]
            seen[12 + sets.index(tuple(np.flatnonzero(steps == 0)))] += 1
        else:
            seen[6 * j + np.searchsorted(np.sort((x, z)[j]), cut)] += 1
    assert chisquare(seen, 4000 * law).pvalue > 1e-9


def test_normalised_scores_need_columns_all_of_whose_sets_are_candidates():
    many = Domain([Continuous(0, 1), Continuous(0, 1), Categorical(list("abcdefghi"))])
    X, y = data()
    with pytest.raises(ValueError, match="columns of at most 8 levels, got 9 in column 2"):
        forest(domain=many, scores="normalised").fit(X, y)
    forest(domain=many).fit(X, y)


def test_a_normalised_forest_at_infinite_epsilon_takes_the_best_cut():
    X, y = data()
    options = dict(epsilon=math.inf, partition_rate=None, n_estimators=1, max_depth=4)
    counts, stretched = (forest(scores=s, **options).fit(X, y) for s in ("counts", "normalised"))
    assert (counts.predict(X) == y).mean() > 0.95 < (stretched.predict(X) == y).mean()


@pytest.mark.parametrize("draw_label", ["leaf", "query"])
@pytest.mark.parametrize("budget", [0.0, 2.0])
def test_published_labels_follow_their_shares(draw_label, budget):
    """A lone leaf with 3 of class 0 and 1 of class 1: the labels of 3,000 trees, or queries."""
    X, y = np.zeros((4, 1)), [0, 0, 0, 1]
    fitted = MultinomialForestClassifier(
        domain=Domain([Continuous(0, 1)]), classes=[0, 1], n_estimators=3000, random_state=5,
        accounting="published", partition_rate=None, label_budget=budget, draw_label=draw_label,
    ).fit(X, y)  # fmt: skip
    shares = fitted.predict_proba(X[:1])[0]
    weights = np.exp(budget / 2 * np.array([3 / 4, 1 / 4]))
    assert chisquare(3000 * shares, 3000 * weights / weights.sum()).pvalue > 1e-9


def test_a_query_draws_anew_and_a_leaf_does_not():
    X, y = np.zeros((400, 1)), np.arange(400) % 2
    options = dict(domain=Domain([Continuous(0, 1)]), classes=[0, 1], n_estimators=1,
                   accounting="published", label_budget=1.0)  # fmt: skip
    once = MultinomialForestClassifier(**options).fit(X, y).predict(X)
    anew = MultinomialForestClassifier(draw_label="query", **options).fit(X, y)
    assert len(set(once)) == 1 and len(set(anew.predict(X))) == 2
    assert (anew.predict(X) != anew.predict(X)).any()


def test_classes_in_any_order_keep_their_laws():
    """The classes are sorted when they are stored, and the laws of the leaves with them."""
    X, y = data()
    options = dict(draw_label="query", label_budget=1e6, random_state=0)
    accuracy = [
        (published(classes=c, **options).fit(X, y).predict(X) == y).mean() for c in (["lo", "hi"], ["hi", "lo"])
    ]
    assert min(accuracy) > 0.8


def test_huge_budgets_act_as_infinite_ones():
    X, y = data()
    one, two = (
        published(feature_budget=b, value_budget=b, label_budget=b, n_estimators=1).fit(X, y)
        for b in (1e6, np.inf)
    )
    assert one.trees_.feature[0] == two.trees_.feature[0]
    assert one.trees_.threshold[0] == pytest.approx(two.trees_.threshold[0], nan_ok=True)
    assert (one.predict(X) == y).mean() > 0.8


# What is kept, and bad input -----------------------------------------------------------------


def test_a_fitted_forest_holds_trees_and_releases_alone():
    public = {"budget_", "domain_", "trees_", "n_features_in_", "feature_names_in_", "classes_",
              "n_classes_", "leaf_labels_", "max_depth_", "noise_"}  # fmt: skip
    fitted = forest().fit(*data())
    assert {name for name in vars(fitted) if name.endswith("_")} == public
    assert len(fitted.leaf_labels_) == fitted.trees_.n_leaves
    assert pickle.loads(pickle.dumps(fitted)).random_state is None
    X, y = data()
    fitted.set_params(accounting="published", draw_label="query").fit(X, y)
    assert not hasattr(fitted, "leaf_labels_")
    fitted.set_params(draw_label="leaf").fit(X, y)
    assert not hasattr(fitted, "leaf_probabilities_")


BAD = [
    (dict(min_samples_leaf=0), "min_samples_leaf must be an integer of at least 1, got 0"),
    (dict(partition_rate=0), "partition_rate must be a finite number above 0, or None, got 0"),
    (dict(partition_rate=-1.0), "partition_rate must be"),
    (dict(partition_rate=math.nan), "partition_rate must be"),
    (dict(partition_rate=True), "partition_rate must be"),
    (dict(criterion="misclassification"), "criterion must be"),
    (dict(stopping="never"), "stopping must be"),
    (dict(draw_label="twice"), "draw_label must be"),
    (dict(scores="ranks"), "scores must be"),
    (dict(n_estimators=0), "n_estimators must be an integer of at least 1, got 0"),
    (dict(max_depth=-1), "max_depth must be an integer of at least 0, got -1"),
    (dict(n_records=0), "n_records must be an integer of at least 1, got 0"),
    (dict(epsilon=-1), "epsilon must be"),
]
BUDGETS = ("feature_budget", "value_budget", "label_budget")


@pytest.mark.parametrize(("options", "message"), BAD, ids=str)
@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_a_bad_parameter_is_named(accounting, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        forest(accounting=accounting, **options).fit(*data())


@pytest.mark.parametrize("name", BUDGETS)
def test_budgets_are_the_published_forests_alone_and_not_negative(name):
    for bad in (-0.1, math.nan, "1", True):
        with pytest.raises(ValueError, match=f"^{name} must be a number of at least 0"):
            published(**{name: bad}).fit(*data())
    with pytest.raises(ValueError, match=f"^{name} must be None with accounting='proved'"):
        forest(**{name: 1.0}).fit(*data())


@pytest.mark.parametrize(
    "options", [dict(criterion="entropy"), dict(stopping="text"), dict(draw_label="query")], ids=str
)
def test_what_is_not_private_needs_the_published_accounting(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name}=.* is not private"):
        forest(**options).fit(*data())
    published(label_budget=1.0, **options).fit(*data())


def test_an_unknown_level_and_what_is_no_number_are_named():
    X, y = data()
    with pytest.raises(ValueError, match="must hold levels of its list"):
        forest().fit(X.assign(l="q"), y)
    with pytest.raises(ValueError, match="must hold finite numbers"):
        forest().fit(X.assign(x=math.inf), y)


@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_few_records_and_dull_columns(accounting):
    """One record, one class, a class that does not occur, a constant column, no structure points."""
    X, y = data()
    for rows in ([0], [0, 1], slice(0, 3)):
        fitted = forest(accounting=accounting, classes=["lo", "hi", "no"]).fit(X.iloc[rows], y[rows])
        assert set(fitted.predict(X)) <= {"lo", "hi", "no"}
    alike = forest(accounting=accounting, classes=["lo"]).fit(X, np.full(len(X), "lo"))
    assert set(alike.predict(X)) == {"lo"}
    constant = Domain([Continuous(2, 2), Categorical(["z"])])
    dull = pd.DataFrame({"x": np.full(50, 2.0), "l": "z"})
    fitted = forest(accounting=accounting, domain=constant).fit(dull, y[:50])
    assert fitted.trees_.n_leaves == 3


@pytest.mark.parametrize("make", [forest, published])
def test_threads_change_nothing(make):
    X, y = data()
    one, two = (make(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert (one.trees_.feature == two.trees_.feature).all()
    assert (one.leaf_labels_ == two.leaf_labels_).all()
    query = published(draw_label="query", label_budget=1.0).fit(X, y)
    assert (query.predict(X) == query.set_params(n_jobs=2).predict(X)).all()


@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_memory_is_that_of_the_data_a_few_times_and_of_the_trees(accounting):
    rng = np.random.default_rng(0)
    X, domain = rng.random((40_000, 8)), Domain([Continuous(0, 1)] * 8)
    y = (X[:, 0] > 0.5).astype(int)
    model = MultinomialForestClassifier(
        domain=domain, classes=[0, 1], n_estimators=3, accounting=accounting, random_state=0
    ).fit(X[:100], y[:100])  # compiled code is not counted
    tracemalloc.start()
    trees = model.fit(X, y).trees_
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    kept = sum(array.nbytes for array in trees.arrays)
    assert peak < 3 * X.nbytes + 3 * kept


# The rules of trees and depth ----------------------------------------------------------------


def test_left_out_trees_and_depth_follow_public_numbers():
    X, y = data()
    for epsilon, n_records in ((1.0, None), (2.0, 10**6), (0.1, 500)):
        fitted = forest(epsilon=epsilon, n_estimators=None, max_depth=None, n_records=n_records).fit(X, y)
        n_trees = advised_trees(epsilon, n_records)
        assert fitted.trees_.n_trees == n_trees
        depth = advised_depth(epsilon, n_trees, DOMAIN.n_levels, n_records)
        assert leaf_depths(fitted.trees_).tolist() == [depth] * (n_trees * 2**depth)
    assert published(n_estimators=None).fit(X[:20], y[:20]).trees_.n_trees == 100


@pytest.mark.parametrize(("name", "target"), [("nursery", 0.86), ("magic", 0.79), ("wdbc", 0.86)])
def test_accuracy_at_epsilon_1_by_one_rule_for_all(name, target):
    """Five seeds, a fifth held out; trees and depth by the rules, the guess a round number."""
    data, scores = datasets.load(name), []
    y, guess = np.asarray(data.y), {"nursery": 10_000, "magic": 15_000, "wdbc": 500}[name]
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[: int(0.8 * len(y))], order[int(0.8 * len(y)) :]
        fitted = MultinomialForestClassifier(
            1.0, domain=data.domain, classes=data.classes, n_estimators=None, n_records=guess, random_state=seed
        ).fit(data.X.iloc[train], y[train])
        assert fitted.budget_.epsilon == 1.0
        scores.append((fitted.predict(data.X.iloc[test]) == y[test]).mean())
    assert np.mean(scores) >= target
