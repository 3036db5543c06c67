"""The bench: every private forest of the package on many sets, beside constants and forests without privacy.

The rules were fixed before the first run, and are the same for every method: see :doc:`/book/bench`, which tells
what was changed later and run again (`AGAIN`, `THIRD`, `LAST`, `MANY`, `COUNTED`). Besides:

- M-RF and the histogram are run where the domain has at most `MOST_CELLS` cells: their counts are of cells. Of
  RDF's trees only what records reach is made.
- The ceiling is scikit-learn's histogram gradient boosting without privacy; its random forest takes too long.
- The constant is the most frequent class, or the mean target, of the training records, without privacy.
- The preset is run on held-out sets alone: its advice was read off the others.

Other libraries' results are in `dplit.court.bench.peers`, sentences in `dplit.court.claims.runs.bench`.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial

from dplit.boosting.plan import MANY as MANY_CLASSES
from dplit.boosting.sets import CHOOSING, HELD_OUT
from dplit.court.experiments import tables
from dplit.court.experiments.cells import Cell, experiment
from dplit.datasets.registry import entry

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 10.0)
FOLDS, TIMES = 5, 10
WHY = "two five-fold cross-validations: 80 to 20 %, as the published peers have it"
MOST_CELLS = 20_000
BINS = 5  # of a continuous column, in estimators that see cells
EXACT = ("Constant", "Gradient boosting")
FORESTS = ("Boosted", "Median forest", "MRF", "RDF", "M-RF", "Histogram forest")
RIVALS = ("DP-ERT", "DP-RF", "DP-DF", "JPW", "FS", "RGV")
REGRESSORS = ("Boosted", "Median forest", "DP-ERT", "DP-RF")
OURS, PRESET = "Boosted", "PrivateForest"
AGAIN = ("nursery", "website-phishing", "appliances-energy", "metro-traffic")
PRINTED = (0.15, 0.54)  # budgets at which a paper prints an R2 of Abalone
PRINTED_ERROR = (0.07, 0.54)  # and an error of Adult


@cache
def cells_of(data):
    """Cells of a set's public domain, with `BINS` bins of each continuous column, int."""
    if tables.is_table(data):
        return tables.listed().loc[data, "cells"]
    public = entry(data)
    columns = public.columns or public.named(["every"]) * public.n_columns
    return math.prod(len(c.levels) or BINS for c in columns)


def params(data: str, method: str) -> dict | None:
    """What a method is given beside epsilon; None if it is not run on a set."""
    if method in ("M-RF", "Histogram forest") and cells_of(data) > MOST_CELLS:
        return None
    return {"RDF": {"reached": True}, "M-RF": {"strategy": "identity"}}.get(method, {})


def cells(
    sets: Iterable[str], methods: Iterable[str], measure: str, epsilons: Iterable[float] = EPSILONS, seeds=""
):  # fmt: skip
    """Cells of methods on sets: without privacy once, else at each epsilon; `seeds` as of `Cell`."""
    for data in sets:
        draws = {"draws": 1} if data.startswith("synth-") else {}
        for method in methods:
            given, how = params(data, method), {"folds": FOLDS, "seeds": seeds, **draws}
            if given is None:
                continue
            if method in EXACT:
                yield Cell(data, method, "exact", measure, given, **how)
                continue
            for epsilon in epsilons:
                at = given | {"epsilon": epsilon}
                yield Cell(data, method, "proved", measure, at, at=("epsilon",), **how)


def task(sets, kind):
    """Those of `sets` whose task is `kind`, "classification" or "regression"."""
    return [data for data in sets if entry(data).task == kind]


def _classification(sets, more=()):
    return cells(task(sets, "classification"), (*EXACT, *FORESTS, *RIVALS, *more), "accuracy")


def _regression(sets, more=()):
    return cells(task(sets, "regression"), (*EXACT, *REGRESSORS, *more), "r2")


run = partial(experiment, repetitions=TIMES, why_repetitions=WHY)
ONCE = "Held out: run when nothing was chosen any more, before rules were changed. "


@run("bench/classification", "Accuracy of every private forest, sets for choosing")
def _choosing_classes():
    yield from _classification(CHOOSING)


@run("bench/regression", "R2 of every private forest, sets for choosing")
def _choosing_targets():
    yield from _regression(CHOOSING)
    yield from cells(["abalone"], ["Boosted"], "r2", PRINTED)


def two(sets):
    """Those of `sets` that have two classes."""
    return [data for data in task(sets, "classification") if len(entry(data).classes) == 2]


