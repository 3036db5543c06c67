r"""Claims of the MRF paper on composition: properties 1 and 2, theorem 2, and the depth that it divides by.

Small laws are enumerated: two mechanisms on one leaf, two halves of the records, the root of a tree.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, partial
from itertools import product

import numpy as np

from dplit import datasets, multinomial, random_forest
from dplit.ledger import Case, bounded, claim, equal, private, verdict_of
from dplit.loss import smallest_violation, worst_privacy_loss
from dplit.mechanisms import Exponential, PermuteAndFlip
from dplit.neighbours import count_vectors, data_sets, neighbouring_data

ADD = "add-remove"
K_PAPER = 5  # its minimum leaf size, section 5.1


# Properties 1 and 2 -----------------------------------------------------------------------------


def _in_turn(counts, first, second):
    """Joint law of two labels of one leaf, the second with the rate that the first decides."""
    labels = PermuteAndFlip(first, monotonic=True).pmf(counts)
    after = [Exponential(e, monotonic=True).pmf(counts) for e in (second, second / 2)]
    return np.stack([p * after[i % 2] for i, p in enumerate(labels)])


@claim(
    "mrf/property-1",
    "property 1",
    "holds",
    "thm-mprivacy-composition",
    ("mechanisms.PermuteAndFlip", "mechanisms.Exponential"),
    proof="thm-mprivacy-composition",
    quantity="privacy loss of two releases in turn",
    range="leaves of up to 8 records of two classes, three pairs of epsilons, add-remove",
)
def property_1(effort, rng):
    r"""Mechanisms run one after the other on the same data cost the sum of their epsilons, even if a later
    one depends on what earlier ones gave."""
    cases = []
    for first, second in ((0.5, 1.0), (1.0, 1.0), (2.0, 0.1)):
        law = partial(_in_turn, first=first, second=second)
        worst = worst_privacy_loss(law, count_vectors(effort.pick(8, 12, 20), 2), ADD)
        cases.append(Case(worst.loss, first + second, {"epsilons": [first, second]}))
    found = private(cases, "{cases} pairs; nearest {exact:.6f} of {stated:g} at {epsilons}.")
    near = max(case.exact / case.stated for case in cases)
    return verdict_of(
        found.verdict != "leaks" and near > 0.99,
        found.summary,
        {"cases": [str(c) for c in cases]},
        cases=len(cases),
        published=found.published,
        computed=found.computed,
        relation="<=",
    )


def _two_leaves(records, epsilons):
    """Joint law of the labels of two leaves; a record is (leaf, class)."""
    laws = [
        PermuteAndFlip(e, monotonic=True).pmf(
            [sum(r == (leaf, c) for r in records) for c in (0, 1)]
        )
        for leaf, e in enumerate(epsilons)
    ]
    return np.multiply.outer(*laws)


@claim(
    "mrf/property-2",
    "property 2",
    "holds",
    "thm-mprivacy-composition",
    ("mechanisms.PermuteAndFlip",),
    proof="thm-mprivacy-composition",
    quantity="privacy loss of two releases side by side",
    range="two leaves, up to 4 records of two classes, three pairs of epsilons; both relations",
)
def property_2(effort, rng):
    r"""Mechanisms on disjoint subsets cost the largest of their epsilons, under add-remove and if a record's
    subset depends on nothing but the record itself. (Replaced, a record may leave one for another: the sum.)"""
    universe = tuple(product((0, 1), repeat=2))
    cases, replaced = [], []
    for epsilons in ((1.0, 1.0), (0.5, 2.0), (2.0, 0.1)):
        law = partial(_two_leaves, epsilons=epsilons)
        for neighbours, stated, into in (
            (ADD, max(epsilons), cases),
            ("replace-one", sum(sorted(epsilons)[-1:] * 2), replaced),
        ):
            near = partial(neighbouring_data, universe=universe, neighbours=neighbours)
            worst = worst_privacy_loss(law, data_sets(universe, effort.pick(4, 5, 6)), near)
            into.append(Case(worst.loss, stated, {"epsilons": list(epsilons)}))
    beyond = max(case.exact - max(case.data["epsilons"]) for case in replaced)
    found = private(cases, f"{{cases}} pairs; replaced, a record costs up to {beyond:.2f} more.")
    twice = private(replaced, "replaced")
    return twice if twice.verdict == "leaks" else found


@claim(
    "mrf/property-2/halves",
    "section 3.1 with property 2",
    "leaks",
    "thm-mprivacy-composition",
    ("random_forest.ForestLaw",),
    about="reading",
    holds_instead="mrf/theorem-2-max/corrected",
    quantity="privacy loss of both halves",
    range="all data sets of up to 3 records, two halves of equal size, e^epsilon = 2",
)
def halves(effort, rng):
    r"""Structure and estimation points are disjoint, so property 2 applies. The records are shuffled and
    divided at a fixed ratio of sizes, read as halves whose sizes differ by at most one."""
    found = {}
    for way in ("equal-parts", "independent"):
        label = random_forest.rational_label_law(2)
        law = random_forest.ForestLaw((1, 1), 2, label, way)
        near = partial(neighbouring_data, universe=law.universe, neighbours=ADD)
        found[way] = smallest_violation(law, data_sets(law.universe, 3), math.log(2), near)
    pair = found["equal-parts"]
    if pair is None or found["independent"] is not None:
        return verdict_of(
            pair is None, "No pair of equal halves violates it.", {"found": str(found)}
        )
    ratio = Fraction(5, 2)
    return verdict_of(
        False,
        f"{len(pair.data)} record and {len(pair.neighbour)}: the likelihood ratio is {math.exp(pair.loss):g}, "
        "where each half's is at most 2; halves by a fair coin for each record stay within it.",
        {"data": str(pair.data), "neighbour": str(pair.neighbour), "ratio": str(ratio)},
        broken="leaks",
        published=math.log(2),
        computed=pair.loss,
        relation="<=",
    )


# A tree: the maximum ----------------------------------------------------------------------------


def _split_chance(n, k, way):
    """Law of (root is a leaf, root is split) for n records: split if more than k are estimation points.

    Halves: the estimation half is rounded down. Coin: each record is one with probability 1/2.
    """
    if way == "halves":
        split = Fraction(n // 2 > k)
    elif way == "coin":
        split = Fraction(sum(math.comb(n, j) for j in range(k + 1, n + 1)), 2**n)
    else:
        split = Fraction(n > k)
    return [1 - split, split]


def _first_split(k, way):
    """The first pair of sizes at which the root's shape tells one record more."""
    law = partial(_split_chance, k=k, way=way)
    return smallest_violation(law, range(1, 8 * k), 1.0, lambda n: (n - 1, n + 1))


