"""Check the claims of the five papers: compute the evidence anew, and compare verdicts.

A claim holds, is loose (true, with a better constant), assumes (true once a missing assumption is
named), fails (there is a counterexample) or leaks (a privacy statement that fails). Our runs agree
with a sentence about an experiment, differ from it, or leave it undecided. The exit status is 1 if
a computed verdict is not the declared one or a check stops with an error. Certificates need the
extra certify of the package: without it their claims are skipped, which changes no exit status.
"""

import json
import signal
from collections import Counter
from pathlib import Path

from dplit.cli import reports
from dplit.cli.options import CI, apart, backend, collected, status, workers
from dplit.cli.text import dump, table, wrapped
from dplit.court.ledger import PAPERS

HELP = "check the claims of the five papers"
EXAMPLES = """examples:
  dplit verify                                   every claim, in seconds a claim
  dplit verify --paper rdf --effort deep         one paper, as hard as it goes
  dplit verify --claim 'rdf/*/corrected'         what holds instead, in one paper
  dplit verify --chapter majority                the claims of one chapter of the book
  dplit verify --list --paper m-rf               ids only, nothing runs
  dplit verify --claim rdf/table-3 --seed 7      one claim, with other random draws
  dplit verify --claim '*laplace*' --set epsilon=3   the same check at your own number
  dplit verify --effort deep --limit 40 --out deep.json   begun, or gone on with; slow ones cut off
  dplit verify --json > ledger.json              for another program
  dplit verify --dask tcp://127.0.0.1:8786       on the workers of a Dask cluster
"""
OPTIONS = {
    "--claim ID...": "a claim's id, or a glob pattern over ids; may be repeated (default: every claim)",
    "--paper PAPER...": (
        f"one paper's claims: {', '.join([*PAPERS][:-1])} or {[*PAPERS][-1]}; may be repeated",
        {"choices": PAPERS},
    ),
    "--chapter CHAPTER...": "one chapter's claims, by the name of its page, as majority; may be repeated",
    "--list": "print the ids of the claims",
    "--set NAME=VALUE...": "check at other parameters, as epsilon=3 or epsilon=1,3, the claims that have them; "
    "prints both sides, and the exit status is 0 whatever the verdict; may be repeated",
    "--limit N": "cut a check off once it has used N seconds of the processor (default: none; Unix only)",
    "--out FILE": "keep verdicts and seconds in FILE after each claim; what it holds of the same code is not "
    "checked again",
}
SHARED = "effort", "seed", "jobs", "dask", "exitfirst", "last-failed", "junit", "sarif", "quiet", "verbose", "json"


def run(arguments):
    """Run the command; returns the exit status."""
    from dplit.court import claims
    from dplit.court.ledger import long_run
    from dplit.court.ledger import run as verify

    apart(arguments, ["limit"], "set", "dask")
    apart(arguments, ["out", *CI], "set")
    if arguments.limit and not hasattr(signal, "setitimer"):
        arguments.error("argument --limit: needs the timers of Unix")
    try:
        own = [claim for chapter in arguments.chapter for claim in claims.of(chapter)]
        chosen = verify.select(own or claims.all(), arguments.claim, arguments.paper)
    except ValueError as error:
        arguments.error(str(error))
    if arguments.last_failed:
        failed = reports.last_failed("verify")
        chosen = [claim for claim in chosen if claim.id in failed] or chosen
    if arguments.list:
        ids = [claim.id for claim in chosen]
        print(dump(ids) if arguments.json else "\n".join(ids))
        return 0
    if arguments.set:
        return _varied(chosen, arguments)
    held = _opened(arguments)
    if held:
        chosen = long_run.due(held, chosen)
    reports.begin(arguments, "verify")
    jobs = 1 if len(chosen) == 1 and not arguments.dask else workers(arguments)
    with backend(arguments):
        found = verify.run(chosen, arguments.effort, arguments.seed, jobs, arguments.limit)
        enter = held and (lambda row: long_run.enter(held, row, arguments.out))
        rows, interrupted = collected(found, "claim", arguments, chosen, enter)
    reports.end(arguments, "verify", map(_case, rows), interrupted)
    if arguments.json:
        found = verify.to_dict(rows, arguments.effort, arguments.seed, interrupted)
        print(dump(found))
    else:
        print(report(rows, arguments.quiet, arguments.verbose))
    return status(all(row.ok for row in rows), interrupted, rows, "claim", chosen)


