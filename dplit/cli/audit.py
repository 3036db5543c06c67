"""Audit every mechanism and forest of the package: its exact privacy loss, where the law can be
computed, and lower bounds from draws alone, each beside the epsilon that is declared.

What is proved private must stay within its epsilon; a published leak must be caught above it. A row
of method "law" holds draws against the law that the proof speaks of and declares 0. The exit status
is 1 if anything comes out otherwise. A sound row that draws is accused by chance in a millionth of
audits at most; "miss" is the probability that a leak is not caught by chance, computed beforehand.
"""

import math
import shlex
import sys
from datetime import UTC, datetime

from dplit.cli import reports
from dplit.cli.options import CI, apart, backend, collected, status, workers
from dplit.cli.text import dump, table, wrapped

HELP = "audit the privacy of every mechanism and forest"
EXAMPLES = """examples:
  dplit audit --jobs 2                           in a few minutes
  dplit audit --list                             names only, nothing runs
  dplit audit --subject '*MedianForest*'         some of them
  dplit audit --subject '*label' --epsilon 4     is anything of this above 4?
  dplit audit --effort deep --jobs 2             larger spaces, more draws
  dplit audit --seeds 200 --share 0.1            how often each one is accused
  dplit audit --mutate 50 --jobs 2               which careless changes of the code it notices
  dplit audit --json > audit.json                for another program
"""
COLUMNS = ("subject", "method", "declared", "found", "expected", "miss", "ok")
CHANGE = ("outcome", "where", "change", "noticed by, or the reason")
TALLY = ("subject", "expected", "seeds", "draws", "alarms", "often", "misses", "miss")


OPTIONS = {
    "--subject NAME...": "a subject's name, or a glob pattern over names; may be repeated (default: all)",
    "--expected": ("only what is sound, or only the leaks", {"choices": ("within", "caught")}),
    "--list": "print the names of the subjects",
    "--epsilon E": "hold each subject to this epsilon, in place of what it declares (not of method law)",
    "--seeds N": "audit the subjects that draw under the seeds 0 to N - 1, and count those that accuse or miss",
    "--share X": "with --seeds: the share of a quick audit's draws (default: 1)",
    "--mutate N": "change the code that decides privacy, at N places that --seed draws, and audit each change",
    "--module PATTERN": "with --mutate: only in modules that match, such as 'trees.*'",
    "--most N": "with --mutate: ask no more than N of the subjects that run a change (default: all)",
    "--stored": "with --mutate: go on from the stored run, and add a change of each module that is missed",
}
SHARED = "effort", "seed", "jobs", "dask", "exitfirst", "last-failed", "junit", "sarif", "quiet", "verbose", "json"


def run(arguments):
    """Run the command; returns the exit status."""
    from dplit.court import audit

    for name, needed in {"share": "seeds", "module": "mutate", "most": "mutate", "stored": "mutate"}.items():
        if getattr(arguments, name) and not getattr(arguments, needed):
            arguments.error(f"argument --{name}: needs --{needed}")
    apart(arguments, ["epsilon"], "seeds", why=", which holds to what is declared")
    apart(arguments, CI, "seeds", "mutate")
    others = ("seeds", "epsilon", "dask")
    if arguments.mutate and (arguments.effort != "quick" or any(getattr(arguments, o) for o in others)):
        arguments.error("argument --mutate: is of quick audits as they are, without --seeds, --epsilon or --dask")
    try:
        names = audit.select(arguments.subject, arguments.effort, arguments.expected)
    except ValueError as error:
        arguments.error(str(error))
    if arguments.last_failed:
        failed = reports.last_failed("audit")
        names = tuple(name for name in names if name in failed) or names
    if arguments.list:
        print("\n".join(names) if not arguments.json else dump(list(names)))
        return 0
    if arguments.mutate:
        return _changes(names, arguments)
    with backend(arguments):
        return _tallies(names, arguments) if arguments.seeds else _rows(names, arguments)


def _rows(names, arguments):
    from dplit.court import audit

    timed = {}
    options = {"names": names, "epsilon": arguments.epsilon, "timed": timed}
    reports.begin(arguments, "audit")
    found = audit.run(arguments.effort, arguments.seed, workers(arguments), **options)
    rows, interrupted = collected(found, "subject", arguments, names)
    reports.end(arguments, "audit", [_case(row, timed.get(row.subject, 0.0)) for row in rows], interrupted)
    rows = [row._asdict() for row in rows]
    ok = bool(rows) and all(row["ok"] for row in rows)
    print(_json(rows, ok, interrupted, arguments) if arguments.json else _text(rows, arguments))
    return status(ok, interrupted, rows, "subject", names)


