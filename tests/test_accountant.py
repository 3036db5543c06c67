"""An account of all fits: charged before a record is read, refused where too little is left."""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from joblib.parallel import ThreadingBackend
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, KFold, PredefinedSplit, StratifiedKFold, cross_val_score

import dplit
from dplit import Accountant, Continuous, Domain
from dplit.budget import Budget, Leak, Spend
from dplit.budget.accountant import BudgetError
from dplit.forests import (
    BoostedForestClassifier,
    HistogramForestClassifier,
    MedianForestRegressor,
    RandomDecisionForestClassifier,
)
from dplit.metrics import HeldOut, describe
from tests.forests.kinds import each_private, regresses, target

X = np.random.default_rng(0).random((60, 1))
Y = np.where(X[:, 0] > 0.5, "a", "b")
DOMAIN = Domain([Continuous(0, 1)])


def forest(epsilon=0.5, **options):
    schema = {"domain": DOMAIN, "classes": ["a", "b"]}
    return RandomDecisionForestClassifier(epsilon, **{**schema, "n_estimators": 2, "max_depth": 2, **options})


class Unread:
    """Records that nobody may look at."""

    def __getattribute__(self, name):
        raise AssertionError(f"a record was read: {name}")


def test_what_it_says_of_itself():
    assert str(Accountant(1.5)) == "Accountant(limit=1.5, neighbours='add-remove'), 0 spent"
    said = "Accountant(limit=1, delta=1e-06, neighbours='replace-one'), 0 and delta 0 spent"
    assert str(Accountant(1, delta=1e-6, neighbours="replace-one")) == said


def test_fits_are_charged_until_nothing_is_left():
    with Accountant(1.2) as account:
        forest().fit(X, Y)
        forest().fit(X, Y)
        assert account.spent == 1.0 and account.left == pytest.approx(0.2)
        with pytest.raises(BudgetError, match=r"costs epsilon 0.5, and of 1.2 is left 0.2"):
            forest().fit(Unread(), Unread())
        forest(account.left).fit(X, Y)
    assert account.left == pytest.approx(0) and account.budget.epsilon == pytest.approx(1.2)
    assert len(account.budget.root.parts) == 3
    forest().fit(X, Y)  # outside nothing is charged
    assert account.spent == pytest.approx(1.2)


def test_a_refused_fit_leaves_the_forest_as_it_was():
    fitted = forest().fit(X, Y)
    before = fitted.budget_
    with Accountant(0.1), pytest.raises(BudgetError):
        fitted.fit(X, Y)
    assert fitted.budget_ is before


@pytest.mark.parametrize("options", [
    {"domain": None}, {"accounting": "published"}, {"epsilon": math.inf},
    {"domain": Domain([Continuous(0, 1)], data_dependent=["0"])},
])  # fmt: skip
def test_a_price_that_is_not_known_is_refused_before_a_record_is_read(options):
    with Accountant(5) as account, pytest.raises(BudgetError, match="infinite or not known"):
        forest(**options).fit(Unread(), Unread())
    assert account.spent == 0


@each_private
def test_what_is_left_out_is_named_and_costs_nothing(kind, tmp_path):
    """By every private estimator, as often as it is tried, in memory and in a file."""
    (argument,) = target(kind, "ab")
    y = X[:, 0] if regresses(kind) else Y
    for account in (Accountant(1.0), Accountant(tmp_path / "fits.jsonl", 1.0)):
        with account:
            for _ in range(2):
                with pytest.raises(BudgetError, match=rf"needs {argument}=$"):
                    kind(epsilon=0.5, domain=DOMAIN).fit(X, y)
                with pytest.raises(BudgetError, match=r"needs a public domain=$"):
                    kind(epsilon=0.5, **target(kind, "ab")).fit(X, y)
        assert account.spent == 0


def test_a_label_without_a_finite_epsilon_costs_nothing():
    with Accountant(1.0) as account, pytest.raises(BudgetError, match=r"needs label='permute-and-flip'$"):
        forest(label="smooth-exponential").fit(X, Y)
    assert account.spent == 0


@pytest.mark.parametrize("y", [Y == "a", (Y == "a").tolist(), pd.Series(Y == "a", dtype="boolean")])
def test_a_boolean_target_says_its_classes(y):
    with Accountant(1.0) as account:
        forest(classes=None).fit(X, y)
    assert account.spent == 0.5


