r"""Claim of ours on Fletcher and Islam (2017), section 4.2: three trees whose leaves differ.

A record is (its leaf in each tree, its class), all 0 or 1; the votes are those of leaf 0 of each tree.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

from dplit import random_forest
from dplit.ledger import claim, verdict_of


@claim(
    "rdf/disjoint-forest",
    "section 4.2",
    "holds",
    "thm-forest-vote",
    ("random_forest.forest_law",),
    ours=True,
    quantity="probability of a wrong vote",
)
def disjoint_forest(effort, rng):
    """Where the leaves of the trees differ, shares can have the better vote; the smallest such
    case of three trees has three records, at any epsilon."""
    fewer = [data for n in (1, 2) for data in _three_trees(n)]
    earlier = [data for data in fewer if min(_excess(data)) < 0]
    odds = effort.pick((4,), (2, 4), (Fraction(3, 2), 2, 4, 16))
    cases = list(product(_three_trees(3), odds))
    errors = {case: (_all_data_vote(*case), _share_vote(*case)) for case in cases}
    better = [case for case, (full, shares) in errors.items() if shares < full]
    first = next((data for data, o in better if o == 4), cases[0][0])
    full, shares = errors[first, 4]
    by_law = bool(better) and shares == _share_vote_by_law(first, 4)
    return verdict_of(
        by_law and not earlier,
        f"Of {len(cases)} cases with three records shares are better in {len(better)}, of {len(fewer)} "
        f"data sets with one or two in {len(earlier)}, at any epsilon. The first, at e^(epsilon/3) = 4: "
        f"{first}, leaves and class, is wrong with {float(shares):.4f}, with all data {full}.",
        {"earlier": earlier[:1], "first": first},
        cases=len(cases) + len(fewer),
        published=float(full),
        computed=float(shares),
        relation="<",
    )


def _three_trees(n):
    """Data of n records, each in leaf 0 of some tree; there class 0 leads in all trees together."""
    kinds = [r for r in product((0, 1), repeat=4) if 0 in r[:3]]
    for data in combinations_with_replacement(kinds, n):
        renamed = (
            sorted((*(r[t] for t in order), r[-1]) for r in data)
            for order in permutations(range(3))
        )
        lead = sum((1 - 2 * r[-1]) * r[:3].count(0) for r in data)
        if lead > 0 and list(data) == min(renamed):
            yield data


def _vote(first):
    """Probability that the vote of three trees is class 1, whose labels are class 0 with `first`."""
    p, q, r = first
    return 1 - (p * q + p * r + q * r - 2 * p * q * r)


def _labels_first(data, trees, odds):
    """Of three trees, in leaf 0: probability of label 0, where record i is counted in `trees`[i]."""
    gaps = [
        sum(1 - 2 * r[-1] for r, own in zip(data, trees) if t in own and r[t] == 0)
        for t in range(3)
    ]
    return [1 - Fraction(odds) ** -g / 2 if g >= 0 else Fraction(odds) ** g / 2 for g in gaps]


def _all_data_vote(data, odds):
    """Error of the vote of labels from all records, at e^(epsilon/3) = `odds`."""
    return _vote(_labels_first(data, [(0, 1, 2)] * len(data), odds))


def _share_vote(data, odds):
    """The same from independent shares at epsilon, over all ways to deal the records."""
    deals = product(((0,), (1,), (2,)), repeat=len(data))
    return sum(_vote(_labels_first(data, d, Fraction(odds) ** 3)) for d in deals) / 3 ** len(data)


def _excess(data):
    """Bernstein coefficients on [0, 1] of the error on shares less that on all data; 2 records at most.

    It is a polynomial in u = e^(-epsilon/3) of degree 6 at most, three times the gaps of all shares together:
    with no coefficient below 0 shares are better nowhere. Solved for in fractions, at seven points.
    """
    rows = []
    for u in (Fraction(i, 8) for i in range(1, 8)):
        excess = _share_vote(data, 1 / u) - _all_data_vote(data, 1 / u)
        rows.append([math.comb(6, k) * u**k * (1 - u) ** (6 - k) for k in range(7)] + [excess])
    for i in range(7):  # the matrix of Bernstein polynomials is totally positive: no pivot is 0
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in range(7):
            if j != i:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i])]
    return [row[-1] for row in rows]


def _share_vote_by_law(data, odds):
    """The same from the exact law of all labels of the forest."""
    leaves, labels = [r[:-1] for r in data], [r[-1] for r in data]
    full = random_forest.rational_label_law(Fraction(odds) ** 3)
    votes = random_forest.forest_law(leaves, labels, (2, 2, 2), 2, full).sum(
        axis=(1, 3, 5)
    )  # leaves 0
    return sum(votes[i] for i in product((0, 1), repeat=3) if sum(i) >= 2)