@claim(
    "mrf/theorem-2-max",
    "proof of theorem 2",
    "leaks",
    "thm-mprivacy-max",
    ("multinomial.coin_loss",),
    quantity="privacy loss of a tree's shape",
    range="up to 7 records of which none or all are structure points, k = 1, 2 and 5",
)
def theorem_2_max(effort, rng):
    r"""A tree costs $\max\{d(B_1+B_2), B_3\}$, since structure and estimation points are disjoint. But the
    structure stops where at most $k$ estimation points are left."""
    pairs = {k: _first_split(k, "estimation") for k in (1, 2, K_PAPER)}
    if any(pair is None for pair in pairs.values()):
        return verdict_of(True, "The shape of a tree does not depend on the estimation points.")
    pair = pairs[1]
    return verdict_of(
        False,
        "With the same structure points the root is split if and only if there are more than k estimation "
        "points: "
        + ", ".join(f"{p.data} or {p.neighbour} at k = {k}" for k, p in pairs.items())
        + ".",
        {"k": 1, "estimation points": [pair.data, pair.neighbour]},
        broken="leaks",
        cases=len(pairs),
        published=1.0,
        computed=pair.loss,
        relation="<=",
    )


def _both_flip(n, added, rates):
    """Probability that two halves by a fair coin both report class 1, of n records of class 0.

    `added` more record of class 1 falls to either half; each half is one leaf.
    """
    pmf = [PermuteAndFlip(rate, monotonic=True) for rate in rates]
    total = 0.0
    for m in range(n + 1):
        weight = math.comb(n, m) / 2**n
        for first in (0, 1) if added else (0,):
            counts = [[m, added * (1 - first)], [n - m, added * first]]
            share = weight / (2 if added else 1)
            total += share * math.prod(p.pmf(c)[1] for p, c in zip(pmf, counts))
    return total


