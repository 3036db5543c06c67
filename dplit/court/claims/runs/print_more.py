"""More sentences that need no run: about rows of the DiPriMe tables, sizes of trees, and data sets.

Verdicts are statements'. Two printed cells are "comparable" or "similar" if their intervals of mean and
deviation meet, and where no deviation is printed, if the errors are within three points. See
:doc:`/book/median_forest_experiments` and :doc:`/book/random_forest_experiments`.
"""

from __future__ import annotations

import warnings
from functools import partial

import pandas as pd

from dplit import datasets
from dplit.court.claims.runs.diprime_budgets import PRINTED_NODES
from dplit.court.claims.runs.print_alone import VARIANTS, compared
from dplit.court.ledger import Evidence, claim, verdict_of
from dplit.ground import printed
from dplit.ground.errors import PrivacyLeakWarning

MEDIAN = {"chapter": "median_forest_experiments", "functions": ("printed.table",)}
SETS = {"functions": ("datasets.load",)}
VASTLY = 2  # our reading of "vastly": more than so many times the error
POINTS = 0.03  # our reading of "comparable", where a table prints errors without deviations
ROBOT = "wall-following-24"

by_print = partial(claim, box="def-experiments-print", **MEDIAN)
of_sets = partial(claim, box="rem-experiments-sets", chapter=MEDIAN["chapter"], **SETS)
of_rdf = partial(claim, box="rem-rdf-experiments-sets", chapter="random_forest_experiments", **SETS)


# Rows of the tables ------------------------------------------------------------------------------


def _apart(table, ours, others):
    """Pairs of printed cells whose intervals do not meet, in words, and how many there are."""
    found = list(compared(table, ours, others))
    apart = [f for f in found if abs(f[-1]) > sum(c.deviation + c.rounding for c in f[3:5])]
    return [f"{f[0]}: {f[1]} {f[3].text}, {f[2]} {f[4].text}" for f in apart], len(found)


@by_print("diprime-v2/little-to-choose", "Section 4.2", "holds",
          quantity="printed pairs whose intervals do not meet")  # fmt: skip
def little_to_choose(effort, rng):
    """There is little to choose between the variants of DiPriMe in classification (table 2)."""
    words, pairs = [], 0
    for i, one in enumerate(VARIANTS):
        some, n = _apart("diprime-v2/table-2", (one,), VARIANTS[i + 1 :]) if i < 2 else ([], 0)
        words, pairs = words + some, pairs + n
    return verdict_of(
        not words, f"{pairs - len(words)} of {pairs} pairs of printed accuracies meet. {'; '.join(words)}",
        {"apart": words}, cases=pairs, computed=len(words), published=0, relation="=",
        range="every printed column",
    )  # fmt: skip


@by_print("diprime-v2/comparable-flip", "Section 3.3", "assumes",
          quantity="printed pairs whose intervals do not meet")  # fmt: skip
def comparable_flip(effort, rng):
    """The comparable performances of DiPriMeExp and DiPriMeFlip suggest that the use of alternative
    mechanisms would have little impact on performance (assuming that in most columns is meant)."""
    tables = ("diprime-v2/table-1", "diprime-v2/table-2")
    found = [_apart(table, VARIANTS[1:2], VARIANTS[2:]) for table in tables]
    words, pairs = [w for some, _ in found for w in some], sum(n for _, n in found)
    return Evidence(
        "holds" if not words else "assumes" if 2 * len(words) < pairs else "fails", "exact",
        f"{pairs - len(words)} of {pairs} pairs of printed cells meet; apart: {'; '.join(words)}.",
        cases=pairs, computed=len(words), published=0, relation="=",
        range="every printed column of tables 1 and 2", counterexample={"apart": words},
    )  # fmt: skip


@by_print("diprime-v2/where-similar", "Section 4.1", "holds",
          quantity="columns that are not as the sentence has them")  # fmt: skip
