"""Both DiPriMe papers on the private median of a column of numbers.

v1, section 3 and algorithm 3; v2, section 3.1.
"""

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise

import numpy as np

from dplit import median
from dplit.court.claims.median._ratios import EPSILON, HALF, log, plain, strictly
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import need, note, private, same

LAWS = "median.interval_law", "median.density_loss"
RANK = Box("thm-rank-leaks", "median.rank_law", "median.rank_interval_law", "median.density_loss")
VALUE = Box("thm-value-private", *LAWS)
READINGS = ("every interval", "between records", "as printed")


def _rank_parts(data, reading):
    """v1's law as parts (low, high, probability), each uniform, on the range [0, 1].

    "every interval" takes j = 0, ..., N; "between records" j = 1, ..., N - 1; "as printed"
    j = 1, ..., N, where j = N has no next record. Without an interval the whole range is drawn
    from, as in lines 45 and 46 of algorithm 3.
    """
    n, places = len(data), [Fraction(0), *sorted(data), Fraction(1)]
    ranks = dict(zip(READINGS, (range(n + 1), range(1, n), range(1, n + 1))))[reading]
    total = sum(HALF ** abs(n - 2 * j) for j in ranks)
    if not total:
        return [(places[0], places[-1], Fraction(1))]
    whole = reading == "as printed"
    return [(*((0, 1) if whole and j == n else places[j : j + 2]), HALF ** abs(n - 2 * j) / total) for j in ranks]


def _rank_ratio(data, neighbour, reading):
    """Largest ratio of the rank mechanism's densities on two data sets without ties."""
    laws = [_rank_parts(d, reading) for d in (data, neighbour)]
    edges = sorted({Fraction(0), Fraction(1), *data, *neighbour})
    pairs = [[_density(law, (a + b) / 2) for law in laws] for a, b in pairwise(edges)]
    return max(max(p / q, q / p) if p and q else math.inf for p, q in pairs if p or q)


def _density(parts, r):
    """Density at r, which is no edge."""
    return sum((p / (high - low) for low, high, p in parts if low < r < high), Fraction(0))


def _up_to_a_leak(reading, grid):
    """Add-remove neighbours of at most two records, fewest first, up to the first that cost too much."""
    for size in range(2):
        for data in combinations(grid, size):
            for neighbour in ((*data, x) for x in grid if x not in data):
                loss = log(_rank_ratio(data, neighbour, reading))
                shown = {"data": plain(data), "neighbour": plain(neighbour), "reading": reading}
                case = private(loss, EPSILON, epsilon=EPSILON, lower=0, upper=1, **shown)
                yield case
                if not case.good:
                    return


def _gap_losses(law, gaps):
    """(gap, loss) of one record at 1/2 and of two, the second at this gap from it."""
    for gap in gaps:
        pair = (law(x, 0, 1, EPSILON) for x in ([0.5], [0.5, 0.5 + gap]))
        yield gap, median.density_loss(*pair)


