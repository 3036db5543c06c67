"""The measures, on models whose answer is known by hand."""

import types

import numpy as np
import pandas as pd
import pytest

from dplit import Categorical, Continuous, Domain, datasets
from dplit.court.experiments import measures, task
from dplit.trees import Trees


def split(**parts):
    return task.Split(None, parts.get("X"), None, np.asarray(parts["y"]), parts.get("factor", 1.0))


def predicts(values):
    return types.SimpleNamespace(predict=lambda X: np.asarray(values))


def test_mse_is_in_units_of_the_records_own_range():
    assert measures.mse(predicts([0.1, 0.5]), split(y=[0.2, 0.3], factor=4.0)) == pytest.approx(0.1)


def test_accuracy_and_error():
    model, part = predicts(["a", "b", "b", "a"]), split(y=["a", "b", "a", "b"])
    assert measures.accuracy(model, part) == measures.error(model, part) == 0.5
    assert measures.accuracy(predicts(["a"] * 4), split(y=["a", "a", "a", "b"])) == 0.75


def test_intersection_over_union_by_hand():
    """Two are "b" and three are called it, one of them both: 1 of 4; neither there nor called is 0."""
    part = task.Split(None, None, None, np.array([*"bbaaa"]), 1.0, "b")
    assert measures.segmentation(predicts([*"babba"]), part) == [2 / 5, 1 / 4]
    assert measures.segmentation(predicts([*"bbaaa"]), part) == [1.0, 1.0]
    none = task.Split(None, None, None, np.array([*"aa"]), 1.0, "b")
    assert measures.segmentation(predicts([*"aa"]), none) == [1.0, 0.0]


def test_left_fractions_of_a_tree_by_hand():
    """A threshold at 0.5 on column 0; on the right, levels {0, 2} go left on column 1."""
    one = (
        np.array([0, -1, 1, -1, -1], dtype=np.int32),
        np.array([0.5, np.nan, np.nan, np.nan, np.nan]),
        np.array([1, 0, 3, 1, 2], dtype=np.int32),
        np.zeros(5, dtype=np.int32),
        np.array([0, 1, 0], dtype=np.int32),
    )
    trees = Trees.join([one], most_levels=3)
    records = np.array([[0.1, 0], [0.2, 1], [0.5, 2], [0.9, 0], [0.9, 1], [0.9, 1], [0.9, 2], [0.9, 1]])
    assert sorted(measures.left_fractions(trees, records)) == [3 / 8, 2 / 5]


def test_leaf_shares_of_a_balanced_and_an_empty_half():
    trees = types.SimpleNamespace(leaf_starts=np.array([0, 2, 4]), feature=np.zeros(6), n_trees=2)
    model = types.SimpleNamespace(trees_=trees, apply=lambda X: np.array([[0, 1], [1, 1]]))
    found = measures.leaf_shares(model, types.SimpleNamespace(X_train=None))
    assert found[0] == 0.0 and found[3] == 0.5 and found[6] == 1.0
    assert found[-2:] == [0.25, 3.0]


def frame(target):
    X = pd.DataFrame({"x": [0.2, 0.4, 0.6], "c": pd.Categorical(["a", "b", "a"], ["a", "b", "z"])})
    domain = Domain([Continuous(0, 1), Categorical(["a", "b", "z"])], names=["x", "c"])
    return datasets.Dataset("t", "", X, pd.Series(target), domain, "regression", None, (0.0, 100.0))


def test_published_bounds_are_the_records_own_and_proved_are_public():
    data = frame([10.0, 20.0, 30.0])
    domain = task.observed(data)
    assert domain.features == (Continuous(0.2, 0.6), Categorical(["a", "b", "z"]))
    assert domain.data_dependent == ("x",)
    own = task._split(data, False, np.random.default_rng(0))
    public = task._split(data, True, np.random.default_rng(0))
    assert own.factor == 1.0 and public.factor == pytest.approx(25.0)
    assert sorted([*own.y_train, *own.y_test]) == [0.0, 0.5, 1.0]
    assert sorted([*public.y_train, *public.y_test]) == pytest.approx([0.1, 0.2, 0.3])


def shares(values):
    found = np.column_stack([1 - np.array(values), values])
    names = np.array(["n", "p"])
    return types.SimpleNamespace(
        predict_proba=lambda X: found, predict=lambda X: names[found.argmax(axis=1)], classes_=names
    )


@pytest.mark.parametrize("seed", range(4))
def test_auc_counts_pairs(seed):
    rng = np.random.default_rng(seed)
    scores, y = rng.integers(5, size=30) / 4, rng.choice(["p", "n"], 30)
    wins = [np.sign(a - b) / 2 + 0.5 for a in scores[y == "p"] for b in scores[y == "n"]]
    part = task.Split(None, None, None, y, 1.0, "p")
    assert measures.auc(shares(scores), part) == pytest.approx(np.mean(wins))


def test_f1_by_hand():
    """Two of three found, and one found wrongly: precision and recall are 2/3."""
    y = np.array(["p", "p", "p", "n", "n"])
    part = task.Split(None, None, None, y, 1.0, "p")
    assert measures.f1(shares([0.9, 0.8, 0.1, 0.7, 0.2]), part) == pytest.approx(2 / 3)
    assert measures.f1(shares([0.0] * 5), part) == 0.0


def test_r2_is_scikit_learns():
    from sklearn.metrics import r2_score

    rng = np.random.default_rng(0)
    true, found = rng.random(30), rng.random(30)
    assert measures.r2(predicts(found), split(y=true)) == pytest.approx(r2_score(true, found))