@cache
def _coin_forest(structure, labels, neighbours):
    """Worst loss of the repaired tree of depth 1 with both parts at budgets of their own."""
    law = repaired_law(structure, labels, 1, 1, "add-remove")
    near = partial(neighbouring_data, universe=law.universe, neighbours=neighbours)
    return worst_privacy_loss(law, data_sets(law.universe, 3), near).loss


def repaired_law(structure, labels, depth, trees, neighbours, way="coin"):
    """The repaired forest on two binary features, both always candidates, and two classes."""
    kinds = tuple(product((0, 1), repeat=3))
    rate = multinomial.level_rate(structure, depth, neighbours=neighbours)
    flip = PermuteAndFlip(labels / (1 if neighbours == ADD else 2), monotonic=True)
    return multinomial.SmallForestLaw(
        left=tuple(tuple(kind[j] == 0 for kind in kinds) for j in (0, 1)),
        labels=tuple(kind[2] for kind in kinds),
        classes=2,
        depth=depth,
        node_law=partial(multinomial.split_law, rate=rate),
        label_law=flip.pmf,
        n_trees=trees,
        way=way,
    )


@theorem_2_max.corrected(
    functions=("multinomial.coin_loss", "multinomial.SmallForestLaw"),
    proof="thm-mprivacy-max",
    quantity="privacy loss of a tree",
    range="all data sets of up to 3 records; 60 records of one class; five pairs of epsilons, both relations",
)
def theorem_2_coin(effort, rng):
    r"""If the tree stops at a public depth, and each record is a structure or an estimation point by a fair
    coin, two parts that cost $a$ and $b$ cost $\ln\frac{e^a + e^b}{2}$ together under add-remove, and no less
    for all mechanisms; $\max(a, b)$ under replace-one, where these are what a replaced record costs."""
    pairs = ((1.0, 1.0), (2.0, 0.5), (0.5, 2.0), (3.0, 1.0), (0.1, 4.0))
    within = [
        Case(_coin_forest(a, b, ADD), multinomial.coin_loss(a, b), {"epsilons": [a, b]})
        for a, b in pairs
    ]
    replaced = [
        Case(_coin_forest(a, b, "replace-one"), 2 * max(a, b), {"epsilons": [a, b]})
        for a, b in pairs
    ]
    n, near = effort.pick(60, 150, 400), []
    for a, b in pairs[:3]:
        loss = math.log(_both_flip(n, 1, (a, b)) / _both_flip(n, 0, (a, b)))
        near.append(Case(loss, multinomial.coin_loss(a, b), {"epsilons": [a, b]}))
    found = [bounded(cases, "{epsilons}") for cases in (within, replaced, near)]
    least = min(case.exact / case.stated for case in near)
    return verdict_of(
        all(f.verdict != "fails" for f in found) and least > 0.95,
        f"{len(within)} pairs of epsilons over all small data stay within it; two leaves of permute-and-flip "
        f"on {n} records reach {least:.4f} of it or more.",
        {"beyond": [f.counterexample for f in found], "least": least},
        cases=sum(f.cases for f in found),
        published=near[0].stated,
        computed=near[0].exact,
        relation="<=",
    )