def test_a_fit_that_spends_more_than_it_declared_is_undone(monkeypatch):
    monkeypatch.setattr("dplit.forests.base.declared", lambda *_: (0.5, 0.0))
    with Accountant(5) as account, warnings.catch_warnings():
        warnings.simplefilter("ignore", dplit.PrivacyLeakWarning)
        made = forest(classes=None)
        with pytest.raises(BudgetError, match=r"would spend inf and 0; nothing was kept"):
            made.fit(X, Y)
    assert account.spent == 0.5 and not hasattr(made, "budget_")  # its noise was drawn


def test_the_relation_is_asked():
    with Accountant(5, neighbours="replace-one") as account:
        with pytest.raises(BudgetError, match="for replace-one neighbours"):
            forest().fit(X, Y)
        forest(neighbours="replace-one").fit(X, Y)
    assert account.budget.neighbours == "replace-one" and account.spent == 0.5


def test_a_delta_is_limited_too():
    options = {"domain": DOMAIN, "classes": ["a", "b"], "n_records": 10**6, "delta": 1e-6}
    with Accountant(3, delta=1.5e-6) as account:
        BoostedForestClassifier(0.5, **options).fit(X, Y)
        assert account.spent_delta == account.budget.delta == 1e-6 and "0.5 and delta 1e-06 spent" in str(account)
        with pytest.raises(BudgetError, match=r"costs delta 1e-06, and of 1.5e-06 is spent 1e-06"):
            BoostedForestClassifier(0.5, **options).fit(X, Y)
        forest().fit(X, Y)
    assert account.spent == 1.0 and account.budget.delta <= 1.5e-6
    with Accountant(3), pytest.raises(BudgetError, match="costs delta"):
        BoostedForestClassifier(0.5, **options).fit(X, Y)


@pytest.mark.parametrize("kind", [dplit.PrivateForestClassifier, BoostedForestClassifier])
def test_a_delta_that_was_of_no_use_is_not_spent(kind, tmp_path):
    made = kind(0.5, domain=DOMAIN, classes=["a", "b"], n_records=60, delta=1e-6)
    with Accountant(tmp_path / "a.json", 3, delta=1e-6) as account:
        for spent in (0.5, 1.0):
            assert made.fit(X, Y).budget_.delta == 0
            assert (account.spent, account.spent_delta, account.budget.delta) == (spent, 0, 0)
    assert Accountant(tmp_path / "a.json", 3, delta=1e-6).spent_delta == 0


def test_a_delta_stays_charged_where_a_fit_stops(monkeypatch):
    def stops(*_):
        raise KeyboardInterrupt

    made = BoostedForestClassifier(0.5, domain=DOMAIN, classes=["a", "b"], n_records=60, delta=1e-6)
    monkeypatch.setattr(BoostedForestClassifier, "_store", stops)
    with Accountant(3, delta=1e-6) as account, pytest.raises(KeyboardInterrupt):
        made.fit(X, Y)
    assert (account.spent, account.spent_delta) == (0.5, 1e-6)


class Own(RandomDecisionForestClassifier):
    """A class whose fit does more than its parent's."""

    def fit(self, X, y):
        self.more(X, y)
        return super().fit(X, y)


class Plain(Own):
    def more(self, X, y):
        pass


class Twice(Own):
    def more(self, X, y):
        self.first_ = RandomDecisionForestClassifier.fit(self, X, y).leaf_labels_


class Helped(Own):
    def more(self, X, y):
        self.helper_ = MedianForestRegressor(0.3, domain=DOMAIN, target_bounds=(0, 1)).fit(X, X[:, 0])


class Described(Own):
    def more(self, X, y):
        self.mean_ = describe(HeldOut(None, X[:, 0], (0, 1)), 0.3).value["mean"]


class Draws(Own):
    def more(self, X, y):
        self.drawn_ = self._generator().random()


