"""Our claim on the grid: the laws of this chapter are real, the program's cuts are whole numbers."""

from fractions import Fraction
from itertools import accumulate, combinations_with_replacement, pairwise

import numpy as np

from dplit import median_forest as laws
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, note
from dplit.domain import GRID, Continuous, Domain
from dplit.trees.grid import to_cells

UNIT = Domain([Continuous(0, 1)])
FINEST = 2**12  # values are multiples of its inverse: within a step too
CUTS = Box("thm-forest-grid", "median_forest.grid_distance")


@CUTS("diprime-v2/grid", "ours; section 3.1")
def grid(effort, rng):
    r"""Divide a column's range into $m$ equal steps, move its $n$ records to the nearest grid points, and draw an
    interval in proportion to its number of steps times its weight $w$. In total variation the distribution of the
    cut is then within $n \max w/(2m\bar w)$ of that of the real cut, ties included; no smaller factor is enough.
    The program uses $m = 2^{32}$."""
    more = effort.pick(0, 1, 2)
    for steps, most in ((16, 3), (64, 2), (1024, 1)):
        for values in _records(most + more, steps):
            for weights in _weights(len(values)):
                share = _share_of_bound(values, weights, steps)
                if share is not None:
                    data = {"values": [str(v) for v in values], "steps": steps}
                    yield at_most(share, 1.0, rtol=0.0, **data, weights=[str(w) for w in weights])
    thousand = float(laws.grid_distance(1000, 1.0, 0.5, steps=GRID))
    return note(
        "{cases} laws in fractions: at most {exact:.4g} times the bound, at records {values}. On the package's "
        f"grid it is {thousand:.1e} for 1,000 records whose largest weight is twice the mean one.",
        quantity="total variation distance of two laws of a cut, in the bound",
        range="three records on 16 steps, two on 64, one on 1,024, or more; four kinds of weights",
    )


def _records(most, steps):
    """Sorted records of [0, 1]: on grid points, half a step off, nearer to each other than a step, tied."""
    step = FINEST // steps
    places = (0, step // 4, step // 2, 3 * step // 2, 7 * step // 4, 5 * FINEST // 8 + step // 2, FINEST)
    for n in range(1, most + 1):
        for chosen in combinations_with_replacement(places, n):
            yield [Fraction(k, FINEST) for k in chosen]


def _weights(n):
    """By balance at two rates, and such as a joint draw may have: one side or one interval alone."""
    for base in (2, 16):
        yield [Fraction(1, base ** abs(n - 2 * j)) for j in range(n + 1)]
    yield [Fraction(int(j == 0)) for j in range(n + 1)]
    yield [Fraction(1 + 7 * (j % 2)) for j in range(n + 1)]


def _share_of_bound(values, weights, steps):
    """Distance of the two laws of a cut's step, in the bound; None where no cut has a weight."""
    cells = to_cells(UNIT, np.array(values, dtype=float)[:, None], steps)[:, 0]
    drawn = [weights[int((cells <= c).sum())] for c in range(steps)]
    lengths = [b - a for a, b in pairwise([Fraction(0), *values, Fraction(1)])]
    mean, total = sum(w * length for w, length in zip(weights, lengths)), sum(drawn)
    if not (mean and total):
        return None
    real = _real_law(values, weights, lengths, steps)
    distance = sum(abs(p - q / total) for p, q in zip(real, drawn)) / 2
    alive = {w for w, length in zip(weights, lengths) if length} | {*drawn}
    return distance / laws.grid_distance(len(values), max(alive), mean, steps=steps)


def _real_law(values, weights, lengths, steps):
    """Probability of each step under the law of the reals."""
    edges = [Fraction(0), *values]
    reached = [0, *accumulate(w * length for w, length in zip(weights, lengths))]

    def below(t):
        j = sum(v <= t for v in values)
        return reached[j] + weights[j] * (t - edges[j])

    marks = [below(Fraction(c, steps)) for c in range(steps + 1)]
    return [(b - a) / reached[-1] for a, b in pairwise(marks)]
