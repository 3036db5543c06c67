"""A claim as an object: what a paper says, the function that checks it, and the verdict.

=========  =====================================================================================
verdict    meaning
=========  =====================================================================================
holds      true as stated
loose      true, and a better constant is given
assumes    true once a missing assumption is named
fails      false: there is a counterexample
leaks      a privacy statement that is false: neighbouring data and their likelihood ratio are given
=========  =====================================================================================

==========  ====================================================================================
evidence    meaning
==========  ====================================================================================
exact       every case in the stated range was computed, in closed form or by enumeration
certified   a bound that is proved for each computed case: a dual solution, a rigorous inequality
simulated   draws, with an interval at the ledger's error rate
reproduced  a stored run, held against printed numbers or sentences by a rule that the claim states;
            the check computes a part of the run again, and it must come out the same
==========  ====================================================================================

Simulated intervals share one family-wise false-alarm rate of `LEDGER_ERROR`: the ledger has room
for `CAPACITY` of them, and each is taken at `INTERVAL_ERROR`, the first divided by the second.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction

import numpy as np

from dplit.errors import check_choice

VERDICTS = ("holds", "loose", "assumes", "fails", "leaks")
KINDS = ("exact", "certified", "simulated", "reproduced")
EFFORTS = ("quick", "reader", "deep")
PAPERS = {
    "diprime-v1": "DiPriMe v1: Differentially Private Median Forests (2020)",
    "diprime-v2": "DiPriMe v2: Balance is key",
    "mrf": "Multinomial Random Forest",
    "rdf": "Random Decision Forests using Smooth Sensitivity (2017), with its ROSNAM addendum (2021)",
    "m-rf": "Matrix Representation of random forests (2025)",
}

LEDGER_ERROR = 1e-6
CAPACITY = 1000
INTERVAL_ERROR = LEDGER_ERROR / CAPACITY


class Effort(str):
    """How hard to check: "quick" (seconds), "reader" (a chapter), "deep" (minutes)."""

    def __new__(cls, name="quick"):
        return super().__new__(cls, check_choice(name, EFFORTS, "effort"))

    def pick(self, quick, reader, deep):
        """The value that belongs to this effort."""
        return (quick, reader, deep)[EFFORTS.index(self)]


def plain(value):
    """`value` in JSON's own types: arrays become lists, fractions and infinities strings."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, Fraction) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"evidence must be plain data, as JSON holds, got {value!r}")


@dataclass(frozen=True)
class Evidence:
    """What a check found.

    Attributes
    ----------
    verdict : str
        Follows from the computation, never from the declaration.
    kind : str
        One of `KINDS`.
    summary : str
        One sentence with the decisive numbers.
    cases : int
        How many cases were computed, or draws made.
    published, computed : float or None
        The two sides at the decisive case: what the paper's formula gives and what is true.
    counterexample : mapping or None
        Plain data that reproduces the failure: parameters, neighbouring inputs, both sides.
    intervals : tuple of (low, high)
        Simulated evidence: each at error `INTERVAL_ERROR`.
    """

    verdict: str
    kind: str
    summary: str
    cases: int = 1
    published: float | None = None
    computed: float | None = None
    counterexample: Mapping | None = None
    intervals: tuple = ()

    def __post_init__(self):
        check_choice(self.verdict, VERDICTS, "verdict")
        check_choice(self.kind, KINDS, "kind")
        if self.verdict in ("fails", "leaks") and not self.counterexample:
            raise ValueError(f"a verdict of {self.verdict!r} needs a counterexample")
        if self.kind == "simulated" and not self.intervals:
            raise ValueError("simulated evidence needs its intervals")
        self.to_dict()

    def to_dict(self):
        """Every attribute as plain data, ready for JSON; what is not plain is a TypeError."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, or one of ours that corrects it.

    Attributes
    ----------
    id : str
        "paper/name"; a correction is "paper/name/corrected".
    paper : str
        Key of `PAPERS`.
    where : str
        Theorem, equation, table or section of the paper.
    says : str
        The statement in our words; formulas between dollar signs.
    verdict : str
        Declared; `check` computes its own, and ``dplit verify`` compares.
    holds_instead : str
        Id of the corrected claim, where the paper's is wrong or loose.
    nothing_instead : str
        Why there is no corrected claim, where the paper's is wrong or loose.
    ours : bool
        True if no paper states it.
    functions : tuple of str
        Dotted names under `dplit` of the functions that compute each side.
    chapter, anchor : str
        Page of the book and the label of the theorem box there.
    test : str
        The test that pins it.
    kind : str
        Declared kind of evidence, one of `KINDS`.
    intervals : int
        How many simulated intervals it uses, at most.
    """

    id: str
    paper: str
    where: str
    says: str
    verdict: str
    check_function: Callable = field(repr=False)
    holds_instead: str = ""
    nothing_instead: str = ""
    ours: bool = False
    functions: tuple = ()
    chapter: str = ""
    anchor: str = ""
    test: str = ""
    kind: str = "exact"
    intervals: int = 0

    def check(self, effort="quick", rng=None) -> Evidence:
        """Compute the evidence anew.

        Parameters
        ----------
        effort : {"quick", "reader", "deep"}
            Wider ranges and more draws.
        rng : numpy.random.Generator, optional
            Left out, a generator seeded with this claim's id: the same answer every time.
        """
        return self.check_function(Effort(effort), claim_rng(self.id) if rng is None else rng)

    @property
    def link(self):
        """Address of the chapter's theorem box, relative to the book's pages."""
        return f"{self.chapter}.html" + (f"#{self.anchor}" if self.anchor else "")


