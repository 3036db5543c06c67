"""A fit over Dask's blocks is the fit in memory, however the records are cut, and wherever they lie."""

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from dplit import Categorical, Continuous, Domain, PrivateForestClassifier, PrivateForestRegressor
from dplit.forests import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    HistogramForestClassifier,
    MedianForestClassifier,
    RandomDecisionForestClassifier,
    blocks_boosted,
)
from dplit.forests.blocks import DaskParts, Here
from dplit.ground.errors import PrivacyLeakWarning
from dplit.trees import oblivious

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(0)
N = 1000
DOMAIN = Domain([Continuous(0, 1), Continuous(0, 1), Categorical([0, 1, 2])])
X = np.column_stack([RNG.random((N, 2)), RNG.integers(3, size=N)])
Y = (X[:, 0] + RNG.normal(size=N) / 4 > 0.5).astype(int)
THREE = np.where(X[:, 2] == 2, 2, Y)
TARGETS = X[:, 0] + X[:, 1]
BINARY, SEVERAL, MANY, NUMBER = (
    (Y, {"classes": [0, 1]}),
    (THREE, {"classes": [2, 0, 1]}),
    (THREE, {"classes": [6, 2, 5, 0, 4, 1, 3]}),
    (TARGETS, {"target_bounds": (0, 2)}),
)
FITS = {
    "boosted": (BoostedForestClassifier, *BINARY, {}),
    "boosted, a public number of records": (BoostedForestClassifier, *BINARY, {"n_records": 900}),
    "boosted, several classes": (BoostedForestClassifier, *SEVERAL, {"max_depth": 3}),
    "boosted, many classes": (BoostedForestClassifier, *MANY, {"epsilon": 4.0}),
    "boosted, many classes, a delta": (BoostedForestClassifier, *MANY, {"epsilon": 8.0, "delta": 1e-4}),
    "boosted, a delta": (BoostedForestClassifier, *SEVERAL, {"epsilon": 8.0, "delta": 1e-4, "n_estimators": 6}),
    "boosted, replaced": (BoostedForestClassifier, *BINARY, {"neighbours": "replace-one"}),
    "boosted, no privacy": (BoostedForestClassifier, *BINARY, {"epsilon": float("inf"), "n_estimators": 3}),
    "boosted regression": (BoostedForestRegressor, *NUMBER, {}),
    "boosted regression, directions": (BoostedForestRegressor, *NUMBER, {"n_records": 300}),
    "histogram": (HistogramForestClassifier, *BINARY, {"n_estimators": 3}),
    "random decision": (RandomDecisionForestClassifier, *SEVERAL, {"n_estimators": 7}),
    "random decision, published": (
        RandomDecisionForestClassifier, *BINARY, {"n_estimators": 7, "accounting": "published"}),
    "preset": (PrivateForestClassifier, *BINARY, {}),
    "preset for numbers": (PrivateForestRegressor, *NUMBER, {}),
}  # fmt: skip
RELEASED = ("initial_", "leaf_values_", "pair_sums_", "cell_counts_", "leaf_labels_")


def unfitted(name, **changed):
    kind, y, schema, options = FITS[name]
    given = {"epsilon": 1.0, "domain": DOMAIN, "random_state": 1, **schema, **options, **changed}
    return kind(**given), y


def released(forest):
    """All numbers that a fit released, and its budget."""
    inner = vars(forest).get("forest_", forest)
    found = {name: vars(inner)[name].tobytes() for name in RELEASED if name in vars(inner)}
    assert found
    trees = vars(inner).get("trees_")
    if trees is not None:
        found |= {name: getattr(trees, name).tobytes() for name in ("feature", "threshold")}
    return found, forest.budget_, forest.noise_, forest.n_features_in_


def cut(values, blocks):
    """A Dask array of so many blocks, of unequal sizes."""
    ends = np.linspace(0, 1, blocks + 1) ** 2 * len(values)
    sizes = tuple(np.diff(np.rint(ends).astype(int)).tolist())
    return da.from_array(values, chunks=(sizes, *values.shape[1:]))


# The same forest ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FITS)
def test_the_forest_is_that_of_a_fit_in_memory(name):
    forest, y = unfitted(name)
    here = released(forest.fit(X, y))
    for blocks, scheduler in ((1, "synchronous"), (3, "threads"), (7, "synchronous")):
        with dask.config.set(scheduler=scheduler):
            assert released(unfitted(name)[0].fit(cut(X, blocks), cut(y, blocks))) == here