def _first(kind, cells, changed):
    """The cells of the first run; of some sets the methods that have `changed` were run again."""
    for cell in cells:
        again = f"bench/{kind}-held-out-2" if cell.data in AGAIN and cell.method in changed else ""
        if not again and cell.method in (OURS, PRESET):
            again = LAST if kind == "regression" else WEIGHTED if cell.data in two(HELD_OUT) else MANY
        yield replace(cell, superseded=again)


@run("bench/classification-held-out", "Accuracy of every private forest, sets held out", ours=ONCE)
def _held_out_classes():
    yield from _first("classification", _classification(HELD_OUT, [PRESET]), [PRESET])
    yield from cells(["adult"], ["Boosted"], "accuracy", PRINTED_ERROR)


@run("bench/regression-held-out", "R2 of every private forest, sets held out", ours=ONCE)
def _held_out_targets():
    yield from _first("regression", _regression(HELD_OUT, [PRESET]), [OURS, PRESET])


SECOND = "Three rules were changed when the first run was known, by sets for choosing and problems made up. "


def _until(superseded, cells):
    return [replace(cell, superseded=superseded) for cell in cells]


def _again(kind, methods, measure, sets=AGAIN):
    first = f"bench/{kind}-held-out"
    return cells(task(sets, kind), methods, measure, seeds=first)


@run("bench/classification-held-out-2", "Accuracy of the preset's second version where it differs", ours=SECOND)
def _held_out_classes_again():
    yield from _until(MANY, _again("classification", [PRESET], "accuracy"))


@run("bench/regression-held-out-2", "R2 of the boosted forest's and the preset's second version", ours=SECOND)
def _held_out_targets_again():
    yield from _until(LAST, _again("regression", [OURS, PRESET], "r2"))


THIRD = (
    "Of the third version's rules for two classes and for regressions, chosen on sets for choosing and on tables "
    "that are no part of this book, and committed before its cells of held-out sets were run, once. "
)
FORMER = "Boosted, former rule"
RANKING, LAST, WEIGHTED = "bench/ranking-held-out", "bench/regression-held-out-5", "bench/weighted-held-out"
MANY = "bench/classes-held-out"


@run("bench/regression-held-out-4", "R2 of the third version's first forests, sets held out", ours=THIRD)
def _held_out_targets_third():
    yield from _until(LAST, _again("regression", [OURS, PRESET], "r2", HELD_OUT))


@run(LAST, "R2 of the third version's forests as they are, sets held out", ours="When the run before was known. ")
def _held_out_targets_last():
    yield from _again("regression", [OURS, PRESET], "r2", HELD_OUT)


def former(n_records: int, epsilon: float) -> dict:
    """Rounds and depth of two classes by the rule before the third version."""
    s = n_records * epsilon
    deep = math.log2(max(s, 1) / 10) / 2.2
    return {"n_estimators": min(max(round(math.sqrt(s / 200)), 1), 32), "max_depth": min(max(round(deep), 1), 6)}


def _ranking(sets, methods, seeds):
    for cell in cells(two(sets), methods, "ranking", seeds=seeds):
        yield cell
        if cell.method == OURS:
            shape = former(round(0.8 * entry(cell.data).records), cell.params["epsilon"])
            yield replace(cell, label=FORMER, params=cell.params | shape)


@run("bench/ranking", "Accuracy, AUC, average precision and log-loss of two classes, sets for choosing")
def _ranking_choosing():
    yield from _ranking(CHOOSING, [OURS], "bench/classification")


@run(RANKING, "Accuracy, AUC, average precision and log-loss of two classes, sets held out", ours=THIRD)
def _ranking_held_out():
    yield from _until(WEIGHTED, _ranking(HELD_OUT, [OURS, PRESET], "bench/classification-held-out"))


FOURTH = "Since residuals of more than two classes are clipped; committed before its cells were run, once. "
FIFTH = "Since residuals of two classes are weighted; committed before its cells were run, once. "
SIXTH = "Since the number of records, if small, is bought again; committed before its cells were run, once. "
FEW, BELOW = "bench/few-held-out", 1300  # records of training times epsilon: above, no split has a noisy 1,000


def _until_few(cells):
    few = {c: 0.8 * entry(c.data).records * c.params["epsilon"] < BELOW for c in cells}
    return [replace(c, superseded=FEW if few[c] else "") for c in few]


