"""Every estimator names the argument that is wrong, before it fails in someone else's code."""

import re
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from dplit import Accountant, Categorical, Continuous, Domain, forests
from dplit.budget.accountant import BudgetError
from dplit.forests import noise
from dplit.mechanisms.secure import secure_generator
from tests.forests.kinds import KINDS, PLAIN, each, each_private, regresses, target

X = np.random.default_rng(0).random((60, 2))


def estimator(kind, **options):
    return kind(domain=Domain([Continuous(0, 1)] * 2), n_estimators=3, **target(kind), **options)


def targets():
    return (X[:, 0] > 0.5).astype(int)


@each
def test_jobs_are_checked_before_fit_and_predict(kind):
    for n_jobs in (0, "two", 1.5):
        with pytest.raises(ValueError, match=f"^n_jobs must be .* got {n_jobs!r}$"):
            estimator(kind, n_jobs=n_jobs).fit(X, targets())
        fitted = estimator(kind).fit(X, targets()).set_params(n_jobs=n_jobs)
        with pytest.raises(ValueError, match=r"^n_jobs must be"):
            fitted.predict(X)


WRONG = [
    ("epsilon", (0, -1.5, "1", float("nan"), True), "must be a positive number"),
    ("neighbours", ("swap", None), "must be one of 'add-remove', 'replace-one'"),
    ("n_estimators", (0, 2.5, True), "must be an integer of at least 1"),
    ("max_depth", (-1, 2.5), "must be an integer of at least {least}"),
    ("accounting", ("hoped",), "must be one of 'proved', 'published'"),
    ("random_state", (-1, "x"), "must be an integer of at least 0, a Generator, .*"),
    ("domain", ([(0, 1)] * 2,), "must be a dplit.Domain, as .* makes, or None"),
    ("max_features", (0, 1.5, "most", True), "must be an integer of at least 1, a share .* or None"),
    ("rho", (0, 1.0, "half", True), "must be a number between 0 and 1, both excluded"),
    ("bins", (0,), "must be an integer of at least 1"),
    ("public_n", (0, 2.5), "must be an integer of at least 1"),
    ("n_records", (0, 2.5), "must be an integer of at least 1"),
    ("partitioned", ("no",), "must be True(,| or) False.*"),
    ("target_bounds", ((20, 10), (1, 1), (0, np.inf), 5, (1, 2, 3)), "must be two finite numbers .*"),
    ("target_scale", ("sqrt", None), "must be one of 'linear', 'log'"),
    ("selection", ("best",), "must be one of 'uniform', 'exponential', 'permute-and-flip'"),
    ("median", ("mean",), "must be one of 'value', 'rank'"),
    ("label", ("mode",), "must be one of 'permute-and-flip', 'smooth-exponential'"),
    ("criterion", ("mse",), "must be one of ('gini', )?'entropy'.*"),
    ("operator", ("mse",), "must be one of 'max', 'gini', .*"),
]


@pytest.mark.parametrize(("name", "values", "message"), WRONG, ids=[w[0] for w in WRONG])
def test_errors_name_the_argument_and_the_value(name, values, message):
    kinds = [kind for kind in KINDS if name in kind().get_params()]
    assert kinds
    for kind, value in product(kinds, values):
        least = int(kind in (forests.MatrixForestClassifier, forests.HistogramForestClassifier))
        due = message.replace("{least}", str(least))
        got = "a list" if name == "domain" else re.escape(repr(value))
        with pytest.raises(ValueError, match=f"^{name} {due},? got {got}$"):
            estimator(kind).set_params(**{name: value}).fit(X, targets())


@each
def test_columns_of_one_name(kind):
    for names in (["age", "age"], [0, 0]):
        frame = pd.DataFrame(X, columns=names)
        message = f"^X must have distinct columns, got {names[0]!r} more"
        with pytest.raises(ValueError, match=message):
            estimator(kind).fit(frame, targets())


@pytest.mark.parametrize("wrong", [None, "records", [{"age": 1}, {"age": 2}], np.zeros((2, 1, 1))])
def test_what_is_no_table(wrong):
    forest = forests.MedianForestClassifier(classes=[0, 1], domain=Domain([Categorical([0, 1])]))
    with pytest.raises(ValueError, match=r"^X must be a data frame or an array of shape"):
        forest.fit(wrong, [0, 1])


@each
def test_small_integers_of_numpy_mean_what_they_say(kind):
    given = {"n_estimators": np.uint8(3), "max_depth": np.int8(2), "n_jobs": np.int8(1)}
    known = kind().get_params()
    given = {name: value for name, value in given.items() if name in known}
    forest = estimator(kind).set_params(**given, random_state=1).fit(X, targets())
    assert {name: forest.get_params()[name] for name in given} == given
    assert all(isinstance(forest.get_params()[name], np.generic) for name in given)
    plain = {name: int(value) for name, value in given.items()}
    other = estimator(kind).set_params(**plain, random_state=1).fit(X, targets())
    np.testing.assert_array_equal(forest.predict(X), other.predict(X))


