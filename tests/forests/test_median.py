"""The median forests: what they spend, what they keep, what they predict."""

import math
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare
from sklearn.model_selection import cross_val_score

from dplit import Categorical, Continuous, Domain, PrivacyLeakWarning, datasets
from dplit.budget import EqualParts, Spend
from dplit.domain import GRID
from dplit.forests import MedianForestClassifier, MedianForestRegressor
from dplit.forests.releases import proved_means, published_labels
from dplit.mechanisms import Geometric
from dplit.median_forest import candidates

SQUARE = Domain([Continuous(0, 1), Continuous(0, 1), Categorical(["a", "b", "c"])])
SELECTIONS = ("uniform", "exponential", "permute-and-flip")


def data(n=600, seed=0):
    """Targets between 10 and 20, high where the first coordinate is."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random((n, 2)), rng.integers(3, size=n)])
    frame = pd.DataFrame(X).astype({2: object})
    frame[2] = np.array(["a", "b", "c"])[X[:, 2].astype(int)]
    return frame, 10 + 7 * (X[:, 0] > 0.6) + 2 * (X[:, 2] == 1) + rng.random(n)


def regressor(**options):
    settings = dict(domain=SQUARE, target_bounds=(10, 20), max_depth=4, random_state=0)
    return MedianForestRegressor(**{**settings, **options})


def classifier(**options):
    settings = dict(domain=SQUARE, classes=["lo", "hi"], max_depth=4, random_state=0)
    return MedianForestClassifier(**{**settings, **options})


def fitted(make=regressor, **options):
    X, y = data()
    return make(**options).fit(X, y if make is regressor else np.where(y > 16, "hi", "lo"))


both = pytest.mark.parametrize("make", [regressor, classifier])


# --- the privacy statement


@both
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("options", [{}, {"partitioned": False}, {"max_depth": 0}], ids=str)
def test_a_proved_fit_spends_epsilon_and_no_more(make, selection, neighbours, options):
    for epsilon in (0.1, 1, 7.3):
        budget = fitted(
            make, epsilon=epsilon, selection=selection, neighbours=neighbours, rho=0.3, **options
        ).budget_
        assert epsilon * (1 - 1e-12) <= budget.epsilon <= epsilon
        assert budget.neighbours == neighbours


def test_rho_shares_the_budget_between_cuts_and_leaves():
    spends = [n for n in fitted(epsilon=2, rho=0.3, n_estimators=3).budget_.leaves() if n.epsilon]
    assert [s.name for s in spends] == ["column and cut", "mean of a leaf"]
    assert [s.epsilon for s in spends] == pytest.approx([0.3 * 2 / 4, 0.7 * 2])


@pytest.mark.parametrize("n_trees", [1, 4])
def test_published_classification_pays_for_every_candidate(n_trees):
    """Levels x (candidates x eps_s + what the selection really costs) + eps_l, then equal parts."""
    forest = fitted(classifier, epsilon=2, rho=0.5, max_features=2, n_estimators=n_trees, accounting="published")
    share = 0.5 * 2 / (2 * 4)
    tree = 4 * (2 * share + share / 4) + 0.5 * 2
    expected = EqualParts("", Spend("", tree), n_trees).epsilon
    assert forest.budget_.epsilon == pytest.approx(expected, rel=1e-12)


def test_one_published_candidate_is_not_chosen_and_its_choice_not_paid():
    forest = fitted(classifier, epsilon=2, max_features=1, n_estimators=1, accounting="published")
    assert forest.budget_.epsilon == pytest.approx(4 * (0.5 * 2 / 8) + 0.5 * 2)


def test_no_more_candidates_are_paid_than_there_are_columns():
    for many in (7, None):
        forest = fitted(classifier, epsilon=2, max_features=many, n_estimators=1, accounting="published")
        assert forest.budget_.epsilon == pytest.approx(4 * (3 + 1 / 4) / 8 + 1)


def test_published_uniform_selection_on_one_tree_is_sound():
    forest = fitted(classifier, epsilon=2, selection="uniform", n_estimators=1, accounting="published")
    assert forest.budget_.epsilon == pytest.approx(2, rel=1e-12)
    replaced = fitted(classifier, epsilon=2, selection="uniform", accounting="published", neighbours="replace-one")
    assert replaced.budget_.epsilon == pytest.approx(4, rel=1e-12)


def test_published_means_leak():
    budget = fitted(accounting="published").budget_
    assert budget.epsilon == math.inf and "scaled by the private count" in str(budget)


def test_a_median_by_rank_leaks_and_needs_the_published_accounting():
    with pytest.warns(PrivacyLeakWarning, match="median='rank' has no finite epsilon"):
        forest = fitted(classifier, median="rank", accounting="published")
    assert forest.budget_.epsilon == math.inf
    with pytest.raises(ValueError, match="median='rank' is not private"):
        fitted(median="rank")


def test_what_is_read_off_the_data_shows_in_the_total():
    X, y = data()
    with pytest.warns(PrivacyLeakWarning, match="target_bounds was left out"):
        forest = regressor(target_bounds=None).fit(X, y)
    assert forest.budget_.epsilon == math.inf and "target bounds: inf" in str(forest.budget_)
    assert forest.target_bounds_ == (y.min(), y.max())
    with pytest.warns(PrivacyLeakWarning, match="domain"):
        assert regressor(domain=None).fit(X, y).budget_.epsilon == math.inf


@both
def test_a_fitted_forest_holds_trees_and_releases_alone(make):
    forest = fitted(make)
    leaves, schema = "leaf_values_", {"target_bounds_", "target_scale_"}
    if make is classifier:
        leaves, schema = "leaf_labels_", {"classes_", "n_classes_"}
    public = {"budget_", "domain_", "trees_", "n_features_in_", "max_depth_", "noise_", leaves} | schema
    assert {name for name in vars(forest) if name.endswith("_")} == public
    assert len(getattr(forest, leaves)) == forest.trees_.n_leaves
    copy = pickle.loads(pickle.dumps(forest))
    assert copy.random_state is None


def test_a_fit_that_stops_leaves_the_last_one_and_its_budget():
    X, y = data()
    forest = fitted()
    before = pickle.dumps(forest.set_params(target_bounds=(3, 2)))
    with pytest.raises(ValueError, match="target_bounds"):
        forest.fit(X, y)
    assert pickle.dumps(forest) == before


# --- laws of the cuts, and of the releases

NODE = candidates.Node(
    np.array([[0.1, 0.5], [0.15, 0.2], [0.4, 0.8], [0.45, 0.3], [0.9, 0.6], [0.95, 0.7]]),
    np.array([0.0, 0.0, 1.0, 1.0, 1.0, 0.0]),
)
TREES = 3000


def roots_of(kind, **options):
    """How often each cut is the root's in a forest whose every tree has epsilon 12 and sees all of NODE.

    With rho = 1/2 and one level, a median and a choice have 3 each.
    """
    X, y = NODE
    target = {"target_bounds": (0, 1)} if kind is MedianForestRegressor else {"classes": [0, 1]}
    forest = kind(
        12.0 * TREES, domain=Domain([Continuous(0, 1)] * 2), n_estimators=TREES, max_depth=1,
        partitioned=False, random_state=0, **{**target, **options},
    ).fit(X, y if "target_bounds" in target else y.astype(int))  # fmt: skip
    trees, seen = forest.trees_, []
    feature, cut = trees.feature[trees.roots], trees.threshold[trees.roots]
    for j in (0, 1):
        edges = np.concatenate([[0], np.sort(X[:, j]), [1]])
        seen.append(np.histogram(cut[feature == j], edges)[0])
    return np.concatenate(seen)


@pytest.mark.parametrize("selection", ["exponential", "permute-and-flip"])
@pytest.mark.parametrize(
    ("kind", "options", "law", "epsilon", "rate"),
    [
        (MedianForestRegressor, {}, candidates.joint_law, 3, 3),
        # one-hot squares of two classes are twice those of 0 and 1, at half the rate
        (MedianForestClassifier, {}, candidates.joint_law, 3, 3),
        (MedianForestRegressor, {"neighbours": "replace-one"}, candidates.joint_law, 1.5, 1.5),
        (MedianForestRegressor, {"accounting": "published"}, candidates.candidates_law, 3, 3 / 8),
        (MedianForestRegressor, {"accounting": "published", "target_bounds": (-1, 1)},
         candidates.candidates_law, 3, 3 / 8),
        (MedianForestClassifier, {"accounting": "published"}, candidates.candidates_law, 3, 3 / 4),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)  # fmt: skip
def test_a_root_follows_the_law_whose_loss_is_proved(kind, options, law, epsilon, rate, selection):
    """3,000 roots against the exact law of `dplit.median_forest.candidates`; false alarm 1e-9 each.

    On [-1, 1] the targets 0 and 1 are 1/2 and 1 of the range: squares are a quarter, weights R^2/(8 B^2)
    four times those on [0, 1].
    """
    seen = roots_of(kind, selection=selection, **options)
    exact = law(NODE, epsilon, rate, selection)
    assert chisquare(seen, seen.sum() * exact).pvalue > 1e-9
    for other in (law(NODE, 2 * epsilon, rate, selection), law(NODE, epsilon, 2 * rate, selection)):
        if law is candidates.joint_law:
            assert chisquare(seen, seen.sum() * other).pvalue < 1e-9, "twice a rate would show"


def test_a_uniform_column_is_cut_at_a_median_with_the_whole_share():
    seen = roots_of(MedianForestRegressor, selection="uniform")
    exact = candidates.candidates_law(NODE, 6, 0.0)
    assert chisquare(seen, seen.sum() * exact).pvalue > 1e-9
    twice = candidates.candidates_law(NODE, 12, 0.0)
    assert chisquare(seen, seen.sum() * twice).pvalue < 1e-9


def test_proved_means_are_computed_from_votes_of_the_leafs_budget():
    """By hand from the same noise at the leaf's epsilon, the centre from all released votes."""
    stats = np.array([[30.0, 12.0], [0.0, 0.0], [2.0, 2.0], [7.0, 0.5]])
    found, _ = proved_means((stats * [1, GRID]).astype(int), 0.8, np.random.default_rng(3))
    zeros = np.zeros((4, 2), dtype=int)
    noise = Geometric(0.8, GRID).sample(zeros, rng=np.random.default_rng(3)) / GRID
    below, above = (stats[:, 0] - stats[:, 1] + noise[:, 0]), stats[:, 1] + noise[:, 1]
    centre = above.sum() / (above + below).sum()
    share = (above + 2 / 0.8 * centre) / np.maximum(above + below + 2 / 0.8, 1e-9)
    expected = np.where(above + below + 2 / 0.8 > 0, np.clip(share, 0, 1), centre)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(("neighbours", "rate"), [("add-remove", 0.5), ("replace-one", 0.25)])