@pytest.mark.parametrize("name", ["boosted", "histogram", "random decision", "preset"])
def test_blocks_of_unknown_sizes(name):
    forest, y = unfitted(name)
    there, its = cut(np.column_stack([X, y]), 5), cut(y, 5)
    keep = da.from_array(np.ones(N, dtype=bool), chunks=its.chunks)
    there, its = there[keep][:, :3].rechunk({1: 2}), its[keep]
    assert np.isnan(there.shape[0])
    with dask.config.set(scheduler="synchronous"):
        assert released(unfitted(name)[0].fit(there, its)) == released(forest.fit(X, y))


@pytest.mark.parametrize("name", ["boosted", "boosted regression", "histogram", "random decision"])
def test_data_frames(name):
    pytest.importorskip("pyarrow", reason="Dask's data frames need it")
    import dask.dataframe as dd

    domain = Domain([*DOMAIN.features[:2], Categorical(list("abc"))], names=list("uvw"))
    frame = pd.DataFrame({"w": np.array(list("abc"))[X[:, 2].astype(int)], "u": X[:, 0], "v": X[:, 1]})
    forest, y = unfitted(name, domain=domain)
    here = released(forest.fit(frame, pd.Series(y)))
    there, _ = unfitted(name, domain=domain)
    with dask.config.set(scheduler="synchronous"):
        there.fit(dd.from_pandas(frame, npartitions=4), dd.from_pandas(pd.Series(y), npartitions=4))
    assert released(there) == here and there.feature_names_in_.tolist() == ["w", "u", "v"]
    with pytest.raises(TypeError, match="got a lazy DataFrame: compute it first"):
        there.predict(dd.from_pandas(frame, npartitions=4))


def test_a_block_whose_columns_stand_in_another_order_is_read_by_name():
    """Of a domain without names, too: the table's own columns say which is which."""
    pytest.importorskip("pyarrow", reason="Dask's data frames need it")
    import dask.dataframe as dd

    (forest, y), frame = unfitted("boosted"), pd.DataFrame(X, columns=list("uvw"))
    here = released(forest.fit(frame.to_numpy(), y))
    half = N // 2
    for second, wrong in ((["v", "w", "u"], None), (["v", "w"], "must have the columns")):
        blocks = [dask.delayed(frame[:half]), dask.delayed(frame[second][half:])]
        records = dd.from_delayed(blocks, meta=frame[:0], verify_meta=False)
        labels = [dask.delayed(pd.Series(part)) for part in (y[:half], y[half:])]
        labels = dd.from_delayed(labels, meta=pd.Series(y[:0]))
        with dask.config.set(scheduler="synchronous"):
            if wrong is None:
                assert released(unfitted("boosted")[0].fit(records, labels)) == here
            else:
                with pytest.raises(ValueError, match=wrong):
                    unfitted("boosted")[0].fit(records, labels)


@pytest.mark.parametrize("name", ["boosted", "boosted regression"])
def test_what_is_left_out_is_read_off_all_blocks_and_costs_everything(name):
    _, _, schema, _ = FITS[name]
    left_out = {"domain": None, **dict.fromkeys(schema)}
    forests = [unfitted(name, **left_out)[0] for _ in range(2)]
    y = FITS[name][1]
    for forest, (records, labels) in zip(forests, ((X, y), (cut(X, 3), cut(y, 3)))):
        with pytest.warns(PrivacyLeakWarning) as told:
            forest.fit(records, labels)
        assert {warning.filename for warning in told} == {__file__} and len(told) == 2
    assert forests[1].domain_ == forests[0].domain_
    assert released(forests[1]) == released(forests[0]) and np.isinf(forests[1].budget_.epsilon)


# Parts and sums --------------------------------------------------------------------------------------


