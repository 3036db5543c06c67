"""Curves with bands, and dots in rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dplit.plotting.style import INK

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

MARKS = "os^Dv*P"
_ROW = 0.3  # inches
_SPREAD = 0.5  # the part of a row's height over which its marks lie


def band(ax: Axes, series: pd.DataFrame, label: str, **style: object) -> Line2D:
    """A curve of means with the interval of each around it.

    `series` is as `dplit.experiments.series` gives it: index the x-values; columns mean and reach, which is half
    an interval. `style` is for ``ax.plot``.
    """
    (line,) = ax.plot(series.index, series["mean"], label=label, **style)
    low, high = series["mean"] - series["reach"], series["mean"] + series["reach"]
    ax.fill_between(series.index, low, high, color=line.get_color(), alpha=0.15, lw=0)
    return line


def dots(
    ax: Axes, table: pd.DataFrame, names: dict[str, str] | None = None, reach: pd.DataFrame | None = None
) -> None:
    """A mark for each entry of a table: a row a line, from above, and a mark and colour a column.

    The marks of a row lie a little below each other, so that equal entries all show, and the figure is made as
    tall as its rows need. The x-axis is that of the entries, NaN is left out, and `names` are for the rows.
    `reach`, of the table's shape: half the width of each entry's interval, drawn if it is given.
    """
    rows, columns = table.shape
    shifts = _SPREAD * (np.arange(columns) / max(1, columns - 1) - 0.5)
    for column, mark, shift in zip(table, MARKS, shifts):
        at = np.arange(rows) + shift
        (dot,) = ax.plot(table[column], at, mark, ms=6, label=column)
        if reach is not None:
            ax.hlines(at, table[column] - reach[column], table[column] + reach[column], dot.get_color(), lw=1.2)
    ax.set_yticks(range(rows), [(names or {}).get(row, row) for row in table.index])
    ax.set_ylim(rows - 0.5, -0.5)
    ax.grid(visible=False, axis="y")
    ax.hlines(np.arange(1, rows) - 0.5, 0, 1, INK, lw=0.5, alpha=0.3, transform=ax.get_yaxis_transform())
    ax.figure.set_figheight(max(2.2, _ROW * rows + 0.8))