def test_proved_labels_are_drawn_by_permute_and_flip_at_the_leafs_budget(neighbours, rate):
    """3,000 leaves with counts 3 and 5 at epsilon 1/2: 6 standard errors, false alarm 1e-8."""
    X, y = np.full((8, 1), 0.5), np.array([0] * 3 + [1] * 5)
    forest = MedianForestClassifier(
        0.5 * TREES, domain=Domain([Continuous(0, 1)]), classes=[0, 1], n_estimators=TREES,
        max_depth=0, partitioned=False, neighbours=neighbours, random_state=1,
    ).fit(X, y)  # fmt: skip
    chance = math.exp(-2 * rate) / 2
    error = 6 * math.sqrt(chance * (1 - chance) / TREES)
    assert (forest.leaf_labels_ == 0).mean() == pytest.approx(chance, abs=error)


def test_leaf_means_are_those_of_the_votes():
    """One leaf of 600 records at epsilon 1: noise of the votes is a thousandth of them."""
    _, y = data()
    forest = fitted(epsilon=1, max_depth=0, n_estimators=1)
    assert forest.leaf_values_ == pytest.approx([y.mean()], abs=10 * 25 / 600)
    assert forest.leaf_values_[0] != pytest.approx(y.mean(), abs=1e-9), "there is noise"


