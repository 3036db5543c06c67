"""The forests without privacy: what they are told, what they say of privacy, and that they learn."""

import copy
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import check_estimator

from dplit import Categorical, Continuous, Domain, baselines
from dplit.baselines._plain import halved
from dplit.budget import Leak

KINDS = [(name, {}) for name in baselines.NOT_PRIVATE]
KINDS.append(("ComparisonForestClassifier", {"consistent": False}))
every_kind = pytest.mark.parametrize(("name", "options"), KINDS, ids=str)


def records(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"u": rng.uniform(0, 10, n), "v": pd.Categorical(rng.choice(list("abc"), n))})
    return X, np.where(X["u"] / 10 + (X["v"] == "a") > 0.9, "yes", "no")


def make(name, options, **more):
    return getattr(baselines, name)(**{"n_estimators": 20, "random_state": 0, **options, **more})


def test_scikit_learn_checks():
    """Of the option that is no default: `tests/forests/test_kinds.py` has the defaults."""
    found = check_estimator(make(*KINDS[-1]), on_fail=None, on_skip=None)
    assert len(found) > 40
    assert [(c["check_name"], c["exception"]) for c in found if c["status"] == "failed"] == []


@every_kind
def test_a_forest_learns_and_nothing_warns(name, options):
    X, y = records()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest = make(name, options).fit(X, y)
    new, truth = records(seed=1)
    assert forest.score(new, truth) > 0.85
    shares = forest.predict_proba(new)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (forest.classes_[shares.argmax(axis=1)] == forest.predict(new)).all()


@every_kind
def test_it_has_no_epsilon_and_says_so(name, options):
    forest = make(name, options).fit(*records())
    told = {"epsilon", "neighbours", "accounting", "max_depth"}
    assert not told & {*forest.get_params()}
    assert forest.budget_.epsilon == math.inf
    leaks = [node.name for node in forest.budget_.leaves() if isinstance(node, Leak)]
    assert leaks[-2:] == ["trees", "labels"] and "without noise" in str(forest.budget_)


@every_kind
def test_threads_pickles_and_copies(name, options):
    X, y = records()
    one, two = (make(name, options, n_jobs=jobs).fit(X, y) for jobs in (None, 2))
    kept = pickle.loads(pickle.dumps(one))
    other = make(name, options, random_state=1).fit(X, y)
    expected = one.predict_proba(X)
    for same in (two, kept, copy.deepcopy(one)):
        np.testing.assert_array_equal(same.predict_proba(X), expected)
    assert not np.array_equal(other.predict_proba(X), expected)


@every_kind
def test_little_data(name, options):
    """One record, one class, constant columns, fewer records than a leaf keeps."""
    for X, y in (
        ([[1.0, 2.0]], [1]),
        ([[1.0, 2.0]] * 30, [0, 1, 1] * 10),
        (np.arange(40.0).reshape(20, 2), [1] * 20),
        (np.arange(6.0).reshape(3, 2), [0, 1, 1]),
    ):
        forest = make(name, options, classes=[0, 1]).fit(X, y)
        assert forest.apply(X).shape == (len(y), 20)
        assert forest.predict(X).tolist() == [1] * len(y)


@every_kind
def test_a_class_that_does_not_occur(name, options):
    X, y = records()
    forest = make(name, options, classes=["maybe", "no", "yes"]).fit(X, y)
    assert forest.predict_proba(X).shape == (400, 3)
    assert not forest.predict_proba(X)[:, 0].any()


@every_kind
def test_a_public_domain_is_kept(name, options):
    X, y = records()
    domain = Domain([Continuous(0, 10), Categorical(list("abcd"))], names=["u", "v"])
    forest = make(name, options, domain=domain).fit(X, y)
    assert forest.domain_ is domain
    with pytest.raises(ValueError, match="'v' must hold levels"):
        forest.predict(X.assign(v="z"))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("DenilForestClassifier", {"n_estimators": 0}, "n_estimators must be .* got 0"),
        ("DenilForestClassifier", {"min_samples_leaf": 0}, "min_samples_leaf must be .* got 0"),
        ("DenilForestClassifier", {"mean_columns": 0.5}, "mean_columns must be .* got 0.5"),
        ("DenilForestClassifier", {"mean_columns": math.nan}, "mean_columns must be .* got nan"),
        ("DenilForestClassifier", {"range_points": 1}, "range_points must be .* got 1"),
        ("BernoulliForestClassifier", {"one_column": 1.5}, "one_column must be .* got 1.5"),
        ("BernoulliForestClassifier", {"any_cut": -0.1}, "any_cut must be .* got -0.1"),
        ("BernoulliForestClassifier", {"any_cut": math.nan}, "any_cut must be .* got nan"),
        ("ComparisonForestClassifier", {"consistent": "yes"}, "consistent must be .* got 'yes'"),
        ("ComparisonForestClassifier", {"partition_rate": 0}, "partition_rate must be .* got 0"),
        ("CompletelyRandomForestClassifier", {"partition_rate": math.inf}, "partition_rate must be"),
    ],
)
def test_bad_parameters_are_named(name, options, message):
    with pytest.raises(ValueError, match=message):
        make(name, options).fit(*records())


@pytest.mark.parametrize(("rate", "size"), [(1.0, 50), (3, 75), (0.25, 20), (1e9, 99)])
def test_halves(rate, size):
    structure, estimation = halved(100, rate, np.random.default_rng(0))
    assert len(structure) == size
    assert sorted([*structure, *estimation]) == list(range(100))


def test_each_record_is_as_often_a_structure_point():
    rng = np.random.default_rng(0)
    counts = np.zeros(10)
    for _ in range(4000):
        counts[halved(10, 1.0, rng)[0]] += 1
    assert abs(counts / 4000 - 0.5).max() < 0.05


def test_without_a_partition_both_are_all_records():
    structure, estimation = halved(7, None, np.random.default_rng(0))
    assert sorted(structure) == sorted(estimation) == list(range(7))


def test_the_consistent_forest_of_comparisons_labels_by_other_records():
    """Pure noise: with a partition training accuracy is that of guessing, without it is not."""
    rng = np.random.default_rng(3)
    X, y = rng.uniform(size=(600, 4)), rng.integers(0, 2, 600)
    schema = {"classes": [0, 1], "min_samples_leaf": 1, "n_estimators": 1}
    honest, other = (
        np.mean([
            make("ComparisonForestClassifier", schema, consistent=c, random_state=s).fit(X, y).score(X, y)
            for s in range(20)
        ])
        for c in (True, False)
    )  # fmt: skip
    assert honest < 0.8 < 0.95 < other
