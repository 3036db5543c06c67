"""Drawings with which the chapters on mechanisms and median forests open: leaves, columns, cuts, trees.

As `dplit.plotting.drawings_labels`, but hollow records are discs, too. What makes a figure of its own returns
nothing, so that a cell can end with it.
"""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.patches import FancyBboxPatch, Rectangle
from numpy.typing import ArrayLike

from dplit.plotting.style import BLUE, GREEN, INK, ORANGE, PURPLE, legend_above, use

COLORS = (BLUE, ORANGE, GREEN, PURPLE)
DISC = {"s": 90, "lw": 1.6, "zorder": 3}


def disc(ax: Axes, x: ArrayLike, y: ArrayLike, kind: int, **style: object) -> PathCollection:
    """One record: filled blue for the kind 0, a hollow orange ring for every other kind.

    The kind is the class of the record, or 1 for a target at the upper bound and 0 for one at the lower. `style`
    is for ``ax.scatter``.
    """
    face = COLORS[0] if kind == 0 else "none"
    return ax.scatter(x, y, facecolors=face, edgecolors=COLORS[min(kind, 1)], **{**DISC, **style})


def box(ax: Axes, x: float, y: float, width: float, height: float, label: str = "") -> FancyBboxPatch:
    """A leaf, or a part of the records: a rounded frame with a label above its upper left corner."""
    frame = FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.08", fill=False, ec=INK)
    ax.add_patch(frame)
    ax.text(x, y + height + 0.06, label, va="bottom", fontsize=10)
    return frame


def blank(ax: Axes, xlim: tuple[float, float], ylim: tuple[float, float]) -> None:
    """Axes without frame and ticks, that a drawing fills itself."""
    ax.set(xlim=xlim, ylim=ylim)
    ax.axis("off")


def leaves_and_laws(leaves: dict[str, Sequence[int]], laws: dict[str, Sequence[float]]) -> None:
    """Draw leaves with their records, and beside them how probable each mechanism makes the second class.

    Leaves are counts of two classes, by the leaf's name; laws the probability that the mechanism of this name
    reports the class 1, a leaf each.
    """
    use()
    figure, (left, right) = plt.subplots(1, 2, figsize=(6.4, 2.6), width_ratios=(1, 1.15))
    blank(left, (-0.1, 3.4), (-0.1, 1.6 * len(leaves)))
    for row, (name, counts) in enumerate(leaves.items()):
        y = 1.6 * (len(leaves) - 1 - row)
        box(left, 0, y, 3.2, 1.0, f"{name}: counts {', '.join(map(str, counts))}")
        for k, count in enumerate(counts):
            disc(left, 0.35 + 0.42 * np.arange(count), np.full(count, y + 0.72 - 0.45 * k), k)
    at, wide = np.arange(len(leaves)), 0.8 / len(laws)
    for i, (name, chances) in enumerate(laws.items()):
        bars = right.bar(at + (i - (len(laws) - 1) / 2) * wide, chances, wide * 0.92, label=name)
        right.bar_label(bars, fmt="%.3f", fontsize=9, padding=2)
    right.set_xticks(at, list(leaves))
    right.set(ylabel="probability of class 1", ylim=(0, 0.6))
    right.legend(fontsize=9, loc="lower left", bbox_to_anchor=(0, 1))
    figure.tight_layout()


def parts(rows: list[tuple[str, Sequence[Sequence[int]]]], columns: Sequence[str]) -> None:
    """Draw who is in which part of the records: a row for each way in which these may be divided.

    A row has what it shows, and for each part, named by `columns`, the classes of the records in it.
    """
    use()
    _, ax = plt.subplots(figsize=(6.4, 0.3 + 0.75 * len(rows)))
    blank(ax, (-3.2, 2.2 * len(columns)), (-0.15, 1.0 * len(rows) + 0.3))
    for i, name in enumerate(columns):
        ax.text(2.2 * i + 0.9, len(rows) + 0.05, name, ha="center", fontsize=10)
    for row, (name, held) in enumerate(rows):
        y = len(rows) - 1 - row
        ax.text(-3.2, y + 0.35, name, va="center", fontsize=10)
        for i, classes in enumerate(held):
            box(ax, 2.2 * i, y, 1.8, 0.7)
            for k, kind in enumerate(classes):
                disc(ax, 2.2 * i + 0.9 + 0.45 * (k - (len(classes) - 1) / 2), y + 0.35, kind)


def column(
    ax: Axes,
    values: Sequence[float],
    lower: float,
    upper: float,
    y: float = 0.0,
    kinds: Sequence[int] | None = None,
) -> None:
    """A column of a table as a line between its public bounds, marked by strokes, with a record at each value.

    Records at one value are stacked; `y` is the height of the line. Kinds are as in `disc`, all 0 if left out.
    """
    reach = 0.06
    ax.plot([lower, upper], [y, y], color=INK, lw=1.2, zorder=1)
    for end in (lower, upper):
        ax.plot([end, end], [y - reach, y + reach], color=INK, lw=1.2)
    seen = {}
    for value, kind in zip(values, kinds if kinds is not None else [0] * len(values)):
        disc(ax, value, y + 0.17 * seen.get(value, 0), kind, s=70)
        seen[value] = seen.get(value, 0) + 1


