"""RDF, section 4.2.1: how many leaves of a random tree are empty."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, e, log1p, prod

import numpy as np
from scipy.stats import binom

from dplit import depth as depths
from dplit.claims.depth.theorem_2 import PRINTED
from dplit.ledger import Evidence, claim, of_equality

NURSERY = (3, 5, 4, 4, 3, 2, 3, 3)  # levels of its features; its records are all combinations
TREES = 30
ROUNDING = 0.0005  # a percentage printed to one decimal stands for shares this far off
RARE = Fraction(1, 20) ** 5  # example 1, m = 10: share of the leaf of five values of 5 %


def two_value_leaves(k):
    """Leaves on k features of three values that meet the first two values alone, not only the first."""
    return sum(2 not in leaf and 1 in leaf for leaf in product(range(3), repeat=k))


@claim(
    "rdf/example-1-leaves",
    "Section 4.2.1, Example 1",
    "fails",
    "thm-depth-example",
    ("depth.leaves_law",),
)
def example_1_leaves(effort, rng):
    r"""Of the $3^{m/2}$ leaves on $m/2$ features of shares 0.68, 0.27 and 0.05, $\binom{m/2}{2}
    - 1$ beside the largest have shares that are products of 0.68 and 0.27. (As the formula
    stands in the paper's extracted text, where signs may have been lost.)"""
    sizes = range(1, effort.pick(6, 8, 11) + 1)
    counts = {2 * k: {"published": comb(k, 2) - 1, "counted": two_value_leaves(k)} for k in sizes}
    wrong = {m: c for m, c in counts.items() if c["published"] != c["counted"]}
    m = min(wrong, default=10)
    return Evidence(
        "fails" if wrong else "holds",
        "exact",
        f"m = {m}: {counts[m]['published']} published, {counts[m]['counted']} counted; "
        f"m = 10: {counts[10]['published']} published, {counts[10]['counted']} counted",
        cases=len(counts),
        published=counts[10]["published"],
        computed=counts[10]["counted"],
        counterexample={"m": m, **wrong[m], "m = 10": counts[10]} if wrong else None,
    )


@example_1_leaves.corrected(functions=("depth.leaves_law",), where="Section 4.2.1, Example 1")
def example_1_leaves_corrected(effort, rng):
    """Their number is $2^{m/2} - 1$."""
    sizes = range(1, effort.pick(6, 8, 11) + 1)
    counted = [two_value_leaves(k) for k in sizes]
    formula = [2**k - 1 for k in sizes]
    tree = [int(depths.leaves_law([2] * k, k).argmax()) - 1 for k in sizes]
    same = of_equality([counted, counted], [formula, tree], rtol=0)
    lists = {"counted": counted, "formula": formula, "tree": tree}
    return Evidence(
        same,
        "exact",
        f"m/2 = 1 to {sizes[-1]}: {counted}",
        cases=sum(3**k for k in sizes),
        published=formula[4],
        computed=counted[4],
        counterexample=None if same == "holds" else lists,
    )


@claim(
    "rdf/example-1-records",
    "Section 4.2.1, Example 1",
    "assumes",
    "thm-depth-example",
    ("depth.expected_empty_floor",),
)
def example_1_records(effort, rng):
    r"""With $m = 10$, $n = 3\,200\,000$ records are required for even one in the smallest leaf."""
    published = 3_200_000
    needed = ceil(1 / RARE)
    filled = 1 - depths.expected_empty_floor(published, 1 / float(RARE))
    fills = filled >= 1 - 1e-6
    verdict = "fails" if needed != published else "holds" if fills else "assumes"
    case = {"leaf": RARE, "n": published, "expected records": published * RARE, "nonempty": filled}
    return Evidence(
        verdict,
        "exact",
        f"assumes that one record is meant in expectation: at n = {needed:,} the leaf holds "
        f"one with probability {filled:.4f}, 1 - 1/e",
        published=published,
        computed=needed,
        counterexample=None if verdict == "holds" else case,
    )


@example_1_records.corrected(
    functions=("depth.expected_empty_floor",), where="Section 4.2.1, Example 1"
)
def example_1_records_corrected(effort, rng):
    r"""The smallest leaf holds a record with probability one half from $n = 2\,218\,071$ on,
    with probability 0.95 from $n = 9\,586\,342$ on; at $n = 3\,200\,000$ it is $1 - 1/e$ to six
    digits."""
    stated = {0.5: 2_218_071, 0.95: 9_586_342}
    found = {q: ceil(log1p(-q) / log1p(-float(RARE))) for q in stated}
    filled = lambda n: binom.sf(0, n, float(RARE))  # noqa: E731
    tight = all(filled(n) >= q > filled(n - 1) for q, n in found.items())
    close = abs(filled(3_200_000) - (1 - 1 / e)) < 1e-6
    verdict = "holds" if found == stated and tight and close else "fails"
    return Evidence(
        verdict,
        "exact",
        ", ".join(f"probability {q:g} from n = {n:,} on" for q, n in found.items()),
        cases=5,
        published=stated[0.5],
        computed=found[0.5],
        counterexample=None if verdict == "holds" else {"found": found, "stated": stated},
    )


def entries():
    """Table 3 entry by entry: data set, trees, records a tree, fewest leaves, printed share.

    Records are rounded up and none is held out; every test has two outcomes or more, so that there
    are at least 2^d leaves. Both are to the table's advantage.
    """
    for name, (records, _, _, depth, one, thirty) in PRINTED.items():
        yield name, 1, records, 2**depth, one / 100
        yield name, TREES, ceil(records / TREES), 2**depth, thirty / 100


def impossible():
    """Entries of Table 3 below the pigeonhole floor, by more than rounding."""
    return [x for x in entries() if x[4] + ROUNDING < depths.empty_leaves_floor(x[2], x[3])]


@claim(
    "rdf/table-3",
    "Table 3",
    "fails",
    "thm-depth-floor",
    ("depth.empty_leaves_floor", "depth.expected_empty_floor", "depth.empty_leaves"),
    kind="certified",
)
def table_3(effort, rng):
    """The printed shares of empty leaves are those of trees of the printed depth (Algorithm 2)
    on disjoint parts of the data."""
    wrong = impossible()
    if not wrong:
        return Evidence("holds", "certified", "every entry is above its floor", cases=28)
    name, trees, n, leaves, printed = wrong[0]
    bound = float(depths.empty_leaves_floor(n, leaves))
    kept = n * 9 // 10
    case = {
        "dataset": name, "trees": trees, "records": n, "leaves": leaves, "printed": printed,
        "floor": bound, "floor in tenfold training": 1 - kept / leaves,
        "expected floor": float(depths.expected_empty_floor(n, leaves)),
        "uniform features": float(depths.empty_leaves(n, leaves.bit_length() - 1)),
    }  # fmt: skip
    return Evidence(
        "fails",
        "certified",
        f"{name}, {trees} trees: {n} records reach at most {n} of {leaves} leaves, so {bound:.2%} "
        f"are empty or more ({1 - kept / leaves:.2%} of {kept} in training); printed {printed:.2%}",
        cases=28,
        published=printed,
        computed=bound,
        counterexample=case,
    )


def placements(leaves, n, weights):
    """Least and mean share of empty leaves over all placements of n records, by enumeration."""
    share = {p: Fraction(leaves - len(set(p)), leaves) for p in product(range(leaves), repeat=n)}
    chance = {p: prod((weights[i] for i in p), start=Fraction(1)) for p in share}
    return min(share.values()), sum(share[p] * chance[p] for p in share)


@table_3.corrected(
    functions=("depth.empty_leaves_floor", "depth.expected_empty_floor", "depth.leaves_law"),
    where="Table 3",
)
def table_3_corrected(effort, rng):
    """Of $L$ leaves on $n$ independent records, at least $1 - n/L$ are empty, and at least $(1
    - 1/L)^n$ in expectation. Every entry of Table 3 but SynthE with 30 trees is above both."""
    most, parts = effort.pick((4, 5), (5, 6), (6, 7))
    wrong, cases = [], 0
    for leaves, n in product(range(1, 4), range(most + 1)):
        floors = depths.empty_leaves_floor(n, leaves), depths.expected_empty_floor(n, leaves)
        for w in product(range(parts + 1), repeat=leaves):
            if sum(w) and (sum(w) == parts or len(set(w)) == 1):
                least, mean = placements(leaves, n, [Fraction(v, sum(w)) for v in w])
                met = len(set(w)) > 1 or abs(mean - floors[1]) < 1e-12  # equal leaves meet it
                fine = abs(least - floors[0]) < 1e-12 and mean >= floors[1] - 1e-12 and met
                wrong += [] if fine else [{"leaves": leaves, "n": n, "weights": list(w)}]
                cases += 1
    below = {x[:2] for x in impossible()}
    below |= {x[:2] for x in entries() if x[4] + ROUNDING < _expected(x)}
    named = ", ".join(f"{name} with {trees} trees" for name, trees in sorted(below))
    verdict = "holds" if not wrong and below == {("SynthE", TREES)} else "fails"
    return Evidence(
        verdict,
        "exact",
        f"{cases} small trees by enumeration, equality with equal leaves; below a floor: {named}",
        cases=cases + 28,
        counterexample={"trees": wrong, "entries": sorted(below)} if verdict == "fails" else None,
    )


def _expected(entry):
    """Expected floor of one entry of Table 3."""
    name, _, n, leaves, _ = entry
    if name != "Nursery":
        return depths.expected_empty_floor(n, leaves)
    law = depths.leaves_law(NURSERY, PRINTED[name][3])
    return law[1:] @ depths.expected_empty_floor(n, np.arange(1, len(law)))


@claim(
    "rdf/table-3-nursery",
    "Table 3",
    "fails",
    "thm-depth-nursery",
    ("depth.leaves_law",),
    kind="certified",
)
def table_3_nursery(effort, rng):
    """Nursery, one tree of depth 4, training records drawn at random: 0.2 % of the leaves are
    empty."""
    records, _, _, depth, printed, _ = PRINTED["Nursery"]
    held = records // 10
    fewest = min(records // prod(levels) for levels in combinations(NURSERY, depth))
    empty = Fraction(comb(records - fewest, held - fewest), comb(records, held))
    verdict = "fails" if printed / 100 - ROUNDING > empty else "holds"
    case = {
        "records": records,
        "held out": held,
        "fewest in a leaf": fewest,
        "expected": float(empty),
    }
    return Evidence(
        verdict,
        "certified",
        f"every leaf has {fewest} records or more; all are among the {held} held out with "
        f"probability {float(empty):.1g} at most, which bounds the expected share",
        cases=comb(len(NURSERY), depth),
        published=printed / 100,
        computed=float(empty),
        counterexample=case if verdict == "fails" else None,
    )


@table_3_nursery.corrected(functions=("depth.leaves_law",), where="Table 3", kind="certified")
def table_3_nursery_corrected(effort, rng):
    """With one tree of depth 4 on nine tenths of Nursery, drawn at random, no leaf is empty in
    any of 100 runs, but with probability below $10^{-40}$."""
    table = np.indices(NURSERY).reshape(len(NURSERY), -1)
    fewest = table.shape[1]
    for columns in map(list, combinations(range(len(NURSERY)), 4)):
        leaf = np.ravel_multi_index(table[columns], [NURSERY[c] for c in columns])
        fewest = min(fewest, int(np.bincount(leaf).min()))
    most_leaves = int(np.flatnonzero(depths.leaves_law(NURSERY, 4)).max())
    held = table.shape[1] // 10
    one = prod(Fraction(held - i, table.shape[1] - i) for i in range(fewest))
    bound = 100 * most_leaves * one
    verdict = "holds" if bound < Fraction(1, 10**40) else "fails"
    return Evidence(
        verdict,
        "certified",
        f"at most {most_leaves} leaves of at least {fewest} records: probability {float(bound):.1g}",
        cases=comb(len(NURSERY), 4),
        published=1e-40,
        computed=float(bound),
        counterexample={"bound": float(bound)} if verdict == "fails" else None,
    )
