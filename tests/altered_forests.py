"""Fitted forests with attributes that do not fit one another, as an owner may leave them who assigns one.

``python -m tests.altered_forests NAMES`` alters and uses each in a process of its own, since what it looks for is
compiled code that reads beyond an array; it prints what every prediction came to.
"""

from __future__ import annotations

import copy
import json
import pickle
import sys
from dataclasses import replace

import numpy as np

from dplit import Categorical, Continuous, Domain
from tests.forged_files import ALL, FRAME, fitted

WIDER = Domain(
    {
        "u": Continuous(0, 1),
        "v": Categorical([*(f"level {i}" for i in range(5000)), "a", "b", "c"]),
        "w": Categorical([False, True]),
    }
)
FIT = [kind for kind in ALL if kind.__name__ not in ("PrivateForestClassifier", "PrivateForestRegressor")]
FAR = 2**31 - 1


def of_leaves(forest):
    """Names of what its leaves released."""
    return [name for name in vars(forest) if name.startswith("leaf_")]


def wider_domain(forest):
    forest.domain_ = WIDER


def shorter_answers(forest):
    for name in of_leaves(forest):
        setattr(forest, name, getattr(forest, name)[:1])


def labels_beyond(forest):
    forest.leaf_labels_ = np.full_like(forest.leaf_labels_, 255, dtype=np.uint8)


def trees_with(value, name):
    def alter(forest):
        array = np.full_like(getattr(forest.trees_, name), value)
        forest.trees_ = replace(forest.trees_, **{name: array})

    return alter


def written_in_place(forest):
    """Of a forest out of a pickle, whose arrays can be written to until the first prediction."""
    trees = forest.trees_
    (trees.feature if hasattr(trees, "feature") else trees.pair)[:] = FAR


ALTERED = {
    "a domain of more levels": wider_domain,
    "fewer answers than leaves": shorter_answers,
    "labels that are no classes": labels_beyond,
    "a far column": trees_with(FAR, "feature"),
    "a column of a million": trees_with(10**6, "feature"),
    "far children": trees_with(FAR, "child"),
    "far roots": trees_with(FAR, "roots"),
    "far rows of steps": trees_with(FAR, "side"),
    "far steps": trees_with(FAR, "steps"),
    "far pivots": trees_with(FAR, "pair"),
    "written in place": written_in_place,
}


def looks_up(trees):
    """Whether a node looks up where a level goes: other trees compare numbers, of any domain."""
    return hasattr(trees, "feature") and np.isnan(trees.threshold[trees.feature >= 0]).any()


def applies(alter, forest):
    """Whether a forest has what is altered."""
    held, trees = vars(forest), vars(forest).get("trees_")
    if alter is wider_domain:
        return trees is None or looks_up(trees)
    if alter is shorter_answers:
        return len(of_leaves(forest)) > 0
    if alter is labels_beyond:
        return "leaf_labels_" in held
    if alter is written_in_place:
        return trees is not None
    name = alter.__closure__[0].cell_contents
    if name in ("side", "steps"):
        return trees is None or looks_up(trees)
    return hasattr(trees, name)


def altered(sound, alter):
    """Copies that were altered; a plain one after it has predicted, while it was right."""
    copies = [pickle.loads(pickle.dumps(sound))]
    if alter is not written_in_place:  # the arrays of others can't be
        copies += copy.deepcopy(sound), copy.copy(sound)
        copies[-1].predict(FRAME)
    for forest in copies:
        alter(forest)
    return copies


def use(names):
    """What each altered forest answered, dict of "kind: case" and a list of texts of errors."""
    found = {}
    for kind in (k for k in FIT if k.__name__ in names):
        sound = fitted(kind)
        ways = ["predict", "apply"][: 1 + hasattr(sound, "trees_")]
        for case, alter in ALTERED.items():
            for way in ways if applies(alter, sound) else ():
                for forest in altered(sound, alter):
                    try:
                        getattr(forest, way)(FRAME)
                        said = "answered"
                    except Exception as error:
                        said = f"{type(error).__name__}: {error}"
                    found.setdefault(f"{kind.__name__}: {case}", []).append(said)
    return found


if __name__ == "__main__":
    print(json.dumps(use(sys.argv[1:])))
