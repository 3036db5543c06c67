r"""Claims on leaf counts of DiPriMe v1: where theorem 2 is proved, and the worst of all leaves.

Derived in :doc:`/book/occupancy`. The references are enumerations of all trees in fractions, at
rational :math:`e^{-\epsilon_1/2}`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from dplit import occupancy
from dplit.claims.occupancy.tails import EPSILONS, distances, worst_ratio
from dplit.ledger import Evidence, claim, of_equality, of_upper_bound

TURN = 2.26  # up to here `corrected_bound` is below theorem 2, from here on `divisible_bound`
DEEPEST = 25  # at depth 25 and beyond C_d and gamma are within 1e-12 of their limits


# Theorem 2, where it is proved -----------------------------------------------------------------


def constant_at_most(depth, low, high):
    r"""An upper bound, for every N and every epsilon in [low, high], of `corrected_bound`'s 2 kappa M.

    Each cosh and the square root of e^epsilon rise in epsilon, each ratio of sinh falls.
    """
    value = math.exp(high / 2)
    for j in range(1, depth):
        inner = 2.0**-j
        ratio = math.sinh(inner * low / 2) / math.sinh(low / 2) if low else inner
        value *= math.cosh(inner * high / 2) / (1 - ratio**2)
    return value * (1 + 1e-9 if depth == DEEPEST else 1)  # room for all deeper trees


def corrected_is_below(depth, low, high):
    r"""Sufficient that `corrected_bound` is below both bounds of theorem 2 on [low, high], for every t.

    With tau = epsilon t and C_d = 2 kappa M it is at most C_d times the sum of e^(-2^i tau) / (1 + e^epsilon)^i.
    Below sqrt(gamma), or 2 log(2) / beta, theorem 2 allows 1. Beyond, each term over e^(-beta tau/2)
    falls, and so does each times tau^2, but for the first one, which is at most 4/e^2.
    """
    constant, odds = constant_at_most(depth, low, high), 1 / (1 + math.exp(low))
    gamma, half = occupancy.gamma(depth), occupancy.BETA / 2
    tau = max(math.sqrt(gamma), low)
    parts = [odds**i * tau**2 * math.exp(-(2**i) * tau) for i in range(8)]
    if tau <= 2:
        parts[0] = 4 / math.e**2
    chebyshev = constant * (sum(parts) + 1e-30) <= gamma
    tau = max(math.log(2) / half, low)
    parts = [odds**i * math.exp(-(2**i - half) * tau) for i in range(8)]
    return chebyshev and constant * (sum(parts) + 1e-30) <= 2


def covered(depth, high=TURN, low=0.0, narrowest=1e-6):
    """Number of cells of [low, high] on which `corrected_is_below` is shown; 0 if one resists."""
    if corrected_is_below(depth, low, high):
        return 1
    if high - low < narrowest:
        return 0
    middle = (low + high) / 2
    halves = covered(depth, middle, low), covered(depth, high, middle)
    return sum(halves) if all(halves) else 0


def beyond_turn():
    """Both inequalities by which `divisible_bound` is below theorem 2 from `TURN` on: left, right.

    (sinh x / x)^2 >= 3/2 at x = epsilon/2, and 2 (1 - 2 rho^2) sinh(x)^2 >= e^s; left over right rises.
    """
    x, s = TURN / 2, occupancy.BETA * TURN / 2
    ratio = (math.sinh(s / 2) / math.sinh(x)) ** 2
    return ((math.sinh(x) / x) ** 2, 1.5), (2 * (1 - 2 * ratio) * math.sinh(x) ** 2, math.exp(s))


@claim(
    "diprime-v1/theorem-2-mechanism/proved",
    "ours; theorem 2 with the assumption that opens section 3.1",
    "holds",
    "thm-occupancy-proved",
    ("occupancy.divisible_bound", "occupancy.corrected_bound", "occupancy.published_bound"),
    kind="certified",
    ours=True,
)
def proved(effort, rng):
    r"""Both bounds of theorem 2 hold for the rank mechanism, for every $d$ and $t$: up to
    $\epsilon_1 = 2.26$ for every $N$, and at every $\epsilon_1$ if $2^d$ divides $N$."""
    cells = [covered(d) for d in range(1, DEEPEST + 1)]
    margins = [left / right for left, right in beyond_turn()]
    blocks = effort.pick((1, 2, 5), (1, 2, 3, 7, 12), (1, 2, 3, 5, 9, 20, 50))
    divisible = [(k * 2**d, d, e) for d in range(1, effort.pick(5, 7, 8)) for k in blocks
                 for e in EPSILONS]  # fmt: skip
    others = [(n, d, e) for d in range(1, effort.pick(5, 7, 8)) for n in range(1, effort.pick(20, 40, 90))
              for e in (*(e for e in EPSILONS if e < TURN), TURN)]  # fmt: skip
    exact, bound = [], []
    for n, d, e in divisible:
        t = distances(n, d)
        exact.append(occupancy.leaf_tail(t, n, d, e))
        bound.append(occupancy.divisible_bound(t, d, e))
    above = of_upper_bound(np.concatenate(exact), np.concatenate(bound))
    largest = [max(worst_ratio(*case)[0] for case in cases) for cases in (divisible, others)]
    good = all(cells) and min(margins) > 1 and above != "fails" and max(largest) < 1
    return Evidence(
        "holds" if good else "fails", "certified",
        f"Depths 1 to {DEEPEST} and deeper: any N on {sum(cells)} cells up to epsilon {TURN}, "
        f"2^d dividing N beyond by two inequalities, with factors {margins[0]:.4f} and {margins[1]:.4f} to "
        f"spare. Exact tails: at most {largest[0]:.3f} of the published bound where 2^d divides N, "
        f"{largest[1]:.3f} up to {TURN}.",
        sum(cells) + len(divisible) + len(others), published=1.0, computed=max(largest),
        counterexample=None if good else
        {"cells": cells, "margins": margins, "moments": above, "ratios": largest},
    )  # fmt: skip


# The worst of all leaves -----------------------------------------------------------------------


@cache
def trees(n, depth, root):
    """Every tuple of leaf counts with its probability, in fractions; `root` is e^(-epsilon/2)."""
    if depth == 0:
        return {(n,): Fraction(1)}
    weights = [root ** abs(n - 2 * j) for j in range(n + 1)]
    law = {}
    for j, weight in enumerate(weights):
        halves = trees(j, depth - 1, root).items(), trees(n - j, depth - 1, root).items()
        for (a, p), (b, q) in product(*halves):
            law[a + b] = law.get(a + b, 0) + weight * p * q / sum(weights)
    return law


def enumerated(n, depth, root):
    """(t, P(some leaf at least t off), P(the first leaf is)), each t that occurs; P(a leaf is empty)."""
    law, mean = trees(n, depth, root), Fraction(n, 2**depth)
    off = {counts: [abs(k - mean) for k in counts] for counts in law}
    tails = [
        (t, sum(p for c, p in law.items() if max(off[c]) >= t),
         sum(p for c, p in law.items() if off[c][0] >= t))
        for t in sorted({x for xs in off.values() for x in xs} - {0})
    ]  # fmt: skip
    return tails, sum(p for c, p in law.items() if 0 in c)


@claim(
    "diprime-v1/worst-leaf",
    "ours; the event of corollary 1.1 and theorem 3",
    "holds",
    "thm-occupancy-law",
    ("occupancy.any_leaf_tail", "occupancy.any_leaf_below", "occupancy.leaf_tail"),
    ours=True,
)
def worst_leaf(effort, rng):
    """The probability that some leaf of all $2^d$ is at least $t$ off $N/2^d$ follows from the
    recursion over sizes, and is at most $2^d$ times that of one leaf."""
    sizes = [(n, d) for d, most in effort.pick(((1, 7), (2, 6)), ((1, 9), (2, 8), (3, 4)),
             ((1, 12), (2, 10), (3, 6))) for n in range(1, most + 1)]  # fmt: skip
    ours, reference, union = [], [], []
    for n, d in sizes:
        for root in (Fraction(1, 10), Fraction(1, 2), Fraction(19, 20)):
            epsilon = -2 * math.log(root)
            tails, empty = enumerated(n, d, root)
            ours += [occupancy.any_leaf_tail(n, d, epsilon, float(t)) for t, *_ in tails]
            reference += [float(some) for _, some, _ in tails]
            union += [2**d * float(one) for *_, one in tails]
            ours.append(occupancy.any_leaf_below(n, d, epsilon))
            reference.append(float(empty))
            union.append(2**d * float(occupancy.leaf_law(n, d, epsilon)[0]))
    same, below = of_equality(ours, reference, rtol=1e-10), of_upper_bound(reference, union)
    good = same == "holds" and below != "fails"
    at = int(np.argmax(np.divide(union, reference)))
    return Evidence(
        "holds" if good else "fails", "exact",
        f"{len(ours)} probabilities equal the enumeration of all trees in fractions; the union bound is "
        f"between {np.min(np.divide(union, reference)):.3f} and {np.max(np.divide(union, reference)):.3f} "
        "times the truth.",
        len(ours), published=union[at], computed=reference[at],
        counterexample=None if good else {"ours": ours, "reference": reference, "union": union},
    )  # fmt: skip