@pytest.mark.parametrize(
    "kind, spent", [(Plain, 0.5), (Twice, 1.0), (Helped, 0.8), (Described, 0.8), (Draws, 1.0)]
)
def test_what_a_class_of_ones_own_releases_in_its_fit_is_charged(kind, spent):
    schema = {"domain": DOMAIN, "classes": ["a", "b"], "n_estimators": 2, "max_depth": 2}
    with Accountant(2) as account:
        kind(0.5, **schema).fit(X, Y)
        assert account.spent == pytest.approx(spent) == account.budget.epsilon
    with Accountant(spent * 0.99) as account, pytest.raises(BudgetError, match="the account refuses"):
        kind(0.5, **schema).fit(X, Y)
    assert account.spent < spent


@pytest.mark.parametrize("max_depth", [13, -1])
def test_a_depth_that_no_forest_has_costs_a_preset_nothing(max_depth):
    preset = dplit.PrivateForestClassifier(1.0, domain=DOMAIN, classes=["a", "b"], max_depth=max_depth)
    with Accountant(10) as account, pytest.raises(ValueError, match="max_depth must be"):
        preset.fit(X, Y)
    assert account.spent == 0


@pytest.mark.parametrize("kind", [RandomDecisionForestClassifier, dplit.PrivateForestClassifier])
def test_a_domain_that_is_read_off_a_frame_is_warned_of_at_the_callers_line(kind):
    with pytest.warns(dplit.PrivacyLeakWarning, match="domain of 'u' was") as told:
        kind(1.0, classes=["a", "b"]).fit(pd.DataFrame({"u": X[:, 0]}), Y)
    assert [warning.filename for warning in told] == [__file__]


def test_bad_input_costs_nothing():
    with Accountant(1) as account:
        with pytest.raises(ValueError):
            forest().fit(np.full((60, 1), np.nan), Y)
        assert account.spent == 0
        MedianForestRegressor(1.0, domain=DOMAIN, target_bounds=(0, 1)).fit(X, X[:, 0])
        assert account.spent == 1


@each_private
def test_what_stops_after_the_noise_was_drawn_stays_charged(kind, monkeypatch):
    """The user's code may have seen it: whatever it raises, nothing is taken back."""
    made = kind(epsilon=0.5, domain=DOMAIN, **target(kind, "ab"))
    y = X[:, 0] if regresses(kind) else Y
    for error in (ValueError, TypeError):

        def stops(*_, error=error):
            raise error("no place for a forest")

        with monkeypatch.context() as patched, Accountant(1.0) as account:
            with pytest.raises(ValueError):
                made.fit(X[:, 0], y)
            assert account.spent == 0
            patched.setattr(kind, "_store", stops)
            with pytest.raises(error, match="no place for a forest"):
                made.fit(X, y)
        assert account.spent == 0.5


class Sees(ClassifierMixin, BaseEstimator):
    """A learner that looks at the noisy counts, and then stops in its ``fit`` or when it is asked."""

    def __init__(self, stops="fit"):
        self.stops = stops

    def fit(self, X, y, sample_weight=None):
        if self.stops == "fit":
            raise ValueError("a learner of mine")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        raise TypeError("a learner of mine")


@pytest.mark.parametrize("stops", ["fit", "predict"])
def test_a_learner_that_stops_has_seen_the_counts(stops):
    options = {"domain": DOMAIN, "classes": ["a", "b"], "learner": Sees(stops)}
    made = HistogramForestClassifier(0.5, **options)
    with Accountant(1.2) as account:
        for spent in (0.5, 1.0):
            with pytest.raises((ValueError, TypeError), match="a learner of mine"):
                made.fit(X, Y)
            assert account.spent == spent
        with pytest.raises(BudgetError, match=r"costs epsilon 0.5, and of 1.2 is left 0.2"):
            made.fit(X, Y)
        assert account.spent == 1.0


class Reads(Sees):
    """A learner that fits a private forest to records which it has from elsewhere."""

    def fit(self, X, y, sample_weight=None):
        forest(0.3).fit(*self.stops)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_a_private_fit_of_somebody_elses_code_is_charged():
    """It reads what it will: before, any number of fits inside a learner cost what the outer one does."""
    options = {"domain": DOMAIN, "classes": ["a", "b"], "learner": Reads((X, Y))}
    with Accountant(1.2) as account:
        HistogramForestClassifier(0.5, **options).fit(X, Y)
        assert account.spent == pytest.approx(0.8)
        with pytest.raises(BudgetError, match=r"costs epsilon 0.3, and of 1.2 is left 0"):
            HistogramForestClassifier(0.35, **options).fit(X, Y)
        assert account.spent == pytest.approx(1.15)  # the counts were drawn, and seen


