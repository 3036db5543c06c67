"""What a fit must not tell beside its release: its noise, its seed, and records in errors."""

import copy
import math
import pickle
import traceback
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dplit import Categorical, Continuous, Domain, forests
from dplit.forests import MedianForestClassifier, RandomDecisionForestClassifier
from dplit.forests.noise import SEEDED
from tests.forests.kinds import PLAIN, each, target

RANDOM_TREES = {
    "RandomDecisionForestClassifier", "JPWClassifier", "DPExtraTreesClassifier",
    "DPExtraTreesRegressor", "MatrixForestClassifier",
}  # fmt: skip
SOURCES = [np.random.default_rng, np.random.RandomState, np.random.SeedSequence, np.random.PCG64]
X = np.random.default_rng(0).random((40, 2))
Y = (X[:, 0] > 0.5).astype(int)
SEED = 90210


def estimator(kind=RandomDecisionForestClassifier, **options):
    options = {"domain": Domain([Continuous(0, 1)] * 2), **target(kind), **options}
    return kind(**options) if kind in PLAIN else kind(0.5, **{"max_depth": 2, **options})


def total(kind):
    """What the budget of a fit adds up to."""
    return pytest.approx(math.inf if kind in PLAIN else 0.5)


def released(forest):
    """Everything that a fitted forest releases, as one array."""
    names = ("leaf_labels_", "leaf_values_", "leaf_counts_", "leaf_differences_", "cell_counts_")
    parts = [np.ravel(getattr(forest, name)) for name in names if hasattr(forest, name)]
    grown = asked(forest) if hasattr(forest, "trees_") else []  # a histogram has none
    return np.concatenate([*parts, *grown])


def asked(forest):
    """What the nodes of a fitted forest test, as two flat arrays; the first are numbers."""
    if not hasattr(forest, "trees_"):  # a histogram
        return []
    names = ("pivots", "pair") if hasattr(forest.trees_, "pivots") else ("threshold", "feature")
    return [np.ravel(getattr(forest.trees_, name)) for name in names]


def same(one, other):
    one, other = released(one), released(other)
    return len(one) == len(other) and np.array_equal(one, other, equal_nan=True)


# Noise -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", SOURCES)
@each
def test_fits_of_clones_share_no_noise(kind, source):
    """A generator is copied with its state by `clone`: two releases could be subtracted."""
    template = estimator(kind, n_estimators=20, random_state=source(7))
    one, two = (clone(template).fit(X, Y) for _ in range(2))
    assert not same(one, two)
    if kind.__name__ in RANDOM_TREES:
        np.testing.assert_array_equal(one.trees_.threshold, two.trees_.threshold)
        np.testing.assert_array_equal(one.trees_.feature, two.trees_.feature)
    elif kind.__name__ not in (
        "FSClassifier",
        "RGVClassifier",
        "HistogramForestClassifier",
    ):  # whose trees end at their roots here
        assert asked(one)[1].tolist() != asked(two)[1].tolist()


@pytest.mark.parametrize("source", SOURCES)
def test_the_tree_of_a_record_is_drawn_anew(source):
    template = estimator(random_state=source(7))
    one, two = (clone(template)._generator().integers(9, size=400) for _ in range(2))
    assert (one == two).mean() < 0.3


@each
def test_an_integer_repeats_a_fit_and_nothing_does_not(kind):
    options = {"n_estimators": 20}
    assert same(*(estimator(kind, random_state=SEED, **options).fit(X, Y) for _ in range(2)))
    assert not same(*(estimator(kind, **options).fit(X, Y) for _ in range(2)))


@each
def test_the_budget_says_what_it_takes_for_granted(kind):
    seeded = estimator(kind, random_state=SEED).fit(X, Y).budget_
    fresh = estimator(kind).fit(X, Y).budget_
    drawn = estimator(kind, random_state=np.random.default_rng(0)).fit(X, Y).budget_
    assert "seeded: whoever knows the seed can undo the noise" in str(seeded)
    assert "seeded" not in str(fresh) + str(drawn)
    for budget in (seeded, fresh):
        assert budget.epsilon == total(kind)
        assert "there is at least one record" in str(budget)
    assert "source of randomness" in str(seeded) and "source of randomness" in str(drawn)
    for budget in (seeded, fresh):
        assert budget.to_dict()["notes"] == list(budget.notes)


@each
def test_a_fit_without_records_is_an_error_and_one_is_enough(kind):
    with pytest.raises(ValueError, match="0 "):
        estimator(kind).fit(X[:0], Y[:0])
    assert estimator(kind).fit(X[:1], Y[:1]).budget_.epsilon == total(kind)


# The seed --------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [SEED, np.int64(SEED), np.random.SeedSequence(SEED)], ids=str)
def test_no_pickle_holds_the_seed(state):
    forest = estimator(random_state=state)
    search = GridSearchCV(forest, {"max_depth": [1, 2]}, cv=2)
    bag = BaggingClassifier(forest, n_estimators=2, bootstrap=False, random_state=0)
    for whole in (forest, clone(forest).fit(X, Y), make_pipeline(StandardScaler(), forest)):
        told = pickle.dumps(whole)
        assert SEED.to_bytes(3, "little") not in told
    for fitted in (search.fit(X, Y), bag.fit(X, Y)):
        again = pickle.loads(pickle.dumps(fitted))
        assert again.estimator.random_state is None
        np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    assert pickle.loads(pickle.dumps(estimator().get_params())) is not None
    assert pickle.loads(pickle.dumps(forest.get_params()["random_state"])) != SEED


