"""Drawings of the matrix chapters and of the boosted forest, on the caller's axes and from the caller's numbers.

What is decisive is bold and framed, or wide, so that no reader needs the colour.
"""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from dplit.ground.errors import check_choice
from dplit.plotting.style import BLUE, INK, ORANGE, PALETTE, use

CELL = 0.8  # side of a drawn cell, where cells are one unit apart


def _bare(ax: Axes) -> None:
    """No frame, no ticks, no grid."""
    ax.grid(False)
    ax.set(xticks=[], yticks=[])
    for side in ax.spines.values():
        side.set_visible(False)


def _text(ax: Axes, x: float, y: float, words: str, *, bold: bool = False, **style: object) -> None:
    """Centred words; bold ones in an orange frame, for words in orange would be hard to read."""
    frame = {"boxstyle": "round,pad=0.15", "fc": "none", "ec": ORANGE}
    style = {"ha": "center", "va": "center", "color": INK} | style
    weight = "bold" if bold else "normal"
    ax.text(x, y, words, weight=weight, bbox=frame if bold else None, **style)


def draw_stump(
    ax: Axes, column: str, leaves: Sequence[str], counts: Sequence, *, at: float = 0.0, reached: int | None = None
) -> None:
    """A tree with one test: the column on top, a branch to each leaf, the leaf's counts below its name.

    Leaves are a level each, one unit apart from `at` on; counts are shown as they are. The leaf that a query
    reached has a wide branch and bold words.
    """
    middle = at + (len(leaves) - 1) / 2
    _text(ax, middle, 1.12, column, style="italic")
    for place, (leaf, count) in enumerate(zip(leaves, counts, strict=True)):
        mine = place == reached
        style = {"color": ORANGE if mine else INK, "lw": 3.5 if mine else 1.2}
        ax.plot([middle, at + place], [1, 0.32], **style)
        _text(ax, at + place, 0.06, f"{leaf}\n{count}", bold=mine)
    _bare(ax)


def draw_noisy_cells(
    ax: Axes,
    rows: Sequence[str],
    columns: Sequence[str],
    record: tuple[int, int],
    noise: str = "cells",
    *,
    at: float = 0.0,
) -> int:
    """The cells of two columns, the leaves of a tree on each, one record, and where noise is added.

    Levels of the first and of the second column are `rows` and `columns`; the leaves stand beside and below the
    cells, which are one unit wide and begin at `at`. The record is its cell. Noise is on "cells" or "leaves":
    every noisy number has the sign ±, and those that the record changes are bold. Their number is returned.
    """
    on_cells = check_choice(noise, ("cells", "leaves"), "noise") == "cells"
    right, below, touched = at + len(columns) - 0.4, len(rows) - 0.1, 0
    for i, j in np.ndindex(len(rows), len(columns)):
        across, mine = at + j, (i, j) == tuple(record)
        edges = [across - CELL / 2, across + CELL / 2], i - CELL / 2, i + CELL / 2
        ax.fill_between(*edges, color=INK, alpha=0.15, lw=0)
        if mine:
            ax.plot(across - 0.25, i, "o", color=ORANGE)
        if on_cells:
            _text(ax, across + 0.1, i, "±", bold=mine)
            touched += mine
    leaves = [(right, i, name, i == record[0], "left") for i, name in enumerate(rows)]
    leaves += [(at + j, below, name, j == record[1], "center") for j, name in enumerate(columns)]
    for x, y, name, mine, side in leaves:
        sign = "" if on_cells else " ±" if side == "left" else "\n±"
        _text(ax, x, y, name + sign, bold=mine and not on_cells, ha=side)
        touched += mine and not on_cells
    ax.set(xlim=(-0.6, right + 1.5), ylim=(below + 0.6, -0.6), aspect="equal")
    _bare(ax)
    return touched


