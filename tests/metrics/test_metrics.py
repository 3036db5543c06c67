"""Private scores of held-out records and choices by them: what they say, what they spend, what they refuse."""

import copy
import math
import pickle
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_squared_error, r2_score, roc_auc_score

from dplit import Accountant, Categorical, Domain, PrivateForestClassifier, metrics
from dplit.budget import Spend
from dplit.budget.accountant import BudgetError
from dplit.court.audit import audit_subject
from dplit.court.audit.mutants import Mutant, at, planted
from dplit.court.audit.subjects.held_out import CALLS, VIEWS
from dplit.court.power.releases.metrics import told
from dplit.metrics import HeldOut, describe

RNG = np.random.default_rng(0)
X = RNG.random(5000)
Y = (RNG.random(5000) < X).astype(int)
TARGETS = X + RNG.normal(0, 0.2, 5000)
CLASSES, NUMBERS = VIEWS[:2], (told(lambda X: X), told(lambda X: 1 - X))
MODEL, NUMBER, BOUNDS = CLASSES[0], NUMBERS[0], (-1, 2)
WIDE = math.inf  # no noise


def test_without_noise_they_are_scikit_learns():
    found = HeldOut(X, Y).scores(MODEL, WIDE, "accuracy", "log_loss", "auc", "calibration").value
    assert found["accuracy"] == pytest.approx((MODEL.predict(X) == Y).mean(), abs=1e-9)
    assert found["log_loss"] == pytest.approx(-np.log(np.maximum(np.where(Y, X, 1 - X), 0.01)).mean(), abs=1e-6)
    assert found["auc"] == pytest.approx(roc_auc_score(Y, np.searchsorted(metrics.EDGES, X)), abs=1e-12)
    table = found["calibration"]
    assert table["records"].sum() == 5000 and (table["records"] * table["share"]).sum() == pytest.approx(Y.sum())
    inside = (X >= table["lower"][10]) & (X < table["upper"][10])
    assert (table["records"][10], table["share"][10]) == (inside.sum(), pytest.approx(Y[inside].mean()))
    told = HeldOut(X, TARGETS, BOUNDS).scores(NUMBER, WIDE, "mse", "r2").value
    assert told["mse"] == pytest.approx(mean_squared_error(TARGETS, X), rel=1e-6)
    assert told["r2"] == pytest.approx(r2_score(TARGETS, X), rel=1e-6)


def test_with_noise_they_are_near_and_cost_what_was_asked_for():
    asked = HeldOut(X, Y).scores(MODEL, 1.0, "accuracy", "log_loss", "auc")
    assert asked.budget.epsilon == pytest.approx(1.0, rel=1e-12) and asked.budget.epsilon <= 1.0
    assert asked.value["accuracy"] == pytest.approx((MODEL.predict(X) == Y).mean(), abs=0.02)
    assert asked.value["auc"] == pytest.approx(roc_auc_score(Y, X), abs=0.05)
    assert [leaf.name for leaf in asked.budget.leaves()] == ["accuracy", "log-loss", "records of a cell"]
    assert all(isinstance(leaf, Spend) and leaf.epsilon < 0.34 for leaf in asked.budget.leaves())
    assert "secure" in str(asked.budget)


def test_what_shares_a_release_pays_once():
    one, two = (HeldOut(X, Y).scores(MODEL, 1.0, *names).budget for names in (["auc"], ["auc", "calibration"]))
    assert [leaf.epsilon for leaf in one.leaves()] == [leaf.epsilon for leaf in two.leaves()] == [1.0]


@pytest.mark.parametrize(
    "neighbours, several, steps", [("replace-one", 1, 2), ("add-remove", 3, 3), ("replace-one", 2, 4)]
)
def test_neighbours_that_are_steps_apart_share_epsilon(neighbours, several, steps):
    held = HeldOut(X, Y, neighbours=neighbours, records_per_person=several)
    asked = held.scores(MODEL, 1.0)
    (leaf,) = asked.budget.leaves()
    assert leaf.epsilon == pytest.approx(1 / steps) and asked.budget.epsilon <= 1.0
    assert asked.budget.neighbours == neighbours
    assert (f"one person has up to {several} records" in str(asked.budget)) == (several > 1)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_charged_once_and_refused_before_a_record_is_read(name):
    bounds, call = CALLS[name]
    target = TARGETS if bounds else Y
    with Accountant(1.0) as account:
        call(HeldOut(X, target, bounds))
        assert account.spent == 0.7 and account.budget.epsilon <= 0.7
        with pytest.raises(BudgetError, match=r"costs epsilon 0\.7"):
            call(HeldOut("no records", "none", bounds))
        with pytest.raises(BudgetError, match="for replace-one"):
            call(HeldOut(X, target, bounds, "replace-one"))
    assert account.spent == 0.7


