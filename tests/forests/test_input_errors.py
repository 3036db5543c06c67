"""Every estimator names the argument that is wrong, before it fails in someone else's code."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from dplit import Categorical, Continuous, Domain, baselines, forests

KINDS = [getattr(module, name) for module in (forests, baselines) for name in module.__all__]
X = np.random.default_rng(0).random((60, 2))
each = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def estimator(kind, **options):
    if kind.__name__.endswith("Regressor"):
        options["target_bounds"] = (0, 1)
    else:
        options["classes"] = [0, 1]
    return kind(domain=Domain([Continuous(0, 1)] * 2), n_estimators=3, **options)


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
    ("max_features", (0, 0.5), "must be an integer of at least 1"),
    ("rho", (0, 1.0, "half", True), "must be a number between 0 and 1, both excluded"),
    ("bins", (0,), "must be an integer of at least 1"),
    ("public_n", (0, 2.5), "must be an integer of at least 1"),
    ("n_records", (0, 2.5), "must be an integer of at least 1"),
    ("partitioned", ("no",), "must be True(,| or) False.*"),
    (
        "target_bounds",
        ((20, 10), (1, 1), (0, np.inf), 5, (1, 2, 3)),
        "must be two finite numbers .*",
    ),
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
