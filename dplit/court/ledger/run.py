"""Check the ledger: choose claims, compute their evidence anew, keep what came back.

A check can take parameters as keywords after ``effort`` and ``rng``: a tuple is a list of values to go
through, as ``epsilon=(0.1, 1.0, 3.0)``, a number is one value. `check_at` runs it at other values; what
comes out says nothing of the declared verdict, which is about the check's own range.
"""

import contextlib
import inspect
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from numbers import Real

from dplit.court.ledger.evidence import Evidence
from dplit.court.ledger.long_run import CUT_OFF, SKIPPED, OutOfTime, limited
from dplit.court.ledger.registry import Claim, unknown
from dplit.court.ledger.words import both_sides
from dplit.ground.errors import MissingExtra, check_integer
from dplit.ground.work import Effort, fan_out, stream, versions


@dataclass(frozen=True)
class Row:
    """One claim and what its check came to."""

    claim: Claim
    evidence: Evidence | None  #: None if the check raised or was cut off.
    seconds: float  #: Time that the check took.
    error: str = ""  #: Exception and the innermost lines it came through; empty if there was none.
    processor: float = 0.0  #: Seconds of the processor that the check used.
    skipped: str = ""  #: What has to be installed for the check; empty if all is there.

    @property
    def ok(self):
        """True if the computed verdict is the declared one, or the check was cut off or skipped and has none."""
        return self.computed in (self.claim.verdict, CUT_OFF, SKIPPED)

    @property
    def computed(self):
        """The computed verdict, "error", "skipped" or "cut off"."""
        if self.evidence is None:
            return "error" if self.error else SKIPPED if self.skipped else CUT_OFF
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
            "skipped": self.skipped,
        }


def select(claims: Sequence[Claim], patterns: Sequence[str] = (), papers: Sequence[str] = ()) -> list[Claim]:
    """The claims whose id matches one of `patterns` and whose paper is one of `papers`, in order, each once.

    `patterns`: ids, or glob patterns over ids; `papers`: keys of `PAPERS`; none selects all. Raises a ValueError
    for a pattern that matches no claim, or a selection that is empty.
    """
    ids = [c.id for c in claims]
    for pattern in patterns:
        if not any(fnmatchcase(i, pattern) for i in ids):
            raise ValueError(unknown(pattern, ids))
    chosen = [
        c
        for c in claims
        if (not patterns or any(fnmatchcase(c.id, p) for p in patterns)) and (not papers or c.paper in papers)
    ]
    if not chosen:
        held = ", ".join(dict.fromkeys(claim.paper for claim in claims))
        raise ValueError(f"no claim fits the selection; the ledger has claims of {held}")
    return chosen


def run(
    claims: Iterable[Claim], effort: str = "quick", seed: int = 0, jobs: int = 1, limit: float | None = None
) -> Iterator[Row]:
    """Check each claim; yields a `Row` as soon as its check ends, in no particular order.

    `seed` seeds every claim's generator, together with the claim's id. `jobs`: processes; -1 for one a core.
    `limit`: seconds of the processor after which a check is cut off (`dplit.court.ledger.long_run.limited`).
    """
    claims = list(claims)
    seed, effort = check_integer(seed, "seed", 0), str(Effort(effort))
    for done in fan_out(_answer, [(c, effort, seed, limit) for c in claims], jobs):
        evidence, processor = done.result or (None, 0.0)
        skipped = evidence if isinstance(evidence, str) else ""
        yield Row(claims[done.place], None if skipped else evidence, done.seconds, done.error, processor, skipped)


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
    """The evidence of one claim, from a generator of its own, None if it was cut off; seconds of the processor.

    In the place of the evidence of a check that lacks an extra of the package are words that name it.
    """
    start, evidence = time.process_time(), None
    try:
        with contextlib.suppress(OutOfTime), limited(limit):
            evidence = claim.check(effort, rng=stream(claim.id, seed))
    except MissingExtra as error:
        evidence = str(error)
    return evidence, time.process_time() - start


def parameters(claim):
    """The parameters of a claim's check and the ledger's values, dict of name to number or tuple."""
    found = inspect.signature(claim.check_function).parameters.values()
    return {p.name: p.default for p in found if _is_number(p.default)}


def _is_number(value):
    """True for a number, and for a tuple of numbers."""
    values = value if isinstance(value, tuple) else (value,)
    return bool(values) and all(isinstance(v, Real) and not isinstance(v, bool) for v in values)


def settings(texts: Iterable[str]) -> dict[str, tuple]:
    """Settings such as ``["epsilon=1,3"]`` by name as tuples of numbers; another form is a ValueError."""
    found = {}
    for text in texts:
        name, _, values = text.partition("=")
        try:
            found[name] = tuple(_number(v) for v in values.split(","))
        except ValueError:
            raise ValueError(f"must be NAME=VALUE or NAME=VALUE,VALUE, got {text!r}") from None
    return found


def _number(text):
    """A whole number as one, any other as a float."""
    return int(text) if text.strip().lstrip("+-").isdigit() else float(text)


def with_parameters(claims: Iterable[Claim], asked: Iterable[str]) -> list[Claim]:
    """The claims whose checks have every one of the parameters `asked`.

    Raises a ValueError that says which parameters there are, if no claim has them.
    """
    able = [c for c in claims if asked.keys() <= parameters(c).keys()]
    if not able:
        known = sorted({name for c in claims for name in parameters(c)})
        there = f"they have {', '.join(known)}" if known else "they have none"
        raise ValueError(f"no chosen claim has the parameters {', '.join(asked)}; {there}")
    return able


def check_at(claim: Claim, asked: Mapping[str, tuple], effort: str = "quick", seed: int = 0) -> Evidence:
    """The evidence of a claim's check at parameters of one's own; its range is what was `asked`.

    Raises a ValueError for several values where the check takes one, and whatever the check itself refuses.
    """
    own = parameters(claim)
    for name, values in asked.items():
        if len(values) > 1 and not isinstance(own[name], tuple):
            raise ValueError(f"{name} of {claim.id} takes one value, got {values!r}")
    given = {n: v if isinstance(own[n], tuple) else v[0] for n, v in asked.items()}
    found = claim.check_function(Effort(effort), stream(claim.id, seed), **given)
    return replace(found, quantity=found.quantity or claim.quantity, range=_as_asked(asked))


def _as_asked(asked):
    return "; ".join(f"{n} = {', '.join(map(str, values))}" for n, values in asked.items())


def varied_in_words(row):
    """One varied check as lines: its id and what was set, what was found, both sides."""
    found = row["evidence"]
    lines = [f"{row['id']}, with {found['range']}: {found['verdict']}", f"  {found['summary']}"]
    if found["published"] is not None and found["computed"] is not None:
        lines.append(f"  {both_sides(found)}")
    return lines
