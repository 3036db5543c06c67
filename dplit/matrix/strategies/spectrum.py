r"""How a workload lies in the spaces of marginals: the masses that the error of weighted marginals needs.

For each set U of columns the functions of these columns that sum to 0 in each of them are a space, and all
these spaces are orthogonal. All marginals share them: the marginal of the columns S has the eigenvalue
:math:`\prod_{i \notin S} n_i` for :math:`U \subseteq S`, else 0. A workload lies in the spaces below
its tested sets. Its mass there is :math:`w_U = \sum_r \mu_r \|w_r P_U\|^2`, for a box
:math:`\prod_{i \in U} (s_i - s_i^2/n_i) \prod_{i \notin U} s_i^2/n_i` with its :math:`s_i` levels of column i.
"""

from __future__ import annotations

import math

import numpy as np

from dplit.matrix.paths import distinct
from dplit.matrix.strategies.base import asks_leaves, check_forest, squared_rows
from dplit.matrix.strategies.boxes import below, coefficients
from dplit.matrix.tested import tested_sets


def spaces_of(workload):
    """The sets U of columns below the tested sets of a workload's boxes, list of tuple of int."""
    return below([columns for columns, _ in tested_sets(workload.boxes)])


def row_masses(workload, spaces):
    """Squared norm of each row's part in each space.

    Parameters
    ----------
    workload : Workload
        With boxes.
    spaces : list of tuple of int

    Returns
    -------
    float64 array, shape (n_rows, n_spaces)
    """
    if asks_leaves(workload):
        return _box_masses(workload.boxes, spaces)
    parts = coefficients(workload.boxes, spaces)
    masses = [squared_rows(workload, part) for part in parts]
    return np.column_stack(masses) * float(workload.n_cells)


def _box_masses(boxes, spaces):
    sizes, n = boxes.sizes, boxes.n_levels
    constant = np.exp((2 * np.log(np.maximum(sizes, 1)) - np.log(n)).sum(axis=1))
    constant *= sizes.all(axis=1)
    ratio = n / np.maximum(sizes, 1) - 1
    found = np.empty((len(boxes), len(spaces)))
    for u, columns in enumerate(spaces):
        found[:, u] = constant
        for j in columns:
            found[:, u] *= ratio[:, j]
    return found


def masses(workload, target="leaves"):
    """Mass of a workload in each space that it has a part in.

    Parameters
    ----------
    workload : Workload
        With boxes.
    target : {"leaves", "votes"}
        Its rows, copies included; or the weighted votes of its leaves, on average over all cells.

    Returns
    -------
    dict of tuple of int to float
    """
    check_forest(workload)
    spaces = spaces_of(workload)
    if target == "votes":
        found = _vote_masses(workload, spaces)
    else:
        found = workload.multiplicity @ row_masses(workload, spaces)
    least = 1e-12 * found.max()
    return {u: float(w) for u, w in zip(spaces, found) if w > least}


def copies(workload):
    """How many leaves of the trees each box is, float64, shape (n_boxes,)."""
    check_forest(workload)
    _, place = distinct(np.vstack([workload.boxes.allowed, workload.paths.allowed]))
    n = len(workload.boxes)
    return np.bincount(place[n:], minlength=place.max() + 1)[place[:n]].astype(float)


def _vote_masses(workload, spaces):
    r"""Of :math:`T^\top \mathrm{diag}(\mu) T`, with the copies :math:`\mu` of each box, over the cells."""
    parts = coefficients(workload.boxes, spaces)
    rows, times = np.hstack(parts), copies(workload)[:, None]
    weighted = times * rows
    if rows.shape[1] <= len(rows):
        columns = ((rows.T @ weighted) ** 2).sum(axis=0) * float(workload.n_cells)
    else:
        columns = ((workload.overlaps @ weighted) * weighted).sum(axis=0)
    starts = np.cumsum([0] + [part.shape[1] for part in parts[:-1]])
    return np.add.reduceat(columns, starts)


def eigenvalues(sets, spaces, n_levels):
    """Of the marginal of each set (a column) in each space (a row), the other columns' cells.

    Parameters
    ----------
    sets, spaces : list of tuple of int
    n_levels : array_like of int, shape (n_features,)

    Returns
    -------
    float64 array, shape (n_spaces, n_sets)
    """
    n = np.asarray(n_levels, dtype=float)
    member = np.zeros((len(sets), len(n)), dtype=bool)
    within = np.zeros((len(spaces), len(n)), dtype=bool)
    for marks, columns in ((member, sets), (within, spaces)):
        for row, chosen in enumerate(columns):
            marks[row, list(chosen)] = True
    cells = np.array([math.prod(n[~row]) for row in member])
    missing = within.astype(np.float32) @ (~member).astype(np.float32).T
    return np.where(missing == 0, cells, 0.0)
