"""Corollary 3.1 of DiPriMe v2, which speaks of one split, carried to two and more levels."""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from dplit import balance
from dplit.court.claims.balance._masses import ROOTS, block_masses, datasets, epsilon_of, tail
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import decisive, need, note

TRAP = (0, 0, 0, 1, 2, 3)
LEVELS = Box(
    "thm-balance-levels",
    "balance.two_levels",
    "balance.two_levels_trap",
    "balance.two_levels_safe",
    kind="certified",
    range="all data on small grids of 4t + 4 and 4t + 5 values, traps of up to 11 t, certain bounds on three sets",
)


@LEVELS("diprime-v2/corollary-3.1-levels", "ours; corollary 3.1 carried to a tree of two levels")
def two_levels(effort, rng):
    r"""Let a tree cut one attribute on two levels, where each child's range ends at the first cut. Private medians
    are at least as likely as random cuts to leave more than $t$ records in each of the four leaves, for all data
    of $N$ records and every $\epsilon$, if and only if $N \le 4t + 5$. For $N \ge 5t + 5$ ($N \ge 6$ if $t = 0$)
    this fails for some data at each $\epsilon > 0$; for $N$ in between, it holds for all data at small $\epsilon$.
    For a tree of $k \ge 2$ levels the condition is $N \le 2^k(t + 1) + 1$."""
    few = list(_few(effort))
    yield from few
    low, high = _smallest_trap(effort.pick(8, 32, 128))
    yield decisive(need(high < low, high, "<", low, values=TRAP))
    for t in range(5):
        yield from (_trap_gain(4 * t + 6 + more, t, 8.0) for more in range(4))
    yield from _at_each_budget()
    for t in range(2, effort.pick(5, 7, 12)):
        for n in range(4 * t + 6, 5 * t + 5):
            least = _least_exchange(n, t, balance.two_levels_safe(n, t))
            yield need(least >= -1e-9, least, ">=", 0, n=n, t=t)
    yield from _deep_traps()
    yield from _within_certain_bounds()
    return note(
        f"For N up to 4t+5 private medians are worse in {sum(not case.good for case in few)} of {len(few)} "
        f"cases. For N = 6, t = 0, values {TRAP} in [0, 3] and epsilon ln 9 the probability that no leaf is "
        f"empty is at least {float(low):.4f} with random cuts and at most {float(high):.4f} with private "
        "medians. For N = 14, t = 2 private medians are never worse up to epsilon "
        f"{balance.two_levels_safe(14, 2):.4f}.",
        quantity="chance of no empty leaf, in the trap",
    )


def _few(effort):
    """Gains of all data on a grid, n of 4t + 4 or 4t + 5: with fewer no cut can leave enough."""
    sizes = (
        (4, 0, effort.pick(4, 6, 8)),
        (5, 0, effort.pick(4, 5, 7)),
        (8, 1, effort.pick(2, 3, 5)),
        (9, 1, effort.pick(2, 3, 4)),
    )
    for n, t, width in sizes:
        for values, root in product(datasets(n, width), ROOTS[1:]):
            epsilon = epsilon_of(root)
            gain = balance.two_levels(t, values, 0, width, epsilon)
            gain -= balance.two_levels(t, values, 0, width, 0)
            yield need(gain >= -1e-12, gain, ">=", 0, values=values, t=t, epsilon=epsilon)


def _at_each_budget():
    for t, more, epsilon in product((*range(5), 1000), range(4), (0.001, 0.1, 1.0, 5.0)):
        if t * epsilon < 60:  # beyond it the weights of blocks overflow
            yield _trap_gain(max(5 * t + 5, 6) + more, t, epsilon)


def _trap_gain(n, t, epsilon):
    """Private chance less random chance, relative to the random chance: below 0 in the trap."""
    trap = balance.two_levels_trap(n, t, epsilon)
    random = balance.two_levels(t, trap, 0, 1, 0)
    gain = (balance.two_levels(t, trap, 0, 1, epsilon) - random) / random
    return need(gain < 0, gain, "<", 0, n=n, t=t, epsilon=epsilon)


