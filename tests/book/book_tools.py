"""Where the book's sources and pages are, for the tests that read them."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
NOTEBOOKS = sorted(BOOK.glob("*.ipynb"))
SOURCES = sorted([*BOOK.rglob("*.md"), *NOTEBOOKS])
PAGES = [p.relative_to(ROOT).with_suffix(".html").as_posix() for p in SOURCES]
BUILD_SECONDS = 500
MOVING = {  # the figures with controls, by page
    "book/index.html": "fig-first",
    "book/occupancy.html": "fig-occupancy-tails",
    "book/majority.html": "fig-majority-bound",
    "book/matrix_strategies.html": "fig-strategy-votes",
    "book/bench.html": "fig-bench-above",
}


def chapters():
    """Stems of the chapters: the notebooks in the numbered parts of the table of contents."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    numbered = [part for part in toc["parts"] if part.get("numbered")]
    return [Path(entry["file"]).stem for part in numbered for entry in part["chapters"]]


def cells(path, kind):
    """The cells of a notebook of one kind, "code" or "markdown", each with its source as a string."""
    notebook = json.loads(path.read_text("utf-8"))
    found = [cell for cell in notebook["cells"] if cell["cell_type"] == kind]
    return [{**cell, "source": "".join(cell["source"])} for cell in found]


def sources(path):
    """(kind, source) of every cell of a notebook, in order."""
    notebook = json.loads(path.read_text("utf-8"))
    return [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]


def is_fresh(site):
    """True if the site was built after the last change of any of its sources."""
    stamp = site / ".built"
    return stamp.is_file() and stamp.stat().st_mtime >= max(map(_changed, _inputs()))


def _inputs():
    yield from (ROOT / "_config.yml", ROOT / "_toc.yml", ROOT / "CITATION.cff")
    for folder in ("book", "dplit", "data"):
        for path in (ROOT / folder).rglob("*"):
            parts = path.relative_to(ROOT).parts
            hidden = any(part.startswith((".", "__pycache__")) for part in parts)
            if path.is_file() and not hidden:
                yield path


def _changed(path):
    return path.stat().st_mtime


def build(folder):
    """Build the site, once even if several processes ask for it; warnings are errors.

    It is that of ``make book`` where the tests run in the environment that make has made, else one in `folder`."""
    by_make = Path(sys.prefix) == ROOT / ".venv" and shutil.which("make")
    site = (ROOT if by_make else folder) / "_build" / "html"
    try:
        folder.mkdir(parents=True)
    except FileExistsError:  # another worker builds it
        deadline = time.monotonic() + BUILD_SECONDS
        while not (folder / "built").is_file():
            failed = (folder / "failed").is_file()
            assert not failed and time.monotonic() < deadline, "the site does not build"
            time.sleep(0.5)
        return site
    flags = ["--all", "-W", "-n", "--keep-going", "--path-output", str(folder)]
    book = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", ".", *flags]
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    made = subprocess.run(
        ["make", "site"] if by_make else book,
        cwd=ROOT,
        env={**env, "PYTHONPATH": search},
        capture_output=True,
        text=True,
    )
    (folder / ("failed" if made.returncode else "built")).touch()
    assert made.returncode == 0, f"the site does not build:\n{made.stdout}\n{made.stderr}"
    return site
