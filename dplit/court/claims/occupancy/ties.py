"""Claims on what theorem 2 of DiPriMe v1 takes for granted: distinct values, a choice without targets."""

import math
import warnings
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np

from dplit import occupancy
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, below, decisive, frequency, note, same
from dplit.domain import Continuous, Domain
from dplit.forests import MedianForestRegressor
from dplit.ground.errors import PrivacyLeakWarning

TIES = Box("thm-occupancy-ties", "occupancy.tied_leaf_laws", "occupancy.tied_bound", quantity="P(a leaf t off)")
SELECTION = Box(
    "rem-occupancy-selection",
    "occupancy.leaf_tail",
    "occupancy.published_bound",
    "occupancy.corrected_bound",
    quantity="P(a leaf t off)",
)
ROOTS = (Fraction(1, 10), Fraction(1, 2), Fraction(19, 20))  # e^(-epsilon/2)


@cache
def _grown(values, depth, root):
    """Law of the tuple of leaf counts of v1's tree on one column, in fractions.

    A rank is drawn, then a value between its two records, and records of at most this value go left.
    """
    if depth == 0:
        return {(len(values),): Fraction(1)}
    m, law = len(values), Counter()
    weights = [root ** abs(m - 2 * j) for j in range(m + 1)]
    padded = (-1, *values, 2 * m + 99)
    for j, weight in enumerate(weights):
        cut = Fraction(padded[j] + padded[j + 1], 2)
        sides = [v for v in values if v <= cut], [v for v in values if v > cut]
        halves = (_grown(tuple(side), depth - 1, root).items() for side in sides)
        for (a, p), (b, q) in product(*halves):
            law[a + b] += weight / sum(weights) * p * q
    return law


def _columns(largest):
    """Multiplicities of every column of 1 to `largest` records."""
    for n in range(1, largest + 1):
        for size in range(n):
            for inner in combinations(range(1, n), size):
                yield np.diff((0, *inner, n)).tolist()


def _leaf_laws(largest):
    """Probability of each count of each leaf: by enumeration, beside `tied_leaf_laws`."""
    for depth, root in product(largest, ROOTS):
        for blocks in _columns(largest[depth]):
            values = tuple(np.repeat(range(len(blocks)), blocks).tolist())
            laws = occupancy.tied_leaf_laws(blocks, depth, -2 * math.log(root))
            exact = np.zeros(laws.shape)
            for counts, p in _grown(values, depth, root).items():
                exact[range(len(counts)), counts] += float(p)
            shown = {"multiplicities": blocks, "depth": depth, "root": str(root)}
            for sides in zip(exact.ravel(), laws.ravel()):
                case = same(*sides, 1e-10, 1e-14, **shown)
                yield decisive(case) if case.exact == 0.5 else case


def _tied_tails(effort, rng):
    """The largest tail of all leaves of random columns, beside `tied_bound`."""
    for depth, epsilon in product((1, 2, 3), (0.2, 0.5, 1.0, 2.0, 6.0)):
        for _ in range(effort.pick(4, 20, 60)):
            blocks = rng.integers(1, rng.integers(2, 8), size=rng.integers(1, 25)).tolist()
            laws = occupancy.tied_leaf_laws(blocks, depth, epsilon)
            n = laws.shape[1] - 1
            off = np.abs(np.arange(n + 1) - n / 2**depth)
            for t in np.unique(off[off > 0]):
                bound = float(occupancy.tied_bound(t, max(blocks), depth, epsilon))
                shown = {"multiplicities": blocks, "depth": depth, "epsilon": epsilon, "t": t}
                yield below(laws[:, off >= t].sum(axis=1).max(), bound, **shown)


