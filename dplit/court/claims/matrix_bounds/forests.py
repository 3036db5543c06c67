r"""Claims of ours on noise for all leaves of a forest at once, which needs no polytope.

Derived in :doc:`/book/matrix_bounds`. The truth is the triangulation of the hull of all columns, an integral over
a density in two or three variables, routing, and draws of the package's samplers.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.special import gamma, gammaincc

import dplit.court.claims.matrix_paths._forests as f
from dplit import matrix
from dplit.court.ledger import Case, bounded, claim, equal, interval, verdict_of


@claim(
    "m-rf/block-norm",
    "ours; noise for all leaves of a forest",
    "holds",
    "thm-bounds-block",
    ("matrix.BlockNorm", "matrix.PerTree"),
    kind="simulated",
    ours=True,
    proof="thm-bounds-block",
    intervals=1,
    quantity="variance of a leaf times epsilon^2 / 2",
)
def block_norm(effort, rng):
    r"""Noise on the leaves of any forest of density proportional to $e^{-\epsilon\max_t\|z_t\|_1}$, where
    $z_t$ are the leaves of tree t, is $\epsilon$-DP under add-remove. A leaf of a tree with $m_t$ leaves
    has the variance $\frac{2(o+1)(o+2)}{(m_t+1)(m_t+2)\epsilon^2}$, o leaves in all: with trees of equal
    size always less than Laplace noise of scale $\tau/\epsilon$, whose variance is $2\tau^2/\epsilon^2$, if
    there are two trees or more, and with trees of two leaves a third of it in the limit."""
    below, privacy = [], []
    for tau, m in itertools.product((2, 3, 8, 128), (2, 3, 8, 50)):
        noise = matrix.BlockNorm([m] * tau, 1.0)
        below.append(Case(noise.variances[0] / 2, tau**2, {"trees": tau, "leaves": m}))
    for _ in range(effort.pick(20, 100, 400)):
        levels = f.small_levels(rng, 3)
        trees, paths = f.forest(levels, int(rng.integers(1, 5)), 1, rng)
        noise = matrix.BlockNorm(np.bincount(paths.tree), 1.0)
        moves = f.routed(trees, f.every_cell(levels))
        z = rng.normal(size=(50, len(paths))) * 5
        loss = max(abs(noise.norm(z) - noise.norm(z - w)).max() for w in moves)
        privacy.append(Case(loss, noise.epsilon, {"levels": levels, "trees": trees.n_trees}))
    cubes = [_two_leaves(tau) for tau in effort.pick((1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 4, 5))]
    noise, draws = matrix.BlockNorm([3, 2], 1.0), effort.pick(40_000, 200_000, 1_000_000)
    most = 300.0
    z = noise.sample(draws, rng=rng)[:, 0]
    low, high = interval(int((rng.random(draws) * most < z**2).sum()), draws)
    density = _block_variance(3, 2, most)
    good = (
        bounded(privacy, "loss").verdict == "holds" and bounded(below, "below").verdict == "loose"
    )
    each = [Case(_block_variance(3, 2), noise.variances[0], {"sizes": [3, 2]})]
    exact = equal([*each, *cubes], "variance", rtol=1e-9)
    return verdict_of(
        good and low <= density / most <= high and exact.verdict == "holds",
        f"{len(privacy)} forests: the density changes by at most e^epsilon; two trees of two leaves "
        f"{below[0].exact:.2f} against {below[0].stated}, 128 of eight {below[14].exact:.0f} against "
        f"{below[14].stated}",
        {
            "below": [c.exact for c in below],
            "interval": (low, high),
            "density": density,
            "variance": exact.counterexample,
        },
        kind="simulated",
        cases=len(below) + len(privacy) + draws,
        published=float(below[14].stated),
        computed=float(below[14].exact),
        relation="<",
        intervals=((low, high),),
        range="2 to 128 trees of 2 to 50 leaves; 3 and 2 leaves drawn",
    )


def _two_leaves(tau):
    """Variance of a leaf of tau trees with two leaves each, on disjoint columns: by the cube, and triangulated."""
    cells = np.array(list(itertools.product((0, 1), repeat=tau)))
    W = np.hstack([cells, 1 - cells]).T
    return Case((tau + 2) * (tau + 3) / 6, matrix.KNorm(W, 1.0).variances[0], {"trees": tau})


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


# Trees that agree ---------------------------------------------------------------------------------


# all pairs of six, once each
COVER = [(0, 1), (0, 2, 5), (0, 3, 4), (1, 2, 3), (1, 4, 5), (2, 4), (3, 5)]


def hull(sizes):
    """Columns of trees on disjoint columns: one leaf of each tree, in all ways."""
    picks = itertools.product(*(np.eye(m) for m in sizes))
    return np.array([np.concatenate(pick) for pick in picks]).T


def _marginal(levels, columns):
    """Which cells each combination of some columns' levels has, zeros and ones."""
    codes = f.every_cell(levels)[:, columns]
    return (codes[None] == np.unique(codes, axis=0)[:, None]).all(axis=2).astype(float)