# Theorem 2 --------------------------------------------------------------------------------------


@claim(
    "mrf/theorem-2",
    "theorem 2",
    "leaks",
    "thm-mprivacy-forest",
    ("multinomial.level_rate", "multinomial.SmallForestLaw"),
    quantity="privacy loss of the number of leaves of one tree",
    range="k = 5, up to 39 records; halves of equal size and by a coin",
)
def theorem_2(effort, rng):
    r"""With $B_1+B_2 = \epsilon/(dt)$ and $B_3 = \epsilon/t$ the forest is $\epsilon$-private, where $d$ is the
    depth of a tree."""
    pairs = {way: _first_split(K_PAPER, way) for way in ("halves", "coin")}
    if None in pairs.values():
        return verdict_of(True, "No pair of sizes violates it.", cases=len(pairs))
    pair, coin = pairs["halves"], pairs["coin"]
    return verdict_of(
        False,
        f"At k = 5 and equal halves {pair.data} records have 5 estimation points and a tree of one leaf, "
        f"{pair.neighbour} have 6 and a split. By a coin {coin.data} records never split and {coin.neighbour} do "
        f"with probability {_split_chance(coin.neighbour, K_PAPER, 'coin')[1]}.",
        {
            "k": K_PAPER,
            "records": [pair.data, pair.neighbour],
            "by a coin": [coin.data, coin.neighbour],
        },
        broken="leaks",
        cases=len(pairs),
        published=1.0,
        computed=pair.loss,
        relation="<=",
    )


@theorem_2.corrected(
    functions=("multinomial.level_rate", "multinomial.split_law", "multinomial.SmallForestLaw"),
    proof="thm-mprivacy-forest",
    quantity="privacy loss of a whole forest",
    range="every data set of up to 3 records of eight kinds, depths 1 and 2, one and two trees, both relations",
)
def repaired(effort, rng):
    r"""Let each record draw its tree, and structure or estimation by a fair coin; let depth $d$, ranges and
    classes be public; draw feature and cut together with weight $w e^{-r(n_L T_L + n_R T_R)}$, Gini, $r =
    \epsilon/(2d)$, and each leaf's label once by permute-and-flip at $\epsilon$. The forest is
    $\epsilon$-private under add-remove; with $r$ and the label's rate halved, under replace-one."""
    sizes = effort.pick(
        {(1, 1): 3, (2, 1): 2, (1, 2): 2},
        {(1, 1): 4, (2, 1): 3, (1, 2): 3},
        {(1, 1): 5, (2, 1): 3, (1, 2): 3},
    )
    cases = []
    for ((depth, trees), n), neighbours, epsilon in product(
        sizes.items(), (ADD, "replace-one"), (0.5, 4.0)
    ):
        law = repaired_law(epsilon, epsilon, depth, trees, neighbours)
        near = partial(neighbouring_data, universe=law.universe, neighbours=neighbours)
        worst = worst_privacy_loss(law, data_sets(law.universe, n), near)
        data = {"depth": depth, "trees": trees, "neighbours": neighbours, "epsilon": epsilon}
        cases.append(Case(worst.loss, epsilon, data))
    found = private(cases, "{cases} searches; nearest {exact:.4f} of {stated:g}.")
    return verdict_of(
        found.verdict != "leaks",
        found.summary,
        found.counterexample,
        broken="leaks",
        cases=found.cases,
        published=found.published,
        computed=found.computed,
        relation="<=",
    )


# Depth ------------------------------------------------------------------------------------------


@cache
def _levels(estimation, structure, k, both_keep):
    """The most levels of splits, over every way to divide both kinds of points among two children."""
    if structure < 2 or estimation <= k:
        return 0
    least = k if both_keep else 0
    return max(
        (
            1
            + max(_levels(e, s, k, both_keep), _levels(estimation - e, structure - s, k, both_keep))
            for e in range(least, estimation - least + 1)
            for s in range(1, structure)
        ),
        default=0,
    )