def moved_mean(sets: dict[str, Sequence[float]], lower: float, upper: float) -> None:
    """Draw targets of neighbouring data sets, named, on lines between their bounds, each with mean and squared
    error.
    """
    use()
    _, ax = plt.subplots(figsize=(6.4, 0.4 + 1.15 * len(sets)))
    wide = upper - lower
    blank(ax, (lower - 0.22 * wide, upper + 0.05 * wide), (-0.55, 1.2 * len(sets) - 0.15))
    for row, (name, targets) in enumerate(sets.items()):
        y = 1.2 * (len(sets) - 1 - row)
        column(ax, targets, lower, upper, y)
        mean = np.mean(targets)
        ax.plot(mean, y - 0.2, "^", color=ORANGE, ms=9)
        words = f"mean {mean:.3g}, mean squared error {np.var(targets):.3g}"
        ax.text(mean + 0.03 * wide, y - 0.2, words, va="center", fontsize=10)
        ax.text(lower - 0.05 * wide, y, name, ha="right", va="center")
    ax.text(lower, -0.5, f"{lower:g}", ha="center", fontsize=10)
    ax.text(upper, -0.5, f"{upper:g}", ha="center", fontsize=10)


def intervals(
    values: Sequence[float],
    lower: float,
    upper: float,
    densities: dict[str, Sequence[float]],
    notes: Sequence[str],
) -> None:
    """Draw the intervals between the n sorted records of a column, and how dense the cut is in each.

    Densities, shape (n + 1,), are by the name of the mechanism. Notes, as many, are written over the intervals
    that have a length, a score for example.
    """
    use()
    _, ax = plt.subplots(figsize=(6.4, 3.2))
    edges = np.concatenate([[lower], values, [upper]])
    top = max(max(d) for d in densities.values())
    for (name, density), color, style in zip(densities.items(), COLORS, ("-", "--", "-.", ":")):
        ax.stairs(density, edges, color=color, ls=style, lw=2, label=name)
    for left, right, note in zip(edges, edges[1:], notes):
        if right > left:
            ax.text((left + right) / 2, 1.12 * top, note, ha="center", fontsize=9)
    disc(ax, values, np.zeros(len(values)), 0, s=60, clip_on=False)
    ax.set(xlabel="value", ylabel="density of the cut", xlim=(lower, upper), ylim=(0, 1.22 * top))
    legend_above(ax)


def counted_tree(levels: Sequence[Sequence[int]], expected: float | None = None) -> None:
    """Draw a binary tree whose nodes say how many records they hold, as discs and as a number.

    Levels have the counts of their nodes, from the root; level i has 2^i of them. The mean count of a leaf that
    is `expected` is written under the leaves.
    """
    use()
    leaves = len(levels[-1])
    _, ax = plt.subplots(figsize=(6.4, 0.95 * len(levels) + 0.3))
    blank(ax, (-0.6, leaves - 0.4), (-0.75, len(levels) - 0.35))
    for depth, counts in enumerate(levels):
        y, step = len(levels) - 1 - depth, leaves / len(counts)
        for i, count in enumerate(counts):
            x = step * (i + 0.5) - 0.5
            if depth:
                above = 2 * step * (i // 2 + 0.5) - 0.5
                ax.plot([above, x], [y + 0.72, y + 0.28], color=INK, lw=1)
            box(ax, x - 0.4, y - 0.28, 0.8, 0.56)
            disc(ax, x + 0.09 * (np.arange(count) - (count - 1) / 2), np.full(count, y + 0.1), 0, s=28)
            ax.text(x, y - 0.16, str(count), ha="center", va="center", fontsize=10)
    if expected is not None:
        words = f"expected in each leaf: {expected:g}"
        ax.text((leaves - 1) / 2, -0.62, words, ha="center", fontsize=10)


def cut_rows(targets: Sequence[int], rows: dict[str, Sequence[int]]) -> None:
    """Draw n records, by the kind of their target, in the order of a column, and where trees cut them.

    Rows are sizes of the leaves from left to right, by the name of the tree; their sum is n.
    """
    use()
    _, ax = plt.subplots(figsize=(6.4, 0.3 + 0.9 * len(rows)))
    blank(ax, (-2.6, len(targets)), (-0.2, 1.2 * len(rows)))
    for row, (name, sizes) in enumerate(rows.items()):
        y, start = 1.2 * (len(rows) - 1 - row), 0
        ax.text(-2.6, y + 0.35, name, va="center")
        for size in sizes:
            box(ax, start + 0.08, y, size - 0.16, 0.7)
            start += size
        for i, kind in enumerate(targets):
            disc(ax, i + 0.5, y + 0.35, int(kind))


def good_and_poor(columns: dict[str, tuple[Sequence[float], Sequence[int]]], good: tuple[float, float]) -> None:
    """Draw columns whose cuts are good in one range and poor elsewhere, with their records' values and kinds.

    A cut in the range `good` separates the kinds; all columns go from 0 to 1.
    """
    use()
    _, ax = plt.subplots(figsize=(6.4, 0.5 + 0.95 * len(columns)))
    blank(ax, (-0.25, 1.05), (-0.35, 1.0 * len(columns) - 0.05))
    for row, (name, (values, kinds)) in enumerate(columns.items()):
        y = 1.0 * (len(columns) - 1 - row)
        for (a, b), color, word in ((good, GREEN, "good cuts"), ((good[1], 1.0), ORANGE, "poor cuts")):
            ax.add_patch(Rectangle((a, y - 0.1), b - a, 0.2, color=color, alpha=0.25, lw=0))
            ax.text((a + b) / 2, y - 0.27, word, ha="center", fontsize=9)
        column(ax, values, 0.0, 1.0, y, kinds)
        ax.text(-0.06, y, name, ha="right", va="center")
