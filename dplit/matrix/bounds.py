r"""What no release can beat: lower bounds on the error of a workload, derived in :doc:`/book/matrix_bounds`.

Errors are total expected squared errors of all queries, one class, in absolute units; c, :math:`\lambda` and
:math:`L_2(W)` are the chapter's. At equal weights the bound is Li's and Miklau's (2013).
"""

import math
from typing import NamedTuple

import numpy as np

from dplit.ground import errors
from dplit.matrix.strategies.boxes import coefficients
from dplit.matrix.tested import below, tested_sets
from dplit.matrix.workload import Workload

WHICH = ("laplace", "unbiased", "occupied", "data-independent")
NOTHING = 1e-10  # an eigenvalue so far below the largest one is rounding, and is not counted
ROUNDING = 1e-9  # the same for a singular value
MOST_COLUMNS = 3000  # of a workload whose weights are searched


class Certificate(NamedTuple):
    """L_2 between two proofs."""

    value: float  #: L_2 is at least this, by the weights.
    upper: float  #: And at most this: the error of the strategy :math:`K^{-1/4}W`, scaled to columns of L2 norm 1.
    #: Shape (n_columns,). Of the distinct columns or, for replace-one neighbours, of their differences; they sum
    #: to 1.
    weights: np.ndarray


def chi_square(epsilon: float) -> float:
    r"""The largest chi-square divergence, :math:`e^\epsilon + e^{-\epsilon} - 2`, which randomised response
    attains.

    >>> from dplit import matrix
    >>> round(1 / matrix.chi_square(1.0), 4)  # the least variance of a count of 0 or 1
    0.9207
    """
    return 4 * math.sinh(min(errors.check_epsilon(epsilon) / 2, 300)) ** 2  # more would overflow


def least_variance(epsilon: float, which: str = "unbiased") -> float:
    r"""The least variance that a release can have of a count that one record changes by 1.

    `which` is "laplace", with Laplace noise, :math:`2/\epsilon^2`; "unbiased", :math:`1/c`; "occupied", unbiased
    and at a count that can go down as well as up, :math:`2/(c(1 + e^{-\epsilon}))`; or "data-independent", noise
    that doesn't depend on the count, or the supremum over all counts, :math:`2/c`.
    """
    errors.check_choice(which, WHICH, "which")
    if which == "laplace":
        return 2 / errors.check_epsilon(epsilon) / epsilon
    one = 1 / chi_square(epsilon)
    return one * {"unbiased": 1.0, "occupied": 2 / (1 + math.exp(-epsilon))}.get(which, 2.0)


def lower_bound(
    workload: Workload, epsilon: float, which: str = "laplace", neighbours: str = "add-remove", classes: int = 2
) -> float:
    """The least total squared error, per class, that any release of a kind can have.

    Certified by equal weights of all cells (`nuclear_bound`), through the overlaps of leaves alone, so that no
    domain is too wide. `which` is as of `least_variance`, with the same noise for each class: unbiased releases
    at every data set, or at those where every cell holds a record ("occupied"); with replace-one neighbours
    "unbiased", too, is about the latter. `classes` are the class columns released together. They matter for
    replace-one alone, where a record that changes its class moves two of them.
    """
    factor = least_variance(epsilon, which)
    replaced = errors.check_neighbours(neighbours) == "replace-one"
    if which == "laplace" and replaced and classes > 1:  # the sensitivity is twice add-remove's, exactly
        return 4 * factor * nuclear_bound(workload)
    return factor * nuclear_bound(workload, neighbours, classes)


def nuclear_bound(workload: Workload, neighbours: str = "add-remove", classes: int = 2) -> float:
    r"""L_2 per class from below, in units of the least variance of a count, by equal weights of all cells or
    their pairs.

    With the sum s of the singular values of W, n cells and k classes it is :math:`s^2/n` for add-remove. For
    replace-one, with the sum t for W less the mean of its columns, it is :math:`\frac{2((k - 1)s + t)^2}{k(nk -
    1)}`: the columns' differences, all pairs alike.
    """
    workload = errors.check_kind(workload, Workload, "workload")
    classes = errors.check_integer(classes, "classes", 1)
    rows = np.sqrt(workload.multiplicity)[:, None] * _coordinates(workload)
    if errors.check_neighbours(neighbours) == "add-remove":
        return _sum_of_singular(rows) ** 2
    centred = _sum_of_singular(rows[:, 1:])
    several = (classes - 1) * _sum_of_singular(rows) if classes > 1 else 0.0
    pairs = classes * (classes - 1 / workload.n_cells)  # of cells and classes, over half of n^2
    return 2 * (several + centred) ** 2 / pairs if pairs else 0.0


def _coordinates(workload: Workload) -> np.ndarray:
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


def _sum_of_singular(rows: np.ndarray) -> float:
    """Sum of the singular values, through the smaller Gram matrix; rounding is left out."""
    gram = rows.T @ rows if rows.shape[0] > rows.shape[1] else rows @ rows.T
    values = np.linalg.eigvalsh(gram) if gram.size else np.zeros(1)
    return float(np.sqrt(values[values > NOTHING * values[-1]]).sum()) if values[-1] > 0 else 0.0


def l2_optimum(
    workload: Workload, neighbours: str = "add-remove", iterations: int = 300, gap: float = 1e-06
) -> Certificate:
    r"""L_2 of a workload on a small domain: the best weights that an ascent finds, and how much is left to find.

    :math:`f(\lambda) = \|W \mathrm{diag}(\lambda)^{1/2}\|_*` is concave, and :math:`g_j = w_j^\top K^{-1/2} w_j`
    with :math:`K = W \mathrm{diag}(\lambda) W^\top` is twice its gradient. Each weight is multiplied by its
    gradient until :math:`f \max_j g_j`, which bounds L_2 from above, is within the relative `gap` of :math:`f^2`.
    Weighed are the distinct columns or, for replace-one neighbours and a single column of counts, their
    differences; more than `MOST_COLUMNS` are a ValueError.
    """
    workload, gap = errors.check_kind(workload, Workload, "workload"), errors.check_positive(gap, "gap")
    columns = workload.columns().matrix * np.sqrt(workload.multiplicity)[:, None]
    if errors.check_neighbours(neighbours) == "replace-one":
        columns = _differences(columns, workload)
    if columns.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"the workload has {columns.shape[1]:,} columns to weigh, at most {MOST_COLUMNS:,}; "
            "nuclear_bound weighs all cells alike"
        )
    weights = np.full(columns.shape[1], 1 / columns.shape[1])
    best = Certificate(0.0, math.inf, weights)
    for _ in range(errors.check_integer(iterations, "iterations", 1)):
        norm, slopes = _nuclear(columns, weights)
        upper = min(best.upper, norm * float(slopes.max()))
        if norm**2 > best.value:
            best = Certificate(norm**2, upper, weights)
        best = best._replace(upper=upper)
        if upper <= best.value * (1 + gap):
            break
        weights = weights * slopes / (weights @ slopes)
    return best


def _differences(columns: np.ndarray, workload: Workload) -> np.ndarray:
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


def _nuclear(columns: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Nuclear norm of W diag(weights)^(1/2), and w_j' K^(-1/2) w_j for every column."""
    left, values, _ = np.linalg.svd(columns * np.sqrt(weights), full_matrices=False)
    kept = values > ROUNDING * values[0]
    parts = left[:, kept].T @ columns
    return float(values[kept].sum()), (parts**2 / values[kept, None]).sum(axis=0)
