"""What the claims on consistency share: events counted in draws, and the exact chain in fractions.

Nothing here comes from `dplit.consistency`: the chain lists orderings of the cut, X and the points.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from dplit.ledger import Evidence, interval

BUDGETS = (0.0, 2.0, 10.0)


class Count(NamedTuple):
    """An event that was counted in independent draws, what is stated of it, and the setting."""

    events: int
    draws: int
    stated: float
    data: Mapping


def thinned(values, rng):
    """How often a uniform number is below values in [0, 1]: an event with their mean as probability."""
    return int((rng.random(len(values)) < values).sum())


def at_most(counts, note, broken="fails", **fields):
    """Evidence that probabilities are at most what is stated: an interval above it breaks it.

    `note` is filled in with `cases` and the shown case's data; shown is the first case that breaks the
    statement, else the one nearest to it.
    """
    return _evidence(counts, lambda low, high, stated: low <= stated, "<=", note, broken, fields)


def equals(counts, note, broken="fails", **fields):
    """Evidence that probabilities are what is stated: an interval that misses it breaks it."""
    inside = lambda low, high, stated: low <= stated <= high  # noqa: E731
    return _evidence(counts, inside, "within", note, broken, fields)


def _evidence(counts, good, relation, note, broken, fields):
    counts = list(counts)
    spans = [interval(c.events, c.draws) for c in counts]
    bad = [i for i, c in enumerate(counts) if not good(*spans[i], c.stated)]
    nearest = max(range(len(counts)), key=lambda i: _rate(counts[i]) / max(counts[i].stated, 1e-12))
    shown = counts[bad[0] if bad else nearest]
    found = {"observed": _rate(shown), "stated": float(shown.stated), **shown.data}
    return Evidence(
        broken if bad else "holds",
        "simulated",
        note.format(cases=len(counts), **found),
        cases=sum(c.draws for c in counts),
        published=float(shown.stated),
        computed=_rate(shown),
        relation=relation,
        intervals=tuple(spans),
        counterexample=found if bad else None,
        **fields,
    )


def _rate(count):
    return count.events / count.draws


@cache
def transitions(n):
    """Law of the points on X's side of the cut, in fractions: every two places of cut and X, n + 2 in all."""
    law = [Fraction(0)] * (n + 1)
    for cut in range(n + 2):
        for x in range(n + 2):
            if x != cut:
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
