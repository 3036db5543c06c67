"""The tables and figures of the two DiPriMe papers as experiments (:doc:`/book/median_forest_experiments`).

Each cell of a table has the parameters printed for it. Extremely randomised trees get the papers' K candidate
columns, too, though v2's text excepts them ("for all methods except DiPriMe and ERT, we selected K = 5") without a
number: its caption does not, and one candidate column gives five to fourteen times the printed errors on Traffic
and Turbine. The non-private median forest sees all records in every tree, as its printed depth says. No value is
read off a figure, and grids are ours unless an experiment says otherwise; a fixed parameter is the caption's.
"""

from functools import partial
from itertools import chain, product

from dplit.court.experiments.cells import Cell, experiment
from dplit.ground import printed

EXACT = ("RF", "ERT", "Median")
V1_NAMES = {"Random Forest": "RF", "Median Trees": "Median", "DiPriMe": "DiPriMe (v1)"}
OURS = (
    "What the papers leave open: targets are scaled by the records' own range; a repetition is one "
    "random split of 90 to 10 %, and there are thirty."
)
EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
DEPTHS = (2, 3, 4, 5, 6, 7, 8, 9, 10)
TREES = (1, 2, 5, 10, 20, 40)
FEW_DEPTHS = (2, 4, 6, 7, 8, 9, 10)  # where every tree sees all records
FEW_TREES = (1, 5, 10, 20, 40)
RHOS = (0.1, 0.3, 0.5, 0.7, 0.9)
FEATURES = (1, 5, 10)
VARIANTS = ("DiPriMe", "DiPriMeExp", "DiPriMeFlip")
V1 = "DiPriMe (v1)"
ENERGY, NOTES, ROBOT = "appliances-energy", "banknote", "wall-following-24"
GRIDS = {  # of the hyper-parameter figures, with the records partitioned and not
    True: ({"epsilon": (1.0, 5.0, 10.0), "rho": RHOS}, {"n_estimators": TREES, "max_features": FEATURES}),
    False: ({"epsilon": (1.0, 10.0), "rho": (0.1, 0.5, 0.9)}, {"n_estimators": FEW_TREES, "max_features": (5,)}),
}
SHOWN = {"most": 10, "why_most": "shown beside the published curve, and no sentence is about it"}
HUNDRED = {"repetitions": 100, "why_repetitions": "the caption's 100 single trees"}
TREES_OF_FIGURE = {"diprime-v1/figure-1": HUNDRED, "diprime-v2/figure-4": HUNDRED}
GRID = "The grids of epsilon, depth and number of trees are ours"


def parameters(method: str, common: dict, depth: int) -> dict:
    """What a method takes of the parameters that a caption fixes: n_estimators, max_features, epsilon and rho."""
    taken = {"n_estimators": common["n_estimators"], "max_depth": depth}
    if method != "DP-ERT":
        taken["max_features"] = common["max_features"]
    if method not in EXACT:
        taken["epsilon"] = float(common["epsilon"])
    if method.startswith("DiPriMe"):
        taken["rho"] = common["rho"]
    return taken


def cells(id: str, names: dict[str, str] | None = None):
    """The cells of one printed table; `names`: the method behind a row, where the names differ."""
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


for id, title, *names in (
    ("diprime-v1/table-1", "Errors of forests on three regressions, epsilon 10", V1_NAMES),
    ("diprime-v1/table-2", "Errors of forests on three classifications, epsilon 2", V1_NAMES),
    ("diprime-v2/table-1", "Errors of forests on five regressions, epsilon 10"),
    ("diprime-v2/table-2", "Accuracies on five classifications, epsilon 2"),
):
    experiment(id, title, ours=OURS)(partial(cells, id, *names))


def points(
    data: str,
    measure: str,
    method: str,
    common: dict,
    depth: int,
    readings: tuple[str, ...],
    partitioned: bool = True,
    **varied: tuple,
):
    """The cells of one method over the product of what is varied.

    `common`: what the caption fixes, as in `parameters`; not `partitioned`: every tree sees all records;
    `varied`: the values of each parameter.
    """
    for reading, values in product(readings, product(*varied.values())):
        params = parameters(method, common, depth)
        params |= {n: v for n, v in zip(varied, values) if n in params}
        if method == "Median" or (method.startswith("DiPriMe") and not partitioned):
            params["partitioned"] = False
        often = SHOWN if reading == "proved" else {}
        if set(varied) <= set(params):
            yield Cell(data, method, reading, measure, params, at=tuple(varied), **often)


def sweeps(common, depth, methods, readings):
    """Curves over depth, number of trees and epsilon on the Appliances data."""
    for name, values in (("max_depth", DEPTHS), ("n_estimators", TREES), ("epsilon", EPSILONS)):
        for method in methods:
            exact = method in EXACT
            if exact and name == "epsilon":
                continue  # a horizontal line: the point of the other sweeps
            how = ("exact",) if exact else readings
            shown = values[:-1] if exact and name == "n_estimators" else values
            yield from points(ENERGY, "mse", method, common, depth, how, **{name: shown})


def whole(common, depth, methods):
    """The curves of `sweeps` over depth and number of trees with every tree on all records."""
    for name, values in (("max_depth", FEW_DEPTHS), ("n_estimators", FEW_TREES)):
        for method in methods:
            args = (ENERGY, "mse", method, common, depth, ("published",), False)
            yield from points(*args, **{name: values})


def budgets(measure, common, depth, methods, partitioned=True):
    """Curves over epsilon on the Banknote data; one point for each method that is not private."""
    for method in methods:
        args = (NOTES, measure, method, common, depth)
        if method in EXACT:
            yield from points(*args, ("exact",))
        else:
            both = ("published", "proved")
            yield from points(*args, both, partitioned, epsilon=(0.1, 0.2, *EPSILONS, 50.0))


