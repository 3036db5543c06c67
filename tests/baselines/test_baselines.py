"""The baselines' interface: reproducible, and honest about errors."""

import pickle

import numpy as np
import pandas as pd
import pytest

from dplit import Categorical, Continuous, Domain, baselines
from dplit.baselines._shared import bin_codes

PRIVATE = [n for n in baselines.__all__ if n not in baselines.NOT_PRIVATE]
LEVELS = [n for n in PRIVATE if n.startswith(("DPRandom", "DPDecision"))]
LABELLED = [n for n in PRIVATE if n.endswith("Classifier") and n != "JPWClassifier"]
DOMAIN = Domain([Continuous(0, 10), Categorical(["a", "b", "c"]), Continuous(-1, 1)], names=["u", "v", "w"])


def records(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"u": rng.uniform(0, 10, n), "v": rng.choice(list("abc"), n), "w": rng.uniform(-1, 1, n)})
    signal = X.u / 10 + (X.v == "a") + 0.2 * rng.standard_normal(n)
    return X, signal


def targets(name, signal):
    return (signal > 1).to_numpy().astype(int) if name.endswith("Classifier") else signal


def make(name, **options):
    schema = {"classes": [0, 1]} if name.endswith("Classifier") else {"target_bounds": (0, 2)}
    return getattr(baselines, name)(**{"domain": DOMAIN, "random_state": 0, **schema, **options})


def fitted(name, **options):
    X, signal = records()
    return make(name, **options).fit(X, targets(name, signal))


@pytest.mark.parametrize("accounting", ["proved", "published"])
@pytest.mark.parametrize("name", PRIVATE)
def test_a_forest_learns_when_there_is_little_noise(name, accounting):
    options = {"accounting": accounting, "partitioned": False}
    forest = fitted(name, epsilon=1e4, max_depth=5, **options)
    X, signal = records(seed=1)
    assert forest.score(X, targets(name, signal)) > 0.75


@pytest.mark.parametrize("accounting", ["proved", "published"])
@pytest.mark.parametrize("name", PRIVATE)
def test_a_fit_is_reproducible_for_any_number_of_threads(name, accounting):
    X, _ = records(seed=2)
    one, same, threads = (fitted(name, accounting=accounting, n_jobs=jobs).predict(X) for jobs in (None, None, 2))
    np.testing.assert_array_equal(one, same)
    np.testing.assert_allclose(one, threads, rtol=1e-12)
    forests = [fitted(name, accounting=accounting, random_state=seed) for seed in (0, 1)]
    told = "predict_proba" if name.endswith("Classifier") else "predict"
    assert not np.array_equal(*(getattr(forest, told)(X) for forest in forests))


@pytest.mark.parametrize("name", PRIVATE)
def test_a_pickle_predicts_the_same_and_holds_no_seed(name):
    forest = fitted(name, random_state=12345)
    X, _ = records(seed=2)
    copy = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(copy.predict(X), forest.predict(X))
    assert copy.random_state is None


@pytest.mark.parametrize("name", [n for n in PRIVATE if n != "JPWClassifier"])
def test_released_leaves_are_inside_the_schema(name):
    forest = fitted(name, epsilon=0.5, n_estimators=10)
    released = forest.leaf_labels_ if name in LABELLED else forest.leaf_values_
    assert released.shape == (forest.trees_.n_leaves,)
    if name in LABELLED:
        assert set(released.tolist()) == {0, 1}
    else:
        assert released.min() >= 0 and released.max() <= 2
        published = fitted(name, epsilon=0.5, accounting="published").leaf_values_
        assert published.min() < 0 and published.max() > 2  # the papers do not clip them
    assert forest.apply(records()[0]).shape == (400, 10)


def test_a_fitted_forest_keeps_what_it_released_and_no_more():
    """Nothing of the counts, of the records or of which tree they went to is kept."""
    for name in PRIVATE:
        kept = {k for k in vars(fitted(name)) if k.endswith("_")}
        schema = {"domain_", "trees_", "budget_", "n_features_in_", "feature_names_in_", "noise_"}
        if name.endswith("Classifier"):
            schema |= {"classes_", "n_classes_"}
        else:
            schema |= {"target_bounds_", "target_scale_", "leaf_values_"}
        if name in LABELLED:
            schema |= {"leaf_labels_"}
        if name == "JPWClassifier":
            schema |= {"leaf_counts_", "max_depth_"}
        if name == "DPDecisionForestClassifier":
            schema |= {"leaf_shares_"}  # of its released counts
        assert kept == schema | ({"bins_"} if name in LEVELS else set())


def test_errors_of_the_criterion():
    with pytest.raises(ValueError, match="criterion must be 'gini' or 'majority' unless"):
        fitted("DPRandomForestClassifier", criterion="entropy")


def test_a_failed_fit_leaves_the_last_one_standing():
    X, signal = records()
    for name in PRIVATE:
        forest = fitted(name)
        before = forest.predict(X)
        with pytest.raises(ValueError, match="must hold levels of its list"):
            forest.fit(X.assign(v="z"), targets(name, signal))
        np.testing.assert_array_equal(forest.predict(X), before)


def test_bins_are_equally_wide_parts_of_the_public_interval():
    domain = Domain([Continuous(0, 10), Categorical(["a", "b"]), Continuous(3, 3)])
    X = np.array([[0, 1, 3], [1.99, 0, 3], [2.0, 0, 3], [9.99, 1, 3], [10.0, 0, 3.0]])
    expected = [[0, 0, 1, 4, 4], [1, 0, 0, 1, 0], [0] * 5]
    np.testing.assert_array_equal(bin_codes(domain, X, 5), expected)


@pytest.mark.parametrize("name", LEVELS)
def test_trees_predict_by_the_bins_they_were_fitted_with(name):
    forest = fitted(name, epsilon=1e4, bins=7)
    X, _ = records(seed=3)
    before = forest.predict(X)
    np.testing.assert_array_equal(forest.set_params(bins=2).predict(X), before)


def test_empty_parts_are_released_like_any_other():
    """More trees than records: most trees are given none."""
    X, signal = records(3)
    for name in PRIVATE:
        for accounting in ("proved", "published"):
            forest = make(name, n_estimators=20, partitioned=True, accounting=accounting)
            assert forest.fit(X, targets(name, signal)).predict(X).shape == (3,)
