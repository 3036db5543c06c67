"""The score of a test, the L1 mass of the residual sums in the cells that it would make: :doc:`/book/boosting`."""

import numpy as np

from dplit.ground.errors import MOST, MOST_INTEGER, check_integer, check_numbers, check_whole


def sums_by_cell(residuals: np.ndarray, cells: np.ndarray, n_cells: int) -> np.ndarray:
    """Sum of the residuals in each cell.

    `residuals`: ints, shape (n_records, n_outputs); `cells`: ints, shape (n_records,). Returns an array of int64
    of shape (n_cells, n_outputs).
    """
    residuals = check_whole(residuals, "residuals", -MOST_INTEGER, MOST_INTEGER, ndim=2)
    n_cells = check_integer(n_cells, "n_cells", 1)
    cells = check_whole(cells, "cells", 0, n_cells - 1, ndim=1)
    if len(cells) != len(residuals):
        raise ValueError(f"cells must be one for each of {len(residuals)} residuals, got {len(cells)}")
    sums = np.zeros((n_cells, residuals.shape[1]), dtype=np.int64)
    np.add.at(sums, cells, residuals)
    return sums


def mass(sums: np.ndarray) -> int:
    """Score of a test from the sums in its cells; `sums` has shape (n_cells, n_outputs)."""
    sums = check_whole(sums, "sums", -MOST_INTEGER)
    return int(np.abs(sums).sum())


def newton_gain(sums: np.ndarray, weights: np.ndarray) -> float:
    """Gain of a Newton step in each cell, sum of squares over weights; shapes (n_cells, n_outputs)."""
    sums = check_numbers(sums, "sums", -MOST, MOST)
    weights = check_numbers(weights, "weights", 0, MOST)
    if sums.shape != weights.shape or not (weights > 0).all():
        raise ValueError(f"weights must be positive and of the shape of sums, {sums.shape}, got {weights.shape}")
    return float((np.square(sums, dtype=np.float64) / weights).sum())


def worst_change(residual: np.ndarray) -> int:
    r"""The most that a record of this residual changes any score, :math:`\lVert r \rVert_1`.

    Attained where the cell's other residuals have the same signs.
    """
    residual = check_whole(residual, "residual", -MOST_INTEGER)
    return int(np.abs(residual).sum())
