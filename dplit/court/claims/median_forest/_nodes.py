r"""Squared errors and losses of nodes; targets in [0, 1] with :math:`R^2/(8B^2) = \frac12`, as on [-B, B]."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np

from dplit import median_forest as laws

GRID = (0.25, 0.5, 0.75)  # values in the enumeration; cells of length 1/4 between them
HALF_RATE = 0.5  # R^2 / (8 B^2)


def sse(targets):
    """Sum of squared errors, from the definition, each distinct target once; exact on fractions."""
    if not targets:
        return 0
    counts = Counter(targets)
    mean = Fraction(sum(y * n for y, n in counts.items()), len(targets))
    return sum(n * (y - mean) ** 2 for y, n in counts.items())


def sizes(effort, epsilon):
    """A large crossed node, near the supremum: records, and the log odds of the second cuts."""
    large = (2 * 10**4, 160, 80, -10), (10**5, 160, 80, -10), (10**6, 400, 200, -12)
    half, few, fewer, log_odds = effort.pick(*large)
    few, fewer = (math.ceil(m / epsilon) for m in (few, fewer))
    return {"half": half, "few": few, "fewer": fewer, "log_odds": log_odds}


def limit(law, columns, epsilon, effort, mechanism="exponential"):
    """Loss on the node of these `sizes`."""
    half, few, fewer, log_odds = sizes(effort, epsilon).values()
    gaps = [1 / (1 + math.exp(log_odds + epsilon * m)) for m in (few, fewer)]
    node = laws.crossed(half, few, fewer, columns, gaps)
    return laws.removal_loss(law, node, epsilon, HALF_RATE * epsilon, mechanism)


def grid_losses(effort, epsilon, columns=2):
    """Largest loss of each law in `_cell_laws` over all neighbours of at most n grid records."""
    universe = list(product(*[GRID] * columns, (0, 1)))
    known, worst, cases = {}, np.zeros(3), 0
    for n in range(effort.pick(2, 3, 4)):
        for data in combinations_with_replacement(universe, n):
            for record in universe:
                pair = [data, tuple(sorted((*data, record)))]
                for d in pair:
                    if d not in known:
                        known[d] = _cell_laws(d, columns, epsilon, HALF_RATE * epsilon)
                both = zip(known[pair[0]], known[pair[1]])
                worst = np.maximum(worst, [np.abs(np.log(p / q)).max() for p, q in both])
                cases += 1
    return worst, cases


def _cell_laws(records, columns, epsilon, rate):
    """The laws over (column, cell of the grid): candidates, joint, joint by flips."""
    data = np.array(records, dtype=float).reshape(-1, columns + 1)
    node = laws.Node(data[:, :-1], data[:, -1])
    found = (
        laws.candidates_law(node, epsilon, rate),
        laws.joint_law(node, epsilon, rate),
        laws.joint_law(node, epsilon, rate, "permute-and-flip"),
    )
    return [_on_cells(node, law) for law in found]


def _on_cells(node, law):
    """A law over the cuts of a node as one over (column, cell), in proportion to lengths."""
    cells, found, start = np.array([0.0, *GRID, 1.0]), [], 0
    for values in node.columns.T:
        edges = np.unique([0.0, *values, 1.0])
        density = law[start : start + len(edges) - 1] / np.diff(edges)
        found.append(density[np.searchsorted(edges, cells[1:]) - 1] * np.diff(cells))
        start += len(edges) - 1
    return np.array(found)