def where_similar(effort, rng):
    """DiPriMe tends to perform comparably to DiPriMeExp and DiPriMeFlip in datasets where RFs and ERTs
    have similar MSE; conversely it performs poorly on the Traffic dataset, where RFs perform
    significantly better than ERT (table 1)."""
    table = "diprime-v2/table-1"
    forests, ours = (
        {w.partition(":")[0] for w in _apart(table, *rows)[0]}
        for rows in ((("RF",), ("ERT",)), (VARIANTS[:1], VARIANTS[1:]))
    )
    columns = {f[0] for f in compared(table, ("RF",), ("ERT",))}
    similar, wrong = columns - forests, (columns - forests) & ours
    wrong |= {"Traffic"} - (forests & ours)
    also = ", ".join(sorted(forests - ours))
    return verdict_of(
        not wrong,
        f"RF and ERT are similar on {', '.join(sorted(similar))}, and there the variants are comparable. They "
        f"are apart on Traffic, and so are the variants. (On {also} RF and ERT are apart, the variants are not.)",
        {"wrong": sorted(wrong)}, cases=len(columns), computed=len(wrong), published=0, relation="=",
        range="every printed column of table 1",
    )  # fmt: skip


@by_print("diprime-v2/dp-rf-poor", "Section 4.1", "assumes",
          quantity="columns in which DP-RF has not the largest error")  # fmt: skip
def dp_rf_poor(effort, rng):
    """Also of note is the very poor performance of DP-RF in regression (assuming that most columns of table 1
    are meant), and on Appliances, the data of figure 1, it vastly underperforms the other methods."""
    table = "diprime-v2/table-1"
    found = list(compared(table, ("DP-RF",), ("DP-ERT", *VARIANTS)))
    others = ("RF", "ERT", "Median", "DP-ERT", *VARIANTS)
    times = min(
        f[3].value / f[4].value for f in compared(table, ("DP-RF",), others) if f[0] == "Appliances"
    )
    better = [
        f"{name}: DP-RF {a.text}, {two} {b.text}" for name, _, two, a, b, gain in found if gain > 0
    ]
    columns, some = {f[0] for f in found}, {w.partition(":")[0] for w in better}
    most = 2 * len(some) < len(columns) and times > VASTLY
    return Evidence(
        "fails" if not most else "assumes" if some else "holds", "exact",
        f"Of the private methods it has the largest error on {len(columns) - len(some)} of {len(columns)} sets; "
        f"on Appliances its error is at least {times:.1f} times that of any other method. {'; '.join(better)}.",
        cases=len(found), computed=len(some), published=0, relation="=", range="every printed column",
        counterexample={"better": better},
    )  # fmt: skip


@by_print("diprime-v1/median-comparable", "Section 4.2", "assumes",
          quantity="largest printed error of median trees above that of ERT")  # fmt: skip
def median_comparable(effort, rng):
    """The performance of median trees is comparable to that of extremely randomized trees in
    classification (table 2; assuming that up to three points are comparable, and that to be better is
    no objection)."""
    found = list(compared("diprime-v1/table-2", ("Median Trees",), ("ERT",)))
    worst, best = (pick(found, key=lambda f: f[-1]) for pick in (min, max))
    words = [f"{f[0]} {f[3].text} against {f[4].text}" for f in found]
    return Evidence(
        "fails" if -worst[-1] > POINTS else "assumes" if best[-1] > POINTS else "holds", "exact",
        f"Printed errors: {', '.join(words)}.", cases=len(found), computed=-worst[-1], published=POINTS,
        relation="<=", range="every printed column", counterexample={"errors": words},
    )  # fmt: skip


