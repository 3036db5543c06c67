"""Boosted forests: what is stored follows from what is released, and the rules are public."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binomtest
from sklearn.inspection import partial_dependence

from dplit import Categorical, Continuous, Domain, boosting
from dplit.budget import Concentrated, Group, Public, Spend, rho_of
from dplit.forests import BoostedForestClassifier, BoostedForestRegressor, blocks_boosted, boosted_releases
from dplit.mechanisms import DiscreteGaussian, Exponential

DOMAIN = Domain([Continuous(0, 1), Continuous(0, 1), Categorical(["a", "b", "c"])], names=list("uvw"))
RNG = np.random.default_rng(0)
N = 2000
X = pd.DataFrame({"u": RNG.random(N), "v": RNG.random(N), "w": RNG.choice(list("abc"), N)})
ODDS = 4 * np.sign(X["u"] - 0.4) * np.where(X["w"] == "b", -1, 1) + 2 * (X["v"] - 0.5)
Y = (RNG.random(N) < expit(ODDS)).astype(int)
THREE = np.where(X["w"] == "c", 2, (X["u"] > 0.5).astype(int))


def classifier(epsilon=2.0, **options):
    options = {"classes": [0, 1], "n_records": N, "random_state": 1, **options}
    return BoostedForestClassifier(epsilon, domain=DOMAIN, **options)


def regressor(epsilon=2.0, **options):
    options = {"target_bounds": (-10, 10), "n_records": N, "random_state": 1, **options}
    return BoostedForestRegressor(epsilon, domain=DOMAIN, **options)


def leaf_sums(forest, X):
    """Start and leaves' values of each record, summed in plain Python."""
    leaves = forest.apply(X) + forest.trees_.leaf_starts[:-1]
    return [forest.initial_ + sum(forest.leaf_values_[leaf] for leaf in row) for row in leaves]


# What is learned ------------------------------------------------------------------------------------


def test_accuracy_with_and_without_privacy():
    best = ((ODDS > 0) == (Y == 1)).mean()
    assert best > 0.9
    for epsilon, share in ((2.0, 0.93), (float("inf"), 0.98)):
        assert classifier(epsilon).fit(X, Y).score(X, Y) > share * best


def test_three_classes_and_a_regression():
    assert classifier(4.0, classes=[0, 1, 2]).fit(X, THREE).score(X, THREE) > 0.9
    additive = 5 * np.sign(X["u"] - 0.4) + 4 * X["v"]  # few records are planned a test a round
    assert regressor().fit(X, additive).score(X, additive) > 0.7
    assert regressor(float("inf"), n_estimators=30).fit(X, ODDS).score(X, ODDS) > 0.95


def test_probabilities_are_shares_of_records():
    """Of records that are told about one probability, about so many are of the class."""
    values = RNG.random((20_000, 2))
    chance = expit(6 * (values[:, 0] - 0.5))
    new, told = RNG.random((20_000, 2)), RNG.random(20_000)
    schema = {"domain": Domain([Continuous(0, 1)] * 2), "classes": [0, 1], "n_records": 20_000}
    forest = BoostedForestClassifier(1.0, **schema, random_state=0)
    forest.fit(values, (RNG.random(20_000) < chance).astype(int))
    said = forest.predict_proba(new)[:, 1]
    happened = told < expit(6 * (new[:, 0] - 0.5))
    order = np.array_split(np.argsort(said), 10)
    gaps = [said[part].mean() - happened[part].mean() for part in order]
    assert np.abs(gaps).max() < 0.08 and abs(np.mean(gaps)) < 0.02
    assert np.ptp(said) > 0.7


def test_no_noise_is_newtons_step():
    """One round, one leaf: the step is gradient over curvature, its logit the share of the class."""
    forest = classifier(float("inf"), n_estimators=1, max_depth=0).fit(X, Y)
    share = Y.mean()
    assert forest.initial_[0] == pytest.approx(np.log(share / (1 - share)), abs=1e-6)
    assert forest.leaf_values_[0] == pytest.approx(0, abs=1e-4)
    mean = regressor(float("inf"), n_estimators=1, max_depth=0).fit(X, ODDS)
    assert mean.predict(X[:1])[0] == pytest.approx(ODDS.mean(), abs=0.02)


# What is released ----------------------------------------------------------------------------------


def test_scores_probabilities_and_classes_agree():
    forest = classifier().fit(X, Y)
    scores = forest.decision_function(X[:50])
    np.testing.assert_allclose(scores, np.ravel(leaf_sums(forest, X[:50])))
    np.testing.assert_allclose(forest.predict_proba(X[:50])[:, 1], expit(scores))
    assert forest.predict(X[:50]).tolist() == (scores > 0).astype(int).tolist()


