"""Checks that take hours: the limit of ``dplit verify --limit``, and the file of ``--out``.

A row of the file holds a claim's computed verdict (or that its check was cut off), the seconds of the processor,
the day, and a digest of the code of the claim's docket and of the modules whose functions it names, without their
docstrings and what they import. The next run goes on with the file, and replaces rows of other code.
"""

import ast
import contextlib
import hashlib
import inspect
import json
import pkgutil
import signal
import time
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

from dplit.ground.work import versions
from dplit.ground.writing import write_whole

CUT_OFF = "cut off"  # in the place of a verdict: the check reached its limit
SKIPPED = "skipped"  # what it needs is not installed
HEAD = ("effort", "seed", "limit")
DOCUMENTED = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef


class OutOfTime(Exception):
    """A check has used the processor for as long as it may."""


@contextlib.contextmanager
def limited(seconds: float | None):
    """Stop what runs inside by an `OutOfTime` once the process has used `seconds` of the processor.

    None is no limit. It needs the timers of Unix and the main thread. A compiled loop ends before it is stopped.
    """
    if seconds is None:
        yield
        return
    end, reached = time.process_time() + seconds, []

    def stop(number, frame):
        left = end - time.process_time()
        if left > 0:  # the timer counts whole ticks, and may be a tenth ahead
            signal.setitimer(signal.ITIMER_PROF, max(left, 0.01))
            return
        reached.append(number)
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except Exception as raised:
        if reached:  # a compiled loop turns an error of a handler into a SystemError
            raise OutOfTime from raised
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def opened(path: str | Path, effort: str, seed: int, limit: int | None) -> dict:
    """The file at `path`, or one without rows if there is none; `limit`: seconds of the processor a claim.

    As JSON holds it: "command", "effort", "seed", "limit", "versions" of the last run, and "claims", a dict of
    id to row. Raises a ValueError if the file is not one of checks, or of another effort, seed or limit.
    """
    asked = dict(zip(HEAD, (str(effort), seed, limit), strict=True))
    held = read(path) if Path(path).is_file() else asked | {"claims": {}}
    for name in HEAD:
        if held[name] != asked[name]:
            raise ValueError(f"the file's {name} is {held[name]}, not {asked[name]}; name another")
    words = [f"--{name} {value}" for name, value in asked.items() if value is not None]
    head = {"command": " ".join(["dplit verify", *words]), **asked}
    return head | {"versions": versions("numpy", "scipy"), "claims": held["claims"]}


def read(path: str | Path) -> dict:
    """A file of checks as JSON holds it (`opened`); raises a ValueError if it is none."""
    try:
        held = json.loads(Path(path).read_text("utf-8"))
        is_one = {*HEAD, "claims"} <= {*held} and isinstance(held["claims"], dict)
    except (ValueError, TypeError):
        is_one = False
    if not is_one:
        raise ValueError(f"{Path(path).name} is no file of checks")
    return held


def fresh(held, claims):
    """The rows of `claims` as their code now is, dict of id to row."""
    rows = ((c, held["claims"].get(c.id)) for c in claims)
    return {c.id: row for c, row in rows if row and row["digest"] == digest(c)}


def due(held, claims):
    """The claims that have no row, or one of other code."""
    done = fresh(held, claims)
    return [c for c in claims if c.id not in done]


def enter(held, row, path):
    """Enter a `dplit.court.ledger.run.Row` and write the file; one that was skipped or stopped has no row."""
    if row.error or row.skipped:
        return
    held["claims"][row.claim.id] = {
        "verdict": row.computed,
        "seconds": round(row.processor, 2),
        "date": datetime.now(UTC).date().isoformat(),
        "digest": digest(row.claim),
    }
    held["claims"] = dict(sorted(held["claims"].items()))
    write(held, path)


def write(held, path):
    """Write the file."""
    write_whole(path, f"{json.dumps(held, indent=1)}\n".encode())


def digest(claim):
    """Digest of the claim's docket and of the modules of its functions, as this process read them first."""
    check = claim.check_function
    own = check.func if isinstance(check, partial) else check
    named = [pkgutil.resolve_name(f"dplit:{function}") for function in claim.functions]  # by attributes alone
    modules = dict.fromkeys(inspect.getmodule(found) for found in (own, *named))
    sources = [_source(module) for module in modules]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16]


@cache  # a run takes hours, and the files may change while the code that it has imported does not
def _source(module):
    """Its code, without docstrings and comments: a statement in other words is checked as before."""
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def in_words(held, claims):
    """What a file of checks says of `claims`, in two or three sentences."""
    rows = fresh(held, claims)
    cut = sum(row["verdict"] == CUT_OFF for row in rows.values())
    wrong = sum(rows[c.id]["verdict"] not in (c.verdict, CUT_OFF) for c in claims if c.id in rows)
    days = sorted({row["date"] for row in rows.values()})
    text = f"`{held['command']}` has checked {len(rows)} of {len(claims)} claims as their code is now"
    text += f" (last on {days[-1]})." if days else "."
    text += f" {len(rows) - cut - wrong} came to the declared verdict, and {wrong or 'none'} to another one."
    if cut:
        text += f" The checks of {cut} used {held['limit']} seconds of the processor, and were cut off there."
    return text
