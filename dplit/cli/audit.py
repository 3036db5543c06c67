"""Audit every mechanism and forest of the package: its exact privacy loss, where the law can be
computed, and lower bounds from draws alone, each beside the epsilon that is declared.

What is proved private must stay within its epsilon; a published leak must be caught above it. The
exit status is 1 if anything comes out otherwise.
"""

from __future__ import annotations

import sys

from dplit.cli.options import add_json, add_work, progress
from dplit.cli.text import aligned, dump, wrapped

HELP = "audit the privacy of every mechanism and forest"
EXAMPLES = """examples:
  dplit audit                                    in seconds a subject
  dplit audit --effort deep --jobs 2             larger spaces, more draws
  dplit audit --json > audit.json                for another program
"""
COLUMNS = ("subject", "method", "declared", "found", "expected", "ok")


def add_arguments(parser):
    """Declare the options."""
    add_work(parser)
    add_json(parser)


def run(arguments):
    """Run the command; returns the exit status."""
    from dplit import audit

    rows, interrupted = [], False
    names = [s.name for s in audit.subjects(arguments.effort)]
    found = audit.run(arguments.effort, arguments.seed, arguments.jobs)
    try:
        for row in progress(found, "subject", arguments, total=len(names)):
            rows.append(row._asdict())
    except KeyboardInterrupt:
        interrupted = True
    rows.sort(key=lambda row: names.index(row["subject"]))
    ok = bool(rows) and all(row["ok"] for row in rows)
    print(_json(rows, ok, interrupted, arguments) if arguments.json else _text(rows))
    if interrupted:
        print(f"interrupted: {len(rows)} subjects were audited", file=sys.stderr)
        return 130
    return 0 if ok else 1


def _json(rows, ok, interrupted, arguments):
    from dplit.work import versions

    found = {
        "ok": ok and not interrupted,
        "interrupted": interrupted,
        "effort": arguments.effort,
        "seed": arguments.seed,
        "versions": versions("numpy", "scipy"),
        "rows": rows,
    }
    return dump(found)


def _text(rows):
    cells = [[_cell(row[name]) for name in COLUMNS] for row in rows]
    table = aligned(COLUMNS, cells, shrink=1, right=(2, 3))
    notable = [row for row in rows if not row["ok"] or row["expected"] == "caught"]
    details = [wrapped(f"{row['subject']}: {row['detail']}") for row in notable]
    wrong = sum(not row["ok"] for row in rows)
    total = f"{len(rows)} subjects; " + (f"{wrong} not as expected" if wrong else "all as expected")
    return "\n\n".join([table, *details, total])


def _cell(value):
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
