"""Claims of both DiPriMe papers on the private median and the private categorical split.

v1, section 3 and algorithm 3; v2, sections 2, 3.1 and 4.1; derived in :doc:`/book/median`. The
references are written here from the definitions, in fractions, at a rational e^(-epsilon/2).
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise

import numpy as np

from dplit import median
from dplit.ledger import Evidence, claim, of_equality, of_privacy

HALF = Fraction(1, 2)  # e^(-epsilon/2) in the searches, so that e^epsilon is 4
READINGS = ("every interval", "between records", "as printed")


# The rank mechanism --------------------------------------------------------------------------


def rank_parts(data, w, reading):
    """v1's law as parts (low, high, probability), each uniform, on the range [0, 1].

    "every interval" takes j = 0, ..., N; "between records" j = 1, ..., N - 1; "as printed"
    j = 1, ..., N, where j = N has no next record. Without an interval the whole range is drawn
    from, as in lines 45 and 46 of algorithm 3.
    """
    n, places = len(data), [Fraction(0), *sorted(data), Fraction(1)]
    ranks = dict(zip(READINGS, (range(n + 1), range(1, n), range(1, n + 1))))[reading]
    total = sum(w ** abs(n - 2 * j) for j in ranks)
    if not total:
        return [(places[0], places[-1], Fraction(1))]
    whole = reading == "as printed"
    return [
        (*((0, 1) if whole and j == n else places[j : j + 2]), w ** abs(n - 2 * j) / total)
        for j in ranks
    ]


def rank_ratio(data, neighbour, w, reading):
    """Largest ratio of the rank mechanism's densities on two data sets without ties."""
    laws = [rank_parts(d, w, reading) for d in (data, neighbour)]
    return _largest_ratio(data, neighbour, lambda i, a, b: sum(
        (p / (high - low) for low, high, p in laws[i] if low < (a + b) / 2 < high), Fraction(0)
    ))  # fmt: skip


def _largest_ratio(data, neighbour, density):
    edges = sorted({Fraction(0), Fraction(1), *data, *neighbour})
    pairs = [[density(i, a, b) for i in (0, 1)] for a, b in pairwise(edges)]
    return max(max(p / q, q / p) if p and q else math.inf for p, q in pairs if p or q)


def _log(ratio):
    return math.log(ratio) if ratio < math.inf else math.inf


def _additions(grid, n):
    """Pairs of add-remove neighbours without ties, at most n records, fewest first."""
    for size in range(n):
        for data in combinations(grid, size):
            yield from ((data, (*data, x)) for x in grid if x not in data)


@claim(
    "diprime-v1/median-by-rank",
    "Section 3; algorithm 3, lines 43 to 46",
    "leaks",
    "thm-rank-leaks",
    ("median.rank_law", "median.rank_interval_law", "median.density_loss"),
)
def by_rank(effort, rng):
    r"""A rank $j$ with $\Pr(j) \propto e^{-\frac{\epsilon_1}{2}|N_i - 2j|}$, then a value
    uniform between the $j$-th and the next record: an $\epsilon_1$-private median."""
    cells = effort.pick(16, 32, 64)
    grid, epsilon = [Fraction(i, cells) for i in range(1, cells)], math.log(4)
    first, cases = {}, 0
    for reading in READINGS:
        for data, neighbour in _additions(grid, 2):
            cases += 1
            if (ratio := rank_ratio(data, neighbour, HALF, reading)) > 4:
                first[reading] = (data, neighbour, _log(ratio))
                break
    gaps = [10.0**-k for k in range(1, effort.pick(7, 10, 13))]
    losses = [_gap_loss(g, epsilon) for g in gaps]
    grows = of_equality(losses, [math.log(1 / (g * (1 + 2 / 4))) for g in gaps], rtol=1e-3)
    leaks = of_privacy(losses, epsilon) == "leaks" and grows == "holds"
    full = leaks and len(first) == len(READINGS)
    data, neighbour, loss = first.get(READINGS[0], ((), (), losses[0]))
    return Evidence(
        "leaks" if full else "assumes" if first else "holds", "exact",
        "Fewest records whose loss exceeds epsilon = log 4: " + "; ".join(
            f"{reading}: {_plain(d)} and {_plain(e)}, loss {v:.4f}" for reading, (d, e, v) in first.items())
        + f". The pair {{0.5}}, {{0.5, 0.5 + g}} costs log(2/(3g)): {losses[-1]:.2f} at g = {gaps[-1]:g}.",
        cases + len(gaps), published=epsilon, computed=loss,
        counterexample={"epsilon": epsilon, "lower": 0, "upper": 1, "data": _plain(data),
                        "neighbour": _plain(neighbour), "loss": loss} if full else None,
    )  # fmt: skip


