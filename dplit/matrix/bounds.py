r"""What no release can beat: lower bounds on the error of a workload, add-remove neighbours.

With :math:`L_2(W) = \max_\lambda \|W \mathrm{diag}(\lambda)^{1/2}\|_*^2` over the weights of cells that sum to 1, the
nuclear norm squared, every strategy with columns of L2 norm at most 1 has :math:`\|WA^+\|_F^2 \ge L_2(W)`; every
weight :math:`\lambda` certifies its own value. Since an L1 norm is at least the L2 norm, a Laplace strategy's error
is at least :math:`2 L_2/\epsilon^2`. With :math:`c = e^\epsilon + e^{-\epsilon} - 2`, the largest chi-square
divergence of two laws whose ratio lies within :math:`e^{\pm\epsilon}`, an unbiased mechanism has at least
:math:`L_2/c` at every data set (Hammersley, Chapman and Robbins).
"""

from __future__ import annotations

import math

import numpy as np

from dplit.errors import check_choice, check_epsilon

WHICH = ("laplace", "unbiased", "data-independent")


def uniform_bound(workload):
    """L_2 certified by equal weights of all cells, through the overlaps of leaves alone.

    Returns
    -------
    float
        Sum of the singular values of W, squared, over the number of cells.
    """
    root = np.sqrt(workload.multiplicity)
    values = np.linalg.eigvalsh(root[:, None] * workload.gram * root)
    return float(np.sqrt(np.maximum(values, 0)).sum() ** 2 / workload.n_cells)


def l2_optimum(workload, iterations=100):
    r"""L_2 of a workload, from below: the best weights that an ascent finds.

    :math:`\|W \mathrm{diag}(\lambda)^{1/2}\|_*` is concave in :math:`\lambda`; its gradient at a cell is
    :math:`w_j^\top K^{-1/2} w_j/2` with :math:`K = W \mathrm{diag}(\lambda) W^\top`, and multiplying
    each weight by its gradient never loses.

    Parameters
    ----------
    workload : Workload
        On a domain small enough for its matrix.
    iterations : int

    Returns
    -------
    value : float
        Certified by the weights.
    weights : array, shape (n_distinct,)
        Of the distinct columns of `Workload.columns`; sums to 1.
    """
    columns, _ = workload.columns()
    W = np.sqrt(workload.multiplicity)[:, None] * columns
    weights = np.full(W.shape[1], 1 / W.shape[1])
    best = (0.0, weights)
    for _ in range(iterations):
        norm, slope = _nuclear(W, weights)
        if norm**2 > best[0]:
            best = norm**2, weights
        weights = weights * slope / (weights @ slope)
    return best


def _nuclear(W, weights):
    """Nuclear norm of W diag(weights)^(1/2), and w_j' K^(-1/2) w_j for every column."""
    left, values, right = np.linalg.svd(W * np.sqrt(weights), full_matrices=False)
    kept = values > 1e-9 * values[0]
    parts = left[:, kept].T @ W
    return float(values.sum()), (parts**2 / values[kept, None]).sum(axis=0)


def lower_bound(workload, epsilon, which="laplace", l2=None):
    """The least total squared error, one class, that any release of a kind can have; add-remove.

    Parameters
    ----------
    workload : Workload
    epsilon : float
    which : {"laplace", "unbiased", "data-independent"}
        Strategies with Laplace noise; unbiased mechanisms, at every data set; unbiased mechanisms whose
        noise doesn't depend on the data, or their largest error over the data sets.
    l2 : float, optional
        A certified value of L_2; left out, `uniform_bound`.

    Returns
    -------
    float
    """
    check_choice(which, WHICH, "which")
    epsilon = check_epsilon(epsilon)
    l2 = uniform_bound(workload) if l2 is None else l2
    divergence = 4 * math.sinh(epsilon / 2) ** 2  # e^eps + e^-eps - 2
    return l2 * {"laplace": 2 / epsilon**2, "unbiased": 1 / divergence}.get(which, 2 / divergence)
