"""Claims of ours on what no release can beat: the constants, the certificate, replace-one, and contrasts.

The truth is a linear program over all releases with given outputs, which knows no bound, or the error of a
strategy by least squares.
"""

import itertools
import math

import numpy as np

from dplit import matrix
from dplit.court.claims.matrix_bounds import programs
from dplit.court.claims.matrix_paths.small import error, forest, least_squares
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, decisive, note, same

COUNT = Box("thm-bounds-count", "matrix.least_variance", "matrix.chi_square")
OF_A_CLASS = {"quantity": "error of a class"}
CERTIFICATE = Box(
    "thm-bounds-certificate", "matrix.lower_bound", "matrix.nuclear_bound", "matrix.l2_optimum", **OF_A_CLASS
)
REPLACE = Box("thm-bounds-replace", "matrix.lower_bound", "matrix.nuclear_bound", **OF_A_CLASS)
CONTRAST = Box("thm-bounds-contrast", "matrix.l2_optimum", "matrix.KNorm")
PLANE = np.array(list(itertools.product(range(-7, 8), repeat=2)))
SHARP = 1e-5  # relative difference where a bound is attained by what a program or a search finds


ONE_COUNT = tuple(
    f"m-rf/one-count:{part}" for part in ("spread", "both-ways", "two-steps", "response", "occupied", "noise")
)


@COUNT(
    "m-rf/one-count",
    "ours; the variance of a count",
    quantity="least variance of an unbiased count",
    **over(*ONE_COUNT),
)
def one_count(effort, rng):
    r"""With $c = e^\epsilon + e^{-\epsilon} - 2$, an unbiased $\epsilon$-DP release of a count has variance at
    least $\frac1c$ at each count, and $\frac2{c(1 + e^{-\epsilon})}$ where the count can go up and down.
    Randomised response on 0 and 1 attains the first bound, and a mechanism with three outputs the second. Noise
    that does not depend on the count has variance at least $\frac2c$, which geometric noise attains. If the noise
    of an unbiased release depends on the count, the supremum of its variance over all counts is no smaller."""
    which = {"two-steps": "occupied", "response": "unbiased", "occupied": "occupied", "noise": "data-independent"}
    for name in ONE_COUNT:
        least = which.get(name.split(":")[1])
        right = {"right": lambda H, w=least: matrix.least_variance(math.log(H), w)} if least else {}
        yield from certified(name, effort, **right)
    low, high = (
        programs.least_error(
            np.arange(n + 1)[:, None],
            np.arange(-9, n + 10)[:, None],
            [(i, i + 1) for i in range(n)],
            1.0,
            at="worst",
        )
        for n in (2, 8)
    )
    limit = matrix.least_variance(1.0, "data-independent")
    for smaller, larger in ((low, high), (high, limit), (0.98 * limit, high)):
        yield below(smaller, larger, 2e-9, of="largest variance over all counts")
    return (
        "Three mechanisms attain the bounds at every epsilon, the last since {statement}. By linear programs the "
        f"largest variance over the counts up to 2 is at least {low:.3f}, over those up to 8 at least {high:.3f}; "
        f"the limit is {limit:.3f}."
    )


def _small(effort, rng):
    """Random workloads of two queries on three cells, with small whole numbers."""
    for _ in range(effort.pick(4, 12, 60)):
        W = rng.integers(0, 3, (2, 3))
        if np.linalg.matrix_rank(W) == 2:
            yield W, matrix.Workload.of_matrix(W)


def _strategies(n, rng):
    yield np.eye(n)
    yield np.vstack([np.eye(n), rng.integers(-1, 2, (3, n))])
    yield rng.normal(size=(n + 1, n)) * (rng.random((n + 1, n)) < 0.7) + np.eye(n + 1, n)


def _least_error(sets, W):
    """Least squared error of any unbiased release at the first data set, the neighbour of all others."""
    answers = np.array(sets) @ W.T
    pairs = [(0, j) for j in range(1, len(sets))]
    return programs.least_error(answers, PLANE + answers[0], pairs, 1.0)


