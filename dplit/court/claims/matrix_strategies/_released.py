"""Simulated releases, and intervals of mean errors; dense least squares as the other side."""

from __future__ import annotations

import numpy as np

import dplit.court.claims.matrix_paths._forests as f
from dplit import matrix, mechanisms
from dplit.court.ledger import interval

CLIPPED = 3.0  # times the stated error, where squared errors are cut off


def errors(workload, strategy, epsilon, draws, rng, mechanism="laplace"):
    """Total squared errors of all queries, of so many releases of 30 random records, one class each.

    The truth of an answer is counted through the trees that route the records, or through the domain where
    the workload is a given matrix.

    Returns
    -------
    float64 array, shape (draws,)
    """
    levels = strategy.n_levels.tolist()
    codes = f.records(levels, 30, rng)
    D = matrix.data_matrix(codes, np.zeros(30, dtype=int), levels, 1)
    truth = workload.matrix()[workload.place] @ D
    measured = np.repeat(strategy.measure(codes, np.zeros(30, dtype=int), 1), draws, axis=1)
    size = strategy.sensitivity("add-remove")
    kind = matrix.fitting(strategy, mechanism)
    noise = (
        mechanisms.Laplace(epsilon, size)
        if kind == "laplace"
        else mechanisms.Geometric(epsilon, int(size))
    )
    found = strategy.answers(workload, noise.sample(measured, rng=rng)) - truth
    return (found**2).sum(axis=0)


class Span(tuple):
    """The two ends of an interval of a mean; `share` is that of the event which was counted for it."""

    @property
    def middle(self):
        """Half way between the ends."""
        return sum(self) / 2

    def __new__(cls, low, high, top):
        """From the event's interval and the cut, by which it is multiplied."""
        span = super().__new__(cls, (low * top, high * top))
        span.share = (low, high)
        return span


def mean_interval(values, groups, stated, rng):
    """Interval of a mean of numbers that are at least 0, from the means of so many groups of equal size.

    These are cut off at `CLIPPED` times what is stated, which hardly touches them. One exceeds a uniform
    number below the cut with the probability of its mean over the cut.

    Returns
    -------
    Span
    """
    values, top = np.asarray(values).reshape(groups, -1).mean(axis=1), float(CLIPPED * stated)
    hits = int((values > top * rng.random(len(values))).sum())
    return Span(*interval(hits, len(values)), top)


def held(stated, spans):
    """Whether each interval holds what is stated of its mean."""
    return all(low <= s <= high for s, (low, high) in zip(stated, spans, strict=True))


def simulated(stated, spans, shown=0):
    """What evidence of several means says: of one of them what is stated and found, of all their events."""
    return {
        "kind": "simulated",
        "published": stated[shown],
        "computed": spans[shown].middle,
        "relation": "within",
        "intervals": tuple(span.share for span in spans),
    }


def dense(strategy):
    """A, a column from a record in each cell."""
    cells = f.every_cell(strategy.n_levels.tolist())
    return np.column_stack([strategy.measure([c], [0], 1)[:, 0] for c in cells]).astype(float)


def least_squares(W, A):
    """W A^+ by least squares, not by the strategy's own formula."""
    return np.linalg.lstsq(A.T, W.T, rcond=1e-10)[0].T


def small(rng, columns=3):
    """(levels, trees, their leaves as a workload) of a random forest on two or three columns."""
    levels = rng.integers(2, 4, size=rng.integers(2, columns + 1)).tolist()
    depth, tau = int(rng.integers(1, len(levels) + 1)), int(rng.integers(1, 7))
    trees, paths = f.forest(levels, tau, depth, rng)
    return levels, trees, matrix.Workload.of(paths)


def whole(trees, levels):
    """T with all copies, by routing every cell."""
    return f.routed(trees, f.every_cell(levels)).T.astype(float)
