"""Careless changes of the code, written by hand: which ones ``dplit audit`` notices.

``careless.toml`` has forty, ``careless_2.toml`` and those after it forty of other bugs each; the writer of
``careless_7.toml`` had seen none of them.
``python -m tests.audit.careless`` makes each one of a list by itself, asks the subjects that may notice it, and
prints the rows that ``data/results/audit/careless.json`` and its like store: "first" of the auditor as it was when
they were written, "mended" of what it was afterwards.
"""

import argparse
import json
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

from dplit.court.audit.changes import audited_apart
from dplit.court.audit.changes.reach import importers
from dplit.court.audit.changes.sites import text_of
from dplit.court.audit.suite import every_subject, select
from dplit.ground.work import versions

LATE = "two records", "becomes two", "in blocks"
SECONDS = 600  # of the processor, of one core, for all subjects of a change
LISTS = tuple("careless" + part for part in ("", "_2", "_3", "_4", "_5", "_6", "_7"))


def careless(which=LISTS[0]):
    """The changes of a list, by their names: dicts of `module`, `before`, `after` and `loss`."""
    rows = tomllib.loads((Path(__file__).parent / f"{which}.toml").read_text("utf-8"))["bug"]
    return {row["name"]: row for row in rows}


def source_of(bug):
    """The source of its module with the change made; ValueError where it does not hold it once."""
    text = text_of(bug["module"])
    if text.count(bug["before"]) != 1:
        raise ValueError(f"{bug['name']}: no such place in {bug['module']}")
    return text.replace(bug["before"], bug["after"])


def asked(bug):
    """Subjects that may notice it: first those that draw nothing, last those of a person with several records."""
    patterns = *bug.get("since", ()), *bug["asks"]
    names = [name for pattern in patterns for name in select([pattern], "quick", "within")]
    late = {name: any(word in name for word in LATE) for name in names}
    return sorted(late, key=lambda name: (late[name], every_subject()[name].method != "exact"))


def outcome(bug, seconds=SECONDS):
    """What noticed a bug: a row with the subject, empty if none did, and the seconds of the processor."""
    names = asked(bug)
    compiled = "njit" in text_of(bug["module"])
    task = {"path": sys.path, "module": f"dplit.{bug['module']}", "source": source_of(bug)}
    task |= {"afresh": importers(bug["module"]) if compiled else ()}
    lines, _ = audited_apart(task | {"seconds": 2 * seconds, "subjects": names})
    rows = [json.loads(line) for line in lines]
    last = rows[-1] if rows else {"ok": True}
    by = "" if last["ok"] else last["subject"]
    how = {"error": last["error"]} if last.get("error") else {}
    took = round(sum(row["seconds"] for row in rows), 1)
    return {"name": bug["name"], "noticed_by": by, **how, "asked": len(rows), "of": len(names), "seconds": took}


def main():
    """Print the rows."""
    parser = argparse.ArgumentParser(prog="python -m tests.audit.careless")
    parser.add_argument("--list", choices=LISTS, default=LISTS[0])
    parser.add_argument("--name", action="append", default=[])
    parser.add_argument("--after", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    given = parser.parse_args()
    bugs = [bug for name, bug in careless(given.list).items() if name in given.name or not given.name]
    bugs = bugs[given.after :]
    rows = []
    for bug in bugs:
        rows.append(outcome(bug, given.seconds))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    head = {
        "command": f"python -m tests.audit.careless --list {given.list}",
        "date": datetime.now(UTC).date().isoformat(),
    }
    print(json.dumps(head | {"versions": versions("numpy", "scipy"), "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
