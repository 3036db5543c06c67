"""Claims of M-RF on what a strategy costs: its sensitivity, its error, and what the usual way costs."""

import itertools

import numpy as np

from dplit import matrix
from dplit.court.claims.matrix_paths import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, below, decisive, need, note, same

SENSITIVITY = Box("thm-strategy-sensitivity", "matrix.sensitivity")
ERROR = Box("thm-strategy-error", "matrix.error")
MEMBERS = Box("thm-strategy-members", "matrix.PerTree", "matrix.DistinctLeaves")
REGIONS = Box("thm-strategy-regions", "matrix.Identity", "matrix.PerTree")
LEAF = "variance of a leaf's count, units of 2/epsilon^2"
CAR_TREES = 128


def _strategies(rng, one):
    levels, leaves = one.levels, one.leaves
    yield matrix.Identity(levels)
    yield matrix.PerTree(leaves.paths)
    yield matrix.DistinctLeaves(leaves.boxes)
    yield matrix.regions(leaves)
    yield matrix.Marginals({(0,): 1.0, tuple(range(len(levels))): 2.0}, levels)
    yield matrix.Dense(rng.normal(size=(3, int(np.prod(levels)))), levels)


def _moves(rng, times, neighbours, settings):
    """Of strategies on small domains: the most that a record moves what is released, beside the sensitivity.

    Over every cell and class, or pair of them; a setting is a number of classes, and whether their difference
    is released.
    """
    for one in small.small_forests(rng, times):
        for strategy, (classes, signed) in itertools.product(_strategies(rng, one), settings):
            places = itertools.product(small.every_cell(one.levels).tolist(), range(classes))
            tables = [strategy.measure([cell], [c], classes) for cell, c in places]
            if signed:
                tables = [table[:, 0] - table[:, 1] for table in tables]
            others = [0] if neighbours == "add-remove" else tables
            moved = max(abs(a - b).sum() for a in tables for b in others)
            stated = matrix.sensitivity(strategy, neighbours, classes, signed)
            yield same(moved, stated, levels=one.levels, strategy=strategy.name, classes=classes, signed=signed)


@SENSITIVITY(
    "m-rf/sensitivity",
    "Differential privacy, matrix mechanism",
    quantity="L1 sensitivity, add-remove",
    range="2 or 3 columns of 2 or 3 levels, 1 and 3 classes",
)
def sensitivity(effort, rng):
    r"""The sensitivity of a query matrix is its L1 norm $\|A\|_1$. (For add-remove neighbours and any number of
    classes, this is the largest absolute column sum.)"""
    yield from _moves(rng, effort.pick(6, 20, 100), "add-remove", ((1, False), (3, False)))
    return "In {cases} comparisons no record moves the release by more than stated, and one moves it by as much."


@SENSITIVITY(
    "m-rf/sensitivity-replace-one",
    "ours",
    quantity="L1 sensitivity, replace-one",
    range="2 or 3 columns of 2 or 3 levels, 1 and 2 classes",
)
def replace_one(effort, rng):
    r"""Under replace-one, the sensitivity is $2\|A\|_1$ for two or more class columns and for a single column that
    holds the difference of two classes. For a single column of counts it is $\max_{j, l}\|a_j - a_l\|_1$."""
    settings = (1, False), (2, False), (2, True)
    yield from _moves(rng, effort.pick(5, 15, 60), "replace-one", settings)
    return "In {cases} cases on small domains the sensitivity is the largest change over all pairs of records."


def _err(W, A, epsilon):
    """The paper's formula, by least squares on its matrices."""
    return 2 / epsilon**2 * small.error(W, A)


