"""Private forests as members of scikit-learn's meta-estimators: no seed of these reaches their noise."""

import inspect
import pickle
import warnings
from numbers import Integral

import numpy as np
import pytest
from sklearn import (
    calibration,
    compose,
    ensemble,
    feature_selection,
    impute,
    linear_model,
    model_selection,
    multiclass,
    multioutput,
    pipeline,
    preprocessing,
    semi_supervised,
)
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer  # noqa: F401
from sklearn.utils import check_random_state
from sklearn.utils.discovery import all_estimators

from dplit import Accountant, Continuous, Domain
from dplit.forests import MedianForestRegressor, RandomDecisionForestClassifier, noise
from dplit.forests.noise import SEEDED

FITS = []  # of members: the fitted member, and what it was fitted on
X = np.random.default_rng(0).random((60, 2))
Y = (X[:, 0] > 0.5).astype(int)
DOMAIN = Domain([Continuous(0, 1)] * 2)
MEMBERS = ("estimator", "estimators", "base_estimator", "regressor", "steps", "transformers", "transformer_list")


class Classifier(RandomDecisionForestClassifier):
    """Remembers its fits."""

    def fit(self, X, y):
        super().fit(X, y)
        FITS.append((self, np.copy(X), np.copy(y)))
        return self


class Regressor(MedianForestRegressor):
    """Remembers its fits."""

    def fit(self, X, y):
        super().fit(X, y)
        FITS.append((self, np.copy(X), np.copy(y)))
        return self


def classifier(**options):
    schema = {"domain": DOMAIN, "classes": [0, 1], "n_estimators": 3, "max_depth": 2}
    return Classifier(1.0, **{**schema, **options})


def regressor(**options):
    schema = {"domain": DOMAIN, "target_bounds": (0, 1), "n_estimators": 2, "max_depth": 1}
    return Regressor(1.0, **{**schema, **options})


WIDER = {"domain": None}  # where members see other columns than the domain's
TWICE = np.column_stack([Y, 1 - Y])
GRID = {"max_depth": [1, 2]}
LEFT = {"drop": "drop"}

# Of each: how it is made of private members, and the targets that it is fitted to.
MADE = {
    "BaggingClassifier": lambda **o: ensemble.BaggingClassifier(classifier(), 3, bootstrap=False, **o),
    "BaggingRegressor": lambda **o: ensemble.BaggingRegressor(regressor(), 3, bootstrap=False, **o),
    "CalibratedClassifierCV": lambda: calibration.CalibratedClassifierCV(classifier(), cv=2),
    "ClassifierChain": lambda **o: multioutput.ClassifierChain(classifier(**WIDER), **o),
    "FixedThresholdClassifier": lambda: model_selection.FixedThresholdClassifier(classifier()),
    "GridSearchCV": lambda: model_selection.GridSearchCV(classifier(), GRID, cv=2),
    "HalvingGridSearchCV": lambda **o: model_selection.HalvingGridSearchCV(
        classifier(), GRID, cv=2, min_resources=20, **o
    ),
    "HalvingRandomSearchCV": lambda **o: model_selection.HalvingRandomSearchCV(
        classifier(), GRID, cv=2, min_resources=20, **o
    ),
    "IterativeImputer": lambda **o: impute.IterativeImputer(regressor(**WIDER), max_iter=2, **o),
    "MultiOutputClassifier": lambda: multioutput.MultiOutputClassifier(classifier()),
    "MultiOutputRegressor": lambda: multioutput.MultiOutputRegressor(regressor()),
    "OneVsOneClassifier": lambda: multiclass.OneVsOneClassifier(classifier()),
    "OneVsRestClassifier": lambda: multiclass.OneVsRestClassifier(classifier()),
    "OutputCodeClassifier": lambda **o: multiclass.OutputCodeClassifier(classifier(), **o),
    "Pipeline": lambda: pipeline.Pipeline([("scale", preprocessing.MinMaxScaler()), ("forest", classifier())]),
    "RFE": lambda: feature_selection.RFE(classifier(**WIDER), n_features_to_select=1),
    "RFECV": lambda: feature_selection.RFECV(classifier(**WIDER), cv=2),
    "RandomizedSearchCV": lambda **o: model_selection.RandomizedSearchCV(classifier(), GRID, n_iter=2, cv=2, **o),
    "RegressorChain": lambda **o: multioutput.RegressorChain(regressor(**WIDER), **o),
    "SelectFromModel": lambda: feature_selection.SelectFromModel(classifier()),
    "SelfTrainingClassifier": lambda: semi_supervised.SelfTrainingClassifier(classifier(classes=[0, 1, 2])),
    "SequentialFeatureSelector": lambda: feature_selection.SequentialFeatureSelector(
        classifier(**WIDER), n_features_to_select=1, cv=2
    ),
    "StackingClassifier": lambda: ensemble.StackingClassifier(
        [("one", classifier()), ("two", classifier())], cv=2
    ),
    "StackingRegressor": lambda: ensemble.StackingRegressor([("one", regressor()), ("two", regressor())], cv=2),
    "TransformedTargetRegressor": lambda: compose.TransformedTargetRegressor(regressor()),
    "TunedThresholdClassifierCV": lambda **o: model_selection.TunedThresholdClassifierCV(classifier(), cv=2, **o),
    "VotingClassifier": lambda: ensemble.VotingClassifier([("one", classifier()), ("two", classifier())]),
    "VotingRegressor": lambda: ensemble.VotingRegressor([("one", regressor()), ("two", regressor())]),
}
# What takes no private member, and why.
OTHERS = {
    "AdaBoostClassifier": "its member needs sample_weight, which no private fit takes",
    "ColumnTransformer": "its members transform",
    "FeatureUnion": "its members transform",
    "FrozenEstimator": "its member is fitted before",
}
REFUSED = {  # whose members refuse to be fitted, since no budget counts how their records are drawn
    "AdaBoostRegressor": lambda **o: ensemble.AdaBoostRegressor(regressor(), n_estimators=2, **o),
    "RANSACRegressor": lambda **o: linear_model.RANSACRegressor(regressor(), min_samples=30, **o),
}
TARGETS = {"MultiOutputClassifier": TWICE, "MultiOutputRegressor": TWICE, "ClassifierChain": TWICE,
           "RegressorChain": TWICE}  # fmt: skip


