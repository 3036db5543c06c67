"""The ledger as one table of HTML, by paper and chapter, the worst verdicts first.

A row shows what its `Claim` declares and unfolds to the stored evidence. That declarations are what
the checks compute is the business of ``dplit verify`` and of the tests.
"""

from __future__ import annotations

from html import escape
from itertools import groupby

from ledger_entry import typeset, unfolded

from dplit.court.ledger.cite import row_id
from dplit.court.ledger.evidence import RUN_VERDICTS, VERDICTS
from dplit.court.ledger.glance import SHORT_NAMES
from dplit.court.ledger.registry import ABOUT, OURS, PAPERS

COLUMNS = ("Claim", "Where", "Statement", "Verdict", "Evidence", "Computed by", "Holds instead")
WORST_FIRST = (
    "leaks",
    "fails",
    "differs",
    "assumes",
    "loose",
    "too close",
    "undecided",
    "agrees",
    "holds",
)
EXPORTS = ("claims.csv", "claims.json", "claims.bib", "errata.json")
NOTHING = "&mdash;"
EMPTY = ' class="nothing"'  # a card leaves such a line out


def ledger_html(claims, evidence=None, since=None):
    """One table with a row a claim, and the controls that filter it.

    Parameters
    ----------
    claims : sequence of Claim
    evidence : mapping of id to dict, optional
        As `dplit.court.ledger.evidence_files.stored` gives it; a row unfolds to its own.
    since : mapping of id to Change, optional
        As `dplit.court.ledger.evidence_files.since`.

    Returns
    -------
    str
        HTML. Row ``paper/name`` has the address ``#paper-name``, and ``?paper=rdf&verdict=leaks`` in
        the page's address filters. Links are relative to the book's pages: theorem boxes at
        ``chapter.html#anchor``, functions in ``api/module.html``. Formulas are left to MathJax.
        Without the page's script, all rows show and no controls do.
    """
    head = "".join(f'<th scope="col" role="columnheader">{name}</th>' for name in COLUMNS)
    shown = [(c, unfolded(c, (evidence or {}).get(c.id), (since or {}).get(c.id))) for c in claims]
    groups = groupby(_worst_first(shown), key=lambda pair: (pair[0].paper, pair[0].chapter))
    bodies = "\n".join(_group(*key, list(pairs)) for key, pairs in groups)
    return (
        f'<div class="ledger mathjax_process">\n{_controls(claims)}\n'
        f'<table class="ledger-table" role="table" aria-label="Claims and their verdicts">\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n{bodies}\n</table>\n</div>'
    )


def exports_html():
    """Links to the files that the site has beside the ledger."""
    links = ", ".join(f'<a href="{name}" download>{name}</a>' for name in EXPORTS)
    return f'<p class="ledger-exports">The whole ledger as files: {links}.</p>'


def _worst_first(shown):
    """Pairs by paper, in each by chapter, the one with the most broken claims first, then by verdict.

    A correction follows what it corrects.
    """
    of = {c.id: c for c, _ in shown}
    place = {c.id: i for i, (c, _) in enumerate(shown)}
    broken = {}
    for c, _ in shown:
        key = c.paper, c.chapter
        broken[key] = broken.get(key, 0) - (not c.ours and c.verdict in ("leaks", "fails"))

    def order(pair):
        own = pair[0]
        about = of.get(own.id.rpartition("/")[0], own) if own.ours else own
        return (
            list(PAPERS).index(own.paper),
            broken[own.paper, own.chapter],
            own.chapter,
            WORST_FIRST.index(about.verdict),
            place[about.id],
            place[own.id],
        )

    return sorted(shown, key=order)


def _group(paper, chapter, pairs):
    """The rows of one paper and chapter, under a row that names both."""
    rows = "\n".join(_row(claim, more) for claim, more in pairs)
    name = chapter.replace("_", " ")
    title = f': <a href="{escape(chapter)}.html">{escape(name)}</a>' if chapter else ""
    return (
        f'<tbody role="rowgroup">\n<tr role="row" class="ledger-group"><th scope="rowgroup" '
        f'role="rowheader" colspan="{len(COLUMNS)}">{SHORT_NAMES[paper]}{title}'
        f"</th></tr>\n{rows}\n</tbody>"
    )


