"""Claims of ours on equal columns and rows of a query matrix: what may be merged, and is never worse."""

import numpy as np

from dplit import matrix
from dplit.court.claims.matrix_paths.small import entries, error, records, small_forests
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, note, same

MERGING = Box("thm-matrix-merging", "matrix.Workload", quantity="error of a strategy, merged and not")


def _strategies(n, rng):
    """Strategies on n cells that determine every query: the cells, random signs, random weights."""
    yield np.eye(n)
    yield np.vstack([np.eye(n), rng.integers(-1, 2, (3, n))])
    yield rng.normal(size=(n + 2, n))


def _forests(effort, rng):
    for one in small_forests(rng, effort.pick(12, 50, 250), 4, 3, 4):
        yield one, records(one.levels, 3, rng)


def _never_worse(pairs):
    """Comparisons of errors (after, before): none has grown, and decisive is the largest ratio."""
    for after, before, data in pairs:
        yield below(after, before, 1e-7, **data)
    ratios = [after / before for after, before, _ in pairs]
    yield decisive(below(max(ratios), 1, 1e-7))
    return f"{len(ratios)} strategies have {min(ratios):.3f} to {max(ratios):.3f} of the error before"


@MERGING("m-rf/column-merging", "ours", "holds", "matrix.Workload", "matrix.Merged")
def column_merging(effort, rng):
    """Let $W = W'M$, where M adds up the cells that have equal columns in W and drops those whose columns are
    zero. The answers are $WD = W'(MD)$, and one more record changes one entry of $MD$ by at most 1. The least
    error of a strategy for $W$ equals the least for $W'$: merging the cells makes no strategy worse."""
    errors = []
    for forest_, Q in _forests(effort, rng):
        levels, workload = forest_.levels, matrix.Workload.of(forest_.paths, Q)
        merged, W, small = workload.columns(), workload.matrix(), workload.columns().matrix
        X = records(levels, 25, rng)
        D = matrix.data_matrix(X, np.zeros(25, dtype=int), levels, 1)
        votes = (forest_.reached(Q)[:, None] == forest_.reached(X)[None]).sum(axis=(1, 2))
        yield from entries(votes, (small @ merged.counts(D))[workload.place, 0], levels=levels)
        one = [int(np.flatnonzero(merged.place == c)[0]) for c in range(small.shape[1])]
        lift = (merged.place == np.arange(len(one))[:, None]).astype(float)
        data = {"levels": levels, "merged": len(one)}
        for A in _strategies(W.shape[1], rng):  # cut down to a cell of each class
            errors.append((error(small, A[:, one]), error(W, A), data))
        for A in _strategies(len(one), rng):  # and lifted to all cells again
            errors.append((error(W, A @ lift), error(small, A), data))
    found = yield from _never_worse(errors)
    return note(
        f"Votes equal the routed ones. Cut down to the merged cells or lifted to all cells, {found}.",
        range="votes of small forests for 3 queries; cells, signs and normal strategies",
    )


@MERGING("m-rf/row-merging", "ours")
def row_merging(effort, rng):
    r"""A query that occurs $\mu$ times need be answered only once, because the error of $W$ is that of its
    distinct rows with weights $\mu$. A row that a strategy contains $m$ times is better released once, multiplied
    by $m$, because the sensitivity stays the same and no error grows."""
    errors = []
    for forest_, Q in _forests(effort, rng):
        T, leaves = forest_.T, forest_.leaves
        votes = forest_.routed(Q) @ T, matrix.Workload.of(forest_.paths, Q)
        for W, workload in ((T, leaves), votes):
            A, rows = rng.normal(size=(W.shape[1] + 2, W.shape[1])), workload.matrix()
            each = sum(m * error(row[None], A) for m, row in zip(workload.multiplicity, rows))
            data = {"levels": forest_.levels, "queries": len(W), "rows": len(rows)}
            yield same(error(W, A), each, 1e-6, **data)
            yield same((W**2).sum(), workload.squared(), 1e-6, **data)
            copies = rng.integers(1, 4, len(A))
            twice = error(W, np.repeat(A, copies, axis=0))
            errors.append((error(W, A * copies[:, None]), twice, data))
        distinct, counts = np.unique(T, axis=0, return_counts=True)
        errors.append((error(T, distinct * counts[:, None]), error(T, T), forest_.data))
    found = yield from _never_worse(errors)
    return note(
        f"errors and sums of squares equal those of all rows; with merged rows {found}",
        range="leaves and votes of small forests; normal strategies with copied rows",
    )
