"""Columns encoded when they are read: the same numbers, the same errors, and no copy of the table."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dplit import Categorical, Continuous, Domain
from dplit.domain.columns import EncodedColumns
from dplit.domain.schema import encoded_columns

FEATURES = [Continuous(0, 1), Categorical(["a", "b"], missing=True), Continuous(-5, 5)]
NAMED = Domain(FEATURES, names=list("uvw"))
FRAME = pd.DataFrame(
    {"w": [7, -1, 0, 3], "u": [0.1, 1.5, 0.3, -2.0], "v": ["b", None, "a", "a"]}
)  # not in the domain's order, and outside its bounds


@pytest.mark.parametrize("domain", [NAMED, Domain(FEATURES)], ids=["named", "by position"])
def test_it_gives_what_encode_gives(domain):
    frame = FRAME if domain.names else FRAME[list("uvw")]
    expected, lazy = domain.encode(frame), encoded_columns(domain, frame)
    assert isinstance(lazy, EncodedColumns) and len(lazy) == 4 and lazy.shape == (4, 3)
    for j in range(3):
        np.testing.assert_array_equal(lazy[:, j], expected[:, j])
    np.testing.assert_array_equal(np.asarray(lazy), expected)
    np.testing.assert_array_equal(lazy[1:3, 2], expected[1:3, 2])


def test_columns_of_one_name_are_told_apart_by_position():
    frame = pd.DataFrame([[0.1, 0.2]], columns=["u", "u"])
    assert encoded_columns(Domain([Continuous(0, 1)] * 2), frame)[:, 1].tolist() == [0.2]


def test_dates_are_told_from_numbers_before_a_record_is_read():
    dates = FRAME.assign(w=pd.to_datetime("2020-01-01"))
    with pytest.raises(ValueError, match="column 'w' must hold numbers, got dates"):
        encoded_columns(NAMED, dates)


def test_an_array_is_encoded_at_once():
    X = np.array([[0.2, 0.9]])
    assert encoded_columns(Domain([Continuous(0, 1)] * 2), X) is X


@pytest.mark.parametrize(
    ("frame", "message"),
    [(FRAME.drop(columns="u"), "missing .*'u'"), (FRAME.rename(columns={"u": "x"}), "missing .*'u'")],
)
def test_columns_are_checked_at_once(frame, message):
    with pytest.raises(ValueError, match=message):
        encoded_columns(NAMED, frame)


def test_cells_are_checked_at_once():
    """Before a fit draws noise."""
    with pytest.raises(ValueError, match="column 'v' must hold levels of its list"):
        encoded_columns(NAMED, FRAME.assign(v="c"))
    with pytest.raises(ValueError, match="column 'u' must hold finite numbers"):
        encoded_columns(NAMED, FRAME.assign(u=np.nan))


FIT = """
import resource, sys
import numpy as np, pandas as pd
from dplit import Continuous, Domain, PrivateForestClassifier
rng = np.random.default_rng(0)
schema = {"domain": Domain([Continuous(0, 1)] * 20), "classes": [0, 1]}
forest = PrivateForestClassifier(1.0, **schema, n_estimators=2, max_depth=2)
def table(n):
    X = rng.random((n, 20))
    return pd.DataFrame(X, copy=False) if sys.argv[1] == "frame" else X
forest.fit(table(1000), np.arange(1000) % 2)  # compiles
X, y = table(600_000), np.arange(600_000) % 2
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
forest.fit(X, y)
status = open("/proc/self/status").read()  # ru_maxrss would begin at the parent's
peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
print((peak - before) / (600_000 * 20 * 8))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
@pytest.mark.parametrize("kind", ["array", "frame"])
def test_a_fit_takes_half_as_much_memory_as_its_data_on_top_of_them(kind):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", FIT, kind], capture_output=True, text=True, env=environment)
    assert float(done.stdout) <= 0.5, done.stderr
