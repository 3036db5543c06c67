"""How the commands print: tables by Rich, wrapped lines, JSON."""

import json
import os
import re
import shutil
import sys
import textwrap

WIDTH = 100  # columns of a paragraph
EVERYTHING = 100_000  # columns of a table that no terminal shows
NUMBER = re.compile(r"[-+]?[\d.,]*(e[-+]?\d+)?|-|inf|nan")
STYLES = {"yes": "green", "NO": "bold red", "<--": "bold red"}  # by a cell's last word


def table(rows, names=None):
    """Rows, sequence of dict or of sequences of str, as text in aligned columns; numbers are flush right.

    `names`: sequence of str; the columns, left out those of the first row. On a terminal long cells are
    folded between words; in a pipe or a file a line is as long as it has to be.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    names = list(names or rows[0])
    cells = [[cell(row[n]) for n in names] if isinstance(row, dict) else [*map(cell, row)] for row in rows]
    shown, least = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0)), 0
    for name, *column in zip(names, *cells):
        right = bool(column) and all(map(NUMBER.fullmatch, column))
        longest = max(len(word) for text in (name, *column) for word in text.split() or [""])
        whole = {"min_width": longest, "no_wrap": all(len(text) <= longest for text in column)}
        shown.add_column(Text(name), justify="right" if right else "left", **whole)
        least += longest + 2
    for row in cells:
        shown.add_row(*(Text(c, STYLES.get(c.split()[-1] if c else "", "")) for c in row))
    width = max(shutil.get_terminal_size().columns, least - 2) if sys.stdout.isatty() else EVERYTHING
    console = Console(width=width, color_system=None if os.environ.get("NO_COLOR") else "auto")
    with console.capture() as printed:
        console.print(shown, crop=False)
    return "\n".join(line.rstrip() for line in printed.get().splitlines())


def cell(value):
    """A cell's text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def wrapped(words, indent="  "):
    """`words` broken into lines of at most `WIDTH` columns; all but the first are indented."""
    width = min(WIDTH, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDTH
    return textwrap.fill(words, width, subsequent_indent=indent, break_on_hyphens=False)


def dump(found):
    """`found` as indented JSON; arrays, fractions and infinities become plain."""
    from dplit.ground.work import plain

    return json.dumps(plain(found), indent=2, ensure_ascii=False, allow_nan=False)
