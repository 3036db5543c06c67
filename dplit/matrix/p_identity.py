r"""Strategies of p more queries beside the cells (McKenna, Miklau, Hay and Machanavajjhala 2018).

:math:`A = \begin{pmatrix} I \\ \Theta \end{pmatrix} \mathrm{diag}(s)^{-1}` with :math:`\Theta \ge 0` of p rows and
:math:`s_j = 1 + \sum_k \Theta_{kj}`, so that every column has the L1 norm 1. This is what the M-RF paper calls
:math:`OPT_p`. With :math:`G = W^\top W`, :math:`S = \mathrm{diag}(s)` and
:math:`M = (I + \Theta^\top\Theta)^{-1} = I - \Theta^\top R`, :math:`R = (I + \Theta\Theta^\top)^{-1}\Theta`, the error
and its gradients are

.. math:: f = \mathrm{tr}(SGSM), \quad \partial f/\partial\Theta = -2 R\,SGS\,M, \quad
   \partial f/\partial s_j = 2 (GSM)_{jj},

where nothing larger than G is made and no matrix larger than p x p is inverted.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from dplit.errors import check_integer
from dplit.matrix.strategies import Strategy


def loss(theta, gram):
    """Error of the strategy, in units of 2/epsilon^2, and its gradient.

    Parameters
    ----------
    theta : array, shape (p, n_cells)
    gram : array, shape (n_cells, n_cells)
        W'W, rows weighted by their multiplicity.

    Returns
    -------
    value : float
    gradient : array, shape (p, n_cells)
    """
    p = len(theta)
    s = 1 + theta.sum(axis=0)
    R = cho_solve(cho_factor(np.eye(p) + theta @ theta.T), theta)
    scaled = gram @ (s[:, None] * theta.T)  # G S Theta', n x p
    within = gram.diagonal() * s - (scaled * R.T).sum(axis=1)  # diagonal of G S M
    value = float(s @ within)
    RH = ((R * s) @ gram) * s
    gradient = -2 * (RH - (RH @ theta.T) @ R) + 2 * within
    return value, gradient


def optimise(workload, p, starts=1, rng=None, iterations=200):
    """A p-identity strategy that a search finds best: a local optimum.

    Equal columns of the workload are merged first, which loses nothing.

    Parameters
    ----------
    workload : Workload
    p : int
    starts : int
    rng : numpy.random.Generator, optional
        Of the starts; left out, one of seed 0: nothing here reads a record.
    iterations : int

    Returns
    -------
    strategy : Strategy
    theta : array, shape (p, n_distinct)
        On the distinct columns of `Workload.columns`.
    """
    check_integer(p, "p", 1)
    columns, _ = workload.columns()
    gram = columns.T @ (workload.multiplicity[:, None] * columns)
    rng = np.random.default_rng(0) if rng is None else rng
    shape, best = (p, len(gram)), None

    def objective(flat):
        value, gradient = loss(flat.reshape(shape), gram)
        return value / scale, gradient.ravel() / scale

    scale = float(np.trace(gram))
    for _ in range(starts):
        found = minimize(
            objective, rng.random(shape).ravel() * 4, jac=True, method="L-BFGS-B",
            bounds=[(0, None)] * (p * len(gram)), options={"maxiter": iterations},
        )  # fmt: skip
        if best is None or found.fun < best.fun:
            best = found
    theta = best.x.reshape(shape)
    about = f"{len(gram)} cells and {p} more queries"
    return Strategy("p-identity", float(best.fun * scale), 1.0, False, about), theta
