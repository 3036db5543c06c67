"""Both DiPriMe papers on the private median of a column of numbers (v1 and algorithm 3; v2, section 3.1)."""

import math
from fractions import Fraction

import numpy as np

from dplit import median
from dplit.court.claims.median._ratios import EPSILON, HALF, plain
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import need, note, private, same

LAWS = "median.interval_law", "median.density_loss"
RANK = Box("thm-rank-leaks", "median.rank_law", "median.rank_interval_law", "median.density_loss")
VALUE = Box("thm-value-private", *LAWS)
LEAKS = tuple(f"diprime-v1/median-by-rank{reading}" for reading in ("", ":between", ":printed"))
BOUNDS = "diprime-v2/median-by-value:up", "diprime-v2/median-by-value:down"
STRICT = tuple(f"diprime-v1/median-by-rank/corrected:{part}" for part in ("up", "down"))
SOME = ((HALF,), (HALF, HALF), (Fraction(1, 8), HALF, Fraction(9, 16)))


def _gap_loss(law, gap):
    """Loss of one record at 1/2 and of two, the second at this gap from it."""
    return median.density_loss(*(law(x, 0, 1, EPSILON) for x in ([0.5], [0.5, 0.5 + gap])))


@RANK("diprime-v1/median-by-rank", "Section 3; algorithm 3, lines 43 to 46", "leaks", **over(*LEAKS))
def by_rank(effort, rng):
    r"""Order the observations, select the $j$-th by the exponential mechanism with $\Pr(j) \propto
    e^{-\frac{\epsilon_1}{2}|N_i - 2j|}$, and draw a value uniformly between it and the next record. The value
    drawn is an $\epsilon_1$-private median. (Section 3 counts half of $\epsilon_1$ for this median.)"""
    first, *others = [next(certified(name, effort)) for name in LEAKS]
    for gap in (1e-2, 1e-4, 1e-6):
        yield same(_gap_loss(median.rank_interval_law, gap), math.log(2 / (3 * gap)), 1e-9, broken="fails")
    loss = _gap_loss(median.rank_interval_law, 1 / 16)
    data = {"data": [0.5], "neighbour": [0.5, 0.5625], "epsilon": EPSILON, "lower": 0, "upper": 1}
    yield private(loss, EPSILON, **data, refuted=first.data.get("refuted"))
    yield from (first, *others)
    return note(
        "The data {data} and {neighbour} cost {exact:.4f} where epsilon is {stated:.4f}. A gap g between two "
        "records costs epsilon - log(g (2 + e^epsilon)), which with r = e^(-epsilon/2) is more than epsilon for "
        "all {refuted}. The other readings leak too.",
        quantity="privacy loss",
    )


def _value_densities(data, edges):
    """Density of the exponential mechanism over values on each cell, from the definition."""
    weights = [HALF ** abs(len(data) - 2 * sum(x <= a for x in data)) for a in edges[:-1]]
    total = sum(v * (b - a) for v, a, b in zip(weights, edges, edges[1:]))
    return [v / total for v in weights]


def _value_ratio(data, neighbour):
    """Largest ratio of the value mechanism's densities on two data sets."""
    edges = sorted({Fraction(0), Fraction(1), *data, *neighbour})
    pair = [_value_densities(d, edges) for d in (data, neighbour)]
    return max(max(p / q, q / p) for p, q in zip(*pair))


def _law_error(data):
    """Distance of `median.interval_law` from the definition, in probability of an interval."""
    edges = [Fraction(0), *sorted(data), Fraction(1)]
    exact = [d * (b - a) for d, a, b in zip(_value_densities(data, edges), edges, edges[1:])]
    # a cell of length 0 has probability 0 in both, whatever its count
    law = median.interval_law(plain(data), 0, 1, EPSILON)
    return float(np.abs(law.probabilities - np.array(exact, float)).max())


def _private(effort, names=BOUNDS):
    """That no density rises or falls by more than the budget, and that the package has the law of a few data."""
    for name in names:
        yield from certified(name, effort, broken="leaks")
    yield from (same(_law_error(data), 0.0, atol=1e-12, broken="fails", data=plain(data)) for data in SOME)


@VALUE("diprime-v2/median-by-value", "Section 3.1", quantity="density of a cut", **over(*BOUNDS))
def by_value(effort, rng):
    r"""Let $q(r) = -|\#\text{left} - \#\text{right}|$. Under add-remove, drawing $r$ with density proportional to
    $e^{\epsilon_s q(r)/2}$ is $\epsilon_s$-private."""
    yield from _private(effort)
    words = "A record multiplies the weight w of an interval of length l by f, that of all others, T, by g; both"
    return words + " are between 1/s and s = e^(epsilon_s/2). For any number of records and ties {statement}."


@VALUE(
    "diprime-v2/median-by-value-replace-one",
    "ours; section 3.1 with appendix A",
    "holds",
    "median.interval_law",
    quantity="density of a cut",
    **over(*BOUNDS),
)
def by_value_replaced(effort, rng):
    r"""Under replace-one, drawing a cut by value at the published rate costs $2\epsilon_s$ for two or more
    records; at the rate $\epsilon_s/4$ it costs $\epsilon_s$. Both costs are suprema over the data."""
    near = Fraction(1, 10**12)
    yield from _private(effort)
    for m in range(2, effort.pick(8, 12, 20)):
        yield same(_value_ratio(*_swapped(m, near)), 16, 1e-6)
    yield same(math.exp(_quarter_rate_loss(*_swapped(3, near))), 16, 1e-6)
    words = "A replaced record multiplies the weight w of an interval of length l by f, that of all others, T, by"
    return words + " g, both from 1/s to s = e^epsilon_s: {statement}; from 2 records on it is nearly attained."


def _quarter_rate_loss(one, other):
    """Loss of the package's law for replace-one at epsilon log 16: its rate is that of the fractions."""
    pair = (median.interval_law(plain(d), 0, 1, math.log(16), "replace-one") for d in (one, other))
    return median.density_loss(*pair)


def _swapped(n, near):
    """Neighbours of n records: one goes from 0 to 1, over the one or two near 0; the rest are at the ends."""
    middle, ends = (near,) * (1 + n % 2), (n - 2) // 2 if n % 2 == 0 else (n - 3) // 2
    one, other = (0,) * (ends + 1) + middle + (1,) * ends, (0,) * ends + middle + (1,) * (ends + 1)
    return tuple(tuple(map(Fraction, data)) for data in (one, other))


@VALUE.corrected(by_rank, where="ours; v2, section 3.1", quantity="density of a cut", **over(*BOUNDS, *STRICT))
def by_value_instead(effort, rng):
    r"""Under add-remove, drawing the value itself, with each interval weighted by its length, costs less than
    $\epsilon_1$ for all gaps between the records, ties included."""
    yield from _private(effort, (*BOUNDS, *STRICT))
    for gap in (0.0, 1e-3, 1e-6):
        loss = _gap_loss(median.interval_law, gap)
        yield need(loss < EPSILON, loss, "<", EPSILON, broken="fails", gap=gap)
    return "For any number of records and all gaps: {statement}"