def _gap_loss(gap, epsilon, name="rank_interval_law"):
    law = getattr(median, name)
    pair = (law(x, 0, 1, epsilon) for x in ([0.5], [0.5, 0.5 + gap]))
    return median.density_loss(*pair)


def _plain(data):
    return [float(x) for x in data]


# The value mechanism -------------------------------------------------------------------------


def value_densities(data, edges, w):
    """Density of the exponential mechanism over values on each cell, from the definition."""
    weights = [w ** abs(len(data) - 2 * sum(x <= a for x in data)) for a in edges[:-1]]
    total = sum(v * (b - a) for v, a, b in zip(weights, edges, edges[1:]))
    return [v / total for v in weights]


def value_ratio(data, neighbour, w):
    """Largest ratio of the value mechanism's densities on two data sets."""
    edges = sorted({Fraction(0), Fraction(1), *data, *neighbour})
    pair = [value_densities(d, edges, w) for d in (data, neighbour)]
    return max(max(p / q, q / p) for p, q in zip(*pair))


def value_search(n, near, replace=False, w=HALF):
    """Largest ratio over neighbours of at most n records on 0, near, 1/2, 1 - near, 1, and where.

    Each law is compared with `median.interval_law`; the last entry is the largest difference.
    """
    grid, found, error, cases = (
        [Fraction(0), near, HALF, 1 - near, Fraction(1)], (Fraction(0), (), ()), 0.0, 0
    )  # fmt: skip
    for size in range(n):
        for data in combinations_with_replacement(grid, size):
            ends = [tuple(sorted((*data, x))) for x in grid]
            pairs = combinations(ends, 2) if replace else ((data, e) for e in ends)
            for one, other in pairs:
                cases += 1
                found = max(found, (value_ratio(one, other, w), one, other), key=lambda f: f[0])
            error = max(error, _law_error(data, w))
    return *found, cases, error


def _law_error(data, w):
    edges = [Fraction(0), *sorted(data), Fraction(1)]
    exact = [d * (b - a) for d, a, b in zip(value_densities(data, edges, w), edges, edges[1:])]
    # a cell of length 0 has probability 0 in both, whatever its count
    law = median.interval_law(_plain(data), 0, 1, -2 * math.log(w))
    return float(np.abs(law.probabilities - np.array(exact, float)).max())


@claim(
    "diprime-v2/median-by-value",
    "Section 3.1",
    "holds",
    "thm-value-private",
    ("median.interval_law", "median.density_loss"),
)
def by_value(effort, rng):
    r"""Drawing $r$ with density proportional to $e^{\epsilon_s q(r)/2}$, $q(r) =
    -|\#\text{left} - \#\text{right}|$, is $\epsilon_s$-private (under add-remove)."""
    n, epsilon = effort.pick(3, 4, 6), math.log(4)
    near = [Fraction(1, 10**k) for k in (2, 4, 12)]
    runs = [value_search(n, d) for d in near]
    ratio, one, other, *_ = runs[-1]
    strict = all(r[0] < 4 for r in runs)
    agree = max(r[4] for r in runs) < 1e-12
    verdict = of_privacy([math.log(r[0]) for r in runs], epsilon)
    return Evidence(
        verdict if strict and agree else "leaks" if not strict else "fails", "exact",
        f"All neighbours of at most {n} records: the largest ratio is e^epsilon times "
        + ", ".join(f"1 - {float(1 - r[0] / 4):.3g}" for r in runs)
        + f" as the outer records come within {', '.join(f'{float(d):g}' for d in near)} of the bounds: "
        "the supremum is e^epsilon and no pair attains it.",
        sum(r[3] for r in runs), published=epsilon, computed=math.log(ratio),
        counterexample=None if strict and agree else {"data": _plain(one), "neighbour": _plain(other)},
    )  # fmt: skip


