"""What fits cost: the stored file is whole, and the script that made it measures what it says."""

import json
import sys

import numpy as np
import pytest

from dplit.court import bench
from dplit.court.bench.peers import COSTS
from dplit.ground.printed import data_file

FOLDER = data_file(COSTS).parents[2] / "peers"
SMALL, LARGE = "24,000 x 10", "1,000,000 x 20"


@pytest.fixture(scope="module")
def cost():
    sys.path.insert(0, str(FOLDER))
    try:
        import cost
    finally:
        sys.path.remove(str(FOLDER))
        sys.modules.pop("run", None)
    return cost


def test_the_stored_run_has_every_method_on_every_table(cost):
    run = json.loads(data_file(COSTS).read_text("utf-8"))
    assert set(run["cells"]) == {f"{n}x{m}/{name}" for n, m in cost.TABLES for name in cost.NAMES}
    for (n, m), rounds in cost.TABLES.items():
        for name in cost.NAMES:
            cell = run["cells"][f"{n}x{m}/{name}"]
            assert len(cell["seconds"]) == rounds and cell["data"] == cost.table(n, m)[0].nbytes
    about = run["runs"][0]
    assert about["command"].startswith("python data/peers/cost.py") and about["date"]
    assert "dplit" in about["versions"]["ours"] and "diffprivlib" in about["versions"]["peers"]


def test_medians_and_memory_in_sizes_of_the_table():
    cells = {
        "2000x10/b": {"seconds": [3.0, 1.0, 2.0], "memory": 80_000, "data": 160_000},
        "100x10/a": {"seconds": [0.5], "memory": 16_000, "data": 8_000},
    }
    found = bench.stored_costs({"cells": cells})
    assert list(found.index) == [("100 x 10", "a"), ("2,000 x 10", "b")]
    assert found["seconds"].tolist() == [0.5, 2.0] and found["memory"].tolist() == [2.0, 0.5]


def test_the_boosted_forest_is_faster_than_its_peers_and_copies_no_table():
    seconds, memory = (bench.stored_costs()[of] for of in ("seconds", "memory"))
    assert seconds[SMALL, "Boosted"] < 0.25 * seconds[SMALL, "private EBM"]
    assert seconds[SMALL, "Boosted"] < seconds[SMALL, "diffprivlib forest"]
    assert seconds[LARGE, "Boosted"] < 5 and memory[LARGE, "Boosted"] < 0.5


def test_memory_of_a_fit_is_what_it_takes_beyond_the_table(cost, monkeypatch):
    class Keeping:
        def fit(self, X, y):
            self.kept = np.ones(8_000_000)

    monkeypatch.setattr(cost, "model", lambda name, columns: Keeping())
    seconds, most = cost.fit("keeping", 1000, 2)
    assert seconds >= 0 and 60_000_000 < most < 80_000_000


@pytest.mark.parametrize("name", ["Boosted", "PrivateForest"])
def test_ours_are_fitted_with_a_public_domain(cost, name):
    model = cost.model(name, 3).fit(*cost.table(300, 3))
    assert model.budget_.epsilon == pytest.approx(1.0) and model.n_features_in_ == 3
