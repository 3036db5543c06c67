"""The ledger in the book: its page, errata, files beside it, links to its rows from tables, boxes, docstrings."""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from pathlib import Path

import attack_picture
from docutils import nodes
from ledger_counts import as_links, in_sum
from ledger_entry import answers, page
from ledger_map import chip, entry, map_html, scorecard
from ledger_page import LEADS, exports_html, ledger_html
from ledger_words import begun, in_words, printed, sides, typeset
from sphinx.util.docutils import SphinxDirective

from dplit.court import claims
from dplit.court.ledger import evidence_files, export
from dplit.court.ledger.cite import row_id
from dplit.court.ledger.glance import SHORT_NAMES
from dplit.court.ledger.registry import OURS, PAPERS
from dplit.ground.work import plain

LEDGER = "book/ledger"
INDEX_CELL = re.compile(r"<th>([a-z0-9-]+/[a-z0-9./-]+)</th>")  # the index of a table of claims
FOLDED = 8  # as many links under a box stand open
BOX_IDS = ("theorem", "lemma", "proposition", "definition", "remark", "corollary", "property",
           "algorithm", "criterion", "axiom", "conjecture", "assumption", "observation")  # fmt: skip


@cache
def by_id():
    """Every claim, dict of id to Claim."""
    return {c.id: c for c in claims.all()}


@cache
def kept():
    """(stored evidence, since when each verdict stands)."""
    return evidence_files.stored(), evidence_files.since()


@cache
def by_box():
    """Claims by chapter and label of their box, dict of (chapter, label) to list of Claim."""
    found = {}
    for c in claims.all():
        found.setdefault((c.chapter, c.anchor), []).append(c)
    return found


@cache
def by_function():
    """Claims by the full dotted name of a function that computes them."""
    found = {}
    for c in claims.all():
        for name in c.functions:
            found.setdefault(f"dplit.{name}", []).append(c)
    return found


def address(app, page, claim):
    """Link from a page to a claim's own page."""
    return entry(claim, app.builder.get_relative_uri(page, LEDGER).removesuffix("ledger.html"))


def link_tables(app, pagename, templatename, context, doctree):
    """Let each id in the index of a table of claims lead to its row, and an empty corner be no head."""

    def linked(cell):
        claim = by_id().get(cell[1])
        if not claim:
            return cell[0]
        return f'<th><a href="{address(app, pagename, claim)}">{cell[1]}</a></th>'

    if "body" in context:
        body = INDEX_CELL.sub(linked, context["body"])
        context["body"] = body.replace("<th></th>", "<td></td>")  # a corner is no heading


def link_words(app, doctree, docname):
    """Let each id that stands as code in a text lead to its row, and each box name its claims."""
    for word in list(doctree.findall(nodes.literal)):
        claim = by_id().get(word.astext())
        if claim and not isinstance(word.parent, nodes.reference):
            link = nodes.reference("", "", refuri=address(app, docname, claim), internal=True)
            word.replace_self(link)
            link += word
    chapter = docname.removeprefix("book/")
    for box in list(doctree.findall(_is_box)):
        found = by_box().get((chapter, box.get("label")))
        if found:
            box += _ledger_lines(app, docname, found)


def _is_box(node):
    return isinstance(node, nodes.Element) and node.get("realtype") in BOX_IDS and node.get("label")


def _ledger_lines(app, docname, found):
    """ "In the ledger: rdf/theorem-1 (fails), ..." under a box, folded where claims are many."""
    line = nodes.paragraph("", "In the ledger: ", classes=["in-ledger"])
    for i, claim in enumerate(found):
        uri = address(app, docname, claim)
        line += nodes.Text(", " if i else "")
        line += nodes.reference("", claim.id, refuri=uri, internal=True)
        line += nodes.Text(f" ({claim.verdict})")
    if len(found) <= FOLDED:
        return [line]
    said = f"<summary>{len(found)} claims rest on this box</summary>"
    start = nodes.raw("", f'<details class="in-ledger">{said}', format="html")
    return [start, line, nodes.raw("", "</details>", format="html")]


def link_docstrings(app, what, name, obj, options, lines):
    """Let a function's documentation name the claims that it computes."""
    found = by_function().get(name)
    if found:
        links = ", ".join(f"`{c.id} <{entry(c, '../')}>`__ ({c.verdict})" for c in found)
        lines += ["", f"In the ledger: {links}."]


