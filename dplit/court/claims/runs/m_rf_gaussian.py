r"""Gaussian noise in place of Laplace noise: its calibration, the best marginals, and what forests gain.

None of it is in the M-RF paper or pure differential privacy. See :doc:`/book/matrix_forest_experiments`.
"""

from functools import partial
from itertools import product

import numpy as np

from dplit import matrix
from dplit.court.claims.runs.cells import best_of, percent
from dplit.court.claims.runs.m_rf import PAGE, ours
from dplit.court.experiments.curves import key
from dplit.court.experiments.papers import m_rf as paper
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import same

GAUSSIAN = Box(
    "thm-matrix-experiments-gaussian", "matrix.gaussian_delta", "matrix.gaussian_scale", chapter=PAGE["chapter"]
)
MARGINALS = Box("thm-matrix-experiments-gaussian-marginals", "matrix.GaussianMarginals", chapter=PAGE["chapter"])
SMALL = ((3, 2, 2), (2, 4), (3, 3, 2))
GRID = 400_001  # points of a quadrature


def hockey_stick(epsilon, scale):
    r""":math:`\int (p - e^\epsilon q)_+` of two normal laws of this deviation that are 1 apart, by quadrature."""
    x, step = np.linspace(-40 * scale, 40 * scale + 1, GRID, retstep=True)
    p, q = (np.exp(-(((x - m) / scale) ** 2) / 2) for m in (1.0, 0.0))
    more = np.maximum(p - np.exp(epsilon) * q, 0)
    return float(more.sum() * step / (scale * np.sqrt(2 * np.pi)))


@GAUSSIAN("m-rf/ours/gaussian-calibration", "ours", quantity="delta", range="epsilon 0.5 to 4, delta 1e-9 to 0.3")
def calibration(effort, rng):
    r"""Gaussian noise whose standard deviation is $s$ times the L2 sensitivity is $(\epsilon, \delta)$-private if
    and only if $\delta \ge \Phi(\frac1{2s} - \epsilon s) - e^\epsilon\Phi(-\frac1{2s} - \epsilon s)$."""
    epsilons = effort.pick((0.5, 1.0, 4.0), (0.5, 1.0, 2.0, 4.0), (0.5, 1.0, 2.0, 3.0, 4.0))
    for epsilon, delta in product(epsilons, (1e-9, 1e-6, 0.01, 0.3)):
        s = matrix.gaussian_scale(epsilon, delta)
        for stated in (matrix.gaussian_delta(epsilon, s), delta):
            yield same(hockey_stick(epsilon, s), stated, 1e-6, epsilon=epsilon, delta=delta)
    return "{cases} comparisons with a quadrature agree, the last at epsilon {epsilon} and delta {delta}."


def small_workloads(effort):
    """All marginals of two columns on small domains, as workloads of forests: (levels, workload)."""
    for levels in SMALL[: effort.pick(2, 3, 3)]:
        sets = [(a, b) for a in range(len(levels)) for b in range(a)]
        rows = []
        for pair in sets:
            for at in np.ndindex(*(levels[j] for j in pair)):
                row = [np.ones(n, dtype=bool) for n in levels]
                for j, level in zip(pair, at):
                    row[j] = np.arange(levels[j]) == level
                rows.append(np.concatenate(row))
        tree = np.repeat(np.arange(len(sets)), [levels[a] * levels[b] for a, b in sets])
        paths = matrix.Paths(np.array(rows), np.array(levels), tree)
        yield levels, matrix.Workload.of(paths)


def dense_strategy(best):
    """A matrix A of a `GaussianMarginals`, from projections made of averages: shape (n_cells, n_cells)."""
    total = 0.0
    for columns, value in zip(best.spaces, best.eigenvalues):
        projection = np.ones((1, 1))
        for j, n in enumerate(best.n_levels.tolist()):
            mean = np.full((n, n), 1 / n)
            projection = np.kron(projection, np.eye(n) - mean if j in columns else mean)
        total = total + np.sqrt(value) * projection
    return total


@MARGINALS("m-rf/ours/gaussian-marginals", "ours", quantity="error in variances", range="pairs, 8 to 18 cells")
def gaussian_marginals(effort, rng):
    r"""With Gaussian noise the least error of a workload of whole marginals is $(\sum_U \sqrt{w_Ud_U})^2$ times
    the variance of noise for sensitivity 1. The strategy with eigenvalues $\lambda_U \propto \sqrt{w_U/d_U}$
    attains it."""
    for levels, workload in small_workloads(effort):
        best, W = matrix.GaussianMarginals(workload), workload.matrix()
        A, bound = dense_strategy(best), matrix.l2_optimum(workload)
        error = (A**2).sum(axis=0).max() * ((W @ np.linalg.pinv(A, rcond=1e-10)) ** 2).sum()
        for name, side in (("error of the matrix", error), ("bound for all", bound.value)):
            yield same(side, best.optimum, 1e-5, levels=list(levels), side=name)
    return "{cases} values equal the optimum; the last, on columns of {levels} levels, is the {side}."


@ours("m-rf/gaussian/car", "agrees")
def gaussian_on_car(result):
    """On Car with trees of depth 4, Laplace noise on the cells at epsilon 1, which has the stronger guarantee,
    gives higher accuracy than each of four strategies with Gaussian noise at epsilon 1 and delta 1e-6."""
    cell = partial(key, result, "car", max_depth=4, epsilon=1.0)
    pure = cell(method=paper.TRAINING)
    of = {k: cell(method=paper.GAUSS, reading="exact", label=f"Gaussian, {k}") for k in paper.STRATEGIES}
    words = percent(result, {"Laplace, cells": pure} | of)
    return best_of(result, [pure], of.values()), words
