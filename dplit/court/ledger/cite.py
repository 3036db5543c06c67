"""How to cite an entry of the ledger: its key and its BibTeX."""

import re

from dplit.court.ledger.registry import OURS, PAPERS, Claim

BOOK, AUTHORS = "dplit: the book whose theorems run", "{The dplit authors}"  # as CITATION.cff
TEX = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_"}


def row_id(claim_id):
    """Name of a claim's page and of its row: ``rdf/theorem-1`` is at ``entries/rdf-theorem-1.html``."""
    return claim_id.replace("/", "-")


def key(claim_id):
    """The claim's key in ``claims.bib``: ``dplit-rdf-theorem-1``."""
    return f"dplit-{row_id(claim_id)}"


def bibtex(claim: Claim, since: str = "", date: str = "", site: str = "") -> str:
    """BibTeX of one entry.

    `since`, `date`: version and day since which the verdict stands; empty where it is not on record. `site`:
    address of the book, if it has one; the entry then has the address of its page.
    """
    ours = claim.ours or claim.paper == OURS
    about = "" if ours else f"{PAPERS[claim.paper]}, {claim.where}. "
    stood = f", since version {since} ({date})" if since else ""
    fields = {
        "author": AUTHORS,
        "title": f"{{{tex(BOOK)}}}, entry {tex(claim.id)}",
        "year": date[:4],
        "note": f"{tex(about)}Verdict: {claim.verdict}{stood}",
        "url": f"{site.rstrip('/')}/book/entries/{row_id(claim.id)}.html" if site else "",
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{key(claim.id)},\n" + ",\n".join(lines) + "\n}\n"


def tex(text):
    """`text` with the characters escaped that TeX reads as commands; formulas stay as they are."""
    pieces = text.split("$")
    escaped = [p if i % 2 else re.sub("[&%#_]", lambda found: TEX[found[0]], p) for i, p in enumerate(pieces)]
    return "$".join(escaped)
