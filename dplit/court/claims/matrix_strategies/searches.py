"""Claims of ours on what a search for strategies finds: the cells again, or marginals that cover."""

import itertools

import numpy as np

from dplit import matrix
from dplit.court.claims.matrix_paths import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, need, same
from dplit.matrix.strategies.p_identity import loss

MARGINALS = Box("thm-strategy-marginals", "matrix.Marginals", "matrix.unit_error")
COVER = Box("thm-strategy-cover", "matrix.optimise_marginals")
IDENTITY = Box("thm-strategy-identity", "matrix.optimise_p", "matrix.select")
RATIOS = {  # of the cells' error, 128 trees: what the search comes to, at most
    ("Car", small.CAR): {1: 0.051, 2: 0.52, 3: 1.0, 4: 1.0},
    ("Balance", small.BALANCE): {1: 0.109, 2: 0.88, 3: 1.0},
    ("Nursery", small.NURSERY): {2: 0.19, 3: 0.85, 4: 1.0},
}
SLOW = (("Balance", 3), ("Nursery", 3), ("Nursery", 4))  # left out where effort is quick


@MARGINALS(
    "m-rf/marginal-error",
    "ours; McKenna, Miklau, Hay and Machanavajjhala 2018",
    quantity="error of weighted marginals",
    range="2 or 3 columns, up to 4 marginals",
)
def marginal_error(effort, rng):
    r"""Weighted marginals $\theta_S$ have error $(\sum_S\theta_S)^2\sum_U w_U/\lambda_U$ with $\lambda_U =
    \sum_{S\supseteq U}\theta_S^2\prod_{i\notin S}n_i$. For a leaf the workload's mass $w_U$ in the space of U is a
    product of numbers of levels, so the domain is never built."""
    for one in small.small_forests(rng, effort.pick(15, 60, 300), 4):
        T, d = one.T, len(one.levels)
        sets = [s for k in range(d + 1) for s in itertools.combinations(range(d), k)]
        chosen = [sets[i] for i in rng.permutation(len(sets))[: rng.integers(1, 4)]]
        shares = {tuple(range(d)): rng.random() + 0.1} | {s: rng.random() + 0.1 for s in chosen}
        strategy = matrix.Marginals(shares, one.levels)
        A, data = small.dense(strategy), {"levels": one.levels, "sets": [list(s) for s in shares]}
        yield same(small.error(T, A), matrix.unit_error(one.leaves, strategy), 1e-7, **data)
        votes = (small.least_squares(T.T @ T, A) ** 2).sum(axis=1).mean()
        yield same(votes, strategy.votes(one.leaves), 1e-7, of="votes", **data)
    return "{cases} errors of leaves and of votes equal least squares on dense matrices"


@COVER(
    "m-rf/covering",
    "ours; Car, Balance and Nursery, 128 trees",
    proved=False,
    quantity="error of the found marginals over that of the cells",
    range="one random forest each, 128 trees",
)
def covering(effort, rng):
    """For 128 random trees the search finds marginals, whose error we divide by that of noisy cells. The quotient
    is at most .051, .52, 1 and 1 on Car at depths 1 to 4; .109, .88 and 1 on Balance at depths 1 to 3; and .19,
    .85 and 1 on Nursery at depths 2 to 4. On Car at depth 2 the marginals are three sets of four columns that
    cover all fifteen pairs. All these marginals are local optima."""
    by_least_squares = effort.pick("Balance", "Car", "Car")  # fewer cells where effort is quick
    listed = []
    for (name, levels), published in RATIOS.items():
        for depth, stated in published.items():
            if (name, depth) in effort.pick(SLOW, (), ()):
                continue
            leaves = small.forest(levels, 128, depth, rng).leaves
            best = matrix.optimise_marginals(leaves)
            found = matrix.unit_error(leaves, best)
            data = {"data": name, "depth": depth, "marginals": best.about}
            case = below(found / leaves.squared(), stated, **data)
            yield decisive(case, (name, depth) == ("Car", 2))
            listed.append(f"{case.exact:.3f} on {name} at depth {depth}")
            if (name, depth) == (by_least_squares, 2):
                yield same(_dense_error(leaves, best), found, 1e-6, **data)
            if (name, depth) == ("Car", 2):
                sets = list(best.shares)
                pairs = itertools.combinations(range(6), 2)
                covered = all(any({a, b} <= set(s) for s in sets) for a, b in pairs)
                yield need(covered, **data)
    words = f"{len(sets)} sets cover all pairs on Car at depth 2"
    return f"The quotient is {', '.join(listed)}; {words}."


