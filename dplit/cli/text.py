"""How the commands print: aligned tables, wrapped lines, JSON."""

import json
import textwrap

WIDTH = 100  # columns of a report


def aligned(header, cells, shrink=None, right=(), width=WIDTH):
    """Rows of text in aligned columns.

    `header`: sequence of str. `cells`: sequence of sequences of str. `shrink`: int, optional; column that gives
    way, with an ellipsis, where the table is wider than `width`. Where that is not enough, long cells of the first
    column get a line of their own. `right`: sequence of int; columns that are set flush right.
    """
    widths = [max(map(len, column)) for column in zip(header, *cells)]
    if shrink is not None:
        over = sum(widths) + 2 * (len(widths) - 1) - width
        given = min(max(over, 0), max(widths[shrink] - 9, 0))
        widths[shrink] -= given
        widths[0] -= max(over - given, 0)
    lines = []
    for row in [header, ["-" * w for w in widths], *cells]:
        if len(row[0]) > widths[0]:
            lines.append(row[0])
            row = ["", *row[1:]]
        fitted = [_fit(c, w, i in right) for i, (c, w) in enumerate(zip(row, widths))]
        lines.append("  ".join(fitted).rstrip())
    return "\n".join(lines)


def _fit(cell, width, right):
    """`cell` in exactly `width` columns, cut with an ellipsis if it is longer."""
    cut = cell if len(cell) <= width else cell[: width - 1].rstrip() + "…"
    return cut.rjust(width) if right else cut.ljust(width)


def wrapped(words, indent="  "):
    """`words` broken into lines of at most `WIDTH` columns; all but the first are indented."""
    return textwrap.fill(words, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def dump(found):
    """`found` as indented JSON; arrays, fractions and infinities become plain."""
    from dplit.ground.work import plain

    return json.dumps(plain(found), indent=2, ensure_ascii=False, allow_nan=False)
