"""Attributes that do not fit one another: a named error before compiled code reads them, once."""

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import dplit
from dplit import forests
from dplit.forests import intact
from tests.altered_forests import FIT
from tests.forged_files import FRAME, fitted

NAMED = "ValueError: the fitted attributes of this "
QUICK = [
    "RandomDecisionForestClassifier", "MedianForestRegressor", "DPRandomForestClassifier",
    "BoostedForestClassifier", "ComparisonForestClassifier", "MatrixForestClassifier",
]  # fmt: skip


def used(names):
    line = [sys.executable, "-m", "tests.altered_forests", *names]
    done = subprocess.run(line, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"ended by {done.returncode} at {done.stderr.splitlines()[-1:]}"
    found = json.loads(done.stdout.splitlines()[-1])
    assert {case.split(":")[0] for case in found} == set(names)
    told = {case: [s for s in said if not s.startswith(NAMED)] for case, said in found.items()}
    return {case: said for case, said in told.items() if said}


def test_attributes_that_do_not_fit_are_named():
    assert used(QUICK) == {}


@pytest.mark.deep
def test_so_they_are_of_every_estimator():
    assert used([kind.__name__ for kind in FIT]) == {}


@pytest.mark.parametrize("kind", FIT, ids=lambda kind: kind.__name__)
def test_copies_and_pickles_of_what_was_fitted_predict_the_same(kind, monkeypatch):
    forest = fitted(kind)
    asked, told = [], intact.check_fitting
    monkeypatch.setattr(intact, "check_fitting", lambda f: asked.append(f) or told(f))
    expected = forest.predict(FRAME)
    assert asked == [] and (copy.copy(forest).predict(FRAME) == expected).all() and asked == []
    for again in (pickle.loads(pickle.dumps(forest)), copy.deepcopy(forest)):
        for _ in range(3):
            assert (again.predict(FRAME) == expected).all()
        assert asked.count(again) == 1


@pytest.mark.parametrize("name", ["PrivateForestClassifier", "PrivateForestRegressor"])
def test_a_preset_is_not_compared_again_for_each_prediction(name, monkeypatch):
    again = pickle.loads(pickle.dumps(fitted(getattr(forests, name))))
    again.predict(FRAME)
    monkeypatch.setattr(intact, "check_fitting", lambda f: pytest.fail("compared again"))
    again.predict(FRAME)


def test_released_arrays_are_final(tmp_path):
    forest = fitted(forests.RandomDecisionForestClassifier)
    forest.save(tmp_path / "a.forest")
    again = pickle.loads(pickle.dumps(forest))
    again.predict(FRAME)
    for one in (forest, dplit.load(tmp_path / "a.forest"), again):
        for array in (one.leaf_labels_, one.trees_.feature, one.trees_.child, one.trees_.steps):
            with pytest.raises(ValueError, match="read-only"):
                array[:1] = 0


def test_a_class_of_ones_own_keeps_its_own_attributes():
    class MineRegressor(forests.BoostedForestRegressor):
        def fit(self, X, y):
            super().fit(X, y)
            self.leaf_names_ = ["one", "two"]
            return self

    mine = fitted(MineRegressor)
    assert np.array_equal(copy.deepcopy(mine).predict(FRAME), mine.predict(FRAME))
    mine.leaf_values_ = mine.leaf_values_[:2]
    with pytest.raises(ValueError, match=r"don't fit one another.*leaf_values_"):
        mine.predict(FRAME)
