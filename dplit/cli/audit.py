"""Audit every mechanism and forest of the package: its exact privacy loss, where the law can be
computed, and a lower bound from black-box draws, each beside the epsilon that it declares.

The exit status is 1 if anything loses more than it declares.
"""

from __future__ import annotations

import json
import sys

from dplit.cli.options import add_json, add_work, progress

HELP = "audit the privacy of every mechanism and forest"
EXAMPLES = """examples:
  dplit audit                                    in seconds a subject
  dplit audit --effort deep --jobs 2             wider searches, more draws
  dplit audit --json > audit.json                for another program
"""


def add_arguments(parser):
    """Declare the options."""
    add_work(parser)
    add_json(parser)


def run(arguments):
    """Run the command; returns the exit status."""
    from dplit import audit

    rows, interrupted = [], False
    found = audit.run(effort=arguments.effort, seed=arguments.seed, jobs=arguments.jobs)
    try:
        for row in progress(found, "subject", arguments):
            rows.append(_fields(row))
    except KeyboardInterrupt:
        interrupted = True
    print(_json(rows, interrupted, arguments) if arguments.json else _text(rows))
    if interrupted:
        print(f"interrupted: {len(rows)} subjects were audited", file=sys.stderr)
        return 130
    return 0 if rows and all(row["ok"] for row in rows) else 1


def _fields(row):
    """One row of the audit as plain data."""
    from dplit.claims.core import plain

    return plain(row._asdict() if hasattr(row, "_asdict") else vars(row))


def _json(rows, interrupted, arguments):
    from dplit.claims.verify import versions

    ok = bool(rows) and all(row["ok"] for row in rows) and not interrupted
    head = {
        "ok": ok,
        "interrupted": interrupted,
        "effort": arguments.effort,
        "seed": arguments.seed,
    }
    found = head | {"versions": versions(), "rows": rows}
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)


def _text(rows):
    from dplit.claims.report import aligned

    if not rows:
        return "nothing was audited"
    wrong = sum(not row["ok"] for row in rows)
    total = f"{len(rows)} subjects: " + (f"{wrong} not as expected" if wrong else "all as expected")
    cells = [[_cell(value) for value in row.values()] for row in rows]
    return aligned(tuple(rows[0]), cells, shrink=len(rows[0]) - 1) + "\n\n" + total


def _cell(value):
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)