def test_no_step_changes_the_part_that_it_is_given():
    grid = oblivious.Grid(DOMAIN, 64)
    part = blocks_boosted.encoded(X, Y, grid, DOMAIN, [])
    steps = [
        (blocks_boosted.started, np.zeros(1)),
        (blocks_boosted.opened, blocks_boosted.residuals_of_classes, 3),
        (blocks_boosted.summed, 1),
        (blocks_boosted.divided, oblivious.Test(0, 20, oblivious.CUT)),
        (blocks_boosted.summed, 2),
        (blocks_boosted.divided_to_bins, 1, grid.fine(1, 2)[0], 2),
        (blocks_boosted.closed, np.arange(8.0)[:, None]),
    ]
    for step, *told in steps:
        arrays = [np.copy(a) for a in part[1:] if a is not None]
        new = step(part, *told)
        assert new is not part
        for before, after in zip(arrays, [a for a in part[1:] if a is not None]):
            np.testing.assert_array_equal(after, before)
        part = new
    assert sorted(set(part.scores.ravel())) == list(range(8))


def test_sums_that_depend_on_their_order_are_refused():
    def halves(part):
        return np.full(2, 0.5)

    parts = DaskParts([dask.delayed((1,)), dask.delayed((2,))], kept=True)
    for some in (Here((1,)), parts):
        with pytest.raises(TypeError, match="whole numbers, got float64"):
            some.total(halves)


def test_sums_of_many_parts():
    """More than one task adds up at once; 32 bits would not hold it."""
    parts = DaskParts([dask.delayed((2**30 + i,)) for i in range(70)], kept=False)
    with dask.config.set(scheduler="synchronous"):
        total = parts.total(lambda part: np.array(part, dtype=np.int32))
    assert total.tolist() == [70 * 2**30 + 69 * 35]


# What cannot be fitted -------------------------------------------------------------------------------


def test_families_that_need_the_records():
    with pytest.raises(TypeError, match=r"in memory for MedianForest.*fit .*BoostedForestClassifier"):
        MedianForestClassifier(1.0, domain=DOMAIN, classes=[0, 1]).fit(cut(X, 2), cut(Y, 2))


@pytest.mark.parametrize(
    ("records", "labels", "error", "message"),
    [
        (cut(X, 3), cut(Y, 2), ValueError, "cut at the same records, got 3 blocks of .* and 2 blocks"),
        (cut(X, 3), cut(Y[:-1], 3), ValueError, "cut at the same records"),
        (cut(X, 3), Y, TypeError, r"both be Dask .* got y of type numpy.ndarray"),
        (X, cut(Y, 2), TypeError, r"both be Dask .* got X of type numpy.ndarray"),
        (dask.delayed(X), cut(Y, 2), TypeError, "got X of type dask.Delayed"),
        (cut(X, 2), cut(Y[:, None], 2), ValueError, r"y must be of shape \(n_records,\), got 2"),
        (cut(X[:, 0], 2), cut(Y, 2), ValueError, r"X must be of shape \(n_records, n_features\)"),
        (cut(X[:, :2], 2), cut(Y, 2), ValueError, "X must have 3 columns"),
        (cut(X[:0], 1), cut(Y[:0], 1), ValueError, "at least 1 record"),
        (cut(X, 2), cut(Y + 1, 2), ValueError, r"y must hold classes of the list.*are 0, 1$"),
        (cut(X, 2), cut(np.where(Y, np.nan, 1), 2), ValueError, "y must hold a value for every record"),
        (cut(np.where(X > 0.99, np.inf, X), 2), cut(Y, 2), ValueError, "column 0 must hold finite"),
        (cut(np.where(X == 2, 7.25, X), 2), cut(Y, 2), ValueError, "column 2 must hold levels of its"),
    ],
)
def test_input_that_cannot_be(records, labels, error, message):
    forest, _ = unfitted("boosted")
    with dask.config.set(scheduler="synchronous"), pytest.raises(error, match=message) as raised:
        forest.fit(records, labels)
    assert "7.25" not in str(raised.value) and not hasattr(forest, "budget_")


def test_small_files_that_dask_joins_for_one_column_alone(tmp_path):
    """Of a table in files X reads six of seven columns and y one, so that Dask joins files for y."""
    pytest.importorskip("pyarrow", reason="Dask's data frames need it")
    import dask.dataframe as dd

    table = pd.DataFrame(RNG.random((800, 6)), columns=list("abcdef"))
    table["y"] = table["a"] > 0.5
    for i in range(4):
        table[200 * i : 200 * i + 200].to_parquet(tmp_path / f"{i}.parquet", index=False)
    lazy = dd.read_parquet(str(tmp_path / "*.parquet"))
    X, y = lazy[list("abcdef")], lazy["y"]
    assert y.optimize().npartitions < X.optimize().npartitions == y.npartitions
    domain = Domain(dict.fromkeys("abcdef", Continuous(0, 1)))
    forest = PrivateForestClassifier(1.0, domain=domain, classes=[False, True], random_state=0)
    expected = forest.fit(table[list("abcdef")], table["y"]).predict_proba(table[list("abcdef")])
    np.testing.assert_array_equal(forest.fit(X, y).predict_proba(table[list("abcdef")]), expected)