def test_published_leaves_are_means_with_noise_in_proportion_to_the_count():
    """Spread of 600 fits of one leaf of 50 records: scale 10/(50 x 0.5 x 8), within 20 %, or five deviations."""
    X, y = data(50)
    forest = regressor(epsilon=8, max_depth=0, n_estimators=1, accounting="published")
    fits = [forest.set_params(random_state=s).fit(X, y).leaf_values_[0] for s in range(600)]
    assert np.abs(np.array(fits) - y.mean()).mean() == pytest.approx(10 / (50 * 4), rel=0.2)


def test_published_labels_flip_as_often_as_the_paper_says():
    """P_f = (eps D/4 + 1/2) exp(-eps D) (v2, appendix B.2); 4,000 leaves, 6 standard errors."""
    counts = np.tile([3.0, 5.0], (4000, 1))
    labels, _ = published_labels(counts, 0.7, np.random.default_rng(1))
    flips = (0.7 * 2 / 4 + 0.5) * math.exp(-0.7 * 2)
    assert (labels == 0).mean() == pytest.approx(flips, abs=6 * math.sqrt(flips / 4000))


def test_empty_leaves_release_something_too():
    X, y = data(12)
    for make in (regressor, classifier):
        target = y if make is regressor else np.where(y > 16, "hi", "lo")
        forest = make(max_depth=7, n_estimators=2, epsilon=1).fit(X, target)
        assert forest.trees_.n_leaves > 12
        values = forest.leaf_values_ if make is regressor else forest.leaf_labels_
        assert np.isfinite(values).all()
    assert ((regressor(max_depth=7).fit(X, y).predict(X) - 15) ** 2 <= 25).all()