def _case(row, seconds):
    kind = "" if row.ok else "error" if math.isnan(row.found) else "failure"
    words = f"expected {row.expected} {row.declared:g}, found {row.found:.6g}: {row.detail}"
    return reports.Case(row.subject, kind, words, lambda: _check(row.subject), seconds)


def _check(name):
    from dplit.court.audit.suite import every_subject

    return every_subject()[name].check


def _changes(names, arguments):
    """What becomes of changes of the code; every one that is not noticed must have its reason."""
    from dplit.court.audit import changes

    before = changes.stored() if arguments.stored else {"rows": [], "spread": 0}
    known = {row.change.key: row for row in before["rows"]}
    made = [row.change for row in before["rows"][before["spread"] :]]
    try:
        drawn = changes.draw(arguments.mutate, arguments.seed, arguments.module or "*", made)
    except ValueError as error:
        arguments.error(str(error))
    spread = changes.missed(drawn, arguments.seed) if arguments.stored else []
    drawn = spread + drawn
    new = [change for change in drawn if change.key not in known]
    found = changes.run(new, workers(arguments), names, arguments.most)
    rows, interrupted = collected(found, "change", arguments, new)
    done = known | {row.change.key: row for row in rows}
    rows = [done[c.key]._replace(change=c) for c in drawn if c.key in done]
    counts = changes.summary(rows)
    ok = bool(rows) and not counts["unexplained"]
    if arguments.json:
        rows = [row._asdict() | {"change": vars(row.change)} for row in rows]
        print(_json(rows, ok, interrupted, arguments, _provenance() | {"counts": counts, "spread": len(spread)}))
    else:
        print(table(map(_change_cells, rows), CHANGE))
        print("\n" + ", ".join(f"{n} {name}" for name, n in counts.items()))
    return status(ok, interrupted, rows, "change", drawn)


def _change_cells(row):
    change = row.change
    words = f"{change.before} -> {change.after}".replace("\n", " ")
    return [row.outcome, f"{change.module}:{change.line}", words, row.subject or row.reason]


def _tallies(names, arguments):
    """Counts over seeds; no sound subject may be accused at the audit's own rate, no leak missed at its draws."""
    from dplit.court.audit import seeds

    names = [s.name for s in seeds.drawing() if s.name in names]
    share = 1.0 if arguments.share is None else arguments.share
    found = seeds.tallies(names, arguments.seeds, share, workers(arguments))
    rows, interrupted = collected(found, "subject", arguments, names)
    rows = [row._asdict() | {"misses": row.misses} for row in rows]
    ok = bool(rows) and not any(row["alarms"] for row in rows if row["expected"] == "within")
    ok = ok and (share < 1 or not any(row["misses"] for row in rows))
    if arguments.json:
        how = _provenance() | {"seeds": str(arguments.seeds), "share": str(share)}
        print(_json(rows, ok, interrupted, arguments, how))
    else:
        print(table(rows, TALLY))
    return status(ok, interrupted, rows, "subject", names)


def _provenance():
    command = shlex.join(["dplit", *sys.argv[1:]])
    return {"command": command, "date": datetime.now(UTC).date().isoformat()}


def _json(rows, ok, interrupted, arguments, how=()):
    from dplit.court.audit.subject import FALSE_ALARM
    from dplit.ground.work import versions

    found = dict(how) | {
        "ok": ok and not interrupted,
        "interrupted": interrupted,
        "effort": arguments.effort,
        "seed": arguments.seed,
        "false_alarm": FALSE_ALARM,
        "versions": versions("numpy", "scipy"),
        "rows": rows,
    }
    return dump(found)


def _text(rows, arguments):
    shown = [] if arguments.quiet else [table(rows, COLUMNS)]
    told = lambda row: arguments.verbose or (row["expected"] == "caught" and not arguments.quiet)  # noqa: E731
    details = [wrapped(f"{row['subject']}: {row['detail']}") for row in rows if told(row) or not row["ok"]]
    wrong = sum(not row["ok"] for row in rows)
    noun = "subject" if len(rows) == 1 else "subjects"
    total = f"{len(rows)} {noun}; " + (f"{wrong} not as expected" if wrong else "all as expected")
    return "\n\n".join([*shown, *details, wrapped(_chance(rows)), total])


def _chance(rows):
    """What comes out otherwise by chance alone, as a sentence; at most, by the sum over all rows."""
    from dplit.court.audit.subject import FALSE_ALARM

    drawn = sum(row["expected"] == "within" and row["method"] != "exact" for row in rows)
    missed = math.fsum(row["miss"] or 0 for row in rows)
    accused = drawn * FALSE_ALARM
    return f"Chance misses a leak in at most {missed:.2g} of audits, and accuses a sound row in {accused:.2g}."
