"""One figure style for the whole book.

Figures are readable on light and dark pages (transparent ground, mid-grey ink), distinguishable
without colour vision (seaborn's colour-blind palette, plus line styles and markers), and carry no
title inside the axes: the caption says it.
"""

from __future__ import annotations

from contextlib import contextmanager

import matplotlib.pyplot as plt
import seaborn as sns

INK = "#7a7f87"  # contrast of at least 3.5 against both white and the dark theme's ground
PALETTE = sns.color_palette("colorblind")
BLUE, ORANGE, GREEN, RED, PURPLE, BROWN = (PALETTE[i] for i in (0, 1, 2, 3, 4, 5))
VERDICT_COLORS = {"holds": GREEN, "loose": BLUE, "assumes": PURPLE, "fails": ORANGE, "leaks": RED}
VERDICT_COLORS |= {"agrees": PALETTE[9], "differs": BROWN, "undecided": PALETTE[7]}

_RC = {
    "figure.figsize": (6.4, 3.6),
    "figure.dpi": 110,
    "savefig.dpi": 160,
    "savefig.transparent": True,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "grid.color": INK,
    "font.size": 11,
    "lines.linewidth": 2,
    "svg.hashsalt": "dplit",
    **dict.fromkeys(
        ["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], INK
    ),
}


def use():
    """Apply the style to every figure that follows."""
    sns.set_theme(style="ticks", palette="colorblind", rc=_RC)


@contextmanager
def axes(xlabel="", ylabel="", **subplot_options):
    """A figure with one set of axes in the house style, labelled; yields the axes.

    Parameters
    ----------
    xlabel, ylabel : str
        Quantity and unit.
    **subplot_options
        For `matplotlib.pyplot.subplots`.
    """
    use()
    figure, ax = plt.subplots(**subplot_options)
    yield ax
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if ax.get_legend_handles_labels()[0] and ax.get_legend() is None:
        ax.legend()
    figure.tight_layout()


def plot_shape(shape, *, ax=None):
    """Draw what one column adds to a boosted forest's scores, where its trees test one column each.

    Steps between the public bounds of a continuous column, a bar for each level of a categorical one;
    for more than two classes a line or a mark for each class.

    Parameters
    ----------
    shape : dplit.forests.shapes.Shape
        As `dplit.forests.shapes.additive_shape` reads it off a forest, for free.
    ax : matplotlib.axes.Axes, optional
        Left out, those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if ax is None:
        use()
        _, ax = plt.subplots()
    several = len(shape.outputs) > 1
    for k, (values, output) in enumerate(zip(shape.values.T, shape.outputs)):
        label = output if several else None
        if shape.levels is None:
            ax.stairs(values, shape.edges, baseline=None, label=label, lw=2)
        elif several:
            ax.plot(range(len(values)), values, MARKS[k % len(MARKS)], label=label)
        else:
            ax.bar(range(len(values)), values)
    if shape.levels is not None:
        names = ["missing" if level is None else str(level) for level in shape.levels]
        ax.set_xticks(range(len(names)), names)
    ax.set(xlabel=shape.column, ylabel="added" if several else f"added to {shape.outputs[0]}")
    if several:
        ax.legend()
    return ax


def band(ax, series, label, repetitions=10, **style):
    """A curve of means with two standard errors around it.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    series : DataFrame
        As `dplit.experiments.series` gives it: index the x-values; columns mean and deviation.
    label : str
    repetitions : int
        How many scores are behind a mean.
    **style
        For ``ax.plot``.
    """
    (line,) = ax.plot(series.index, series["mean"], label=label, **style)
    reach = 2 * series["deviation"] / repetitions**0.5
    low, high = series["mean"] - reach, series["mean"] + reach
    ax.fill_between(series.index, low, high, color=line.get_color(), alpha=0.15, lw=0)
    return line


MARKS = "os^Dv*P"


def dots(ax, table, names=None):
    """A mark for each entry of a table: its rows side by side, a mark and colour a column.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    table : DataFrame
        NaN is left out.
    names : dict, optional
        What to call the rows.
    """
    for column, mark in zip(table, MARKS):
        ax.plot(range(len(table)), table[column], mark, label=column, alpha=0.85)
    ax.set_xticks(range(len(table)), [(names or {}).get(row, row) for row in table.index])
    ax.tick_params(axis="x", rotation=45)
