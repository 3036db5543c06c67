"""Pictures of a fitted forest: one of its trees, and what one column adds to its scores."""

from __future__ import annotations

from importlib import import_module
from itertools import count

import matplotlib.pyplot as plt

from dplit.plotting.charts import MARKS
from dplit.plotting.style import INK, use


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
