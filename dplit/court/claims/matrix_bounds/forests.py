"""Claims of ours on noise for all leaves of a forest at once, which needs no polytope.

The truth is the triangulation of the hull of all columns, an integral over a density in two or three variables,
routing, and draws of the package's samplers.
"""

import itertools
import math

import numpy as np
from scipy.special import gamma, gammaincc

from dplit import matrix
from dplit.court.claims.matrix_bounds.draws import drawn
from dplit.court.claims.matrix_paths import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import decisive, frequency, note, private, same

BLOCK = Box("thm-bounds-block", "matrix.BlockNorm", "matrix.PerTree")
TREES = Box("thm-bounds-trees", "matrix.TreeNorm", "matrix.agreeing_marginals")
AGREEING = Box("thm-bounds-agreeing", "matrix.AgreeingTrees", "matrix.select")


def _moved(one, noise, z):
    """How much one record more changes the logarithm of the density of z, at most, against epsilon."""
    moves = one.routed(small.every_cell(one.levels))
    loss = max(abs(noise.norm(z) - noise.norm(z - w)).max() for w in moves)
    return private(loss, noise.epsilon, broken="fails", **one.data)


@BLOCK("m-rf/block-norm", "ours; noise for all leaves of a forest", intervals=1, quantity="variance, 2/epsilon^2")
def block_norm(effort, rng):
    r"""Noise on the leaves of any forest with density proportional to $e^{-\epsilon\max_t\|z_t\|_1}$, where $z_t$
    is the noise on the leaves of tree t, is $\epsilon$-DP under add-remove. With o leaves in all, a leaf of a tree
    with $m_t$ leaves has variance $\frac{2(o+1)(o+2)}{(m_t+1)(m_t+2)\epsilon^2}$. For two or more trees of equal
    size this is always less than the variance $2\tau^2/\epsilon^2$ of Laplace noise of scale $\tau/\epsilon$. As
    the number of two-leaf trees grows, the former tends to a third of the latter."""
    halves = {}
    for tau, m in itertools.product((2, 3, 8, 128), (2, 3, 8, 50)):
        halves[tau, m] = half = matrix.BlockNorm([m] * tau, 1.0).variances[0] / 2
        yield decisive(small.less(half, tau**2, trees=tau, leaves=m), (tau, m) == (128, 8))
    forests = effort.pick(20, 100, 400)
    for _ in range(forests):
        one = small.forest(small.small_levels(rng, 3), int(rng.integers(1, 5)), 1, rng)
        noise = matrix.BlockNorm(np.bincount(one.paths.tree), 1.0)
        yield _moved(one, noise, rng.normal(size=(50, len(one.paths))) * 5)
    noise = matrix.BlockNorm([3, 2], 1.0)
    yield same(_block_variance(3, 2), noise.variances[0], sizes=[3, 2])
    for tau in range(1, effort.pick(4, 5, 6)):  # of two leaves each: as the triangulated cube
        cube = matrix.KNorm(hull([2] * tau), 1.0).variances[0]
        yield same((tau + 2) * (tau + 3) / 6, cube, trees=tau)
    draws, most = effort.pick(40_000, 200_000, 1_000_000), 300.0
    z = noise.sample(draws, rng=rng)[:, 0]
    yield frequency(rng.random(draws) * most < z**2, _block_variance(3, 2, most) / most)
    return note(
        f"In {forests} forests a record changes the density by a factor of at most e^epsilon. The variance of a "
        f"leaf is {halves[2, 2]:.2f} against 4 with Laplace noise for two trees of two leaves, and "
        f"{halves[128, 8]:.0f} against {128**2} for 128 trees of eight leaves.",
        range="2 to 128 trees of 2 to 50 leaves; 3 and 2 leaves drawn",
    )


def _block_variance(m, other, most=math.inf):
    """Mean of min(z_1^2, most) by integrating the density over |z_1| and the rest of both blocks.

    With the L1 norms a and b of the blocks the density of (|z_1|, a, b) is proportional to
    (a - |z_1|)^(m - 2) b^(other - 1) exp(-max(a, b)).
    """
    x, w = np.polynomial.legendre.leggauss(60)
    top = 90.0
    a, wa = (x + 1) / 2 * top, w / 2 * top
    share, ws = (x + 1) / 2, w / 2
    # the integral over b: b^(q - 1) exp(-max(a, b)), below and above a
    inner = a**other / other * np.exp(-a) + gamma(other) * gammaincc(other, a)
    z = a[:, None] * share
    weight = (wa * inner * a)[:, None] * ws * (a[:, None] - z) ** (m - 2)
    return float((weight * np.minimum(z**2, most)).sum() / weight.sum())


# all pairs of six, once each
COVER = [(0, 1), (0, 2, 5), (0, 3, 4), (1, 2, 3), (1, 4, 5), (2, 4), (3, 5)]


def hull(sizes):
    """Columns of trees on disjoint columns: one leaf of each tree, in all ways."""
    picks = itertools.product(*(np.eye(m) for m in sizes))
    return np.array([np.concatenate(pick) for pick in picks]).T


def _marginal(levels, columns):
    """Which cells each combination of some columns' levels has, zeros and ones."""
    codes = small.every_cell(levels)[:, columns]
    return (codes[None] == np.unique(codes, axis=0)[:, None]).all(axis=2).astype(float)


