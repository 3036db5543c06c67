"""What a fit of a baseline costs: proved no more than epsilon, published what its split really is."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats as sps

from dplit import Categorical, Continuous, Domain, PrivacyLeakWarning, baselines
from dplit.baselines.dp_rf import entropy_drift, entropy_reach
from dplit.budget import Bootstrap, EqualParts, Leak, Spend

PRIVATE = [n for n in baselines.__all__ if n not in baselines.NOT_PRIVATE]
CLASSIFIERS = [n for n in PRIVATE if n.endswith("Classifier")]
DOMAIN = Domain([Continuous(0, 1), Categorical(["a", "b", "c"]), Continuous(0, 1)])
X = [[0.1, "a", 0.3], [0.9, "b", 0.2], [0.4, "a", 0.8], [0.6, "c", 0.1]]
Y = [0, 1, 1, 0]


def fit(name, domain=DOMAIN, x=X, **options):
    schema = {"classes": [0, 1]} if name.endswith("Classifier") else {"target_bounds": (0, 1)}
    settings = {"domain": domain, "random_state": 0, **schema, **options}
    return getattr(baselines, name)(**settings).fit(x, Y)


def leaks(forest):
    return [node.name for node in forest.budget_.leaves() if isinstance(node, Leak)]


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("partitioned", [None, False])
@pytest.mark.parametrize("name", PRIVATE)
def test_proved_spends_epsilon_and_never_more(name, partitioned, neighbours):
    for epsilon in (0.1, 0.3, 0.7, 1.0, 3.3):
        for trees, depth in ((1, 0), (3, 1), (7, 3), (49, 2)):
            forest = fit(
                name,
                epsilon=epsilon,
                n_estimators=trees,
                max_depth=depth,
                partitioned=partitioned,
                neighbours=neighbours,
            )
            assert forest.budget_.neighbours == neighbours
            assert epsilon * (1 - 1e-12) < forest.budget_.epsilon <= epsilon


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_replacement_costs_twice_as_published(name):
    options = {"accounting": "published", "partitioned": True}
    options |= {"criterion": "gini"} if "Random" in name else {"n_estimators": 10, "max_depth": 4}
    parts = fit(name, epsilon=1.0, **options).budget_
    replaced = fit(name, epsilon=1.0, neighbours="replace-one", **options).budget_
    (trees,) = [p for p in parts.root.parts if p.name == "trees"]
    assert isinstance(trees, EqualParts)
    assert replaced.epsilon == pytest.approx(2 * trees.part.epsilon)
    assert parts.epsilon > 1.2 * trees.part.epsilon


def test_extra_trees_as_published():
    forest = fit("DPExtraTreesClassifier", epsilon=1.5, n_estimators=6, accounting="published")
    assert forest.budget_.epsilon == pytest.approx(1.5)
    (counts,) = [n for n in forest.budget_.leaves() if isinstance(n, Spend)]
    assert counts.epsilon == pytest.approx(1.5 / 6)


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_the_decision_forest_as_published_spends_less_than_it_says(depth):
    """d choices at 16/27 of a share (see `test_dp_df`) and one leaf, of d + 1 shares."""
    forest = fit("DPDecisionForestClassifier", epsilon=2.0, max_depth=depth, accounting="published")
    assert forest.budget_.epsilon == pytest.approx(2.0 * (16 / 27 * depth + 1) / (depth + 1))


@pytest.mark.parametrize("criterion", ["gini", "majority"])
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_the_random_forest_as_published_costs_its_bootstrap(depth, criterion):
    """d times counts and half a choice, and a leaf, of 2(d + 1) shares; then resampled."""
    forest = fit(
        "DPRandomForestClassifier",
        epsilon=4.0,
        n_estimators=5,
        max_depth=depth,
        criterion=criterion,
        accounting="published",
    )
    share = 4.0 / 5 / (2 * (depth + 1))
    tree = Spend("a tree", share * (1.5 * depth + 1))
    assert forest.budget_.epsilon == pytest.approx(5 * Bootstrap("a tree", tree).epsilon)


@pytest.mark.parametrize("partitioned", [True, False])
def test_the_entropy_costs_more_where_the_number_of_records_is_secret(partitioned):
    def cost(criterion, neighbours):
        options = {"accounting": "published", "partitioned": partitioned, "n_estimators": 5}
        return fit(
            "DPRandomForestClassifier",
            epsilon=4.0,
            max_depth=2,
            criterion=criterion,
            neighbours=neighbours,
            **options,
        ).budget_.epsilon

    assert cost("entropy", "replace-one") == pytest.approx(cost("gini", "replace-one"))
    share = 4.0 / (1 if partitioned else 5) / 6
    level = share / 2 * entropy_drift()  # one bit of classes
    more = cost("entropy", "add-remove") - cost("gini", "add-remove")
    assert more == pytest.approx(2 * level * (1 if partitioned else 5))


@pytest.mark.parametrize("partitioned", [True, False])
def test_the_budget_does_not_tell_the_secret_number_of_records(partitioned):
    """Not even in its last bit, where the rate times its reach would round by that number."""
    budgets = {
        baselines.DPRandomForestClassifier(
            1.0, domain=Domain([Continuous(0, 1)] * 2), classes=[0, 1], n_estimators=2,
            max_depth=2, criterion="entropy", accounting="published", partitioned=partitioned,
        ).fit(np.full((n, 2), 0.5), [0] * n).budget_
        for n in (*range(2, 40), 1000)
    }  # fmt: skip
    assert len(budgets) == 1


def test_the_drift_of_the_entropys_scale():
    """Against the formula at many numbers of records, and its supremum is one of them."""
    scales = [math.log2(n + 1) + math.log2(math.e) for n in range(3001)]
    drift = [n * (1 / scales[n] - 1 / scales[n + 1]) for n in range(3000)]
    assert entropy_drift() == pytest.approx(max(drift))
    assert drift.index(max(drift)) == 2


def test_a_choice_by_entropy_costs_no_more_than_its_two_spends():
    """Two columns, up to eight records in two classes, all counts of two children each: the exact
    loss when one record comes and the noise is scaled by its number, at a share of 1."""

    def log_weights(tables):
        n = sum(map(sum, tables[0]))
        bits = [sum(sum(c) * sps.entropy(c, base=2) for c in t if sum(c)) for t in tables]
        return np.array(bits) / -(2 * entropy_reach(n))

    def grown(table, k):
        for child in (0, 1):
            yield tuple(tuple(c + (i == child and j == k) for j, c in enumerate(row))
                        for i, row in enumerate(table))  # fmt: skip

    losses = []
    for a, b in itertools.product(range(5), repeat=2):
        tables = [((i, j), (a - i, b - j)) for i in range(a + 1) for j in range(b + 1)]
        for k in (0, 1):
            if a + b:
                moves = [log_weights([new])[0] - log_weights([old])[0] for old in tables for new in grown(old, k)]
                losses.append(max(moves) - min(moves))
    assert 0.44 < max(losses) <= 0.5 * (1 + entropy_drift())


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("name", [n for n in PRIVATE if n.endswith("Regressor")])
def test_published_means_leak(name, neighbours):
    forest = fit(name, accounting="published", neighbours=neighbours)
    assert leaks(forest) == ["mean of a leaf"]
    assert forest.budget_.epsilon == math.inf


@pytest.mark.parametrize("name", PRIVATE)
def test_a_schema_that_is_read_off_the_data_leaks(name):
    numbers = [[row[0], row[2]] for row in X]
    with pytest.warns(PrivacyLeakWarning, match="domain was left out"):
        forest = fit(name, domain=None, x=numbers)
    assert "domain" in leaks(forest) and forest.budget_.epsilon == math.inf
    left_out = {"classes": None} if name.endswith("Classifier") else {"target_bounds": None}
    with pytest.warns(PrivacyLeakWarning, match=f"{next(iter(left_out))} was left out"):
        forest = fit(name, **left_out)
    assert {"class list", "target bounds"} & set(leaks(forest))


def test_the_printed_budget_of_a_published_forest():
    forest = fit("DPRandomForestClassifier", epsilon=2.0, accounting="published", criterion="gini")
    text = str(forest.budget_)
    for line in ("trees: sum of 10 =", "a tree: resampled =", "levels: sum of 3 =", "is it pure?"):
        assert line in text
