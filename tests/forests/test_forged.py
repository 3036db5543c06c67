"""Files whose insides somebody altered: a named error or a forest, never a crash, a circle or a read beyond.

`tests.forged_files` alters and uses them in a process of its own, which must end, and by itself.
"""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from dplit import forests
from dplit.forests import file_checks
from tests.forged_files import ALL, fitted

CHILD = """
import sys
from tests.forged_files import use

folder, kinds, share, seed = sys.argv[1:]
use(folder, kinds.split(), float(share), int(seed))
"""
QUICK = [
    "RandomDecisionForestClassifier", "MedianForestRegressor", "DPRandomForestClassifier",
    "BoostedForestClassifier",
]  # fmt: skip  # random, cut, in bins, complete


def used(folder, kinds, share, seed, seconds):
    """What a process of its own found, dict."""
    line = [sys.executable, "-c", CHILD, str(folder), " ".join(kinds), str(share), str(seed)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=seconds, check=False)
    last = done.stderr.splitlines()[-1:]
    assert done.returncode == 0, f"ended by {done.returncode} at {last}"
    return json.loads(done.stdout.splitlines()[-1])


def test_an_altered_file_is_refused_or_a_forest(tmp_path):
    found = used(tmp_path, QUICK, 0.06, 5, 300)
    assert found["wrong"] == [] and found["refused"] > 300 and found["used"] > 50


@pytest.mark.deep
@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_altered_file_is(kind, tmp_path):
    found = used(tmp_path, [kind.__name__], 1, 7, 1800)
    assert found["wrong"] == [] and found["refused"] > 300 and found["used"] > 50


# Trees that a file could hold, one by one ----------------------------------------------------------


def changed(forest, **arrays):
    forest.trees_ = replace(forest.trees_, **arrays)
    return forest


def at(array, place, value):
    array = array.copy()
    array[place] = value
    return array


def voting():
    """A forest whose trees are of different shapes."""
    return fitted(forests.RandomDecisionForestClassifier, n_estimators=3)


INNER, LEAVES = ((lambda t: np.flatnonzero(t.feature >= 0)), (lambda t: np.flatnonzero(t.feature < 0)))
WRONG = {
    "a circle": ("child", lambda t: at(t.child, INNER(t)[0], 0), "behind its parent"),
    "a node below itself": ("child", lambda t: at(t.child, INNER(t)[1], INNER(t)[1]), "behind its parent"),
    "a child beyond all": ("child", lambda t: at(t.child, INNER(t)[-1], len(t.child) - 1), "behind its parent"),
    "two parents": ("child", lambda t: at(t.child, INNER(t)[0], t.child[INNER(t)[1]]), "of two parents"),
    "a leaf twice": ("child", lambda t: at(t.child, LEAVES(t)[:2], 0), "aren't numbered"),
    "leaves of other trees": (
        "child", lambda t: at(t.child, LEAVES(t)[[0, -1]], t.child[LEAVES(t)[[-1, 0]]]), "of another tree"
    ),
    "a column too many": ("feature", lambda t: at(t.feature, INNER(t)[0], 3), "isn't among 3"),
    "a column below none": ("feature", lambda t: at(t.feature, INNER(t)[0], -2), "isn't among 3"),
    "a cut at infinity": ("threshold", lambda t: at(t.threshold, INNER(t), np.inf), "isn't finite"),
    "no cut of numbers": ("threshold", lambda t: np.full_like(t.threshold, np.nan), "column is continuous"),
    "steps too short": ("steps", lambda t: t.steps[:2], "outside the rows"),
    "steps back": ("steps", lambda t: -t.steps, "no places of children"),
    "steps turned": ("steps", lambda t: t.steps[::-1].copy(), "whose first row"),
    "a row beyond": ("side", lambda t: t.side + 7, "outside the rows"),
    "a root beyond": ("roots", lambda t: at(t.roots, 0, len(t.child)), "no nodes"),
    "a root twice": ("roots", lambda t: at(t.roots, 1, 0), "of two parents"),
    "leaves of nobody": ("leaf_starts", lambda t: at(t.leaf_starts, -1, t.n_leaves + 1), "other trees and leaves"),
    "a depth": ("depth", lambda t: 2, "trees with"),
    "other positions": ("child", lambda t: t.child.astype(np.int64), "of another dtype"),
}  # fmt: skip


def test_what_a_fit_grew_is_right():
    for kind in ALL:
        file_checks.check_insides(fitted(kind))


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_tree_is_named(what):
    forest = voting()
    assert forest.trees_.depth is None
    name, change, said = WRONG[what]
    with pytest.raises(ValueError, match=rf"^trees_\.\w+ .*{said}"):
        file_checks.check_insides(changed(forest, **{name: change(forest.trees_)}))


@pytest.mark.parametrize("name", ["feature", "child", "roots", "leaf_starts"])
def test_complete_trees_stand_as_routing_takes_them(name):
    """It doesn't read where a child is."""
    forest = fitted(forests.BoostedForestClassifier)
    trees = forest.trees_
    assert trees.depth == 2
    arrays = {name: getattr(trees, name)[::-1].copy()}
    if name == "roots":
        arrays = {"roots": np.array([0, 1], dtype=np.int32)}
    with pytest.raises(ValueError, match=r"^trees_"):
        file_checks.check_insides(changed(forest, **arrays))


@pytest.mark.parametrize(("name", "value"), [
    ("leaf_values_", np.zeros(3)), ("initial_", np.zeros(2)), ("pair_sums_", np.zeros((1, 2, 2, 1))),
    ("directions_", [(0, 9, 1.0)]), ("leaf_values_", np.full(4, np.nan)), ("classes_", np.array(["no", "no"])),
    ("n_features_in_", 4), ("noise_", "none"), ("plan_", None), ("feature_names_in_", None),
])  # fmt: skip
def test_a_wrong_attribute_is_named(name, value):
    forest = fitted(forests.BoostedForestClassifier)
    if value is None:
        value = getattr(forest, name)
        value = value._replace(rounds="x") if name == "plan_" else np.array(["u", "v", "x"], dtype=object)
    setattr(forest, name, value)
    with pytest.raises(ValueError, match=rf"^{name}"):
        file_checks.check_insides(forest)
    delattr(forest, name)
    if name != "feature_names_in_":
        with pytest.raises(ValueError, match=rf"^a BoostedForestClassifier without {name}|^tested_"):
            file_checks.check_insides(forest)
