r"""What the claims on splits share: squared errors and laws from the definition, and losses of nodes.

Targets lie in [0, 1] with :math:`R^2/(8B^2) = \frac12`, as on [-B, B]: a unit of SSE weighs half of
the budget.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np

from dplit import median_forest as laws
from dplit.mechanisms import PermuteAndFlip

GRID = (0.25, 0.5, 0.75)  # values in the enumeration; cells of length 1/4 between them
HALF_RATE = 0.5  # R^2 / (8 B^2)


def sse(targets):
    """Sum of squared errors, from the definition; exact on fractions."""
    mean = Fraction(sum(targets), len(targets)) if targets else 0
    return sum((y - mean) ** 2 for y in targets)


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
    """Laws over (column, cell) of the grid, from the definition: candidates, joint, joint by flips."""
    n, edges = len(records), (0.0, *GRID, 1.0)
    law, odds = np.empty((2, columns, len(edges) - 1))
    for a, (j, low) in product(range(columns), enumerate(edges[:-1])):
        left = [r[-1] for r in records if r[a] <= low]
        right = [r[-1] for r in records if r[a] > low]
        law[a, j] = math.exp(-epsilon / 2 * abs(n - 2 * len(left)))
        odds[a, j] = math.exp(-rate * (sse(left) + sse(right)))
    joint, median = law * odds, law / law.sum(axis=1, keepdims=True)
    flips = PermuteAndFlip(1.0, monotonic=True).pmf(np.log(joint.sum(axis=1)))
    flipped = flips[:, None] * joint / joint.sum(axis=1, keepdims=True)
    published = np.zeros_like(law)
    for cuts in product(range(law.shape[1]), repeat=columns):
        at = (np.arange(columns), cuts)
        published[at] += median[at].prod() * odds[at] / odds[at].sum()
    return published, joint / joint.sum(), flipped