def _least_exchange(n, t, epsilon):
    """Least log-ratio of private to random density of three cuts that leave four blocks above t.

    Given the first cut, after j records, the random cuts' mean of e^(epsilon b) is largest with all
    length in one child, and its product with that child's own mean on a mixture of two intervals.
    """
    s, least = t + 1, math.inf
    for j in range(2 * s, n - 2 * s + 1):
        for size, start, other in ((j, 0, n - j), (n - j, j, j)):
            i = np.arange(start, start + size + 1)
            blocks = np.minimum(i, n - i), np.minimum(i - start, start + size - i)
            weights = np.exp(epsilon * np.transpose(blocks))
            product = max(_mixed(x, y) for x in weights for y in weights)
            bound = math.log(product) + epsilon * (other // 2)
            least = min(least, epsilon * (min(j, n - j) + 2 * s) - bound)
    return least


def _mixed(x, y):
    """Largest product of the two means over mixtures of the points x and y: a quadratic's top."""
    step = y - x
    bend = -2 * step[0] * step[1]
    p = np.clip((x[0] * step[1] + x[1] * step[0]) / bend, 0, 1) if bend > 0 else 0.0
    return max(np.prod(x + p * step), np.prod(x), np.prod(y))


def _deep_traps():
    """Whether the trap of each size closes; up to 2^k (t + 1) + 1 records it must not."""
    for levels, t, more in product((2, 3, 4), range(4), (0, 1, 2, 3, 4, 9, 50)):
        n = 2**levels * (t + 1) + more
        yield need(_closes(n, t, levels) == (more > 1), n=n, t=t, levels=levels)


def _closes(n, t, levels):
    """Whether some first cut of a trap allows 2^levels leaves above t, and none of the most balanced."""
    s, half = t + 1, 2 ** (levels - 1)
    clumps = [s] * half + [1, s - 1] + [s] * (half - 2) + [n - (2 * half - 1) * s]
    clumps = [c for c in clumps if c]
    cuts = [(clumps[:i], clumps[i:]) for i in range(1, len(clumps))]
    best = max(min(sum(a), sum(b)) for a, b in cuts)
    useful = [min(sum(a), sum(b)) for a, b in cuts if _splits(a, s, levels - 1) and _splits(b, s, levels - 1)]
    return bool(useful) and max(useful) < best


def _splits(clumps, s, levels):
    """Whether cuts between the clumps can make 2^levels blocks of at least s records."""
    if sum(clumps) < s * 2**levels:
        return False
    cuts = range(1, len(clumps))
    return not levels or any(
        _splits(clumps[:i], s, levels - 1) and _splits(clumps[i:], s, levels - 1) for i in cuts
    )


def _smallest_trap(pieces):
    """Certain bounds for `TRAP` at e^epsilon = 9: (random chance from below, private from above)."""
    random = _between(0, TRAP, 3, Fraction(1), pieces)
    private = _between(0, TRAP, 3, Fraction(3), pieces)
    return random[0], private[1]


def _within_certain_bounds():
    """Whether `balance.two_levels` is within certain bounds less than 1/10 apart, on three data sets."""
    root = Fraction(3, 2)
    for t, values in ((0, TRAP), (0, (0, 1, 1, 2, 3)), (1, (0, 0, 1, 1, 2, 2, 3, 3))):
        low, high = _between(t, values, 3, root, 40)
        exact = balance.two_levels(t, values, 0, 3, epsilon_of(root))
        tight = low <= exact <= high < low + Fraction(1, 10)
        yield need(tight, exact, "within", high, t=t, values=values)


def _between(t, values, upper, root, pieces):
    """Certain bounds, in fractions, on the chance that four leaves hold more than t records.

    While the first cut r moves right between two values, the left child only gains an interval
    without records on one side, and the right child loses one: the first chance falls, the second
    rises. So the ends of each piece of r bound their product.
    """
    total = sum(block_masses(values, 0, upper, root).values())
    low = high = Fraction(0)
    for a, b in pairwise(sorted({0, *values, upper})):
        left, right = [x for x in values if x <= a], [x for x in values if x >= b]
        density = root ** -abs(len(left) - len(right)) / total / pieces * (b - a)
        cuts = [a + Fraction(b - a) * k / pieces for k in range(pieces + 1)]
        falls = [tail(block_masses(left, 0, r, root), t + 1) for r in cuts]
        rises = [tail(block_masses(right, r, upper, root), t + 1) for r in cuts]
        low += density * sum(f * g for f, g in zip(falls[1:], rises))
        high += density * sum(f * g for f, g in zip(falls, rises[1:]))
    return low, high