def test_a_preset_is_charged_once():
    with Accountant(1.0) as account:
        dplit.PrivateForestClassifier(0.4, domain=DOMAIN, classes=["a", "b"]).fit(X, Y)
        assert account.spent == 0.4


def test_a_seed_that_is_none_costs_nothing():
    with Accountant(1) as account, pytest.raises(ValueError, match="random_state must be"):
        forest(random_state="seven").fit(X, Y)
    assert account.spent == 0


def test_searches_and_validation_are_charged_for_every_fit():
    with Accountant(10) as account:
        cross_val_score(forest(), X, Y, cv=3, n_jobs=2)
        assert account.spent == pytest.approx(1.5)
        GridSearchCV(forest(), {"max_depth": [1, 2]}, cv=2, n_jobs=2).fit(X, Y)
    assert account.spent == pytest.approx(1.5 + 0.5 * 5)  # one more for the refit


@pytest.mark.parametrize("price", [0.5, math.inf])
def test_a_search_stops_at_the_limit_and_its_records_are_not_read(price):
    """Of nine fits and a refit two are paid for, or none; the rest see no record."""
    with Accountant(1.2) as account, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's, of the fits that failed
        grid = GridSearchCV(forest(price), {"max_depth": [1, 2, 3]}, cv=3, n_jobs=2)
        with pytest.raises((BudgetError, ValueError), match="account refuses"):
            grid.fit(X, Y)
    assert account.spent == (1.0 if price < 1 else 0.0)


class Array:
    """Records that raise where anybody makes an array of them or asks for their shape."""

    def __array__(self, *_, **__):
        raise AssertionError("the records were read")

    @property
    def shape(self):
        raise AssertionError("their shape was read")


@pytest.mark.parametrize("epsilon", [1.5, math.inf])
@each_private
def test_every_forest_asks_before_it_reads(kind, epsilon):
    """Too dear or infinite: no record is read. Without an account these records are."""
    made = kind(epsilon=epsilon, domain=DOMAIN, **target(kind, "ab"))
    said = "costs epsilon 1.5" if epsilon < math.inf else "infinite or not known"
    with Accountant(1.0) as account, pytest.raises(BudgetError, match=said):
        made.fit(Array(), Array())
    assert account.spent == 0 and not hasattr(made, "budget_")
    with pytest.raises(AssertionError, match=r"w(as|ere) read"):
        made.fit(Array(), Array())


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_search_that_swallows_refusals_does_not_pass_the_limit(n_jobs):
    grid = {"max_depth": [1, 2, 3]}
    search = GridSearchCV(forest(), grid, cv=2, refit=False, error_score=np.nan, n_jobs=n_jobs)
    with Accountant(1.6) as account, pytest.warns(FitFailedWarning):
        search.fit(X, Y)
    assert account.spent == pytest.approx(1.5)  # three of six fits at 0.5
    scores = [search.cv_results_[f"split{k}_test_score"] for k in range(2)]
    assert np.isnan(scores).sum() == 3
    loud = GridSearchCV(forest(), grid, cv=2, error_score="raise", n_jobs=n_jobs)
    before = set(threading.enumerate())
    with Accountant(1.6) as account, pytest.raises(BudgetError, match="the account refuses"):
        loud.fit(X, Y)
    assert account.spent <= 1.6
    for thread in set(threading.enumerate()) - before:  # a fit whose result nobody waits for any more
        thread.join(60)  # would be charged to the account that the next test opens
        assert not thread.is_alive()