@each
def test_what_no_memory_holds_is_refused(kind):
    known = kind().get_params()
    for name in ("n_estimators", "bins"):
        if name in known:
            with pytest.raises(ValueError, match=f"^{name} must be an integer of at most"):
                estimator(kind).set_params(**{name: 10**9}).fit(X, targets())
            with pytest.raises(ValueError, match=f"^{name} must be an integer of at most"):
                estimator(kind).set_params(**{name: 10**400}).fit(X, targets())


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.full((60, 2), np.datetime64("2020-01-01")), "^X must hold numbers, .*: dates are none"),
        (np.ma.masked_greater(X, 0.5), "^X must be an array without a mask"),
        (np.array([[10**400, 1]] * 60, dtype=object), "^X must hold numbers, got a cell that is none"),
        ([["71905", [1]]] * 60, "^X must "),
        (X[:, 0] + 71905, "^X must be a table. Expected 2D array, got 1D array instead. Reshape"),
        (X + 71905j, "^X must hold real numbers"),
    ],
)
def test_what_is_no_table_of_numbers(table, message):
    with pytest.raises(ValueError, match=message) as caught:
        estimator(forests.RandomDecisionForestClassifier).fit(table, targets())
    assert "71905" not in str(caught.value)


@pytest.mark.parametrize("dtype", ["f8", ">f8", "f4", "f2", "i8", "u1", "?", "O"])
@pytest.mark.parametrize("held", [np.asfortranarray, lambda table: np.repeat(table, 2, axis=0)[::2], np.array])
def test_numbers_of_any_type_are_read_as_floats(dtype, held):
    """Floats of this machine have a faster way, which reads what the other one does."""
    table = np.array([[0, 1], [1, 1], [1, 0]])
    forest = forests.RandomDecisionForestClassifier(domain=Domain([Continuous(0, 1)] * 2))
    forest.domain_ = forest.domain
    read = forest._validated(held(table.astype(dtype)), reset=True)
    assert read.dtype == np.float64 and read.tolist() == table.tolist() and forest.n_features_in_ == 2
    with pytest.raises(ValueError, match="X has 1 features"):
        forest._validated(held(table[:, :1].astype(dtype)), reset=False)
    for empty, what in ((table[:0], "0 sample"), (table[:, :0], "0 feature")):
        with pytest.raises(ValueError, match=what):
            forest._validated(held(empty.astype(dtype)), reset=True)


@pytest.mark.parametrize(
    "y", [np.full(60, np.datetime64("2020")), ["0.5"] * 60, [b"1"] * 60, [10**400] * 60, [1j] * 60]
)
def test_what_are_no_targets(y):
    with pytest.raises(ValueError, match=r"^y must "):
        estimator(forests.MedianForestRegressor).fit(X, y)
    with pytest.raises(ValueError, match="y must hold classes of one kind"):
        estimator(forests.MedianForestClassifier).fit(X, np.array(["a", 1] * 30, dtype=object))


class Batch:
    """What pyarrow's record batches show of themselves."""

    schema = None

    def __arrow_c_array__(self):
        raise AssertionError("nobody should read it")


ROWS = [{"u": 0.1, "v": 0.2}, {"u": 0.3, "v": 0.4}]
NO_TABLES = {
    "mapping": ({"u": [0.1, 0.3], "v": [0.2, 0.4]}, r"shape \(\): pandas.DataFrame\(X\) makes"),
    "rows": (ROWS, r"shape \(2,\): pandas.DataFrame\(X\) makes"),
    "records": (pd.DataFrame(ROWS).to_records(index=False), r"pandas.DataFrame\(X\) makes"),
    "one row": (pd.Series(ROWS[0]), r"an input of shape \(2,\)$"),
    "lazy": (pl.LazyFrame(ROWS), "a data frame in memory, got a lazy LazyFrame: collect it first"),
    "batch": (Batch(), r"got a Batch: pyarrow.table\(...\) makes"),
}


@pytest.mark.parametrize("what", NO_TABLES)
def test_what_is_no_table_yet_is_told_how_to_be_one(what):
    given, message = NO_TABLES[what]
    domain = Domain({"u": Categorical([0.1, 0.3]), "v": Continuous(0, 1)})
    forest = forests.RandomDecisionForestClassifier(domain=domain, classes=[0, 1], n_estimators=3)
    with pytest.raises((TypeError, ValueError), match=f"^X must be.*{message}"):
        forest.fit(given, [0, 1])
    forest.fit(pd.DataFrame(ROWS), [0, 1])
    with pytest.raises((TypeError, ValueError), match=f"^X must be.*{message}"):
        forest.predict(given)