@TIES("diprime-v1/leaf-law-ties", "ours", quantity="probability of a count")
def ties(effort, rng):
    r"""Let all values of a column, equal ones included, be strictly inside its bounds. The number of records that
    a cut sends left is the drawn rank, rounded up to the end of its block of equal values, and this determines the
    exact distribution of each leaf's size. If columns are chosen without the targets and no value occurs more than
    $c$ times, a leaf's size deviates from $N/2^d$ by at least $t > \sigma = (2 - 2^{1-d})(c - 1)$ with probability
    at most $2\kappa M/(e^{\epsilon_1(t - \sigma)} - 1/(1 + e^{\epsilon_1}))$, where $\kappa$ and $M$ are those of
    corrected theorem 2 for odd $N$."""
    largest = effort.pick({1: 6, 2: 5, 3: 3}, {1: 7, 2: 6, 3: 4}, {1: 10, 2: 8, 3: 5})
    laws, tails = list(_leaf_laws(largest)), list(_tied_tails(effort, rng))
    yield from (*laws, *tails)
    return note(
        f"{len(laws)} probabilities equal the enumeration of all trees in fractions, values drawn and "
        f"records routed by value; {len(tails)} largest tails of random columns are below the bound.",
        range=f"every column of up to {largest[1]} records, depths "
        "1 to 3, three budgets; bounds on random columns of up to 24 values",
    )


def _all_equal(n, depth, epsilon):
    """N equal records: the tail of a leaf at the distance of 2^d leaves of which one has all."""
    t = n / 2**depth
    exact = occupancy.tied_leaf_tail(t, [n], depth, epsilon).max()
    stated = occupancy.published_bound(t, depth, epsilon)
    shown = {"n": n, "depth": depth, "epsilon": epsilon, "t": t, "multiplicities": [n]}
    return at_most(exact, stated, **shown)


@TIES(
    "diprime-v1/theorem-2-mechanism/ties",
    "ours; theorem 2 for a column with equal values",
    "fails",
    "occupancy.tied_leaf_laws",
    "occupancy.published_bound",
    about="reading",
    holds_instead="diprime-v1/leaf-law-ties",
)
def equal_values(effort, rng):
    r"""If $2^d$ divides $N$ or $\epsilon_1 \le 2.26$, the bounds of theorem 2 hold for every column, even if its
    values are not distinct."""
    cases = [_all_equal(n, d, 2.0) for d in (1, 2) for n in range(2**d, 9, 2**d)]
    four = next(case for case in cases if case.data["n"] == 4)
    yield from cases
    return note(
        "N = {n} equal records, depth {depth}, epsilon_1 = {epsilon:g}: a leaf is {t:g} off with "
        "probability {exact:g}, theorem 2 allows {stated:g}; N = 4, t = 2: "
        f"{four.exact:g} against {four.stated:g}.",
        range="1 to 8 equal records, depths 1 and 2, epsilon_1 = 2",
    )


def _explained(targets):
    """Sum of squares that a cut after j = 0, ..., N records explains, up to a constant."""
    n, before = len(targets), np.concatenate([[0], np.cumsum(targets)])
    j = np.arange(n + 1)
    return before**2 / np.maximum(j, 1) + (before[-1] - before) ** 2 / np.maximum(n - j, 1)


def _compositions(total, parts):
    """Every way to write `total` as an ordered sum of `parts` numbers of at least 0, as rows."""
    bars = np.array(list(combinations(range(total + parts - 1), parts - 1)))
    ends = np.full((len(bars), 1), total + parts - 1)
    return np.diff(np.concatenate([np.full_like(ends, -1), bars, ends], axis=1)) - 1


def _chosen_law(targets, epsilon, columns):
    """Law of the rank of the chosen cut: `columns` ranks from one law, one of them by the targets.

    All columns have the records in the same order. v1 weighs a cut by e to the minus epsilon times
    its sum of squares over 8 B^2, and B is the largest of the targets' absolute values.
    """
    n, bound = len(targets), max(map(abs, targets))
    gain = _explained(targets)
    odds = np.exp(epsilon / (8 * bound**2) * (gain - gain.max()))
    law = np.exp(-epsilon * np.abs(np.arange(n + 1) - n / 2))
    drawn = _compositions(columns, n + 1)  # how many of the cuts have each rank
    ways = [math.factorial(columns) / math.prod(map(math.factorial, row)) for row in drawn.tolist()]
    chance = ways * np.prod((law / law.sum()) ** drawn, axis=1)
    weights = drawn * odds
    winners = weights / weights.sum(axis=1, keepdims=True)
    return (chance[:, None] * winners).sum(axis=0)  # summed in one order on every machine