def draw_laws(ax: Axes, laws: dict[float, dict[float, float]], readings: dict[float, float]) -> None:
    """What a release says at each count: a line of disks, whose areas are the probabilities.

    Laws are probabilities of outputs by the count, the first on top; a cross stands at the count itself. Readings
    are where an output is drawn: the count that it is read as.
    """
    ends = min(readings.values()), max(readings.values())
    for line, (count, law) in enumerate(laws.items()):
        ax.plot(ends, [-line, -line], lw=0.8, color=INK, zorder=0)
        ax.plot(count, -line, "x", ms=9, color=INK)
        for output, probability in law.items():
            disk = {"s": 1200 * probability, "color": BLUE, "lw": 0}
            ax.scatter(readings[output], -line, **disk)
            _text(ax, readings[output], 0.4 - line, f"{probability:.2f}")
    ax.set_yticks([-line for line in range(len(laws))], [f"true count {count}" for count in laws])
    ax.set_xticks(list(readings.values()), [f"{x:.2f}" for x in readings.values()])
    margin = 0.15 * (ends[1] - ends[0])
    ax.set(xlim=(ends[0] - margin, ends[1] + margin), ylim=(-len(laws) + 0.5, 0.6))
    ax.grid(False)


def draw_dealing(ax: Axes, order: Sequence[str], newcomer: tuple[int, str], trees: int) -> list[str]:
    """Records dealt in turn to trees, in shuffled order, before and after one more stands among them.

    The newcomer has a place in the new order, and a name. Returned are the records whose tree is another one now;
    they are bold, like the newcomer.
    """
    place, name = newcomer
    after = [*order[:place], name, *order[place:]]
    was = {record: i % trees for i, record in enumerate(order)}
    moved = [record for i, record in enumerate(after) if record in was and was[record] != i % trees]
    for line, records in enumerate((list(order), after)):
        for i, record in enumerate(records):
            mark = line == 1 and (record in moved or record == name)
            _text(ax, i, -1.4 * line, record, bold=mark, size=12)
            _text(ax, i, -1.4 * line - 0.45, f"tree {i % trees + 1}", size=9, bold=mark)
    _text(ax, -0.8, -0.2, "without", ha="right")
    _text(ax, -0.8, -1.6, f"with {name}", ha="right")
    ax.set(xlim=(-2, len(after) - 0.3), ylim=(-2.2, 0.5))
    _bare(ax)
    return moved


def draw_residuals(ax: Axes, x: ArrayLike, residuals: ArrayLike, cut: float) -> tuple[float, float]:
    """Residuals of records along a column, as they enter the sums, and these sums on either side of a cut."""
    x, residuals = np.asarray(x, dtype=float), np.asarray(residuals, dtype=float)
    up = residuals > 0
    for side, color, hatch in ((up, ORANGE, ""), (~up, BLUE, "//")):
        ax.bar(x[side], residuals[side], 0.03, color=color, hatch=hatch, edgecolor=INK)
    ax.axvline(cut, ls="--", lw=1.5, color=INK)
    ax.axhline(0, lw=1, color=INK)
    sums = float(residuals[x <= cut].sum()), float(residuals[x > cut].sum())
    top = 1.25 * np.abs(residuals).max()
    for total, middle in zip(sums, ((x.min() + cut) / 2, (x.max() + cut) / 2), strict=True):
        _text(ax, middle, top, f"sum {total:+g}")
    ax.set_ylim(-1.1 * top, 1.25 * top)
    return sums


def scaling_panels(points: dict, marks: dict[str, str]) -> None:
    """Error of a search, and below it its time, against three sizes: a column for each size.

    Points are as `dplit.experiments.stored_scaling` gives them; drawn are the strategies that have a mark.
    """
    use()
    figure, panels = plt.subplots(2, len(points), figsize=(7.6, 5.2), sharex="col", height_ratios=(3, 2))
    for (axis, line), (above, below) in zip(points.items(), panels.T, strict=True):
        for (name, mark), color in zip(marks.items(), PALETTE):
            known = {n: p["error"][name] for n, p in line.items() if name in p["error"]}
            above.loglog(list(known), list(known.values()), mark + "-", ms=4, lw=1.2, color=color, label=name)
        least = [min(p["error"].values()) for p in line.values()]
        above.loglog(list(line), least, color=INK, lw=6, alpha=0.3, zorder=0, label="selected")
        below.loglog(list(line), [p["seconds"] for p in line.values()], "o-", ms=4, color=INK)
        below.set(xlabel=axis, ylim=(0.01, 1))
    panels[0, 0].set_ylabel(r"error, in $2/\epsilon^2$")
    panels[1, 0].set_ylabel("CPU seconds")
    handles = {h.get_label(): h for ax in panels[0] for h in ax.get_lines()}
    figure.legend(handles.values(), handles, ncols=5, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, 1.07))
    figure.tight_layout()
