"""Draws from diffprivlib's random forest, for `dplit.audit` to bound: a script of its own environment.

diffprivlib needs an older scikit-learn than this package, so it is installed beside it
(``tests/benchmarks/requirements.lock``), and nothing here imports `dplit`:

    python -m venv .venv-bench && .venv-bench/bin/pip install -r tests/benchmarks/requirements.lock
    .venv-bench/bin/python dplit/audit/outside.py data/results/audit/diffprivlib.json

Each draw is a fit; its outcome is the class that each tree releases where all records are, one digit a tree.
Nothing is published: the records are in one place, and bounds and classes are given.
"""

from __future__ import annotations

import json
import platform
import sys
import warnings
from datetime import UTC, datetime
from importlib.metadata import version

PLACE, EPSILON, DRAWS = [0.5], 1.0, 4000
CASES = {  # trees, classes of the records, and of their neighbours
    "one tree, add-remove": (1, [0, 0], [0, 0, 1]),
    "one tree, replace-one": (1, [0, 0], [0, 1]),
    "two trees, add-remove": (2, [0, 0, 1, 1], [0, 0, 1, 1, 0]),
}


def outcome(n_trees, labels, seed):
    """One fit: a digit a tree."""
    from diffprivlib.models import RandomForestClassifier
    from numpy.random import RandomState

    forest = RandomForestClassifier(
        n_trees, epsilon=EPSILON, bounds=([0.0], [1.0]), classes=[0, 1], max_depth=1,
        random_state=RandomState(seed),
    )  # fmt: skip
    forest.fit([PLACE] * len(labels), labels)
    return "".join(str(int(tree.predict([PLACE])[0])) for tree in forest.estimators_)


def main(path):
    """Draw every case, and write the outcomes with what made them."""
    warnings.simplefilter("ignore")
    cases = []
    for place, (name, (n_trees, *sides)) in enumerate(CASES.items()):
        drawn = [
            " ".join(outcome(n_trees, labels, [place, side, i]) for i in range(DRAWS))
            for side, labels in enumerate(sides)
        ]
        cases.append({"case": name, "epsilon": EPSILON, "data": sides[0], "neighbour": sides[1],
                      "drawn": drawn})  # fmt: skip
    run = {
        "command": "python dplit/audit/outside.py " + path,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        **{name: version(name) for name in ("diffprivlib", "numpy", "scikit-learn")},
        "seed": "place of the case, of the side and of the draw",
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"runs": [run], "cases": cases}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