@claim(
    "diprime-v2/median-by-value-replace-one",
    "ours; section 3.1 with appendix A",
    "holds",
    "thm-value-private",
    ("median.interval_law",),
    ours=True,
)
def by_value_replaced(effort, rng):
    r"""Under replace-one the same draw costs $2\epsilon_s$, from two records on, and at the
    rate $\epsilon_s/4$ it costs $\epsilon_s$; both are suprema."""
    near = Fraction(1, 10**12)
    single = value_search(1, near, replace=True)[0]
    ratio, one, other, cases, _ = value_search(effort.pick(3, 4, 5), near, replace=True)
    pair = [median.interval_law(_plain(d), 0, 1, math.log(16), "replace-one") for d in (one, other)]
    halved = median.density_loss(*pair)  # rate log(16)/4, the same as the search
    verdict = of_privacy([math.log(ratio), halved], [2 * math.log(4), math.log(16)], rtol=1e-6)
    family = [float(value_ratio(*swapped(m, near), HALF)) for m in range(2, effort.pick(8, 12, 20))]
    good = verdict == "holds" and single == 1 and ratio < 16 and min(family) > 16 * (1 - 1e-6)
    return Evidence(
        "holds" if good else "fails", "exact",
        f"One record: ratio {single}. From two on the largest ratio is e^(2 epsilon) times "
        f"1 - {float(1 - ratio / 16):.2g}, first between {_plain(one)} and {_plain(other)}; "
        f"for each number of records up to {len(family) + 1} it is as near on a family of pairs.",
        cases + len(family), published=2 * math.log(4), computed=math.log(ratio),
        counterexample=None if good else {"data": _plain(one), "neighbour": _plain(other)},
    )  # fmt: skip


def swapped(n, near):
    """Neighbours of n records: one goes from 0 to 1, over the one or two near 0; the rest are at the ends."""
    middle, ends = (near,) * (1 + n % 2), (n - 2) // 2 if n % 2 == 0 else (n - 3) // 2
    one, other = (0,) * (ends + 1) + middle + (1,) * ends, (0,) * ends + middle + (1,) * (ends + 1)
    return tuple(tuple(map(Fraction, data)) for data in (one, other))


@by_rank.corrected(
    "thm-value-private",
    ("median.interval_law", "median.density_loss"),
    where="ours; v2, section 3.1",
)
def by_rank_corrected(effort, rng):
    r"""Drawing the value itself, with each interval weighted by its length, costs less than
    $\epsilon_1$ whatever the gaps, ties included."""
    cells, epsilon = effort.pick(8, 16, 32), math.log(4)
    grid = [Fraction(i, cells) for i in range(cells + 1)]
    worst = max(
        value_ratio(data, (*data, x), HALF)
        for size in range(3) for data in combinations_with_replacement(grid, size) for x in grid
    )  # fmt: skip
    gaps = [0.0, *(10.0**-k for k in range(1, effort.pick(7, 10, 13)))]
    losses = [_gap_loss(g, epsilon, "interval_law") for g in gaps]
    good = worst < 4 and of_privacy([*losses, math.log(worst)], epsilon) in ("holds", "loose")
    return Evidence(
        "holds" if good else "fails", "exact",
        f"On a grid of {cells + 1} values, ties included, up to three records cost at most "
        f"{math.log(worst):.4f}; the pairs that break the rank mechanism at most {max(losses):.4f}; "
        f"epsilon is {epsilon:.4f}.",
        len(grid) * math.comb(len(grid) + 2, 2) + len(gaps), published=epsilon,
        computed=max(*losses, math.log(worst)),
        counterexample=None if good else {"losses": losses, "grid": math.log(worst)},
    )  # fmt: skip
