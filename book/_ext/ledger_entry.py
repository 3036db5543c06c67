"""The page of one entry of the ledger: plain HTML, which needs neither Sphinx nor the site's side bar."""

from __future__ import annotations

import csv
from functools import cache
from html import escape

from ledger_map import chip, label, later, users
from ledger_words import begun, in_words, printed, sides, typeset, with_code

from dplit.court.ledger.cite import bibtex, row_id
from dplit.court.ledger.evidence_files import quotes, uses
from dplit.court.ledger.glance import SHORT_NAMES
from dplit.court.ledger.registry import OURS, PAPERS
from dplit.court.ledger.words import short
from dplit.ground.printed import data_file

ABOUT = {"statement": "a statement", "step": "a step of a proof whose result stands",
         "reading": "our reading of what is not printed so",
         "experiment": "a sentence about an experiment"}  # fmt: skip
MEANS = {
    "holds": "true as stated",
    "loose": "true, and a better constant is given",
    "assumes": "true once a missing assumption is named",
    "fails": "false, as a counterexample shows",
    "leaks": "a false statement about privacy, as two neighbouring data sets show",
    "agrees": "our runs agree with it, by a rule fixed before the run",
    "differs": "our runs differ from it, by a rule fixed before the run",
    "too close": "what would decide it is shown to be smaller than a margin that matters",
    "undecided": "our runs are too few to say, or do not cover it",
}
NEWER = {"diprime-v1": "Version 2", "rdf": "The addendum of 2021"}
STANDS = ("holds", "loose", "agrees")
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} — dplit</title>
<meta name="description" content="{about}">
<link rel="icon" href="../../_static/favicon.svg">
<link rel="stylesheet" href="../../_static/entry.css">
<link rel="stylesheet" href="../../_static/dplit.css">
<script src="../../_static/entry.js"></script>
{scripts}</head>
<body>
<nav aria-label="Where this is">
<a href="../index.html">dplit</a> › <a href="../{home}.html">{home_name}</a>{above}
</nav>
<main><article class="bd-article entry" data-verdict="{verdict}">
{body}
</article></main>
<footer>{footer}</footer>
</body>
</html>
"""
SCRIPTS = """<script defer src="../../_static/formulas.js"></script>
<script defer src="../../_static/punctuation.js"></script>
<script defer src="../../mathjax/tex-chtml.js"></script>
"""


def page(claim, of, found=None, change=None, answers="", footer=""):
    """The page of one claim, str.

    Parameters
    ----------
    claim : Claim
    of : mapping of id to Claim
        The whole ledger.
    found : dict, optional
        The stored evidence.
    change : Change, optional
        Since when the verdict stands.
    answers : str
        Where an author's answer goes, as HTML.
    footer : str
        HTML of the last line.
    """
    title = f"{SHORT_NAMES[claim.paper]}, {label(claim)}"
    parts = [part for part in _parts(claim, of, found, change, answers) if part[1]]
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in parts)
    body = f"<h1>{escape(title)} {chip(claim.verdict)}</h1>\n<dl>{listed}</dl>"
    paper = (
        ""
        if claim.paper == OURS
        else f' › <a href="../errata/{claim.paper}.html">{SHORT_NAMES[claim.paper]}</a>'
    )
    home = ("own", "Theorems of this book") if claim.ours else ("ledger", "Ledger")
    return PAGE.format(
        title=escape(title), verdict=claim.verdict, body=body, footer=footer, home=home[0], home_name=home[1],
        above=paper, about=escape(f"{title}: {MEANS[claim.verdict]}."),
        scripts=SCRIPTS * ('class="math"' in body),
    )  # fmt: skip


def _parts(claim, of, found, change, answers):
    """(name, HTML) of what the page says, in its order; what there is nothing to say of is empty."""
    quote = quotes().get(claim.id)
    since = f", since version {escape(change.since)} ({change.date})" if change else ""
    whose = "this book" if claim.ours else f"{escape(PAPERS[claim.paper])}, {escape(claim.where)}"
    yield "Entry", f"<code>{escape(claim.id)}</code>, {ABOUT[claim.about]} of {whose}"
    yield "Printed", printed(*quote[1:]) if quote else ""
    yield ("Read as" if quote else "Statement"), typeset(claim.says)
    yield "Verdict", f"{chip(claim.verdict)} {MEANS[claim.verdict]}{since}"
    if found:
        yield (
            "Evidence",
            f"{escape(begun(claim.kind))}{_proof(claim)}{_grid(claim)}. "
            f"{with_code(begun(found['summary'].rstrip('.')))}.",
        )
        yield "Must hold", escape(sides(found))
        if "ours" not in (
            found["counterexample"] or {}
        ):  # of a run, which the evidence has in words
            yield "Counterexample", escape(begun(in_words(found["counterexample"] or {})))
        yield (
            "Computed",
            escape(f"{found['range']} (cases: {found['cases']:,})")
            + _intervals(found["intervals"]),
        )
    yield "Holds instead", _instead(claim, of)
    yield "Corrects", _links((c for c in of.values() if c.holds_instead == claim.id), of)
    yield "Derived from", _links((of[i] for i in uses().get(claim.id, ()) if i in of), of)
    yield "Used by", _links((of[i] for i in users().get(claim.id, ()) if i in of), of)
    yield "Mended later?", _later(claim, of)
    yield "In the book", _in_the_book(claim)
    yield "Compute it again", _again(claim)
    yield (
        "Cite",
        f'<code class="block">{escape(bibtex(claim, *((change.since, change.date) if change else ())))}</code>',
    )
    yield "Are you an author?", "" if claim.ours else answers


def _proof(claim):
    if not claim.proof:
        return ""
    return f' (<a href="../{escape(claim.chapter)}.html#{escape(claim.proof)}">see the proof</a>)'


@cache
def grids():
    """Why the computed cases of a row are a grid and no certificate covers the range, by the claim's id."""
    rows = csv.DictReader(data_file("grids.csv").read_text("utf-8").splitlines())
    return {row["claim"]: row["words"] for row in rows}


