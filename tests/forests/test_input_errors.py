"""Every estimator names the argument that is wrong, before it fails in someone else's code."""

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
@pytest.mark.parametrize("n_jobs", [0, "two", 1.5])
def test_jobs_are_checked_before_fit_and_predict(kind, n_jobs):
    with pytest.raises(ValueError, match=f"^n_jobs must be .* got {n_jobs!r}$"):
        estimator(kind, n_jobs=n_jobs).fit(X, targets())
    fitted = estimator(kind).fit(X, targets()).set_params(n_jobs=n_jobs)
    with pytest.raises(ValueError, match=r"^n_jobs must be"):
        fitted.predict(X)


@each
@pytest.mark.parametrize("names", [["age", "age"], [0, 0]])
def test_columns_of_one_name(kind, names):
    frame = pd.DataFrame(X, columns=names)
    with pytest.raises(ValueError, match=f"^X must have distinct columns, got {names[0]!r} more"):
        estimator(kind).fit(frame, targets())


@pytest.mark.parametrize("wrong", [None, "records", [{"age": 1}, {"age": 2}], np.zeros((2, 1, 1))])
def test_what_is_no_table(wrong):
    forest = forests.MedianForestClassifier(classes=[0, 1], domain=Domain([Categorical([0, 1])]))
    with pytest.raises(ValueError, match=r"^X must be a data frame or an array of shape"):
        forest.fit(wrong, [0, 1])
