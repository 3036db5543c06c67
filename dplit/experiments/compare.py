r"""Printed cells beside ours: side by side, and whether they agree.

**The rule.** Ours is a mean :math:`m` with standard deviation :math:`s` over repetitions, printed is
:math:`p \pm q`. They agree if

.. math:: |m - p| \le 2 \sqrt{s^2 + q^2} + h,

with :math:`h` half a unit of the last printed digit: if both were draws of one law, normal and with
these deviations, about one cell in twenty would be called different. The papers do not say what
their deviations are; we take them for standard deviations over repetitions, as ours. Where none is
printed (all of v1), :math:`q = s`: the printed number is then taken for one draw more of the same
law, or a mean of several, and the rule is no stricter than it may be. Printed cells are held against
the reading "published", or "exact" for a method that is not private.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dplit import printed
from dplit.experiments.cells import get
from dplit.experiments.curves import curve
from dplit.experiments.result import stored


@dataclass(frozen=True)
class Row:
    """One printed cell, and what we got.

    Attributes
    ----------
    data, row : str
        Data set and row of the printed table.
    printed : dplit.printed.Printed
    published, proved : tuple of (mean, deviation, epsilon) or None
        `published` is the "exact" reading for a method that is not private; `proved` is then None.
    agrees : bool or None
        None if the cell is not run.
    why : str
        Why it does not agree or is not run, as far as it is known.
    """

    data: str
    row: str
    printed: printed.Printed
    published: tuple | None
    proved: tuple | None
    agrees: bool | None
    why: str = ""


def agree(mean, deviation, cell):
    """True if our mean and a printed cell agree, by the rule of this module.

    Parameters
    ----------
    mean, deviation : float
        Ours.
    cell : dplit.printed.Printed
    """
    other = deviation if cell.deviation is None else cell.deviation
    room = 2 * np.hypot(deviation, other) + cell.rounding
    return bool(abs(mean - cell.value) <= room * (1 + 1e-12))


def compare(id, result=None):
    """Every printed cell of a table beside ours.

    Parameters
    ----------
    id : str
        A table's experiment, as "diprime-v2/table-1".
    result : dplit.experiments.result.Result, optional
        Left out, the one that comes with the project.

    Returns
    -------
    list of Row, in the printed order, a column after the other
    """
    result = stored(id) if result is None else result
    experiment, table = get(id), printed.table(id)
    reasons, not_run = printed.why(id), printed.not_run()
    rows = []
    for (data, row), cell in table.cells.items():
        mine = [c for c in experiment.cells if (c.data, c.label or c.method) == (data, row)]
        found = {c.reading: _summary(result, c.key) for c in mine if c.key in result.cells}
        published = found.get("exact", found.get("published"))
        agrees = None if published is None else agree(*published[:2], cell)
        why = "" if agrees else reasons.get(f"{data}/{row}", "")
        if agrees is None:
            why = not_run.get(data, "not run yet")
        rows.append(Row(data, row, cell, published, found.get("proved"), agrees, why))
    return rows


def _summary(result, key):
    epsilon = result.cells[key]["epsilon"]
    epsilon = None if epsilon is None else float(epsilon)
    return float(result.mean(key)), float(result.deviation(key)), epsilon


def side_by_side(id, result=None, data=None):
    """`compare` as a compact table for a chapter or the command line.

    Parameters
    ----------
    id : str
    result : Result, optional
    data : str, optional
        One data set's cells only.

    Returns
    -------
    DataFrame, one row a printed cell; columns printed (as printed, without the depth), published,
    proved (mean ± deviation in the printed column's unit), and agrees ("yes", "no", "not run")
    """
    table = printed.table(id)
    units = {c["data"]: c.get("unit") for c in table.columns}
    rows = []
    for r in compare(id, result):
        if data is None or r.data == data:
            unit = units[r.data] or 10.0 ** _power(r.printed)
            decimals = round(-np.log10(2 * r.printed.rounding / unit))
            shown = [_shown(part, unit, decimals) for part in (r.published, r.proved)]
            agrees = {True: "yes", False: "no", None: "not run"}[r.agrees]
            rows.append((r.data, r.row, r.printed.text.partition(" (")[0], *shown, agrees))
    columns = ["data", "method", "printed", "published", "proved", "agrees"]
    return pd.DataFrame(rows, columns=columns).set_index(["data", "method"])


def _power(cell):
    return int(cell.text.partition("10^")[2] or 0)


def _shown(part, unit, decimals):
    if part is None:
        return ""
    mean, deviation, _ = part
    return f"{mean / unit:.{decimals}f} ± {deviation / unit:.{decimals}f}"


def tally(rows):
    """How many cells agree, do not, and are not run, tuple of int."""
    answers = [r.agrees for r in rows]
    return answers.count(True), answers.count(False), answers.count(None)


def series(id, method, reading, name, result=None, *, data=None, **fixed):
    """One curve of a figure, from its result.

    Parameters
    ----------
    id, method, reading : str
    name : str
        The parameter along the curve; None for the one point of a method that it does not affect.
    result : Result, optional
        Left out, the one that comes with the project.
    data : str, optional
        Data set, where the figure has several.
    **fixed
        Values of the other parameters that the figure varies.

    Returns
    -------
    DataFrame, index the parameter's values; columns mean and deviation
    """
    result = stored(id) if result is None else result
    points = curve(result, method, reading, name, data=data, **fixed)
    rows = [(float(result.mean(key)), float(result.deviation(key))) for key in points.values()]
    return pd.DataFrame(rows, columns=["mean", "deviation"], index=pd.Index(points, name=name))


def by_set(id, methods, result=None):
    """Mean scores of several methods on every data set of a figure.

    Parameters
    ----------
    id : str
    methods : dict of str to (method, reading)
        By the name of a column.
    result : Result, optional
        Left out, the one that comes with the project.

    Returns
    -------
    DataFrame, index data sets in the figure's order; NaN where a method is not run
    """
    result = stored(id) if result is None else result
    found = {
        column: {
            c.data: float(result.mean(c.key))
            for c in get(id).cells
            if (c.method, c.reading) == of and not c.label and c.key in result.cells
        }
        for column, of in methods.items()
    }
    order = dict.fromkeys(c.data for c in get(id).cells)
    return pd.DataFrame(found).reindex([d for d in order if any(d in f for f in found.values())])
