"""The table of releases and planted bugs that the book shows: ``python -m tests.power [PATTERN]`` writes it.

Each bug is planted by itself, and asked are the chapter's cell, the ledger's claim on the release, and the subject
of ``dplit audit`` that draws it. Rows of releases that the pattern leaves out stay as they are.
"""

import json
import sys
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from dplit.court import claims, power
from dplit.court.audit.suite import every_subject
from dplit.ground.printed import data_file
from dplit.ground.work import Effort, stream, versions
from tests.power import planted_bugs
from tests.power._planting import planted


def claim_of(release):
    """The ledger's claim on a release."""
    return next(c for c in claims.all() if c.says == release.statement)


def row(name, bug, mutant):
    """Whether each of the three sees a planted bug; a stop with an error is seen."""
    release, subject = power.release(name), every_subject()[f"{name} draws its law, with known power"]
    asked = {
        "chapter": lambda: bool(power.drawn(name, stream(f"{name}: {bug}")).refused),
        "ledger": lambda: claim_of(release).check().verdict != "holds",
        "audit": lambda: subject.check(Effort("quick"), stream(subject.name)).found > 0,
    }
    seen = {}
    with planted(mutant):
        for who, sees in asked.items():
            try:
                seen[who] = sees()
            except Exception:
                seen[who] = True
    events = {event.bug: event for event in power.drawn_test(name).events}
    stated = f"{events[bug].power:.4f}" if bug in events else ""
    return {"release": name, "chapter_of": release.chapter, "bug": bug, "power": stated} | seen


def main(pattern="*"):
    """Plant each bug, ask all three, and write what was seen."""
    path = data_file("results/audit/power.json")
    held = json.loads(path.read_text("utf-8"))["rows"] if path.is_file() else []
    bugs = {(name, bug): mutant for name, bug, mutant in planted_bugs()}
    rows = {(r["release"], r["bug"]): r for r in held if (r["release"], r["bug"]) in bugs}
    for (name, bug), mutant in bugs.items():
        if fnmatchcase(name, pattern):
            rows[name, bug] = row(name, bug, mutant)
            print(rows[name, bug], flush=True)
    run = {
        "command": "python -m tests.power",
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions("numpy", "scipy"),
        "rows": [rows[key] for key in sorted(rows)],
    }
    path.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