class Ledger(SphinxDirective):
    """A table of the papers' claims, and the files of the ledger; with an argument, of the book's own claims."""

    optional_arguments = 1

    def run(self):
        found = [c for c in claims.all() if c.ours == bool(self.arguments)]
        return [_as_output(LEADS + exports_html() + ledger_html(found, kept()[0]))]


class Scorecard(SphinxDirective):
    """What became of a paper, the argument, or of each, on one screen."""

    optional_arguments = 1

    def run(self):
        papers = self.arguments or [paper for paper in PAPERS if paper != OURS]
        folder = "../" if self.arguments else ""
        cards = [scorecard(paper, claims.all(), folder) for paper in papers]
        if not self.arguments:  # each under its paper's name
            cards = [
                f'<p class="card-of"><a href="errata/{p}.html">{_titled(p)}</a></p>{c}'
                for p, c in zip(papers, cards)
            ]
        return [nodes.raw("", "\n".join(cards), format="html")]


def _titled(paper):
    """A paper's title with its short name in front."""
    return f"{SHORT_NAMES[paper]}: {PAPERS[paper].removeprefix(f'{SHORT_NAMES[paper]}: ')}"


class ClaimMap(SphinxDirective):
    """The map of a paper's statements; the argument is the paper's key."""

    required_arguments = 1

    def run(self):
        return [nodes.raw("", map_html(self.arguments[0], claims.all(), "../"), format="html")]


class LedgerCounts(SphinxDirective):
    """How many claims have which verdict; the argument is the ledger's page, if it is another one."""

    optional_arguments = 1

    def run(self):
        return [_as_output(as_links(claims.all(), *self.arguments))]


class LedgerSum(LedgerCounts):
    """The same in two sentences, of all papers together."""

    def run(self):
        return [nodes.raw("", in_sum(claims.all(), *self.arguments), format="html")]


def _as_output(html):
    """HTML that looks like the output of a cell."""
    output = nodes.container(
        "", nodes.raw("", html, format="html"), classes=["output", "text_html"]
    )
    shown = nodes.container("", output, classes=["cell_output"])
    return nodes.container("", shown, classes=["cell"])


class Reconstruction(SphinxDirective):
    """The picture of what the cuts of MRF give away, beside what privacy allows."""

    def run(self):
        return [nodes.raw("", attack_picture.picture(), format="html")]


class Errata(SphinxDirective):
    """The errata to one paper, as a printable list; the argument is the paper's key."""

    required_arguments = 1

    def run(self):
        found = export.errata(tuple(by_id().values()), *kept())[self.arguments[0]]
        text = "\n".join(_erratum(e) for e in found)
        counted = f"<p>{_counted(found)}</p>"
        html = f'<div class="errata mathjax_process">\n{counted}\n{text}\n</div>'
        return [nodes.raw("", html, format="html")]


def _counted(found):
    """How many errata there are, and how many of each verdict, in the order of the page."""
    verdicts = [e["verdict"] for e in found]
    of_each = ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts))
    return f"{len(found)} errata: {of_each}."


def _erratum(e):
    """One erratum: its place, printed, how we read it, correct, evidence, since when."""
    parts = [
        ("Printed", printed(e["place"], e["printed"])),
        ("Read as", typeset(e["statement"])),
        (CORRECT[e["verdict"]], _correct(e)),
        ("Evidence", _evidence(e)),
        ("Since", f"version {e['since']}, {e['date']}" if e["since"] else "not yet published"),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in parts)
    step = " (a step of the proof; the result stands)" if e["about"] == "step" else ""
    return (
        f'<section class="erratum" id="{row_id(e["id"])}"><h3>{escape(begun(e["where"]))}{step} '
        f"{chip(e['verdict'])}</h3>"
        f'<p><a href="../entries/{row_id(e["id"])}.html">{escape(e["id"])}</a>, '
        f'<a href="../{e["chapter"]}.html#{e["box"]}">the box in the chapter</a></p>'
        f"<dl>{listed}</dl></section>"
    )


CORRECT = {"leaks": "Correct", "fails": "Correct", "assumes": "Assumption to name"}


def _correct(e):
    if e["corrected_by"]:
        row = f"../entries/{row_id(e['corrected_by'])}.html"
        return f'{typeset(e["correct"])} (<a href="{row}">{escape(e["corrected_by"])}</a>)'
    if e["correct"]:
        return f"Nothing of this form: {typeset(e['correct'].rstrip('.'))}."
    return "It stands in brackets in the statement above, or in the box of the chapter."


