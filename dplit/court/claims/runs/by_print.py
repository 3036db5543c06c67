"""Comparisons that dockets about printed numbers share, beside those of `dplit.court.ledger.compare`.

What printed numbers decide alone needs no run: its verdicts are those of statements.
"""

from __future__ import annotations

from collections.abc import Iterable

from dplit.court.ledger.compare import Compared, need

NO_CORRECTION = "the printed table says what holds"


def above(exact: float, stated: float, broken: str = "", **data) -> Compared:
    """``exact > stated``."""
    return need(exact > stated, exact, ">", stated, broken, **data)


def under(exact: float, stated: float, broken: str = "", **data) -> Compared:
    """``exact < stated``."""
    return need(exact < stated, exact, "<", stated, broken, **data)


def in_part(whole: bool, part: bool, exact: float, relation: str, stated: float) -> Compared:
    """A condition that "assumes", without a counterexample, where it is so in part; else it fails."""
    return need(whole, exact, relation, stated, "assumes" if part else "fails")


def listed(words: Iterable[str]) -> str:
    """Words one after the other, or "none"."""
    return "; ".join(words) or "none"
