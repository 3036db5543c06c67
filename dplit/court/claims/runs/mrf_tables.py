r"""What the MRF paper's tables 2 and 3 say, held against the files and against theorem 2's own label.

Theorem 2 draws the label of a tree with probability proportional to :math:`e^{B_3 \eta_c / 2}`, where
:math:`\eta_c` is the share of class c among the leaf's records. No share is above 1, so no label is
right more often than with probability :math:`e^{B_3/2}/(e^{B_3/2} + K - 1)`. See
:doc:`/book/multinomial_forest_experiments`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from itertools import pairwise, product

import numpy as np

from dplit.court.claims.runs.mrf_print import CHAPTER, whole
from dplit.court.ledger import Case, bounded, claim, equal, verdict_of
from dplit.datasets import fetch, registry
from dplit.ground import printed
from dplit.mechanisms import Exponential

SPLITS = {"1": "0.05", "5": "0.25", "10": "0.5", "20": "1"}  # table 3: B1 = B2 by B3
TABLE = "the printed table says what holds"

by_file = partial(claim, chapter=CHAPTER, box="def-mrf-experiments-print")


@cache
def _contents(data):
    """Numbers that the file of a data set can be said to have: of records, features and classes.

    Records: of all files, or of the first alone. Features: the columns that we read, or all of the
    first file's without the class. Of a file without all its columns (Ads) the features are not known.
    """
    entry, found = registry.entry(data), whole(data)
    records, features = {len(found.X)}, {found.X.shape[1]}
    if entry.fields:
        fields = entry.files[0].fields or entry.fields
        features |= {len(fields) - 1}
    if entry.files and entry.files[0].fields:
        lines = fetch.contents(entry, entry.files[0]).decode().splitlines()
        records |= {sum(bool(line.strip()) for line in lines)}
    return {
        "samples": records,
        "features": set() if data == "internet-ads" else features,
        "classes": {found.y.nunique()},
    }


def cells_of_table_2():
    """Each cell of table 2 that the files decide: (row, column, printed number, what the file has)."""
    table = printed.table("mrf/table-2")
    data_of = {name: data for data, name in printed.table("mrf/table-1").of("name").items()}
    for (column, row), cell in table.cells.items():
        known = _contents(data_of[row])[column]
        if known:
            yield row, column, int(cell.value), known


@by_file(
    "mrf/table-2", "Appendix E, table 2", "fails", functions=("datasets.load",),
    nothing_instead="the files' own numbers, in the chapter beside the printed ones",
)  # fmt: skip
def table_2(effort, rng):
    r"""The description of used datasets in table 2 has the numbers of samples, features and classes of the 22
    UCI benchmark datasets."""
    found = list(cells_of_table_2())
    wrong = [(row, column, n, min(known)) for row, column, n, known in found if n not in known]
    with_class = [w for w in wrong if w[1] == "features" and w[2] == w[3] + 1]
    rest = [w for w in wrong if w not in with_class]
    shown = (rest or wrong or [("", "", 0, 0)])[0]
    words = "; ".join(f"{row} {n} {column}, the file has {k}" for row, column, n, k in rest)
    return verdict_of(
        not wrong, f"{len(found) - len(wrong)} of {len(found)} cells are the file's numbers. "
        f"{len(with_class)} rows count the class as a feature: {', '.join(w[0] for w in with_class)}. "
        f"{words}.",
        {f"{row} {column}": [n, k] for row, column, n, k in wrong}, cases=len(found),
        computed=shown[3], published=shown[2], relation="=", quantity=f"{shown[1]} of {shown[0]}",
        range="all cells but the features of Ads, of which our copy has the binary ones alone",
    )  # fmt: skip


def budgets():
    """The budgets B3 of table 3 by its rows, dict of row to float."""
    return {row: float(row.split()[-1]) for row in printed.table("mrf/table-3").rows}


def label_cap(budget, classes):
    r"""Most that the label of one tree is right: :math:`e^{B_3/2}/(e^{B_3/2} + K - 1)`.

    Parameters
    ----------
    budget : float
        The paper's B3.
    classes : int
        K.
    """
    return 1 / (1 + (classes - 1) * np.exp(-budget / 2))


@by_file(
    "mrf/table-3-cap", "Appendix F, table 3", "fails", functions=("mechanisms.Exponential",),
)  # fmt: skip
def table_3_cap(effort, rng):
    r"""Table 3 has accuracies of trees whose labels are drawn with budget $B_3$: none is above what such labels
    can be expected to reach."""
    table = printed.table("mrf/table-3")
    note = "{row}, {set}: printed {exact:.4f}, at most {stated:.4f}"
    classes = {data: whole(data).y.nunique() for data in table.of("name")}
    cases = [
        Case(cell.value, float(_largest(budgets()[row], classes[data])), {"row": row, "set": data})
        for (data, row), cell in table.cells.items()
    ]
    above = [c for c in cases if c.exact > c.stated]
    chance = max((_by_chance(c, len(whole(c.data["set"]).y)) for c in above), default=1.0)
    return bounded(
        cases, f"{len(above)} of {{cases}} cells are above the cap, first {note}; by chance none of them "
        f"happens with more than {chance:.1g}.",
        quantity="accuracy of one tree", range="all cells of the table; leaves that hold one class",
    )  # fmt: skip


def _by_chance(case, records):
    """Hoeffding's bound on a mean this far above the cap, if each record is tested ten times, with a label
    of its own."""
    return float(np.exp(-2 * 10 * records * (case.exact - case.stated) ** 2))


def _largest(budget, classes):
    """Probability of the label of a leaf with one class, by the mechanism itself."""
    return Exponential(budget).pmf(np.eye(classes)[0])[0]


@table_3_cap.corrected(
    "thm-mrf-experiments-cap", ("mechanisms.Exponential",), proof="thm-mrf-experiments-cap",
    quantity="probability of a class's label",
)  # fmt: skip
def label_is_capped(effort, rng):
    r"""A tree's label with budget $B_3$ is any one class with probability at most $e^{B_3/2}/(e^{B_3/2} + K - 1)$,
    whatever its leaf holds; a leaf of one class attains it."""
    size = effort.pick(6, 12, 24)
    cases = []
    for budget, classes in product(budgets().values(), (2, 3)):
        for shares in _leaves(size, classes):
            exact = Exponential(budget).pmf(shares)[0]
            cases.append(
                Case(exact, label_cap(budget, classes), {"leaf": (size * shares).round().tolist()})
            )
    return bounded(
        cases,
        "{cases} leaves; attained at {leaf}.",
        range=f"leaves of {size} records, 2 and 3 classes",
    )


def _leaves(size, classes):
    """Shares of the classes in every leaf of `size` records."""
    for counts in product(range(size + 1), repeat=classes):
        if sum(counts) == size:
            yield np.array(counts) / size


@by_file("mrf/table-3-layers", "Appendix F; table 3", "holds", functions=("printed.table",))
def table_3_layers(effort, rng):
    r"""The privacy budget consumed for each layer of a tree is $B_1 + B_2$, which satisfies $B_1 + B_2 = B_3/d$:
    the rows of table 3 do, with $B_1 = B_2$ and $d = 10$. (That a layer costs this much, and that trees have ten
    levels, are other rows: `mrf/layer`, `mrf/depth-10`.)"""
    cases = [
        Case(2 * Fraction(split), Fraction(b3) / 10, {"B3": b3}) for b3, split in SPLITS.items()
    ]
    if sorted(budgets().values()) != sorted(map(float, SPLITS)):
        raise ArithmeticError("the rows of table 3 have other budgets B3")
    return equal(
        cases,
        "B1 + B2 is a tenth of B3 in each of the four rows",
        quantity="budget of a layer",
        range="all rows of the table",
    )


@by_file("mrf/table-3-monotone", "Appendix F", "fails", functions=("printed.table",))
def table_3_monotone(effort, rng):
    r"""When the budget $B_3$ increases, the performance of each tree increases, which meets the changing trend
    of differential privacy: its accuracy does, down each column of table 3."""
    table = printed.table("mrf/table-3")
    steps = [
        (table.of("name")[data], table.cells[data, a], table.cells[data, b])
        for data in table.of("name")
        for a, b in pairwise(table.rows)
    ]
    down = [s for s in steps if s[2].value <= s[1].value]
    name, before, after = (down or steps)[0]
    words = "; ".join(f"{n} {a.text}, then {b.text}" for n, a, b in down) or "none"
    return verdict_of(
        not down, f"{len(steps) - len(down)} of {len(steps)} steps go up; not so: {words}.",
        {"down": words}, cases=len(steps), computed=after.value, published=before.value, relation=">",
        quantity=f"printed accuracy on {name} at the larger budget", range="all cells of the table",
    )  # fmt: skip


@table_3_monotone.corrected(functions=("printed.table",))
def table_3_ends(effort, rng):
    """In each column the accuracy at the largest budget is above that at the smallest."""
    table = printed.table("mrf/table-3")
    low, high = table.rows[0], table.rows[-1]
    cells, names = table.cells, table.of("name")
    rise = {n: cells[d, high].value - cells[d, low].value for d, n in names.items()}
    least = min(rise, key=rise.get)
    return verdict_of(
        rise[least] > 0, f"Least on {least}, by {100 * rise[least]:.2f} points.", rise,
        cases=len(rise), computed=rise[least], published=0.0, relation=">",
        quantity=f"rise on {least}", range="all columns",
    )  # fmt: skip
