r"""Claims of Fletcher and Islam (2017), section 4.4: how many trees.

In the model of `dplit.depth.best`, with the addendum's label: :math:`n` records, :math:`m` features tested in
the middle, depth :math:`d`, and as class the sign of one feature. Derived in the chapter `random_forest`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from dplit import depth, majority, random_forest
from dplit.ledger import Evidence, claim, of_equality

PUBLISHED = (
    (5, 5),
    (10, 8),
    (15, 12),
    (20, 15),
)  # features and depth of SynthA, B, C, G in table 4
SHAPES = (*PUBLISHED, (10, 7), (15, 11), (20, 10))
RULE = brentq(lambda x: (2 * x + 1) * math.exp(-x) - 1, 0.5, 3)  # where (1 - e^-x)^2 / x is largest


def forest_errors(n, features, level, epsilon, trees):
    """Error of the vote of an odd number of trees on the sign of one feature: binomial tails."""
    tested = 1 - (1 - 1 / features) ** level
    right = (1 - tested * np.expm1(n / trees / 2**level * math.expm1(-epsilon))) / 2
    return binom.cdf((trees - 1) // 2, trees, right)


@claim(
    "rdf/number-of-trees",
    "section 4.4, figure 7",
    "holds",
    "thm-number-of-trees",
    ("depth.forest_accuracy",),
)
def number_of_trees(effort, rng):
    r"""More trees are not always better: the accuracy has a peak, and with a larger $\epsilon$
    it does not lie at fewer trees."""
    trees = np.arange(1, effort.pick(601, 2001, 8001), 2)
    shapes, epsilons = (
        PUBLISHED,
        effort.pick((0.2, 1.0), (0.1, 0.2, 1.0), (0.05, 0.1, 0.2, 1.0, 2.0)),
    )
    single, peaks = [], {}
    for (m, d), e in product(shapes, epsilons):
        errors = forest_errors(30_000, m, d, e, trees)
        peaks[m, d, e] = int(trees[errors.argmin()])
        turns = np.sign(np.diff(np.log(errors)).round(9))
        single.append((np.diff(turns) >= 0).all() and turns[-1] > 0)  # falls, if at all, then rises
    moved = all((np.diff([peaks[m, d, e] for e in epsilons]) >= 0).all() for m, d in shapes)
    some = [(t, e) for t in (1, 29, 107) for e in (0.2, 1.0)]
    package = [depth.forest_accuracy(8, 30_000, 10, [0, 1], e, t) for t, e in some]
    same = of_equality(package, [1 - forest_errors(30_000, 10, 8, e, t) for t, e in some])
    good = all(single) and moved and same == "holds"
    found = "; ".join(
        f"{peaks[m, d, 0.2]} and {peaks[m, d, 1.0]} with {m} features" for m, d in shapes
    )
    return Evidence(
        "holds" if good else "fails", "exact",
        f"30,000 records at the depths of table 4: one peak in each of {len(peaks)} cases, at epsilon 0.2 and 1 "
        f"at {found}.",
        len(peaks) * len(trees), published=100, computed=peaks[10, 8, 1.0],
        counterexample=None if good else {"peaks": {str(k): v for k, v in peaks.items()}},
    )  # fmt: skip


@claim(
    "rdf/hundred-trees", "section 4.4", "fails", "thm-number-of-trees", ("depth.forest_accuracy",)
)
def hundred_trees(effort, rng):
    """100 trees are the number to build, whatever the data and the depth."""
    few = effort.pick((1, 3, 9), (1, 3, 9, 27), (1, 3, 9, 27, 51))
    settings = [(d, 30_000, m, e) for (m, d), e in product(PUBLISHED, (0.2, 1.0))]
    small = [(d, n, m, 1.0) for n, m, d in product((1, 2), (1, 2), (0, 1))]
    found = []
    for d, n, m, e in small + settings:
        hundred = depth.forest_accuracy(d, n, m, [0, 1], e, 100)
        best, t = max((depth.forest_accuracy(d, n, m, [0, 1], e, t), -t) for t in few)
        if best > hundred + 1e-9:
            found.append(
                ({"n": n, "features": m, "depth": d, "epsilon": e, "trees": -t}, best, hundred)
            )
    if not found:
        return Evidence(
            "holds", "exact", "100 trees are best everywhere.", len(small) + len(settings)
        )
    first, best, hundred = found[0]
    paper = [f for f in found if f[0]["n"] == 30_000]
    return Evidence(
        "fails", "exact",
        f"In {len(paper)} of {len(settings)} settings of the paper {few[-1]} trees or fewer are better than 100: "
        f"one tree with 20 features at depth 15, epsilon 1, {paper[-1][1]:.3f} right to {paper[-1][2]:.3f}. With "
        f"one record in the mean, one feature and depth 1 it is {best:.3f} to {hundred:.3f}.",
        len(small) + len(settings), published=hundred, computed=best,
        counterexample={**first, "accuracy": best, "with 100 trees": hundred},
    )  # fmt: skip


@hundred_trees.corrected(
    functions=("depth.suggested_trees", "depth.forest_accuracy"), where="section 4.4"
)
def best_number(effort, rng):
    r"""In the model the best number of trees is between 0.8 and 1 times $n_\epsilon/(1.2564
    \cdot 2^d)$, $n_\epsilon = n(1-e^{-\epsilon})$, up to 2 trees, where a path tests the
    feature with probability 0.4 to 0.7: a leaf of a tree holds about $1.26/(1-e^{-\epsilon})$
    records."""
    trees = np.arange(1, 1201, 2)
    sizes = effort.pick((30_000,), (5_000, 30_000), (2_000, 5_000, 30_000, 60_000))
    cases, off, close = list(product(sizes, SHAPES, (0.1, 0.2, 1.0, 3.0))), [], []
    for n, (m, d), e in cases:
        errors = forest_errors(n, m, d, e, trees)
        rule = n * -math.expm1(-e) / (RULE * 2**d)
        if of_equality(depth.suggested_trees(n, d, e), rule) == "fails":
            off.append((n, m, d, e, depth.suggested_trees(n, d, e), rule))
        if errors.min() < 1e-14 or rule > trees[-1]:
            continue  # nothing to tell apart, or out of range
        best = int(trees[errors.argmin()])
        if rule > 20:
            close.append(best / rule)
        if not 0.8 * rule - 2 <= best <= rule + 2:
            off.append((n, m, d, e, best, rule))
    shown = int(trees[forest_errors(30_000, 10, 7, 1.0, trees).argmin()])
    rule = depth.suggested_trees(30_000, 7, 1.0)
    return Evidence(
        "fails" if off else "holds", "exact",
        f"All odd numbers up to {trees[-1]} in {len(cases)} cases; where the rule says more than 20, the best is "
        f"{min(close):.2f} to {max(close):.2f} times as many. 30,000 records, ten features, depth 7, epsilon 1: "
        f"best {shown}, rule {rule:.1f}.",
        len(cases) * len(trees), published=rule, computed=shown,
        counterexample={"n, features, depth, epsilon, found, rule": off[0]} if off else None,
    )  # fmt: skip


@claim(
    "rdf/same-leaves-one-tree",
    "section 4.4",
    "holds",
    "thm-one-leaf",
    ("majority.disjoint_vote_error", "majority.all_data_vote_error", "majority.error_lower_bound"),
    ours=True,
)
def same_leaves(effort, rng):
    """If all trees have the same leaves, one tree is best: the vote of more, on shares or on
    all data, errs more on every leaf of two classes with a majority."""
    n, trees = effort.pick((5, (3, 5)), (8, (3, 5, 9)), (13, (3, 5, 9, 19)))
    cases = [
        (a, b, e, t) for a in range(1, n) for b in range(a) for t in trees for e in (0.1, 1.0, 4.0)
    ]
    wrong, least = [], math.inf
    for a, b, e, t in cases:
        one = float(majority.error_lower_bound(a - b, e))
        votes = majority.disjoint_vote_error(a, b, e, t), majority.all_data_vote_error(a, b, e, t)
        least = min(least, *(v / one for v in votes))
        if not min(votes) > one:
            wrong.append((a, b, e, t))
    shown = majority.disjoint_vote_error(3, 1, 1.0, 3)
    return Evidence(
        "fails" if wrong else "holds", "exact",
        f"In {len(cases)} cases the vote errs at least {least:.4f} times as often as one tree. On (3, 1) at "
        f"epsilon 1: one tree {float(majority.gap_error(2, 1.0)):.4f}, three on shares {shown:.4f}.",
        2 * len(cases), published=float(majority.gap_error(2, 1.0)), computed=shown,
        counterexample={"a, b, epsilon, trees": wrong[0]} if wrong else None,
    )  # fmt: skip


@claim(
    "rdf/disjoint-forest",
    "section 4.2",
    "holds",
    "thm-forest-vote",
    ("random_forest.forest_law",),
    ours=True,
)
def disjoint_forest(effort, rng):
    """Where the leaves of the trees differ, shares can have the better vote; the smallest such
    case of three trees has three records, at any epsilon."""
    odds, better = effort.pick((4,), (2, 4), (Fraction(3, 2), 2, 4, 16)), []
    small = [x for n in (1, 2) for x in _three_trees(n)]
    earlier = [x for x in small if min(_excess(x)) < 0]
    cases = [(x, o) for x in _three_trees(3) for o in odds]
    for x, o in cases:
        full, shares = _all_data_vote(x, o), _share_vote(x, o)
        better += [(x, o, full, shares)] if shares < full else []
    if not better:
        return Evidence(
            "fails", "exact", "None is better.", len(cases), counterexample={"cases": cases[:1]}
        )
    x, o, full, shares = next(b for b in better if b[1] == 4)
    good = not earlier and shares == _share_vote_by_law(x, o)
    return Evidence(
        "holds" if good else "fails", "exact",
        f"Of {len(cases)} cases with three records shares are better in {len(better)}, of {len(small)} data sets "
        f"with one or two in {len(earlier)}, at any epsilon. The first, at e^(epsilon/3) = {o}: {x}, leaves and "
        f"class, is wrong with {float(shares):.4f}, with all data {full}.",
        len(cases) + len(small), published=float(full), computed=float(shares),
        counterexample=None if good else {"earlier": earlier[:1], "first": x},
    )  # fmt: skip


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
