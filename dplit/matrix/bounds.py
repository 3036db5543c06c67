r"""What no release can beat: lower bounds on the error of a workload.

Two laws whose ratio lies within :math:`e^{\pm\epsilon}` have a chi-square divergence of at most :math:`c =
e^\epsilon + e^{-\epsilon} - 2`, so that an unbiased release whose answers move by w between two neighbours
has a covariance :math:`\Sigma` with :math:`ww^\top \preceq c\,\Sigma` (Hammersley 1950, Chapman and Robbins
1951). Taken over all neighbours, with weights :math:`\lambda` that sum to 1, this says
:math:`\mathrm{tr}\,\Sigma \ge \frac1c \|W \mathrm{diag}(\lambda)^{1/2}\|_*^2`, the nuclear norm. The
largest value,

.. math:: L_2(W) = \max_\lambda \|W \mathrm{diag}(\lambda)^{1/2}\|_*^2
   = \min_{A:\,\|a_j\|_2 \le 1} \|WA^+\|_F^2 ,

bounds Laplace strategies too, since an L1 norm is at least the L2 norm (Li and Miklau 2013 at equal weights).

Errors are total expected squared errors of all queries, one class, in absolute units. Derived in
:doc:`/book/matrix_bounds`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dplit.ground.errors import (
    check_choice,
    check_epsilon,
    check_integer,
    check_kind,
    check_neighbours,
    check_positive,
)
from dplit.matrix.strategies.boxes import below, coefficients
from dplit.matrix.tested import tested_sets
from dplit.matrix.workload import Workload

WHICH = ("laplace", "unbiased", "occupied", "data-independent")
NOTHING = 1e-10  # an eigenvalue so far below the largest one is rounding, and is not counted
ROUNDING = 1e-9  # the same for a singular value
MOST_COLUMNS = 3000  # of a workload whose weights are searched


class Certificate(NamedTuple):
    """A value of L_2 between two proofs.

    Attributes
    ----------
    value : float
        L_2 is at least this, by the weights.
    upper : float
        And at most this: the error of the strategy :math:`K^{-1/4}W`, scaled to columns of L2 norm 1.
    weights : float64 array, shape (n_columns,)
        Of the distinct columns or, for replace-one neighbours, of their differences; they sum to 1.
    """

    value: float
    upper: float
    weights: np.ndarray


def chi_square(epsilon):
    r"""The largest chi-square divergence of two laws whose ratio lies within :math:`e^{\pm\epsilon}`.

    Parameters
    ----------
    epsilon : float

    Returns
    -------
    float
        :math:`e^\epsilon + e^{-\epsilon} - 2`, which randomised response attains.

    Examples
    --------
    >>> from dplit import matrix
    >>> round(1 / matrix.chi_square(1.0), 4)  # the least variance of a count of 0 or 1
    0.9207
    """
    return 4 * math.sinh(min(check_epsilon(epsilon) / 2, 300)) ** 2  # more would overflow


def least_variance(epsilon, which="unbiased"):
    r"""The least variance that a release can have of a count that one record changes by 1.

    Parameters
    ----------
    epsilon : float
    which : {"laplace", "unbiased", "occupied", "data-independent"}
        Laplace noise, :math:`2/\epsilon^2`; unbiased, :math:`1/c`; unbiased and at a count that can go down
        as well as up, :math:`2/(c(1 + e^{-\epsilon}))`; noise that doesn't depend on the count, or the
        supremum over all counts, :math:`2/c`.

    Returns
    -------
    float
    """
    check_choice(which, WHICH, "which")
    if which == "laplace":
        return 2 / check_epsilon(epsilon) / epsilon
    one = 1 / chi_square(epsilon)
    return one * {"unbiased": 1.0, "occupied": 2 / (1 + math.exp(-epsilon))}.get(which, 2.0)


def lower_bound(workload, epsilon, which="laplace", neighbours="add-remove", classes=2):
    r"""The least total squared error, per class, that any release of a kind can have.

    Certified by equal weights of all cells (`nuclear_bound`), through the overlaps of leaves alone, so
    that no domain is too wide. Derived in :doc:`/book/matrix_bounds`.

    Parameters
    ----------
    workload : Workload
    epsilon : float
    which : {"laplace", "unbiased", "occupied", "data-independent"}
        Strategies with Laplace noise, the same for each class; unbiased releases, at every data set; at
        data sets where every cell holds a record; releases whose noise doesn't depend on the data, and the
        supremum over data sets of any unbiased one.
    neighbours : {"add-remove", "replace-one"}
        With replace-one, "unbiased" too is about data sets where every cell holds a record.
    classes : int
        Class columns that are released together. It matters for replace-one alone, where a record
        that changes its class moves two of them.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `which` or `neighbours` is another one, or `epsilon` or `classes` is not positive.
    """
    factor = least_variance(epsilon, which)
    replaced = check_neighbours(neighbours) == "replace-one"
    if (
        which == "laplace" and replaced and classes > 1
    ):  # the sensitivity is twice add-remove's, exactly
        return 4 * factor * nuclear_bound(workload)
    return factor * nuclear_bound(workload, neighbours, classes)


def nuclear_bound(workload, neighbours="add-remove", classes=2):
    r"""L_2 of a workload from below, per class, certified by equal weights of all cells or pairs of cells.

    With the sum s of the singular values of W, n cells and k classes it is :math:`s^2/n` for add-remove. For
    replace-one, with the sum t for W less the mean of its columns, it is
    :math:`\frac{2((k - 1)s + t)^2}{k(nk - 1)}`: the columns' differences, all pairs alike.

    Parameters
    ----------
    workload : Workload
    neighbours : {"add-remove", "replace-one"}
    classes : int

    Returns
    -------
    float
        In units of the least variance of a single count.
    """
    workload = check_kind(workload, Workload, "workload")
    classes = check_integer(classes, "classes", 1)
    rows = np.sqrt(workload.multiplicity)[:, None] * _coordinates(workload)
    if check_neighbours(neighbours) == "add-remove":
        return _sum_of_singular(rows) ** 2
    centred = _sum_of_singular(rows[:, 1:])
    several = (classes - 1) * _sum_of_singular(rows) if classes > 1 else 0.0
    pairs = classes * (classes - 1 / workload.n_cells)  # of cells and classes, over half of n^2
    return 2 * (several + centred) ** 2 / pairs if pairs else 0.0


def _coordinates(workload):
    r"""A matrix F with :math:`FF^\top = WW^\top/n`, whose first column is the mean of W's columns.

    Of boxes, the coordinates in products of functions of one column of the domain (`rank_bound`), as many
    as independent leaves at most; no domain is made.
    """
    if workload.boxes is None:
        W = workload.matrix()
        mean = W.mean(axis=1, keepdims=True)
        return np.hstack([mean, (W - mean) / math.sqrt(W.shape[1])])
    spaces = below([columns for columns, _ in tested_sets(workload.boxes)])
    return workload.weights @ np.hstack(coefficients(workload.boxes, spaces))


def _sum_of_singular(rows):
    """Sum of the singular values, through the smaller Gram matrix; rounding is left out."""
    gram = rows.T @ rows if rows.shape[0] > rows.shape[1] else rows @ rows.T
    values = np.linalg.eigvalsh(gram) if gram.size else np.zeros(1)
    return float(np.sqrt(values[values > NOTHING * values[-1]]).sum()) if values[-1] > 0 else 0.0


# The best weights ---------------------------------------------------------------------------------


def l2_optimum(workload, neighbours="add-remove", iterations=300, gap=1e-6):
    r"""L_2 of a workload: the best weights that an ascent finds, and how much is left to find.

    :math:`f(\lambda) = \|W \mathrm{diag}(\lambda)^{1/2}\|_*` is concave, and
    :math:`g_j = w_j^\top K^{-1/2} w_j` with :math:`K = W \mathrm{diag}(\lambda) W^\top` is twice its gradient.
    Each weight is multiplied by its gradient until :math:`f \max_j g_j`, which bounds L_2 from above, is within
    the gap of :math:`f^2`.

    Parameters
    ----------
    workload : Workload
        On a domain small enough for its matrix.
    neighbours : {"add-remove", "replace-one"}
        The columns, or their differences: the latter for a single column of counts.
    iterations : int
    gap : float
        Relative; the ascent stops there.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If there are more than `MOST_COLUMNS` distinct columns or differences.
    """
    workload, gap = check_kind(workload, Workload, "workload"), check_positive(gap, "gap")
    columns = workload.columns().matrix * np.sqrt(workload.multiplicity)[:, None]
    if check_neighbours(neighbours) == "replace-one":
        columns = _differences(columns, workload)
    if columns.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"the workload has {columns.shape[1]:,} columns to weigh, at most {MOST_COLUMNS:,}; "
            "nuclear_bound weighs all cells alike"
        )
    weights = np.full(columns.shape[1], 1 / columns.shape[1])
    best = Certificate(0.0, math.inf, weights)
    for _ in range(check_integer(iterations, "iterations", 1)):
        norm, slopes = _nuclear(columns, weights)
        upper = min(best.upper, norm * float(slopes.max()))
        if norm**2 > best.value:
            best = Certificate(norm**2, upper, weights)
        best = best._replace(upper=upper)
        if upper <= best.value * (1 + gap):
            break
        weights = weights * slopes / (weights @ slopes)
    return best


def _differences(columns, workload):
    """Differences of any two columns, that of a cell that no row asks for being 0."""
    if (workload.columns().place < 0).any():
        columns = np.column_stack([columns, np.zeros(len(columns))])
    first, second = np.triu_indices(columns.shape[1], 1)
    if not len(first):
        raise ValueError("replace-one changes nothing where all columns of the workload are equal")
    if len(first) > MOST_COLUMNS:
        raise ValueError(
            f"the workload has {len(first):,} differences to weigh, at most {MOST_COLUMNS:,}; "
            "nuclear_bound weighs all pairs of cells alike"
        )
    return columns[:, first] - columns[:, second]


def _nuclear(columns, weights):
    """Nuclear norm of W diag(weights)^(1/2), and w_j' K^(-1/2) w_j for every column."""
    left, values, _ = np.linalg.svd(columns * np.sqrt(weights), full_matrices=False)
    kept = values > ROUNDING * values[0]
    parts = left[:, kept].T @ columns
    return float(values[kept].sum()), (parts**2 / values[kept, None]).sum(axis=0)
