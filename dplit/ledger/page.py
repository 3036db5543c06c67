"""The ledger as one table of HTML, and at a glance as a picture.

Both show what each `Claim` declares. That the declarations are what the checks compute is the
business of ``dplit verify`` and of the tests.
"""

from __future__ import annotations

from html import escape

from dplit.ledger.evidence import RUN_VERDICTS, VERDICTS
from dplit.ledger.registry import OURS, PAPERS

SHORT_NAMES = {
    "diprime-v1": "DiPriMe v1",
    "diprime-v2": "DiPriMe v2",
    "mrf": "MRF",
    "rdf": "RDF",
    "m-rf": "M-RF",
    OURS: "Ours",
}
COLUMNS = ("Claim", "Where", "Statement", "Verdict", "Evidence", "Computed by", "Holds instead")
NOTHING = "&mdash;"


def ledger_html(claims):
    """One table with a row a claim, and the controls that filter it.

    Parameters
    ----------
    claims : sequence of Claim

    Returns
    -------
    str
        HTML. Row ``paper/name`` has the address ``#paper-name``. Links are relative to the book's
        pages: theorem boxes at ``chapter.html#anchor``, functions in ``api/module.html``. Formulas
        are left to MathJax. Without the page's script, all rows show and no controls do.
    """
    head = "".join(f'<th scope="col" role="columnheader">{name}</th>' for name in COLUMNS)
    rows = "\n".join(_row(claim) for claim in claims)
    return (
        f'<div class="ledger mathjax_process">\n{_controls(claims)}\n'
        f'<table class="ledger-table" role="table" aria-label="Claims and their verdicts">\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>\n</div>'
    )


def row_id(claim_id):
    """Fragment of a claim's row: ``rdf/theorem-1`` is at ``ledger.html#rdf-theorem-1``."""
    return claim_id.replace("/", "-")


def glance(claims, ax, colors):
    """Draw the number of claims by paper and verdict: a bar for statements, one for experiments.

    Parameters
    ----------
    claims : sequence of Claim
    ax : matplotlib.axes.Axes
        Drawn on; its y-axis names the papers, its x-axis counts claims.
    colors : mapping of verdict to color
        As `dplit.plotting.VERDICT_COLORS`.
    """
    rows = [(SHORT_NAMES[paper], counts) for paper, counts in tally(claims).items()]
    runs = tally(claims, ("experiment",), RUN_VERDICTS)
    rows += [
        (f"{SHORT_NAMES[p]}, experiments", counts)
        for p, counts in runs.items()
        if any(counts.values())
    ]
    seen = set()
    for row, (_, counts) in enumerate(rows):
        left = 0
        for verdict, count in counts.items():
            label = None if verdict in seen else verdict
            seen.add(verdict)
            ax.barh(row, count, left=left, height=0.62, lw=0, color=colors[verdict], label=label)
            if count:
                ink = _ink(colors[verdict])
                ax.text(left + count / 2, row, count, ha="center", va="center", color=ink)
            left += count
    ax.set_yticks(range(len(rows)), [name for name, _ in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, max(1, *(sum(counts.values()) for _, counts in rows)))
    ax.grid(visible=False)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, columnspacing=1.2)


def tally(claims, about=("statement",), verdicts=VERDICTS):
    """Number of claims by paper, then by verdict: a dictionary of dictionaries, every key present.

    Counts what the papers say: claims `about` these things that are not `ours`. Steps of proofs,
    readings of ours and sentences about experiments are counted apart.
    """
    counts = {paper: dict.fromkeys(verdicts, 0) for paper in PAPERS if paper != OURS}
    for claim in claims:
        if not claim.ours and claim.about in about:
            counts[claim.paper][claim.verdict] += 1
    return counts