def _evidence(e):
    found = kept()[0].get(e["id"], {})
    said = [begun(e["evidence"].rstrip(".")) + "."] if e["evidence"] else []
    said += [
        sides(found),
        f"Counterexample: {in_words(e['counterexample'])}." if e["counterexample"] else "",
    ]
    return "<br>".join(escape(part) for part in said if part)


class VerdictChanges(SphinxDirective):
    """The changelog of verdicts, the newest version first: how many are new, and which have changed."""

    def run(self):
        items = []
        for (version, date), (new, changed) in reversed(
            by_version(evidence_files.changes()).items()
        ):
            item = nodes.list_item("", _changes_in_words(version, date, len(new), len(changed)))
            gone = [(claim, old) for claim, old, now in changed if now == evidence_files.WITHDRAWN]
            kept_ones = [
                _changed(*change) for change in changed if change[2] != evidence_files.WITHDRAWN
            ]
            if changed:
                item += nodes.bullet_list("", *kept_ones, *([_withdrawn(gone)] if gone else []))
            items.append(item)
        return [nodes.bullet_list("", *items)]


def by_version(history):
    """Dict of (version, date) to (claims judged for the first time, (claim, old, new) of the others)."""
    found, last = {}, {}
    for claim, verdict, version, date, number in history:
        new, changed = found.setdefault((version, date), ([], []))
        shown = f"{verdict} ({number})" if number else verdict
        if claim in last:
            changed.append((claim, last[claim], shown))
        else:
            new.append(claim)
        last[claim] = shown
    return found


def _changes_in_words(version, date, new, changed):
    ending = f"; {changed} have another verdict than before or are withdrawn:" if changed else "."
    words = f"Version {version}, {date}: {new} claims judged for the first time{ending}"
    return nodes.paragraph("", words)


def _withdrawn(gone):
    """The claims that left the ledger, in one line."""
    parts = [nodes.Text(f"{len(gone)} withdrawn: ")]
    for i, (claim, old) in enumerate(gone):
        end = "." if i == len(gone) - 1 else ", "
        parts += [nodes.literal("", claim), nodes.Text(f" (was {old}){end}")]
    return nodes.list_item("", nodes.paragraph("", "", *parts))


def _changed(claim, old, new):
    """One change; a claim that is still in the ledger becomes a link to its row."""
    verdicts = [nodes.emphasis("", word) for word in (old, new)]
    words = (nodes.Text(" was "), verdicts[0], nodes.Text(", is "), verdicts[1], nodes.Text("."))
    return nodes.list_item("", nodes.paragraph("", "", nodes.literal("", claim), *words))


def write_entries(app, error):
    """Write the page of each entry beside the ledger's page."""
    if error or app.builder.format != "html":
        return
    found, since = kept()
    folder = Path(app.outdir, LEDGER).parent / "entries"
    folder.mkdir(parents=True, exist_ok=True)
    footer = app.config.html_theme_options.get("extra_footer", "")
    for c in by_id().values():
        ask = answers(c, app.config.answers_to, app.config.repository_url)
        text = page(c, by_id(), found.get(c.id), since.get(c.id), ask, footer)
        (folder / f"{row_id(c.id)}.html").write_text(text, "utf-8")


def write_exports(app, error):
    """Put the whole ledger beside its page: CSV, JSON, BibTeX, errata."""
    if error or app.builder.format != "html":
        return
    ledger = tuple(by_id().values())
    found = export.records(ledger, *kept())
    files = {
        "claims.csv": export.as_csv(found),
        "claims.json": _json(found),
        "claims.bib": export.as_bib(found, app.config.site_url),
        "errata.json": _json(export.errata(ledger, *kept())),
    }
    for name, text in files.items():
        path = Path(app.outdir, LEDGER).parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _json(found):
    return json.dumps(plain(found), indent=1, ensure_ascii=False) + "\n"


def setup(app):
    app.add_config_value("answers_to", "", "env")
    app.add_directive("ledger", Ledger)
    app.add_directive("scorecard", Scorecard)
    app.add_directive("claim-map", ClaimMap)
    app.add_directive("reconstruction", Reconstruction)
    app.add_directive("ledger-counts", LedgerCounts)
    app.add_directive("ledger-sum", LedgerSum)
    app.add_directive("errata", Errata)
    app.add_directive("verdict-changes", VerdictChanges)
    app.connect("html-page-context", link_tables)
    app.connect("doctree-resolved", link_words)
    app.connect("autodoc-process-docstring", link_docstrings)
    app.connect("build-finished", write_entries)
    app.connect("build-finished", write_exports)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
