"""What the ledger keeps: the evidence of the last refresh, and since when each verdict stands.

``data/evidence/CHAPTER.json`` holds what each claim's quick check found at seed 0, with a digest of the code that
found it. ``data/quotes/PAPER.csv`` says of each claim of a paper where it is printed, and the few words that
decide; ``data/uses.toml`` which claims a paper derives from which. ``data/verdicts.csv`` has a line for each
verdict that a claim has had, the oldest first: claim, verdict, the version that it first stood in, the date, and
of a sentence about runs the number that decides. A claim that is withdrawn ends with the verdict `WITHDRAWN`.
"""

import csv
import io
import json
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from dplit.court.ledger.registry import Claim
from dplit.ground.printed import data_file
from dplit.ground.writing import write_whole

EVIDENCE = "evidence"  # folders of data/
QUOTES = "quotes"
VERDICTS_FILE = "verdicts.csv"
WITHDRAWN = "withdrawn"


class Change(NamedTuple):
    """One line of ``data/verdicts.csv``: the version of dplit in which a verdict first stood (`since`).

    `date` is the day on which it was written down, as "2026-11-22"; `number`, as "0.423, must be > 0.35", what
    decided a sentence about runs, or was nearest to it.
    """

    claim: str
    verdict: str
    since: str
    date: str
    number: str = ""


class Quote(NamedTuple):
    """One line of ``data/quotes/PAPER.csv``.

    `place` is in the paper, to the sentence: "section 4.2, paragraph 3, sentence 1", "table 4, caption". `words`
    are those that decide, as printed, parts joined by " ... "; formulas between dollar signs.
    """

    claim: str
    place: str
    words: str


@cache
def quotes():
    """What the papers print, dict of the id of a paper's claim to `Quote`."""
    found = {}
    for path in sorted((data_file(VERDICTS_FILE).parent / QUOTES).glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            found |= {line["claim"]: Quote(**line) for line in csv.DictReader(lines)}
    return found


@cache
def uses():
    """What a paper derives its statements from, in its own order: dict of id to tuple of ids."""
    named = tomllib.loads(data_file("uses.toml").read_text("utf-8"))["uses"].items()
    return {f"{p}/{name}": tuple(f"{p}/{u}" for u in used) for p, has in named for name, used in has.items()}


def stored():
    """The stored evidence of every claim, dict of id to `Evidence.to_dict`; empty before a refresh."""
    found = {}
    for path in sorted((data_file(VERDICTS_FILE).parent / EVIDENCE).glob("*.json")):
        found |= json.loads(path.read_text("utf-8"))["claims"]
    return found


def changes(path: Path | None = None) -> list[Change]:
    """Every verdict that a claim has had, the oldest first, from ``data/verdicts.csv`` or a file like it."""
    path = path or data_file(VERDICTS_FILE)
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return [Change(**line) for line in csv.DictReader(lines)]


def since(history: Sequence[Change] | None = None) -> dict[str, Change]:
    """The last change of each claim, by its id; `history` is left out for `changes`."""
    return {change.claim: change for change in (changes() if history is None else history)}


def due(
    claims: Sequence[Claim], history: Sequence[Change], version: str, date: str, evidence: dict | None = None
) -> list[Change]:
    """The changes that `history` lacks, given the whole ledger, as new lines of `version` and `date`.

    `evidence`: as `stored` gives it, for their numbers.
    """
    last, now = since(history), {claim.id: claim.verdict for claim in claims}
    gone = [id for id, c in last.items() if id not in now and c.verdict != WITHDRAWN]
    new = [(id, v) for id, v in now.items() if id not in last or last[id].verdict != v]
    numbers = {id: number(found) for id, found in (evidence or {}).items()}
    new += [(id, WITHDRAWN) for id in gone]
    return [Change(id, v, version, date, numbers.get(id, "")) for id, v in new]


def number(found: dict) -> str:
    """What decides, by stored evidence, a sentence about runs; "" of other claims, and if no run is about it."""
    if found["kind"] != "reproduced" or found.get("computed") in (None, "nan"):
        return ""
    return f"{float(found['computed']):.4g}, must be {found['relation']} {float(found['published']):.4g}"


def write(history, path):
    """Write every change to the file at `path`, whole or not at all."""
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([Change._fields, *history])
    write_whole(path, lines.getvalue().encode())