def seeded(make):
    """Whether what is made takes a `random_state`."""
    return "random_state" in make().get_params(deep=False)


def fitted(meta, name):
    """A fitted meta-estimator, and what its members were fitted on."""
    FITS.clear()
    np.random.seed(0)  # noqa: NPY002 — where an unseeded code book comes from; one in eight has nothing to fit
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        meta.fit(np.where(X > 0.9, np.nan, X) if name == "IterativeImputer" else X, TARGETS.get(name, Y))
    return meta, list(FITS)


def integers(held, seen):
    """All integers that an object holds, but for those of a member."""
    if isinstance(held, (Classifier, Regressor, str, bytes, type)) or id(held) in seen:
        return set()
    seen[id(held)] = held
    if isinstance(held, Integral):
        return {int(held)} if held >= 0 else set()
    if isinstance(held, np.ndarray):
        whole = held.dtype.kind in "iuO" and held.size <= 100
        parts = held.ravel().tolist() if whole else []
    elif isinstance(held, dict):
        parts = [*held.keys(), *held.values()]
    elif isinstance(held, (list, tuple, set)):
        parts = held
    else:
        parts = getattr(held, "__dict__", {}).values()
    return {number for part in parts for number in integers(part, seen)}


def released(member):
    names = ("leaf_labels_", "leaf_values_")
    numbers = next(getattr(member, n) for n in names if hasattr(member, n))
    return np.concatenate([np.ravel(numbers), np.nan_to_num(member.trees_.threshold)])


def repeats(member, X, y, seed):
    """Whether a fit with this seed, or with one that scikit-learn draws from it, is the member's."""
    drawn = check_random_state(seed % 2**32)
    for state in (seed, *(drawn.randint(np.iinfo(np.int32).max) for _ in range(2))):
        twin = clone(member).set_params(random_state=int(state))
        if np.array_equal(released(twin.fit(X, y)), released(member)):
            return True
    return False