@by_print(
    "diprime-v2/nodes-possible", "Section 4.3", "assumes",
    quantity="nodes of DP-DF, printed against the most at its depth",
)  # fmt: skip
def nodes_possible(effort, rng):
    """DP-DF and DP-RF generated an average of 407 nodes and 104 nodes respectively, compared with 31 for
    DiPriMe and DP-ERT (assuming depths other than those that table 2 prints for Robot, where a tree of depth 3
    with five bins a column has at most 156 nodes)."""
    cells = printed.table("diprime-v2/table-2").cells
    depths = {m: cells[ROBOT, m].depth for m in PRINTED_NODES}
    most = {m: _nodes(d, 5 if m in ("DP-DF", "DP-RF") else 2) for m, d in depths.items()}
    over = [m for m, n in PRINTED_NODES.items() if n > most[m]]
    words = ", ".join(
        f"{m} {PRINTED_NODES[m]} of at most {n} at depth {depths[m]}" for m, n in most.items()
    )
    shown = over[0] if over else "DP-DF"
    return verdict_of(
        not over, f"{words}. A complete binary tree of 31 nodes has depth 4, which is DiPriMe's.",
        broken="assumes", cases=len(most), computed=PRINTED_NODES[shown], published=most[shown], relation="<=",
        range="the four printed numbers",
    )  # fmt: skip


def _nodes(depth, children):
    """Nodes of a complete tree, level by level."""
    return sum(children**level for level in range(depth + 1))


# Data sets ---------------------------------------------------------------------------------------

V1 = {
    "parkinsons": 5875,
    "appliances-energy": 19735,
    "banknote": 1372,
    "credit-default": 30000,
    ROBOT: 5456,
}
V2 = V1 | {"metro-traffic": 48204, "gas-turbine": 36733, "puc-rio": 122244}  # fmt: skip


def _sizes(stated):
    """Evidence on the numbers of records that are stated of data sets: all of the file, or the complete ones."""
    with warnings.catch_warnings():  # of bounds that were read off the data: no record is read here
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        sizes = {name: len(datasets.load(name)) for name in stated}
        sizes |= {
            name: n for name, n in stated.items() if n == len(datasets.load(name, missing="keep"))
        }
    wrong = {name: (n, sizes[name]) for name, n in stated.items() if n != sizes[name]}
    shown = next(iter(wrong), max(stated, key=stated.get))
    words = "; ".join(f"{name} {n:,} where the file has {m:,}" for name, (n, m) in wrong.items())
    return verdict_of(
        not wrong, f"{len(stated) - len(wrong)} of {len(stated)} numbers are those of the files. {words}",
        {"records": {name: list(pair) for name, pair in wrong.items()}}, cases=len(stated),
        computed=sizes[shown], published=stated[shown], relation="=", quantity=f"records of {shown}",
        range=", ".join(stated),
    )  # fmt: skip


@of_sets("diprime-v1/data-sets", "Sections 4.1 and 4.2", "holds")
def v1_sets(effort, rng):
    """The data sets have N = 5875 (Parkinson's telemonitoring), 19735 (Appliance Energy Prediction), 1372
    (Banknote Authentication), 30000 (Credit Card Default) and 5456 (Wall-Following Robot Navigation)
    records."""
    return _sizes(V1)


@of_sets("diprime-v2/data-sets", "Sections 4.1 and 4.2", "fails",
         nothing_instead="the file says how many records there are")  # fmt: skip
def v2_sets(effort, rng):
    """The data sets have N = 5875 (Parkinson's), 19735 (Appliances), 48204 (Metro Interstate Traffic
    Volume), 36733 (Gas Turbine Emission), 1372 (Banknote), 30000 (Credit Card), 5456 (Robot) and 122244
    (PUC-Rio) records."""
    found = _sizes(V2)
    said = " (Of PUC-Rio these are all records but those of the fifth class, walking, which are not supplied.)"
    return Evidence(**found.to_dict() | {"summary": found.summary + said})


@of_sets("diprime-v1/mixed-features", "Section 4.1", "assumes",
         quantity="categorical columns of Appliances, its date not counted")  # fmt: skip
