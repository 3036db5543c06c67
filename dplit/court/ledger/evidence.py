"""What a check comes to: `Evidence`, and the interval of a simulated share.

The kinds of evidence are explained in :doc:`/book/ledger`. "Certified" is a statement over whole ranges, by exact
or ball arithmetic (`dplit.court.ledger.certify`), or a bound that is proved for each computed case.

Simulated intervals share one family-wise false-alarm rate of `LEDGER_ERROR`: the ledger has room for `CAPACITY` of
them, and each is taken at `INTERVAL_ERROR`, the first divided by the second.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from dplit.ground.errors import check_choice
from dplit.ground.work import plain

VERDICTS = ("holds", "loose", "assumes", "fails", "leaks")  # of what a proof or arithmetic decides
RUN_VERDICTS = ("agrees", "differs", "too close", "undecided")  # of a sentence that needs a run
KINDS = ("proved", "exact", "certified", "simulated", "reproduced")
RELATIONS = ("", "<=", "<", "=", ">=", ">", "within", "not")
BROKEN = ("fails", "leaks")
RTOL = 1e-9  # room for rounding

LEDGER_ERROR = 1e-6
CAPACITY = 1000
INTERVAL_ERROR = LEDGER_ERROR / CAPACITY


@dataclass(frozen=True)
class Evidence:
    """What a check found."""

    verdict: str  #: Follows from the computation, never from the declaration.
    kind: str  #: One of `KINDS`.
    summary: str  #: One sentence with the decisive numbers.
    cases: int = 1  #: How many cases were computed, or draws made.
    published: float | None = None  #: What the paper's formula gives at the decisive case.
    computed: float | None = None  #: What is true there.
    #: Plain data that reproduces the failure: parameters, neighbouring inputs, both sides.
    counterexample: Mapping | None = None
    intervals: tuple = ()  #: Simulated evidence: (low, high), each at error `INTERVAL_ERROR`.
    quantity: str = ""  #: What the two sides are, with their unit: "privacy loss".
    relation: str = ""  #: What must hold, ``computed relation published``; one of `RELATIONS`.
    range: str = ""  #: Which cases were computed, as "N up to 12, both relations".

    def __post_init__(self):
        check_choice(self.verdict, VERDICTS + RUN_VERDICTS, "verdict")
        check_choice(self.kind, KINDS, "kind")
        check_choice(self.relation, RELATIONS, "relation")
        if self.verdict in BROKEN and not self.counterexample:
            raise ValueError(f"a verdict of {self.verdict!r} needs a counterexample")
        if self.kind == "simulated" and not self.intervals:
            raise ValueError("simulated evidence needs its intervals")
        self.to_dict()

    def to_dict(self):
        """Every attribute as plain data, ready for JSON; what is not plain is a TypeError."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}


def interval(successes: int, draws: int, error: float = INTERVAL_ERROR) -> tuple[float, float]:
    """Clopper-Pearson interval of a probability, which misses the truth with a probability of at most `error`.

    Two-sided (Clopper and Pearson 1934): between the probabilities at which so few and so many successes, or
    still fewer and still more, each have the probability ``error / 2``.
    """
    from scipy.stats import beta

    low = beta.ppf(error / 2, successes, draws - successes + 1) if successes else 0.0
    high = beta.isf(error / 2, successes + 1, draws - successes) if successes < draws else 1.0
    return float(low), float(high)
