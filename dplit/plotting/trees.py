"""Pictures of a fitted forest: one of its trees, and what one column adds to its scores."""

from __future__ import annotations

from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from dplit.plotting.charts import MARKS
from dplit.plotting.style import INK, use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dplit.forests.base import BaseForest
    from dplit.forests.export import Branch
    from dplit.forests.shapes import Shape


def plot_shape(shape: Shape, *, ax: Axes | None = None) -> Axes:
    """Draw what one column adds to a boosted forest's scores, where its trees test one column each.

    Steps between the public bounds of a continuous column, a bar for each level of a categorical one; for more
    than two classes a line or a mark for each class. `dplit.forests.shapes.additive_shape` reads the shape off a
    forest, for free. Axes that are left out are those of a new figure.
    """
    if ax is None:
        with plt.rc_context():  # later figures have their own style
            use()
            return plot_shape(shape, ax=plt.subplots()[1])
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
    elif shape.scale == "log":
        ax.set_xscale("log" if shape.edges[0] > 0 else "symlog")
    ax.set(xlabel=shape.column, ylabel="added" if several else f"added to {shape.outputs[0]}")
    if several:
        ax.legend()
    return ax


def plot_tree(
    forest: BaseForest, tree: int = 0, *, max_depth: int = 3, decimals: int = 2, ax: Axes | None = None
) -> Axes:
    """Draw one tree of a fitted forest: conditions with the names of columns and levels, and its leaves.

    Nothing but what `fit` released is read, so it costs no privacy. Trees are numbered from 0, and three dots
    stand for what lies below `max_depth` levels; `decimals` are of cuts and means. Axes that are left out are
    those of a new figure, as large as the tree needs. Errors are those of `dplit.forests.export.export_text`.
    """
    branch_of = import_module("dplit.forests.export").branch_of  # which no chapter needs

    placed, rows = [], count()
    root = branch_of(forest, tree, max_depth, decimals)
    _place(root._replace(condition=f"tree {tree}"), 0, rows, placed)
    height, width = next(rows), 1 + max(level for _, level, _, _ in placed)
    if ax is None:
        with plt.rc_context():
            use()
            ax = plt.subplots(figsize=(2.3 * width, 0.42 * height + 0.3))[1]
            return plot_tree(forest, tree, max_depth=max_depth, decimals=decimals, ax=ax)
    for row, level, words, below in placed:
        ax.plot([level, level + 1], [row, row], color=INK, lw=1)
        ax.text(level + 0.04, row - 0.08, words, va="bottom", fontsize=9)
        if below:
            ax.plot([level + 1, level + 1], [below[0], below[-1]], color=INK, lw=1)
    ax.set(xlim=(-0.05, width + 0.05), ylim=(height - 0.5, -1))
    ax.axis("off")
    return ax


def _place(branch: Branch, level: int, rows: Iterator[int], placed: list) -> float:
    """Give a branch and all below it a row, a level and words; a test stands amid its outcomes."""
    only = branch.below[0] if len(branch.below) == 1 else None
    if only is not None and not only.below:
        row, words, below = next(rows), f"{branch.condition}: {only.leaf or only.condition}", []
    else:
        below = [_place(child, level + 1, rows, placed) for child in branch.below]
        row, words = sum(below) / len(below), branch.condition
    placed.append((row, level, words, below))
    return row