def _one_replaced(cells):
    """One record in each of so many cells, and every data set in which one of them is in another cell."""
    moves = [b - a for a, b in itertools.permutations(np.eye(cells), 2)]
    return np.ones(cells) + np.array([np.zeros(cells), *moves])


@CERTIFICATE("m-rf/certificate", "ours; optimal noise allocation")
def certificate(effort, rng):
    r"""Let $L_2(W) = \max_\lambda\|W\mathrm{diag}(\lambda)^{1/2}\|_*^2$ over cell weights that sum to 1. Under
    add-remove, every strategy with Laplace noise has error at least $2L_2/\epsilon^2$. With $c = e^\epsilon +
    e^{-\epsilon} - 2$, an unbiased release has error at least $L_2/c$ at every data set, and $2L_2/(c(1 +
    e^{-\epsilon}))$ where every cell holds a record; the error is at least $2L_2/c$ if the noise does not depend
    on the data. $L_2$ is the error of the best strategy with columns of L2 norm 1. Equal weights give (sum of
    singular values)$^2/n$."""
    empty = np.array([np.zeros(3), *np.eye(3)])
    full = np.array([np.ones(3), *(np.ones(3) + np.eye(3)), *(np.ones(3) - np.eye(3))])
    for W, workload in _small(effort, rng):
        best, data = matrix.l2_optimum(workload, iterations=20_000, gap=1e-9), {"W": W.tolist()}
        for which, sets in (("unbiased", empty), ("occupied", full)):
            bound = best.value * matrix.least_variance(1.0, which)
            yield below(bound, _least_error(sets, W), which=which, **data)
            yield below(matrix.lower_bound(workload, 1.0, which), bound, **data)
        for A in _strategies(3, rng):
            yield below(best.value, error(W, A), A=A.tolist(), **data)
        met = _best_l2(workload.columns().matrix, best.weights)
        yield same(met, best.value, SHARP, **data)
    one = forest((3, 2, 2), 1, 2, rng)  # its leaves are the merged cells
    yield same(one.trees.n_leaves, matrix.l2_optimum(one.leaves).value, SHARP, trees=1)
    return note(
        "{cases} comparisons: bounds below linear programs, strategies and better bounds, and a strategy with "
        "columns of L2 norm 1 that attains the value",
        range="two queries on three cells, epsilon 1; any number of cells by the proof",
    )


def _best_l2(W, weights):
    """Squared error, by least squares, of K^(-1/4) W with noise of variance 1, columns of norm at most 1."""
    values, vectors = np.linalg.eigh((W * weights) @ W.T)
    A = (vectors * values**-0.25) @ vectors.T @ W
    return float((A**2).sum(axis=0).max() * (least_squares(W, A) ** 2).sum())


@REPLACE("m-rf/replace-one-certificate", "ours; the certificate under the other relation")
def replaced(effort, rng):
    r"""Under replace-one, the differences of the columns take the place of the columns. Let s be the sum of W's
    singular values, t the sum for W minus its mean column, and $c = e^\epsilon + e^{-\epsilon} - 2$. An unbiased
    release of k classes has error at least $\frac{2((k-1)s + t)^2}{k(nk-1)}\cdot\frac1c$ per class where every
    cell holds a record of every class. A strategy that is the same for two or more classes pays four times the
    add-remove bound."""

    def bound(workload, which, classes):
        return matrix.lower_bound(workload, 1.0, which, "replace-one", classes=classes)

    for W, workload in _small(effort, rng):
        data = {"W": W.tolist()}
        for k in (1, 2, 3):
            direct = _all_pairs(W, k) / (math.e + 1 / math.e - 2)
            yield same(bound(workload, "unbiased", k), direct, SHARP, classes=k, **data)
        best = matrix.l2_optimum(workload, "replace-one").value
        best *= matrix.least_variance(1.0, "occupied")
        yield below(best, _least_error(_one_replaced(3), W), classes=1, **data)
        yield below(bound(workload, "occupied", 1), best, classes=1, **data)
        for A in _strategies(3, rng):  # a column of counts: the largest L1 distance of two columns
            far = max(abs(a - b).sum() for a in A.T for b in A.T)
            paid = error(W, A)
            one = 2 * far**2 * paid / abs(A).sum(axis=0).max() ** 2
            yield below(bound(workload, "laplace", 1), one, classes=1, **data)
            yield below(bound(workload, "laplace", 2), 2 * 4 * paid, classes=2, **data)
    W = np.array([[1.0, 2.0]])  # one query on two cells, for each of two classes at once
    truth = _least_error(_one_replaced(4), np.kron(np.eye(2), W))
    stated = bound(matrix.Workload.of_matrix(W), "occupied", 2)
    yield below(stated, truth / 2, W=W.tolist(), classes=2)
    return note(
        "In {cases} comparisons the bounds equal a formula, or are below better bounds or errors of linear "
        "programs and strategies; the nearest is {exact:.4f} of {stated:.4f}.",
        range="two queries on three cells, or one on two cells and classes; epsilon 1",
    )


