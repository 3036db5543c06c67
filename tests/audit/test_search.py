"""The search finds each small leak of the ledger without being told, and none where there is none."""

import itertools

import mpmath
import numpy as np
import pytest

from dplit.court.audit import search
from dplit.mechanisms import PermuteAndFlip


@pytest.mark.parametrize("name", search.KNOWN)
def test_a_leak_is_rediscovered(name):
    claim = search.KNOWN[name]()
    case = search.rediscover(name)
    assert case.loss > claim.epsilon
    assert not name.startswith("smooth") or (case.data, case.neighbour) == ((1, 0), (2, 0))


def test_nothing_is_found_where_nothing_leaks():
    sound = search.KNOWN["add-remove rate under replace-one"]()
    halved = sound._replace(law=PermuteAndFlip(1.0))
    assert search.every_pair(halved) is None
    assert search.every_pair(search.KNOWN["equal parts under add-remove"]()) is not None


@pytest.mark.parametrize("seed", [1, 3])
def test_the_climb_finds_candidates_that_cost_more(seed):
    """The loss of what it found, anew, with fifty digits and by another road."""
    groups, loss = search.candidates_climb(1.0, 0.2, rng=np.random.default_rng(seed))
    assert 1.2 < loss < 2.1
    assert float(_loss(groups, 1.0, 0.1)) == pytest.approx(loss, rel=1e-6)


def _loss(groups, epsilon, rate):
    smaller = groups._replace(sizes=(groups.sizes[0] - 1, *groups.sizes[1:]))
    with mpmath.workdps(50):
        laws = [_winner(g, mpmath.mpf(epsilon), mpmath.mpf(rate)) for g in (groups, smaller)]
        return max(abs(mpmath.log(laws[0][o] / laws[1][o])) for o in laws[0])


def _winner(groups, epsilon, rate):
    """Law of (column, cut): each column draws its median, the exponential mechanism picks by SSE."""
    columns = [_cuts(groups, j, epsilon) for j in range(2)]
    law = {}
    for (a, (p, s)), (b, (q, t)) in ((x, y) for x in columns[0].items() for y in columns[1].items()):
        first = 1 / (1 + mpmath.exp(rate * (s - t)))
        law[0, a] = law.get((0, a), 0) + p * q * first
        law[1, b] = law.get((1, b), 0) + p * q * (1 - first)
    return law


def _cuts(groups, j, epsilon):
    """Probability and sum of squared errors of a cut in each interval of positive length."""
    n = sum(groups.sizes)
    places = sorted({0.0, 1.0, *(row[j] for row in groups.columns)})
    found = {}
    for low, high in itertools.pairwise(places):
        left = [i for i, row in enumerate(groups.columns) if row[j] <= low]
        right = [i for i in range(len(groups.sizes)) if i not in left]
        n_left = sum(groups.sizes[i] for i in left)
        weight = (mpmath.mpf(high) - mpmath.mpf(low)) * mpmath.exp(-epsilon / 2 * abs(n - 2 * n_left))
        found[low] = weight, sum(_errors(groups, side) for side in (left, right))
    total = sum(weight for weight, _ in found.values())
    return {cut: (weight / total, errors) for cut, (weight, errors) in found.items()}


def _errors(groups, side):
    n = sum(groups.sizes[i] for i in side)
    ones = sum(groups.sizes[i] for i in side if groups.targets[i] == 1)
    return mpmath.mpf(ones) * (n - ones) / n if n else mpmath.mpf(0)