def test_scores_of_three_classes():
    forest = classifier(classes=[0, 1, 2]).fit(X, THREE)
    scores = forest.decision_function(X[:50])
    np.testing.assert_allclose(scores, leaf_sums(forest, X[:50]))
    p = forest.predict_proba(X[:50])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(np.log(p[:, 1] / p[:, 0]), scores[:, 1] - scores[:, 0])


def test_the_order_of_the_class_list_changes_names_alone():
    one, other = classifier().fit(X, Y), classifier(classes=["yes", "no"])
    other.fit(X, np.where(Y == 1, "no", "yes"))
    assert other.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X)[:, ::-1])
    three = classifier(classes=[2, 0, 1]).fit(X, THREE)
    assert three.classes_.tolist() == [0, 1, 2] and three.score(X, THREE) > 0.8


def test_predictions_of_a_regression_are_sums_within_the_bounds():
    forest = regressor(target_bounds=(-1, 1)).fit(X, ODDS)
    expected = np.clip(np.ravel(leaf_sums(forest, X)), -1, 1)
    np.testing.assert_allclose(forest.predict(X), expected)


def test_pair_sums_are_whole_numbers_of_steps():
    forest = classifier(n_estimators=3, max_depth=2).fit(X, Y)
    assert forest.pair_sums_.shape == (3, 2, 4, 1)
    steps = forest.pair_sums_ * boosting.STEPS
    assert (steps == np.rint(steps)).all()
    assert forest.leaf_values_.shape == (12,) and forest.trees_.depth == 2


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_sums_of_one_class_hold_no_record(delta):
    """Its residuals are 0 under any model; noise is made for that."""
    forest = classifier(classes=[0], delta=delta, n_estimators=3, max_depth=1).fit(X, np.zeros(N, dtype=int))
    assert np.abs(forest.pair_sums_).max() < 0.1 and (forest.predict(X) == 0).all()


def test_every_cut_is_public():
    trees = classifier().fit(X, Y).trees_
    used = trees.threshold[~np.isnan(trees.threshold)]
    assert len(used) and np.isin(used, boosting.public_cuts(0, 1)).all()


# Budgets ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.7, 1 / 3])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("n_records", [N, None])
def test_the_budget_is_epsilon(epsilon, neighbours, n_records):
    options = {"neighbours": neighbours, "n_records": n_records}
    three, nine = (classifier(epsilon, classes=list(range(k)), **options) for k in (3, 9))
    fits = ((classifier(epsilon, **options), Y), (regressor(epsilon, **options), ODDS), (three, Y), (nine, Y))
    for forest, y in fits:
        budget = forest.fit(X, y).budget_
        assert budget.neighbours == neighbours
        assert budget.epsilon == epsilon
        assert isinstance(budget.root.parts[2], Group) == (neighbours == "replace-one")


def test_a_number_of_records_is_given_bought_or_common_to_neighbours():
    def node(**options):
        budget = classifier(**options).fit(X, Y).budget_
        return next(n for n in budget.leaves() if n.name == "number of records")

    assert isinstance(node(), Public)
    assert isinstance(node(n_records=None), Spend)
    assert isinstance(node(n_records=None, neighbours="replace-one"), Public)
    assert classifier(n_records=None).fit(X, Y).plan_ == classifier().fit(X, Y).plan_


def test_the_plan_does_not_read_the_records():
    small = classifier().fit(X[:50], Y[:50])
    assert small.plan_ == classifier().fit(X, Y).plan_
    assert small.leaf_values_.shape == classifier().fit(X, Y).leaf_values_.shape


def test_a_domain_without_a_test_is_a_prior():
    forest = BoostedForestClassifier(
        1.0, domain=Domain([Continuous(2, 2), Categorical(["a"])]), classes=[0, 1], random_state=0
    )
    forest.fit(np.array([[2, "a"]] * 30, dtype=object), [1] * 25 + [0] * 5)
    assert forest.trees_.depth == 0 and forest.feature_importances_.tolist() == [0, 0]
    assert forest.budget_.epsilon == pytest.approx(1.0)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("people", [1, 3])
