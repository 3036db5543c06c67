"""Check the ledger: choose claims, compute their evidence anew, keep whatever came back."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from dplit.court.ledger.evidence import Evidence
from dplit.court.ledger.limited import OutOfTime, limited
from dplit.court.ledger.registry import Claim, unknown
from dplit.ground.errors import check_integer
from dplit.ground.work import Effort, fan_out, stream, versions

CUT_OFF = "cut off"  # in the place of a verdict: the check reached its limit


@dataclass(frozen=True)
class Row:
    """One claim and what its check came to.

    Attributes
    ----------
    claim : Claim
    evidence : Evidence or None
        None if the check raised or was cut off.
    seconds : float
        Time that the check took.
    error : str
        Exception and the innermost lines it came through; empty if there was none.
    processor : float
        Seconds of the processor that the check used.
    """

    claim: Claim
    evidence: Evidence | None
    seconds: float
    error: str = ""
    processor: float = 0.0

    @property
    def ok(self):
        """True if the computed verdict is the declared one, or the check was cut off before it had any."""
        return self.computed in (self.claim.verdict, CUT_OFF)

    @property
    def computed(self):
        """The computed verdict, "error" or "cut off"."""
        if self.evidence is None:
            return "error" if self.error else CUT_OFF
        return self.evidence.verdict

    def to_dict(self):
        """The row as plain data, ready for JSON."""
        c = self.claim
        return {
            "id": c.id,
            "paper": c.paper,
            "where": c.where,
            "says": c.says,
            "ours": c.ours,
            "about": c.about,
            "proof": c.proof,
            "holds_instead": c.holds_instead,
            "declared": c.verdict,
            "computed": self.computed,
            "ok": self.ok,
            "seconds": round(self.seconds, 3),
            "evidence": None if self.evidence is None else self.evidence.to_dict(),
            "error": self.error,
        }


def select(claims, patterns=(), papers=()):
    """The claims whose id matches one of `patterns` and whose paper is one of `papers`.

    Parameters
    ----------
    claims : sequence of Claim
    patterns : sequence of str
        Ids, or glob patterns over ids; none selects all.
    papers : sequence of str
        Keys of `PAPERS`; none selects all.

    Returns
    -------
    list of Claim, in the order of `claims`, each once.

    Raises
    ------
    ValueError
        A pattern that matches no claim, or a selection that is empty.
    """
    ids = [c.id for c in claims]
    for pattern in patterns:
        if not any(fnmatchcase(i, pattern) for i in ids):
            raise ValueError(unknown(pattern, ids))
    chosen = [
        c
        for c in claims
        if (not patterns or any(fnmatchcase(c.id, p) for p in patterns))
        and (not papers or c.paper in papers)
    ]
    if not chosen:
        held = ", ".join(dict.fromkeys(claim.paper for claim in claims))
        raise ValueError(f"no claim fits the selection; the ledger has claims of {held}")
    return chosen


def run(claims, effort="quick", seed=0, jobs=1, limit=None):
    """Check each claim; yields a `Row` as soon as its check ends, in no particular order.

    Parameters
    ----------
    claims : iterable of Claim
    effort : {"quick", "reader", "deep"}
    seed : int
        Seeds every claim's generator, together with the claim's id.
    jobs : int
        Processes; -1 for one a core.
    limit : float or None
        Seconds of the processor after which a check is cut off (`dplit.court.ledger.limited`).
    """
    claims = list(claims)
    seed, effort = check_integer(seed, "seed", 0), str(Effort(effort))
    for done in fan_out(_answer, [(c, effort, seed, limit) for c in claims], jobs):
        evidence, processor = done.result or (None, 0.0)
        yield Row(claims[done.place], evidence, done.seconds, done.error, processor)


def in_order(rows: Iterable[Row], claims):
    """`rows` sorted as `claims` are."""
    place = {c.id: i for i, c in enumerate(claims)}
    return sorted(rows, key=lambda row: place[row.claim.id])


def to_dict(rows, effort, seed, interrupted=False):
    """The answers as plain data: what ``dplit verify --json`` prints."""
    return {
        "ok": all(row.ok for row in rows) and not interrupted,
        "interrupted": interrupted,
        "effort": str(effort),
        "seed": seed,
        "versions": versions("numpy", "scipy"),
        "totals": dict(sorted(Counter(row.computed for row in rows).items())),
        "claims": [row.to_dict() for row in rows],
    }


def _answer(claim, effort, seed, limit):
    """The evidence of one claim, from a generator of its own, None if it was cut off; seconds of the processor."""
    start, evidence = time.process_time(), None
    with contextlib.suppress(OutOfTime), limited(limit):
        evidence = claim.check(effort, rng=stream(claim.id, seed))
    return evidence, time.process_time() - start
