"""The first use ever: CPU seconds of importing, and of a fit and a prediction with nothing compiled.

Each is a process of its own; the fits have an empty cache of compiled code.
"""

import os
import resource
import subprocess
import sys

import pytest

IMPORTS = ["dplit.forests", "sklearn.ensemble"]
FIRST_USE = """
import numpy as np
from dplit import Continuous, Domain
from dplit.forests import MedianForestClassifier, RandomDecisionForestClassifier

X = np.random.default_rng(0).random((2_000, 10))
y = (X[:, 0] + X[:, 1] > 1).astype(int)
forest = {forest}(1.0, domain=Domain([Continuous(0, 1)] * 10), classes=[0, 1], random_state=0)
forest.fit(X, y)
"""


def run(code, cache):
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "NUMBA_CACHE_DIR": str(cache)})


def cpu():
    """CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("module", IMPORTS)
def test_import(benchmark, tmp_path, module):
    run(f"import {module}", tmp_path)
    before = cpu()
    benchmark.pedantic(run, (f"import {module}", tmp_path), rounds=5, iterations=1)
    benchmark.extra_info["cpu seconds"] = (cpu() - before) / 5


@pytest.mark.parametrize("predicts", [False, True], ids=["fit", "fit and predict"])
@pytest.mark.parametrize("forest", ["RandomDecisionForestClassifier", "MedianForestClassifier"])
def test_first_fit(benchmark, tmp_path, forest, predicts):
    code = FIRST_USE.format(forest=forest) + "forest.predict(X)\n" * predicts
    before = cpu()
    benchmark.pedantic(run, (code, tmp_path), rounds=1, iterations=1)
    benchmark.extra_info["cpu seconds"] = cpu() - before
    assert any(tmp_path.rglob("*.nbi"))