def _row(claim, more):
    place = f"<br>{escape(claim.where)}" if claim.where != OURS else ""  # the first cell says so
    cells = (
        SHORT_NAMES[claim.paper] + place,
        typeset(claim.says) + more,
        f'<span class="verdict verdict-{claim.verdict.replace(" ", "-")}">{claim.verdict}</span>',
        _evidence(claim),
        _computed_by(claim),
        _holds_instead(claim),
    )
    fragment = row_id(claim.id)
    body = "".join(
        f'<td role="cell" data-label="{name}"{EMPTY if cell == NOTHING else ""}>{cell}</td>'
        for name, cell in zip(COLUMNS[1:], cells, strict=True)
    )
    return (
        f'<tr role="row" id="{fragment}" data-paper="{claim.paper}" data-verdict="{claim.verdict}" '
        f'data-chapter="{escape(claim.chapter)}" data-about="{"ours" if claim.ours else claim.about}">'
        f'<th scope="row" role="rowheader"><a href="#{fragment}">{_breakable(claim.id)}</a>'
        f"{_marks(claim)}</th>{body}</tr>"
    )


def _marks(claim):
    """What a row is, where it is no statement of a paper."""
    words = {"step": "step of a proof", "reading": "our reading", "experiment": "experiment"}
    marks = ["ours" if claim.ours else "", words.get(claim.about, "")]
    said = ", ".join(mark for mark in marks if mark)
    return f" <small>{said}</small>" if said else ""


def _evidence(claim):
    kind = claim.kind
    if claim.proof:
        kind = f'<a href="{escape(claim.chapter)}.html#{escape(claim.proof)}">{kind}</a>'
    many = "interval" if claim.intervals == 1 else "intervals"
    return f"{kind}, {claim.intervals} {many}" if claim.intervals else kind


def _computed_by(claim):
    """Links to the theorem box and to the functions, and the name of the test."""
    links = []
    if claim.chapter:
        links.append(f'<a href="{escape(claim.link)}">{escape(claim.chapter)}: the box</a>')
    links += [f'<a href="{_address(name)}"><code>{name}</code></a>' for name in claim.functions]
    if claim.test:
        links.append(f"<code>{escape(claim.test)}</code>")
    return "<br>".join(links) or NOTHING


def _address(function):
    """Page and fragment of a function's documentation, from its dotted name under dplit."""
    room = function.removeprefix("court.").split(".")[0]
    return f"api/{room}.html#dplit.{function}"


def _holds_instead(claim):
    if not claim.holds_instead:
        return NOTHING
    return f'<a href="#{row_id(claim.holds_instead)}">{_breakable(claim.holds_instead)}</a>'


def _breakable(name):
    """A claim's id as HTML, which breaks after a slash and at no hyphen before the first one."""
    paper, *others = escape(name).split("/")
    return "/<wbr>".join((f'<span class="key">{paper}</span>', *others))


def _controls(claims):
    papers = [(p, SHORT_NAMES[p]) for p in PAPERS if any(c.paper == p for c in claims)]
    chapters = [(c, c.replace("_", " ")) for c in sorted({c.chapter for c in claims} - {""})]
    about = [*((a, a) for a in ABOUT), ("ours", "ours")]
    return (
        '<form class="ledger-filter" role="search" aria-label="Filter the claims" hidden>\n'
        f"{_select('paper', 'Paper', papers)}\n"
        f"{_select('chapter', 'Chapter', chapters)}\n"
        f"{_select('verdict', 'Verdict', [(v, v) for v in VERDICTS + RUN_VERDICTS])}\n"
        f"{_select('about', 'About', about)}\n"
        '<label>Place or words <input type="search" name="text" autocomplete="off" '
        'placeholder="theorem 2"></label>\n'
        '<button type="reset">Show all</button>\n'
        '<output class="ledger-count" aria-live="polite"></output>\n</form>'
    )


def _select(name, label, options):
    items = "".join(f'<option value="{value}">{text}</option>' for value, text in options)
    return f'<label>{label} <select name="{name}"><option value="">all</option>{items}</select></label>'