def test_the_budget_of_a_delta(neighbours, people):
    options = {"neighbours": neighbours, "delta": 1e-4, "records_per_person": people}
    options["n_estimators"] = 30
    three, nine = (classifier(3.0, classes=list(range(k)), **options) for k in (3, 9))
    for forest, y in ((classifier(3.0, **options), Y), (regressor(3.0, **options), ODDS), (three, Y), (nine, Y)):
        budget = forest.fit(X, y).budget_
        assert budget.neighbours == neighbours and 0 < budget.delta <= 1e-4
        assert budget.delta == pytest.approx(1e-4)
        assert budget.epsilon <= 3.0 and budget.epsilon == pytest.approx(3.0, rel=1e-9)


def test_a_delta_is_spent_where_it_pays():
    assert classifier(0.05, delta=1e-9).fit(X, Y).budget_.delta == 0
    assert classifier(float("inf"), delta=1e-9).fit(X, Y).budget_.delta == 0
    assert classifier(4e3, delta=1e-9, records_per_person=4).fit(X, Y).budget_.delta == 0
    assert classifier(0.05, delta=1e-9).fit(X, Y).budget_ == classifier(0.05).fit(X, Y).budget_
    pure, other = classifier(8.0).fit(X, Y), classifier(8.0, delta=1e-4).fit(X, Y)
    assert other.plan_.rounds > pure.plan_.rounds


@pytest.mark.parametrize(("n_classes", "rounds"), [(2, 0), (3, 1), (7, 3), (20, 6)])
def test_what_is_drawn_is_what_a_zero_concentrated_budget_says(monkeypatch, n_classes, rounds):
    """Deviations and selections of a fit, each turned into the rho that a record can cost by them."""
    drawn, reaches = [], []
    noise, choice, reach_of = (DiscreteGaussian.sample, Exponential.sample, blocks_boosted.class_reach)

    def sample(self, values, *, rng):
        counted = len(reaches) <= rounds  # class counts move by one
        root = math.sqrt(0.5) if rounds else 1.0  # own class and others: half of the L1 norm each
        moved = 1 if counted else root * reaches[-1].up
        drawn.append(moved**2 / (2 * self.sigma**2))
        return noise(self, values, rng=rng)

    def select(self, scores, *, rng):
        assert self.sensitivity == reaches[-1].mass and not self.monotonic
        drawn.append(self.epsilon**2 / 8)
        return choice(self, scores, rng=rng)

    def reach(*told):
        reaches.append(reach_of(*told))
        reaches[-1] = reaches[-1]._replace(up=max(reaches[-1][1:]), down=max(reaches[-1][1:]))
        return reaches[-1]

    monkeypatch.setattr(DiscreteGaussian, "sample", sample)
    monkeypatch.setattr(Exponential, "sample", select)
    monkeypatch.setattr(blocks_boosted, "class_reach", reach)
    forest = classifier(8.0, delta=1e-4, classes=list(range(n_classes)), n_estimators=20, max_depth=2)
    forest.fit(X, THREE if rounds else Y)
    nodes = [node for node in forest.budget_.leaves() if isinstance(node, Concentrated)]
    assert len(nodes) == (4 if rounds else 2) and len(drawn) == 80 - rounds
    expected = {round(node.rho, 12) for node in nodes}
    assert {round(rho, 12) for rho in drawn} == expected
    prior = next(n.epsilon for n in forest.budget_.leaves() if n.name == "class counts")
    tests, pairs = nodes[0].rho, nodes[1].rho
    assert 20 * (2 * tests + pairs) + prior**2 / 2 == pytest.approx(rho_of(8.0, 1e-4), rel=1e-6)


@pytest.mark.parametrize("delta", [-1e-9, 1.0, "0"])
def test_wrong_deltas(delta):
    with pytest.raises(ValueError, match=r"^delta must be"):
        classifier(delta=delta).fit(X, Y)


# Directions, and leaves along a column -------------------------------------------------------------


def test_a_small_regression_finds_a_difference_of_columns():
    domain = Domain([Continuous(0, 2), Continuous(-1, 1)], names=["a", "b"])
    values = pd.DataFrame({"a": 2 * X["u"], "b": 2 * X["v"] - 1})
    y = 8 * np.sin(4 * (X["u"] - X["v"]))
    options = {"domain": domain, "target_bounds": (-10, 10), "n_records": N, "random_state": 0}
    forest = BoostedForestRegressor(3.0, **options).fit(values, y)
    assert forest.score(values, y) > 0.8 and (0, 1, 1.0) in forest.directions_
    assert forest.trees_.feature[0] == 2 and "a - 1 b (shares)" in forest.export_text()
    assert forest.feature_importances_ == pytest.approx([0.5, 0.5], abs=0.2)
    assert BoostedForestRegressor(3.0, max_depth=1, **options).fit(values, y).directions_ == []


