"""The preset: its advice follows from public numbers, its fit and its cost are the advised family's."""

import copy
import inspect
import math
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import partial_dependence

import dplit
from dplit import Categorical, Continuous, Domain, PrivateForestClassifier, PrivateForestRegressor
from dplit.budget import Group, Public, Spend
from dplit.forests import BoostedForestClassifier, BoostedForestRegressor, HistogramForestClassifier, preset
from dplit.forests.boosted_releases import AGAIN, size

RNG = np.random.default_rng(2)
N = 1500
X = pd.DataFrame({"u": RNG.random(N), "w": RNG.choice(list("abc"), N)})
Y = ((X["u"] > 0.4) ^ (X["w"] == "b")).astype(int)
DOMAIN = Domain({"u": Continuous(0, 1), "w": Categorical(list("abc"))})
FEW = Domain({"w": Categorical(list("abc"))})


def classifier(epsilon=2.0, **options):
    options = {"domain": DOMAIN, "classes": [0, 1], "random_state": 1, **options}
    return PrivateForestClassifier(epsilon, **options)


def regressor(epsilon=2.0, **options):
    options = {"domain": DOMAIN, "target_bounds": (0, 2), "random_state": 1, **options}
    return PrivateForestRegressor(epsilon, **options)


def nodes(forest, name="number of records"):
    return [node for node in forest.budget_.leaves() if node.name == name]


# What is fitted ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "family", "kind"),
    [
        ({}, "boosted", BoostedForestClassifier),
        ({"domain": FEW}, "histogram", HistogramForestClassifier),
        ({"n_records": 3}, "constant", BoostedForestClassifier),
        ({"domain": FEW, "max_depth": 1}, "boosted", BoostedForestClassifier),
        ({"n_records": 3, "n_estimators": 4}, "boosted", BoostedForestClassifier),
    ],
)
def test_the_family_advised_is_fitted(options, family, kind):
    forest = classifier(**options)
    frame = X[list(forest.domain.names)]
    forest.fit(frame, Y)
    assert forest.advice_.family == family and type(forest.forest_) is kind
    assert forest.budget_.epsilon == 2.0
    assert forest.predict_proba(frame).shape == (N, 2) and forest.classes_.tolist() == [0, 1]
    if family == "constant":
        assert len(np.unique(forest.predict_proba(frame))) == 2 and forest.trees_.depth == 0
    if "n_estimators" in options:
        assert forest.trees_.n_trees == 4
    if "max_depth" in options:
        assert forest.trees_.depth == 1


def test_a_constant_of_targets():
    forest = regressor(n_records=2).fit(X, X["u"])
    assert forest.advice_.family == "constant" and type(forest.forest_) is BoostedForestRegressor
    assert np.ptp(forest.predict(X)) == 0 and forest.predict(X)[0] == pytest.approx(0.5, abs=0.1)


def test_it_learns_and_answers_as_the_forest_that_was_fitted():
    forest = classifier(n_records=N).fit(X, Y)
    assert forest.score(X, Y) > 0.9 > 0.6 > Y.mean()
    for name in ("predict", "predict_proba", "decision_function", "apply"):
        np.testing.assert_array_equal(getattr(forest, name)(X), getattr(forest.forest_, name)(X))
    assert forest.export_text() == forest.forest_.export_text()
    found = regressor().fit(X, 2 * X["u"])
    assert found.score(X, 2 * X["u"]) > 0.7 and found.target_bounds_ == (0, 2)


def test_all_fitted_attributes_are_its_own_too():
    forest = classifier().fit(X, Y)
    told = [n for n in vars(forest.forest_) if n.endswith("_") and not n.startswith("_")]
    assert {"trees_", "plan_", "leaf_values_", "initial_", "pair_sums_"} <= {*told}
    for name in {*told} - {"budget_", "classes_", "domain_", "feature_names_in_"}:
        assert getattr(forest, name) is getattr(forest.forest_, name)
    assert forest.feature_importances_.argmax() in (0, 1)
    for name in ("leaf_labels_", "trees", "_trees_"):
        assert not hasattr(forest, name)
    assert not hasattr(classifier(), "trees_")


def test_notebooks_complete_what_was_fitted():
    assert not {"trees_", "leaf_values_"} & {*dir(classifier())}
    assert {"trees_", "leaf_values_", "advice_", "predict", "epsilon"} <= {*dir(classifier().fit(X, Y))}