def test_copies_keep_the_seed():
    forest = estimator(random_state=SEED).fit(X, Y)
    for twin in (copy.deepcopy(forest), copy.copy(forest), clone(forest)):
        assert twin.random_state == SEED and same(twin.fit(X, Y), forest)
    assert copy.deepcopy(forest).trees_ is not forest.trees_


def test_a_seed_repeats_a_search_in_threads_and_does_not_reach_another_process():
    """A template's clones were fitted with its seed, so that a pickle of it must not hold it either."""
    forest = estimator(random_state=SEED)
    searches = [GridSearchCV(forest, {"max_depth": [1, 2]}, cv=2, n_jobs=n) for n in (1, 2)]
    with joblib.parallel_config("threading"):
        found = [search.fit(X, Y).best_estimator_ for search in searches]
    assert same(*found) and SEEDED in found[0].budget_.notes
    sent = [pickle.loads(pickle.dumps(forest)).fit(X, Y) for _ in range(2)]
    assert not same(*sent) and not any(SEEDED in there.budget_.notes for there in sent)


def test_the_seed_is_not_shown():
    forest = estimator(random_state=SEED)
    pipeline = make_pipeline(StandardScaler(), forest)
    shown = [repr(forest), str(forest), str(forest.get_params()), forest._repr_html_()]
    shown += [repr(pipeline), pipeline._repr_html_(), repr(GridSearchCV(forest, {}))]
    shown += [repr(forest.set_params(random_state=SEED)), f"{forest.random_state}"]
    assert not [text for text in shown if str(SEED) in text]
    assert "random_state=<seed>" in repr(forest)


@pytest.mark.parametrize("state", [[SEED, 7], (SEED, 7), np.array([SEED, 7]), [[SEED], [7]]], ids=repr)
def test_several_integers_are_hidden_as_one_is(state):
    """NumPy's generators take them for a seed."""
    forest = estimator(random_state=state)
    assert "random_state=<seed>" in repr(forest) and str(SEED) not in str(forest.get_params())
    assert SEED.to_bytes(3, "little") not in pickle.dumps(GridSearchCV(forest, {}, cv=2).fit(X, Y))
    assert pickle.loads(pickle.dumps(forest.get_params()["random_state"])) is None
    twins = [clone(forest), copy.deepcopy(forest), estimator(random_state=[SEED, 7])]
    assert all(same(twin.fit(X, Y), forest.fit(X, Y)) for twin in twins)
    assert SEEDED in forest.budget_.notes
    drawn = np.random.default_rng(state).integers(2**40, size=3)
    assert (forest._generator().integers(2**40, size=3) == drawn).all()  # the stream that it was


# Errors and warnings ---------------------------------------------------------------------------

SECRET = "alice, diagnosis 4711"
MIXED = Domain([Continuous(0, 1), Categorical(["a", "b"])], names=["u", "v"])
RECORDS = pd.DataFrame({"u": [0.1, 0.9, 0.4], "v": ["a", "b", "a"]})


@pytest.mark.parametrize(
    ("X", "y", "named"),
    [
        (RECORDS.assign(v=["a", SECRET, "b"]), [0, 1, 0], "column 'v'"),
        (RECORDS.assign(u=[0.1, SECRET, 0.2]), [0, 1, 0], "column 'u'"),
        (RECORDS.assign(v=["a", [SECRET], "b"]), [0, 1, 0], "column 'v'"),
        (RECORDS, ["x", SECRET, "x"], "classes"),
    ],
    ids=["level", "number", "list", "class"],
)
def test_errors_quote_no_record(X, y, named):
    classes = [0, 1] if 0 in y else ["x", "y"]
    forest = MedianForestClassifier(1.0, domain=MIXED, classes=classes)
    with pytest.raises(ValueError, match=named) as caught:
        forest.fit(X, y)
    assert "4711" not in "".join(traceback.format_exception(caught.value))


def test_errors_of_arrays_and_targets_quote_no_record():
    with pytest.raises(ValueError, match="X must hold numbers") as caught:
        estimator().fit(np.array([[SECRET, 1.0]], dtype=object), [0])
    assert "4711" not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(ValueError, match="y must hold numbers") as caught:
        estimator(forests.MedianForestRegressor).fit(X[:1], [SECRET])
    assert "4711" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("present", [10, 11, 21])
def test_no_warning_depends_on_the_classes_that_occur(present):
    """scikit-learn warns where more than half of the targets are distinct."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator(classes=list(range(30))).fit(X[:21], np.arange(21) % present)


# A fit that stops ------------------------------------------------------------------------------


@each
def test_a_fit_that_stops_changes_nothing(kind, monkeypatch):
    forest = estimator(kind).fit(X, Y)
    before, votes = dict(vars(forest)), forest.predict(X)
    with pytest.raises(ValueError, match="columns"):
        forest.fit(np.ones((5, 3)), [0, 1, 0, 1, 0])
    assert vars(forest) == before
    monkeypatch.setattr(type(forest), "_store", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        forest.fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    assert vars(forest) == before
    np.testing.assert_array_equal(forest.predict(X), votes)