def _all_pairs(W, k):
    """Squared nuclear norm per class and pair of all differences of columns of k copies of W, written out."""
    copies = np.kron(np.eye(k), W)
    pairs = list(itertools.combinations(range(copies.shape[1]), 2))
    differences = np.array([copies[:, i] - copies[:, j] for i, j in pairs]).T
    return np.linalg.svd(differences, compute_uv=False).sum() ** 2 / len(pairs) / k


@CONTRAST("m-rf/contrast-bound", "ours; votes are compared, not counted", quantity="error, in 2/epsilon^2")
def contrasts(effort, rng):
    r"""A vote among k classes depends only on the differences of the counts from their mean, $I - \frac1k11^\top$.
    The $L_2$ of `m-rf/certificate` is $\frac{(k-1)^2}k$ for these: $\frac12, \frac43, \frac94$ for two, three and
    four classes. For the counts themselves it is 1, 2, 3. For two classes, Laplace noise on the one difference
    attains this value. For three classes the K-norm mechanism with a hexagon has $\frac53$."""
    most, knorm = effort.pick(4, 6, 7), []
    for k in range(2, most + 1):
        W = np.eye(k) - 1 / k
        value = matrix.l2_optimum(matrix.Workload.of_matrix(W)).value
        yield same((k - 1) ** 2 / k, value, 1e-6, k=k)
        yield same(k - 1, error(W, np.eye(k)), 1e-6, k=k)
        knorm.append(matrix.KNorm(W, 1.0).error / 2)
        yield below((k - 1) ** 2 / k, knorm[-1], k=k, noise="K-norm")
    difference = error(np.eye(2) - 0.5, np.array([[0.5, -0.5]]))
    yield same(0.5, difference, 1e-6, k=2, A="difference")
    yield decisive(same(_hexagon(), knorm[1], 1e-6, k=3))
    listed = ", ".join(f"{n:.3f}" for n in knorm)
    return note(f"L2 is (k - 1)^2/k for k = 2 to {most}; K-norm noise has {listed}", range=f"2 to {most} classes")


def _hexagon():
    """Error of hexagonal noise in units of 2/epsilon^2, by integrating over the angle in polar coordinates.

    The corners of the hexagon are the contrasts' columns, of norm sqrt(2/3); its radius at an angle a from the
    middle of a side is h/cos(a), h = sqrt(2/3) cos(pi/6). Of the density exp(-r cos(a)/h) the mean of r^2 is 12
    times the mean of (h/cos)^4 over twice that of (h/cos)^2, by 3!/1! = 6.
    """
    nodes, weights = np.polynomial.legendre.leggauss(40)
    angles, h = nodes * math.pi / 6, math.sqrt(2 / 3) * math.cos(math.pi / 6)
    radius = h / np.cos(angles)
    return float(6 * (weights @ radius**4) / (weights @ radius**2) / 2)
