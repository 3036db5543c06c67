"""Which careless changes ``dplit audit`` notices: where they are made, who runs them, what becomes of them."""

from dplit.court.audit.changes.drawn import (
    OUTCOMES,
    Outcome,
    audited_apart,
    by_hand,
    draw,
    missed,
    outcome_of,
    reasons,
    run,
    stored,
    summary,
)
from dplit.court.audit.changes.sites import Change, changes_of

__all__ = [
    "OUTCOMES", "Change", "Outcome", "audited_apart", "by_hand", "changes_of", "draw", "missed", "outcome_of",
    "reasons", "run", "stored", "summary",
]  # fmt: skip