def test_what_a_family_cannot_answer_is_no_method():
    forest = classifier(domain=FEW).fit(X[["w"]], Y)
    assert not hasattr(forest, "decision_function")
    with pytest.raises(AttributeError, match="what was fitted, a HistogramForestClassifier, has no"):
        forest.decision_function(X[["w"]])
    with pytest.raises(AttributeError, match="PrivateForestClassifier has no trees_, for it is not fitted yet"):
        PrivateForestClassifier().trees_  # noqa: B018
    assert "|-- w is 'a'\n|   |-- " in forest.export_text() == forest.forest_.export_text()
    assert hasattr(forest, "predict_proba") and forest.cell_counts_.shape == (3, 2)


def test_the_order_of_threads_asked_for_later_is_kept(monkeypatch):
    forest = classifier().fit(X, Y)
    monkeypatch.setattr(BoostedForestClassifier, "predict", lambda self, X: self.n_jobs)
    assert forest.set_params(n_jobs=2).predict(X) == 2 and forest.forest_.n_jobs is None


# What it costs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 1.0, 3.7])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_the_budget_is_epsilon_whoever_tells_the_number(epsilon, neighbours):
    for n_records in (None, N):
        for domain in (DOMAIN, FEW):
            forest = classifier(epsilon, neighbours=neighbours, n_records=n_records, domain=domain)
            budget = forest.fit(X[list(domain.names)], Y).budget_
            assert budget.epsilon == pytest.approx(epsilon, rel=1e-15) and budget.epsilon <= epsilon
            assert budget.neighbours == neighbours


def test_a_number_is_bought_once_and_shown_before_what_it_decides():
    forest = classifier().fit(X, Y)
    first, second = nodes(forest)
    assert isinstance(first, Spend) and first.epsilon == pytest.approx(0.02)
    assert isinstance(second, Public) and forest.budget_.root.parts[0] is first
    assert forest.forest_.n_records != N  # noisy
    assert abs(forest.forest_.n_records - N) < 20 / 0.02
    assert f"{forest.forest_.n_records:,} records" in forest.advice_.why
    (given, _), (common, _) = (
        nodes(classifier(n_records=N).fit(X, Y)),
        nodes(classifier(neighbours="replace-one").fit(X, Y)),
    )
    assert isinstance(given, Public) and isinstance(common, Public)


def test_a_small_number_is_bought_once_more():
    """The second draw is `AGAIN` of epsilon, and stands alone: its deviation is the root of 2 over the share."""
    first = classifier(0.5).fit(X[:100], Y[:100]).budget_.root.parts[0]
    assert [part.epsilon for part in first.parts] == pytest.approx([0.005, 0.015])
    rng = np.random.default_rng(0)
    numbers, nodes = zip(*[size(60, None, 1.0, "add-remove", rng) for _ in range(4000)])
    assert {round(node.epsilon, 12) for node in nodes} == {0.04}  # the first number is never 1,000
    numbers = np.array(numbers)
    above = numbers[numbers > 60] - 60
    assert above.mean() == pytest.approx(1 / AGAIN, rel=0.1) and len(above) == pytest.approx(2000, abs=130)


def test_the_noise_of_the_number_is_not_the_forests():
    """A seed repeats a fit; the forest has one of its own, or one draw would serve two releases."""
    one, two = (classifier(random_state=7).fit(X, Y) for _ in range(2))
    assert one.forest_.random_state == two.forest_.random_state != 7
    np.testing.assert_array_equal(one.leaf_values_, two.leaf_values_)
    generator = np.random.default_rng(0)
    assert classifier(random_state=generator).fit(X, Y).forest_.random_state is not None
    assert classifier(random_state=None).fit(X, Y).forest_.random_state is None
    assert classifier(random_state=None).fit(X, Y).n_records is None


def test_the_advice_says_where_cuts_begin_if_a_column_asks_for_it():
    logs = Domain({"u": Continuous(0, 1, scale="log", offset=0.1), "w": Categorical(list("abc"))})
    near = ["scale='log'" in classifier(domain=d).fit(X, Y).advice_.why for d in (DOMAIN, logs)]
    assert near == [True, False]


def test_the_advice_reads_no_record():
    """With a public number the same words, whatever the records."""
    small = classifier(n_records=N).fit(X[:20], Y[:20])
    assert small.advice_ == classifier(n_records=N).fit(X, Y).advice_


def test_a_persons_records_share_epsilon():
    budget = classifier(3.0, records_per_person=3).fit(X, Y).budget_
    assert isinstance(budget.root, Group) and budget.root.distance == 3 and budget.epsilon <= 3.0
    (spent, _) = nodes(classifier(3.0, records_per_person=3).fit(X, Y))
    assert spent.epsilon == pytest.approx(0.01)


