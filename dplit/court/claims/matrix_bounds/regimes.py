r"""Claims of ours on where a matrix pays, and on what any release pays in a wide domain.

Derived in :doc:`/book/matrix_bounds`. The truth is least squares on the matrices, the enumeration of sets, and
linear programs over all releases, biased ones too.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

import dplit.court.claims.matrix_bounds._programs as programs
import dplit.court.claims.matrix_paths._forests as f
from dplit import matrix
from dplit.court.ledger import Case, bounded, claim, equal, verdict_of

NURSERY = (3, 5, 4, 4, 3, 2, 3, 3)
WIDE = (2, 3, 4, 5) * 5  # twenty columns, 2.5e10 cells


@claim(
    "m-rf/two-regimes",
    "ours; optimizing decision paths",
    "holds",
    "thm-bounds-regimes",
    ("matrix.crossing", "matrix.expected_leaves", "matrix.error"),
    ours=True,
    proof="thm-bounds-regimes",
    quantity="error of all leaves, in units of 2/epsilon^2",
)
def two_regimes(effort, rng):
    r"""Of $\tau$ trees with o leaves in all on n cells, Laplace noise for each tree has the error
    $\tau^2o$, noise on the distinct leaves at most $\gamma^2o$, noisy cells $\tau n$, in units of
    $\frac2{\epsilon^2}$: as many a leaf as it has cells. So cells beat Laplace noise for each tree exactly
    if $\tau > \sqrt{\tau n/o}$, the root of the mean number of cells of a leaf: about 3.4 trees on Car with
    depth 4, 12 with depth 2, 10 on Nursery with depth 4."""
    same, below, flips = [], [], 0
    for _ in range(effort.pick(25, 100, 500)):
        levels = f.small_levels(rng)
        depth, tau = int(rng.integers(1, len(levels) + 1)), int(rng.integers(1, 9))
        trees, paths = f.forest(levels, tau, depth, rng)
        T = f.routed(trees, f.every_cell(levels)).T.astype(float)
        distinct = np.unique(T, axis=0)
        shown = {"levels": levels, "depth": depth, "trees": tau}
        workload, o, n = matrix.Workload.of(paths), trees.n_leaves, math.prod(levels)
        cells, each = f.error(T, np.eye(n)), float(abs(T).sum(axis=0).max() ** 2 * o)
        for name, truth in (("identity", cells), ("per-tree", each)):
            found = matrix.unit_error(workload, matrix.member(workload, name))
            same.append(Case(truth, found, shown | {"member": name}))
        same += [Case(tau * n, cells, shown), Case(tau**2 * o, each, shown)]
        below.append(Case(f.error(T, distinct), distinct.sum(axis=0).max() ** 2 * o, shown))
        same.append(Case((cells < each), tau > math.sqrt(tau * n / o), shown))
        flips += cells < each
    for levels in (f.CAR_LEVELS, (5, 5, 5, 5), NURSERY):
        for depth in range(1, 5):
            sets = list(itertools.combinations(levels, depth))
            mean = sum(map(math.prod, sets)) / len(sets)
            same.append(Case(mean, matrix.expected_leaves(levels, depth), {"levels": levels}))
            root = math.sqrt(math.prod(levels) / mean)
            same.append(Case(root, matrix.crossing(levels, depth), {"levels": levels}))
    first, upper = equal(same, "errors"), bounded(below, "merged")
    said = [
        matrix.crossing(f.CAR_LEVELS, 4),
        matrix.crossing(f.CAR_LEVELS, 2),
        matrix.crossing(NURSERY, 4),
    ]
    return verdict_of(
        first.verdict == "holds" and upper.verdict != "fails" and 0 < flips < len(below),
        f"{len(below)} forests, cells better in {flips}; Car depth 4 and 2, Nursery depth 4 from "
        f"{', '.join(f'{x:.1f}' for x in said)} trees",
        {"errors": first.counterexample, "merged": upper.counterexample, "flips": int(flips)},
        cases=len(same) + len(below),
        published=float(same[-1].exact),
        computed=float(same[-1].stated),
        relation="=",
        range="forests of up to 8 trees on 2 to 4 columns; Car, Balance, Nursery with depth 1 to 4",
    )


# Wide domains -------------------------------------------------------------------------------------


def _program(tau, n, epsilon, grid):
    """Least error per leaf of any release where tau leaves hold either 0 or n records each, with equal chances."""
    sets = np.array(
        [np.zeros(tau), *(n * np.array(z) for z in itertools.product((0, 1), repeat=tau))]
    )
    outputs = np.array(list(itertools.product(np.linspace(0, n, grid), repeat=tau)))
    pairs = [(0, j, n) for j in range(1, len(sets))]
    counts = np.full(len(sets), 1 / (len(sets) - 1) / tau)
    counts[0] = 0
    return programs.least_error(sets, outputs, pairs, epsilon, at=counts, unbiased=False)


def _coin(p):
    return -p * math.log(p) - (1 - p) * math.log(1 - p)


@claim(
    "m-rf/wide-lower-bound",
    "ours; many trees on many columns",
    "holds",
    "thm-bounds-wide",
    ("matrix.wide_bound", "matrix.bound_at", "matrix.least_spread"),
    ours=True,
    proof="thm-bounds-wide",
    quantity="squared error per leaf",
)
def wide(effort, rng):
    r"""For $\tau$ trees on disjoint columns, each with an even number of leaves, every $\epsilon$-DP
    release has at some data set at least the squared error $\max_N N^2 v(\log 2 - \epsilon N/\tau)$ a leaf,
    where v is the least variance of a coin of that entropy: $0.0126\,\tau^2/\epsilon^2$ for large
    $\tau/\epsilon$. So the standard error of a leaf is of the order $\tau/\epsilon$ under pure DP, which
    Laplace noise for each tree attains, whatever else is done."""
    cases = [
        Case(matrix.bound_at(n, tau, epsilon), _program(tau, n, epsilon, grid),
             {"trees": tau, "N": n, "epsilon": epsilon})
        for tau, grid in ((1, 9), (2, 7), (3, 3))[: effort.pick(2, 3, 3)]
        for n in (1, 2, 3)
        for epsilon in (0.1, 0.3, 0.5, 1.0)
    ]  # fmt: skip
    programs_ = [c for c in cases if c.exact > 0]
    spread = [
        Case(p * (1 - p), matrix.least_spread(_coin(p)), {"p": p})
        for p in (1e-6, 0.01, 0.2, 0.4, 0.499)
    ]
    upper = []
    for tau in (2, 10, 128, 1024):
        for epsilon in (0.1, 1.0):
            bound, shown = matrix.wide_bound(tau, epsilon), {"trees": tau, "epsilon": epsilon}
            every = max(matrix.bound_at(n, tau, epsilon) for n in range(1, int(tau / epsilon) + 2))
            spread.append(Case(every, bound, shown))
            upper.append(Case(bound, matrix.BlockNorm([2] * tau, epsilon).variances[0], shown))
    constant = matrix.wide_bound(10**6, 1.0) / 10**12
    same, below = equal(spread, "spread", rtol=1e-7), bounded(programs_ + upper, "program")
    top = max(programs_, key=lambda case: case.exact / case.stated)
    return verdict_of(
        same.verdict == "holds" and below.verdict != "fails" and 0.0126 < constant < 0.0127,
        f"{len(programs_)} programs over all releases, nearest {top.exact:.4f} of {top.stated:.4f}; "
        f"{constant:.4f} tau^2/epsilon^2 in the limit",
        {"spread": same.counterexample, "program": below.counterexample, "constant": constant},
        cases=len(cases) + len(spread) + len(upper),
        published=top.stated,
        computed=top.exact,
        relation="<=",
        range="programs of up to 3 trees; up to 1,024 trees against noise by blocks",
    )