def test_threads_share_the_account():
    with Accountant(10) as account:
        threads = [threading.Thread(target=lambda: forest().fit(X, Y)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert account.spent == pytest.approx(4) and account.budget.epsilon == pytest.approx(4)


def test_a_forest_and_its_clones_refuse_in_another_process():
    """Each as what was sent there: the forest, its clone, and a clone of that."""
    with Accountant(10) as account:
        said = Parallel(n_jobs=2, backend="loky")(delayed(_refusal)(forest(), times) for times in (0, 1, 2))
    assert [("another process" in words) for words in said] == [True] * 3, said
    assert account.spent == 0


def _refusal(made, times):
    """What the fit of a clone says, so many clones away."""
    for _ in range(times):
        made = pickle.loads(pickle.dumps(clone(made)))
    with pytest.raises(BudgetError) as caught:
        made.fit(X, Y)
    return str(caught.value)


def _refused():
    """What a forest of this process says, in the number with which the process ends."""
    with pytest.raises(BudgetError, match="another process"):
        forest().fit(Unread(), Unread())


def _refused_inside():
    """The same within an account of this process: it stands for none of the parent's."""
    with Accountant(100) as own:
        _refused()
    assert own.spent == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes that are forked")
@pytest.mark.parametrize("target", [_refused, _refused_inside])
def test_a_forest_in_a_process_that_was_forked_refuses(target):
    """Nothing is sent there, and the copy of the account is charged by nobody."""
    context = multiprocessing.get_context("fork")
    with Accountant(10) as account:
        forked = context.Process(target=target)
        forked.start()
        forked.join(60)
    assert forked.exitcode == 0 and account.spent == 0


def test_a_pickle_of_this_process_is_charged():
    with Accountant(1) as account:
        pickle.loads(pickle.dumps(forest())).fit(X, Y)
    assert account.spent == 0.5


def test_accounts_nest():
    with Accountant(2) as outer:
        with Accountant(0.6) as inner:
            forest().fit(X, Y)
            with pytest.raises(BudgetError):
                forest().fit(X, Y)
        forest().fit(X, Y)
    assert (inner.spent, outer.spent) == (0.5, 1.0)


def test_an_account_is_entered_once_at_a_time():
    account = Accountant(2)
    with account:
        with pytest.raises(RuntimeError, match="entered once at a time"), account:
            pass
        forest().fit(X, Y)
        assert account.spent == 0.5
        assert isinstance(Parallel(n_jobs=2)._backend, ThreadingBackend)
    with account:
        forest().fit(X, Y)
    assert account.spent == 1.0 and account.budget.epsilon == 1.0
    assert not isinstance(Parallel(n_jobs=2)._backend, ThreadingBackend)


@pytest.mark.parametrize("limit", [0, -1, math.inf, math.nan, "1", True])
def test_a_limit_is_a_positive_number(limit):
    with pytest.raises(ValueError, match="limit must be a positive"):
        Accountant(limit)


def test_budgets_add_up():
    one, two = Budget(Spend("a", 0.5), ["note"]), Budget(Spend("b", 0.25), ["note", "other"])
    total = one + two + one
    assert total.epsilon == 1.25 and total.notes == ("note", "other")
    assert [part.name for part in total.root.parts] == ["a", "b", "a"]
    assert sum([one, two]) == one + two
    assert (one + Budget(Leak("x"))).epsilon == math.inf
    with pytest.raises(ValueError, match="one neighbouring relation"):
        one + Budget(Spend("c", 1, neighbours="replace-one"))
    with pytest.raises(TypeError):
        one + 1


def _moved(splitters, y, more):
    """Most records by which a training set differs between `y` and `more`, lists of (label, name)."""
    sets = [
        [
            {rows[i] for i in train}
            for train, _ in splitter.split(np.zeros((len(rows), 1)), [label for label, _ in rows])
        ]
        for splitter, rows in zip(splitters, (y, more))
    ]
    return max(len(one ^ two) for one, two in zip(*sets))


def test_one_record_moves_others_between_folds_cut_by_position():
    """What the account's docstring says of searches, by scikit-learn's own splits."""
    longer, other, alone = set(), set(), set()
    for n in range(6, 14):
        rows, folds = [(0, i) for i in range(n)], [i % 3 for i in range(n)]
        for at in range(n + 1):
            more = [*rows[:at], (0, "new"), *rows[at:]]
            longer.add(_moved([KFold(3)] * 2, rows, more))
            other.add(_moved([KFold(3)] * 2, rows, [*rows[:at], (0, "new"), *rows[at + 1 :]][:n]))
            decided = [PredefinedSplit(folds), PredefinedSplit([*folds[:at], 1, *folds[at:]])]
            alone.add(_moved(decided, rows, more))
    assert max(longer) == 3 and alone == {1}
    assert other == {0, 2}  # one is there in place of the other
    rows = [(int(i > 2), i) for i in range(8)]
    assert _moved([StratifiedKFold(3)] * 2, rows, [*rows[:3], (0, "new"), *rows[3:]]) == 5
