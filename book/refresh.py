"""Bring the notebooks and the API pages up to date with the code.

``python book/refresh.py`` re-executes each notebook whose inputs have changed since its outputs were stored
(`depends.py`), writes the pages of the API reference (`reference.py`), and keeps the evidence of the ledger,
the history of its verdicts (`evidence.py`), and the numbers of the figures that move (`figures.py`). The
README's picture is a chapter's figure, copied out of its notebook.

``--check`` changes nothing, lists what is stale, and exits with 1 if anything is.
``--all`` re-executes every notebook.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys

import evidence
import figures
import nbformat
import reference
from depends import BOOK, ROOT, STAMP, digest, is_stale, notebooks
from nbclient import NotebookClient

from dplit.court.ledger import certify
from dplit.ground.writing import write_whole

PICTURES = {BOOK / "_static" / "bound.png": (BOOK / "majority.ipynb", "fig-majority-bound")}


def execute(path):
    """Run a notebook from top to bottom in the book's folder and store its outputs and its stamp."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # else the timing of a flush would split an output in two
        resources={"metadata": {"path": str(BOOK)}},
    ).execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        STAMP: digest(path),
    }
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.metadata.pop("execution", None)
    write_whole(path, f"{nbformat.writes(notebook).rstrip()}\n".encode())


def picture(path, name):
    """Bytes of the stored PNG of a notebook's figure."""
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        figure = cell["metadata"].get("mystnb", {}).get("figure", {})
        if figure.get("name") == name:
            (image,) = (o["data"]["image/png"] for o in cell["outputs"] if "data" in o)
            return base64.b64decode("".join(image))
    raise KeyError(f"{path.name} has no figure {name}")


def stale_pictures():
    """Paths of pictures that are missing or differ from the figures that they show."""
    return [p for p, of in PICTURES.items() if not p.is_file() or p.read_bytes() != picture(*of)]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="list what is stale, change nothing")
    parser.add_argument("--all", action="store_true", help="re-execute every notebook")
    options = parser.parse_args(arguments)
    if options.check:
        stale = [path for path in notebooks() if options.all or is_stale(path)]
        stale += reference.stale_pages() + stale_pictures()
        stale += [evidence.path(chapter) for chapter in evidence.stale()] + evidence.orphans()
        stale += [figures.path(chapter) for chapter in figures.stale()]
        stale += [evidence.HISTORY] if evidence.missing_verdicts() else []
        for path in stale:
            print(f"{path.relative_to(ROOT)}: stale")
        return bool(stale)
    certify.store_boxes()
    evidence.bring_up_to_date()
    due = [path for path in notebooks() if options.all or is_stale(path)]
    reference.write_pages()
    for chapter in figures.stale():
        figures.write(chapter)
        print(f"{figures.path(chapter).relative_to(ROOT)}: written")
    for path in due:
        print(f"{path.relative_to(ROOT)}: executing", flush=True)
        execute(path)
    for path in stale_pictures():
        write_whole(path, picture(*PICTURES[path]))
        print(f"{path.relative_to(ROOT)}: written")
    print(f"{len(due)} of {len(notebooks())} notebooks executed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
