"""The ledger as one table of HTML, by paper and chapter, the worst verdicts first.

A row is four cells: the claim, which leads to its own page, its place, its statement, the verdict. That
declarations are what the checks compute is the business of ``dplit verify`` and of the tests.
"""

from __future__ import annotations

import json
from html import escape
from itertools import groupby

from ledger_map import chip, entry
from ledger_words import typeset

from dplit.court.ledger.cite import row_id
from dplit.court.ledger.evidence import RUN_VERDICTS, VERDICTS
from dplit.court.ledger.evidence_files import quotes
from dplit.court.ledger.glance import SHORT_NAMES
from dplit.court.ledger.registry import ABOUT, OURS, PAPERS

COLUMNS = ("Claim", "Where", "Statement", "Verdict")
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
NAMED = {  # words by which readers ask for papers, beside their short names
    "diprime": ("diprime-v1", "diprime-v2"),
    "consul": ("diprime-v1", "diprime-v2"),
    "williamson": ("diprime-v1", "diprime-v2"),
    "li": ("mrf",),
    "fletcher": ("rdf",),
    "islam": ("rdf",),
    "tajima": ("m-rf",),
}
LEADS = """<script>
const lead = () => /^#(PAPERS)-/.test(location.hash) && location.replace(`entries/${location.hash.slice(1)}.html`);
addEventListener("hashchange", lead);
lead();
</script>
""".replace("PAPERS", "|".join(PAPERS))


def ledger_html(claims, evidence=None):
    """One table with a row a claim, and the controls that filter it.

    Parameters
    ----------
    claims : sequence of Claim
    evidence : mapping of id to dict, optional
        As `dplit.court.ledger.evidence_files.stored` gives it; the filter looks for words in it, too.

    Returns
    -------
    str
        HTML. Row ``paper/name`` has the address ``#paper-name``, from which the page's script leads on to the
        entry's own page, and ``?paper=rdf&verdict=leaks`` in the page's address filters. A row's formulas are
        typeset when it is seen. Without the page's script, all rows show and no controls do.
    """
    head = "".join(f'<th scope="col" role="columnheader">{name}</th>' for name in COLUMNS)
    groups = groupby(_worst_first(claims), key=lambda c: (c.paper, c.chapter))
    bodies = "\n".join(_group(*key, list(some)) for key, some in groups)
    words = {row_id(c.id): _words(c, (evidence or {}).get(c.id, {})) for c in claims}
    return (
        f'<div class="ledger">\n{_controls(claims)}\n'
        f'<table class="ledger-table" role="table" aria-label="Claims and their verdicts">\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n{bodies}\n</table>\n'
        f'<script type="application/json" class="ledger-words">{_script(words)}</script>\n</div>'
    )


def _words(claim, found):
    """What the entry's page says beside the row: the printed words and the evidence, for the filter."""
    said = [*quotes().get(claim.id, ("", "", ""))[1:], claim.nothing_instead, claim.holds_instead]
    said += [
        str(found.get(part) or "") for part in ("summary", "quantity", "range", "counterexample")
    ]
    return " ".join(word for word in said if word)


def _script(data):
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")


def exports_html():
    """Links to the files that the site has beside the ledger."""
    links = ", ".join(f'<a href="{name}" download>{name}</a>' for name in EXPORTS)
    return f'<p class="ledger-exports">The whole ledger as files: {links}.</p>'


def _worst_first(claims):
    """Claims by paper, in each by chapter, the one with the most broken ones first, then by verdict.

    A correction follows what it corrects.
    """
    of = {c.id: c for c in claims}
    place = {c.id: i for i, c in enumerate(claims)}
    broken = {}
    for c in claims:
        key = c.paper, c.chapter
        broken[key] = broken.get(key, 0) - (not c.ours and c.verdict in ("leaks", "fails"))

    def order(own):
        about = of.get(own.id.rpartition("/")[0], own) if own.ours else own
        return (
            list(PAPERS).index(own.paper),
            broken[own.paper, own.chapter],
            own.chapter,
            WORST_FIRST.index(about.verdict),
            place[about.id],
            place[own.id],
        )

    return sorted(claims, key=order)


def _group(paper, chapter, claims):
    """The rows of one paper and chapter, under a row that names both."""
    rows = "\n".join(_row(claim) for claim in claims)
    name = chapter.replace("_", " ")
    title = f': <a href="{escape(chapter)}.html">{escape(name)}</a>' if chapter else ""
    return (
        f'<tbody role="rowgroup">\n<tr role="row" class="ledger-group"><th scope="rowgroup" '
        f'role="rowheader" colspan="{len(COLUMNS)}">{SHORT_NAMES[paper]}{title}'
        f"</th></tr>\n{rows}\n</tbody>"
    )


def _row(claim):
    place = escape(claim.where.removeprefix(OURS).removeprefix("; "))
    cells = "".join(
        f'<td role="cell">{cell}</td>'
        for cell in (place + _mark(claim), typeset(claim.says, "tex"), chip(claim.verdict))
    )
    return (
        f'<tr role="row" id="{row_id(claim.id)}" data-paper="{claim.paper}" data-verdict="{claim.verdict}" '
        f'data-chapter="{escape(claim.chapter)}" data-about="{"ours" if claim.ours else claim.about}">'
        f'<th scope="row" role="rowheader"><a href="{entry(claim, "")}">{_breakable(claim.id)}</a></th>'
        f"{cells}</tr>"
    )


def _mark(claim):
    """What a row is, where it is no statement of a paper."""
    words = {"step": "step of a proof", "reading": "our reading", "experiment": "experiment"}
    return f" <small>({words[claim.about]})</small>" if claim.about in words else ""


def _breakable(name):
    """A claim's id as HTML, which breaks after a slash and at no hyphen before the first one."""
    paper, *others = escape(name).split("/")
    return "/<wbr>".join((f'<span class="key">{paper}</span>', *others))


def _controls(claims):
    papers = [(p, SHORT_NAMES[p]) for p in PAPERS if any(c.paper == p for c in claims)]
    named = {p: (p,) for p, _ in papers if "diprime" not in p} | NAMED
    chapters = [(c, c.replace("_", " ")) for c in sorted({c.chapter for c in claims} - {""})]
    kinds = {"ours" if c.ours else c.about for c in claims}
    about = [(kind, kind) for kind in (*ABOUT, "ours") if kind in kinds]
    return (
        '<form class="ledger-filter" role="search" aria-label="Filter the claims" '
        f'data-named="{escape(json.dumps(named))}" hidden>\n'
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