def test_blocks_that_turn_out_to_be_of_other_sizes():
    keep = da.from_array(Y == 1, chunks=500)
    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match="same records"):
        unfitted("boosted")[0].fit(cut(X, 2).rechunk((500, 3))[keep], da.from_array(Y, chunks=500))


# Without Dask, in little memory, and on a cluster -----------------------------------------------------


def run(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nobody_who_has_no_dask_collection_needs_dask():
    run(
        "import sys; sys.modules['dask'] = None; import numpy as np\n"
        "from dplit import Continuous, Domain; from dplit.forests import BoostedForestClassifier\n"
        "domain = Domain([Continuous(0, 1)])\n"
        "forest = BoostedForestClassifier(1.0, domain=domain, classes=[0, 1], random_state=0)\n"
        "forest.fit(np.linspace(0, 1, 9)[:, None], [0, 1] * 4 + [0])\n"
    )


STREAMED = """
import resource, dask, numpy as np, dask.array as da
from dplit import Continuous, Domain
from dplit.forests import BoostedForestClassifier
BLOCKS, SIZE, COLUMNS = {blocks}, 20_000, 40

def block(i):
    return np.random.default_rng(i).random((SIZE, COLUMNS))

def fit(blocks):
    made = [da.from_delayed(dask.delayed(block)(i), (SIZE, COLUMNS), float) for i in range(blocks)]
    X = da.concatenate(made)
    y = (X[:, 0] > 0.5).astype(int)
    forest = BoostedForestClassifier(1.0, domain=Domain([Continuous(0, 1)] * COLUMNS), classes=[0, 1],
                                     n_estimators=2, max_depth=2, n_records=10**6, random_state=0)
    with dask.config.set(scheduler="threads", num_workers=2):
        return forest.fit(X, y)

fit(2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
forest = fit(BLOCKS)
assert set(forest.trees_.feature[:2].tolist()) == {{0}}  # the first test of both trees
print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before), BLOCKS * SIZE * COLUMNS * 8)
"""


def test_a_table_larger_than_the_memory_it_gets_streams_through():
    """Codes are an eighth of the numbers; a model's score, residual and cell are 13 bytes a record more."""
    more, table = map(int, run(STREAMED.format(blocks=40)).split())
    assert table == 256_000_000 and more < 0.4 * table


class Killing(DaskParts):
    """Parts of which some are lost: a worker that holds some is killed before the eighth sum."""

    def total(self, ask, *told):
        Killing.sums += 1
        if Killing.sums == 8:
            held = Killing.client.has_what()
            pids = Killing.client.run(os.getpid)
            Killing.killed = max(held, key=lambda worker: len(held[worker]))
            assert held[Killing.killed]
            os.kill(pids[Killing.killed], signal.SIGKILL)
        return super().total(ask, *told)


@pytest.mark.cluster
def test_processes_of_a_cluster_one_of_which_is_killed(monkeypatch):
    distributed = pytest.importorskip("distributed")
    Killing.sums, Killing.killed = 0, None
    forest, y = unfitted("boosted", max_depth=3, n_estimators=5)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        cluster.get_client() as client,
    ):
        unknown = np.where(X == 2, 7.25, X)
        with pytest.raises(ValueError, match="column 2 must hold levels") as raised:
            forest.fit(cut(unknown, 4), cut(y, 4))
        assert "7.25" not in str(raised.value) + str(cluster.get_logs())
        Killing.client = client
        monkeypatch.setattr("dplit.forests.blocks_dask.DaskParts", Killing)
        there = released(forest.fit(cut(X, 6), cut(y, 6)))
        assert Killing.killed not in client.run(os.getpid)
    assert Killing.sums > 20
    monkeypatch.undo()
    assert there == released(unfitted("boosted", max_depth=3, n_estimators=5)[0].fit(X, y))