def panels(method, depth, parts=(True, False)):
    """Epsilon by rho, then number of trees by K at epsilon 10, partitioned and not (Appliances)."""
    common = {"n_estimators": 10, "max_features": 10, "epsilon": 10, "rho": 0.5}
    for partitioned in parts:
        for grid in GRIDS[partitioned]:
            args = (ENERGY, "mse", method, common, depth, ("published",), partitioned)
            for cell in points(*args, **grid):
                yield _named(cell, partitioned)


def _named(cell, partitioned):
    params = {**cell.params, "partitioned": partitioned}
    return Cell(cell.data, cell.method, cell.reading, cell.measure, params, at=(*cell.at, "partitioned"))


V1_COMMON = {"n_estimators": 10, "max_features": 10, "epsilon": 10, "rho": 0.5}
V2_COMMON = {**V1_COMMON, "max_features": 5}
NOTES_COMMON = {**V2_COMMON, "epsilon": 2}
SINGLE = {**V2_COMMON, "n_estimators": 1}
BOTH = ("published", "proved")


def single_cuts(*methods):
    """How 100 single trees cut the Banknote data."""
    of = (points(NOTES, "left-shares", m, SINGLE, 5, ("published",)) for m in methods)
    return chain.from_iterable(of)


def single_leaves(depths):
    """What the leaves of trees hold on Robot, by the depth of each method."""
    for m, depth in depths.items():
        yield from points(ROBOT, "leaf-shares", m, NOTES_COMMON, depth, ("published",))


FIGURES = {  # title, what the paper leaves open, cells
    "diprime-v1/figure-1": (
        "Share of a node's records that go left, single trees",
        "The data set is v2's (figure 4); depth 5, epsilon 10 and 100 trees are the caption's.",
        partial(single_cuts, V1, "DP-ERT"),
    ),
    "diprime-v1/figure-3": (
        "Error against depth, number of trees and epsilon on Appliances",
        f"{GRID}; what is fixed is table 1's.",
        partial(sweeps, V1_COMMON, 5, (*EXACT, "DP-ERT", V1), BOTH),
    ),
    "diprime-v1/figure-4": (
        "Error against epsilon on Banknote",
        "The grid of epsilon is ours; K is table 2's.",
        partial(budgets, "error", NOTES_COMMON, 5, (*EXACT, "DP-DF", "DP-ERT", V1)),
    ),
    "diprime-v1/figure-5": (
        "Figure 3 with every tree on all records",
        f"{GRID}, and coarser than figure 3's, whose methods without privacy are not repeated.",
        partial(whole, V1_COMMON, 5, (V1,)),
    ),
    "diprime-v1/figure-6": (
        "Error of DiPriMe against epsilon, rho, number of trees and K on Appliances",
        "The paper names no panel: these are v2's (figure 8).",
        partial(panels, V1, 8, parts=(True,)),
    ),
    "diprime-v1/figure-7": (
        "Figure 4 with every tree on all records",
        "The grid of epsilon is ours; K is table 2's.",
        partial(budgets, "error", NOTES_COMMON, 5, (V1,), partitioned=False),
    ),
    "diprime-v2/figure-1": (
        "Error against depth, number of trees and epsilon on Appliances",
        f"{GRID}; what is fixed is table 1's, depth 6 for every method.",
        partial(sweeps, V2_COMMON, 6, (*EXACT, "DP-ERT", *VARIANTS), BOTH),
    ),
    "diprime-v2/figure-2": (
        "Accuracy against epsilon on Banknote",
        "The grid of epsilon is ours; depth 5 for every method, as the caption has it.",
        partial(budgets, "accuracy", NOTES_COMMON, 5, (*EXACT, "DP-DF", "DP-RF", "DP-ERT", *VARIANTS)),
    ),
    "diprime-v2/figure-3": (
        "Share of the records that a leaf holds, on Robot",
        "Depth 4 for binary trees (they have 31 nodes), table 2's depth 3 for the others.",
        partial(single_leaves, {"DiPriMe": 4, "DP-ERT": 4, "DP-RF": 3, "DP-DF": 3}),
    ),
    "diprime-v2/figure-4": (
        "Share of a node's records that go left, on Banknote",
        "Depth 5, epsilon 10 and 100 single trees are v1's (figure 1).",
        partial(single_cuts, "DiPriMe", "DP-ERT"),
    ),
    "diprime-v2/figure-5": (
        "Figure 1 with every tree on all records",
        f"{GRID}, and coarser than figure 1's, whose methods without privacy are not repeated.",
        partial(whole, V2_COMMON, 6, VARIANTS),
    ),
    "diprime-v2/figure-6": (
        "Figure 2 with every tree on all records",
        "The grid of epsilon is ours; the other methods are figure 2's.",
        partial(budgets, "accuracy", NOTES_COMMON, 5, VARIANTS, partitioned=False),
    ),
    "diprime-v2/figure-7": (
        "Error of DiPriMeExp against epsilon, rho, number of trees and K",
        "The grids are ours; the panels are those of figure 8's caption.",
        partial(panels, "DiPriMeExp", 8),
    ),
    "diprime-v2/figure-8": (
        "Error of DiPriMeFlip against epsilon, rho, number of trees and K",
        "The grids are ours; panels, depth 8, epsilon 10 and N_T 10 are the caption's.",
        partial(panels, "DiPriMeFlip", 8),
    ),
}
for id, (title, ours, figure) in FIGURES.items():
    experiment(id, title, ours=ours, **TREES_OF_FIGURE.get(id, {}))(figure)
