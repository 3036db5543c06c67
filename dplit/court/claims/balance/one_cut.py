"""DiPriMe v2, theorem 3 and corollary 3.1: the balance of one private median split, from its exact weights."""

import math

import numpy as np

from dplit import balance
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, decisive, same

BLOCKS = Box("thm-balance-blocks", "balance.at_least_bound", "balance.published_bound")
RANDOM = Box("thm-balance-random", "balance.more_than", "balance.split_law")
SPREAD = Box("thm-balance-spread", "balance.guaranteed_gain", "balance.worst_more_than")
AT_LEAST, MORE = "diprime-v2/theorem-3/corrected:at-least", "diprime-v2/theorem-3/corrected:more"
SHAPE = tuple(f"diprime-v2/spread/corrected:{part}" for part in ("rises", "falls", "peak"))


@BLOCKS(
    "diprime-v2/theorem-3",
    "Theorem 3; appendix B.3, equation 5",
    "loose",
    proved=True,
    quantity="chance of at least t records",
    **over(AT_LEAST, "diprime-v2/theorem-3"),
)
def theorem_3(effort, rng):
    r"""If the $N - 2t$ centermost values cover a range of length at least $d < R$, the smaller block of a median
    split by the exponential mechanism has $t$ or more records with probability at least $d/(R e^{-\epsilon} + d(1
    - e^{-\epsilon}))$."""
    yield from certified(AT_LEAST, effort)
    sides = {
        "left": lambda a, d: balance.published_bound(d, 1, -math.log(a)),
        "right": lambda a, d: balance.at_least_bound(d, 1, -math.log(a)),
    }
    yield from certified("diprime-v2/theorem-3", effort, met=False, **sides)
    return "The stated bound is below the least probability of all data: {statement} wherever {where}"


@BLOCKS.corrected(
    theorem_3,
    "balance.at_least_bound",
    "balance.more_than_bound",
    "balance.worst_at_least",
    "balance.worst_more_than",
    quantity="worst chance of enough records",
    **over(AT_LEAST, MORE),
)
def theorem_3_exact(effort, rng):
    r"""Theorem 3's bound is the exact worst-case probability that the smaller block holds more than $t$ records.
    The worst-case probability that it holds at least $t \ge 1$ records is $d/(d + (R - d)e^{-2\epsilon})$. Both
    are attained for every $N \ge 2t + 2$."""
    yield from certified(AT_LEAST, effort, right=lambda a, d, **_: balance.at_least_bound(d, 1, -math.log(a)))
    yield from certified(MORE, effort, right=lambda a, d, **_: balance.more_than_bound(d, 1, -math.log(a)))
    yield from _on_their_worst_data(effort)
    words = "In {cases} comparisons no data have a smaller probability than stated, and the worst data attain it,"
    return words + " as {stated:.4f} at N={n}, t={t}."


def _on_their_worst_data(effort):
    """The chances on the data that the module calls the worst, n up to 1000."""
    kinds = (
        (balance.at_least, balance.worst_at_least, balance.at_least_bound),
        (balance.more_than, balance.worst_more_than, balance.more_than_bound),
    )
    for n, t in ((4, 1), (5, 1), (21, 3), (100, 49), (1000, 200))[: effort.pick(3, 4, 5)]:
        for d, epsilon in ((0.001, 8.0), (0.3, 1.0), (0.999, 0.1)):
            for chance, worst, bound in kinds:
                exact = chance(t, worst(n, t, d, 0, 1), 0, 1, epsilon)
                yield decisive(same(exact, bound(d, 1, epsilon), n=n, epsilon=epsilon, t=t, spread=d))


@RANDOM(
    "diprime-v2/corollary-3.1",
    "Corollary 3.1; appendix B.3.1",
    quantity="chance of at most t records",
    **over("diprime-v2/corollary-3.1"),
)
def corollary(effort, rng):
    """For $N$ data points in some bounded space and every $0 < t < N/2$, a split at the differentially private
    median (by the exponential mechanism, as in theorem 3) is no more likely than a random split to leave at most
    $t$ points in the smaller block."""
    yield from certified("diprime-v2/corollary-3.1", effort)
    for epsilon in (0.1, 1.0, 8.0):
        values = np.array([0.1, 0.15, 0.5, 0.7, 0.95])
        yield below(1 - balance.more_than(1, values, 0, 1, epsilon), 1 - (0.7 - 0.15), epsilon=epsilon)
    return "Cuts that leave at most t records on a side have the smaller weights, for all data and every budget."


@SPREAD(
    "diprime-v2/spread",
    "Section 3.2, after corollary 3.1",
    "assumes",
    quantity="gain over a random split, of a narrower and of a wider spread",
    **over("diprime-v2/spread", "diprime-v2/spread:ratio"),
)
def spread(effort, rng):
    """Theorem 3 indicates that the improvement over random splits will increase with the spread of the data. (This
    assumes that the ratio of failure probabilities is meant, not the difference of success probabilities.)"""
    yield from _ratio_improves(effort)
    gain = lambda a, u, y: balance.guaranteed_gain(u, 1, -math.log(a))  # noqa: E731
    yield from certified("diprime-v2/spread", effort, left=gain)
    words = "The ratio of failure probabilities improves with the spread. The gain is smaller at the spread u +"
    return words + " y(1 - u) than at u for all {refuted}, where a = e^-epsilon."


def _ratio_improves(effort):
    """That the ratio of the chances to fail falls with the spread."""
    wide = lambda a, u, y: balance.failure_ratio(u + y * (1 - u), 1, -math.log(a))  # noqa: E731
    narrow = lambda a, u, y: balance.failure_ratio(u, 1, -math.log(a))  # noqa: E731
    return certified("diprime-v2/spread:ratio", effort, broken="fails", left=wide, right=narrow)


@SPREAD.corrected(
    spread,
    "balance.guaranteed_gain",
    "balance.best_spread",
    "balance.greatest_gain",
    "balance.failure_ratio",
    quantity="gain over a random split",
    **over(*SHAPE, "diprime-v2/spread:ratio"),
)
def spread_peak(effort, rng):
    r"""With $u = d/R$, the guaranteed gain in success probability over a random split, $u/(u + (1-u)e^{-\epsilon})
    - u$, grows with $u$ until $u = 1/(1 + e^{\epsilon/2})$, where it is $\tanh(\epsilon/4)$, and then falls to 0.
    The worst ratio of the failure probabilities, $e^{-\epsilon}/(u + (1-u)e^{-\epsilon})$, does improve with
    $u$."""
    yield from certified(SHAPE[:2], effort)
    yield from _ratio_improves(effort)
    sides = {
        "left": lambda r: balance.guaranteed_gain(r / (1 + r), 1, -2 * math.log(r)),
        "right": lambda r: balance.greatest_gain(-2 * math.log(r)),
    }
    yield from certified(SHAPE[2], effort, **sides)
    for r in (0.2, 0.9):
        yield same(balance.best_spread(-2 * math.log(r)), r / (1 + r), r=r)
    return "The gain rises up to the peak, falls beyond it, and is {exact:.4f} there for one r, where {where}."