def _grid(claim):
    """Why the cases are a grid."""
    return escape(f", {grids()[claim.id]}") if claim.id in grids() else ""


def _intervals(intervals):
    """The first three intervals, and how many there are."""
    shown = ", ".join(f"[{short(low)}, {short(high)}]" for low, high in intervals[:3])
    more = f" and {len(intervals) - 3} more" if len(intervals) > 3 else ""
    return f"; intervals {shown}{more}" if shown else ""


def _instead(claim, of):
    if claim.holds_instead:
        instead = of[claim.holds_instead]
        box = f'<a href="../{escape(instead.link)}">the box in the book</a>'
        return f"{typeset(instead.says)} ({_link(instead)}; {box})"
    return (
        f"Nothing of this form: {typeset(claim.nothing_instead.rstrip('.'))}."
        if claim.nothing_instead
        else ""
    )


def _later(claim, of):
    """What the later version says in the place of an erratum."""
    if claim.id not in later():
        return ""
    newer, now = NEWER[claim.paper], of.get(later()[claim.id])
    if now is None:
        return f"{newer} says nothing of the kind any more."
    said, name = "Yes" if now.verdict in STANDS else "No", newer[0].lower() + newer[1:]
    return f"{said}: {name} has in its place {_link(now)} {chip(now.verdict)}."


def _link(claim):
    return f'<a href="{row_id(claim.id)}.html">{escape(SHORT_NAMES[claim.paper])}, {escape(label(claim))}</a>'


def _links(claims, of):
    items = "".join(f"<li>{_link(c)} {chip(c.verdict)}</li>" for c in claims)
    return f"<ul>{items}</ul>" if items else ""


def _in_the_book(claim):
    """Links to the theorem box and to the functions, and the folder of the tests."""
    links = []
    if claim.chapter:
        name = escape(claim.chapter.replace("_", " "))
        links.append(f'<a href="../{escape(claim.link)}">the box in the chapter on {name}</a>')
    links += [f'<a href="../{address(name)}"><code>{name}</code></a>' for name in claim.functions]
    return ", ".join([*links, f"<code>{escape(claim.test)}</code>"])


def address(function):
    """Page and fragment of a function's documentation, from its dotted name under dplit."""
    room = function.removeprefix("court.").split(".")[0]
    return f"api/{room}.html#dplit.{function}"


def _again(claim):
    """The command, and two lines of Python; both draw from the generator of seed 0 and the claim's id."""
    name = escape(claim.id)
    lines = f'from dplit import claims\nclaims.get("{name}").check()'
    return f'<code class="block">dplit verify --claim {name} --seed 0</code><code class="block">{lines}</code>'


def answers(claim, where="", repository=""):
    """Where an author's answer goes, as HTML: to the address of the setting, else to the project's issues.

    `where` is a mail address or another one; without both it says how an answer is made.
    """
    named = f"entry {claim.id}"
    ask = "Which words are read wrongly, how should they be read, and which case with numbers shows it?"
    if "@" in where and "/" not in where:
        link = f"mailto:{where}?subject={named.replace(' ', '%20')}"
    else:
        link = where or (
            repository and f"{repository.rstrip('/')}/issues/new?title={named.replace(' ', '%20')}"
        )
    if link:
        return f'<a href="{escape(link)}">Answer here</a>. {ask}'
    return (
        f"An answer names the entry, <code>{escape(claim.id)}</code>, and says: {ask[:1].lower()}{ask[1:]} "
        "This copy of the book names no address for answers yet (its publisher sets <code>answers_to</code> "
        "in <code>_config.yml</code>)."
    )
