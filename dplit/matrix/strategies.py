r"""Strategies: what is released with noise, and the expected error of what is computed from it.

A strategy is a matrix A on the cells. Released are :math:`AD` plus noise, and the queries are answered by
:math:`WA^+` (matrix mechanism, M-RF, definition 2). With Laplace noise of scale
:math:`\|A\|_1/\epsilon` on each entry, :math:`\|A\|_1` being the largest absolute column sum, the total squared
error of a class is :math:`\frac{2}{\epsilon^2} \|A\|_1^2 \sum_r \mu_r \|(WA^+)_r\|^2` with the rows'
multiplicities :math:`\mu_r` (definition 3). Errors here are in units of :math:`2/\epsilon^2`, for one class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dplit.errors import check_choice, check_integer

NEIGHBOURS = ("add-remove", "replace-one")
NOTHING = 1e-10  # a singular value so far below the largest one is 0


@dataclass(frozen=True)
class Strategy:
    """A way to release a workload, and what it costs in error.

    Attributes
    ----------
    name : str
    error : float
        Total expected squared error of all queries, one class, in units of 2/epsilon^2.
    sensitivity : float
        Largest L1 norm of a cell's column.
    integer : bool
        Whether all entries are whole numbers, so that geometric noise fits.
    about : str
        What it releases, in words.
    """

    name: str
    error: float
    sensitivity: float
    integer: bool
    about: str


def sensitivity(strategy, neighbours="add-remove", classes=2, signed=False):
    r"""L1 sensitivity of A D, where D has a column for each class.

    One record more adds a column of A to one class: :math:`\max_j \|a_j\|_1`. A replaced record leaves
    one cell and class and enters another: with two or more class columns it may keep its cell and change its
    class, and the sensitivity is twice as large. A single column of counts changes by
    :math:`a_j - a_l`; a single column of signed differences by :math:`a_j + a_l` at worst, twice again.

    Parameters
    ----------
    strategy : array_like, shape (n_rows, n_cells)
    neighbours : {"add-remove", "replace-one"}
    classes : int
        Class columns that are released.
    signed : bool
        Whether the one column holds the difference of two classes.

    Returns
    -------
    float
    """
    A = np.asarray(strategy, dtype=float)
    check_choice(neighbours, NEIGHBOURS, "neighbours")
    check_integer(classes, "classes", 1)
    largest = float(abs(A).sum(axis=0).max())
    if neighbours == "add-remove":
        return largest
    if classes > 1 or signed:
        return 2 * largest
    return max(float(abs(A - column[:, None]).sum(axis=0).max()) for column in A.T)


def dense_error(workload, strategy):
    r"""Error of a strategy given as a matrix: :math:`\|A\|_1^2 \sum_r \mu_r \|(WA^+)_r\|^2`.

    Parameters
    ----------
    workload : Workload
    strategy : array_like, shape (n_rows, n_cells)

    Returns
    -------
    float
        Infinite where the strategy doesn't determine some query.
    """
    A, W = np.asarray(strategy, dtype=float), workload.matrix()
    answers = W @ np.linalg.pinv(A, rcond=NOTHING)
    if not np.allclose(answers @ A, W, atol=1e-7 * max(1.0, abs(W).max())):
        return np.inf
    rows = (answers**2).sum(axis=1)
    return sensitivity(A) ** 2 * float(rows @ workload.multiplicity)


# The members that need no search ------------------------------------------------------------------


def identity(workload):
    """Noise on every cell: a noisy histogram of the domain, from which all queries are summed up."""
    return Strategy("identity", workload.squared(), 1.0, True, "the class counts of every cell")


def per_tree(workload):
    r"""Laplace noise of scale :math:`\tau/\epsilon` on every leaf of every tree, each answer by itself."""
    tau = workload.n_trees
    asked = workload.weights.sum(axis=1) @ workload.multiplicity  # a leaf's copies have their own noise
    return Strategy("per tree", float(tau**2 * asked), float(tau), True, "every leaf of every tree")


def merged(workload):
    r"""Laplace noise on each distinct leaf once, and answers by least squares.

    The sensitivity is the largest number of distinct leaves that hold a cell, at most the number of trees.
    """
    gamma = float(most_boxes(workload.boxes))
    projection = _projection(workload.overlaps)
    rows = ((workload.weights @ projection) ** 2).sum(axis=1)
    error = gamma**2 * float(rows @ workload.multiplicity)
    return Strategy("merged", error, gamma, True, "every distinct leaf once")


def _projection(gram):
    """T T^+ from T T'."""
    values, vectors = np.linalg.eigh(gram)
    kept = vectors[:, values > NOTHING * values[-1]]
    return kept @ kept.T


def most_boxes(boxes):
    """The most distinct boxes that share a cell, exactly.

    A search over the levels of one column after another: what is left below a choice of levels is the boxes
    that let them through, and their number bounds what can be found there.

    Parameters
    ----------
    boxes : Paths
        Distinct.

    Returns
    -------
    int
    """
    order = np.argsort(-boxes.tests.sum(axis=0), kind="stable")
    columns = [(int(boxes.starts[j]), int(boxes.n_levels[j])) for j in order]
    tested = boxes.tests[:, order]
    best, waiting = 0, [(0, np.arange(len(boxes)))]
    while waiting:
        depth, left = waiting.pop()
        if len(left) <= best:
            continue
        if depth == len(columns) or not tested[left, depth:].any():
            best = len(left)
            continue
        start, n = columns[depth]
        branches = [left[boxes.allowed[left, start + level]] for level in range(n)]
        waiting += [(depth + 1, b) for b in sorted(branches, key=len)]
    return best
