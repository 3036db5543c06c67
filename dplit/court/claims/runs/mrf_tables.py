"""What the MRF paper's tables 2 and 3 say, held against the files and against theorem 2's own label."""

from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np

from dplit.court.claims.runs.by_print import above, by_print, listed
from dplit.court.claims.runs.mrf_print import whole
from dplit.court.ledger.compare import at_most, need, note, same
from dplit.datasets import fetch, registry
from dplit.ground import printed
from dplit.mechanisms import Exponential

SPLITS = {"1": "0.05", "5": "0.25", "10": "0.5", "20": "1"}  # table 3: B1 = B2 by B3


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


@by_print(
    "mrf/table-2",
    "Appendix E, table 2",
    "fails",
    functions=("datasets.load",),
    nothing_instead="the files' own numbers, in the chapter beside the printed ones",
)
def table_2(effort, rng):
    r"""Table 2 gives the numbers of samples, features and classes of the 22 UCI benchmark datasets."""
    found = list(cells_of_table_2())
    wrong = {(row, column): (n, min(known)) for row, column, n, known in found if n not in known}
    with_class = [at for at, (n, k) in wrong.items() if at[1] == "features" and n == k + 1]
    rest = [f"{' '.join(at)} {n}, in the file {k}" for at, (n, k) in wrong.items() if at not in with_class]
    cells = {" ".join(at): [*pair] for at, pair in wrong.items()}
    for *_, n, known in found:
        yield need(n in known, min(known), "=", n, wrong=cells)
    return note(
        f"{len(found) - len(wrong)} of {len(found)} cells are the file's numbers; {len(with_class)} rows count "
        f"the class as a feature: {', '.join(row for row, _ in with_class)}; {listed(rest)}",
        quantity="a number of table 2, and the file's",
        range="all cells but the features of Ads, of which our copy has the binary ones alone",
    )


def budgets():
    """The budgets B3 of table 3 by its rows, dict of row to float."""
    return {row: float(row.split()[-1]) for row in printed.table("mrf/table-3").rows}


def label_cap(budget, classes):
    r"""Most that the label of one tree is right: :math:`e^{B_3/2}/(e^{B_3/2} + K - 1)`.

    `budget`: the paper's B3. `classes`: K.
    """
    return 1 / (1 + (classes - 1) * np.exp(-budget / 2))


@by_print("mrf/table-3-cap", "Appendix F, table 3", "fails", functions=("mechanisms.Exponential",))
def table_3_cap(effort, rng):
    r"""Table 3 gives accuracies of trees whose labels are drawn with budget $B_3$: no accuracy is above what such
    labels can be expected to reach."""
    over, chance = 0, 1.0
    for (data, row), cell in printed.table("mrf/table-3").cells.items():
        found = whole(data)
        cap = Exponential(budgets()[row]).pmf(np.eye(found.y.nunique())[0])[0]
        yield at_most(cell.value, cap, row=row, set=data)
        if cell.value > cap:
            over += 1
            by_chance = _by_chance(cell.value - cap, len(found.y))
            chance = by_chance if over == 1 else max(chance, by_chance)
    return note(
        f"{over} of {{cases}} cells are above the cap, the first in the row {{row}} for {{set}}: {{exact:.4f}} is "
        f"printed, and at most {{stated:.4f}} can be expected. Chance explains none of these cells with a "
        f"probability above {chance:.1g}.",
        quantity="accuracy of one tree",
        range="all cells of the table; leaves that hold one class",
    )


def _by_chance(excess, records):
    """Hoeffding's bound on a mean this far above the cap, if each record is tested ten times, with a label
    of its own."""
    return float(np.exp(-2 * 10 * records * excess**2))


@table_3_cap.corrected(
    "thm-mrf-experiments-cap",
    ("mechanisms.Exponential",),
    proof="thm-mrf-experiments-cap",
    quantity="probability of a class's label",
)
def label_is_capped(effort, rng):
    r"""A tree's label with budget $B_3$ equals any given one of $K$ classes with probability at most
    $e^{B_3/2}/(e^{B_3/2} + K - 1)$, for all contents of the leaf; a leaf of one class attains this."""
    size = effort.pick(6, 12, 24)
    for budget, classes in product(budgets().values(), (2, 3)):
        for leaf in product(range(size + 1), repeat=classes):
            if sum(leaf) == size:
                right = Exponential(budget).pmf(np.array(leaf) / size)[0]
                yield at_most(right, label_cap(budget, classes), leaf=list(leaf))
    return note("{cases} leaves; attained at {leaf}", range=f"leaves of {size} records, 2 and 3 classes")


@by_print("mrf/table-3-layers", "Appendix F; table 3", "holds")
def table_3_layers(effort, rng):
    r"""The privacy budget consumed for each layer of a tree is $B_1 + B_2$, which satisfies $B_1 + B_2 = B_3/d$:
    the rows of table 3 satisfy this, with $B_1 = B_2$ and $d = 10$. (That a layer costs this much, and that trees
    have ten levels, are judged in other rows: `mrf/layer`, `mrf/depth-10`.)"""
    if sorted(budgets().values()) != sorted(map(float, SPLITS)):
        raise ArithmeticError("the rows of table 3 have other budgets B3")
    for budget, split in SPLITS.items():
        yield same(2 * Fraction(split), Fraction(budget) / 10, B3=budget)
    where = {"quantity": "budget of a layer", "range": "all rows of the table"}
    return note("B1 + B2 is a tenth of B3 in each of the four rows", **where)


@by_print("mrf/table-3-monotone", "Appendix F", "fails")
def table_3_monotone(effort, rng):
    r"""When the budget $B_3$ increases, the performance of each tree increases, which meets the changing trend of
    differential privacy: the accuracy of a tree increases down each column of table 3."""
    table = printed.table("mrf/table-3")
    for (data, name), (a, b) in product(table.of("name").items(), pairwise(table.rows)):
        before, after = table.cells[data, a], table.cells[data, b]
        yield above(after.value, before.value, set=name, before=before.text, after=after.text)
    return note(
        "Of {cases} steps to a larger budget the first that lowers accuracy is on {set}, from {before} to {after}",
        quantity="printed accuracy at the larger budget",
        range="all cells of the table",
    )


@table_3_monotone.corrected(functions=("ground.printed.table",))
def table_3_ends(effort, rng):
    """In each column of table 3 the accuracy at the largest budget is above that at the smallest."""
    table = printed.table("mrf/table-3")
    low, high = table.rows[0], table.rows[-1]
    rise = {d: table.cells[d, high].value - table.cells[d, low].value for d in table.of("name")}
    yield above(min(rise.values()), 0, **rise)
    words = f"least on {table.of('name')[min(rise, key=rise.get)]}, by {100 * min(rise.values()):.2f} points"
    return note(words, quantity="least rise of a column", range="all columns")
