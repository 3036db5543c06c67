"""Drawings with which the chapters on labels, random trees and multinomial forests open.

A record is a filled disc if it is of the first class and a hollow square if it is of the second. Everything is
drawn on axes that the caller has, from the arguments alone: the numbers beside a drawing can be worked out by
hand.
"""

from collections.abc import Sequence

from matplotlib.axes import Axes

from dplit import plotting

KINDS = (("o", plotting.BLUE, plotting.BLUE), ("s", "none", plotting.ORANGE))  # mark, face, edge
STEP = 0.3  # between the records of a leaf


def bare(ax: Axes, left: float, right: float, bottom: float, top: float) -> None:
    """Axes without frame, ticks and grid, for a drawing between these limits."""
    ax.set(xlim=(left, right), ylim=(bottom, top))
    ax.axis("off")


def draw_record(ax: Axes, x: float, y: float, kind: int, *, words: str = "") -> None:
    """One record, with words below it: a filled disc for class 0, a hollow square for class 1."""
    mark, face, edge = KINDS[kind]
    ax.scatter(x, y, s=80, marker=mark, facecolors=face, edgecolors=edge, lw=1.8, zorder=3)
    if words:
        ax.text(x, y - 0.2, words, ha="center", va="top", fontsize=9)


def draw_leaf(
    ax: Axes,
    counts: Sequence[int],
    x: float,
    y: float = 0.0,
    *,
    words: str = "",
    above: str = "",
    bold: bool = False,
) -> None:
    """A leaf: a box 1 wide and 1.3 high with a column of records, at most 4, for each of two classes.

    Its lower left corner is at (x, y), `words` stand below it and `above` above; a `bold` frame is thicker.
    """
    width = 2.6 if bold else 1.2
    frame = [x, x + 1, x + 1, x, x], [y, y, y + 1.3, y + 1.3, y]
    ax.plot(*frame, color=plotting.INK, lw=width)
    for kind, count in enumerate(counts):
        for i in range(count):
            draw_record(ax, x + 0.3 + 0.4 * kind, y + 0.2 + STEP * i, kind)
    ax.text(x + 0.5, y - 0.1, words, ha="center", va="top", fontsize=9)
    ax.text(x + 0.5, y + 1.36, above, ha="center", va="bottom", fontsize=9)


def draw_neighbours(
    ax: Axes,
    counts: Sequence[int],
    neighbours: Sequence[Sequence[int]],
    words: Sequence[str],
    *,
    above: Sequence[str],
) -> None:
    """A leaf, and an arrow from it to each neighbour: words below all of them, and above each neighbour."""
    first, *rest = words
    draw_leaf(ax, counts, 0, words=first, bold=True)
    ax.annotate("", (1.95, 0.65), (1.1, 0.65), arrowprops={"arrowstyle": "->", "color": plotting.INK})
    ax.text(1.5, 0.75, "one step", ha="center", va="bottom", fontsize=9)
    each = zip(neighbours, rest, above, strict=True)
    for place, (neighbour, below, step) in enumerate(each):
        draw_leaf(ax, neighbour, 2.1 + 1.45 * place, words=below, above=step)
    bare(ax, -0.2, 2 + 1.45 * len(rest), -0.85, 1.75)


def draw_paths(ax: Axes, paths: Sequence[Sequence[int]], features: int, words: Sequence[str]) -> None:
    """What paths of a tree test: a row a path, a bin a feature, a numbered ball a node, words beside each row.

    A path has the feature, from 0, that each node tests, from the root on.
    """
    for row, (path, beside) in enumerate(zip(paths, words, strict=True)):
        y = -1.25 * row
        for feature in range(features):
            bin_ = [feature, feature, feature + 0.8, feature + 0.8], [y + 0.9, y, y, y + 0.9]
            ax.plot(*bin_, color=plotting.INK, lw=1.2)
        for node, feature in enumerate(path):
            held = path[:node].count(feature)
            at = feature + 0.2 + 0.2 * held, y + 0.22 + 0.24 * held
            ax.scatter(*at, s=120, facecolors="none", edgecolors=plotting.BLUE, lw=1.6)
            ax.text(*at, str(node + 1), ha="center", va="center", fontsize=8)
        ax.text(features + 0.1, y + 0.4, beside, va="center", fontsize=9)
    for feature in range(features):
        ax.text(feature + 0.4, 1, f"feature {feature + 1}", ha="center", va="bottom", fontsize=9)
    bare(ax, -0.1, features + 2.6, -1.25 * len(paths) + 1.1, 1.35)


def draw_deals(ax: Axes, rows: Sequence[tuple[str, Sequence[Sequence[int]], str]]) -> None:
    """How records may be dealt to trees of one leaf: a row a deal, a box a tree.

    A row says what is dealt, the counts in each tree, and what follows from it.
    """
    for row, (before, deal, after) in enumerate(rows):
        y = -1.75 * row
        ax.text(-0.15, y + 0.65, before, ha="right", va="center", fontsize=9)
        for tree, counts in enumerate(deal):
            above = f"tree {tree + 1}" if row == 0 else ""
            draw_leaf(ax, counts, 1.4 * tree, y, above=above)
        ax.text(1.4 * len(rows[0][1]) - 0.1, y + 0.65, after, va="center", fontsize=9)
    bare(ax, -1.7, 1.4 * len(rows[0][1]) + 3.1, -1.75 * (len(rows) - 1) - 0.2, 1.75)


def draw_splits(ax: Axes, rows: Sequence[Sequence], words: Sequence[str]) -> None:
    """Records in the order of a feature, and where a cut parts them: a row a cut, from the top down.

    A row holds pairs of a record's name and class, and ``"|"`` where the cut is; words stand beside it. Rows are
    1 apart, records too; the caller sets the limits.
    """
    for row, (line, beside) in enumerate(zip(rows, words, strict=True)):
        place = 0.0
        for item in line:
            if item == "|":
                cut = [place - 0.5, place - 0.5], [-row - 0.35, -row + 0.35]
                ax.plot(*cut, color=plotting.INK, lw=3)
            else:
                draw_record(ax, place, -row, item[1], words=str(item[0]))
                place += 1
        ax.text(place - 0.3, -row, beside, va="center", fontsize=9)
