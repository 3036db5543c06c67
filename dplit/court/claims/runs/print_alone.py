"""Sentences about tables that the printed numbers decide alone: nothing is run, verdicts are statements'.

"Better" is a smaller printed error or a larger printed accuracy; "typically" is more than half of the
columns; "clearly" is that both intervals of printed mean and deviation are apart. See
:doc:`/book/median_forest_experiments`.
"""

from __future__ import annotations

from functools import partial

from dplit import datasets
from dplit.court.experiments.measures import LOWER_IS_BETTER
from dplit.court.ledger import claim, verdict_of
from dplit.ground import printed

TABLE = "the printed table says what holds"
PAGE = {"chapter": "median_forest_experiments", "functions": ("printed.table",)}
VARIANTS = ("DiPriMe", "DiPriMeExp", "DiPriMeFlip")

by_print = partial(claim, box="def-experiments-print", **PAGE)


def compared(id, ours, others):
    """Each of our rows against each other row, a column after the other.

    Yields
    ------
    (column's name, our row, other row, our cell, other cell, how much better ours is)
    """
    table = printed.table(id)
    sign = 1 if LOWER_IS_BETTER[table.measure] else -1
    names = {c["data"]: c["name"].partition(" (×")[0] for c in table.columns}
    for data, name in names.items():
        for one in ours:
            for other in others:
                a, b = table.cells[data, one], table.cells[data, other]
                yield name, one, other, a, b, sign * (b.value - a.value)


def all_better(id, ours, others):
    """Evidence of "ours is better than each other in every column": the worst comparison is shown."""
    found = list(compared(id, ours, others))
    relation = "<" if LOWER_IS_BETTER[printed.table(id).measure] else ">"
    broken = [f for f in found if f[-1] <= 0]
    name, one, other, a, b, _ = min(found, key=lambda f: f[-1] / f[4].value)
    words = f"{len(found) - len(broken)} of {len(found)} printed comparisons are of this kind"
    worst = f"{name}: {one} {a.text}, {other} {b.text}"
    return verdict_of(
        not broken, f"{words}; the worst is {worst}.", {"worst": worst}, cases=len(found),
        computed=a.value, published=b.value, relation=relation,
        quantity=f"printed score of {one}, against {other}, on {name}",
        range="every printed column",
    )  # fmt: skip


@by_print("diprime-v1/outperforms", "Section 4.1", "fails", nothing_instead=TABLE)
def outperforms(effort, rng):
    """DiPriMe clearly outperforms DP-ERT for regression (table 1)."""
    return all_better("diprime-v1/table-1", ("DiPriMe",), ("DP-ERT",))


@by_print("diprime-v1/far-exceeds", "Section 4.2", "fails", nothing_instead=TABLE)
def far_exceeds(effort, rng):
    """DiPriMe far exceeds the performance of DP-ERT and DP-DF in classification (table 2)."""
    return all_better("diprime-v1/table-2", ("DiPriMe",), ("DP-ERT", "DP-DF"))


@by_print("diprime-v2/far-exceeds", "Section 4.2", "fails", nothing_instead=TABLE)
def variants_far_exceed(effort, rng):
    """DiPriMe and its variants far exceed DP-ERT, DP-RF and DP-DF in classification (table 2)."""
    return all_better("diprime-v2/table-2", VARIANTS, ("DP-ERT", "DP-RF", "DP-DF"))


@by_print("diprime-v2/underperforms", "Section 4.1", "holds")
def underperforms(effort, rng):
    """Without privacy median forests typically underperform random forests in regression (table 1)."""
    found = list(compared("diprime-v2/table-1", ("RF",), ("Median",)))
    better = [name for name, *_, gain in found if gain > 0]
    return verdict_of(
        2 * len(better) > len(found),
        f"Random forests are better on {', '.join(better)}: {len(better)} of {len(found)}.",
        {"better": better}, cases=len(found), computed=len(better), published=len(found) / 2,
        relation=">", quantity="columns in which random forests are better", range="every printed column",
    )  # fmt: skip


@by_print("diprime-v2/clearly", "Section 4.1", "assumes")
def clearly(effort, rng):
    """DiPriMeExp and DiPriMeFlip clearly outperform both DP-ERT and DP-RF in regression (table 1).
    This assumes that "clearly" is said of the means, and not that mean and deviation are apart."""
    found = list(compared("diprime-v2/table-1", VARIANTS[1:], ("DP-ERT", "DP-RF")))
    near = [f"{name}: {one} {a.text}, {other} {b.text}" for name, one, other, a, b, gain in found
            if 0 < gain <= a.deviation + b.deviation]  # fmt: skip
    better = sum(gain > 0 for *_, gain in found)
    words = f"{better} of {len(found)} printed means are better; not apart are {'; '.join(near)}."
    if better < len(found) or not near:
        return verdict_of(better == len(found), words, {"better": better}, range="every column")
    return verdict_of(
        False, words, broken="assumes", cases=len(found), computed=better, published=len(found),
        relation="=", quantity="printed means that are better", range="every printed column",
    )  # fmt: skip


@by_print("diprime-v2/consistently-worse", "Section 4.2", "fails", nothing_instead=TABLE)
def consistently_worse(effort, rng):
    """Without privacy the performance of median forests is consistently worse than that of random forests in
    classification, with extremely randomised trees a little worse off (read: than median forests; table 2)."""
    found = [
        *compared("diprime-v2/table-2", ("RF",), ("Median",)),
        *compared("diprime-v2/table-2", ("Median",), ("ERT",)),
    ]
    name, one, other, a, b, _ = min(found, key=lambda f: f[-1])
    broken = [f"{f[0]}: {f[1]} {f[3].text}, {f[2]} {f[4].text}" for f in found if f[-1] <= 0]
    return verdict_of(
        not broken, f"Not so in {len(broken)} of {len(found)} comparisons: {'; '.join(broken)}.",
        {"not so": broken}, cases=len(found), computed=a.value, published=b.value, relation=">",
        quantity=f"printed accuracy of {one}, against {other}, on {name}", range="every printed column",
    )  # fmt: skip


@claim(
    "rdf/nursery-classes", "Section 2.4", "fails", "def-rdf-experiments-agree", ("datasets.load",),
    chapter="random_forest_experiments", nothing_instead="the file's own list of classes",
)  # fmt: skip
def nursery_classes(effort, rng):
    """Nursery has four classes."""
    counts = datasets.load("nursery").y.value_counts()
    few = counts.idxmin()
    return verdict_of(
        len(counts) == 4,
        f"The file has {len(counts)}; the rarest, {few}, is that of {counts.min()} of {counts.sum()} records.",
        {"records": counts.to_dict()}, computed=len(counts), published=4, relation="=",
        quantity="classes of Nursery", range="all records of the file",
    )  # fmt: skip
