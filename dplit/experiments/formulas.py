"""Printed tables that follow from formulas: computed cell by cell, not run.

Each printed cell stands beside what its formula gives as published, and beside what is right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from dplit import depth, majority, printed
from dplit.mechanisms import Exponential


@dataclass(frozen=True)
class Cell:
    """One printed cell, and what it should be.

    Attributes
    ----------
    row, column : str
        As printed.
    printed : dplit.printed.Printed
    published : float
        What the paper's formula gives.
    right : float
        What the cell says it is: the quantity itself.
    """

    row: str
    column: str
    printed: printed.Printed
    published: float
    right: float

    def is_near(self, value):
        """True if the printed number is less than one unit of its last digit off."""
        return abs(self.printed.value - value) < 2 * self.printed.rounding * (1 - 1e-9)


@dataclass(frozen=True)
class Formula:
    """How one table is computed: each function takes a row's and a column's name.

    Attributes
    ----------
    title, published_name, right_name : str
    published, right : callable
    columns : tuple of str
        The columns that are computed; none: all.
    """

    title: str
    published_name: str
    published: Callable
    right_name: str
    right: Callable
    columns: tuple = ()


def _gap(row, epsilon):
    return [int(row), 0], float(epsilon)


def _depth(formula):
    def found(row, column):
        cells = printed.table("rdf/table-4").cells
        return formula(*(int(cells[kind, row].value) for kind in ("continuous", "discrete")))

    return found


def _counts(row):
    return [int(count) for count in row.split(", ")]


def _smooth(row, column):
    return majority.smooth_exponential_law(_counts(row), 0.1)[1]


def _as_printed(row, column):
    return (
        _smooth(row, column)
        if column == "original"
        else Exponential(0.1, monotonic=True).pmf(_counts(row))[1]
    )


def _label(row, column):
    return (
        _smooth(row, column)
        if column == "original"
        else majority.one_sided_law(_counts(row), 0.1)[1]
    )


FORMULAS = {
    "rdf/table-2": Formula(
        "Smooth sensitivity of the majority label",
        "e^(-j eps)", lambda r, c: majority.published_smooth_sensitivity(*_gap(r, c)),
        "smooth sensitivity", lambda r, c: majority.smooth_sensitivity(*_gap(r, c)),
    ),
    "rdf/table-4": Formula(
        "Depths of the trees",
        "one more than theorem 2 if s > 0", _depth(depth.table_depth),
        "theorem 2", _depth(depth.published_depth),
        ("depth",),
    ),
    "rdf/table-6": Formula(
        "Probability of the majority label, epsilon 0.1",
        "exponential mechanisms", _as_printed,
        "the label's own law", _label,
    ),
}  # fmt: skip


def cells(id):
    """Every computed cell of one table, list of Cell.

    Parameters
    ----------
    id : str
        A key of `FORMULAS`.
    """
    formula, table = FORMULAS[id], printed.table(id)
    return [
        Cell(row, column, cell, float(formula.published(row, column)), float(formula.right(row, column)))
        for (column, row), cell in table.cells.items()
        if not formula.columns or column in formula.columns
    ]  # fmt: skip


def computed(id):
    """A printed table beside its formula and beside what is right.

    Parameters
    ----------
    id : str
        A key of `FORMULAS`, as "rdf/table-2".

    Returns
    -------
    DataFrame, index row and column; columns printed, as many digits of the formula and of the right
    value as are printed, and whether the printed number is the right one to one unit of its last digit
    """
    formula, table = FORMULAS[id], printed.table(id)
    units = {c["data"]: c.get("unit", 1.0) for c in table.columns}
    names = {c["data"]: c["name"] for c in table.columns}
    rows = []
    for c in cells(id):
        shown = [_shown(v / units[c.column], c) for v in (c.published, c.right)]
        right = "yes" if c.is_near(c.right) else "no"
        rows.append((c.row, names[c.column], c.printed.text, *shown, right))
    columns = ["row", "column", "printed", formula.published_name, formula.right_name, "right"]
    return pd.DataFrame(rows, columns=columns).set_index(["row", "column"])


def _shown(value, cell):
    """As many digits as are printed."""
    digits = cell.printed.text.partition(" ")[0].partition(".")[2]
    if "10^" in cell.printed.text:
        mantissa, _, power = f"{value:.{len(digits)}e}".partition("e")
        return f"{mantissa} × 10^{int(power)}"
    return f"{value:.{len(digits)}f}"
