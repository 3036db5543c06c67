"""RDF, sections 4.2.1 and 4.3: why leaves are empty, and why half the depth is too little."""

from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from math import prod

from dplit import depth
from dplit.court.claims.depth._printed import printed_rows
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, need, note, same

FLOOR = Box("thm-depth-floor", "depth.expected_empty_floor")
HALF = Box("rem-depth-half", "depth.untested_features")
PRINTED = Box("thm-depth-printed", "ground.printed.table")


@FLOOR("rdf/clumping", "section 4.2.1, before example 1", quantity="empty leaves, non-uniform against uniform")
def clumping(effort, rng):
    """For almost any (non-uniform) distribution of feature values records start clumping together in certain
    nodes, which is exacerbated by each non-uniformly distributed feature tested in each level. (Read: more leaves
    have zero records than under a uniform distribution.) As a tree grows larger, the chances of some leaves having
    zero records grow larger. (Read: they do not fall.)"""
    records, sixths = effort.pick(3, 4, 4), range(1, 5)
    laws = [c for c in combinations_with_replacement(sixths, 3) if sum(c) == 6]
    widest = (0, None)
    for values, n in product(laws, range(1, records + 1)):
        shares = [Fraction(c, 6) for c in values]
        trees = [[prod(path) for path in product(shares, repeat=d)] for d in (0, 1, 2)]
        empty = [_empty(leaves, n) for leaves in trees]
        case = {"sixths": values, "records": n}
        for (_, some), (_, deeper) in pairwise(empty):
            yield below(some, deeper, rtol=0, **case)
        for depth_of_tree, (leaves, (share, _)) in enumerate(zip(trees, empty)):
            floor = float(depth.expected_empty_floor(n, len(leaves)))
            even = len(set(leaves)) == 1 or n == 1  # one record leaves all others empty
            if even:
                yield same(share, floor, rtol=0, atol=1e-12, **case, depth=depth_of_tree)
                continue
            uneven = need(share > floor, share, ">", floor, **case, depth=depth_of_tree)
            yield uneven
            if share - floor > widest[0]:
                widest = share - floor, uneven
    yield decisive(widest[1])
    return note(
        f"{len(laws)} laws of three values, by enumeration: the widest gap is {{exact:.4f}} of the leaves "
        "where uniform values leave {stated:.4f}; deeper trees have an empty leaf no less often.",
        range=f"three values in sixths, up to two levels and {records} records",
    )


def _empty(leaves, n):
    """(expected share of empty leaves, probability that there is one), over all ways to place n records."""
    share, some = Fraction(0), Fraction(0)
    for places in product(range(len(leaves)), repeat=n):
        chance, left = prod(leaves[i] for i in places), len(leaves) - len(set(places))
        share += chance * Fraction(left, len(leaves))
        some += chance * (left > 0)
    return share, some


@HALF(
    "rdf/half-at-half",
    "section 4.3, before theorem 2",
    quantity="probability that a path of m/2 nodes tests m/2 features, ten continuous ones",
)
def half_at_half(effort, rng):
    r"""The probability that a path of $m/2$ nodes tests $m/2$ unique features is much lower if all or some of the
    features are continuous: it is $s!/((s/2)!\,s^{s/2})$ for $s$ continuous features, and 1 for discrete ones."""
    some = {r: _all_different(6 - r, r, 3) for r in (0, 2, 4, 6)}
    for less, more in pairwise(some.values()):
        yield need(less < more, more, ">", less)
    yield same(some[6], 1, rtol=0)
    for s in (2, 4, *effort.pick((6,), (6,), (6, 8)), 20, 10):
        half = s // 2
        stated = prod(range(half + 1, s + 1)) / s**half
        if s <= 8:
            yield same(_all_different(s, 0, half), stated, features=s)
        yield same(depth.untested_features(s, half)[s - half], stated, features=s)
    discrete = ", ".join(f"{float(p):.4f} with {r}" for r, p in some.items())
    return note(
        "{features} continuous features, depth 5: {exact:.4f}. Of six features at depth 3, by the number of "
        f"discrete ones: {discrete}.",
        range="2 to 20 continuous features; six features of both kinds, all paths",
    )


def _all_different(continuous, discrete, nodes, tested=frozenset()):
    """Probability that the nodes of a path test different features, over all paths: discrete ones once."""
    if not nodes:
        return Fraction(1)
    open_yet = [f for f in range(continuous + discrete) if f < continuous or f not in tested]
    new = [f for f in open_yet if f not in tested]
    below = (_all_different(continuous, discrete, nodes - 1, tested | {f}) for f in new)
    return sum(below, Fraction(0)) / len(open_yet)


@PRINTED(
    "rdf/gap-slower",
    "Section 4.2.1, after Table 3",
    "assumes",
    quantity="rows of Table 3 in which the records of a nonempty leaf grow as the data do",
    range="all 14 rows",
)
def gap_slower(effort, rng):
    """$j$ does not increase at the same ratio that $n$ does, because many of the extra records are going to
    previously empty leaf nodes. (We read $j$ as the mean number of records in a nonempty leaf when one tree
    replaces 30. Where the printed digits show no increase of empty leaves, this assumes that the digits which are
    not printed do.)"""
    ratios = {name: 30 * (1 - row.thirty.value) / (1 - row.one.value) for name, row in printed_rows().items()}
    more = [name for name, ratio in ratios.items() if ratio > 30]
    no_less = [name for name, ratio in ratios.items() if ratio == 30]
    found = {"no less": no_less, "more": more}
    yield same(len(no_less + more), 0, broken="fails" if more else "assumes", **found)
    least = min(ratios, key=ratios.get)
    return note(
        f"By the printed shares, 30 times the data put {ratios[least]:.1f} ({least}) to "
        f"{max(ratios.values()):.0f} times the records into a nonempty leaf; the factor is not below 30 in "
        f"{', '.join(no_less)}.",
        cases=len(ratios),
    )