def _opened(arguments):
    """The file of ``--out``; None without one."""
    from dplit.court.ledger import long_run

    if not arguments.out:
        return None
    try:
        held = long_run.opened(arguments.out, arguments.effort, arguments.seed, arguments.limit)
    except ValueError as error:
        arguments.error(f"argument --out: {error}")
    if not Path(arguments.out).is_file():
        long_run.write(held, arguments.out)  # what can't be written is said before hours of work
    return held


def _case(row):
    kind = "error" if row.error else "skipped" if row.evidence is None else "" if row.ok else "failure"
    said = row.evidence.summary if row.evidence else row.skipped or "cut off"
    words = _mismatch(row) if kind in ("error", "failure") else said
    return reports.Case(row.claim.id, kind, words, lambda: row.claim.check_function, row.seconds)


def _varied(chosen, arguments):
    """Print both sides of the claims that have the parameters of ``--set``; returns 0."""
    from dplit.court.ledger import run as verify

    try:
        asked = verify.settings(arguments.set)
        able = verify.with_parameters(chosen, asked)
        found = [(c, verify.check_at(c, asked, arguments.effort, arguments.seed)) for c in able]
    except ValueError as error:
        arguments.error(f"argument --set: {error}")
    shown = [{"id": c.id, "set": asked, "evidence": e.to_dict()} for c, e in found]
    blocks = ["\n".join(map(wrapped, verify.varied_in_words(row))) for row in shown]
    print(dump(shown) if arguments.json else "\n\n".join(blocks))
    return 0


def report(rows, quiet=False, verbose=False):
    """The report of ``dplit verify``: a table, what decided each failure, and totals."""
    parts = [] if quiet else [table(map(_cells, rows), HEADER)]
    told = () if quiet else [r for r in rows if r.evidence and (r.evidence.counterexample or verbose)]
    parts += map(_counterexample, told)
    parts += [wrapped(_mismatch(r)) for r in rows if not r.ok]
    parts += [wrapped(f"skipped: {why}") for why in dict.fromkeys(r.skipped for r in rows) if why]
    return "\n\n".join([*parts, _totals(rows)])


HEADER = ("id", "where", "declared", "computed", "evidence", "cases", "seconds")


def _cells(row):
    c, found = row.claim, row.evidence
    mark = "" if row.ok else " <--"
    kind, cases = (found.kind, f"{found.cases:,}") if found else ("", "")
    return c.id, c.where, c.verdict, row.computed + mark, kind, cases, f"{row.seconds:.2f}"


def _counterexample(row):
    """What decided the verdict, and the data that reproduce it."""
    said = wrapped(f"{row.claim.id}: {row.evidence.summary}")
    if not row.evidence.counterexample:
        return said
    data = json.dumps(row.evidence.to_dict()["counterexample"], ensure_ascii=False)
    return said + "\n" + wrapped(f"  {data}", "    ")


def _mismatch(row):
    if row.error:
        return f"{row.claim.id}: the check stopped: {row.error}"
    said = f"declared {row.claim.verdict}, computed {row.computed}"
    return f"{row.claim.id}: {said}: {row.evidence.summary}"


def _totals(rows):
    """ "5 claims: 3 holds, 2 fails; 1 not as declared"."""
    from dplit.court.ledger import RUN_VERDICTS, VERDICTS
    from dplit.court.ledger.long_run import CUT_OFF, SKIPPED

    counts = Counter(r.computed for r in rows)
    order = (*VERDICTS, *RUN_VERDICTS, "error", SKIPPED, CUT_OFF)
    parts = ", ".join(f"{counts[v]} {v}" for v in order if counts[v]) or "nothing to check"
    wrong = sum(not r.ok for r in rows)
    noun = "claim" if len(rows) == 1 else "claims"
    without = counts[CUT_OFF] + counts[SKIPPED]
    rest = "the others as declared" if without < len(rows) else "none was decided"
    verdict = f"{wrong} not as declared" if wrong else rest if without else "all as declared"
    return f"{len(rows)} {noun}: {parts}; {verdict}"
