"""Claims of DiPriMe v2 on the depth of its trees: section 4, tables 1 and 2, figures 2, 6 and 8."""

import math
from fractions import Fraction

from dplit import median_forest as laws
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import need, note, same
from dplit.ground import printed

DEPTH = Box("thm-forest-depth", "median_forest.occupancy_depth", quantity="records of a leaf")

TREES, SHARE = 10, Fraction(9, 10)  # N_T, and the part of the records that trains (section 4)
# Name, records and least occupancy, by data set of tables 1 and 2 of v2
SETS = {
    "parkinsons": ("Parkinson's", 5875, 25),
    "appliances-energy": ("Appliances", 19735, 25),
    "metro-traffic": ("Traffic", 48204, 25),
    "gas-turbine": ("Turbine", 36733, 25),
    "flight": ("Flight", 800_000, 25),
    "banknote": ("Banknote", 1372, 10),
    "credit-default": ("Credit Card", 30_000, 25),
    "wall-following-forward": ("Robot", 5456, 25),
    "higgs": ("Higgs", 100_000, 25),
    "puc-rio-postures": ("PUC-Rio", 122_244, 25),
}
# The other methods of these tables, and how many children a node of theirs has
CHILDREN = {"RF": 2, "ERT": 2, "Median": 2, "DP-ERT": 2, "DP-RF": 5, "DP-DF": 5}
# Data set, d_max, and whether the records are partitioned (figures 2, 6 and 8 of v2)
FIGURES = {
    "2": ("banknote", 5, True),
    "6": ("banknote", 5, False),
    "8a, 8b": ("appliances-energy", 8, True),
    "8c, 8d": ("appliances-energy", 8, False),
}


def _printed_depths(method):
    tables = (printed.table(f"diprime-v2/table-{i}").cells for i in (1, 2))
    return {data: cell.depth for t in tables for (data, row), cell in t.items() if row == method}


def _occupancies(depths, parts=TREES, children=2):
    return {data: SHARE * SETS[data][1] / parts / children**depth for data, depth in depths.items()}


def _kept(data, found, **options):
    """That the leaves of a data set hold more records than the rule asks for."""
    least = SETS[data][2]
    return need(found > least, found, ">", least, **options, name=SETS[data][0])


@DEPTH("diprime-v2/depth-rule", "Section 4; tables 1 and 2", proved=False, range="the ten sets of tables 1 and 2")
def depth_rule(effort, rng):
    """$d_{max}$ was chosen such that the expected occupancy at each leaf node was greater than some number (25 in
    most experiments, 10 for Banknote). For DiPriMe, DiPriMeExp and DiPriMeFlip, tables 1 and 2 keep to this
    rule."""
    found = _occupancies(_printed_depths("DiPriMe"))
    for data in sorted(found, key=lambda data: SETS[data][2] / found[data]):
        yield _kept(data, found[data])
    deeper = sum(occupancy / 2 > SETS[data][2] for data, occupancy in found.items())
    said = ", ".join(f"{SETS[data][0]} {float(v):.1f}" for data, v in found.items())
    return (
        f"If each tree takes a tenth of the training data, a leaf has this mean number of records: {said}. With "
        f"one level more {deeper} of {len(found)} would still keep the rule."
    )


@DEPTH("diprime-v2/depth-rule-baselines", "Section 4; tables 1 and 2", "assumes", range="the six other methods")
def baselines(effort, rng):
    """For all methods $d_{max}$ was chosen such that the expected occupancy at each leaf node was greater than
    some number (25 in most experiments, 10 for Banknote). For the methods that are not DiPriMe, tables 1 and 2
    keep to this rule. (This assumes that each of their $N_T = 10$ trees takes all training data: the paper
    partitions the data for DiPriMe, and does not say so for the others.)"""
    parted, whole = (
        [
            _kept(data, occupancy, broken=broken, method=method)
            for method, children in CHILDREN.items()
            for data, occupancy in _occupancies(_printed_depths(method), parts, children).items()
        ]
        for parts, broken in ((TREES, "assumes"), (1, "fails"))
    )
    yield from whole
    yield from sorted(parted, key=lambda case: case.exact)
    short, broken = (sum(not case.good for case in cases) for cases in (whole, parted))
    return (
        f"On all training data {len(whole) - short} of {len(whole)} depths keep the rule. On parts such as those "
        f"of DiPriMe {broken} would break it: a leaf would have {{exact:.2f}} records on {{name}} with "
        "{method}."
    )


