r"""Claims of ours on equal columns and equal rows of a query matrix: what may be merged, and is never worse.

Derived in :doc:`/book/matrix_paths`. Counts are routed, errors are computed from least squares on the
matrices themselves, for strategies drawn at random.
"""

from __future__ import annotations

import numpy as np

import dplit.court.claims.matrix_paths._forests as f
from dplit import matrix
from dplit.court.ledger import Case, claim, equal, verdict_of


def _strategies(n, rng):
    """Strategies on n cells that determine every query: the cells, random signs, random weights."""
    yield np.eye(n)
    yield np.vstack([np.eye(n), rng.integers(-1, 2, (3, n))])
    yield rng.normal(size=(n + 2, n))


def _workloads(effort, rng):
    """Votes of small forests for a few queries, with their trees."""
    for _ in range(effort.pick(12, 50, 250)):
        levels = f.small_levels(rng, 3)
        trees, paths = f.forest(levels, int(rng.integers(1, 5)), int(rng.integers(1, 3)), rng)
        Q = f.records(levels, 3, rng)
        yield trees, levels, Q, matrix.Workload.of(paths, Q)


def _never_worse(cases):
    """Evidence fields of cases (error after, error before): the ratios, and whether all are at most 1."""
    ratios = [case.exact / case.stated for case in cases]
    shown = max(cases, key=lambda case: round(case.exact / case.stated, 9))  # ties: the first
    good = max(ratios) <= 1 + 1e-7
    fields = {"published": shown.stated, "computed": shown.exact, "relation": "<="}
    return good, ratios, shown.data | {"after": shown.exact, "before": shown.stated}, fields


@claim(
    "m-rf/column-merging",
    "ours",
    "holds",
    "thm-matrix-merging",
    ("matrix.Workload", "matrix.Merged"),
    ours=True,
    proof="thm-matrix-merging",
    quantity="error of a strategy, merged and not",
)
def column_merging(effort, rng):
    r"""Let $W = W'M$, where M adds up the cells that have equal columns in W and drops those of zero
    columns. The answers are $WD = W'(MD)$, one record more changes one entry of $MD$ by at most 1, and
    the least error that a strategy has for $W$ is the least that one has for $W'$: no strategy gets worse
    if the cells are merged."""
    answers, errors = [], []
    for trees, levels, Q, workload in _workloads(effort, rng):
        merged, n = workload.columns(), workload.n_cells
        X = f.records(levels, 25, rng)
        D = matrix.data_matrix(X, np.zeros(25, dtype=int), levels, 1)
        votes = (f.leaves(trees, Q)[:, None] == f.leaves(trees, X)[None]).sum(axis=(1, 2))
        ours = (merged.matrix @ merged.counts(D))[workload.place, 0]
        answers += [Case(a, b, {"levels": levels}) for a, b in zip(votes, ours)]
        W, small = workload.matrix(), merged.matrix
        one = [int(np.flatnonzero(merged.place == c)[0]) for c in range(small.shape[1])]
        lift = (merged.place == np.arange(len(one))[:, None]).astype(float)
        shown = {"levels": levels, "cells": n, "merged": len(one)}
        for A in _strategies(n, rng):  # cut down to a cell of each class
            errors.append(Case(f.error(small, A[:, one]), f.error(W, A), shown))
        for A in _strategies(len(one), rng):  # and lifted to all cells again
            errors.append(Case(f.error(W, A @ lift), f.error(small, A), shown))
    same, (good, ratios, worst, fields) = equal(answers, "answers"), _never_worse(errors)
    return verdict_of(
        same.verdict == "holds" and good,
        f"{len(answers)} votes equal the routed ones; {len(errors)} strategies cut down or lifted have "
        f"between {min(ratios):.3f} and {max(ratios):.3f} of the error before.",
        {"answers": same.counterexample, "worst": worst},
        cases=len(answers) + len(errors),
        range="votes of small forests for 3 queries; cells, signs and normal strategies",
        **fields,
    )


@claim(
    "m-rf/row-merging",
    "ours",
    "holds",
    "thm-matrix-merging",
    ("matrix.Workload",),
    ours=True,
    proof="thm-matrix-merging",
    quantity="error of a strategy, merged and not",
)
def row_merging(effort, rng):
    r"""A query that occurs $\mu$ times is answered once: the error of $W$ is that of its distinct rows,
    weighted with $\mu$. And a row that a strategy has $m$ times is better released once, $m$ times as large:
    the sensitivity is the same and no error grows."""
    weighted, errors = [], []
    for trees, levels, Q, _ in _workloads(effort, rng):
        paths = matrix.decision_paths(trees, levels)
        T = f.routed(trees, f.every_cell(levels)).T.astype(float)
        for W, workload in (
            (T, matrix.Workload.of(paths)),
            (f.routed(trees, Q) @ T, matrix.Workload.of(paths, Q)),
        ):
            A = rng.normal(size=(W.shape[1] + 2, W.shape[1]))
            rows = workload.matrix()
            each = sum(m * f.error(row[None], A) for m, row in zip(workload.multiplicity, rows))
            shown = {"levels": levels, "queries": len(W), "rows": len(rows)}
            weighted += [Case(f.error(W, A), each, shown)]
            weighted += [Case((W**2).sum(), workload.squared(), shown)]
            copies = rng.integers(1, 4, len(A))
            twice = f.error(W, np.repeat(A, copies, axis=0))
            errors.append(Case(f.error(W, A * copies[:, None]), twice, shown))
        distinct, counts = np.unique(T, axis=0, return_counts=True)
        errors.append(Case(f.error(T, distinct * counts[:, None]), f.error(T, T), shown))
    same, (good, ratios, worst, fields) = (
        equal(weighted, "weighted", rtol=1e-6),
        _never_worse(errors),
    )
    return verdict_of(
        same.verdict == "holds" and good,
        f"{len(weighted)} errors and sums of squares equal those of all rows; {len(errors)} strategies with "
        f"merged rows have between {min(ratios):.3f} and {max(ratios):.3f} of the error before.",
        {"weighted": same.counterexample, "worst": worst},
        cases=len(weighted) + len(errors),
        range="leaves and votes of small forests; normal strategies with copied rows",
        **fields,
    )