# --- prediction


@pytest.mark.parametrize("accounting", ["proved", "published"])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_large_epsilon_predicts_well(selection, accounting):
    (X, y), (new, truth) = data(4000), data(1000, 1)
    options = dict(epsilon=50.0, selection=selection, accounting=accounting, max_features=None)
    forest = regressor(**options, max_depth=6).fit(X, y)
    assert np.mean((forest.predict(new) - truth) ** 2) < (4 if selection == "uniform" else 1)
    labels = [np.where(t > 16, "hi", "lo") for t in (y, truth)]
    scores = classifier(**options, max_depth=6).fit(X, labels[0]).score(new, labels[1])
    assert scores > (0.8 if selection == "uniform" else 0.95)


def test_the_twin_is_a_forest_of_true_medians_and_means():
    X, y = data(500)
    forest = regressor(epsilon=np.inf, n_estimators=1, max_depth=3).fit(X, y)
    leaves = forest.apply(X)[:, 0]
    means = pd.Series(y).groupby(leaves).mean()
    np.testing.assert_allclose(forest.leaf_values_[means.index], means)
    only = Domain([Continuous(0, 1)])
    halves = regressor(domain=only, epsilon=np.inf, n_estimators=1, max_depth=1).fit(X[[0]], y)
    assert np.bincount(halves.apply(X[[0]])[:, 0]).tolist() == [250, 250]
    assert halves.budget_.epsilon == math.inf


def test_units_of_the_target_change_nothing_else():
    X, y = data()
    one = regressor().fit(X, y).predict(X)
    other = regressor(target_bounds=(0, 5)).fit(X, (y - 10) / 2).predict(X)
    np.testing.assert_allclose(other, (one - 10) / 2, atol=1e-9)


def test_targets_outside_the_bounds_are_clipped():
    X, y = data()
    clipped = regressor(target_bounds=(12, 14)).fit(X, y)
    same = regressor(target_bounds=(12, 14)).fit(X, np.clip(y, 12, 14))
    np.testing.assert_array_equal(clipped.predict(X), same.predict(X))


@both
def test_same_seed_same_forest_for_any_n_jobs(make):
    X, _ = data()
    one, two = fitted(make), fitted(make, n_jobs=2)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))
    assert (fitted(make, random_state=1).trees_.threshold[0] != one.trees_.threshold[0]).any()


def test_cross_validation_on_a_public_data_set():
    wine = datasets.load("iris")
    forest = MedianForestClassifier(20.0, domain=wine.domain, max_depth=4, random_state=0)
    assert cross_val_score(forest, wine.X, wine.y, cv=3).mean() > 0.6


def test_memory_is_at_most_three_times_the_data():
    rng = np.random.default_rng(0)
    X, y = rng.random((200_000, 10)), rng.random(200_000)
    options = dict(domain=Domain([Continuous(0, 1)] * 10), target_bounds=(0, 1), random_state=0)
    for partitioned in (True, False):
        forest = MedianForestRegressor(n_estimators=5, partitioned=partitioned, **options)
        forest.fit(X[:100], y[:100])  # compiled code is not counted
        tracemalloc.start()
        forest.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 3 * X.nbytes


# --- bad input


@both
def test_a_forest_of_too_many_nodes_is_refused(make):
    with pytest.raises(ValueError, match="max_depth=60 with n_estimators=10 needs more than"):
        fitted(make, max_depth=60)


def test_bad_targets_are_named():
    X, y = data(20)
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="y must hold"):
            regressor().fit(X, [bad, *y[1:]])
    with pytest.raises(ValueError, match="y must hold numbers, got a target"):
        regressor().fit(X, ["high"] * 20)
    with pytest.raises(ValueError, match="one length, got 20 and 19"):
        regressor().fit(X, y[:-1])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_targets_of_the_widest_bounds_are_those_of_narrow_ones(accounting):
    X, y = data()
    choice = {"selection": "exponential", "accounting": accounting}
    for power in (900, -900):
        fits = [
            regressor(target_bounds=(-20 * unit, 20 * unit), **choice).fit(X, y * unit)
            for unit in (1.0, 2.0**power)
        ]
        narrow, other = (forest.predict(X) for forest in fits)
        np.testing.assert_array_equal(other / 2.0**power, narrow)
    forest = regressor(target_bounds=(-1e300, 1e300), **choice).fit(X, y)
    assert np.isfinite(forest.predict(X)).all()
