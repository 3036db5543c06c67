"""Printed tables that follow from formulas: computed cell by cell, not run.

Each printed cell stands beside what its formula gives as published, and beside what it says it is.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from dplit import depth, majority
from dplit.ground import printed
from dplit.mechanisms import Exponential


@dataclass(frozen=True)
class Formula:
    """How one table is computed."""

    title: str
    names: tuple[str, str]  #: Of the paper's formula, and of the quantity itself.
    both: Callable  #: ``both(row, column) -> (published, right)``, from the names of row and column.
    columns: tuple[str, ...] = ()  #: Those that are computed; none: all.


def _sensitivities(row, column):
    leaf = [int(row), 0], float(column)
    return majority.published_smooth_sensitivity(*leaf), majority.smooth_sensitivity(*leaf)


def _depths(row, column):
    cells = printed.table("rdf/table-4").cells
    shape = [int(cells[kind, row].value) for kind in ("continuous", "discrete")]
    return depth.table_depth(*shape), depth.published_depth(*shape)


def _labels(row, column):
    """As published both columns are exponential mechanisms; the second says it is ROSNAM."""
    counts = [int(count) for count in row.split(", ")]
    if column == "original":
        return (majority.smooth_exponential_law(counts, 0.1)[1],) * 2
    published = Exponential(0.1, monotonic=True).pmf(counts)
    return published[1], majority.one_sided_law(counts, 0.1)[1]


FORMULAS = {
    "rdf/table-2": Formula(
        "Smooth sensitivity of the majority label", ("e^(-j eps)", "smooth sensitivity"), _sensitivities
    ),
    "rdf/table-4": Formula(
        "Depths of the trees", ("one more than theorem 2 if s > 0", "theorem 2"), _depths, ("depth",)
    ),
    "rdf/table-6": Formula(
        "Probability of the majority label, epsilon 0.1",
        ("exponential mechanisms", "the label's own law"),
        _labels,
    ),
}


def computed(id: str) -> pd.DataFrame:
    """A printed table beside its formula and beside what is right; `id` as "rdf/table-2".

    Index row and column; columns printed, as many digits of the formula and of the right value as are printed,
    and whether the printed number is the right one to one unit of its last digit.
    """
    formula, table = FORMULAS[id], printed.table(id)
    units = {data: table.of("unit").get(data, 1.0) for data in table.of("name")}
    rows = []
    for (column, row), cell in table.cells.items():
        if not formula.columns or column in formula.columns:
            both = [float(value) for value in formula.both(row, column)]
            shown = [_shown(value / units[column], cell) for value in both]
            right = "yes" if is_near(cell, both[1]) else "no"
            rows.append((row, table.of("name")[column], cell.text, *shown, right))
    columns = ["row", "column", "printed", *formula.names, "right"]
    return pd.DataFrame(rows, columns=columns).set_index(["row", "column"])


def is_near(cell, value):
    """True if a printed number is less than one unit of its last digit off."""
    return abs(cell.value - value) < 2 * cell.rounding * (1 - 1e-9)


def _shown(value, cell):
    """As many digits as are printed."""
    digits = cell.text.partition(" ")[0].partition(".")[2]
    if "10^" in cell.text:
        mantissa, _, power = f"{value:.{len(digits)}e}".partition("e")
        return f"{mantissa} × 10^{int(power)}"
    return f"{value:.{len(digits)}f}"
