"""DiPriMe v2 on the balance of one private median split.

Theorem 3, corollary 3.1 and the sentence on the spread (section 3.2, appendix B.3). The exact side counts every
data set on a small grid in fractions, from the paper's score and nothing else.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from dplit import balance
from dplit.court.claims.balance._masses import ROOTS, block_masses, datasets, epsilon_of, tail
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, decisive, need, note, same

BLOCKS = Box("thm-balance-blocks")
RANDOM = Box("thm-balance-random", "balance.more_than", "balance.split_law")
SPREAD = Box("thm-balance-spread")


def _worst(n, width, root):
    """Least chance of (at least t, more than t) records, by (t, spread), over data of that spread."""
    least = {}
    for values in datasets(n, width):
        masses = block_masses(values, 0, width, root)
        for t in range(1, (n - 2) // 2 + 1):
            found = tail(masses, t), tail(masses, t + 1)
            for d in range(1, min(values[n - t - 1] - values[t], width - 1) + 1):
                least[t, d] = tuple(map(min, found, least.get((t, d), (1, 1))))
    return least


def _enumerated(effort):
    """(least chance of at least t, of more than t, parameters) for every size, budget, t and spread."""
    width = effort.pick(4, 5, 6)
    for n in range(4, effort.pick(6, 7, 8) + 1):
        for root in ROOTS:
            for (t, d), (at_least, more_than) in _worst(n, width, root).items():
                shown = {"n": n, "width": width, "epsilon": epsilon_of(root), "t": t, "spread": d}
                yield at_least, more_than, shown


def _bound(formula, shown):
    """A bound's value at the parameters of an enumerated case."""
    return float(formula(shown["spread"], shown["width"], shown["epsilon"]))


@BLOCKS(
    "diprime-v2/theorem-3",
    "Theorem 3; appendix B.3, equation 5",
    "loose",
    "balance.at_least",
    "balance.published_bound",
    proved=True,
    range="all data of 4 to 6 values on a grid of 4, two budgets, every t and spread",
)
def theorem_3(effort, rng):
    r"""If the $N - 2t$ centermost values cover a range of length at least $d < R$, the smaller
    block of a median split by the exponential mechanism holds at least $t$ records with probability
    at least $d/(R e^{-\epsilon} + d(1 - e^{-\epsilon}))$."""
    cases = []
    for at_least, _, shown in _enumerated(effort):
        stated = _bound(balance.published_bound, shown)
        case = at_most(1 - at_least, 1 - stated, **shown)
        cases.append(case._replace(exact=float(at_least), stated=stated, relation=">="))
    yield from sorted(cases, key=lambda case: (1 - case.exact) / max(1 - case.stated, 1e-9))
    return note(
        "Worst of all data on the grid, {cases} cases: the chance of fewer than t records comes "
        "nearest to what the theorem allows at epsilon {epsilon:.4f}, N={n}, t={t}, d={spread}.",
        quantity="chance of at least t records",
    )


@BLOCKS.corrected(
    theorem_3,
    "balance.at_least_bound",
    "balance.more_than_bound",
    "balance.worst_at_least",
    "balance.worst_more_than",
    range="all data of 4 to 6 values on a grid of 4, and the worst data of up to 100",
)
def theorem_3_exact(effort, rng):
    r"""The published number is the exact worst case of holding more than $t$ records. The exact worst case of at
    least $t \ge 1$ records is $d/(d + (R - d)e^{-2\epsilon})$. Both are attained for every $N \ge 2t + 2$."""
    yield from _on_their_worst_data(effort)
    for at_least, more_than, shown in _enumerated(effort):
        yield same(at_least, _bound(balance.at_least_bound, shown), **shown)
        yield same(more_than, _bound(balance.more_than_bound, shown), **shown)
    return note(
        "{cases} cases: both formulas equal the minimum over every data set on the grid, and the "
        "chance on their own worst data; at N={n}, t={t}, d={spread} it is {stated:.4f}.",
        quantity="worst chance of enough records",
    )


def _on_their_worst_data(effort):
    """The chances on the data that the module calls the worst, n up to 1000."""
    kinds = (
        (balance.at_least, balance.worst_at_least, balance.at_least_bound),
        (balance.more_than, balance.worst_more_than, balance.more_than_bound),
    )
    for n, t in ((4, 1), (5, 1), (21, 3), (100, 49), (1000, 200))[: effort.pick(3, 4, 5)]:
        for d in (0.001, 0.3, 0.999):
            for epsilon in (0.001, 0.1, 1.0, 8.0):
                shown = {"n": n, "width": 1, "epsilon": epsilon, "t": t, "spread": d}
                for chance, worst, bound in kinds:
                    exact = chance(t, worst(n, t, d, 0, 1), 0, 1, epsilon)
                    yield same(exact, _bound(bound, shown), **shown)


@RANDOM("diprime-v2/corollary-3.1", "Corollary 3.1; appendix B.3.1", range="3 to 6 values on a grid of 4, every t")
def corollary(effort, rng):
    """Of $N$ data points in some bounded space a split at the differentially private median (the exponential
    mechanism's, as in theorem 3) leaves at most $t$ in the smaller block with no larger probability than a
    random split, for every $0 < t < N/2$."""
    cases = list(_against_random(effort))
    best = max(cases, key=lambda case: case.stated - case.exact)
    yield from (decisive(case) if case is best else case for case in cases)
    return note(
        "No data set on the grid is split less evenly than at random; the largest gain is "
        f"{best.stated - best.exact:.4f}.",
        quantity="chance of at most t records",
    )