def mixed_features(effort, rng):
    """The UCI datasets of the regressions contain a mixture of categorical and numeric features (assuming
    that the date of Appliance Energy Prediction is read as a category, as a month)."""
    kinds = {name: datasets.load(name).X.dtypes for name in ("parkinsons", "appliances-energy")}
    named = {
        name: [c for c, kind in columns.items() if isinstance(kind, pd.CategoricalDtype)]
        for name, columns in kinds.items()
    }
    numbers = {name: len(columns) - len(named[name]) for name, columns in kinds.items()}
    without = [c for c in named["appliances-energy"] if c != "month"]
    ok = all(numbers.values()) and named["parkinsons"]
    return Evidence(
        "fails" if not ok else "assumes" if not without else "holds", "exact",
        f"Parkinson's has {', '.join(named['parkinsons'])} and {numbers['parkinsons']} numbers; Appliances has a "
        f"date, of which the package keeps the month, and {numbers['appliances-energy']} numbers.",
        cases=2, computed=len(without), published=1, relation=">=", range="both files",
        counterexample={"categorical": named},
    )  # fmt: skip


@of_rdf("rdf/real-sets", "Section 2.4; tables 3 and 4; section 5.1", "fails",
        nothing_instead="the files say how many records there are")  # fmt: skip
def rdf_sets(effort, rng):
    """Eight real-world datasets with 5,456 to 30,162 records: WallSensor 5456, PenWritten 10992, GammaTele
    19014, Mushroom 5644, Claves 10800, Nursery 12960. (The caption of table 3 says eight; it and table 4
    list seven, the seventh being Adult.) Of Mushroom these are the complete records, of Claves all."""
    columns = printed.table("rdf/table-3").columns
    real = {c["data"]: c["records"] for c in columns if not c["data"].startswith("synth")}
    found = _sizes({name: n for name, n in real.items() if name != "adult"})
    said = f". The table lists {len(real)} real-world data sets. Of Adult 30,162 is the complete training file."
    return Evidence(**found.to_dict() | {"summary": found.summary + said})


@of_rdf("rdf/table-1", "Section 2.4, table 1", "assumes",
        quantity="sets of table 1 that the default settings can draw",
        range="all seven rows, 100 records each")  # fmt: skip
def rdf_synthetic(effort, rng):
    """The parameters of table 1, n_informative and n_random, sum to the total number of features m, and
    the parameters with non-default settings are these (assuming that n_redundant is 0, and not its
    default of 2)."""
    from sklearn.datasets import make_classification

    rows = {f"synth-{c}": pair for c, pair in zip("abcdefg", TABLE_1)}
    drawn = {}
    for redundant in ({}, {"n_redundant": 0}):
        made = []
        for informative, useless in rows.values():
            shape = {"n_features": informative + useless, "n_informative": informative}
            try:
                make_classification(100, **shape, **redundant, random_state=0)
            except ValueError:
                continue
            made.append(shape["n_features"])
        drawn[bool(redundant)] = made
    sums = [len(datasets.load(name).X.columns) for name in rows] == [a + b for a, b in TABLE_1]
    good = sums and len(drawn[True]) == len(rows)
    return Evidence(
        "fails" if not good else "assumes" if len(drawn[False]) < len(rows) else "holds", "exact",
        f"With its defaults make_classification refuses {len(rows) - len(drawn[False])} of {len(rows)} rows, "
        "SynthA to SynthC, which have no room for two redundant features, and two of the useless features of "
        "each other row would be redundant ones.",
        cases=2 * len(rows), computed=len(drawn[False]), published=len(rows), relation="=",
        counterexample={"n_features": 5, "n_informative": 5},
    )  # fmt: skip


TABLE_1 = ((5, 0), (10, 0), (15, 0), (10, 5), (5, 10), (5, 5), (10, 10))  # n_informative, n_random
