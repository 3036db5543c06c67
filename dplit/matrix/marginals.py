r"""Strategies of weighted marginals: the counts of some sets of columns, each with its share of epsilon.

With a weight :math:`\theta_S \ge 0` for each set S of columns and :math:`\sum_S \theta_S = 1` every cell's column
has the L1 norm 1. All marginals share their eigenspaces: for each set U of columns the functions of these
columns that sum to 0 in each of them. There :math:`A^\top A` has the eigenvalue
:math:`\lambda_U = \sum_{S \supseteq U} \theta_S^2 \prod_{i \notin S} n_i`, and the workload the mass
:math:`w_U = \|W P_U\|_F^2`, so that the error is :math:`\sum_U w_U/\lambda_U` (McKenna, Miklau, Hay and
Machanavajjhala 2018, for marginals), whatever the number of cells.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import minimize

from dplit.matrix.strategies import Strategy

SMALL = 12  # columns up to which all sets of them are candidates


def masses(workload):
    r"""How much of a workload lies in each eigenspace.

    Parameters
    ----------
    workload : Workload

    Returns
    -------
    dict of frozenset to float
        Columns U to :math:`w_U`, copies of queries included; what is not listed is 0.
    """
    boxes = workload.boxes
    sets = {frozenset(np.flatnonzero(row).tolist()) for row in boxes.tests}
    below = {frozenset(u) for s in sets for k in range(len(s) + 1) for u in combinations(s, k)}
    weights = workload.weights
    leaves = weights.nnz == len(weights.data) == weights.shape[0] and (weights.data == 1).all()
    found = {}
    for subset in below:
        if leaves:
            rows = _diagonal(boxes, subset)[weights.indices]
        else:
            rows = weights.multiply(weights @ _block(boxes, subset)).sum(axis=1)
        found[subset] = float(rows @ workload.multiplicity)
    return {u: w for u, w in found.items() if w > 1e-12}


def _diagonal(boxes, subset):
    """Diagonal of T P_U T': a product over the columns."""
    sizes, n = boxes.sizes.astype(float), boxes.n_levels
    constant = sizes**2 / n
    inside = np.isin(np.arange(len(n)), list(subset))
    return np.where(inside, sizes - constant, constant).prod(axis=1)


def _block(boxes, subset):
    """T P_U T'."""
    shared = np.ones((len(boxes), len(boxes)))
    sizes = boxes.sizes.astype(float)
    for j, (start, n) in enumerate(zip(boxes.starts, boxes.n_levels)):
        constant = np.outer(sizes[:, j], sizes[:, j]) / n
        if j in subset:
            levels = boxes.allowed[:, start : start + n].astype(float)
            shared *= levels @ levels.T - constant
        else:
            shared *= constant
    return shared


def error(shares, mass, n_levels):
    r"""Error of weighted marginals, :math:`(\sum\theta)^2 \sum_U w_U/\lambda_U`.

    Parameters
    ----------
    shares : mapping of frozenset to float
        Columns S to :math:`\theta_S`.
    mass : mapping
        As `masses` returns it.
    n_levels : array_like of int, shape (n_features,)

    Returns
    -------
    float
        In units of 2/epsilon^2; infinite if some query is not determined.
    """
    sets, spaces = list(shares), list(mass)
    table = _eigenvalues(sets, spaces, n_levels)
    theta = np.array([shares[s] for s in sets])
    eigenvalues = table @ theta**2
    if (eigenvalues == 0).any():
        return np.inf
    return float(theta.sum() ** 2 * (np.array([mass[u] for u in spaces]) / eigenvalues).sum())


def _eigenvalues(sets, spaces, n_levels):
    """Of each marginal (column) in each eigenspace (row)."""
    n = np.asarray(n_levels, dtype=float)
    cells = [np.prod(np.delete(n, list(s))) for s in sets]
    return np.array([[c if u <= s else 0.0 for s, c in zip(sets, cells)] for u in spaces])


def optimise(workload, starts=8, rng=None):
    """Weights of marginals that a search finds best: a local optimum.

    Parameters
    ----------
    workload : Workload
    starts : int
        Random starts, beside those from covers.
    rng : numpy.random.Generator, optional
        Of the random starts; left out, one of seed 0: nothing here reads a record.

    Returns
    -------
    strategy : Strategy
    shares : dict of frozenset to float
    """
    mass, n_levels = masses(workload), workload.boxes.n_levels
    sets = candidates(workload, mass)
    table = _eigenvalues(sets, list(mass), n_levels)
    scale = np.array(list(mass.values()))
    rng = np.random.default_rng(0) if rng is None else rng
    first = [np.isin(sets, cover).astype(float) + 1e-3 for cover in covers(sets, mass)]
    first += [rng.exponential(size=len(sets)) for _ in range(starts)]
    best = (np.inf, None)
    for theta in first:
        found = minimize(
            _objective, np.log(theta / theta.sum()), (table, scale), jac=True, method="L-BFGS-B",
            bounds=[(-30, 5)] * len(sets),
        )  # fmt: skip
        if found.fun < best[0]:
            best = found.fun, np.exp(found.x)
    theta = np.where(best[1] > 1e-6 * best[1].max(), best[1], 0.0)
    shares = {s: float(t) for s, t in zip(sets, theta / theta.sum()) if t > 0}
    about = ", ".join("".join(map(str, sorted(s))) or "total" for s in shares)
    total = error(shares, mass, n_levels)
    return Strategy("marginals", total, 1.0, False, f"{len(shares)} marginals: {about}"), shares


def _objective(logs, table, scale):
    """Logarithm of the error, and its gradient in the logarithms of the weights."""
    theta = np.exp(logs)
    eigenvalues = table @ theta**2
    parts = scale / eigenvalues
    total, mass = theta.sum(), parts.sum()
    slope = -2 * theta**2 * (table.T @ (parts / eigenvalues))
    return 2 * np.log(total) + np.log(mass), 2 * theta / total + slope / mass


def candidates(workload, mass):
    """Sets of columns that may get a weight: all where there are few, else the tested ones and their unions."""
    n = len(workload.boxes.n_levels)
    if n <= SMALL:
        return [frozenset(s) for k in range(n + 1) for s in combinations(range(n), k)]
    tested = {frozenset(np.flatnonzero(row).tolist()) for row in workload.boxes.tests}
    return sorted(tested | {frozenset()}, key=lambda s: (len(s), sorted(s)))


def covers(sets, mass):
    """For each size, some sets of that many columns so that each set with mass lies in one: greedily."""
    for size in sorted({len(s) for s in sets}):
        chosen, open_sets = [], {u for u in mass}
        pool = [s for s in sets if len(s) == size]
        while open_sets:
            best = max(pool, key=lambda s: sum(u <= s for u in open_sets), default=None)
            if best is None or not any(u <= best for u in open_sets):
                break
            chosen.append(best)
            open_sets = {u for u in open_sets if not u <= best}
        if not open_sets:
            yield chosen