@ERROR(
    "m-rf/definition-3",
    "Definition 3; theorems 4 and 6",
    "assumes",
    intervals=1,
    quantity="mean squared error of a leaf's count, Tennis",
    range="Tennis, a tree on each column",
)
def definition_3(effort, rng):
    r"""The total mean squared error of the answers to W under the strategy A is $\mathrm{Err}_\epsilon(W, A) =
    \frac{2}{\epsilon^2}\|A\|_1^2\|WA^+\|_F^2$, independent of the actual data input, and leaf values have the MSE
    $\mathrm{Err}_\epsilon(T, A)$. (This is the total over all answers of one class, not the mean per answer; the
    data matrix of definition 2 has $k$ classes.)"""
    draws, one, strategy = (effort.pick(8000, 40_000, 400_000), small.tennis_trees(), matrix.Identity((3, 2)))
    stated, n = _err(one.T, np.eye(6), 1.0), len(one.T)
    values = small.drawn_errors(one.leaves, strategy, 1.0, draws, rng) / n
    ours = matrix.error(one.leaves, strategy, 1.0) / n
    case = small.mean(values, draws // 4, stated, rng, ours)
    low, high = small.ends(case, n * ours)
    yield case._replace(broken="assumes" if low <= stated <= high else "fails")  # it is the total
    return f"{draws} releases: {{exact:.3g}} a leaf on average, where the formula says {stated:g}"


@ERROR.corrected(
    definition_3,
    "matrix.error",
    "matrix.unit_error",
    intervals=12,
    quantity="total squared error of all queries, one class",
    range="two random forests on 2 or 3 columns; 30 records",
)
def total_error(effort, rng):
    r"""$\mathrm{Err}_\epsilon(W, A)$ is the total expected squared error of the answers to all queries for one
    class, for every data set. For $k$ classes the error is $k$ times as large. The mean per answer is the total
    divided by the number of queries. A row that occurs $\mu$ times counts $\mu$ times."""
    groups = effort.pick(2000, 8000, 40_000)
    for one in small.small_forests(rng, 2):
        T, epsilon = one.T, float(rng.choice([0.5, 1.0, 3.0]))
        for strategy in _strategies(rng, one):
            if strategy.name == "dense":
                continue
            data = {"levels": one.levels, "strategy": strategy.name}
            stated = matrix.error(one.leaves, strategy, epsilon)
            if strategy.name != "per-tree":
                yield same(_err(T, small.dense(strategy), epsilon), stated, 1e-7, **data)
            values = small.drawn_errors(one.leaves, strategy, epsilon, groups * 6, rng)
            yield small.mean(values, groups, stated, rng, **data)
    return (
        f"in {{cases}} comparisons the totals of five kinds of strategies equal least squares on dense matrices, "
        f"and the intervals of {groups * 6} releases each hold them"
    )


@MEMBERS("m-rf/laplace-variance", "ours; Lap(tau/epsilon) on every leaf", quantity=LEAF)
def laplace_variance(effort, rng):
    r"""Let $\gamma$ be the largest number of distinct leaves, of $\tau$ trees, that hold one cell. In units of
    $\frac2{\epsilon^2}$ the variance of a leaf is $\tau^2$ with noise for each tree, at most $\gamma^2 \le \tau^2$
    with noise on the distinct leaves, and its number of cells with noise on the cells. On Car with 128 trees of
    depth 4 these are 16,384, about 100, and 12."""
    forests = effort.pick(20, 80, 300)
    for one in small.small_forests(rng, forests):
        distinct, merged = np.unique(one.T, axis=0), matrix.DistinctLeaves(one.leaves.boxes)
        ours = merged.norm**2 * merged.variances(one.leaves)[one.leaves.place]
        exact = distinct.sum(axis=0).max() ** 2 * (small.least_squares(one.T, distinct) ** 2).sum(axis=1)
        yield from small.entries(exact, ours, 1e-7, 1e-9, **one.data)
        yield below(exact.max(), one.n_trees**2, **one.data)
    leaves = small.forest(small.CAR, CAR_TREES, 4, rng).leaves
    n = len(leaves.place)
    per, merged, identity = (
        matrix.unit_error(leaves, matrix.member(leaves, name)) / n for name in ("per-tree", "merged", "identity")
    )
    yield same(np.prod(small.CAR) * CAR_TREES / n, identity, 1e-7, car="identity")
    yield same(CAR_TREES**2, per, 1e-7, car="per-tree")
    yield decisive(need(identity < merged < per, identity, "<=", per, merged=merged))
    return note(
        f"In {forests} small forests the variances equal least squares. On Car with {CAR_TREES} trees of depth 4 "
        f"they are on average {per:,.0f} with noise for each tree, {merged:.1f} with noise on the distinct leaves "
        f"and {identity:.1f} with noise on the cells.",
        range=f"{forests} forests on 2 or 3 columns; Car",
    )


@MEMBERS(
    "m-rf/weighted-leaves",
    "ours; Lap(tau/epsilon) on every leaf",
    "holds",
    "matrix.WeightedLeaves",
    quantity="variance of a leaf or vote, units of 2/epsilon^2",
    range="small forests of up to 6 trees, leaves and votes",
)
def weighted_leaves(effort, rng):
    r"""If each distinct leaf is released once, multiplied by the number $m$ of trees that have it, the sensitivity
    is $\tau$. Under least squares, no leaf and no vote then has a larger variance than with noise for each tree.
    The variance of a leaf is at most $\frac{\tau^2}{m^2}$ instead of $\tau^2$."""
    best = np.inf
    for one in small.small_forests(rng, effort.pick(30, 100, 400)):
        T, tau, ours = one.T, one.n_trees, matrix.WeightedLeaves(one.leaves)
        distinct, times = np.unique(T, axis=0, return_counts=True)
        A, M = times[:, None] * distinct, T.T @ T
        leaf = tau**2 * (small.least_squares(distinct, A) ** 2).sum(axis=1)
        vote = tau**2 * (small.least_squares(M, A) ** 2).sum(axis=1).mean()
        for target, exact in (("leaves", times @ leaf), ("votes", vote)):
            stated = matrix.unit_error(one.leaves, ours, target)
            yield same(exact, stated, 1e-7, **one.data, of=target)
        yield same(abs(A).sum(axis=0).max(), ours.sensitivity(), **one.data, of="sensitivity")
        for a, b in zip((*leaf, vote), (*tau**2 / times**2, tau**3)):
            best = min(best, a / b)
            yield below(a, b, 1e-7, **one.data)
    return f"{{cases}} comparisons: variances are at best {best:.2f} of the bound, never above"


@REGIONS(
    "m-rf/optimal-one-tree",
    "DP batch training approach; abstract: optimal noise",
    "fails",
    quantity="variance of a leaf's count, one tree, units of 2/epsilon^2",
    range="Car, depth 4, one tree",
)
def one_tree(effort, rng):
    r"""The authors derive a strategy matrix A that minimizes the error in estimating class counts at leaf nodes;
    so the error is at most that of the Laplace mechanism on the leaves. (Within the family $\mathrm{OPT}_p$ of the
    paper's text, for one tree nothing is as good as the Laplace mechanism. On the trees that we tried the search
    ends at the cells, whose error is that of the Laplace mechanism multiplied by the number of cells of a leaf,
    about 12 on Car at depth 4. The authors' code searches another family, products of one-query strategies for
    each column.)"""
    for _ in range(effort.pick(5, 20, 100)):
        one = small.forest(small.CAR, 1, 4, rng)
        cells = np.bincount(one.reached(small.every_cell(small.CAR)).ravel())
        laplace = matrix.unit_error(one.leaves, matrix.PerTree(one.paths)) / len(one.paths)
        yield at_most(cells.mean(), laplace, leaves=len(cells))
    return "one tree of depth 4 on Car: the cells cost {exact:.1f} a leaf, the leaves {stated:g}"


@REGIONS.corrected(one_tree, "matrix.regions", quantity=LEAF, range="small forests; Car, one tree of depth 4")
def regions(effort, rng):
    """Call a class of cells that no row tells apart a region. Noise on the regions costs at most as much as noise
    on the cells. For one tree, the regions are its leaves and the error is 1 per leaf, as with Laplace noise on
    the leaves."""
    forests = effort.pick(20, 80, 300)
    for one in small.small_forests(rng, forests):
        cost = matrix.unit_error(one.leaves, matrix.regions(one.leaves))
        yield same((np.unique(one.T, axis=1) ** 2).sum(), cost, levels=one.levels)
        yield below(cost, (one.T**2).sum(), levels=one.levels)
    for _ in range(5):
        one = small.forest(small.CAR, 1, 4, rng)
        cost = matrix.unit_error(one.leaves, matrix.regions(one.leaves))
        yield decisive(same(one.trees.n_leaves, cost, car=True))
    return f"In {forests} forests regions are never worse than cells; for one tree on Car they cost 1 a leaf."
