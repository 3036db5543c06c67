"""Sentences about tables that the printed numbers decide alone: nothing is run, verdicts are statements'.

"Better", "typically" and "clearly" are defined in :doc:`/book/median_forest_experiments`.
"""

from functools import partial
from itertools import pairwise

from dplit import datasets
from dplit.court.claims.runs.by_print import NO_CORRECTION, above, by_print, in_part, listed
from dplit.court.experiments.measures import LOWER_IS_BETTER
from dplit.court.ledger.compare import need, note, same
from dplit.ground import printed

VARIANTS = ("DiPriMe", "DiPriMeExp", "DiPriMeFlip")

on_all = partial(note, range="every printed column")


def compared(id, ours, others):
    """Each of our rows against each other row, a column after the other.

    Yields (column's name, our row, other row, our cell, other cell, how much better ours is).
    """
    table = printed.table(id)
    sign = 1 if LOWER_IS_BETTER[table.measure] else -1
    names = {c["data"]: c["name"].partition(" (×")[0] for c in table.columns}
    for data, name in names.items():
        for one in ours:
            for other in others:
                a, b = table.cells[data, one], table.cells[data, other]
                yield name, one, other, a, b, sign * (b.value - a.value)


def words(found):
    """A comparison of printed cells in words."""
    name, one, other, a, b, _ = found
    return f"{name}: {one} {a.text}, {other} {b.text}"


def all_better(id, ours, others):
    """That ours is better than each other in every column; the worst comparison is shown."""
    found = list(compared(id, ours, others))
    name, one, other, a, b, gain = worst = min(found, key=lambda f: f[-1] / f[4].value)
    relation = "<" if LOWER_IS_BETTER[printed.table(id).measure] else ">"
    yield need(gain > 0, a.value, relation, b.value, worst=words(worst))
    better = sum(f[-1] > 0 for f in found)
    text = f"{better} of {len(found)} printed comparisons agree with the sentence; the worst is {words(worst)}"
    return on_all(text, quantity=f"printed score of {one}, against {other}, on {name}")


@by_print("diprime-v1/outperforms", "Section 4.1", "fails", nothing_instead=NO_CORRECTION)
def outperforms(effort, rng):
    """DiPriMe clearly outperforms DP-ERT in regression (table 1)."""
    return (yield from all_better("diprime-v1/table-1", ("DiPriMe",), ("DP-ERT",)))


@by_print("diprime-v1/far-exceeds", "Section 4.2", "fails", nothing_instead=NO_CORRECTION)
def far_exceeds(effort, rng):
    """DiPriMe far exceeds the performance of DP-ERT and DP-DF in classification (table 2)."""
    return (yield from all_better("diprime-v1/table-2", ("DiPriMe",), ("DP-ERT", "DP-DF")))


@by_print("diprime-v2/far-exceeds", "Section 4.2", "fails", nothing_instead=NO_CORRECTION)
def variants_far_exceed(effort, rng):
    """DiPriMe and its variants far exceed DP-ERT, DP-RF and DP-DF in classification (table 2)."""
    return (yield from all_better("diprime-v2/table-2", VARIANTS, ("DP-ERT", "DP-RF", "DP-DF")))


@by_print("diprime-v2/underperforms", "Section 4.1", "holds")
def underperforms(effort, rng):
    """Without privacy median forests typically underperform random forests in regression (table 1)."""
    found = list(compared("diprime-v2/table-1", ("RF",), ("Median",)))
    better = [name for name, *_, gain in found if gain > 0]
    yield above(len(better), len(found) / 2, better=better)
    text = f"random forests are better on {', '.join(better)}: {len(better)} of {len(found)}"
    return on_all(text, quantity="columns in which random forests are better")


@by_print("diprime-v2/clearly", "Section 4.1", "assumes")
def clearly(effort, rng):
    """DiPriMeExp and DiPriMeFlip clearly outperform both DP-ERT and DP-RF in regression (table 1). This assumes
    that "clearly" refers to the means, not to intervals of one standard deviation around them."""
    found = list(compared("diprime-v2/table-1", VARIANTS[1:], ("DP-ERT", "DP-RF")))
    near = [words(f) for f in found if 0 < f[-1] <= f[3].deviation + f[4].deviation]
    better = sum(gain > 0 for *_, gain in found)
    yield same(better, len(found), broken="fails")
    yield in_part(not near, True, better - len(near), "=", len(found))
    text = f"{better} of {len(found)} printed means are better; of these the intervals meet: {listed(near)}"
    return on_all(text, quantity="printed means that are better, and apart")


@by_print("diprime-v2/consistently-worse", "Section 4.2", "fails", nothing_instead=NO_CORRECTION)
def consistently_worse(effort, rng):
    """In classification without privacy, median forests perform consistently worse than random forests, and
    extremely randomised trees are a little worse off. (We read this as worse than median forests in table 2.)"""
    rows = ("RF",), ("Median",), ("ERT",)
    found = [f for pair in pairwise(rows) for f in compared("diprime-v2/table-2", *pair)]
    name, one, other, a, b, gain = min(found, key=lambda f: f[-1])
    broken = [words(f) for f in found if f[-1] <= 0]
    yield need(gain > 0, a.value, ">", b.value, not_so=broken)
    text = f"not so in {len(broken)} of {len(found)} comparisons: {listed(broken)}"
    return on_all(text, quantity=f"printed accuracy of {one}, against {other}, on {name}")


@by_print(
    "rdf/nursery-classes", "Section 2.4", "fails", box="def-rdf-experiments-agree",
    functions=("datasets.load",), nothing_instead="the file's own list of classes",
)  # fmt: skip
def nursery_classes(effort, rng):
    """The data set Nursery has four classes."""
    counts = datasets.load("nursery").y.value_counts()
    yield same(len(counts), 4, records=counts.to_dict())
    rarest = f"the rarest, {counts.idxmin()}, is that of {counts.min()} of {counts.sum()} records"
    where = {"quantity": "classes of Nursery", "range": "all records of the file"}
    return note(f"the file has {{exact:.0f}}; {rarest}", **where)
