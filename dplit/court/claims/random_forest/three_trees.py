"""Claim of ours on RDF, section 4.2: three trees; records are (leaf in each tree, class), all 0 or 1."""

import math
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, permutations, product
from operator import mul

from dplit import random_forest
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import need, note, same

VOTE = Box("thm-forest-vote", "random_forest.forest_law")


@VOTE("rdf/disjoint-forest", "section 4.2", ours=True, proved=False, kind="certified")
def disjoint_forest(effort, rng):
    r"""If the leaves of the trees differ, the vote of permute-and-flip labels of two classes can be better from
    disjoint parts than from all data. With three trees and one or two records, disjoint parts are better at no
    $\epsilon$; with three records they are better from $\epsilon = 2.62$ on."""
    fewer = {data: min(_excess(data)) for n in (1, 2) for data in _three_trees(n)}
    for data, least in fewer.items():
        yield need(least >= 0, least, ">=", 0, data=data)
    signs = {data: [x > 0 for x in _excess(data) if x] for data in _three_trees(3)}
    for data, s in signs.items():
        yield need(s == sorted(s), data=data)  # one change of sign: one root, by Descartes
    better = [data for data, s in signs.items() if not all(s)]
    start = min(map(_starts, better), default=math.inf)
    yield same(round(start, 2), 2.62)
    first = better[0] if better else next(iter(signs))
    full, shares, by_law = (f(first, 4) for f in (_all_data_vote, _share_vote, _share_vote_by_law))
    yield need(shares == by_law, shares, "=", by_law, data=first)
    yield need(shares < full, shares, "<", full, data=first)
    earlier = sum(least < 0 for least in fewer.values())
    return note(
        f"Shares are better on {len(better)} of {len(signs)} data sets with three records, from epsilon "
        f"{start:.3f} on, and on {earlier} of {len(fewer)} with one or two. On the first, {first} (leaves and "
        f"class of each record), the shares' vote errs with probability {float(shares):.4f} at e^(epsilon/3) = 4, "
        f"and that of all data with {full}.",
        quantity="probability of a wrong vote",
        range="all epsilon > 0; three trees, two classes, all data of at most three records",
    )


def _starts(data):
    """Epsilon from which on shares have the better vote: the one root of the difference, by bisection."""
    low, high = Fraction(1, 100), Fraction(99, 100)
    for _ in range(20):
        u = (low + high) / 2
        low, high = (u, high) if _share_vote(data, 1 / u) < _all_data_vote(data, 1 / u) else (low, u)
    return -3 * math.log(low)


def _three_trees(n):
    """Data of n records, each in leaf 0 of some tree; there class 0 leads in all trees together."""
    kinds = [r for r in product((0, 1), repeat=4) if 0 in r[:3]]
    for data in combinations_with_replacement(kinds, n):
        renamed = (sorted((*(r[t] for t in order), r[-1]) for r in data) for order in permutations(range(3)))
        lead = sum((1 - 2 * r[-1]) * r[:3].count(0) for r in data)
        if lead > 0 and list(data) == min(renamed):
            yield data


def _vote(first):
    """Probability that the vote of three trees is class 1, whose labels are class 0 with `first`."""
    p, q, r = first
    return 1 - (p * q + p * r + q * r - 2 * p * q * r)


def _labels_first(data, trees, odds):
    """Of three trees, in leaf 0: probability of label 0, where record i is counted in `trees`[i]."""
    gaps = [sum(1 - 2 * r[-1] for r, own in zip(data, trees) if t in own and r[t] == 0) for t in range(3)]
    return [1 - Fraction(odds) ** -g / 2 if g >= 0 else Fraction(odds) ** g / 2 for g in gaps]


def _all_data_vote(data, odds):
    """Error of the vote of labels from all records, at e^(epsilon/3) = `odds`."""
    return _vote(_labels_first(data, [(0, 1, 2)] * len(data), odds))


def _share_vote(data, odds):
    """The same from independent shares at epsilon, over all ways to deal the records."""
    deals = product(((0,), (1,), (2,)), repeat=len(data))
    return sum(_vote(_labels_first(data, d, Fraction(odds) ** 3)) for d in deals) / 3 ** len(data)


def _excess(data):
    """Bernstein coefficients on [0, 1] of the error on shares less that on all data.

    It is a polynomial in u = e^(-epsilon/3) of degree 3n at most, three times the gaps of all shares together:
    with no coefficient below 0 shares are better nowhere, and it has at most as many roots in (0, 1) as its
    coefficients change their sign. In fractions, from as many points as there are coefficients.
    """
    points, inverse = _bernstein(3 * len(data))
    values = [_share_vote(data, 1 / u) - _all_data_vote(data, 1 / u) for u in points]
    return [sum(map(mul, row, values)) for row in inverse]


@cache
def _bernstein(n):
    """Points, and the matrix that takes the values there of a polynomial to its Bernstein coefficients."""
    points = [Fraction(i, n + 2) for i in range(1, n + 2)]
    rows = [
        [math.comb(n, k) * u**k * (1 - u) ** (n - k) for k in range(n + 1)] + [Fraction(u == v) for v in points]
        for u in points
    ]
    for i in range(n + 1):  # the matrix of Bernstein polynomials is totally positive: no pivot is 0
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in range(n + 1):
            if j != i:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i])]
    return points, [row[n + 1 :] for row in rows]


def _share_vote_by_law(data, odds):
    """The same from the exact law of all labels of the forest."""
    leaves, labels = [r[:-1] for r in data], [r[-1] for r in data]
    full = random_forest.rational_label_law(Fraction(odds) ** 3)
    law = random_forest.forest_law(leaves, labels, (2, 2, 2), 2, full)
    votes = law.sum(axis=(1, 3, 5))  # of leaves 0
    return sum(votes[i] for i in product((0, 1), repeat=3) if sum(i) >= 2)
