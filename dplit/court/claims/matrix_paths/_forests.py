"""What several dockets draw: small schemas, their forests, and matrices made by routing records."""

from __future__ import annotations

import itertools

import numpy as np

from dplit import matrix
from dplit.domain import Categorical, Domain
from dplit.trees import apply, grow_random_trees

TENNIS = Domain(
    [Categorical(["sunny", "overcast", "rainy"]), Categorical([False, True])],
    names=["outlook", "windy"],
)
CAR_LEVELS = (4, 4, 4, 3, 3, 3)


def schema(levels):
    """A domain of columns with so many levels each."""
    return Domain([Categorical(range(n)) for n in levels])


def forest(levels, n_trees, depth, rng):
    """(trees, their decision paths) of random trees on columns with so many levels."""
    trees = grow_random_trees(schema(levels), n_trees, depth, rng=rng)
    return trees, matrix.decision_paths(trees, levels)


def small_levels(rng, most=4):
    """Numbers of levels of two to four columns."""
    return rng.integers(2, most + 1, size=rng.integers(2, 5)).tolist()


def records(levels, n, rng):
    """Codes of random records, shape (n, n_features)."""
    return np.column_stack([rng.integers(0, k, n) for k in levels])


def every_cell(levels):
    """The codes of every cell, in the order of the columns of T."""
    return np.array(list(itertools.product(*(range(n) for n in levels))))


def leaves(trees, codes):
    """The leaf of each record in each tree, numbered through the forest, by routing."""
    return apply(trees, np.asarray(codes, dtype=float)) + trees.leaf_starts[:-1]


def routed(trees, codes):
    """Which leaves each record reaches, by routing; int64, shape (n_records, n_leaves)."""
    found = np.zeros((len(codes), trees.n_leaves), dtype=np.int64)
    np.put_along_axis(found, leaves(trees, codes), 1, axis=1)
    return found


def error(workload, strategy):
    r"""Total squared error of a class in units of 2/epsilon^2: :math:`\|A\|_1^2 \|WA^+\|_F^2`."""
    answers = np.linalg.lstsq(strategy.T, workload.T, rcond=1e-10)[0].T
    if not np.allclose(answers @ strategy, workload, atol=1e-7):
        return np.inf
    return float(abs(strategy).sum(axis=0).max() ** 2 * (answers**2).sum())
