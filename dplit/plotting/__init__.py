"""One figure style for the whole book.

Figures are readable on light and dark pages (transparent ground, mid-grey ink), distinguishable
without colour vision (seaborn's colour-blind palette, plus line styles and markers), and carry no
title inside the axes: the caption says it.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from itertools import count

try:
    import matplotlib.pyplot as plt
    import seaborn as sns
except ImportError as error:
    raise ImportError(
        f"dplit.plotting needs matplotlib and seaborn ({error}): pip install 'dplit[plot]'"
    ) from error

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


def plot_tree(forest, tree=0, *, max_depth=3, decimals=2, ax=None):
    """Draw one tree of a fitted forest: conditions with the names of columns and levels, and its leaves.

    Nothing but what `fit` released is read, so it costs no privacy.

    Parameters
    ----------
    forest : fitted estimator of `dplit.forests` or `dplit.baselines`
    tree : int
        From 0.
    max_depth : int
        Levels that are shown; what lies below is three dots.
    decimals : int
        Of cuts and means.
    ax : matplotlib.axes.Axes, optional
        Left out, those of a new figure, as large as the tree needs.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        As `dplit.forests.export.export_text`.
    """
    branch_of = import_module("dplit.forests.export").branch_of  # which no chapter needs

    placed, rows = [], count()
    root = branch_of(forest, tree, max_depth, decimals)
    _place(root._replace(condition=f"tree {tree}"), 0, rows, placed)
    height, width = next(rows), 1 + max(level for _, level, _, _ in placed)
    if ax is None:
        use()
        _, ax = plt.subplots(figsize=(2.3 * width, 0.42 * height + 0.3))
    for row, level, words, below in placed:
        ax.plot([level, level + 1], [row, row], color=INK, lw=1)
        ax.text(level + 0.04, row - 0.08, words, va="bottom", fontsize=9)
        if below:
            ax.plot([level + 1, level + 1], [below[0], below[-1]], color=INK, lw=1)
    ax.set(xlim=(-0.05, width + 0.05), ylim=(height - 0.5, -1))
    ax.axis("off")
    return ax


def _place(branch, level, rows, placed):
    """Give a branch and all below it a row, a level and words; a test stands amid its outcomes."""
    only = branch.below[0] if len(branch.below) == 1 else None
    if only is not None and not only.below:
        row, words, below = next(rows), f"{branch.condition}: {only.leaf or only.condition}", []
    else:
        below = [_place(child, level + 1, rows, placed) for child in branch.below]
        row, words = sum(below) / len(below), branch.condition
    placed.append((row, level, words, below))
    return row
