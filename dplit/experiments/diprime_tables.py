"""The tables of the two DiPriMe papers as experiments, each cell with the parameters printed for it.

Forests get the papers' K candidate columns at a node, and so do extremely randomised trees, though
v2's text excepts them ("for all methods except DiPriMe and ERT, we selected K = 5") without a number:
its caption does not, and one candidate column gives five to fourteen times the printed errors on
Traffic and Turbine. The non-private median forest sees all records in every tree, as its printed
depth says. Maximum depths are the printed ones.
"""

from __future__ import annotations

from dplit import printed
from dplit.experiments.core import Cell, experiment

EXACT = ("RF", "ERT", "Median")
V1_NAMES = {"Random Forest": "RF", "Median Trees": "Median", "DiPriMe": "DiPriMe (v1)"}
OURS = (
    "What the papers leave open: targets are scaled by the records' own range; a repetition is one "
    "random split of 90 to 10 %."
)


def parameters(method, common, depth):
    """What a method takes of the parameters that a caption fixes.

    Parameters
    ----------
    method : str
    common : dict
        n_estimators, max_features, epsilon and rho.
    depth : int
    """
    taken = {"n_estimators": common["n_estimators"], "max_depth": depth}
    if method != "DP-ERT":
        taken["max_features"] = common["max_features"]
    if method not in EXACT:
        taken["epsilon"] = float(common["epsilon"])
    if method.startswith("DiPriMe"):
        taken["rho"] = common["rho"]
    return taken


def cells(id, names=None):
    """The cells of one printed table.

    Parameters
    ----------
    id : str
    names : dict of str to str, optional
        The method behind a row, where the names differ.
    """
    table, not_run = printed.table(id), printed.not_run()
    depths = {c["data"]: c.get("depth") for c in table.columns}
    for (data, row), cell in table.cells.items():
        method = (names or {}).get(row, row)
        params = parameters(method, table.parameters, cell.depth or depths[data])
        if method == "Median":
            params["partitioned"] = False
        label = row if row != method else ""
        for reading in ("exact",) if method in EXACT else ("published", "proved"):
            why = not_run.get(data, "")
            yield Cell(data, method, reading, table.measure, params, label=label, not_run=why)


@experiment("diprime-v1/table-1", "Errors of forests on three regressions, epsilon 10", ours=OURS)
def _v1_table_1():
    return cells("diprime-v1/table-1", V1_NAMES)


@experiment(
    "diprime-v1/table-2", "Errors of forests on three classifications, epsilon 2", ours=OURS
)
def _v1_table_2():
    return cells("diprime-v1/table-2", V1_NAMES)


@experiment("diprime-v2/table-1", "Errors of forests on five regressions, epsilon 10", ours=OURS)
def _v2_table_1():
    return cells("diprime-v2/table-1")


@experiment("diprime-v2/table-2", "Accuracies on five classifications, epsilon 2", ours=OURS)
def _v2_table_2():
    return cells("diprime-v2/table-2")
