"""Claims as tables: what a chapter prints under its check, and what the command line prints."""

from __future__ import annotations

import json
import textwrap
from collections import Counter

import pandas as pd

from dplit.ledger.evidence import VERDICTS
from dplit.work import Effort

WIDTH = 100  # columns of the command line's report


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


def text(rows):
    """The report of ``dplit verify``: a table, what decided each failure, and totals.

    Parameters
    ----------
    rows : sequence of `dplit.ledger.run.Row`
    """
    parts = [aligned(HEADER, [_cells(r) for r in rows], shrink=1, right=(5, 6))]
    parts += [_counterexample(r) for r in rows if r.evidence and r.evidence.counterexample]
    parts += [_mismatch(r) for r in rows if not r.ok]
    return "\n\n".join([*parts, _totals(rows)])


HEADER = ("id", "where", "declared", "computed", "evidence", "cases", "seconds")


def aligned(header, cells, shrink=None, right=(), width=WIDTH):
    """Rows of text in aligned columns.

    Parameters
    ----------
    header : sequence of str
    cells : sequence of sequences of str
    shrink : int, optional
        Column that gives way, with an ellipsis, where the table is wider than `width`. Where that
        is not enough, long cells of the first column get a line of their own.
    right : sequence of int
        Columns that are set flush right.
    """
    widths = [max(map(len, column)) for column in zip(header, *cells)]
    if shrink is not None:
        over = sum(widths) + 2 * (len(widths) - 1) - width
        given = min(max(over, 0), max(widths[shrink] - 9, 0))
        widths[shrink] -= given
        widths[0] -= max(over - given, 0)
    lines = []
    for row in [header, ["-" * w for w in widths], *cells]:
        if len(row[0]) > widths[0]:
            lines.append(row[0])
            row = ["", *row[1:]]
        fitted = [_fit(c, w, i in right) for i, (c, w) in enumerate(zip(row, widths))]
        lines.append("  ".join(fitted).rstrip())
    return "\n".join(lines)


def _fit(cell, width, right):
    """`cell` in exactly `width` columns, cut with an ellipsis if it is longer."""
    cut = cell if len(cell) <= width else cell[: width - 1].rstrip() + "…"
    return cut.rjust(width) if right else cut.ljust(width)


def wrapped(words, indent="  "):
    """`words` broken into lines of at most `WIDTH` columns; all but the first are indented."""
    return textwrap.fill(words, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def _cells(row):
    c, found = row.claim, row.evidence
    mark = "" if row.ok else " <--"
    kind, cases = (found.kind, f"{found.cases:,}") if found else ("", "")
    return c.id, c.where, c.verdict, row.computed + mark, kind, cases, f"{row.seconds:.2f}"


def _counterexample(row):
    """What decided the verdict, and the data that reproduce it (shortened; --json has all)."""
    data = json.dumps(row.evidence.to_dict()["counterexample"], ensure_ascii=False)
    if len(data) > 3 * WIDTH:
        data = data[: 3 * WIDTH] + "…"
    return wrapped(f"{row.claim.id}: {row.evidence.summary}") + "\n" + wrapped(f"  {data}", "    ")


def _mismatch(row):
    if row.error:
        return wrapped(f"{row.claim.id}: the check stopped: {row.error}")
    said = f"declared {row.claim.verdict}, computed {row.computed}"
    return wrapped(f"{row.claim.id}: {said}: {row.evidence.summary}")


def _totals(rows):
    """ "5 claims: 3 holds, 2 fails; 1 not as declared"."""
    counts = Counter(r.computed for r in rows)
    parts = ", ".join(f"{counts[v]} {v}" for v in (*VERDICTS, "error") if counts[v])
    wrong = sum(not r.ok for r in rows)
    noun = "claim" if len(rows) == 1 else "claims"
    verdict = f"{wrong} not as declared" if wrong else "all as declared"
    return f"{len(rows)} {noun}: {parts}; {verdict}"


def _short(value):
    return "" if value is None else f"{value:.6g}"