def _dense_error(leaves, strategy):
    """Error through the Gram matrix of A, made of indicators of cells that agree on a set of columns."""
    cells = small.every_cell(strategy.n_levels.tolist())
    gram = np.zeros((len(cells), len(cells)))
    for columns, weight in strategy.shares.items():
        number = np.unique(cells[:, list(columns)], axis=0, return_inverse=True)[1].ravel()
        gram += weight**2 * (number[:, None] == number)
    T = leaves.matrix()
    rows = (T * small.least_squares(T, gram)).sum(axis=1)
    return strategy.norm**2 * float(rows @ leaves.multiplicity)


@IDENTITY(
    "m-rf/opt-is-identity",
    "ours; A <- OPT_p(W)",
    quantity="slope of the error at the identity, over twice a cell's mass",
    range="random matrices; Balance 128 trees of depth 2, Car 64 and 128 of depth 4",
)
def opt_is_identity(effort, rng):
    r"""If a workload W asks for every cell, the release of all cells, $\Theta = 0$, is a strict local optimum of
    p-identity strategies: $\Theta_{kj}$ raises the error at the rate $2\|w_j\|^2$. On Balance, with 128 trees of
    depth 2, a search from a random start ends with 1 to 1.01 times the error of the cells; marginals have at most
    0.88 times that error. On Car, with 64 or 128 trees of depth 4, no strategy that we try beats the cells."""
    slopes = []
    for _ in range(effort.pick(30, 100, 400)):
        W = rng.integers(-2, 3, size=rng.integers(2, 7, size=2)).astype(float)
        W[0] += 0.5
        p, step = int(rng.integers(1, 4)), 1e-6
        k, j = int(rng.integers(p)), int(rng.integers(W.shape[1]))
        theta = np.zeros((p, W.shape[1]))
        theta[k, j] = step
        A = np.vstack([np.eye(W.shape[1]), theta]) / (1 + theta.sum(axis=0))
        rise, mass = (small.error(W, A) - (W**2).sum()) / step, (W[:, j] ** 2).sum()
        slopes.append(rise / mass)
        for stated in (2 * mass, loss(np.zeros_like(theta), W.T @ W)[1][k, j]):
            yield same(rise, stated, 1e-4, 1e-4, shape=list(W.shape), p=p)
    leaves = small.forest(small.BALANCE, 128, 2, rng).leaves
    search = {"p": effort.pick(4, 16, 39), "starts": 1, "rng": rng}
    searched = matrix.unit_error(leaves, matrix.optimise_p(leaves, **search)) / leaves.squared()
    yield need(0.9999 <= searched <= 1.01, searched, "<=", 1.01)
    marginals = matrix.unit_error(leaves, matrix.optimise_marginals(leaves)) / leaves.squared()
    yield below(marginals, 0.88)
    names = []
    for tau in (64, 128):
        names.append(matrix.select(small.forest(small.CAR, tau, 4, rng).leaves).name)
        yield need(names[-1] == "identity", trees=tau, chosen=names[-1])
    yield decisive(same(np.mean(slopes), 2, 1e-4))
    return (
        f"{2 * len(slopes)} comparisons of slopes agree. On Balance the search ends at {searched:.4f} of the "
        f"cells' error, and marginals have {marginals:.3f} of it. On Car with 64 and 128 trees the selected "
        f"strategies are {' and '.join(names)}, where identity stands for the cells."
    )