@run(WEIGHTED, "Measures of the boosted forest and the preset, sets of two classes held out", ours=FIFTH)
def _two_held_out():
    yield from _until_few(_again("classification", [OURS, PRESET], "ranking", two(HELD_OUT)))


@run(MANY, "Accuracy of the boosted forest and the preset, sets of more than two classes held out", ours=FOURTH)
def _many_held_out():
    more = sorted({*HELD_OUT} - {*two(HELD_OUT)})
    yield from _until_counted(_until_few(_again("classification", [OURS, PRESET], "accuracy", more)))


@run(FEW, "The boosted forest and the preset where noise decides whether records are few", ours=SIXTH)
def _few_held_out():
    both = *_two_held_out(), *_many_held_out()
    yield from _until_counted(_until("", (cell for cell in both if cell.superseded == FEW)))


SEVENTH = "Since rounds of six classes and more count classes; when tables held out had refuted another rule. "
COUNTED, CHANGED = "bench/many-counted", (OURS, PRESET)


def _until_counted(cells):
    """Cells of forests of so many classes: their first rounds release class counts now."""
    later = {c: c.method in CHANGED and not c.superseded and n_classes(c.data) >= MANY_CLASSES for c in cells}
    return [replace(c, superseded=COUNTED) if later[c] else c for c in later]


def n_classes(data: str) -> int:
    """Number of a set's or a table's classes."""
    return int(tables.listed().loc[data, "classes"]) if tables.is_table(data) else len(entry(data).classes)


@run(COUNTED, "The boosted forest and the preset with six classes and more", ours=SEVENTH)
def _counted():
    sets = (*_many_held_out(), *_few_held_out())
    yield from (replace(cell, superseded="") for cell in sets if cell.superseded == COUNTED)
    for of in ("more", "tenth", "many"):
        same = {"seeds": f"bench/tables-{of}", "superseded": "", "most": FOLDS, "why_most": ONE_CUT}
        yield from (replace(c, **same) for c in MANY_TABLES[of]() if c.superseded == COUNTED)


UNSEEN = "Tables that no rule of ours had seen; rule, list and sentences were committed before the run. "
NEEDED, ONE_CUT = (0.5, 1.0, 2.0, 4.0), "one five-fold cross-validation: the unit is the table"
MANY_TABLES = {}  # cells of the tables' runs
tables_run = partial(experiment, repetitions=FOLDS, why_repetitions=ONE_CUT, ours=UNSEEN)


def on_tables(*kinds, methods, measure, epsilons=NEEDED, seeds=""):
    """Cells of methods on the tables of these kinds, with those that can always be run again."""
    return cells(tables.of_kind(*kinds, counted=False), methods, measure, epsilons, seeds)


@experiment("bench/printed", "The boosted forest where a paper prints numbers", repetitions=100,
            why_repetitions="twenty cuts into five folds: these records are asked for")  # fmt: skip
def _printed():
    yield from cells(["abalone"], [OURS], "r2", PRINTED)
    yield from cells(["adult"], [OURS], "accuracy", PRINTED_ERROR)


ALL, ACCURACY = (*EXACT, *FORESTS, *RIVALS, PRESET), "Accuracy of every private forest"
SAME = "bench/tables-two"
for _name, _title, _cells in (
    ("two", f"{ACCURACY}, many tables of two classes", partial(on_tables, "two", methods=ALL, measure="share")),
    ("more", f"{ACCURACY}, many tables of more classes", partial(on_tables, "more", methods=ALL, measure="share")),
    ("tenth", f"{ACCURACY} at a tenth, many tables of classes",
     partial(on_tables, "two", "more", methods=(EXACT[0], *ALL[2:]), measure="share", epsilons=(0.1,))),
    ("ranking", "How private forests rank and calibrate, many tables of two classes",
     partial(on_tables, "two", methods=(EXACT[1], OURS, PRESET), measure="probabilities", seeds=SAME)),
    ("number", "R2 and mean absolute error of every private forest, many tables",
     partial(on_tables, "number", methods=(*EXACT, *REGRESSORS, PRESET), measure="errors")),
    ("many", "Accuracy of the boosted forest and the preset, many tables of six classes and more",
     partial(on_tables, "many", methods=(*EXACT, OURS, PRESET), measure="share", epsilons=(0.1, *NEEDED))),
):  # fmt: skip
    MANY_TABLES[_name] = lambda _cells=_cells: _until_counted(_cells())
    tables_run(f"bench/tables-{_name}", _title)(MANY_TABLES[_name])
