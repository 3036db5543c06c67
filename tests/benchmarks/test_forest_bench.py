"""Fit and predict, three libraries side by side: 24,000 records, 10 columns, 100 trees of depth 8.

``make bench`` runs them and prints the ratios. diffprivlib wants an older scikit-learn, so it is
timed by a process of its own in ``.venv-bench`` (or the Python that ``DPLIT_BENCH_PYTHON`` names).
"""

import json
import os
import subprocess
from pathlib import Path

import pytest
from sklearn.ensemble import ExtraTreesClassifier

from dplit import Continuous, Domain
from dplit.forests import RandomDecisionForestClassifier

from .workload import DEPTH, EPSILON, FEATURES, TREES, data

ROOT = Path(__file__).parents[2]
BENCH_PYTHON = Path(os.environ.get("DPLIT_BENCH_PYTHON", ROOT / ".venv-bench/bin/python"))
FORESTS = {
    "dplit": RandomDecisionForestClassifier(
        EPSILON,
        domain=Domain([Continuous(0, 1)] * FEATURES),
        classes=[0, 1],
        n_estimators=TREES,
        max_depth=DEPTH,
        random_state=0,
    ),
    "ExtraTrees": ExtraTreesClassifier(TREES, max_depth=DEPTH, random_state=0),
}


@pytest.mark.parametrize("library", FORESTS)
def test_fit(benchmark, seconds, library):
    X, y, _ = data()
    forest = FORESTS[library].fit(X, y)
    benchmark.pedantic(forest.fit, (X, y), rounds=5, iterations=1)
    if benchmark.stats:
        seconds[library, "fit"] = benchmark.stats.stats.min


@pytest.mark.parametrize("library", FORESTS)
def test_predict(benchmark, seconds, library):
    X, y, queries = data()
    forest = FORESTS[library].fit(X, y)
    forest.predict(queries)
    benchmark.pedantic(forest.predict, (queries,), rounds=5, iterations=1)
    if benchmark.stats:
        seconds[library, "predict"] = benchmark.stats.stats.min


def test_diffprivlib(benchmark, seconds):
    if not BENCH_PYTHON.exists():
        pytest.skip(f"no {BENCH_PYTHON.name} in .venv-bench: `make bench` installs diffprivlib there")
    command = [BENCH_PYTHON, Path(__file__).with_name("workload.py")]

    def run():
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    for task, best in benchmark.pedantic(run, rounds=1).items():
        assert best > 0
        seconds["diffprivlib", task] = best
