r"""Reconstruction of the training data from what a forest tells of its leaves, or by its cuts alone.

A table of categorical columns and a class is a vector of counts, one for each combination. Derived in
:doc:`/book/attacks`.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.stats import binom

from dplit.ground.errors import check_epsilon, check_integer

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier

    from dplit.trees import Trees


def all_rows(columns: int) -> np.ndarray:
    """Every row of so many binary columns; int array, shape (2**columns, columns)."""
    return np.array(list(product((0, 1), repeat=check_integer(columns, "columns", 1, 12))))


def leaf_equations(forest: RandomForestClassifier, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """What a forest of scikit-learn says of the counts of all (row, class), two classes, binary columns, no
    bootstrap.

    A matrix, shape (n_equations, 2 * 2**columns), in the order of `all_rows`, class 0 and class 1 of each row;
    and so many records of the class in the leaf, shape (n_equations,).
    """
    rows, equations, counts = all_rows(columns), [], []
    for tree in forest.estimators_:
        leaf = tree.apply(rows)
        for node in np.unique(leaf):
            held = tree.tree_.value[node, 0] * tree.tree_.n_node_samples[node]
            for code in (0, 1):
                equations.append(np.kron(leaf == node, np.arange(2) == code))
                counts.append(round(float(held[code])))
    return np.array(equations, dtype=float), np.array(counts, dtype=float)


def table_of_cuts(trees: Trees, n: int, columns: int) -> np.ndarray:
    """The n cells that lie in the smallest leaves of a forest, by its cuts alone; no label is read.

    A leaf of a multinomial forest as published holds a record, or its parent would not have been split there
    (structure points have both levels of the column). Of the rows that a leaf leaves open, each is as likely, so
    that a row's score is the mean over the trees of 1 over their number; a row's two classes are alike. It is a
    table of ones and zeros, shape (2 * 2**columns,), for trees of binary columns in the order of `all_rows`.
    """
    from dplit.trees import apply

    leaves = apply(trees, all_rows(columns).astype(float))
    shares = [1 / np.bincount(leaf)[leaf] for leaf in leaves.T]
    score = np.repeat(np.mean(shares, axis=0), 2)
    named = np.zeros(len(score), dtype=np.int64)
    named[np.argsort(-score, kind="stable")[: check_integer(n, "n", 1, len(score))]] = 1
    return named


def solve_counts(matrix: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Whole c >= 0 with ``matrix @ c == counts``, by integer programming; a ValueError if there are none."""
    size = matrix.shape[1]
    found = milp(
        np.zeros(size),
        constraints=LinearConstraint(matrix, counts, counts),
        integrality=np.ones(size),
        bounds=Bounds(0, np.inf),
    )
    if found.x is None:
        raise ValueError(f"counts must be those of a table, got none by {found.message}")
    return np.rint(found.x).astype(np.int64)


def likeliest_table(released: ArrayLike, n: int, epsilon: float) -> np.ndarray:
    r"""The table of n records that shares most with the private one, given counts of all cells with geometric
    noise.

    A count is binomial with n draws and probability 1/m before the release: the records are uniform, and the
    attacker knows it. The n places go where :math:`\Pr[c_i \ge k \mid \text{release of cell i}]` is largest, k =
    1, 2, ...: each cell is judged by its own count, and that all counts add up to n is not used.
    """
    released, n = np.asarray(released), check_integer(n, "n", 1)
    k = np.arange(n + 1)
    log_prior = binom.logpmf(k, n, 1 / len(released))
    log_law = log_prior - check_epsilon(epsilon) * np.abs(released[:, None] - k)
    law = np.exp(log_law - log_law.max(axis=1, keepdims=True))
    law /= law.sum(axis=1, keepdims=True)
    at_least = law[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    return _placed(at_least, n)


def _placed(at_least: np.ndarray, n: int) -> np.ndarray:
    """Counts that take the n largest entries; in a row these fall, so that they come in order."""
    taken = np.zeros(at_least.size, dtype=np.int64)
    taken[np.argsort(-at_least, axis=None, kind="stable")[:n]] = 1
    return taken.reshape(at_least.shape).sum(axis=1)


def recovered(table: np.ndarray, guess: np.ndarray) -> float:
    """Share of the records of a table that a guessed one has, too."""
    return float(np.minimum(table, guess).sum() / np.sum(table))


def blind_share(n: int, cells: int) -> float:
    r"""Share that the best guess recovers without any release, of n uniform records.

    With :math:`n \le m` it names n cells once: :math:`m/n \cdot n/m \cdot \Pr[c_i \ge 1] = 1 - (1 - 1/m)^n`.
    """
    n, cells = check_integer(n, "n", 1), check_integer(cells, "cells", n)
    return -math.expm1(n * math.log1p(-1 / cells)) if cells > 1 else 1.0


def recovery_bound(n: int, cells: int, epsilon: float) -> float:
    r"""The largest expected share of n uniform records, at most as many as cells, that any reconstruction names.

    .. math:: \min\bigl(e^\epsilon r,\; 1 - e^{-\epsilon}(1 - r)\bigr), \qquad r = n/m

    Theorem "No reconstruction does better" of :doc:`/book/attacks`: add-remove neighbours, a guess that names at
    most n cells.

    >>> round(recovery_bound(40, 128, 1.0), 3)
    0.747
    """
    n = check_integer(n, "n", 1)
    share = n / check_integer(cells, "cells", n)
    epsilon = check_epsilon(epsilon)
    return min(share * math.exp(min(epsilon, 700.0)), 1 - (1 - share) * math.exp(-epsilon))


def random_table(n: int, columns: int, rng: Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """n uniform records of binary columns, their classes, and the table of both, ordered as `leaf_equations`."""
    rows, cells = all_rows(columns), rng.integers(2 * 2**columns, size=n)
    table = np.bincount(cells, minlength=2 * len(rows))
    return rows[cells // 2], cells % 2, table