@TREES("m-rf/tree-norm", "ours; optimal noise allocation", intervals=2, quantity="error over that of noisy cells")
def tree_norm(effort, rng):
    r"""Let all trees have the same sum over their leaves. Noise of density proportional to
    $e^{-\epsilon\max_t\|z_t\|_1}$ on the leaves of any forest is $\epsilon$-DP under add-remove, and for trees on
    disjoint columns it is the K-norm noise. On Car with depth 1 its error is .022 of the error of noisy cells; the
    best known marginals have .0503. With depth 2, if the leaves come by least squares from seven marginals that
    cover all pairs of features once, its error is also below the marginals' error. For many two-leaf trees it
    tends to a twelfth of the error of Laplace noise for each tree."""
    yield from _like_hulls(effort, rng)
    forests = effort.pick(20, 100, 400)
    for _ in range(forests):
        one = small.forest(small.small_levels(rng, 3), int(rng.integers(2, 5)), 1, rng)
        noise = matrix.TreeNorm(np.bincount(one.paths.tree), 1.0)
        yield _moved(one, noise, noise.sample(20, rng=rng))
        yield small.less(noise.error, matrix.BlockNorm(noise.sizes, 1.0).error, **one.data)
    noise = matrix.TreeNorm(small.CAR, 1.0)
    z = noise.sample(effort.pick(20_000, 100_000, 500_000), rng=rng)
    yield from drawn(noise, z, z[:, 0] ** 2, noise.variances[0], 400.0, rng)
    ratio, known, two = _on_car(rng)
    yield small.less(two, 1.0, of="Car, depth 2, over the best Laplace strategy")
    yield decisive(small.less(ratio, known, of="Car, depth 1, over noisy cells"))
    return note(
        f"Variances and norms equal those of triangulated hulls, and in {forests} forests a record changes the "
        f"density by a factor of at most e^epsilon. On Car at depth 1 with one tree for each feature the error is "
        f"{ratio:.4f} of that of noisy cells, and three marginals of two features have {known:.4f}; at depth 2 "
        f"the error is {two:.3f} of that of the best Laplace strategy.",
        range="hulls of up to 8 dimensions; forests of up to 4 trees; Car drawn",
    )


def _like_hulls(effort, rng):
    """Variances and norms of trees on disjoint columns: as of the triangulated hull of all columns."""
    sizes = [(3, 2), (2, 2, 2), (4, 3), (1, 3), (3, 3, 2), (5,), *[(2,) * tau for tau in (4, 5, 6)]]
    for each in sizes[: effort.pick(6, 9, 9)]:
        body, ours = matrix.KNorm(hull(each), 1.0), matrix.TreeNorm(each, 1.0)
        z = rng.normal(size=(3, body.matrix.shape[1])) @ body.matrix.T
        truth, stated = [*body.variances, *map(body.norm, z)], [*ours.variances, *map(ours.norm, z)]
        yield from small.entries(truth, stated, 1e-7, sizes=list(each))
        if set(each) == {2}:
            twos = (len(each) + 2) * (len(each) + 3) / 6
            yield from small.entries(np.full(len(ours.variances), twos), ours.variances, 1e-7, sizes=each)


def _on_car(rng):
    """Errors on Car: over the cells' at depth 1, of the best known marginals there, and over Laplace's at 2."""
    variances = matrix.TreeNorm(small.CAR, 1.0).variances
    ratio = variances.reshape(-1).sum() / 2 / (6 * math.prod(small.CAR))
    stumps = np.vstack([_marginal(small.CAR, (j,)) for j in range(6)])
    pairs = np.vstack([_marginal(small.CAR, p) for p in ((0, 3), (1, 4), (2, 5))])
    known = small.error(stumps, pairs) / stumps.sum()
    deeper, members = small.forest(small.CAR, 128, 2, rng).leaves, ("merged", "identity", "marginals")
    laplace = matrix.select(deeper, members=members, epsilon=1.0).considered
    two = matrix.agreeing_marginals(deeper, COVER, 1.0) / min(laplace.values())
    return float(ratio), known, two


@AGREEING("m-rf/tree-norm-release", "ours; optimal noise allocation", quantity="squared error, one class")
def tree_norm_release(effort, rng):
    r"""If the leaves of the distinct trees are released with tree-norm noise, least squares computes all leaves
    from them, and the total error does not depend on the records. Under replace-one, with two classes or their
    difference, this error is exactly four times that under add-remove. For a tree on each feature of Tennis it is
    the least error in the portfolio of strategies, $18.5/\epsilon^2$."""
    for _ in range(effort.pick(12, 40, 150)):
        levels = [[2, 2], [3, 2], [2, 2, 2]][rng.integers(3)]
        one = small.forest(levels, int(rng.integers(2, 4)), 1, rng)
        ours, epsilon = matrix.AgreeingTrees(one.paths), float(rng.choice([0.5, 1.0, 2.0]))
        A, noise = small.dense(ours), matrix.KNorm(hull(ours.sizes), epsilon).covariance
        inverse = np.linalg.pinv(A.T @ np.linalg.pinv(noise, rcond=1e-9) @ A, rcond=1e-9)
        exact = float(np.trace(one.T @ inverse @ one.T.T))
        for neighbours, times in (("add-remove", 1), ("replace-one", 4)):
            stated = matrix.error(one.leaves, ours, epsilon, "laplace", neighbours)
            yield same(times * exact, stated, 1e-7, neighbours=neighbours, **one.data)
    tennis = small.tennis_trees().leaves
    best = matrix.select(tennis)
    yield same(18.5, matrix.error(tennis, best, 1.0), 1e-7, selected=best.name)
    return note(
        "{cases} totals equal generalised least squares with a triangulated hull's covariance",
        range="up to three trees of one test on two or three columns",
    )
