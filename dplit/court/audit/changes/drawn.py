"""Which careless changes ``dplit audit`` notices: drawn ones, each made and audited (``dplit audit --mutate``).

What becomes of a change is one of `OUTCOMES`. A change that survives and does no harm has its reason in
``data/results/audit/survivors.toml``; one without a reason is a gap of the audit until somebody has read it.
"""

import json
import os
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

from dplit.court.audit.changes import planted
from dplit.court.audit.changes.reach import importers, is_compiled, runs, traced
from dplit.court.audit.changes.sites import Change, changed, changes_of, modules
from dplit.court.audit.suite import subjects
from dplit.ground.printed import data_file
from dplit.ground.work import fan_out, stream

OUTCOMES = {  # and what each one means
    "accused": "a sound subject loses more than it declares, or is not the law that is proved",
    "leak lost": "a published leak is not found any more",
    "crashed": "a subject stops with an error, or its process does",
    "out of time": "a subject takes more than its time",
    "survived": "every subject that is asked comes as expected",
    "not run": "no subject runs it",
}
SECONDS = 25, 65  # of the processor, for each subject, and where it compiles; none is begun after half
PATIENCE = 1200  # by the clock, for all subjects of a change


class Outcome(NamedTuple):
    """What became of one change.

    `outcome` is one of `OUTCOMES`; `subject` the one that noticed it, if any. Of the `reached` subjects that
    run it, it had to pass `asked` to survive. `reason` says why it does no harm, or too little for draws, and is
    empty where nobody has said it.
    """

    change: Change
    outcome: str
    subject: str
    reached: int
    asked: int
    reason: str

    @property
    def noticed(self):
        """Whether an audit after this change would not have come as expected."""
        return self.outcome not in ("survived", "not run")


def draw(number: int, seed: int = 0, pattern: str = "*", made: Iterable[Change] = ()) -> list[Change]:
    """Return changes drawn at random, all different, each as likely as any other; those `made` are the first.

    With the same seed the first of many are the few. `pattern` is of modules, as ``trees.*``; ValueError if no
    module that decides privacy has such a name.
    """
    fitting = [name for name in modules() if fnmatchcase(name, pattern)]
    if not fitting:
        raise ValueError(f"no module that decides privacy matches the pattern {pattern!r}")
    every = {change.key: change for name in fitting for change in changes_of(name)}
    known = [every.pop(change.key) for change in made if change.key in every]
    order, rest = stream("changes", seed).permutation(len(every)), list(every.values())
    return (known + [rest[i] for i in order])[:number]


def missed(drawn: list[Change], seed: int = 0) -> list[Change]:
    """Return a change of each module that decides privacy and has none among those that were `drawn`."""
    left = sorted(set(modules()) - {change.module for change in drawn})
    return [draw(1, seed, name)[0] for name in left]


def run(
    changes: Iterable[Change], jobs: int = 1, names: Iterable[str] | None = None, most: int | None = None
) -> Iterator[Outcome]:
    """Make each change by itself and audit it; yields an `Outcome` for each, as it is done.

    But for what runs out of time, a change comes to the same with any number of processes `jobs`. `names`: the
    subjects that may notice it; left out, all of a quick audit. Of those that run a change no more than `most` are
    asked, first those that run the least code, and no more than its time allows.
    """
    changes = list(changes)
    names = [s.name for s in subjects("quick")] if names is None else list(names)
    wanted = {}
    for change in changes:
        wanted.setdefault(change.module, set()).add(change.line)
    traces = {}
    for done in fan_out(traced, [(name, wanted) for name in names], jobs):
        if done.error:
            raise RuntimeError(f"{names[done.place]}: {done.error}")
        traces[names[done.place]] = done.result
    names.sort(key=lambda name: (len(traces[name].functions), name))
    reached = [[n for n in names if runs(traces[n], change)] for change in changes]
    for done in fan_out(partial(outcome_of, most=most), list(zip(changes, reached)), jobs):
        if done.error:
            raise RuntimeError(f"{changes[done.place].key}: {done.error}")
        yield done.result


def outcome_of(change: Change, reached: list[str], most: int | None = None) -> Outcome:
    """Audit one change by these subjects, up to the first that notices it; by `most` at most."""
    found = partial(Outcome, change, reached=len(reached), asked=len(reached[:most]))
    if not reached:
        return found("not run", "", reason=reasons().get(change.key, ""))
    task = {"path": sys.path, "module": f"dplit.{change.module}", "source": changed(change)}
    compiled = is_compiled(change)
    task |= {"afresh": importers(change.module) if compiled else (), "seconds": SECONDS[compiled]}
    task |= {"subjects": reached[:most]}
    lines, status = audited_apart(task)
    rows = [json.loads(line) for line in lines]
    last = rows[-1] if rows else {"ok": True}
    if not last["ok"]:
        outcome = "accused" if last["expected"] == "within" else "leak lost"
        return found("crashed" if last["error"] else outcome, last["subject"], reason="")
    if status == 0:
        return found("survived", "", asked=len(rows), reason=reasons().get(change.key, ""))
    outcome = "out of time" if status in (None, -getattr(signal, "SIGXCPU", 0)) else "crashed"
    return found(outcome, reached[len(rows)], reason="")


def audited_apart(task: dict) -> tuple[list[str], int | None]:
    """Return lines that `dplit.court.audit.changes.planted` prints, and its status; None if the clock ran out."""
    command = [sys.executable, planted.__file__]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    options = {"input": json.dumps(task), "text": True, "env": environment}
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE, **options)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode().splitlines(), None
    return done.stdout.splitlines(), done.returncode


def reasons() -> dict[str, str]:
    """Return why each survivor that was read does no harm, by the change's key."""
    text = data_file("results/audit/survivors.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def stored() -> dict:
    """Return the stored run of ``dplit audit --mutate``.

    ``rows`` is a list of `Outcome` with the reasons that are known now; the rest is where they come from:
    command, date, versions, seed, and `spread`: so many rows, the first, are of modules that the others missed.
    """
    found = {"spread": 0} | json.loads(data_file("results/audit/changes.json").read_text(encoding="utf-8"))
    known, rows = reasons(), []
    for row in found["rows"]:
        change = Change(**row.pop("change"))
        rows.append(Outcome(change, **row | {"reason": known.get(change.key, "")}))
    return found | {"rows": rows}


def by_hand(which: str = "careless") -> dict:
    """Return the stored run of a list that was written by hand, "careless" to "careless_7", a row a change."""
    return json.loads(data_file(f"results/audit/{which}.json").read_text(encoding="utf-8"))


def summary(rows: list[Outcome]) -> dict[str, int]:
    """Return how many rows came to each of `OUTCOMES`, and how many of the unnoticed have no reason."""
    counts = Counter(row.outcome for row in rows)
    unexplained = sum(not row.noticed and not row.reason for row in rows)
    return {name: counts[name] for name in OUTCOMES} | {"unexplained": unexplained}
