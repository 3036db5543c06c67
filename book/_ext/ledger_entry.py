"""What a row of the ledger unfolds to: the evidence, how to compute it again, how to cite it."""

from __future__ import annotations

import json
from html import escape

from dplit.court.ledger.cite import bibtex
from dplit.court.ledger.evidence_files import quotes
from dplit.court.ledger.registry import PAPERS
from dplit.court.ledger.words import both_sides, short

LONGEST = 600  # characters of a counterexample that a row shows; the exports have all of it


def unfolded(claim, found=None, change=None):
    """The folded part of a row, as HTML.

    Parameters
    ----------
    claim : Claim
    found : dict, optional
        The stored evidence; left out, the part on evidence is, too.
    change : Change, optional
        Since when the verdict stands.
    """
    quote = quotes().get(claim.id)
    parts = [("Printed", printed(*quote[1:]))] if quote else []
    parts += evidence_parts(found) if found else []
    if claim.nothing_instead:
        parts.append(("Nothing instead", typeset(claim.nothing_instead)))
    parts += [("Compute it again", _again(claim)), ("Cite", _cite(claim, change))]
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in parts)
    return f"<details><summary>Evidence, rerun, cite</summary><dl>{listed}</dl></details>"


def printed(place, words):
    """The words of a paper that decide, in quotation marks, and their place, as HTML."""
    return f"<q>{typeset(words.replace(' ... ', ' … '))}</q> ({escape(place)})"


def evidence_parts(found):
    """(name, HTML) of what a stored evidence says."""
    parts = [("Found", _with_code(found["summary"]))]
    if found["published"] is not None and found["computed"] is not None:
        parts.append(("Must hold", escape(both_sides(found))))
    parts.append(("Range", escape(f"{found['range']} (cases: {found['cases']:,})")))
    if found["counterexample"]:
        parts.append(
            ("Counterexample", f"<code>{escape(in_brief(found['counterexample']))}</code>")
        )
    if found["intervals"]:
        parts.append(("Intervals", escape(_intervals(found["intervals"]))))
    return parts


def in_brief(data):
    """Plain data on one line, cut where it is long; numbers without the last bits that a computation leaves."""
    text = json.dumps(_without_rounding(data), ensure_ascii=False)
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "…"


def _without_rounding(data):
    """The same with numbers of at most 15 digits: each decimal of so many digits is a double of its own."""
    if isinstance(data, dict):
        return {key: _without_rounding(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_without_rounding(value) for value in data]
    return float(f"{data:.15g}") if isinstance(data, float) else data


def _intervals(intervals):
    """The first three intervals, and how many there are."""
    shown = ", ".join(f"[{short(low)}, {short(high)}]" for low, high in intervals[:3])
    return shown if len(intervals) <= 3 else f"{shown} and {len(intervals) - 3} more"


def _again(claim):
    """Two lines of Python and the command; both draw from the generator of seed 0 and the claim's id."""
    name = escape(claim.id)
    lines = f'from dplit import claims\nclaims.get("{name}").check()'
    return _block(lines) + _block(f"dplit verify --claim {name} --seed 0")


def _cite(claim, change):
    stood = f" since version {escape(change.since)}, {change.date}" if change else ""
    paper = "" if claim.ours else f" on {escape(PAPERS[claim.paper])}, {escape(claim.where)}"
    when = (change.since, change.date) if change else ()
    return (
        f"The dplit authors, <em>dplit: the book whose theorems run</em>, entry {escape(claim.id)}"
        f'{paper}: {claim.verdict}{stood}. All entries: <a href="claims.bib">claims.bib</a>.'
        f'<div class="highlight">{_block(escape(bibtex(claim, *when)))}</div>'
    )


def _block(code):
    """Lines of code as HTML. (The theme measures each `pre` of a page in a layout of its own.)"""
    return f'<code class="block">{code}</code>'


def typeset(text):
    """Text with formulas between dollar signs as HTML, formulas in spans that MathJax reads."""
    pieces = text.split("$")
    if len(pieces) % 2 == 0:
        raise ValueError(f"text must have its formulas between pairs of dollar signs, got {text!r}")
    return "".join(
        rf'<span class="math">\({escape(piece)}\)</span>' if i % 2 else _with_code(piece)
        for i, piece in enumerate(pieces)
    )


def _with_code(text):
    pieces = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))
