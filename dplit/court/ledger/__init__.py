"""The engine of claims: what a claim is, what its check returns, how it is run, tabled and shown.

It knows no claim: those are the dockets in `dplit.claims`.
"""

from dplit.court.ledger.evidence import (
    CAPACITY,
    INTERVAL_ERROR,
    KINDS,
    LEDGER_ERROR,
    RUN_VERDICTS,
    VERDICTS,
    Evidence,
    interval,
)
from dplit.court.ledger.registry import PAPERS, Claim, claim

__all__ = [
    "CAPACITY", "INTERVAL_ERROR", "KINDS", "LEDGER_ERROR", "PAPERS", "RUN_VERDICTS", "VERDICTS",
    "Claim", "Evidence", "claim", "interval",
]  # fmt: skip
