"""Keep the ledger's evidence and the history of its verdicts up to date; `refresh.py` calls it.

The evidence of a chapter is stale when its dockets, a module that they import, or a file that these
read has changed since it was computed. A verdict is written down once, with version and date.
"""

from __future__ import annotations

import datetime
import json

import depends

import dplit
from dplit.court import claims
from dplit.court.ledger import evidence_files, run
from dplit.ground.writing import write_whole

FOLDER = depends.ROOT / "data" / "evidence"
HISTORY = depends.ROOT / "data" / "verdicts.csv"


def by_chapter():
    """The ledger's claims, dict of chapter to list of Claim."""
    found = {}
    for claim in claims.all():
        found.setdefault(claim.chapter, []).append(claim)
    return found


def digest(chapter):
    """Digest of everything that the checks of a chapter's claims depend on."""
    return depends.fingerprint((), depends.modules_of(f"claims.of({chapter!r})"))


def path(chapter):
    return FOLDER / f"{chapter}.json"


def stale():
    """Chapters whose stored evidence is missing or belongs to other code, in alphabetical order."""
    return sorted(chapter for chapter, held in by_chapter().items() if not _is_fresh(chapter, held))


def _is_fresh(chapter, held):
    if not path(chapter).is_file():
        return False
    found = json.loads(path(chapter).read_text("utf-8"))
    return found["inputs"] == digest(chapter) and set(found["claims"]) == {c.id for c in held}


def orphans():
    """Files of evidence that belong to no chapter."""
    return sorted(p for p in FOLDER.glob("*.json") if p.stem not in by_chapter())


def write(chapter, jobs=1):
    """Check a chapter's claims, as ``dplit verify`` does, at two seeds, and store what the first one gave."""
    held = by_chapter()[chapter]
    rows = run.in_order(run.run(held, jobs=jobs), held)
    again = run.run([claim for claim in held if "/drawn/" not in claim.id], seed=1, jobs=jobs)
    wrong = [row for row in [*rows, *again] if not row.ok]
    if wrong:
        named = [f"{row.claim.id}: {row.error or row.computed}" for row in wrong]
        raise SystemExit("not as declared: " + "; ".join(named))
    found = {row.claim.id: row.evidence.to_dict() for row in rows}
    text = json.dumps({"inputs": digest(chapter), "claims": found}, indent=1, ensure_ascii=False)
    FOLDER.mkdir(exist_ok=True)
    write_whole(path(chapter), f"{text}\n".encode())


def missing_verdicts():
    """The changes of verdicts that ``data/verdicts.csv`` lacks, list of Change."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return evidence_files.due(
        claims.all(),
        evidence_files.changes(HISTORY),
        dplit.__version__,
        today,
        evidence_files.stored(),
    )


def write_verdicts():
    """Append to ``data/verdicts.csv`` what it lacks; returns how many lines that were."""
    new = missing_verdicts()
    evidence_files.write([*evidence_files.changes(HISTORY), *new], HISTORY)
    return len(new)


def bring_up_to_date():
    """Compute what is stale, remove what is left over, write down new verdicts."""
    for left in orphans():
        left.unlink()
    for chapter in stale():
        print(f"data/evidence/{chapter}.json: checking", flush=True)
        write(chapter)
    new = write_verdicts()
    print(f"data/verdicts.csv: {new} new lines")
