"""What the sensitivity claims of both DiPriMe papers share: a formula beside an enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from dplit import sensitivity
from dplit.errors import NEIGHBOURS
from dplit.ledger import Evidence, of_equality, of_upper_bound


def searched(statistic, sizes, bounds, neighbours=NEIGHBOURS, **options):
    """Sensitivities by enumeration: a list of (n, lower, upper, neighbours, WorstCase)."""
    return [
        (n, Fraction(low), Fraction(high), relation, sensitivity.worst_case(
            statistic, n, low, high, relation, **options))
        for relation in neighbours for low, high in bounds for n in sizes
    ]  # fmt: skip


def plain(data):
    """Records as JSON-able numbers."""
    return [float(r) if not isinstance(r, tuple) else [r[0], float(r[1])] for r in data]


def mean_evidence(sizes, bounds):
    """The mean's published sensitivity against enumeration, add-remove from two records on."""
    found = searched(sensitivity.mean_of, sizes, bounds)
    exact = [w.value for *_, w in found]
    published = [sensitivity.published_mean(n, low, high) for n, low, high, _, _ in found]
    verdict = "holds" if exact == published else of_upper_bound(exact, published)
    n, *_, worst = found[-1]
    return Evidence(
        verdict, "exact",
        f"{len(found)} enumerations, both relations: equal to R/N in "
        f"{sum(a == b for a, b in zip(exact, published))} of them",
        cases=len(found), published=float(published[-1]), computed=float(worst.value),
        counterexample=None if verdict != "fails" else
        {"n": n, "data": plain(worst.data), "neighbour": plain(worst.neighbour)},
    )  # fmt: skip


def bound_evidence(found, published):
    """A published bound against enumerated worst cases, shown where the two come nearest."""
    exact = [w.value for *_, w in found]
    ratio = [float(p / e) if e else np.inf for p, e in zip(published, exact)]
    near = int(np.argmin(ratio))
    n, low, high, relation, worst = found[near]
    verdict = of_upper_bound(exact, published)
    finite = [r for r in ratio if r < np.inf]
    return Evidence(
        verdict, "exact",
        f"{len(found)} enumerations: published over exact between {min(finite):.4g} and "
        f"{max(finite):.4g}, nearest at N={n} on [{low}, {high}]",
        cases=len(found), published=float(published[near]), computed=float(worst.value),
        counterexample=None if verdict != "fails" else {
            "n": n, "lower": float(low), "upper": float(high), "neighbours": relation,
            "data": plain(worst.data), "neighbour": plain(worst.neighbour),
        },
    )  # fmt: skip


def equality_evidence(found, closed, note):
    """A closed form against enumerated worst cases, shown at the last."""
    exact = [w.value for *_, w in found]
    return equal_numbers(exact, closed, note)


def equal_numbers(exact, closed, note):
    """Two lists of fractions, the first difference shown as the counterexample."""
    verdict = of_equality(np.array(exact, float), np.array(closed, float), rtol=1e-12)
    wrong = next((i for i, (a, b) in enumerate(zip(exact, closed)) if a != b), None)
    at = -1 if wrong is None else wrong
    return Evidence(
        verdict, "exact", f"{len(exact)} {note}", cases=len(exact),
        published=float(closed[at]), computed=float(exact[at]),
        counterexample=None if verdict == "holds" else {"case": wrong},
    )  # fmt: skip


def mse_families(effort, bounds):
    """Worst cases of one set's MSE and of a partition's, both relations."""
    alone = searched(sensitivity.mse_of, range(1, effort.pick(7, 9, 12)), bounds)
    parted = searched(sensitivity.split_mse_of, range(1, effort.pick(5, 6, 7)), bounds, sides=2)
    return alone + parted


INNER = 8  # up to this size targets between the bounds are tried too; convexity rules them out


def sse_gap(n, removed, low, high):
    """Largest fall of the sum of squared errors as records leave, by enumerating grid data."""
    low, high = Fraction(low), Fraction(high)
    grid = (low, (low + high) / 2, high) if n <= INNER else (low, high)
    stay = list(combinations_with_replacement(grid, n - removed))
    leave = list(combinations_with_replacement(grid, removed))
    value, data, left = max(
        (sensitivity.sse_of(a + b) - sensitivity.sse_of(a), a + b, a) for a in stay for b in leave
    )
    return sensitivity.WorstCase(value, data, left)


def sse_gaps(sizes, bounds):
    """(n, removed, lower, upper, WorstCase) for every number of removed records from 1 to n."""
    return [
        (n, removed, Fraction(low), Fraction(high), sse_gap(n, removed, low, high))
        for low, high in bounds for n in sizes for removed in range(1, n + 1)
    ]  # fmt: skip


def sse_bound_evidence(effort, bounds):
    """4 B^2 delta against enumeration."""
    gaps = sse_gaps(range(1, effort.pick(9, 14, 24)), bounds)
    published = [sensitivity.published_sse(d, low, high) for _, d, low, high, _ in gaps]
    return bound_evidence([(n, low, high, "", w) for n, _, low, high, w in gaps], published)


def sse_equality_evidence(effort, bounds):
    """k (N - k) / N R^2 against enumeration."""
    gaps = sse_gaps(range(1, effort.pick(9, 14, 24)), bounds)
    return equal_numbers(
        [w.value for *_, w in gaps],
        [sensitivity.sse_removed(n, d, low, high) for n, d, low, high, _ in gaps],
        "pairs of N and number removed: equal to k(N-k)R^2/N, k = min(removed, N//2), in each",
    )