def _deepest_cases(effort):
    """`deepest` beside the search, both readings of the stopping rule."""
    n = effort.pick(9, 12, 16)
    for k, e, s, reading in product((1, 2, 3), range(n), range(1, 7), ("text", "algorithm")):
        stated = multinomial.deepest(e, k, s, reading)
        data = {"k": k, "estimation points": e, "structure points": s, "stopping": reading}
        yield Case(_levels(e, s, k, reading == "text"), stated, data)


@claim(
    "mrf/depth-bound",
    "theorem 2; appendix C",
    "assumes",
    "thm-mprivacy-depth",
    ("multinomial.deepest",),
    quantity="levels of splits",
    range="k up to 3, up to 8 estimation and 6 structure points, every way to split them",
)
def depth_bound(effort, rng):
    r"""The depth is at most of order $|\mathcal D^E|/k$. This assumes that both children keep $k$ estimation
    points, as section 3.2 says; algorithm 1 splits every node that has more than $k$."""
    cases = [c for c in _deepest_cases(effort)]
    over = [c for c in cases if c.exact * c.data["k"] > c.data["estimation points"]]
    kept = [c for c in over if c.data["stopping"] == "text"]
    if not over:
        return verdict_of(True, "No tree is deeper.", cases=len(cases))
    worst = max(over, key=lambda c: c.exact - c.data["estimation points"] / c.data["k"])
    points, k = worst.data["estimation points"], worst.data["k"]
    return verdict_of(
        False,
        f"Where both children keep k, none of {len(cases) // 2} trees is deeper. By algorithm 1 {points} "
        f"estimation points at k = {k} and {worst.data['structure points']} structure points can give {worst.exact} levels.",
        {"kept": [str(c) for c in kept]},
        broken="fails" if kept else "assumes",
        cases=len(cases),
        published=points / k,
        computed=worst.exact,
        relation="<=",
    )


@depth_bound.corrected(
    functions=("multinomial.deepest",),
    proof="thm-mprivacy-depth",
    quantity="levels of splits",
    range="k up to 3, up to 8 estimation and 6 structure points, every way to split them",
)
def depth_exact(effort, rng):
    r"""Where both children keep $k$ of $n$ estimation points, the most levels of splits are $\lfloor n/k\rfloor
    - 1$, and one less than the distinct structure points; by algorithm 1 the latter alone, once $n > k$."""
    return equal(_deepest_cases(effort), "{cases} searches over all ways to split.")


@claim(
    "mrf/depth-appendix",
    "appendix C",
    "fails",
    "thm-mprivacy-depth",
    ("multinomial.deepest",),
    holds_instead="mrf/depth-bound/corrected",
    quantity="levels that a tree can have",
    range="WDBC, nine of ten folds, k = 5",
)
def depth_appendix(effort, rng):
    r"""One can set $d = |\mathcal D^E|/k$ and give each layer $\epsilon/(dt)$. On nine tenths of WDBC these are
    51 layers; but algorithm 1 can grow a tree with more, and $|\mathcal D^E|$ is private under add-remove."""
    records = len(datasets.load("wdbc").y)
    train = records - -(-records // 10)
    estimation = train // 2
    stated = estimation / K_PAPER
    true = multinomial.deepest(estimation, K_PAPER, train - estimation, "algorithm")
    text = multinomial.deepest(estimation, K_PAPER, train - estimation, "text")
    return verdict_of(
        true <= stated and int(stated) == 51,
        f"{estimation} of {train} records are estimation points, d = {stated:g}. A tree of algorithm 1 can have "
        f"{true} levels, one that keeps k in both children {text}.",
        {"records": train, "k": K_PAPER, "d": stated, "levels": true},
        published=stated,
        computed=true,
        relation="<=",
    )
