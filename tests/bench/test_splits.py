"""The splits that peers get are those of the bench."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from dplit import datasets
from dplit.boosting.sets import CHOOSING, HELD_OUT
from dplit.court import experiments
from dplit.court.bench import splits
from dplit.court.experiments import bench as runs
from dplit.court.experiments.task import split_of

RUN = Path(__file__).resolve().parents[2] / "data" / "peers" / "run.py"


@pytest.fixture(scope="module")
def peers():
    spec = importlib.util.spec_from_file_location("peers_run", RUN)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_choosing_and_held_out_sets_are_apart():
    for id, sets in {"": CHOOSING, "-held-out": HELD_OUT}.items():
        asked = {c.data for kind in ("classification", "regression")
                 for c in experiments.get(f"bench/{kind}{id}").cells}  # fmt: skip
        assert asked == set(sets)
    assert not set(CHOOSING) & set(HELD_OUT)


def test_what_was_run_again_is_what_the_changed_rules_change():
    """The same forests' seeds and splits; only cells of the first run say that they are of the earlier version."""
    first, again = {}, {}
    for kind in ("classification", "regression"):
        first |= {c.key: c for c in experiments.get(f"bench/{kind}-held-out").cells}
        again |= {c.key: c for c in experiments.get(f"bench/{kind}-held-out-2").cells}
    assert {c.data for c in again.values()} == set(runs.AGAIN) and len(again) == 6 * 6
    assert {key for key, c in first.items() if c.superseded.endswith("-2")} == {*again}
    for key, cell in again.items():
        assert cell.seeds == first[key].superseded.removesuffix("-2")
        assert cell.superseded  # whose later version is another experiment
        assert cell.parts(3) == first[key].parts(3)


def test_the_third_version_has_the_cells_that_its_rules_change():
    """All of the boosted forest and the preset, with the splits of the first run."""
    later = {"classification": (runs.WEIGHTED, runs.MANY), "regression": (runs.LAST,)}
    for kind, ids in later.items():
        first = {c.key: c for c in experiments.get(f"bench/{kind}-held-out").cells}
        third = {c.key: c for id in ids for c in experiments.get(id).cells if c.label != runs.FORMER}
        changed = {k for k, c in first.items() if c.superseded and c.data not in runs.AGAIN}
        again = {k for k in third if third[k].data in runs.AGAIN}
        assert {*third} == changed | again
        assert {c.superseded for c in third.values()} <= {"", runs.FEW, runs.COUNTED}
        assert all(c.parts(3) == first[k].parts(3) for k, c in third.items())
    few, ran = {}, {c.key: c for c in experiments.get(runs.FEW).cells}
    for id in (runs.WEIGHTED, runs.MANY):
        few |= {c.key: c for c in experiments.get(id).cells if c.superseded == runs.FEW}
    assert {*ran} == {*few} and all(c.seeds == few[k].seeds for k, c in ran.items())
    former = [c for c in experiments.get("bench/ranking-held-out").cells if c.label == runs.FORMER]
    assert {c.params["max_depth"] for c in former} <= {*range(1, 7)} and len(former) == 6 * len(runs.two(HELD_OUT))
    assert runs.former(16_000, 1.0) == {"n_estimators": 9, "max_depth": 5}


def test_forests_of_six_classes_and_more_were_run_again():
    """With the splits and seeds of the run before, as often."""
    before = {}
    for id in (runs.MANY, runs.FEW, *(f"bench/tables-{of}" for of in ("more", "tenth", "many"))):
        for cell in experiments.get(id).cells:
            many = runs.n_classes(cell.data) >= 6 and cell.method in (runs.OURS, runs.PRESET)
            assert (cell.superseded == runs.COUNTED) == (many and cell.superseded != runs.FEW)
            if cell.superseded == runs.COUNTED:
                before[cell.key] = cell.seeds or id, experiments.get(id).wanted(cell), cell.measure, cell.parts(3)
    again = experiments.get(runs.COUNTED)
    found = {c.key: (c.seeds, again.wanted(c), c.measure, c.parts(3)) for c in again.cells}
    assert found == before and len(found) == 196 and not any(c.superseded for c in again.cells)


def test_every_method_is_run_at_every_epsilon_where_it_is_run():
    for id in ("bench/classification", "bench/regression"):
        at = {}
        for cell in experiments.get(id).cells:
            at.setdefault((cell.data, cell.method), []).append(cell.params.get("epsilon"))
        for (data, method), of in at.items():
            if method in runs.EXACT:
                assert of == [None]
            elif (data, method) != ("abalone", "Boosted"):
                assert of == list(runs.EPSILONS), (data, method)


def test_cells_of_a_domain_by_its_schema():
    for data in ("car", "wilt", "mammographic"):
        domain = datasets.load(data).domain
        assert runs.cells_of(data) == np.prod([n or 5 for n in domain.n_levels])
    assert runs.cells_of("internet-ads") > runs.MOST_CELLS


@pytest.mark.parametrize("data", ["mammographic", "car"])
def test_a_file_has_the_records_of_the_split(tmp_path, data, peers):
    splits.write_splits(tmp_path, [data], repetitions=2)
    assert sorted(p.stem for p in tmp_path.glob("*.npz")) == [f"{data}-0", f"{data}-1"]
    cell = next(c for c in experiments.get("bench/classification").cells if c.data == data)
    for r in range(2):
        read = peers.read(tmp_path / f"{data}-{r}.npz")
        of, split = split_of(cell, r)
        assert (read["X_test"] == of.domain.encode(split.X_test).astype(np.float32)).all()
        names = np.array(of.classes)
        assert (names[read["y_train"]] == np.asarray(split.y_train)).all()
        assert (names[read["y_test"]] == split.y_test).all()
        assert (read["lower"] <= read["X_train"].min(0)).all()
        assert (read["X_train"].max(0) <= read["upper"]).all()
        assert len(read["X_train"]) + len(read["X_test"]) == len(of)
    assert len(read["X_test"]) == pytest.approx(len(of) / 5, abs=1)


def test_targets_are_scaled_by_public_bounds(tmp_path, peers):
    splits.write_splits(tmp_path, ["abalone"], repetitions=1)
    read, data = peers.read(tmp_path / "abalone-0.npz"), datasets.load("abalone")
    low, high = data.target_bounds
    both = np.sort(np.concatenate([read["y_train"], read["y_test"]]))
    assert both == pytest.approx(np.sort((np.asarray(data.y) - low) / (high - low)))
    assert read["n_classes"] == 0 and peers.takes("private EBM", read)
    assert not peers.takes("diffprivlib forest", read)


def test_no_record_has_a_norm_above_one(peers):
    """Logistic regression is promised it; by hand on two columns."""
    split = {"n_levels": [3, 0], "lower": np.array([0.0, -1.0]), "upper": np.array([2.0, 3.0])}
    X = np.array([[0.0, -1.0], [2.0, 3.0], [1.0, 1.0]])
    found = peers.unit_columns(X, split)
    expected = [[1, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 0.5]] / np.sqrt(2)
    assert found == pytest.approx(expected)
    assert np.linalg.norm(found, axis=1).max() == pytest.approx(1.0)


def test_scores_of_peers_by_hand(peers):
    classes = {"n_classes": 2, "y_test": np.array([0, 1, 1, 0])}
    assert peers.score(classes, [0, 1, 0, 0]) == 0.75
    number = {"n_classes": 0, "y_test": np.array([0.0, 1.0])}
    assert peers.score(number, np.array([0.5, 1.0])) == pytest.approx(0.5)
