"""Claims of M-RF on leaves that depend on one another: the rank of T, and leaves that occur many times.

The truth of a rank is elimination in fractions or modulo 2, of a number of leaves the routing of every cell, of
the law of coupons inclusion and exclusion in fractions.
"""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from dplit import matrix
from dplit.court.claims.matrix_paths import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, below, decisive, frequency, note, same
from dplit.trees import grow_random_trees

RANK = Box("thm-matrix-rank", "matrix.certified_ranks", quantity="rank of T")
DISTINCT = Box("thm-matrix-distinct", "matrix.most_boxes", "matrix.Workload")
COUPONS = Box("thm-matrix-coupons", "matrix.distinct_leaves_law")
CAR_TREES = 128


def _ranks(effort, rng):
    """Random forests on two to four columns of two or three levels, with their exact ranks."""
    for one in small.small_forests(rng, effort.pick(25, 100, 600), 4):
        yield one, small.exact_rank(np.unique(one.T, axis=0))


@RANK("m-rf/dependence", "Section 1, main contributions; optimizing decision paths")
def dependence(effort, rng):
    r"""Some leaf values can be expressed as linear combinations of others: a budget for each tree is wasted if
    decision paths in one tree are linearly dependent on those in others. (The paths of any two trees always are:
    $\tau$ trees with $o$ leaves have rank at most $o - \tau + 1$, which is attained.)"""
    for one, found in _ranks(effort, rng):
        yield at_most(found, len(one.paths) - one.n_trees + 1, **one.data)
    return note(
        "In {cases} forests the rank is at most o - tau + 1, and one of them attains this bound, {stated:.0f}.",
        range="2 to 4 columns of up to 3 levels, up to 6 trees",
    )


@RANK(
    "m-rf/rank",
    "ours; the dependence of decision paths",
    "holds",
    "matrix.rank_bound",
    "matrix.full_rank_bound",
    "matrix.certified_ranks",
)
def rank(effort, rng):
    r"""The matrix T of decision paths has rank at most $\sum_U \prod_{i \in U}(n_i - 1)$ for any number of trees.
    U runs over all subsets, including the empty one, of the sets of columns tested on one path. Large forests
    attain this bound: 109, 414 and 972 on Car with depth 2, 3 and 4."""
    for one, found in _ranks(effort, rng):
        yield below(found, matrix.rank_bound(one.paths), **one.data)
        yield same(found, matrix.certified_ranks(one.paths)[-1], of="modulo 2", **one.data)
    ranks, leaves = [], []
    for depth in (2, 3, 4):
        paths = small.forest(small.CAR, CAR_TREES, depth, rng).paths
        found = int(matrix.certified_ranks(paths)[-1])
        for bound in (matrix.rank_bound(paths), matrix.full_rank_bound(small.CAR, depth)):
            yield decisive(same(found, bound, car=True, depth=depth))
        ranks.append(str(found))
        leaves.append(str(len(paths)))
    return note(
        f"In {{cases}} comparisons all is as stated: ranks of small forests, in fractions, are at most the "
        f"bound and equal to those modulo 2. On Car {CAR_TREES} trees attain the bound at depths 2, 3 and 4: the "
        f"ranks are {', '.join(ranks)}, and the numbers of leaves {', '.join(leaves)}.",
        range="small forests of up to 6 trees; Car with depth 2 to 4",
    )


def _most_leaves(one):
    """The most distinct leaves that hold one cell: every cell routed, equal leaves counted once."""
    cells = small.every_cell(one.levels)
    member = np.zeros((one.trees.n_leaves, len(cells)), dtype=bool)
    member[one.reached(cells), np.arange(len(cells))[:, None]] = True
    distinct = np.unique(np.packbits(member, axis=1), axis=0)
    return int(np.unpackbits(distinct, axis=1).sum(axis=0).max())


def _car(effort, rng):
    """128 trees on Car at each depth."""
    for depth in effort.pick((2, 3, 4), (2, 3, 4, 5), (2, 3, 4, 5)):
        yield depth, small.forest(small.CAR, CAR_TREES, depth, rng)


@DISTINCT(
    "m-rf/laplace-baseline",
    "Optimizing decision paths; implementation and competing techniques",
    "loose",
    quantity="sensitivity of the leaves' counts",
)
def laplace_baseline(effort, rng):
    r"""Many existing DP approaches add Laplace noise of scale $\tau/\epsilon$ to the leaf values of $\tau$ trees.
    (A leaf that several trees share needs noise only once. Then the scale for 128 trees on Car is at most that for
    15, 20, 15 and 6 trees at depth 2, 3, 4 and 5.)"""
    found = []
    for depth, one in _car(effort, rng):
        counted = _most_leaves(one)
        found.append(f"{counted} at depth {depth}")
        yield at_most(counted, CAR_TREES, depth=depth)
    text = f"Most distinct leaves of {CAR_TREES} trees that hold one cell of Car: {', '.join(found)}."
    return note(text, range=f"Car, {CAR_TREES} trees")