@SELECTION(
    "diprime-v1/theorem-2-mechanism/selection",
    "ours; theorem 2 for a column chosen by the targets",
    "fails",
    about="reading",
    nothing_instead="with K columns a probability grows by a factor of at most K",
)
def chosen(effort, rng):
    r"""If $2^d$ divides $N$ or $\epsilon_1 \le 2.26$, the bounds of theorem 2 hold for distinct values even if the
    targets influence the choice of the column. The exponential mechanism may choose any of $K$ candidate cuts by
    the squared error, with section 3's weight $e^{-\epsilon_1 N_i MSE/(8B^2)}$."""
    nine, laws = [1, 1, 1, -1, 1, 1, -1, -1, -1], []
    settings = ([1, -1, 1, -1], 2.0, 1.0, 2), (nine, 2.25, 1.5, 10)
    for targets, epsilon, t, columns in settings:
        n, law = len(targets), _chosen_law(targets, epsilon, columns)
        tail = law[np.abs(np.arange(n + 1) - n / 2) >= t].sum()
        one = float(occupancy.leaf_tail(t, n, 1, epsilon))
        laws.append(f"{tail:.4f} against {one:.4f}")
        shown = {"n": n, "depth": 1, "epsilon": epsilon, "t": t, "K": columns, "targets": targets}
        shown |= {"B": max(map(abs, targets)), "one_column": one}
        yield at_most(tail, occupancy.published_bound(t, 1, epsilon), **shown)
    return note(
        "N = {n} distinct values, K = {K} columns in the same order, epsilon_1 = {epsilon:g}, targets "
        "{targets}, B = {B}: the child is {t:g} off with probability {exact:.5f}, theorem 2 allows {stated:.5f}, "
        "and with one column it is {one_column:.5f}. The law itself changes from N = 4 and K = 2: "
        f"{laws[0]}.",
        range="two settings, every set of K cuts",
    )


def _forest_counts(blocks, depth, epsilon, trees, seed):
    """Leaf counts of the package's trees on one column, (trees, 2^depth); 0 below nodes that can't be cut."""
    x = np.repeat(np.arange(1.0, len(blocks) + 1), blocks)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # a median by rank is not private
        forest = MedianForestRegressor(
            epsilon=2 * depth * epsilon * trees,  # half for the cuts, an equal share for each tree
            domain=Domain([Continuous(0, len(blocks) + 1)]), target_bounds=(0, 1), n_estimators=trees,
            max_depth=depth, selection="uniform", median="rank", partitioned=False,
            accounting="published", random_state=seed,
        ).fit(x, np.zeros(len(x)))  # fmt: skip
    leaves = forest.apply(x) + 2**depth * np.arange(trees)
    return np.bincount(leaves.ravel(), minlength=2**depth * trees).reshape(trees, -1)


@TIES(
    "diprime-v1/leaf-law-grown",
    "ours",
    "holds",
    "occupancy.tied_leaf_tail",
    "occupancy.leaf_tail",
    "occupancy.tied_leaf_laws",
    proved=False,
    intervals=6,
)
def grown(effort, rng):
    """In trees of the package's published median forest on one column, the size of a random leaf has the tail of
    the exact distribution, both for distinct values and for equal ones."""
    trees = effort.pick(500, 10_000, 50_000)
    for blocks in [1] * 48, [1, 5, 2, 9, 1, 1, 12, 3, 4, 10], [30, 6, 6, 6]:
        counts = _forest_counts(blocks, 3, 0.5, trees, int(rng.integers(2**31)))
        leaf = counts[np.arange(trees), rng.integers(8, size=trees)]
        for t in (3.0, 6.0):
            law = occupancy.tied_leaf_tail(t, blocks, 3, 0.5).mean()
            yield frequency(np.abs(leaf - 6) >= t, law, t=t, multiplicities=blocks)
    return note(
        f"{trees} trees on each of 3 columns of 48 records, {{cases}} intervals; with multiplicities "
        "{multiplicities} a leaf is {t:g} off in a share of {exact:.4f}, by the exact law {stated:.4f}",
        range="three columns of 48 records, depth 3, epsilon_1 = 0.5, t = 3 and 6",
    )