def in_words(claims):
    """The numbers of `glance` as sentences, for a reader who listens, and what they leave out.

    Returns
    -------
    str
        Lines such as ``RDF: 16 claims, 3 holds, 4 loose; on experiments 5, 2 agrees, 3 undecided``.
    """
    lines = []
    runs = tally(claims, ("experiment",), RUN_VERDICTS)
    for paper, counts in tally(claims).items():
        line = f"{SHORT_NAMES[paper]}: {_counted(counts, 'claim', 'claims')}"
        if any(runs[paper].values()):
            line += (
                f"; {_counted(runs[paper], 'sentence on experiments', 'sentences on experiments')}"
            )
        lines.append(line)
    apart = {
        what: sum(c.about == what and not c.ours for c in claims) for what in ("step", "reading")
    }
    lines.append(
        f"Counted apart: {apart['step']} steps of proofs, {apart['reading']} readings of ours"
    )
    return "\n".join(lines)


def _counted(counts, one, many):
    parts = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    total = sum(counts.values())
    return ", ".join([f"{total} {one if total == 1 else many}", *parts])


def _ink(color):
    """Black or white, whichever has more contrast with `color`, an RGB triple in [0, 1]."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if luminance > 0.179 else "white"


def _row(claim):
    cells = (
        f"{SHORT_NAMES[claim.paper]}<br>{escape(claim.where)}",
        typeset(claim.says),
        f'<span class="verdict verdict-{claim.verdict}">{claim.verdict}</span>',
        _evidence(claim),
        _computed_by(claim),
        _holds_instead(claim),
    )
    fragment = row_id(claim.id)
    body = "".join(
        f'<td role="cell" data-label="{name}">{cell}</td>'
        for name, cell in zip(COLUMNS[1:], cells, strict=True)
    )
    return (
        f'<tr role="row" id="{fragment}" data-paper="{claim.paper}" data-verdict="{claim.verdict}">'
        f'<th scope="row" role="rowheader"><a href="#{fragment}">{escape(claim.id)}</a>'
        f"{_marks(claim)}</th>{body}</tr>"
    )


def _marks(claim):
    """What a row is, where it is no statement of a paper."""
    words = {"step": "step of a proof", "reading": "our reading", "experiment": "experiment"}
    marks = ["ours" if claim.ours else "", words.get(claim.about, "")]
    return "".join(f" <small>{mark}</small>" for mark in marks if mark)


def typeset(text):
    r"""Text with formulas between dollar signs as HTML, formulas between ``\(`` and ``\)``."""
    pieces = text.split("$")
    if len(pieces) % 2 == 0:
        raise ValueError(f"text must have its formulas between pairs of dollar signs, got {text!r}")
    return "".join(
        rf"\({escape(piece)}\)" if i % 2 else _with_code(piece) for i, piece in enumerate(pieces)
    )


def _with_code(text):
    pieces = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))


def _evidence(claim):
    kind = claim.kind
    if claim.proof:
        kind = f'<a href="{escape(claim.chapter)}.html#{escape(claim.proof)}">{kind}</a>'
    return f"{kind}, {claim.intervals} intervals" if claim.intervals else kind


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
    return f"api/{function.split('.')[0]}.html#dplit.{function}"


def _holds_instead(claim):
    if not claim.holds_instead:
        return NOTHING
    return f'<a href="#{row_id(claim.holds_instead)}">{escape(claim.holds_instead)}</a>'


def _controls(claims):
    papers = [p for p in PAPERS if any(c.paper == p for c in claims)]
    options = [(p, SHORT_NAMES[p]) for p in papers]
    return (
        '<form class="ledger-filter" role="search" aria-label="Filter the claims" hidden>\n'
        f"{_select('paper', 'Paper', options)}\n"
        f"{_select('verdict', 'Verdict', [(v, v) for v in VERDICTS + RUN_VERDICTS])}\n"
        '<label>Text <input type="search" name="text" autocomplete="off"></label>\n'
        '<button type="reset">Show all</button>\n'
        '<output class="ledger-count" aria-live="polite"></output>\n</form>'
    )


def _select(name, label, options):
    items = "".join(f'<option value="{value}">{text}</option>' for value, text in options)
    return f'<label>{label} <select name="{name}"><option value="">all</option>{items}</select></label>'