@claim(
    "m-rf/tree-norm",
    "ours; optimal noise allocation",
    "holds",
    "thm-bounds-trees",
    ("matrix.TreeNorm", "matrix.agreeing_marginals"),
    kind="simulated",
    ours=True,
    proof="thm-bounds-trees",
    intervals=2,
    quantity="error of the leaves over that of noisy cells",
)
def tree_norm(effort, rng):
    r"""Of the leaves of any forest let all trees have the same sum. Noise of density proportional to
    $e^{-\epsilon\max_t\|z_t\|_1}$ on these is $\epsilon$-DP under add-remove, and for trees on disjoint
    columns it is the K-norm noise. On Car with depth 1 it has .022 of the error of noisy cells, where the
    best marginals that are known have .0503; with depth 2, by least squares from seven marginals that cover
    all pairs of features once, less than they have, too. For two-leaf trees it is a twelfth of Laplace noise
    for each tree in the limit."""
    same, (privacy, below) = _like_hulls(effort, rng), _of_any_record(effort, rng)
    good = equal(same, "same", rtol=1e-7)
    private = bounded(privacy, "loss").verdict == "holds"
    less = bounded(below, "below").verdict == "loose"
    draws = effort.pick(20_000, 100_000, 500_000)
    spans, inside = _drawn(matrix.TreeNorm(f.CAR_LEVELS, 1.0), draws, rng)
    ratio, known, two = _on_car(rng)
    return verdict_of(
        good.verdict == "holds" and private and less and inside and ratio < known and two < 1,
        f"{len(same)} variances and norms equal those of triangulated hulls; {len(privacy)} forests: the density "
        f"changes by at most e^epsilon; Car, depth 1, each feature alike: {ratio:.4f} of noisy cells, three "
        f"marginals of two features {known:.4f}; depth 2: {two:.3f} of the best Laplace strategy",
        {"same": good.counterexample, "spans": spans, "ratio": ratio, "known": known, "two": two},
        kind="simulated",
        cases=len(same) + len(privacy) + len(below) + draws,
        published=known,
        computed=ratio,
        relation="<",
        intervals=tuple(spans),
        range="hulls of up to 8 dimensions; forests of up to 4 trees; Car drawn",
    )


def _like_hulls(effort, rng):
    """Variances and norms of trees on disjoint columns: as of the triangulated hull of all columns."""
    sizes = [(3, 2), (2, 2, 2), (4, 3), (1, 3), (3, 3, 2), (5,), *[(2,) * tau for tau in (4, 5, 6)]]
    same = []
    for each in sizes[: effort.pick(6, 9, 9)]:
        body, ours = matrix.KNorm(hull(each), 1.0), matrix.TreeNorm(each, 1.0)
        shown = {"sizes": list(each)}
        same += [Case(v, w, shown) for v, w in zip(body.variances, ours.variances)]
        z = rng.normal(size=(3, body.matrix.shape[1])) @ body.matrix.T
        same += [Case(body.norm(y), ours.norm(y), shown) for y in z]
        if set(each) == {2}:
            twos = (len(each) + 2) * (len(each) + 3) / 6
            same += [Case(twos, v, shown) for v in ours.variances]
    return same


def _of_any_record(effort, rng):
    """How much one record changes the logarithm of the density, and the error beside `BlockNorm`'s."""
    privacy, below = [], []
    for _ in range(effort.pick(20, 100, 400)):
        levels = f.small_levels(rng, 3)
        trees, paths = f.forest(levels, int(rng.integers(2, 5)), 1, rng)
        noise = matrix.TreeNorm(np.bincount(paths.tree), 1.0)
        z, moves = noise.sample(20, rng=rng), f.routed(trees, f.every_cell(levels))
        loss = max(abs(noise.norm(z) - noise.norm(z - w)).max() for w in moves)
        privacy.append(Case(loss, 1.0, {"levels": levels, "trees": trees.n_trees}))
        wider = matrix.BlockNorm(noise.sizes, 1.0).error
        below.append(Case(noise.error, wider, {"sizes": noise.sizes.tolist()}))
    return privacy, below