@DEPTH.corrected(baselines, proved=False, quantity="depths that break the rule", range="30 printed depths")
def baselines_corrected(effort, rng):
    """If the baselines' trees take all training data and each node of DP-RF and DP-DF has five children, every
    printed $d_{max}$ is the largest that satisfies the rule."""
    wrong = []
    for method, parts, children in (("DiPriMe", TREES, 2), ("DP-ERT", 1, 2), ("DP-RF", 1, 5)):
        depths = _printed_depths(method)
        at = _occupancies(depths, parts, children)
        for data, depth in depths.items():
            name, records, least = SETS[data]
            exact = laws.occupancy_depth(SHARE * records / parts, least, children)
            if exact != depth or not at[data] > least >= at[data] / children:
                wrong.append([name, children, depth, exact])
    yield same(len(wrong), 0, wrong=wrong)
    return note(
        f"{3 * len(SETS)} printed depths, each the deepest with more than 25 records a leaf (Banknote: 10).",
        cases=3 * len(SETS),
    )


@DEPTH("diprime-v2/depth-rule-figures", "Section 4; captions of figures 2, 6 and 8", "assumes", about="reading")
def figures(effort, rng):
    """The rule of section 4, more than 25 records per leaf in most experiments and 10 for Banknote, holds for the
    depths that the captions of figures 2, 6 and 8 print. (This assumes that figures 2, 8a and 8b, whose data are
    partitioned, are exceptions.)"""
    found = _figure_occupancies()
    for figure, (data, _, partitioned) in sorted(FIGURES.items(), key=lambda row: row[1][2]):
        broken = "assumes" if partitioned else "fails"
        yield _kept(data, found[figure], broken=broken, figure=figure)
    said = ", ".join(f"figure {figure} {float(v):.2f}" for figure, v in found.items())
    return note(f"Average records of a leaf: {said}.", range="the four captions")


@DEPTH.corrected(figures, proved=False, range="the four captions")
def figures_corrected(effort, rng):
    """The captions of figures 2, 6 and 8 keep to the rule of section 4 where the data are not partitioned (figures
    6, 8c and 8d), and only there."""
    found = _figure_occupancies()
    for figure, (data, _, partitioned) in FIGURES.items():
        case = _kept(data, found[figure], figure=figure)
        yield case._replace(good=case.good != partitioned)
    kept = [figure for figure, (_, _, partitioned) in FIGURES.items() if not partitioned]
    return f"Kept by figures {', '.join(kept)} alone."


def _figure_occupancies():
    return {
        figure: _occupancies({data: depth}, TREES if partitioned else 1)[data]
        for figure, (data, depth, partitioned) in FIGURES.items()
    }


@DEPTH("diprime-v2/depth-rule-private", "ours; section 4", quantity="privacy loss", range="eight steps or more")
def depth_private(effort, rng):
    """A depth that the rule of section 4 sets from the private number of records has infinite loss under
    add-remove, because for each depth there is a number of records at which one more record makes the trees
    deeper. Under replace-one the rule costs nothing."""
    steps = {}
    for depth in range(1, effort.pick(9, 13, 17)):
        n = math.floor(25 * 2**depth * TREES / SHARE) + 1  # the first with more than 25 a leaf
        before, after = steps[n - 1] = [laws.occupancy_depth(SHARE * m / TREES, 25) for m in (n - 1, n)]
        loss = math.inf if before + 1 == after else 0.0
        yield same(loss, math.inf, records=n - 1, depths=[before, after])
    n, (before, after) = next(iter(steps.items()))
    return (
        f"At N = {n} the rule gives depth {before}, at N = {n + 1} it gives {after}, so that no output is "
        f"possible on both. The depth also grows after N = {', '.join(map(str, list(steps)[1:5]))}."
    )
