"""Run one chapter again at numbers of one's own: ``python book/rerun.py majority epsilon=2``.

The first code cell of a chapter with the tag ``parameters`` gives them, one a line, as
``epsilon = 1.0  # change me``. The executed copy goes to ``_build/rerun/``, and what its cells print
is printed; the book itself stays as it is.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parent
RERUN = BOOK.parent / "_build" / "rerun"
TAG = "parameters"
LINE = re.compile(r"^(\w+) = (.+?)  # change me\b:? ?(.*)$", re.MULTILINE)


def cell_of(notebook):
    """The cell of a notebook's parameters; None if it has none."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    tagged = [cell for cell in code[:1] if TAG in cell["metadata"].get("tags", ())]
    return tagged[0] if tagged else None


def parameters(notebook):
    """What a notebook lets its reader change.

    Parameters
    ----------
    notebook : mapping
        As JSON or as nbformat reads it.

    Returns
    -------
    dict of name to (value, remark), in the cell's order; empty without such a cell.
    """
    cell = cell_of(notebook)
    lines = LINE.findall("".join(cell["source"])) if cell else ()
    return {name: (ast.literal_eval(value), remark) for name, value, remark in lines}


def change(notebook, values):
    """Write other values into the cell of parameters.

    Parameters
    ----------
    notebook : NotebookNode
        Changed in place.
    values : mapping of name to number

    Raises
    ------
    ValueError
        A name that is none of the notebook's parameters.
    """
    known = parameters(notebook)
    unknown = [name for name in values if name not in known]
    if unknown:
        there = ", ".join(known) or "none"
        raise ValueError(f"there is no parameter {', '.join(unknown)}; the chapter has {there}")
    if values:
        cell = cell_of(notebook)
        cell["source"] = LINE.sub(lambda found: _line(found, values), cell["source"])


def _line(found, values):
    name = found[1]
    end = found[0].partition("  # ")[2]
    return f"{name} = {values[name]!r}  # {end}" if name in values else found[0]


def read(stem):
    """The notebook of a chapter."""
    import nbformat

    return nbformat.read(BOOK / f"{stem}.ipynb", as_version=4)


def run(stem, values):
    """A chapter executed at other values, NotebookNode.

    Parameters
    ----------
    stem : str
    values : mapping of name to number

    Raises
    ------
    ValueError
        A name that is none of the chapter's parameters.
    nbclient.exceptions.CellExecutionError
        A cell that fails, as an assert that holds at the book's own values alone.
    """
    from nbclient import NotebookClient

    notebook = read(stem)
    change(notebook, values)
    where = {"metadata": {"path": str(BOOK)}}
    NotebookClient(notebook, kernel_name="python3", resources=where).execute()
    return notebook


def printed(notebook):
    """What the cells of an executed notebook print, and their last values, as text."""
    parts = []
    for cell in notebook["cells"]:
        for out in cell.get("outputs", ()):
            text = out.get("text") or out.get("data", {}).get("text/plain", "")
            parts.append("".join(text).rstrip())
    return "\n".join(filter(None, parts))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("chapter", help="the chapter's stem, as majority")
    parser.add_argument("set", nargs="*", metavar="NAME=VALUE", help="as epsilon=2")
    options = parser.parse_args(arguments)
    path = BOOK / f"{options.chapter}.ipynb"
    if not path.is_file():
        parser.error(f"there is no chapter {options.chapter!r} in {BOOK.name}/")
    try:
        notebook = run(options.chapter, dict(_setting(text) for text in options.set))
    except ValueError as error:
        parser.error(str(error))
    import nbformat

    from dplit.ground.writing import write_whole

    RERUN.mkdir(parents=True, exist_ok=True)
    write_whole(RERUN / path.name, f"{nbformat.writes(notebook).rstrip()}\n".encode())
    print(printed(notebook))
    print(f"executed: {(RERUN / path.name).relative_to(BOOK.parent)}")
    return 0


def _setting(text):
    """ "epsilon=2" as a pair."""
    name, _, value = text.partition("=")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        raise ValueError(f"must be NAME=VALUE with a number, got {text!r}") from None


if __name__ == "__main__":
    sys.exit(main())
