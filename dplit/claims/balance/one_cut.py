r"""Claims of Consul and Williamson, Balance is key, on the balance of a private median split.

Theorem 3, corollary 3.1 and the sentence on the spread (section 3.2, appendix B.3); derived in
:doc:`/book/balance`. The exact side counts every data set on a small grid in fractions, at budgets
with rational :math:`e^{\epsilon/2}`, from the paper's score and nothing else.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise

import numpy as np

from dplit import balance
from dplit.ledger import Evidence, claim, of_equality, of_upper_bound

ROOTS = (Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(10))  # e^{epsilon/2}


def epsilon_of(root):
    """The epsilon with e^{epsilon/2} = root."""
    return 2 * math.log(root)


def datasets(n, width):
    """Every sorted data set of n values on the grid 0, 1, ..., width."""
    return combinations_with_replacement(range(width + 1), n)


def block_masses(values, lower, upper, root):
    """Weight of each size of the smaller block, from the score at the middle of every interval.

    q(r) is minus the difference of the two counts; a cut at r has density root**q(r).
    """
    masses = {}
    for a, b in pairwise(sorted({lower, *values, upper})):
        middle = Fraction(a + b) / 2
        left = sum(x < middle for x in values)
        right = len(values) - left
        block = min(left, right)
        masses[block] = masses.get(block, 0) + (b - a) * root ** -abs(left - right)
    return masses


def tail(masses, t):
    """Probability that the smaller block holds at least t records; 0 where no cut exists."""
    total = sum(masses.values())
    return sum(m for b, m in masses.items() if b >= t) / total if total else Fraction(0)


def worst(n, width, root):
    """Least chance of (at least t, more than t) records, by (t, spread), over data of that spread."""
    least = {}
    for values in datasets(n, width):
        masses = block_masses(values, 0, width, root)
        for t in range(1, (n - 2) // 2 + 1):
            found = tail(masses, t), tail(masses, t + 1)
            for d in range(1, min(values[n - t - 1] - values[t], width - 1) + 1):
                least[t, d] = tuple(map(min, found, least.get((t, d), (1, 1))))
    return least


def cases(effort, roots=ROOTS):
    """(n, width, root, t, spread, least chance of at least t, of more than t), enumerated."""
    width = effort.pick(4, 5, 6)
    for n in range(4, effort.pick(6, 7, 8) + 1):
        for root in roots:
            for (t, d), (at_least, more_than) in worst(n, width, root).items():
                yield n, width, root, t, d, at_least, more_than


def plain(case):
    """The parameters of a case as plain data."""
    n, width, root, t, d, *_ = case
    return {"n": n, "width": width, "epsilon": epsilon_of(root), "t": t, "spread": d}


# Theorem 3 -----------------------------------------------------------------------------------


@claim(
    "diprime-v2/theorem-3",
    "Theorem 3; appendix B.3, equation 5",
    "loose",
    "thm-balance-blocks",
    ("balance.at_least", "balance.published_bound"),
)
def theorem_3(effort, rng):
    r"""If the $N - 2t$ centermost values cover a range of length at least $d < R$, the smaller
    block holds at least $t$ records with probability at least $d/(R e^{-\epsilon} + d(1 -
    e^{-\epsilon}))$."""
    found = list(cases(effort))
    exact = [float(1 - c[5]) for c in found]  # a failure is "fewer than t"
    stated = [1 - float(balance.published_bound(c[4], c[1], epsilon_of(c[2]))) for c in found]
    verdict = of_upper_bound(exact, stated)
    ratio = np.divide(exact, stated)
    at = int(ratio.argmax())
    return Evidence(
        verdict, "exact",
        f"Over all data on the grid the chance of fewer than t records is at most {ratio.max():.4f} "
        f"times what the theorem allows (at epsilon {epsilon_of(found[at][2]):.4f}).",
        len(found), published=1 - stated[at], computed=1 - exact[at],
        counterexample=plain(found[at]) if verdict == "fails" else None,
    )  # fmt: skip


@theorem_3.corrected(
    functions=(
        "balance.at_least_bound",
        "balance.more_than_bound",
        "balance.worst_at_least",
        "balance.worst_more_than",
    )
)
def theorem_3_corrected(effort, rng):
    r"""The published number is the exact worst case of holding more than $t$ records. The exact
    worst case of at least $t \ge 1$ records is $d/(d + (R - d)e^{-2\epsilon})$. Both are
    attained for every $N \ge 2t + 2$."""
    found = list(cases(effort))
    exact, stated = [], []
    for c in found:
        d, width, epsilon = c[4], c[1], epsilon_of(c[2])
        exact += map(float, c[5:])
        stated += [
            balance.at_least_bound(d, width, epsilon),
            balance.more_than_bound(d, width, epsilon),
        ]
    for n, t, d, epsilon in attained(effort):
        least, more = balance.worst_at_least(n, t, d, 0, 1), balance.worst_more_than(n, t, d, 0, 1)
        exact += [
            balance.at_least(t, least, 0, 1, epsilon),
            balance.more_than(t, more, 0, 1, epsilon),
        ]
        stated += [balance.at_least_bound(d, 1, epsilon), balance.more_than_bound(d, 1, epsilon)]
    verdict = of_equality(exact, stated)
    return Evidence(
        verdict, "exact",
        "Both formulas equal the minimum over every data set on the grid, and the chance on their "
        "own worst data, in each case.",
        len(exact), published=float(stated[0]), computed=float(exact[0]),
        counterexample={"exact": exact, "stated": stated} if verdict == "fails" else None,
    )  # fmt: skip


def attained(effort):
    """Sizes, thresholds, spreads and budgets at which the worst data are tried, n up to 1000."""
    for n, t in ((4, 1), (5, 1), (21, 3), (100, 49), (1000, 200))[: effort.pick(3, 4, 5)]:
        for d in (0.001, 0.3, 0.999):
            for epsilon in (0.001, 0.1, 1.0, 8.0):
                yield n, t, d, epsilon


# Corollary 3.1 -------------------------------------------------------------------------------


@claim(
    "diprime-v2/corollary-3.1",
    "Corollary 3.1; appendix B.3.1",
    "holds",
    "thm-balance-random",
    ("balance.more_than", "balance.split_law"),
)
def corollary(effort, rng):
    """A private median split leaves at most $t$ records in the smaller block with no larger
    probability than a random split, for every $0 < t < N/2$."""
    width, private, random, data = effort.pick(4, 5, 6), [], [], []
    for n in range(3, effort.pick(6, 7, 8) + 1):
        for values in datasets(n, width):
            for root in ROOTS:
                masses = block_masses(values, 0, width, root)
                for t in range(1, (n + 1) // 2):
                    private.append(float(1 - tail(masses, t + 1)))
                    random.append(1 - (values[n - t - 1] - values[t]) / width)
                    data.append((values, t, root))
    verdict = of_upper_bound(private, random)
    gains = np.subtract(random, private)
    at = int(gains.argmin() if verdict == "fails" else gains.argmax())
    values, t, root = data[at]
    case = {"values": values, "t": t, "epsilon": epsilon_of(root), "width": width}
    return Evidence(
        verdict, "exact",
        f"No data set on the grid is split less evenly than at random; the largest gain is "
        f"{gains.max():.4f}.",
        len(data), published=random[at], computed=private[at],
        counterexample=case if verdict == "fails" else None,
    )  # fmt: skip


# The spread ----------------------------------------------------------------------------------


@claim(
    "diprime-v2/spread",
    "Section 3.2, after corollary 3.1",
    "fails",
    "thm-balance-spread",
    ("balance.guaranteed_gain", "balance.worst_more_than"),
)
def spread(effort, rng):
    """By theorem 3, the improvement over random splits increases with the spread of the data."""
    falls, pairs = [], 0
    for width in range(2, effort.pick(5, 7, 10)):
        for root in ROOTS:
            gains = {d: p - Fraction(d, width) for (_, d), (_, p) in worst(4, width, root).items()}
            for narrow, wide in pairwise(sorted(gains)):
                pairs += 1
                if gains[wide] < gains[narrow]:
                    falls.append((width, root, narrow, wide, gains[narrow], gains[wide]))
    if not falls:
        return Evidence("holds", "exact", "The guaranteed gain never falls.", pairs)
    width, root, narrow, wide, before, after = min(falls, key=lambda f: (f[0], f[5] - f[4]))
    data = [balance.worst_more_than(4, 1, d, 0, width) for d in (narrow, wide)]
    return Evidence(
        "fails", "exact",
        f"Worst of all data of N = 4, t = 1, R = {width}, at epsilon {epsilon_of(root):.4f}: from "
        f"d = {narrow} to {wide} the gain falls from {float(before):.4f} to {float(after):.4f}.",
        pairs, published=float(before), computed=float(after),
        counterexample={"n": 4, "t": 1, "width": width, "epsilon": epsilon_of(root), "narrow": data[0],
                        "wide": data[1], "gain_narrow": before, "gain_wide": after},
    )  # fmt: skip


@spread.corrected(
    functions=(
        "balance.guaranteed_gain",
        "balance.best_spread",
        "balance.greatest_gain",
        "balance.failure_ratio",
    )
)
def spread_corrected(effort, rng):
    r"""With $u = d/R$ the guaranteed gain, $u/(u + (1-u)e^{-\epsilon}) - u$, grows up to $u =
    1/(1 + e^{\epsilon/2})$, where it is $\tanh(\epsilon/4)$, and then falls to 0. What improves
    with the spread is the worst ratio of the chances to fail, $e^{-\epsilon}/(u +
    (1-u)e^{-\epsilon})$."""
    exact, stated = [], []
    for _, width, root, _, d, _, more_than in cases(effort):
        u, epsilon = Fraction(d, width), epsilon_of(root)
        exact += [float(more_than - u), float((1 - more_than) / (1 - u))]
        stated += [
            balance.guaranteed_gain(d, width, epsilon),
            balance.failure_ratio(d, width, epsilon),
        ]
    for epsilon in (0.01, 0.1, 1.0, 3.0, 10.0):
        exact += _peak(epsilon)
        stated += [balance.greatest_gain(epsilon), balance.best_spread(epsilon)]
    verdict = of_equality(exact, stated, rtol=1e-5)
    if verdict == "holds" and not _unimodal(effort.pick(200, 1000, 10000)):
        verdict = "fails"
    return Evidence(
        verdict, "exact",
        "Gain and ratio equal the worst over all data on the grid; a numerical search for the peak "
        "finds tanh(epsilon/4), at epsilon 1 "
        f"{_peak(1.0)[0]:.4f} at d/R = {_peak(1.0)[1]:.4f}.",
        len(exact), published=float(balance.greatest_gain(1.0)), computed=_peak(1.0)[0],
        counterexample={"exact": exact, "stated": stated} if verdict == "fails" else None,
    )  # fmt: skip


def _peak(epsilon):
    """Largest gain on the worst data of four records, and its spread, by numerical search."""
    from scipy.optimize import minimize_scalar

    def loss(u):
        values = balance.worst_more_than(4, 1, u, 0, 1)
        return u - balance.more_than(1, values, 0, 1, epsilon)

    found = minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-9})
    return [-found.fun, found.x]


def _unimodal(points):
    """Whether the gain rises up to `best_spread` and falls after it, and the ratio falls throughout."""
    u = np.linspace(0, 1, points + 1)
    for epsilon in (0.01, 1.0, 10.0):
        step, peak = np.diff(balance.guaranteed_gain(u, 1, epsilon)), balance.best_spread(epsilon)
        up, down = step[u[1:] <= peak], step[u[:-1] >= peak]
        if (up <= 0).any() or (down >= 0).any():
            return False
        if (np.diff(balance.failure_ratio(u, 1, epsilon)) >= 0).any():
            return False
    return True
