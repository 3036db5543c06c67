"""Draws from diffprivlib's random forest, for `dplit.audit` to bound: a script of its own environment.

diffprivlib needs an older scikit-learn than this package, so that what draws does not import `dplit`:

    python -m venv .venv-bench && .venv-bench/bin/pip install -r tests/benchmarks/requirements.lock
    .venv-bench/bin/python data/peers/forest.py data/results/audit/diffprivlib.json

An outcome is the class that each tree releases where all records are, one digit a tree. What is stored of each
side is how often each outcome came, in the first half of the draws and in the second. See :doc:`/book/audit`.
"""

import json
import platform
import sys
import warnings
from collections import Counter
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from runpy import run_path

WRITER = Path(__file__).parents[2] / "dplit" / "ground" / "writing.py"
PLACE, EPSILON, DRAWS = [0.5], 1.0, 20_000
CASES = {  # trees, classes of the records, and of their neighbours
    "one tree, add-remove": (1, [0, 0], [0, 0, 1]),
    "one tree, replace-one": (1, [0, 0], [0, 1]),
    "two trees, add-remove": (2, [0, 0, 1, 1], [0, 0, 1, 1, 0]),
}


def outcome(n_trees: int, labels: list[int], seed: list[int]) -> str:
    """One fit: a digit a tree."""
    from diffprivlib import BudgetAccountant
    from diffprivlib.models import RandomForestClassifier
    from numpy.random import RandomState

    forest = RandomForestClassifier(
        n_trees, epsilon=EPSILON, bounds=([0.0], [1.0]), classes=[0, 1], max_depth=1,
        random_state=RandomState(seed), accountant=BudgetAccountant(),
    )  # fmt: skip  # the accountant that fits share adds up all earlier ones, each time
    forest.fit([PLACE] * len(labels), labels)
    return "".join(str(int(tree.predict([PLACE])[0])) for tree in forest.estimators_)


def halves(drawn: list[str]) -> list[dict]:
    """Return how often each outcome came in either half of the draws."""
    half = len(drawn) // 2
    return [dict(sorted(Counter(part).items())) for part in (drawn[:half], drawn[half:])]


def main(path: str) -> None:
    """Draw every case, and write the outcomes with what made them."""
    warnings.simplefilter("ignore")
    cases = []
    for place, (name, (n_trees, *sides)) in enumerate(CASES.items()):
        drawn = [
            halves([outcome(n_trees, labels, [place, side, i]) for i in range(DRAWS)])
            for side, labels in enumerate(sides)
        ]
        cases.append({"case": name, "epsilon": EPSILON, "data": sides[0], "neighbour": sides[1], "drawn": drawn})
    run = {
        "command": "python data/peers/forest.py " + path,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        **{name: version(name) for name in ("diffprivlib", "numpy", "scikit-learn")},
        "seed": "place of the case, of the side and of the draw",
    }
    write_whole = run_path(str(WRITER))["write_whole"]  # without the package, which isn't here
    write_whole(path, (json.dumps({"runs": [run], "cases": cases}, indent=1) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1])