def broken(meta, fits):
    """How many fits of members are repeated from what a pickle of the meta-estimator holds."""
    held = integers(pickle.loads(pickle.dumps(meta)), {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sum(any(repeats(*fit, seed) for seed in held) for fit in fits)


def test_every_meta_estimator_of_sklearn_is_tried_or_has_a_reason():
    taking = {name for name, kind in all_estimators() if set(inspect.signature(kind).parameters) & set(MEMBERS)}
    assert taking - set(MADE) - set(REFUSED) - set(OTHERS) == set(), "put it into MADE, or say why not in OTHERS"


@pytest.mark.parametrize("name", MADE)
def test_no_seed_in_a_pickle_repeats_the_release_of_an_unseeded_member(name):
    make = MADE[name]
    for options in [{}, {"random_state": 7}][: 1 + seeded(make)]:
        meta, fits = fitted(make(**options), name)
        assert fits and {member.noise_ for member, *_ in fits} == {"secure"}
        assert not any(SEEDED in member.budget_.notes for member, *_ in fits)
        assert broken(meta, fits) == 0


@pytest.mark.parametrize("name", ["BaggingClassifier", "BaggingRegressor"])
def test_the_attack_repeats_the_members_of_a_bag_whose_seeds_are_taken(name, monkeypatch):
    """What the test above is worth."""
    monkeypatch.setattr(noise, "ensemble_that_seeds", lambda: None)
    meta, fits = fitted(MADE[name](), name)
    assert broken(meta, fits) == len(fits) == 3


@pytest.mark.parametrize("name", REFUSED)
def test_ensembles_that_choose_records_by_the_records_are_refused(name):
    for options in ({}, {"random_state": 7}):
        with Accountant(100.0) as account, pytest.raises(ValueError, match=f"{name} draws its members' records"):
            REFUSED[name](**options).fit(X, Y)
        assert account.spent == 0


# Seeds of a user ---------------------------------------------------------------------------------


def test_a_user_seeds_what_she_likes():
    one = clone(classifier()).set_params(random_state=3).fit(X, Y)
    two = pipeline.make_pipeline(classifier()).set_params(classifier__random_state=3).fit(X, Y)[-1]
    search = model_selection.GridSearchCV(classifier(), {"random_state": [3]}, cv=2).fit(X, Y)
    for member in (one, two, search.best_estimator_):
        assert SEEDED in member.budget_.notes and member.noise_ == "simulation"
        np.testing.assert_array_equal(released(member), released(one))


def test_a_bag_of_seeded_members_is_repeated_by_both_seeds_alone():
    def members(own, of_bag):
        template = classifier(random_state=own)
        bag = ensemble.BaggingClassifier(template, 3, bootstrap=False, random_state=of_bag)
        return fitted(bag, "BaggingClassifier")

    (bag, fits), (_, again), (_, other) = members(3, 7), members(3, 7), members(4, 7)
    for one, two, three in zip(fits, again, other):
        assert SEEDED in one[0].budget_.notes and one[0].noise_ == "simulation"
        np.testing.assert_array_equal(released(one[0]), released(two[0]))
        assert not np.array_equal(released(one[0]), released(three[0]))
    assert broken(bag, fits) == 0
    assert not np.array_equal(released(fits[0][0]), released(fits[1][0]))


def test_a_bag_of_members_with_a_generator_grows_its_own_trees_and_fresh_noise():
    template = classifier(random_state=np.random.default_rng(0))
    bags = [ensemble.BaggingClassifier(template, 2, bootstrap=False, random_state=7) for _ in "ab"]
    one, two = (bag.fit(X, Y).estimators_ for bag in bags)
    np.testing.assert_array_equal(one[0].trees_.threshold, two[0].trees_.threshold)
    assert not np.array_equal(one[0].trees_.threshold, one[1].trees_.threshold)
    drawn = [member._generator().integers(2**40) for member in (*one, *two)]
    assert len(set(drawn)) == 4


def test_secure_noise_can_be_asked_of_a_bag():
    bag = ensemble.BaggingClassifier(classifier(noise="secure"), 2, bootstrap=False)
    assert {m.noise_ for m in bag.fit(X, Y).estimators_} == {"secure"}


# Records that are drawn ---------------------------------------------------------------------------

TWO = {"neighbours": "replace-one", "records_per_person": 2}


def bag_of(member, **options):
    return ensemble.BaggingClassifier(member, 3, **options)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_bag_of_copies_is_refused_and_charged_nothing(n_jobs):
    member = classifier()
    for one in (
        member,
        pipeline.make_pipeline(preprocessing.MinMaxScaler(), member),
        ensemble.VotingClassifier([("one", member), ("two", member)], n_jobs=n_jobs),
        model_selection.GridSearchCV(member, GRID, cv=2, error_score="raise", n_jobs=n_jobs),
    ):
        with Accountant(100.0) as account, pytest.raises(ValueError, match="bootstrap=False"):
            bag_of(one, n_jobs=n_jobs).fit(X, Y)
        assert account.spent == 0
    with Accountant(3.0) as account:
        bag_of(member, bootstrap=False, n_jobs=n_jobs).fit(X, Y)
    assert account.spent == account.budget.epsilon == 3.0


def test_a_part_of_the_records_is_refused_where_their_number_may_change():
    part = {"bootstrap": False, "max_samples": 0.5}
    for options in ({}, TWO):
        with pytest.raises(ValueError, match=r"max_samples=1\.0"):
            bag_of(classifier(**options), **part).fit(X, Y)
    bag_of(classifier(neighbours="replace-one"), **part).fit(X, Y)
    bag_of(classifier(**TWO), bootstrap=False).fit(X, Y)


def test_what_promises_nothing_may_be_resampled():
    bag = bag_of(classifier().set_params(epsilon=np.inf)).fit(X, Y)
    assert all(member.budget_.epsilon == np.inf for member in bag.estimators_)