@pytest.mark.parametrize("several", [1, 3])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_a_delta_is_the_boosted_forests(several, neighbours):
    options = {"delta": 1e-6, "records_per_person": several, "neighbours": neighbours}
    budget = classifier(2.0, n_records=10**6, max_depth=1, **options).fit(X, Y).budget_
    assert budget.epsilon <= 2.0 and 0.99e-6 < budget.delta <= 1e-6
    few = classifier(2.0, domain=FEW, **options).fit(X[["w"]], Y)
    assert few.advice_.family == "histogram" and few.budget_.delta == 0
    with pytest.raises(ValueError, match=r"^delta must be"):
        classifier(delta=1.5).fit(X, Y)


def test_no_privacy_at_all():
    forest = classifier(math.inf).fit(X, Y)
    assert forest.budget_.epsilon == math.inf and forest.score(X, Y) > 0.99
    assert forest.forest_.n_records == N


# As an estimator -------------------------------------------------------------------------------------------


def test_a_warning_is_at_the_line_of_the_caller():
    with pytest.warns(dplit.PrivacyLeakWarning, match="domain of 'u' was") as told:
        classifier(domain=None).fit(X[["u"]], Y)
    assert told[0].filename == __file__ and len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(dplit.PrivacyLeakWarning):
            classifier(classes=None).fit(X, Y)


@pytest.mark.parametrize("y", [Y[:-1], None, [None, *Y[1:]]], ids=["short", "none", "missing"])
def test_targets_that_do_not_fit_are_told_before_noise_is_drawn(y):
    account = dplit.Accountant(10.0)
    with account, pytest.raises(ValueError, match=r"\by\b"):
        classifier().fit(X, y)
    assert account.spent == 0


def test_copies_and_pickles_of_a_fit():
    forest = classifier().fit(X, Y)
    for twin in (copy.copy(forest), copy.deepcopy(forest), pickle.loads(pickle.dumps(forest))):
        np.testing.assert_array_equal(twin.decision_function(X), forest.decision_function(X))
        assert twin.advice_ == forest.advice_ and str(twin.budget_) == str(forest.budget_)
    again = pickle.loads(pickle.dumps(forest))
    assert again.random_state is None and again.forest_.random_state is None


def test_a_second_fit_forgets_the_first():
    forest = classifier().fit(X, Y)
    forest.set_params(domain=FEW).fit(X[["w"]], Y)
    assert forest.advice_.family == "histogram" and not hasattr(forest, "trees_")
    assert forest.n_features_in_ == 1


def test_partial_dependence_of_scikit_learn():
    domain = Domain([Continuous(0, 1)] * 2)
    values = RNG.random((N, 2))
    forest = classifier(5.0, domain=domain).fit(values, (values[:, 0] > 0.5).astype(int))
    line = partial_dependence(forest, values, [0])["average"][0]
    assert line[-1] > 0.7 > 0.3 > line[0]


def test_importing_the_package_does_not_import_the_forests():
    code = (
        "import sys, dplit; print('dplit.forests' in sys.modules); "
        "print(dplit.PrivateForestClassifier.__name__, 'PrivateForestRegressor' in dir(dplit))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\nPrivateForestClassifier True\n", done.stderr


def test_every_parameter_is_documented():
    for kind in (PrivateForestClassifier, PrivateForestRegressor):
        assert all(name in kind.__doc__ for name in inspect.signature(kind).parameters)


def test_what_is_left_never_adds_up_to_more():
    for epsilon in RNG.uniform(1e-3, 10, 500):
        spent = 0.01 * epsilon
        rest = preset.rest_of(epsilon, spent)
        assert math.fsum([spent, rest]) <= epsilon and rest > 0.98 * epsilon
    assert preset.rest_of(math.inf, math.inf) == math.inf


@pytest.mark.parametrize("read_off", [{}, {"domain": None}])
def test_a_boolean_target_counts_as_two_classes(read_off):
    """So do the boolean columns of a frame without a domain: the advice is that of the public lists."""
    records = pd.DataFrame({"u": [False, True] * 30, "v": [False, False, True, True] * 15})
    y, domain = records["u"] ^ records["v"], Domain(dict.fromkeys("uv", Categorical([False, True])))
    said = PrivateForestClassifier(domain=domain, classes=[False, True], n_records=60, random_state=0)
    left_out = PrivateForestClassifier(**{"domain": domain, **read_off}, n_records=60, random_state=0)
    assert said.fit(records, y).advice_.family == "histogram"
    assert left_out.fit(records, y).advice_ == said.advice_ and left_out.budget_.epsilon == 1.0
    np.testing.assert_array_equal(left_out.predict_proba(records), said.predict_proba(records))