@RANK(
    "diprime-v1/median-by-rank",
    "Section 3; algorithm 3, lines 43 to 46",
    "leaks",
    range="three readings, two records on grids of up to 16 cells, gaps down to 1e-6",
)
def by_rank(effort, rng):
    r"""To order the observations, to select the $j$-th by the exponential mechanism,
    $\Pr(j) \propto e^{-\frac{\epsilon_1}{2}|N_i - 2j|}$, and then a value uniform between it and the
    next record is an $\epsilon_1$-private median. (Section 3 counts half of $\epsilon_1$ for it.)"""
    cells = effort.pick(16, 32, 64)
    grid = [Fraction(i, cells) for i in range(1, cells)]
    searches = {reading: list(_up_to_a_leak(reading, grid)) for reading in READINGS}
    for reading, search in searches.items():
        yield need(not search[-1].good, broken="assumes", reading=reading)
    gaps = [10.0**-k for k in range(1, effort.pick(7, 10, 13))]
    found = list(_gap_losses(median.rank_interval_law, gaps))
    for gap, loss in found:
        yield same(loss, math.log(2 / (3 * gap)), 1e-3, broken="fails", gap=gap)
    for search in searches.values():
        yield from search
    yield from (private(loss, EPSILON, gap=gap) for gap, loss in found)
    return note(
        "{data} and {neighbour} cost {exact:.4f} where epsilon is {stated:.4f}, and each other "
        "reading leaks too. A gap g between two records costs log(2/(3g)).",
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


def _strictly(pair, limit):
    """The ratio of a pair of data sets below a limit."""
    data, neighbour = pair
    return strictly(_value_ratio(*pair), limit, data=plain(data), neighbour=plain(neighbour))


def _near_the_ends(near):
    return [Fraction(0), near, HALF, 1 - near, Fraction(1)]


def _added(grid, n):
    """Add-remove neighbours of at most n records on the grid, ties included."""
    for size in range(n):
        for data in combinations_with_replacement(grid, size):
            yield from ((data, (*data, x)) for x in grid)


def _replaced(grid, n):
    """Replace-one neighbours of at most n records on the grid, ties included."""
    for size in range(n):
        for shared in combinations_with_replacement(grid, size):
            yield from combinations([(*shared, x) for x in grid], 2)


def _law_error(data):
    """Distance of `median.interval_law` from the definition, in probability of an interval."""
    edges = [Fraction(0), *sorted(data), Fraction(1)]
    exact = [d * (b - a) for d, a, b in zip(_value_densities(data, edges), edges, edges[1:])]
    # a cell of length 0 has probability 0 in both, whatever its count
    law = median.interval_law(plain(data), 0, 1, EPSILON)
    return float(np.abs(law.probabilities - np.array(exact, float)).max())


@VALUE(
    "diprime-v2/median-by-value",
    "Section 3.1",
    range="add-remove, all data of up to 3 records on a grid, ties included, in fractions",
)
def by_value(effort, rng):
    r"""Drawing $r$ with density proportional to $e^{\epsilon_s q(r)/2}$, $q(r) =
    -|\#\text{left} - \#\text{right}|$, is $\epsilon_s$-private (under add-remove)."""
    n = effort.pick(3, 4, 6)
    grids = [_near_the_ends(Fraction(1, 10**k)) for k in (12, 4, 2)]
    pairs = [pair for grid in grids for pair in _added(grid, n)]
    for data in dict.fromkeys(data for data, _ in pairs):
        yield same(_law_error(data), 0.0, atol=1e-12, data=plain(data))
    yield from (_strictly(pair, 4) for pair in pairs)
    return note(
        f"{len(pairs)} pairs of neighbours, none at a loss of epsilon = {{stated:.4f}}; {{data}} and "
        "{neighbour} come nearest: the closer the outer records are to the bounds, the nearer.",
        quantity="privacy loss",
    )


@VALUE(
    "diprime-v2/median-by-value-replace-one",
    "ours; section 3.1 with appendix A",
    "holds",
    "median.interval_law",
    range="replace-one, all data of up to 3 records on a grid, and swaps of up to 7",
)
def by_value_replaced(effort, rng):
    r"""Under replace-one the same draw costs $2\epsilon_s$, for two records or more, and at
    the rate $\epsilon_s/4$ it costs $\epsilon_s$; both are suprema."""
    near = Fraction(1, 10**12)
    grid = _near_the_ends(near)
    yield from (same(_value_ratio(*pair), 1) for pair in _replaced(grid, 1))
    family = [_swapped(m, near) for m in range(2, effort.pick(8, 12, 20))]
    yield from (same(_value_ratio(*pair), 16, 1e-6) for pair in family)
    yield same(math.exp(_quarter_rate_loss(*_swapped(3, near))), 16, 1e-6)
    pairs = [*_replaced(grid, effort.pick(3, 4, 5)), *family]
    yield from (_strictly(pair, 16) for pair in pairs)
    return note(
        f"{len(pairs)} pairs of neighbours, none at a loss of 2 epsilon = {{stated:.4f}}; nearest are {{data}} "
        "and {neighbour}. Every larger number of records comes as near. One record costs nothing.",
        quantity="privacy loss",
    )


def _quarter_rate_loss(one, other):
    """Loss of the package's law for replace-one at epsilon log 16: its rate is that of the fractions."""
    pair = (median.interval_law(plain(d), 0, 1, math.log(16), "replace-one") for d in (one, other))
    return median.density_loss(*pair)


def _swapped(n, near):
    """Neighbours of n records: one goes from 0 to 1, over the one or two near 0; the rest are at the ends."""
    middle, ends = (near,) * (1 + n % 2), (n - 2) // 2 if n % 2 == 0 else (n - 3) // 2
    one, other = (0,) * (ends + 1) + middle + (1,) * ends, (0,) * ends + middle + (1,) * (ends + 1)
    return tuple(tuple(map(Fraction, data)) for data in (one, other))


@VALUE.corrected(
    by_rank, where="ours; v2, section 3.1", range="the data that break the rank, with gaps down to 1e-6 and ties"
)
def by_value_instead(effort, rng):
    r"""Drawing the value itself, with each interval weighted by its length, costs less than $\epsilon_1$ under
    add-remove for all gaps between the records, ties included."""
    cells = effort.pick(8, 16, 32)
    worst = 0.0
    for data, neighbour in _added([Fraction(i, cells) for i in range(cells + 1)], 3):
        loss = log(_value_ratio(data, neighbour))
        worst = max(worst, loss)
        shown = {"data": plain(data), "neighbour": plain(neighbour)}
        yield need(loss < EPSILON, loss, "<", EPSILON, **shown)
    gaps = [0.0, *(10.0**-k for k in range(1, effort.pick(7, 10, 13)))]
    for gap, loss in _gap_losses(median.interval_law, gaps):
        worst = max(worst, loss)
        yield need(loss < EPSILON, loss, "<", EPSILON, gap=gap)
    return note(
        f"Up to three records on {cells + 1} values, and the pairs that break the rank mechanism: "
        f"each loss is at least {EPSILON - worst:.1g} below epsilon.",
        quantity="privacy loss",
    )
