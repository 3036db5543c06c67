"""What the claims on consistency share: chances and an exact chain, without a line of `dplit.consistency`."""

from fractions import Fraction
from functools import cache
from itertools import permutations

from dplit.court.ledger.compare import frequency

BUDGETS = (0.0, 2.0, 10.0)


def thinned(values, rng):
    """Whether a uniform number is below each of values in [0, 1]: an event with their mean as probability."""
    return rng.random(len(values)) < values


def counted_only(events):
    """The interval of a share that others are held against."""
    return frequency(events, (-1, 2))


@cache
def transitions(n):
    """Law of the points on X's side of the cut, in fractions: every two places of cut and X, n + 2 in all."""
    law = [Fraction(0)] * (n + 1)
    for cut, x in permutations(range(n + 2), 2):
        law[cut - 1 if x < cut else n - cut] += Fraction(1, (n + 1) * (n + 2))
    return law


@cache
def leaf_law(n, k):
    """Law of the leaf's count in fractions, a tuple of k + 1, by the chain; n is at least the count."""
    if n <= k:
        return tuple(Fraction(int(m == n)) for m in range(k + 1))
    steps = transitions(n)
    below = [steps[j] / (1 - steps[n]) for j in range(n)]
    laws = [leaf_law(j, k) for j in range(n)]
    return tuple(sum(p * law[m] for p, law in zip(below, laws)) for m in range(k + 1))


@cache
def depth_law(n, k, longest):
    """Probabilities of 0..longest cuts above the leaf, in fractions, by the chain."""
    if n <= k or longest < 0:
        return tuple(Fraction(int(i == 0 and n <= k)) for i in range(max(longest, 0) + 1))
    steps, law = transitions(n), [Fraction(0)] * (longest + 1)
    for j, chance in enumerate(steps):
        for i, p in enumerate(depth_law(j, k, longest - 1)[:longest]):
            law[i + 1] += chance * p
    return tuple(law)
