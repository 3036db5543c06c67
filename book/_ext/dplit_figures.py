"""Figures that a reader can move: sliders on the page, numbers that the package computed for it.

Where ``data/figures/`` has numbers of a chapter's figure (``book/figures.py``), the page carries them as JSON
beside the picture, and loads one script that draws them. The script and its style lie in ``interactive/``
and not under ``_static``, whose scripts every page loads. Without the script, and in print, the picture shows.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from docutils import nodes

BOOK = Path(__file__).resolve().parents[1]
SOURCE = BOOK / "_interactive"
STORED = BOOK.parent / "data" / "figures"
FOLDER = "interactive"  # in the site
MARK = 'class="figure-data"'
BORROWED = {"index": ("majority", "fig-first")}  # pages that show a chapter's figure


def add_data(app, doctree, docname):
    """Put the numbers of a figure that moves beside its picture."""
    page = docname.removeprefix("book/")
    chapter, name = BORROWED.get(page, (page, None))
    path = STORED / f"{chapter}.json"
    if app.builder.name != "html" or not path.is_file():
        return
    kept = json.loads(path.read_text("utf-8"))
    (figure,) = (f for f in doctree.findall(nodes.figure) if (name or kept["figure"]) in f["ids"])
    text = json.dumps(kept["numbers"], separators=(",", ":"), ensure_ascii=False)
    text = text.replace("</", "<\\/")
    script = f'<script type="application/json" {MARK}>{text}</script>'
    figure.insert(0, nodes.raw("", script, format="html"))


def add_script(app, pagename, templatename, context, doctree):
    """Give a page with such a figure the script and its style, and no other page."""
    if MARK in context.get("body", ""):
        app.add_js_file(f"../{FOLDER}/figures.js", defer="defer")
        app.add_css_file(f"../{FOLDER}/figures.css")


def copy_script(app, error):
    """Copy script and style into the finished site."""
    if not error and app.builder.name == "html":
        shutil.copytree(SOURCE, Path(app.outdir, FOLDER), dirs_exist_ok=True)


def setup(app):
    app.connect("doctree-resolved", add_data)
    app.connect("html-page-context", add_script, priority=600)
    app.connect("build-finished", copy_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
