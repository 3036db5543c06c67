"""Claims as a table: what a chapter prints under its check."""

from collections.abc import Sequence

import pandas as pd

from dplit.court.ledger.registry import Claim
from dplit.ground.work import Effort


class Whole(pd.DataFrame):
    """A table of claims, which shows all rows and words; what is cut out of it is a plain one."""

    @property
    def _constructor(self):
        return pd.DataFrame

    def _repr_html_(self):
        with pd.option_context("display.max_colwidth", None, "display.max_rows", None):
            return super()._repr_html_()


def table(claims: Sequence[Claim], effort: str = "quick") -> pd.DataFrame:
    """Check each claim and set declared beside computed, a row a claim, index its id.

    Columns: quantity, what is compared; computed and must be, both sides at the decisive case with six digits and
    what must hold between them; verdict (computed); evidence, its kind; cases, how many were computed.
    """
    rows = []
    for c in claims:
        found = c.check(Effort(effort))
        if found.verdict != c.verdict:
            raise AssertionError(f"{c.id}: declared {c.verdict!r}, computed {found.verdict!r}")
        must = f"{found.relation} {_short(found.published)}".strip()
        sides = (found.quantity, _short(found.computed), must)
        rows.append((*sides, found.verdict, found.kind, found.cases))
    columns = ["quantity", "computed", "must be", "verdict", "evidence", "cases"]
    return Whole(rows, columns=columns, index=pd.Index([c.id for c in claims], name="claim"))


def _short(value):
    return "" if value is None else f"{value:.6g}"
