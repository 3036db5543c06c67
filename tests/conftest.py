"""No test and no notebook needs a network: the session and all it starts refuse every connection
but loopback (`tests/guard/network_guard.py`), and no folder of the user's stands in for the project's data.
The tests use every core themselves: where linear algebra did, too, small systems took ten times as long.
Files that take long come first, so that all cores end together."""

import atexit
import ctypes
import gc
import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

GUARD = str(Path(__file__).parent / "guard")
if GUARD not in sys.path:
    sys.path.insert(0, GUARD)

import network_guard  # noqa: E402
import one_evidence  # noqa: E402
import pytest  # noqa: E402
import threadpoolctl  # noqa: E402
from sklearn.base import BaseEstimator  # noqa: E402

network_guard.install()
gc.set_threshold(100_000, 50, 100)  # as of `sitecustomize`, for the process that has begun without it
atexit.register(one_evidence.open_folder())
search = os.environ.get("PYTHONPATH", "").split(os.pathsep)
os.environ["PYTHONPATH"] = os.pathsep.join([GUARD, *(p for p in search if p and p != GUARD)])
os.environ.pop("DPLIT_DATA", None)
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
if "numpy" in sys.modules:  # a plugin has loaded it before this was said, where there is one process
    threadpoolctl.threadpool_limits(1)

# scikit-learn reads the signature of an estimator anew at each clone: a tenth of the time of thousands of fits.
names_of = cache(BaseEstimator._get_param_names.__func__)
BaseEstimator._get_param_names = classmethod(lambda cls: [*names_of(cls)])

# Half a minute or more each on a busy core, the longest first; then the notebooks, then all others.
SLOW = (
    "ledger/test_ledger", "book/test_browser", "trees/test_median_trees", "audit/test_suite",
    "forests/test_defaults", "matrix_strategies/test_claims", "book/test_accessible",
    "forests/test_exact_forests", "matrix_bounds/test_bounds", "forests/test_kinds",
    "matrix_paths/test_claims", "audit/test_mutants", "forests/test_noise", "forests/test_dask",
    "forests/test_forged",
    "experiments/test_stored", "trees/test_multinomial_trees", "matrix_strategies/test_members",
    "ledger/test_settings", "experiments/test_regimes", "experiments/test_scaling",
    "multinomial_privacy/test_claims", "audit/test_baseline_subjects", "mechanisms/test_exact",
    "trees/test_exact_cuts", "trees/test_exact_scores", "forests/test_matrix",
    "multinomial_forest/test_claims", "forests/test_random_decision", "forests/test_multinomial",
)  # fmt: skip


def pytest_collection_modifyitems(config, items):
    """The order of `SLOW` where the files are dealt out to processes."""
    if not hasattr(config, "workerinput"):
        return
    order = [f"tests/{name}.py" for name in SLOW]

    def place(item):
        path = item.nodeid.partition("::")[0]
        return order.index(path) if path in order else len(order) + path.endswith(".py")

    items.sort(key=place)


def pytest_collection():
    gc.disable()  # what is imported and collected stays


def pytest_collection_finish(session):
    """Else each later look for what can go back would go through all of that."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="module", autouse=True)
def memory_goes_back(request):
    """What a file of tests has cached is dropped at its end, and what was freed goes back to the system: a
    process runs half of the suite, and would keep the largest table and page of each file."""
    yield
    for value in vars(request.module).values():
        if hasattr(value, "cache_clear") and value.__module__ == request.module.__name__:
            value.cache_clear()
    gc.collect()
    gc.freeze()  # what is left now stays, too
    with suppress(AttributeError, OSError):  # of GNU's C library
        ctypes.CDLL(None).malloc_trim(0)
