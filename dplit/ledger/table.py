"""Claims as a table: what a chapter prints under its check."""

from __future__ import annotations

import pandas as pd

from dplit.work import Effort


def table(claims, effort="quick"):
    """Check each claim and set declared beside computed.

    Parameters
    ----------
    claims : sequence of Claim
    effort : {"quick", "reader", "deep"}

    Returns
    -------
    DataFrame, one row a claim, index its id; columns published, computed (both sides at the
    decisive case, six digits), verdict (computed) and evidence (its kind).
    """
    rows = []
    for c in claims:
        found = c.check(Effort(effort))
        if found.verdict != c.verdict:
            raise AssertionError(f"{c.id}: declared {c.verdict!r}, computed {found.verdict!r}")
        rows.append((_short(found.published), _short(found.computed), found.verdict, found.kind))
    columns = ["published", "computed", "verdict", "evidence"]
    return pd.DataFrame(rows, columns=columns, index=pd.Index([c.id for c in claims], name="claim"))


def _short(value):
    return "" if value is None else f"{value:.6g}"