def _against_random(effort):
    """Chances of at most t records in the smaller block, private beside random, for all data."""
    width = effort.pick(4, 5, 6)
    for n in range(3, effort.pick(6, 7, 8) + 1):
        for values in datasets(n, width):
            for root in ROOTS:
                masses = block_masses(values, 0, width, root)
                for t in range(1, (n + 1) // 2):
                    random = 1 - (values[n - t - 1] - values[t]) / width
                    shown = {"values": values, "t": t, "epsilon": epsilon_of(root), "width": width}
                    yield at_most(1 - tail(masses, t + 1), random, **shown)


@SPREAD(
    "diprime-v2/spread",
    "Section 3.2, after corollary 3.1",
    "assumes",
    "balance.guaranteed_gain",
    "balance.worst_more_than",
    range="worst data of four records, spreads of 2 to 4 steps",
)
def spread(effort, rng):
    """Theorem 3 indicates that the improvement over random splits will increase with the spread of the data
    (assuming that it is the ratio of the two chances to fail, and not the difference of the two
    chances to succeed)."""
    steps = list(_wider(effort))
    for *_, shown in steps:
        narrow, wide = shown["ratio_narrow"], shown["ratio_wide"]
        yield need(wide < narrow, wide, "<", narrow, broken="fails", **shown)
    falls = [step for step in steps if step[0] < step[1]] or steps
    after, before, shown = min(falls, key=lambda step: (step[2]["width"], step[0] - step[1]))
    width, narrow, wide = shown["width"], shown["narrow"], shown["wide"]
    data = shown | {
        "narrow": balance.worst_more_than(4, 1, narrow, 0, width),
        "wide": balance.worst_more_than(4, 1, wide, 0, width),
        "gain_narrow": before,
        "gain_wide": after,
    }
    yield need(after >= before, after, ">=", before, n=4, t=1, **data)
    return note(
        f"Worst of all data of N = 4, t = 1, R = {width}, at epsilon {shown['epsilon']:.4f}: from "
        f"d = {narrow} to {wide} the ratio of the chances to fail improves from "
        f"{float(shown['ratio_narrow']):.4f} to {float(shown['ratio_wide']):.4f}, but the difference "
        f"of the chances to succeed falls from {float(before):.4f} to {float(after):.4f}.",
        quantity="difference of the chances to succeed",
    )


def _wider(effort):
    """Worst gain over a random split beside that of the next narrower spread, four records."""
    for width in range(2, effort.pick(5, 7, 10)):
        for root in ROOTS:
            chances = {d: p for (_, d), (_, p) in _worst(4, width, root).items()}
            gains = {d: p - Fraction(d, width) for d, p in chances.items()}
            ratios = {d: (1 - p) / (1 - Fraction(d, width)) for d, p in chances.items()}
            for narrow, wide in pairwise(sorted(gains)):
                shown = {
                    "width": width,
                    "epsilon": epsilon_of(root),
                    "narrow": narrow,
                    "wide": wide,
                    "ratio_narrow": ratios[narrow],
                    "ratio_wide": ratios[wide],
                }
                yield gains[wide], gains[narrow], shown


@SPREAD.corrected(
    spread,
    "balance.guaranteed_gain",
    "balance.best_spread",
    "balance.greatest_gain",
    "balance.failure_ratio",
    range="four budgets by numerical search, 200 spreads each",
)
def spread_peak(effort, rng, epsilon=(0.01, 0.1, 3.0, 10.0, 1.0)):
    r"""With $u = d/R$ the guaranteed gain, $u/(u + (1-u)e^{-\epsilon}) - u$, grows up to $u = 1/(1 +
    e^{\epsilon/2})$, where it is $\tanh(\epsilon/4)$, and then falls to 0. What improves with the spread is the
    worst ratio of the chances to fail, $e^{-\epsilon}/(u + (1-u)e^{-\epsilon})$."""
    yield need(_unimodal(effort.pick(200, 1000, 10000)), function="guaranteed_gain")
    for _, more_than, shown in _enumerated(effort):
        u = Fraction(shown["spread"], shown["width"])
        yield same(more_than - u, _bound(balance.guaranteed_gain, shown), 1e-5, **shown)
        ratio = (1 - more_than) / (1 - u)
        yield same(ratio, _bound(balance.failure_ratio, shown), 1e-5, **shown)
    for budget in epsilon:
        gain, u = _peak(budget)
        yield same(u, balance.best_spread(budget), 1e-5, epsilon=budget, spread=u)
        yield same(gain, balance.greatest_gain(budget), 1e-5, epsilon=budget, spread=u)
    return note(
        "{cases} cases: gain and ratio equal the worst over all data on the grid; a numerical search "
        "for the peak finds tanh(epsilon/4), at epsilon {epsilon:g} {exact:.4f} at d/R = {spread:.4f}.",
        quantity="gain over a random split",
    )


def _peak(epsilon):
    """Largest gain on the worst data of four records, and its spread, by numerical search."""
    from scipy.optimize import minimize_scalar

    def loss(u):
        values = balance.worst_more_than(4, 1, u, 0, 1)
        return u - balance.more_than(1, values, 0, 1, epsilon)

    found = minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-9})
    return -found.fun, found.x


def _unimodal(points):
    """Whether the gain rises up to `best_spread` and falls after it, and the ratio falls throughout."""
    u = np.linspace(0, 1, points + 1)
    for epsilon in (0.01, 1.0, 10.0):
        step, peak = np.diff(balance.guaranteed_gain(u, 1, epsilon)), balance.best_spread(epsilon)
        up, down = step[u[1:] <= peak], step[u[:-1] >= peak]
        ratio = np.diff(balance.failure_ratio(u, 1, epsilon))
        if (up <= 0).any() or (down >= 0).any() or (ratio >= 0).any():
            return False
    return True
