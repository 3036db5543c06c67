"""Memory that matrix forests take on the widest shipped tables: each release, each way of voting."""

import json
import subprocess
import sys

import pytest

from dplit import datasets
from dplit.forests import MatrixForestClassifier

WAYS = (
    ("training", "hard"),
    ("training", "weighted"),
    ("prediction", "weighted"),
    ("subsample", "hard"),
    ("subsample", "weighted"),
)
SETS = ("adult", "mushroom", "heart-cleveland", "segmentation", "vehicle")
QUERIES = 5
LIMIT = 4 << 30  # bytes of addresses: what asks for more is a MemoryError, no frozen machine
FIT = """
import json, resource, sys, warnings
from dplit import datasets
from dplit.forests import MatrixForestClassifier

warnings.simplefilter("ignore")
names, ways, n_estimators, queries, limit, every = json.loads(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for name in names:
    data = datasets.load(name)
    for release, voting in ways:
        asked = {"release": release, "voting": voting, "n_estimators": n_estimators, "n_jobs": 1}
        if release != "training":
            asked["queries"] = data.X[:queries]
        schema = {"domain": data.domain, "classes": data.classes, "max_depth": None}
        forest = MatrixForestClassifier(1.0, **schema, **asked, random_state=0)
        forest.fit(data.X[::every], data.y[::every])
        # the kernel's own mark: `ru_maxrss` begins with that of the process that started this one
        status = open("/proc/self/status").read()
        most = int(status.partition("VmHWM:")[2].split()[0]) // 1024
        print(name, release, voting, forest.strategy_.name, most, flush=True)
"""


def peaks(names, ways, trees, queries=QUERIES, every=1):
    """Lines of one process that fits all of them, the last word of each its peak so far in MiB."""
    given = json.dumps([names, ways, trees, queries, LIMIT, every])
    run = subprocess.run([sys.executable, "-c", FIT, given], capture_output=True, text=True)
    assert run.returncode == 0, f"{run.stdout[-300:]}{run.stderr[-300:]}"
    return run.stdout.splitlines()


@pytest.mark.parametrize(("names", "ways"), [(SETS, WAYS[:2]), (["heart-cleveland"], WAYS[2:])], ids=str)
def test_sixteen_trees_on_the_widest_sets_take_no_gigabyte(names, ways):
    found = peaks(names, ways, 16, every=10)
    assert len(found) == len(names) * len(ways)
    assert int(found[-1].split()[-1]) < 800, found


@pytest.mark.deep
@pytest.mark.parametrize("name", SETS)
def test_the_defaults_on_the_widest_sets_take_no_gigabyte_and_a_half(name):
    assert int(peaks([name], WAYS, 128, 200)[-1].split()[-1]) < 1500


VOTES = {"voting": "weighted", "n_estimators": 16}
WIDE = [
    ("adult", {"strategy": "marginals"} | VOTES, "^strategy='marginals' with voting='weighted'"),
    ("adult", {"strategy": "regions"}, "^strategy='regions' searches among 482,160,000,000 cells"),
    ("adult", {"strategy": "p-identity"}, "^strategy='p-identity' searches among"),
    ("internet-ads", {"max_depth": 1}, "^domain must have at most 10.300 cells with release="),
]


@pytest.mark.parametrize(("name", "options", "message"), WIDE, ids=str)
def test_what_is_too_wide_is_an_error_that_says_what_to_do(name, options, message):
    data = datasets.load(name)
    options = {"n_estimators": 4, "max_depth": 4} | options
    forest = MatrixForestClassifier(1.0, domain=data.domain, classes=data.classes, **options)
    with pytest.raises(ValueError, match=message):
        forest.plan()
