"""The ledger for other programs and for citation: records, CSV, BibTeX, and errata to each paper.

An erratum is a sentence of a paper, or a step of a proof, that fails, leaks, or takes for granted
what it does not say. Its "printed" is the statement in the ledger's words.
"""

from __future__ import annotations

import csv
import io
import re

from dplit.ledger.registry import OURS, PAPERS
from dplit.ledger.unfolded import both_sides, key, row_id, short

WRONG = ("leaks", "fails", "assumes")
ABOUT = ("statement", "step")
BOOK = "dplit: the book whose theorems run"
TEX = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_"}


def records(claims, evidence, since):
    """Each claim with its stored evidence, as plain data.

    Parameters
    ----------
    claims : sequence of Claim
    evidence : mapping of id to dict
        As `dplit.ledger.store.stored`.
    since : mapping of id to Change
        As `dplit.ledger.store.since`.

    Returns
    -------
    list of dict. What is not stored is None.
    """
    return [_record(c, evidence.get(c.id, {}), since.get(c.id)) for c in claims]


def _record(claim, found, change):
    return {
        "id": claim.id,
        "paper": claim.paper,
        "where": claim.where,
        "about": claim.about,
        "ours": claim.ours,
        "statement": claim.says,
        "verdict": claim.verdict,
        "since": change.since if change else None,
        "date": change.date if change else None,
        "evidence": claim.kind,
        **{name: found.get(name) for name in EVIDENCE},
        "holds_instead": claim.holds_instead,
        "nothing_instead": claim.nothing_instead,
        "chapter": claim.chapter,
        "box": claim.anchor,
        "proof": claim.proof,
        "functions": list(claim.functions),
        "test": claim.test,
        "key": key(claim.id),
    }


EVIDENCE = ("summary", "quantity", "computed", "relation", "published", "range", "cases",
            "counterexample")  # fmt: skip
FLAT = ("id", "paper", "where", "about", "ours", "statement", "verdict", "since", "date", "evidence",
        "summary", "quantity", "computed", "relation", "published", "range", "cases", "holds_instead",
        "nothing_instead", "chapter", "box", "key")  # fmt: skip


def as_csv(found):
    """`records` as CSV, without what does not fit one cell: counterexamples and functions."""
    text = io.StringIO()
    table = csv.DictWriter(text, FLAT, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(found)
    return text.getvalue()


def as_bib(found, site=""):
    """`records` as BibTeX, one entry a claim.

    Parameters
    ----------
    found : list of dict
    site : str
        Address of the book, if it has one; an entry then has the address of its row.
    """
    return "\n".join(_bib(record, site) for record in found)


def _bib(record, site):
    paper = PAPERS[record["paper"]]
    about = "" if record["ours"] or record["paper"] == OURS else f"{paper}, {record['where']}. "
    stood = f", since version {record['since']} ({record['date']})" if record["since"] else ""
    fields = {
        "author": "{The dplit authors}",
        "title": f"{{{tex(BOOK)}}}, entry {tex(record['id'])}",
        "year": (record["date"] or "")[:4],
        "note": f"{tex(about)}Verdict: {record['verdict']}{stood}",
        "url": f"{site.rstrip('/')}/book/ledger.html#{row_id(record['id'])}" if site else "",
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{record['key']},\n" + ",\n".join(lines) + "\n}\n"


def tex(text):
    """`text` with the characters escaped that TeX reads as commands; formulas stay as they are."""
    pieces = text.split("$")
    escaped = [p if i % 2 else re.sub("[&%#_]", _escape, p) for i, p in enumerate(pieces)]
    return "$".join(escaped)


def _escape(match):
    return TEX[match[0]]


def errata(claims, evidence, since):
    """What does not stand as printed, by paper.

    Parameters
    ----------
    claims : sequence of Claim
        The whole ledger.
    evidence, since : mapping
        As for `records`.

    Returns
    -------
    dict of paper to list of dict
        Keys id, place, about, verdict, printed, correct, evidence, both_sides, counterexample, since,
        date, chapter, box; leaks first, then what fails, then what assumes.
    """
    says = {c.id: c.says for c in claims}
    found = {paper: [] for paper in PAPERS if paper != OURS}
    for c in sorted((c for c in claims if is_erratum(c)), key=lambda c: WRONG.index(c.verdict)):
        found[c.paper].append(_erratum(c, says, evidence.get(c.id, {}), since.get(c.id)))
    return found


def is_erratum(claim):
    """True for a sentence or a step of a paper that does not stand as printed."""
    return not claim.ours and claim.about in ABOUT and claim.verdict in WRONG


def _erratum(claim, says, found, change):
    compared = found.get("published") is not None and found.get("computed") is not None
    return {
        "id": claim.id,
        "place": claim.where,
        "about": claim.about,
        "verdict": claim.verdict,
        "printed": claim.says,
        "correct": says[claim.holds_instead] if claim.holds_instead else claim.nothing_instead,
        "corrected_by": claim.holds_instead,
        "evidence": found.get("summary", ""),
        "both_sides": both_sides(found) if compared else "",
        "counterexample": found.get("counterexample"),
        "since": change.since if change else None,
        "date": change.date if change else None,
        "chapter": claim.chapter,
        "box": claim.anchor,
    }


def in_words(record):
    """One record of `records` as lines of text, for a terminal: list of str."""
    mark = ", ours" if record["ours"] else ""
    lines = [
        f"{record['id']} ({PAPERS[record['paper']]}, {record['where']}; {record['about']}{mark})",
        record["statement"],
        f"verdict: {record['verdict']}, since version {record['since']} ({record['date']})",
        f"evidence: {record['evidence']}",
    ]
    if record["summary"]:
        lines.append(f"found: {record['summary']}")
        compared = record["published"] is not None and record["computed"] is not None
        lines += [f"must hold: {both_sides(record)}"] if compared else []
        lines.append(f"range: {record['range']} (cases: {record['cases']:,})")
    if record["counterexample"]:
        parts = record["counterexample"].items()
        shown = ", ".join(f"{k} = {short(v) if isinstance(v, float) else v}" for k, v in parts)
        lines.append(f"counterexample: {shown}")
    if record["holds_instead"]:
        lines.append(f"holds instead: {record['holds_instead']}")
    elif record["nothing_instead"]:
        lines.append(f"nothing instead: {record['nothing_instead']}")
    lines += [
        f"computed by: {', '.join(f'dplit.{name}' for name in record['functions'])}",
        f"chapter: {record['chapter']}, box {record['box']}; tests: {record['test']}",
        f"again: dplit verify --claim {record['id']} --seed 0",
        f"cite: {record['key']} of `dplit claims export --format bib`",
    ]
    return lines