@DISTINCT.corrected(laplace_baseline, quantity="distinct leaves that hold a cell")
def distinct(effort, rng):
    r"""The counts of the distinct leaves have sensitivity $\gamma$ under add-remove, where $\gamma$ is the largest
    number of distinct leaves that hold one cell. For trees that test $h$ of $d$ columns on every path, $\gamma \le
    \min(\tau, \binom dh)$; on Car 128 trees attain $\binom dh$ = 15, 20, 15 at depth 2, 3, 4."""
    rich, forests = [], effort.pick(20, 80, 400)
    for depth, one in _car(effort, rng):
        counted = _most_leaves(one)
        rich.append(str(counted))
        yield same(counted, matrix.most_boxes(one.leaves.boxes), depth=depth)
        yield decisive(same(counted, math.comb(len(small.CAR), depth), depth=depth, of="Car"))
    for one in small.small_forests(rng, forests, 4, 4, 8):
        counted, depth = _most_leaves(one), int(one.paths.tests[0].sum())
        yield same(counted, matrix.most_boxes(one.leaves.boxes), **one.data)
        most = min(one.n_trees, math.comb(len(one.levels), depth))
        yield below(counted, most, depth=depth, **one.data)
    return note(
        f"On Car the most distinct leaves that hold one cell are {', '.join(rich)}, by depth from 2 on, which is "
        f"the bound. {forests} small forests stay within it, and the search finds what routing every cell finds.",
        range=f"Car, {CAR_TREES} trees; {forests} forests on 2 to 4 columns",
    )


def _coupons(seen, coupons, draws):
    """Probability of so many distinct coupons, by inclusion and exclusion, in fractions."""
    signed = sum((-1) ** j * math.comb(seen, j) * Fraction(seen - j, coupons) ** draws for j in range(seen + 1))
    return float(math.comb(coupons, seen) * signed)


@COUPONS("m-rf/distinct-leaves", "ours; the leaves that hold one cell", intervals=2, quantity="P(every leaf)")
def coupons(effort, rng):
    r"""For $\tau$ random trees that test $h$ of $d$ columns on every path, the number of distinct leaves that hold
    a given cell is distributed as the number of distinct coupons in $\tau$ draws from $\binom dh$. All coupons
    occur with probability at least $1 - \binom dh(1 - 1/\binom dh)^\tau$. If all coupons occur at depth 1, T has
    full rank."""
    for tau, d, h in ((1, 4, 2), (5, 4, 2), (12, 5, 2), (40, 6, 3), (30, 3, 0), (9, 6, 6)):
        for m, p in enumerate(matrix.distinct_leaves_law(tau, d, h)):
            yield same(_coupons(m, math.comb(d, h), tau), p, 1e-9, 1e-12, tau=tau, d=d, h=h, m=m)
    forests, found = effort.pick(300, 3000, 10_000), []
    for levels, depth, tau in (((2, 3, 2, 2), 2, 12), ((3, 2, 2), 1, 6)):
        number = math.comb(len(levels), depth)
        exact = _coupons(number, number, tau)
        found.append(f"{exact:.3f}")
        yield below(1 - number * (1 - 1 / number) ** tau, exact, trees=tau)
        drawn = np.fromiter(_all_there(levels, depth, tau, forests, rng), dtype=bool)
        yield decisive(frequency(drawn, exact, trees=tau))
    return note(
        f"The probabilities equal those by inclusion and exclusion. In {forests} forests each the shares agree "
        f"with the probabilities {found[0]} that a cell has all six leaves, and {found[1]} that trees of depth 1 "
        "test all columns and T has full rank.",
        range="12 trees of depth 2 on 4 columns, 6 trees of depth 1 on 3",
    )


def _all_there(levels, depth, tau, forests, rng):
    """For each forest whether its first cell has every leaf it can; at depth 1, whether the rank is full."""
    all_of_them = small.Forest(grow_random_trees(small.schema(levels), forests * tau, depth, rng=rng), levels)
    paths = all_of_them.paths
    if depth == 1:
        full = matrix.full_rank_bound(levels, 1)
        for first, end in pairwise(all_of_them.trees.leaf_starts[::tau].tolist()):
            rows = paths.take(slice(first, end)).matrix().astype(float)
            yield int(np.linalg.matrix_rank(rows)) == full
        return
    reached = all_of_them.reached(np.zeros((1, len(levels))))[0]
    for group in np.packbits(paths.allowed[reached], axis=1).reshape(forests, tau, -1):
        yield len(np.unique(group, axis=0)) == math.comb(len(levels), depth)