def test_a_lazy_frame_is_no_schema():
    with pytest.raises(TypeError, match=r"^frame must be a data frame in memory"):
        Domain.from_frame(pl.LazyFrame(ROWS))


def test_a_schema_of_plain_pairs_is_told_the_words():
    kinds = r"Continuous\(lower, upper\) or Categorical\(levels\), or Date\(lower, upper\)"
    message = rf"^features\['age'\] must be {kinds}, got \(0, 9\)"
    with pytest.raises(ValueError, match=message):
        Domain({"job": Categorical(["a"]), "age": (0, 9)})
    with pytest.raises(ValueError, match=r"^features\[1\] must be"):
        Domain([Continuous(0, 1), (0, 9)], ["a", "b"])


@each
def test_complex_classes_are_not_quoted(kind):
    """scikit-learn's message shows what it got, which is a record's."""
    y = np.array([0, 1, 71905.53j] * 20, dtype=object)
    with pytest.raises(ValueError, match=r"^y must hold") as caught:
        estimator(kind).fit(X, y)
    assert "71905" not in str(caught.value)


def bad_fits(kind):
    """What each bad input is, and a call of ``fit`` that gets it: of the records, the target and options."""
    made = partial(estimator, kind, epsilon=0.5) if kind not in PLAIN else partial(estimator, kind)
    y, named = targets(), Domain({"u": Continuous(0, 1), "v": Categorical(["a", "b"])})
    frame = pd.DataFrame({"u": X[:, 0], "v": np.where(X[:, 1] > 0.5, "a", "b")})
    for what, table in {
        "missing": np.where(X > 0.99, np.nan, X), "infinite": np.where(X > 0.9, np.inf, X),
        "wide": np.c_[X, X], "narrow": X[:, :1], "empty": X[:0], "short": X[:-1], "flat": X[:, 0], "none": None,
        "text": [["x", "y"]] * 60, "sparse": csr_array(X), "masked": np.ma.masked_greater(X, 0.5),
        "complex": X + 1j, "deep": X[:, :, None],
    }.items():  # fmt: skip
        yield f"X {what}", lambda table=table: made().fit(table, y)
    for what, table in {
        "names": frame.rename(columns={"v": "w"}), "twice": frame.set_axis(["u", "u"], axis=1),
        "more": frame.assign(w=1), "level": frame.replace("b", "c"),
        "missing level": frame.assign(v=[None, *frame["v"][1:]]),
        "missing": frame.assign(u=np.nan), "dates": frame.assign(u=pd.Timestamp("2020-01-01")),
    }.items():  # fmt: skip
        yield f"frame {what}", lambda table=table: made().set_params(domain=named).fit(table, y)
    for what, target_ in {
        "none": None, "short": y[:-1], "empty": y[:0], "missing": [np.nan, *y[1:]], "two": np.c_[y, y],
        "nested": [[1, 2]] * 60, "complex": y + 1j, "infinite": [np.inf, *y[1:]], "text": ["no", *y[1:].tolist()],
        **({} if regresses(kind) else {"class": y + 1}),
    }.items():  # fmt: skip
        yield f"y {what}", lambda target_=target_: made().fit(X, target_)
    yield "weights", lambda: made().fit(X, y, sample_weight=np.ones(60))
    for name, values, _ in WRONG:
        for value in values if name in made().get_params() else ():
            yield f"{name}={value!r}", lambda n=name, v=value: made().set_params(**{n: v}).fit(X, y)


@each_private
@pytest.mark.filterwarnings("ignore")
def test_bad_input_draws_nothing_and_leaves_an_account_as_it_was(kind, tmp_path, monkeypatch):
    """The file has not a byte more after any of them; of a good fit it has one line more, and noise."""
    drawn = []
    monkeypatch.setattr(noise, "secure_generator", lambda: drawn.append(1) or secure_generator())
    path, seen = tmp_path / "ledger.json", 0
    with Accountant(path, limit=1.0) as account:
        before = path.read_bytes()
        for what, fit in bad_fits(kind):
            with pytest.raises((ValueError, TypeError, BudgetError)):
                fit()
            assert path.read_bytes() == before and account.spent == 0 and drawn == [], what
            seen += 1
        estimator(kind, epsilon=0.5).fit(X, targets())
        assert account.spent == 0.5 and len(drawn) > 0 and seen > 45
    assert len(path.read_bytes().splitlines()) == 2