def claim_rng(claim_id, seed=0):
    """The generator of one claim: depends on its id and the seed, on nothing else."""
    return np.random.default_rng([seed, zlib.crc32(claim_id.encode())])


_registry: dict[str, Claim] = {}


def claim(id, **fields):
    """Register the decorated ``check(effort, rng) -> Evidence`` as a `Claim`; its fields are keywords."""

    def register(check_function):
        if id in _registry:
            raise ValueError(f"id must be unique, {id!r} is registered already")
        paper = id.split("/")[0]
        check_choice(paper, tuple(PAPERS), "paper")
        check_choice(fields.get("verdict"), VERDICTS, "verdict")
        _registry[id] = Claim(id=id, paper=paper, check_function=check_function, **fields)
        return check_function

    return register


def of_upper_bound(exact, published, rtol=1e-9):
    """Verdict of ``exact <= published``: "fails", "loose" (never met), or "holds" (met somewhere).

    Parameters
    ----------
    exact, published : array_like, same shape
    rtol : float
        Relative room for rounding.
    """
    exact, published = _sides(exact, published)
    room = rtol * np.maximum(np.abs(published), np.finfo(float).tiny)
    if (exact > published + room).any():
        return "fails"
    return "holds" if (exact >= published - room).any() else "loose"


def of_equality(exact, published, rtol=1e-9, atol=0.0):
    """Verdict of ``exact == published`` up to rounding: "holds" or "fails"."""
    return "holds" if np.allclose(*_sides(exact, published), rtol=rtol, atol=atol) else "fails"


def _sides(exact, published):
    """Both sides as float arrays; no verdict follows from nothing, or from what is not a number."""
    exact, published = np.asarray(exact, dtype=float), np.asarray(published, dtype=float)
    if not exact.size or np.isnan(exact).any() or np.isnan(published).any():
        raise ValueError(f"exact and published must be numbers, got {exact!r} and {published!r}")
    return exact, published


def of_privacy(loss, epsilon, rtol=1e-9):
    """Verdict of a claimed `epsilon` against exact privacy losses: "leaks", "holds" or "loose"."""
    verdict = of_upper_bound(loss, np.broadcast_to(epsilon, np.shape(loss)), rtol)
    return "leaks" if verdict == "fails" else verdict


def interval(successes, draws, error=INTERVAL_ERROR):
    """Clopper-Pearson interval of a probability, two-sided at `error` (default: the ledger's).

    Parameters
    ----------
    successes, draws : int
    error : float
        Probability that the interval misses the truth, at most.
    """
    from scipy.stats import beta

    low = beta.ppf(error / 2, successes, draws - successes + 1) if successes else 0.0
    high = beta.isf(error / 2, successes + 1, draws - successes) if successes < draws else 1.0
    return float(low), float(high)