@pytest.mark.filterwarnings("error::dplit.PrivacyLeakWarning")
def test_a_private_score_is_no_read_for_nothing():
    domain = Domain([Categorical(["a", "b"])])
    records, labels = np.array([["a"], ["b"]] * 100, dtype=object), [0, 1] * 100
    with Accountant(2.0) as account:
        forest = PrivateForestClassifier(1.0, domain=domain, classes=[0, 1]).fit(records, labels)
        HeldOut(records, labels).scores(forest, 1.0)
    assert account.left == 0 and len(account.budget.root.parts) == 2


class Fits:
    """A model that fits a private forest to records whenever it is asked."""

    def predict(self, records):
        domain = Domain([Categorical(["a", "b"])])
        PrivateForestClassifier(0.25, domain=domain, classes=[0, 1]).fit(records, [0, 1] * 100)
        return np.zeros(len(records), dtype=int)


def test_a_private_fit_of_the_model_is_charged_too():
    """It reads what it will, and its noise is drawn before that of the score."""
    records = np.array([["a"], ["b"]] * 100, dtype=object)
    with Accountant(2.0) as account:
        HeldOut(records, [0, 1] * 100).scores(Fits(), 0.5)
    assert account.spent == 0.75


def test_what_was_checked_costs_nothing_and_what_was_drawn_stays(monkeypatch):
    with Accountant(1.0) as account:
        with pytest.raises(ValueError, match="y must have a target for each record"):
            HeldOut(X, Y[:-1]).scores(MODEL, 0.5)
        assert account.spent == 0
        monkeypatch.setattr(metrics, "_metric", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            HeldOut(X, Y).scores(MODEL, 0.5)
    assert account.spent == 0.5


def test_a_threshold_is_the_best_one_by_weighted_counts():
    chance = np.repeat([0.1, 0.3, 0.6], [900, 60, 40])
    rare = np.repeat([0, 1, 1], [900, 60, 40])
    held = HeldOut(chance, rare)
    found = held.threshold(MODEL, 1.0, thresholds=[0.05, 0.2, 0.5, 0.7])
    assert found.value == 0.2 and found.budget.epsilon == 1.0
    mixed = HeldOut(np.repeat([0.1, 0.3], [900, 100]), np.append(np.zeros(940, int), np.ones(60, int)))
    few = HeldOut(mixed.X, np.append(np.zeros(970, int), np.ones(30, int)))
    assert mixed.threshold(MODEL, WIDE, [0.2, 0.5]).value == 0.2
    assert few.threshold(MODEL, WIDE, [0.2, 0.5]).value == 0.5
    assert few.threshold(MODEL, WIDE, [0.2, 0.5], weights=(1, 9)).value == 0.2


def test_the_better_model_is_chosen():
    assert HeldOut(X, Y).best(CLASSES, 1.0).value == 0 and HeldOut(X, Y).best(CLASSES[::-1], 1.0).value == 1
    assert HeldOut(X, TARGETS, BOUNDS).best(NUMBERS[::-1], 1.0).value == 1


def test_a_column_is_described():
    ages = np.append(RNG.normal(40, 10, 9000), np.full(1000, np.nan))
    found = describe(HeldOut(None, pd.Series(ages), (0, 120)), 1.0, 0.1, 0.5)
    assert found.value["count"] == pytest.approx(10_000, abs=150)
    assert found.value["missing"] == pytest.approx(0.1, abs=0.01)
    assert found.value["mean"] == pytest.approx(40, abs=1.5)
    assert list(found.value["quantiles"]) == [0.1, 0.5]
    assert list(found.value["quantiles"].values()) == pytest.approx(np.nanquantile(ages, [0.1, 0.5]), abs=1.5)
    exact = describe(HeldOut(None, [0, 1, 2, 3, math.nan], (0, 4)), WIDE, bins=4).value
    assert exact == {"count": 5, "mean": 2.0, "missing": 0.2, "quantiles": {0.25: 1.0, 0.5: 2.0, 0.75: 3.0}}


@pytest.mark.parametrize("far", [1e307, math.inf, -math.inf, -1e308])
def test_no_warning_tells_of_one_extreme_number(far):
    column = [np.append(np.full(500, 0.5), one) for one in (far, float(far > 0))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, same = (describe(HeldOut(None, y, (0, 1)), WIDE).value for y in column)
    assert found == same


def test_each_bin_brings_noise():
    """As the docstring has it."""
    column = [HeldOut(None, [0.5] * 500, (0, 1), rng=np.random.default_rng(seed)) for seed in range(300)]
    for bins in (16, 64, 256):
        spread = np.std([describe(one, 0.5, bins=bins).value["count"] for one in column])
        assert spread == pytest.approx(math.sqrt(2 * bins) / 0.5, rel=0.15)


def inside(interval, truth):
    return interval[0] <= truth <= interval[1]


@pytest.mark.parametrize("model, target, bounds, epsilon, names", [
    (MODEL, Y, None, 0.3, ("accuracy", "log_loss", "auc")),
    (NUMBER, TARGETS, BOUNDS, 2.0, ("mse", "r2")),
    (NUMBER, TARGETS, (-50, 100), 2.0, ("mse", "r2")),
])  # fmt: skip
def test_noise_alone_moves_a_score_as_far_as_is_said(model, target, bounds, epsilon, names):
    """The true score lies there in some 19 of 20 draws; half of that width would hold it in two thirds of them."""
    truth, held = HeldOut(X, target, bounds).scores(model, WIDE, *names).value, []
    hidden = 0
    for seed in range(60):
        drawn = HeldOut(X, target, bounds, rng=np.random.default_rng(seed)).scores(model, epsilon, *names)
        interval, lines = drawn.interval, repr(drawn).splitlines()
        held.append([inside(interval[name], truth[name]) for name in names])
        assert all(inside(interval[name], drawn.value[name]) for name in names)
        for name in names:
            line = next(line for line in lines if line.startswith(name))
            assert ("noise hides it" in line) == inside(interval[name], metrics.KNOWS_NOTHING[name])
            hidden += "noise hides it" in line
    assert (np.mean(held, axis=0) >= 0.85).all()
    assert hidden >= 0.9 * 120 if bounds == (-50, 100) else hidden == 0


def test_the_interval_is_of_the_release_alone():
    """It is the same for whoever has the release, and comes back from a file; without noise it is a point."""
    drawn = HeldOut(X, Y).scores(MODEL, 1.0, "accuracy", "calibration")
    assert pickle.loads(pickle.dumps(drawn)).interval["accuracy"] == drawn.interval["accuracy"]
    assert "calibration" not in drawn.interval and "calibration: a table" in repr(drawn)
    exact = HeldOut(X, Y).scores(MODEL, WIDE)
    assert exact.interval["accuracy"] == (exact.value["accuracy"],) * 2
    assert repr(exact).splitlines()[0].startswith("accuracy 0.") and "Budget(epsilon=inf" in repr(exact)
    ages = describe(HeldOut(None, X * 100, (0, 120), rng=np.random.default_rng(3)), 0.5)
    assert inside(ages.interval["count"], 5000) and inside(ages.interval[0.5], 50)
    assert "count " in repr(ages) and "\n0.5 " in repr(ages)


def test_a_choice_says_how_far_it_may_miss():
    """Right records: 9 fewer than the best are chosen in one of twenty draws at most."""
    told = HeldOut(X[:90], np.ones(90)).best([told_ones(n) for n in (90, 82, 81, 80)], 0.5)
    (gap,) = re.findall(r"below the best one by ([\d.]+) at most", repr(told))
    assert float(gap) == pytest.approx(math.log(80) / 0.5, abs=0.01) and told.interval is None
    rng = np.random.default_rng(0)
    chosen = [
        HeldOut(X[:90], np.ones(90), rng=rng).best([told_ones(n) for n in (90, 81, 81, 81)], 0.5).value
        for _ in range(400)
    ]
    assert 0 < np.mean(np.array(chosen) > 0) <= 0.05
    assert "below the best one by" in repr(HeldOut(X, Y).threshold(MODEL, 0.5))


def told_ones(n):
    """A model that is right about so many of the records whose class is 1."""
    return SimpleNamespace(predict=lambda X: (np.arange(len(X)) < n).astype(int), classes_=np.array([0, 1]))


def test_few_records_give_numbers_too():
    for name in ("accuracy", "log_loss", "auc"):
        value = HeldOut(X[:1], Y[:1]).scores(MODEL, 0.01, name).value[name]
        assert 0 <= value <= 5 and math.isfinite(value)
    assert HeldOut(X[:1], TARGETS[:1], BOUNDS).scores(NUMBER, 0.01, "r2").value["r2"] >= -1


def three(model):
    model = copy.copy(model)
    model.classes_ = np.array([0, 1, 2])
    return model


@pytest.mark.parametrize("call, said", [
    (lambda: HeldOut(X, Y).scores(MODEL, 1.0, "f1"), "metrics must be one of 'accuracy'"),
    (lambda: HeldOut(X, Y).scores(MODEL, 0.0), "epsilon must be a positive"),
    (lambda: HeldOut(X, Y, neighbours="any").scores(MODEL, 1.0), "neighbours must be one of"),
    (lambda: HeldOut(X, Y, records_per_person=0).scores(MODEL, 1.0), "records_per_person must be"),
    (lambda: HeldOut(X, Y).scores(NUMBER, 1.0, "mse"), r"target_bounds must be \(lower, upper\)"),
    (lambda: HeldOut(X, Y, (2, 1)).scores(NUMBER, 1.0, "mse"), "lower must be less than upper"),
    (lambda: HeldOut(X, np.full(5000, np.nan), BOUNDS).scores(NUMBER, 1.0, "mse"), "y must hold finite numbers"),
    (lambda: HeldOut(X, ["secret"] * 5000, BOUNDS).scores(NUMBER, 1.0, "mse"), "^y must be a number or an array"),
    (lambda: HeldOut(X * np.nan, Y).scores(MODEL, 1.0, "log_loss"), "model must say finite numbers"),
    (lambda: HeldOut(X, Y).scores(three(MODEL), 1.0, "auc"), "model must have two classes, got 3"),
    (lambda: HeldOut(X, Y).threshold(MODEL, 1.0, [2.0]), "thresholds must be"),
    (lambda: HeldOut(X, Y).threshold(MODEL, 1.0, weights=(1, 2, 3)), "weights must be two whole numbers"),
    (lambda: HeldOut(X, Y).threshold(MODEL, 1.0, weights=(0, 1)), "weights must be whole numbers from 1"),
    (lambda: HeldOut(X, Y).best([], 1.0), r"scores must have shape \(..., candidates\)"),
    (lambda: describe(HeldOut(None, Y), 1.0), "target_bounds must be"),
    (lambda: describe(HeldOut(None, Y, (0, 1)), 1.0, 2.0), "quantiles must be"),
    (lambda: describe(HeldOut(None, ["secret"], (0, 1)), 1.0), "^y must be a number or an array"),
])  # fmt: skip
def test_an_error_names_the_argument_and_quotes_no_record(call, said):
    with pytest.raises(ValueError, match=said) as caught:
        call()
    assert "secret" not in str(caught.value)


NAMED = copy.copy(MODEL)
NAMED.classes_, NAMED.predict = np.array(["no", "yes"]), lambda X: np.where(X >= 0.5, "yes", "no")
ASKS = {
    **{name: lambda held, name=name: held.scores(NAMED, 0.5, name) for name in ("accuracy", "log_loss", "auc")},
    "calibration": lambda held: held.scores(NAMED, 0.5, "calibration"),
    "threshold": lambda held: held.threshold(NAMED, 0.5),
    "best": lambda held: held.best([NAMED], 0.5),
}


@pytest.mark.parametrize("labels", [[True, False], [1, 0], ["Yes", "No"], ["yes", None], ["yes", math.nan]])
@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_labels_that_the_model_does_not_know_are_refused_before_the_charge(ask, labels):
    """As a fit refuses them; missing ones, too."""
    with Accountant(1.0) as account:
        with pytest.raises(ValueError, match=r"y must hold (classes of the model|a value for every record)"):
            ask(HeldOut(X[:4], ["yes", "no", *labels]))
        assert account.spent == 0
        ask(HeldOut(X[:4], pd.Series(["yes", "no", "no", "no"], dtype="category")))
        assert account.spent == 0.5


def test_a_cell_without_records_has_no_share():
    table = HeldOut(np.array([0.1, 0.1]), [0, 1]).scores(MODEL, WIDE, "calibration").value["calibration"]
    assert table["share"].notna().sum() == 1 and (table["records"][table["share"].isna()] == 0).all()


def test_records_are_in_no_repr():
    assert "0." not in repr(HeldOut(X, Y)) and len(repr(HeldOut(X, Y))) < 80


def half(name, argument, factor):
    """A release that is told `factor` times an argument."""
    from tests.power._planting import told

    return Mutant(name, "", lambda: (*at("metrics", name)(), told(argument, lambda value: value * factor)))


@pytest.mark.parametrize("mutant, subject", [
    (half("noisy_votes", "epsilon", 2), "scores"),
    (half("noisy_votes", "shares", 2), "scores of a regression"),
    (half("noisy_cells", "counts", 2), "description of a column"),
    (half("best_candidate", "epsilon", 2), "choice of a threshold"),
    (half("best_candidate", "totals", 2), "choice of a model"),
])  # fmt: skip
def test_a_planted_bug_is_seen_by_the_audit(mutant, subject):
    name = f"held-out records, {subject}"
    assert audit_subject(name).ok
    with planted(mutant):
        try:
            assert not audit_subject(name).ok
        except ValueError as stopped:
            assert "sums must be of targets" in str(stopped)


def test_a_sensitivity_that_forgets_the_weights_is_seen():
    def forgets(original):
        return lambda totals, most, *rest: original(totals, 1, *rest)

    with planted(Mutant("weights", "", lambda: (*at("metrics", "best_candidate")(), forgets))):
        assert not audit_subject("held-out records, choice of a threshold").ok
