"""The ledger for other programs and for citation: records, CSV, BibTeX, and errata to each paper.

An erratum is a sentence of a paper, or a step of a proof, that fails, leaks, or assumes what it does not say.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from types import SimpleNamespace

from dplit.court.ledger.cite import bibtex, key
from dplit.court.ledger.evidence_files import Change, Quote, quotes, uses
from dplit.court.ledger.registry import OURS, PAPERS, Claim
from dplit.court.ledger.words import both_sides, short

WRONG = ("leaks", "fails", "assumes")
ABOUT = ("statement", "step")


def records(claims: Sequence[Claim], evidence: Mapping[str, dict], since: Mapping[str, Change]) -> list[dict]:
    """Each claim with its stored evidence, as plain data; what is not stored is None.

    `evidence` and `since` as `stored` and `since` of `dplit.court.ledger.evidence_files`.
    """
    return [_record(c, evidence.get(c.id, {}), since.get(c.id)) for c in claims]


def _record(claim, found, change):
    quote = quotes().get(claim.id, NOT_PRINTED)
    return {
        "id": claim.id,
        "paper": claim.paper,
        "where": claim.where,
        "place": quote.place,
        "printed": quote.words,
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
        "uses": list(uses().get(claim.id, ())),
        "chapter": claim.chapter,
        "box": claim.anchor,
        "proof": claim.proof,
        "functions": list(claim.functions),
        "test": claim.test,
        "key": key(claim.id),
    }


NOT_PRINTED = Quote("", "", "")
EVIDENCE = ("summary", "quantity", "computed", "relation", "published", "range", "cases", "counterexample")
FLAT = ("id", "paper", "where", "place", "printed", "about", "ours", "statement", "verdict", "since",
        "date", "evidence", "summary", "quantity", "computed", "relation", "published", "range", "cases",
        "holds_instead", "nothing_instead", "chapter", "box", "key")  # fmt: skip


def as_csv(found):
    """`records` as CSV, without what does not fit one cell: counterexamples and functions."""
    text = io.StringIO()
    table = csv.DictWriter(text, FLAT, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(found)
    return text.getvalue()


def as_bib(found: list[dict], site: str = "") -> str:
    """`records` as BibTeX, one entry a claim, with the address of its page if the book has one, `site`."""
    return "\n".join(
        bibtex(SimpleNamespace(**record), record["since"] or "", record["date"] or "", site) for record in found
    )


def errata(
    claims: Sequence[Claim], evidence: Mapping[str, dict], since: Mapping[str, Change]
) -> dict[str, list[dict]]:
    """What does not stand as printed, by paper; takes the whole ledger, else as `records`.

    Keys id, where, place, about, verdict, printed, statement, correct, evidence, both_sides, counterexample,
    since, date, chapter, box; leaks first, then what fails, then what assumes.
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
    quote = quotes().get(claim.id, NOT_PRINTED)
    return {
        "id": claim.id,
        "where": claim.where,
        "place": quote.place,
        "about": claim.about,
        "verdict": claim.verdict,
        "printed": quote.words,
        "statement": claim.says,
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
        *([f'printed: "{record["printed"]}" ({record["place"]})'] if record["printed"] else []),
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
    lines += [f"the paper derives it from: {', '.join(record['uses'])}"] if record["uses"] else []
    lines += [
        f"computed by: {', '.join(f'dplit.{name}' for name in record['functions'])}",
        f"chapter: {record['chapter']}, box {record['box']}; tests: {record['test']}",
        f"again: dplit verify --claim {record['id']} --seed 0",
        f"cite: {record['key']} of `dplit claims export --format bib`",
    ]
    return lines