def _drawn(noise, draws, rng, most=400.0):
    """Intervals of a square below `most` and of a norm above its dimension, and whether both are right."""
    z, d = noise.sample(draws, rng=rng), noise.dimension
    hits = int((rng.random(draws) * most < z[:, 0] ** 2).sum())
    out = int((noise.norm(z) > d).sum())
    (low, high), (least, largest) = spans = [interval(hits, draws), interval(out, draws)]
    lost = d * (d + 1) * gammaincc(d + 2, math.sqrt(most)) / most  # of a square beyond `most`
    inside = low <= noise.variances[0] / most <= high + lost
    return spans, inside and least <= gammaincc(d, d) <= largest


def _on_car(rng):
    """Errors on Car: over the cells' at depth 1, of the best known marginals there, and over Laplace's at 2."""
    levels = f.CAR_LEVELS
    variances = matrix.TreeNorm(levels, 1.0).variances
    ratio = variances.reshape(-1).sum() / 2 / (6 * math.prod(levels))
    stumps = np.vstack([_marginal(levels, (j,)) for j in range(6)])
    pairs = np.vstack([_marginal(levels, p) for p in ((0, 3), (1, 4), (2, 5))])
    known = f.error(stumps, pairs) / stumps.sum()
    _, paths = f.forest(levels, 128, 2, rng)
    deeper, members = matrix.Workload.of(paths), ("merged", "identity", "marginals")
    laplace = matrix.select(deeper, members=members, epsilon=1.0).considered
    two = matrix.agreeing_marginals(deeper, COVER, 1.0) / min(laplace.values())
    return float(ratio), known, two


@claim(
    "m-rf/tree-norm-release",
    "ours; optimal noise allocation",
    "holds",
    "thm-bounds-agreeing",
    ("matrix.AgreeingTrees", "matrix.select"),
    ours=True,
    proof="thm-bounds-agreeing",
    quantity="total squared error of the leaves, one class",
)
def tree_norm_release(effort, rng):
    r"""Released with such noise, the leaves of the distinct trees answer all leaves by least squares with a
    total error that no record changes. Under replace-one, with two classes or their difference, it is exactly four
    times that of add-remove. For a tree on each feature of Tennis it is the least of the portfolio: 18.5 over
    $\epsilon^2$."""
    cases = []
    for _ in range(effort.pick(12, 40, 150)):
        levels = [[2, 2], [3, 2], [2, 2, 2]][rng.integers(3)]
        _, paths = f.forest(levels, int(rng.integers(2, 4)), 1, rng)
        leaves, epsilon = matrix.Workload.of(paths), float(rng.choice([0.5, 1.0, 2.0]))
        ours = matrix.AgreeingTrees(paths)
        A = _released_rows(ours, levels)
        noise = matrix.KNorm(hull(ours.sizes), epsilon).covariance
        inverse = np.linalg.pinv(A.T @ np.linalg.pinv(noise, rcond=1e-9) @ A, rcond=1e-9)
        W = leaves.matrix()[leaves.place]
        exact, shown = float(np.trace(W @ inverse @ W.T)), {"levels": levels, "epsilon": epsilon}
        for neighbours, times in (("add-remove", 1), ("replace-one", 4)):
            stated = matrix.error(leaves, ours, epsilon, "laplace", neighbours)
            cases.append(Case(times * exact, stated, shown | {"neighbours": neighbours}))
    tennis = matrix.Workload.of(_tree_on_each(f.TENNIS))
    best = matrix.select(tennis)
    cases.append(Case(18.5, matrix.error(tennis, best, 1.0), {"selected": best.name}))
    return equal(cases, "{cases} totals equal generalised least squares with a triangulated hull's covariance",
                 rtol=1e-7, range="up to three trees of one test on two or three columns")  # fmt: skip


def _released_rows(strategy, levels):
    """What a strategy measures of a record in each cell, a column for each cell."""
    cells = f.every_cell(levels)
    return strategy.measure(cells, np.arange(len(cells)), len(cells)).astype(float)


def _tree_on_each(domain):
    """Paths of a tree of one test on each of two columns."""
    for seed in range(100):
        grown = f.grow_random_trees(domain, 2, 1, rng=np.random.default_rng(seed))
        paths = matrix.decision_paths(grown, domain.n_levels)
        if paths.tests.any(axis=0).all():
            return paths
    raise AssertionError("no forest of a hundred tests both columns")
