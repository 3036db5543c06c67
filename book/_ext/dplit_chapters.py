"""What each chapter needs, on the map and under its title, and the slides that are made of its page."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

BOOK = Path(__file__).resolve().parents[1]


@cache
def needs():
    """What each chapter needs, dict of stem to list of stems."""
    return yaml.safe_load((BOOK / "chapters.yml").read_text("utf-8"))


@cache
def parts():
    """The parts of the book that have chapters: list of (title, stems)."""
    toc = yaml.safe_load((BOOK.parent / "_toc.yml").read_text("utf-8"))
    numbered = [part for part in toc["parts"] if part.get("numbered")]
    return [(p["caption"], [Path(c["file"]).stem for c in p["chapters"]]) for p in numbered]


class ChapterMap(SphinxDirective):
    """A table of all chapters: number and title, what it needs."""

    def run(self):
        rows = [(stem, part) for part, stems in parts() for stem in stems]
        numbers = {stem: i for i, (stem, _) in enumerate(rows, 1)}
        table = nodes.table(classes=["chapter-map"])
        group = nodes.tgroup(cols=2)
        table += group
        group += [nodes.colspec(colwidth=w) for w in (65, 35)]
        group += nodes.thead("", _row(_text("Chapter"), _text("Needs")))
        body = nodes.tbody()
        group += body
        for stem, _ in rows:
            needed = sorted(needs().get(stem, ()), key=numbers.get)
            cells = [_link(n, str(numbers[n])) for n in needed] or [nodes.Text("none")]
            body += _row(_numbered(stem, numbers), _joined(cells))
        return [table]


def _numbered(stem, numbers):
    return nodes.paragraph("", "", nodes.Text(f"{numbers[stem]} "), _link(stem))


def _row(*cells):
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def _text(words):
    return nodes.paragraph("", words)


def _joined(links):
    """Links with commas between them, in one paragraph."""
    found = nodes.paragraph()
    for i, link in enumerate(links):
        found += [nodes.Text(", ")] if i else []
        found += link
    return found


def _link(stem, words=""):
    """A link to a chapter, by its title unless other words are given."""
    from sphinx.addnodes import pending_xref

    inner = nodes.inline("", words or stem)
    where = {"reftype": "doc", "refdomain": "std", "refexplicit": bool(words), "refwarn": True}
    link = pending_xref("", inner, reftarget=f"/book/{stem}", refdoc="book/index", **where)
    return link


def say_what_it_needs(app, doctree):
    """Put needs under a chapter's title, while its links are still to be resolved."""
    page = app.env.docname
    stem = page.removeprefix("book/")
    title = next(iter(doctree.findall(nodes.title)), None)
    if title is None or stem not in {s for _, stems in parts() for s in stems}:
        return
    line = nodes.paragraph("", "", classes=["chapter-needs"])
    needed = needs().get(stem, ())
    line += nodes.Text("Needs: " if needed else "Needs no other chapter.")
    for i, other in enumerate(needed):
        line += [nodes.Text(", ")] if i else []
        link = _link(other)
        link["refdoc"] = page
        line += link
    line += nodes.Text(". " if needed else " ")
    line += nodes.reference(
        "", "Slides", refuri=f"../slides/{stem}.html", internal=True, classes=["chapter-slides"]
    )
    title.parent.insert(title.parent.index(title) + 1, line)


def write_slides(app, error):
    """Make the slides of each chapter, where its page is newer than they are."""
    if error or app.builder.name != "html":
        return
    sys.path.insert(0, str(BOOK))
    import slides

    sys.path.remove(str(BOOK))
    site = Path(app.outdir)
    (site / "slides").mkdir(exist_ok=True)
    for stem in (stem for _, stems in parts() for stem in stems):
        page, made = site / "book" / f"{stem}.html", site / "slides" / f"{stem}.html"
        if page.is_file() and not (made.is_file() and made.stat().st_mtime > page.stat().st_mtime):
            made.write_text(slides.lecture(site, stem), "utf-8")


def setup(app):
    app.add_directive("chapter-map", ChapterMap)
    app.connect("doctree-read", say_what_it_needs, priority=400)
    app.connect("build-finished", write_slides)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
