r"""Claims of M-RF on leaves that depend on one another: the rank of T, and leaves that occur many times.

Derived in :doc:`/book/matrix_paths`. The truth of a rank is elimination in fractions or modulo 2, of a
number of leaves the routing of every cell, of the law of coupons inclusion and exclusion in fractions.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

import dplit.court.claims.matrix_paths._forests as f
from dplit import matrix
from dplit.court.ledger import Case, bounded, claim, equal, interval, verdict_of
from dplit.trees import grow_random_trees

CAR_TREES = 128


def exact_rank(rows):
    """Rank of a matrix of whole numbers, by elimination in fractions."""
    rows, rank = [[Fraction(int(x)) for x in row] for row in rows], 0
    for column in range(len(rows[0])):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is not None:
            rows[rank], rows[pivot] = rows[pivot], rows[rank]
            for i in range(rank + 1, len(rows)):
                ratio = rows[i][column] / rows[rank][column]
                if ratio:
                    rows[i] = [a - ratio * b for a, b in zip(rows[i], rows[rank])]
            rank += 1
    return rank


def _small_forests(effort, rng):
    """Random forests on two to four columns of two or three levels, with their exact ranks."""
    for _ in range(effort.pick(25, 100, 600)):
        levels = f.small_levels(rng, 3)
        depth = int(rng.integers(1, len(levels) + 1))
        trees, paths = f.forest(levels, int(rng.integers(1, 7)), depth, rng)
        distinct = np.unique(f.routed(trees, f.every_cell(levels)).T, axis=0)
        shown = {"levels": levels, "trees": trees.n_trees, "depth": depth}
        yield paths, exact_rank(distinct), shown


@claim(
    "m-rf/dependence",
    "Section 1, main contributions; optimizing decision paths",
    "holds",
    "thm-matrix-rank",
    ("matrix.certified_ranks",),
    proof="thm-matrix-rank",
    quantity="rank of T",
)
def dependence(effort, rng):
    r"""Some leaf values can be expressed as linear combinations of others: a budget for each tree is wasted if
    decision paths in one tree are linearly dependent on those in others. (Of any two trees they are, whatever
    these test: $\tau$ trees with $o$ leaves have rank at most $o - \tau + 1$, which is attained.)"""
    cases = [
        Case(rank, len(paths) - paths.n_trees + 1, shown)
        for paths, rank, shown in _small_forests(effort, rng)
    ]
    return bounded(cases, "{cases} forests: rank at most o - tau + 1 = {stated}, met",
                   range="2 to 4 columns of up to 3 levels, up to 6 trees")  # fmt: skip


@claim(
    "m-rf/rank",
    "ours; the dependence of decision paths",
    "holds",
    "thm-matrix-rank",
    ("matrix.rank_bound", "matrix.full_rank_bound", "matrix.certified_ranks"),
    ours=True,
    proof="thm-matrix-rank",
    quantity="rank of T",
)
def rank(effort, rng):
    r"""T has rank at most $\sum_U \prod_{i \in U}(n_i - 1)$ over all subsets U, the empty one included, of
    the sets of columns that are tested on one path, whatever the number of trees. Rich forests attain
    it: 109, 414 and 972 on Car with depth 2, 3 and 4."""
    small = list(_small_forests(effort, rng))
    below = [Case(found, matrix.rank_bound(paths), shown) for paths, found, shown in small]
    modulo = [
        Case(found, int(matrix.certified_ranks(paths)[-1]), shown) for paths, found, shown in small
    ]
    for depth in (2, 3, 4):
        _, paths = f.forest(f.CAR_LEVELS, CAR_TREES, depth, rng)
        found = int(matrix.certified_ranks(paths)[-1])
        shown = {"car": True, "depth": depth, "leaves": len(paths)}
        bounds = matrix.rank_bound(paths), matrix.full_rank_bound(f.CAR_LEVELS, depth)
        below += [Case(found, bound, shown) for bound in bounds]
    rich = below[-6:]
    lower, upper = equal(modulo, "modulo 2"), bounded(below, "bound")
    met = all(case.exact == case.stated for case in rich)
    return verdict_of(
        met and upper.verdict == "holds" and lower.verdict == "holds",
        f"{len(small)} small forests in fractions: at most the bound, and equal to the rank modulo 2. Car, "
        f"{CAR_TREES} trees: {', '.join(str(case.exact) for case in rich[::2])} of "
        f"{', '.join(str(case.data['leaves']) for case in rich[::2])} leaves, the bound itself.",
        {"bound": upper.counterexample, "modulo 2": lower.counterexample, "met": met},
        cases=len(below) + len(modulo),
        published=float(rich[-1].stated),
        computed=float(rich[-1].exact),
        relation="<=",
        range="small forests of up to 6 trees; Car with depth 2 to 4",
    )


# Leaves that occur many times ---------------------------------------------------------------------


def _most_leaves(trees, levels):
    """The most distinct leaves that hold one cell: every cell routed, equal leaves counted once."""
    cells = f.every_cell(levels)
    member = np.zeros((trees.n_leaves, len(cells)), dtype=bool)
    member[f.leaves(trees, cells), np.arange(len(cells))[:, None]] = True
    distinct = np.unique(np.packbits(member, axis=1), axis=0)
    return int(np.unpackbits(distinct, axis=1).sum(axis=0).max())


def _car(depth, rng):
    """128 trees on Car, the most distinct leaves of a cell by routing, and by search."""
    trees, paths = f.forest(f.CAR_LEVELS, CAR_TREES, depth, rng)
    found = matrix.most_boxes(matrix.Workload.of(paths).boxes)
    return _most_leaves(trees, f.CAR_LEVELS), found, {"depth": depth, "trees": CAR_TREES}


@claim(
    "m-rf/laplace-baseline",
    "Optimizing decision paths; implementation and competing techniques",
    "loose",
    "thm-matrix-distinct",
    ("matrix.most_boxes", "matrix.Workload"),
    quantity="sensitivity of the leaves' counts",
)
def laplace_baseline(effort, rng):
    r"""Many existing DP approaches add Laplace noise of scale $\tau/\epsilon$ to the leaf values of $\tau$ trees.
    (A leaf that several trees have needs noise once, and then 128 trees on Car need the scale of at most 15,
    20, 15 and 6 trees at depth 2, 3, 4 and 5.)"""
    depths = effort.pick((2, 3, 4), (2, 3, 4, 5), (2, 3, 4, 5))
    found = [_car(depth, rng) for depth in depths]
    cases = [Case(counted, CAR_TREES, shown) for counted, _, shown in found]
    listed = ", ".join(str(case.exact) for case in cases)
    note = f"Car at depth {depths[0]} to {depths[-1]}: {listed} distinct leaves of a cell, for "
    return bounded(cases, note + "{stated} trees", range=f"Car, {CAR_TREES} trees")


@laplace_baseline.corrected(
    "thm-matrix-distinct",
    ("matrix.most_boxes", "matrix.Workload"),
    proof="thm-matrix-distinct",
    quantity="distinct leaves that hold a cell",
)
def distinct(effort, rng):
    r"""The counts of the distinct leaves have the sensitivity $\gamma$ under add-remove, the most distinct
    leaves that hold one cell, and $\gamma \le \min(\tau, \binom dh)$ for trees that test $h$ of $d$ columns
    on every path. On Car 128 trees attain $\binom dh$ = 15, 20, 15 at depth 2, 3, 4."""
    found = [_car(depth, rng) for depth in effort.pick((2, 3, 4), (2, 3, 4, 5), (2, 3, 4, 5))]
    searched = [Case(counted, ours, shown) for counted, ours, shown in found]
    rich = [Case(c, math.comb(6, shown["depth"]), shown) for c, _, shown in found]
    small = []
    for _ in range(effort.pick(20, 80, 400)):
        levels = f.small_levels(rng)
        depth, tau = int(rng.integers(1, len(levels) + 1)), int(rng.integers(1, 9))
        trees, paths = f.forest(levels, tau, depth, rng)
        counted, shown = (
            _most_leaves(trees, levels),
            {"levels": levels, "depth": depth, "trees": tau},
        )
        searched.append(Case(counted, matrix.most_boxes(matrix.Workload.of(paths).boxes), shown))
        small.append(Case(counted, min(tau, math.comb(len(levels), depth)), shown))
    same, met, below = equal(searched, "search"), equal(rich, "Car"), bounded(small, "small")
    return verdict_of(
        same.verdict == met.verdict == "holds" and below.verdict != "fails",
        f"Car: {', '.join(str(c.exact) for c in rich)} distinct leaves of a cell, met; {len(small)} small "
        "forests below the bound; the search finds what routing every cell finds.",
        {"search": same.counterexample, "car": met.counterexample, "bound": below.counterexample},
        cases=len(searched) + len(rich) + len(small),
        published=float(rich[0].stated),
        computed=float(rich[0].exact),
        relation="<=",
        range=f"Car, {CAR_TREES} trees; {len(small)} forests on 2 to 4 columns",
    )


def _coupons(seen, coupons, draws):
    """Probability of so many distinct coupons, by inclusion and exclusion, in fractions."""
    signed = sum(
        (-1) ** j * math.comb(seen, j) * Fraction(seen - j, coupons) ** draws
        for j in range(seen + 1)
    )
    return math.comb(coupons, seen) * signed


@claim(
    "m-rf/distinct-leaves",
    "ours; the leaves that hold one cell",
    "holds",
    "thm-matrix-coupons",
    ("matrix.distinct_leaves_law",),
    kind="simulated",
    ours=True,
    proof="thm-matrix-coupons",
    intervals=2,
    quantity="probability that a cell has every leaf it can",
)
def coupons(effort, rng):
    r"""In a forest of $\tau$ random trees that test $h$ of $d$ columns on every path, the distinct leaves that
    hold a given cell are as many as distinct coupons after $\tau$ draws of $\binom dh$. All of them are there
    with probability at least $1 - \binom dh(1 - 1/\binom dh)^\tau$; at depth 1 T then has its full rank."""
    law = [
        Case(float(_coupons(m, math.comb(d, h), tau)), p, {"tau": tau, "d": d, "h": h, "m": m})
        for tau, d, h in ((1, 4, 2), (5, 4, 2), (12, 5, 2), (40, 6, 3), (30, 3, 0), (9, 6, 6))
        for m, p in enumerate(matrix.distinct_leaves_law(tau, d, h))
    ]
    same, forests = equal(law, "law", rtol=1e-9, atol=1e-12), effort.pick(300, 3000, 10_000)
    exact, spans, stated = [], [], []
    for levels, depth, tau in (((2, 3, 2, 2), 2, 12), ((3, 2, 2), 1, 6)):
        coupons = math.comb(len(levels), depth)
        hits = sum(_all_there(levels, depth, tau, forests, rng))
        spans.append(interval(hits, forests))
        exact.append(float(_coupons(coupons, coupons, tau)))
        stated.append(1 - coupons * (1 - 1 / coupons) ** tau)
    inside = [low <= p <= high for p, (low, high) in zip(exact, spans)]
    return verdict_of(
        same.verdict == "holds" and all(inside) and all(p >= s for p, s in zip(exact, stated)),
        f"{len(law)} probabilities equal inclusion and exclusion in fractions; {forests} forests each: all six "
        f"leaves of a cell with probability {exact[0]:.3f}, all columns, and full rank, {exact[1]:.3f}",
        {"law": same.counterexample, "exact": exact, "intervals": spans, "bounds": stated},
        kind="simulated",
        cases=len(law) + 2 * forests,
        published=exact[0],
        computed=sum(spans[0]) / 2,
        relation="within",
        intervals=tuple(spans),
        range="12 trees of depth 2 on 4 columns, 6 trees of depth 1 on 3",
    )


def _all_there(levels, depth, tau, forests, rng):
    """For each forest whether its first cell has every leaf it can; at depth 1, whether the rank is full."""
    trees = grow_random_trees(f.schema(levels), forests * tau, depth, rng=rng)
    paths = matrix.decision_paths(trees, levels)
    if depth == 1:
        full = matrix.full_rank_bound(levels, 1)
        starts = trees.leaf_starts[::tau]
        for first, end in pairwise(starts.tolist()):
            rows = paths.take(slice(first, end)).matrix().astype(float)
            yield int(np.linalg.matrix_rank(rows)) == full
        return
    boxes = np.packbits(paths.allowed[f.leaves(trees, np.zeros((1, len(levels))))[0]], axis=1)
    for group in boxes.reshape(forests, tau, -1):
        yield len(np.unique(group, axis=0)) == math.comb(len(levels), depth)
