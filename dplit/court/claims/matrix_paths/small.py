"""Small random forests with matrices made by routing, errors by least squares, and comparisons of arrays."""

import itertools
from fractions import Fraction
from functools import cached_property

import numpy as np

from dplit import matrix, mechanisms
from dplit.court.ledger.compare import RTOL, counted, need, same
from dplit.domain import Categorical, Domain
from dplit.trees import apply, grow_random_trees

TENNIS = Domain(
    [Categorical(["sunny", "overcast", "rainy"]), Categorical([False, True])], names=["outlook", "windy"]
)
CAR, BALANCE, NURSERY = (4, 4, 4, 3, 3, 3), (5, 5, 5, 5), (3, 5, 4, 4, 3, 2, 3, 3)
CLIPPED = 3.0  # times the stated error, where squared errors are cut off


class Forest:
    """Trees on columns with so many levels, and what routing says of them."""

    def __init__(self, trees, levels):
        self.trees, self.levels, self.n_trees = trees, list(levels), trees.n_trees
        self.data = {"levels": self.levels, "trees": self.n_trees}

    @cached_property
    def paths(self):
        """Its decision paths."""
        return matrix.decision_paths(self.trees, self.levels)

    @cached_property
    def leaves(self):
        """Its leaves as a workload."""
        return matrix.Workload.of(self.paths)

    @cached_property
    def T(self):
        """The matrix of its leaves with all copies, by routing every cell."""
        return self.routed(every_cell(self.levels)).T.astype(float)

    def reached(self, codes):
        """The leaf of each record in each tree, numbered through the forest, by routing."""
        return apply(self.trees, np.asarray(codes, dtype=float)) + self.trees.leaf_starts[:-1]

    def routed(self, codes):
        """Which leaves each record reaches, by routing; int64, shape (n_records, n_leaves)."""
        found = np.zeros((len(codes), self.trees.n_leaves), dtype=np.int64)
        np.put_along_axis(found, self.reached(codes), 1, axis=1)
        return found


def schema(levels):
    """A domain of columns with so many levels each."""
    return Domain([Categorical(range(n)) for n in levels])


def forest(levels, n_trees, depth, rng):
    """Random trees on columns with so many levels."""
    return Forest(grow_random_trees(schema(levels), n_trees, depth, rng=rng), levels)


def tennis_trees():
    """A tree on each column of Tennis, outlook first."""
    return Forest(grow_random_trees(TENNIS, 2, 1, rng=np.random.default_rng(20)), (3, 2))


def small_forest(rng, columns=3, most=3, trees=6):
    """At most so many random trees of any depth, on two columns or more."""
    levels = small_levels(rng, most, columns)
    depth, n_trees = int(rng.integers(1, len(levels) + 1)), int(rng.integers(1, trees + 1))
    return forest(levels, n_trees, depth, rng)


def small_forests(rng, times, *sizes):
    """So many of them."""
    return (small_forest(rng, *sizes) for _ in range(times))


def small_levels(rng, most=4, columns=4):
    """Numbers of levels, two or more, of two columns or more."""
    return rng.integers(2, most + 1, size=rng.integers(2, columns + 1)).tolist()


def records(levels, n, rng):
    """Codes of random records, shape (n, n_features)."""
    return np.column_stack([rng.integers(0, k, n) for k in levels])


def every_cell(levels):
    """The codes of every cell, in the order of the columns of T."""
    return np.array(list(itertools.product(*(range(n) for n in levels))))


def exact_rank(rows):
    """Rank of a matrix of whole numbers, by elimination in fractions."""
    rows, rank = [[Fraction(int(x)) for x in row] for row in rows], 0
    for column in range(len(rows[0])):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is not None:
            rows[rank], rows[pivot] = rows[pivot], rows[rank]
            for i in range(rank + 1, len(rows)):
                ratio = rows[i][column] / rows[rank][column]
                if ratio:
                    rows[i] = [a - ratio * b for a, b in zip(rows[i], rows[rank])]
            rank += 1
    return rank


def dense(strategy):
    """A: what it measures of a record in each cell, each of a class of its own."""
    cells = every_cell(np.asarray(strategy.n_levels).tolist())
    return np.asarray(strategy.measure(cells, np.arange(len(cells)), len(cells)), dtype=float)


def least_squares(W, A):
    """W A^+ by least squares, not by the strategy's own formula."""
    return np.linalg.lstsq(A.T, W.T, rcond=1e-10)[0].T


def error(W, A):
    r"""Total squared error of a class in units of 2/epsilon^2: :math:`\|A\|_1^2 \|WA^+\|_F^2`."""
    answers = least_squares(W, A)
    if not np.allclose(answers @ A, W, atol=1e-7):
        return np.inf
    return float(abs(A).sum(axis=0).max() ** 2 * (answers**2).sum())


def entries(exact, stated, rtol=RTOL, atol=0.0, **data):
    """Comparisons of two arrays, entry by entry; one that cannot be equal if their shapes differ."""
    exact, stated = np.asarray(exact, dtype=float), np.asarray(stated, dtype=float)
    if exact.shape != stated.shape:
        yield same(exact.size, -1, shapes=[exact.shape, stated.shape], **data)
        return
    for a, b in zip(exact.ravel().tolist(), stated.ravel().tolist()):
        yield same(a, b, rtol, atol, **data)


def less(exact, stated, **data):
    """A comparison: ``exact < stated``."""
    return need(exact < stated, exact, "<", stated, **data)


def drawn_errors(workload, strategy, epsilon, draws, rng, mechanism="laplace"):
    """Total squared errors of all queries, of so many releases of 30 random records of one class.

    The truth of an answer is counted in the table of cells, not by the strategy.
    """
    levels, one = strategy.n_levels.tolist(), np.zeros(30, dtype=int)
    codes = records(levels, 30, rng)
    truth = workload.matrix()[workload.place] @ matrix.data_matrix(codes, one, levels, 1)
    measured = np.repeat(strategy.measure(codes, one, 1), draws, axis=1)
    size = strategy.sensitivity("add-remove")
    if matrix.fitting(strategy, mechanism) == "laplace":
        noise = mechanisms.Laplace(epsilon, size)
    else:
        noise = mechanisms.Geometric(epsilon, int(size))
    found = strategy.answers(workload, noise.sample(measured, rng=rng)) - truth
    return (found**2).sum(axis=0)


def mean(values, groups, stated, rng, around=None, **data):
    """A comparison: the mean of draws that are at least 0, from the means of so many groups.

    These are cut off at `CLIPPED` times what they are `around`, which hardly touches them. One exceeds a
    uniform number below the cut with the probability of its mean over the cut.
    """
    top = float(CLIPPED * (stated if around is None else around))
    means = np.asarray(values).reshape(groups, -1).mean(axis=1)
    hits = int((means > top * rng.random(groups)).sum())
    case = counted(hits, groups, stated / top, **data)
    return case._replace(exact=top * case.exact, stated=float(stated), weight=np.size(values))


def ends(case, around=None):
    """The two ends of the interval of a `mean`, in its own units."""
    return [CLIPPED * (case.stated if around is None else around) * end for end in case.span]