def test_a_column_of_a_small_regression_has_all_its_bins():
    forest = regressor(n_estimators=1).fit(X, ODDS)
    assert forest.plan_[:3] == (1, 1, 6) and forest.trees_.depth == 6
    assert len({*forest.trees_.feature[:63].tolist()}) == 1


@pytest.mark.parametrize("bounds", [(-20, 20), (-10, 90), (-100, 100)])
def test_bounds_of_targets_that_are_too_wide_cost_little(bounds):
    """Residuals are clipped in spreads, which are released: no stated bounds beat the right ones."""
    y = ODDS + RNG.normal(size=N)
    scores = [
        np.mean([regressor(2.0, target_bounds=of, random_state=seed).fit(X, y).score(X, y) for seed in range(6)])
        for of in ((-10, 10), bounds)
    ]
    assert abs(scores[1] - scores[0]) < 0.06 and scores[0] > 0.75


def test_later_rounds_of_a_regression_find_interactions():
    """Of a product no column says anything alone; both kinds of rounds spend the same on tests."""
    y = 8 * np.sign(X["u"] - 0.5) * np.sign(X["v"] - 0.5)
    forest = regressor(8.0, n_estimators=4).fit(X, y)
    assert forest.plan_.later and forest.score(X, y) > 0.5
    rounds = [forest.trees_.feature[forest.trees_.feature >= 0].size // 4] * 4
    assert rounds == [63] * 4
    costs = [node.epsilon for node in forest.budget_.leaves() if node.name == "test of a level"]
    assert costs[0] == pytest.approx(2 * costs[1], rel=1e-9) and len(costs) == 2
    first = regressor(8.0, n_estimators=1).fit(X, y)
    assert first.score(X, y) < forest.score(X, y) - 0.1  # the difference of both tells a part


@pytest.mark.parametrize(("name", "value"), [("max_depth", 13), ("n_records", 0)])
def test_wrong_parameters(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        classifier(**{name: value}).fit(X, Y)


# Explanations ------------------------------------------------------------------------------------------


def test_importances_are_those_of_the_columns_that_matter():
    found = classifier(epsilon=5.0).fit(X, (THREE == 1).astype(int)).feature_importances_
    assert found.sum() == pytest.approx(1) and found[0] > 3 * found[1] and found[2] > found[1]


def test_importances_by_hand():
    forest = classifier(n_estimators=2, max_depth=1).fit(X, Y)
    v, expected = forest.leaf_values_, np.zeros(3)
    h = np.maximum(forest.pair_sums_.sum(axis=1), 0)[:, :, 0]
    for t in range(2):
        gain = (v[2 * t + 1] - v[2 * t]) ** 2 / (1 / h[t, 0] + 1 / h[t, 1])
        expected[forest.trees_.feature[t]] += gain
    np.testing.assert_allclose(forest.feature_importances_, expected / expected.sum())


def test_text_says_every_round_and_step():
    forest = classifier(n_estimators=2, max_depth=2).fit(X, Y)
    text = forest.export_text()
    assert text.startswith(f"start {forest.initial_[0]:.3f}") and text.count("round") == 2
    assert len(text.splitlines()) == 1 + 2 * (1 + 2 + 4 + 4)
    assert all(f"|-- {value:.3f}" in text for value in forest.leaf_values_)
    three = classifier(classes=[0, 1, 2], n_estimators=1, max_depth=1).fit(X, THREE)
    assert " ".join(f"{value:.3f}" for value in three.leaf_values_[1]) in three.export_text()


def test_partial_dependence_of_scikit_learn_works():
    domain = Domain([Continuous(0, 1)] * 2)
    forest = BoostedForestClassifier(5.0, domain=domain, classes=[0, 1], n_records=N)
    values = X[["u", "v"]].to_numpy()
    forest.fit(values, (values[:, 0] > 0.5).astype(int))
    found = partial_dependence(forest, values, [0], response_method="decision_function")
    line = found["average"][0]
    assert line[-1] > 0 > line[0]


def test_pairs_of_several_classes_are_sums_of_clipped_residuals():
    """Without noise, from its formula: each record's residuals, scaled to at most a half of its own class's."""
    X, y = np.zeros((9, 1)), np.array([0, 0, 0, 0, 0, 1, 1, 2, 2])
    forest = BoostedForestClassifier(
        math.inf, domain=Domain([Categorical([0, 1])]), classes=[0, 1, 2], n_records=9, n_estimators=4, max_depth=0
    ).fit(X, y)
    scores = forest.initial_.copy()
    for t, (pairs, step) in enumerate(zip(forest.pair_sums_[:, :, 0], forest.leaf_values_)):
        p = np.exp(scores) / np.exp(scores).sum()
        residuals = np.eye(3)[y] - p
        if t:  # the first round counts
            own = residuals.max(axis=1, keepdims=True)
            residuals *= np.minimum(0.5 / own, 1)
        expected = np.maximum(residuals, 0).sum(axis=0), np.maximum(-residuals, 0).sum(axis=0)
        np.testing.assert_allclose(pairs, expected, atol=9 * 2 / boosting.STEPS)
        scores += step


@pytest.mark.parametrize(("epsilon", "classes", "rounds"), [(math.inf, 6, 3), (2.0, 9, 4), (2.0, 20, 6)])
def test_first_rounds_of_many_classes_count_records(epsilon, classes, rounds):
    """Gradients and curvatures are those of one count a class under the start, and steps follow from them."""
    options = {"classes": list(range(classes)), "n_estimators": rounds + 1, "max_depth": 2}
    forest = classifier(epsilon, **options).fit(X, THREE)
    p = np.floor(np.exp(forest.initial_) / np.exp(forest.initial_).sum() * boosting.STEPS) / boosting.STEPS
    own, others = (part[:rounds] for part in forest.pair_sums_.transpose(1, 0, 2, 3))
    counts = own / (1 - p)
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-6)
    np.testing.assert_allclose(others, (counts.sum(axis=2, keepdims=True) - counts) * p, atol=1e-6)
    if math.isinf(epsilon):
        np.testing.assert_array_equal(counts.sum(axis=1)[:, :3], [np.bincount(THREE)] * rounds)
    else:
        leaf = next(n.epsilon for n in forest.budget_.leaves() if n.name == "class counts of a leaf")
        gradient, curvature = own - others, (own + others) / 2
        for t, step in enumerate(forest.leaf_values_.reshape(rounds + 1, 4, classes)[:rounds]):
            found = boosting.leaf_steps(forest.plan_, gradient[t], curvature[t], 2 / leaf**2, 1.0)
            np.testing.assert_allclose(step, found * (0.8 if t else 1), atol=1e-9)
    last = forest.pair_sums_[rounds]
    assert abs(last * boosting.STEPS - np.rint(last * boosting.STEPS)).max() == 0


def second_counts(fits=250):
    """How many of a second round's class counts are true, of how many, and the rate that their node says."""
    true, number, y = 0, 0, np.arange(6).repeat([1, 2, 3, 4, 5, 6])
    for seed in range(fits):
        forest = BoostedForestClassifier(
            3.0, domain=Domain([Categorical([0, 1])]), classes=list(range(6)), n_records=500, n_estimators=3,
            max_depth=0, random_state=seed,
        ).fit(np.zeros((21, 1)), y)  # fmt: skip
        p = np.exp(forest.initial_) / np.exp(forest.initial_).sum()
        counts = np.rint(forest.pair_sums_[1:, 0, 0] / (1 - p))
        true, number = true + int((counts == np.bincount(y)).sum()), number + counts.size
    leaf = next(n.epsilon for n in forest.budget_.leaves() if n.name == "class counts of a leaf")
    return true, number, leaf


def test_later_class_counts_have_geometric_noise(monkeypatch):
    r"""A count is true with probability :math:`\tanh(\epsilon/2)`; not at half of the noise, nor counted twice."""

    def chance():
        true, number, leaf = second_counts()
        assert leaf == pytest.approx(0.97, abs=0.02)
        return binomtest(true, number, math.tanh(leaf / 2)).pvalue

    assert chance() > 1e-4
    original, calls = boosted_releases.noisy_counts, itertools.count()

    def later(change):
        """Of the four calls of a fit the last two, of rounds after the first, are changed."""
        return lambda counts, epsilon, rng: (change if next(calls) % 4 > 1 else original)(counts, epsilon, rng)

    for change in (
        lambda counts, epsilon, rng: (original(counts, 2 * epsilon, rng)[0], original(counts, epsilon, rng)[1]),
        lambda counts, epsilon, rng: original(2 * counts, epsilon, rng),
        lambda counts, epsilon, rng: (counts, original(counts, epsilon, rng)[1]),
    ):
        with monkeypatch.context() as planted:
            planted.setattr(boosted_releases, "noisy_counts", later(change))
            assert chance() < 1e-6
