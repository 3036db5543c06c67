"""The table of releases and planted bugs that the book shows: ``python -m tests.power [PATTERN [JOBS]]``.

Each bug is planted by itself, and asked are the chapter's cell, the ledger's claim on the release, and the subject
of ``dplit audit`` that draws it. Rows of releases that the pattern leaves out stay as they are.
"""

import json
import sys
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from dplit.ground.printed import data_file
from dplit.ground.work import fan_out, versions
from tests.power._table import mutants, row


def main(pattern="*", jobs="2"):
    """Plant each bug, ask all three, and write what was seen."""
    path = data_file("results/audit/power.json")
    held = json.loads(path.read_text("utf-8"))["rows"] if path.is_file() else []
    rows = {(r["release"], r["bug"]): r for r in held if (r["release"], r["bug"]) in mutants()}
    tasks = [key for key in mutants() if fnmatchcase(key[0], pattern)]
    for done in fan_out(row, tasks, int(jobs)):
        if done.error:
            raise RuntimeError(f"{tasks[done.place]}: {done.error}")
        rows[tasks[done.place]] = done.result
        if not all(done.result[who] for who in ("chapter", "ledger", "audit")):
            print(done.result, flush=True)
    run = {
        "command": "python -m tests.power",
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions("numpy", "scipy"),
        "rows": [rows[key] for key in sorted(rows)],
    }
    path.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
