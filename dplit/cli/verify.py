"""Check the claims of the five papers: compute the evidence anew, and compare verdicts.

A claim holds, is loose (true, with a better constant), assumes (true once a missing assumption is
named), fails (there is a counterexample) or leaks (a privacy statement that fails). Our runs agree
with a sentence about an experiment, differ from it, or leave it undecided. The exit status is 1 if
a computed verdict is not the declared one or a check stops with an error.
"""

import json
import signal
import sys
from collections import Counter
from pathlib import Path

from dplit.cli.options import add_dask, add_json, add_work, at_least_one, backend, progress, workers
from dplit.cli.text import WIDTH, aligned, dump, wrapped

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


def add_arguments(parser):
    """Declare the options."""
    parser.add_argument(
        "--claim",
        action="append",
        default=[],
        metavar="ID",
        help="a claim's id, or a glob pattern over ids; may be repeated (default: every claim)",
    )
    parser.add_argument(
        "--paper",
        action="append",
        default=[],
        metavar="PAPER",
        help="one paper's claims: diprime-v1, diprime-v2, mrf, rdf, m-rf or ours; may be repeated",
    )
    parser.add_argument(
        "--chapter",
        action="append",
        default=[],
        metavar="CHAPTER",
        help="one chapter's claims, by the name of its page, as majority; may be repeated",
    )
    parser.add_argument("--list", action="store_true", help="print the ids of the claims")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="check at other parameters, as epsilon=3 or epsilon=1,3, the claims that have them; prints "
        "both sides, and the exit status is 0 whatever the verdict; may be repeated",
    )
    parser.add_argument(
        "--limit",
        type=at_least_one,
        metavar="S",
        help="cut a check off once it has used S seconds of the processor (default: none; Unix only)",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="keep verdicts and seconds in FILE after each claim; what it holds of the same code is not "
        "checked again",
    )
    add_work(parser)
    add_dask(parser)
    add_json(parser)


def run(arguments):
    """Run the command; returns the exit status."""
    from dplit.court import claims
    from dplit.court.ledger import PAPERS, long_run
    from dplit.court.ledger import run as verify

    _check_papers(arguments, PAPERS)
    _check_limit(arguments)
    try:
        own = [claim for chapter in arguments.chapter for claim in claims.of(chapter)]
        chosen = verify.select(own or claims.all(), arguments.claim, arguments.paper)
    except ValueError as error:
        arguments.error(str(error))
    if arguments.list:
        ids = [claim.id for claim in chosen]
        print(dump(ids) if arguments.json else "\n".join(ids))
        return 0
    if arguments.set:
        return _varied(chosen, arguments)
    try:
        held = _opened(arguments)
        if held:
            chosen = long_run.due(held, chosen)
        rows, interrupted = _collect(chosen, arguments, held)
    except OSError as error:
        if error.filename is None:  # not of the file
            raise
        print(f"dplit verify: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    rows = verify.in_order(rows, chosen)
    if arguments.json:
        found = verify.to_dict(rows, arguments.effort, arguments.seed, interrupted)
        print(dump(found))
    else:
        print(report(rows))
    if interrupted:
        print(f"interrupted: {len(rows)} of {len(chosen)} claims were checked", file=sys.stderr)
        return 130
    return 0 if all(row.ok for row in rows) else 1


def _check_papers(arguments, papers):
    unknown = [p for p in arguments.paper if p not in papers]
    if unknown:
        arguments.error(f"argument --paper: must be one of {', '.join(papers)}, got {', '.join(unknown)}")


def _check_limit(arguments):
    if arguments.limit and (arguments.set or arguments.dask):
        arguments.error("argument --limit: does not go with --set and --dask")
    if arguments.limit and not hasattr(signal, "setitimer"):
        arguments.error("argument --limit: needs the timers of Unix")
    if arguments.out and arguments.set:
        arguments.error("argument --out: does not go with --set")


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


def _collect(chosen, arguments, held):
    """The rows that came back, and whether the user stopped the work before all had."""
    from dplit.court.ledger import long_run
    from dplit.court.ledger import run as verify

    rows = []
    jobs = 1 if len(chosen) == 1 and not arguments.dask else workers(arguments)
    try:
        with backend(arguments):
            found = verify.run(chosen, arguments.effort, arguments.seed, jobs, arguments.limit)
            for row in progress(found, "claim", arguments, total=len(chosen)):
                rows.append(row)
                if held:
                    long_run.enter(held, row, arguments.out)
    except KeyboardInterrupt:
        return rows, True
    return rows, False


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
    if arguments.json:
        print(dump(shown))
    else:
        blocks = ["\n".join(map(wrapped, verify.varied_in_words(row))) for row in shown]
        print("\n\n".join(blocks))
    return 0


def report(rows):
    """The report of ``dplit verify``: a table, what decided each failure, and totals."""
    parts = [aligned(HEADER, [_cells(r) for r in rows], shrink=1, right=(5, 6))]
    parts += [_counterexample(r) for r in rows if r.evidence and r.evidence.counterexample]
    parts += [_mismatch(r) for r in rows if not r.ok]
    return "\n\n".join([*parts, _totals(rows)])


HEADER = ("id", "where", "declared", "computed", "evidence", "cases", "seconds")


def _cells(row):
    c, found = row.claim, row.evidence
    mark = "" if row.ok else " <--"
    kind, cases = (found.kind, f"{found.cases:,}") if found else ("", "")
    return c.id, c.where, c.verdict, row.computed + mark, kind, cases, f"{row.seconds:.2f}"


def _counterexample(row):
    """What decided the verdict, and the data that reproduce it (shortened; --json has all)."""
    data = json.dumps(row.evidence.to_dict()["counterexample"], ensure_ascii=False)
    if len(data) > 3 * WIDTH:
        data = data[: 3 * WIDTH] + "…"
    return wrapped(f"{row.claim.id}: {row.evidence.summary}") + "\n" + wrapped(f"  {data}", "    ")


def _mismatch(row):
    if row.error:
        return wrapped(f"{row.claim.id}: the check stopped: {row.error}")
    said = f"declared {row.claim.verdict}, computed {row.computed}"
    return wrapped(f"{row.claim.id}: {said}: {row.evidence.summary}")


def _totals(rows):
    """ "5 claims: 3 holds, 2 fails; 1 not as declared"."""
    from dplit.court.ledger import RUN_VERDICTS, VERDICTS
    from dplit.court.ledger.long_run import CUT_OFF

    counts = Counter(r.computed for r in rows)
    order = (*VERDICTS, *RUN_VERDICTS, "error", CUT_OFF)
    parts = ", ".join(f"{counts[v]} {v}" for v in order if counts[v]) or "nothing to check"
    wrong = sum(not r.ok for r in rows)
    noun = "claim" if len(rows) == 1 else "claims"
    rest = "the others" if counts[CUT_OFF] else "all"
    verdict = f"{wrong} not as declared" if wrong else f"{rest} as declared"
    return f"{len(rows)} {noun}: {parts}; {verdict}"
