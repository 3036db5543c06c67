"""RDF, section 4.2.1: how many leaves of a random tree are empty."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, e, log1p, prod
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from dplit import depth as depths
from dplit.claims.depth._printed import printed_rows
from dplit.ledger import Case, Evidence, claim, equal, verdict_of

NURSERY = (3, 5, 4, 4, 3, 2, 3, 3)  # levels of its features; its records are all combinations
TREES = 30
RARE = Fraction(1, 20) ** 5  # example 1, m = 10: share of the leaf of five values of 5 %


@claim(
    "rdf/example-1-leaves",
    "Section 4.2.1, Example 1",
    "fails",
    "thm-depth-example",
    ("depth.leaves_law",),
    about="reading",
    quantity="number of leaves",
)
def example_1_leaves(effort, rng):
    r"""Read as the extracted text has it, where signs may have been lost: of the $3^{m/2}$ leaves on
    $m/2$ features of shares 0.68, 0.27 and 0.05, $\binom{m/2}{2} - 1$ beside the largest have
    shares that are products of 0.68 and 0.27."""
    halves = range(1, effort.pick(6, 8, 11) + 1)
    cases = [Case(_two_value_leaves(k), comb(k, 2) - 1, {"m": 2 * k}) for k in halves]
    paper_first = sorted(cases, key=lambda case: case.data["m"] != 10)  # m = 10 in the example
    note = "m = {m}: {stated} published, {exact} counted"
    return equal(paper_first, note, rtol=0, range=f"m/2 up to {halves[-1]}")


@example_1_leaves.corrected(
    functions=("depth.leaves_law",),
    where="Section 4.2.1, Example 1",
    proof="thm-depth-example",
    quantity="number of leaves",
)
def example_1_leaves_corrected(effort, rng):
    """Their number is $2^{m/2} - 1$."""
    halves = range(1, effort.pick(6, 8, 11) + 1)
    counted = [_two_value_leaves(k) for k in halves]
    formula = [2**k - 1 for k in halves]
    tree = [int(depths.leaves_law([2] * k, k).argmax()) - 1 for k in halves]
    return verdict_of(
        counted == formula == tree,
        f"m/2 = 1 to {halves[-1]}: {counted}",
        {"counted": counted, "formula": formula, "tree": tree},
        cases=sum(3**k for k in halves),
        range=f"m/2 up to {halves[-1]}",
        relation="=",
        published=formula[4],
        computed=counted[4],
    )


def _two_value_leaves(k):
    """Leaves on k features of three values that meet the first two values alone, not only the first."""
    return sum(2 not in leaf and 1 in leaf for leaf in product(range(3), repeat=k))


@claim(
    "rdf/example-1-records",
    "Section 4.2.1, Example 1",
    "assumes",
    "thm-depth-example",
    ("depth.expected_empty_floor",),
    quantity="records for one in the leaf, in expectation",
    range="m = 10",
)
def example_1_records(effort, rng):
    r"""With $m = 10$, $n = 3\,200\,000$ records are required for even one in the smallest leaf
    (assuming that one is meant in expectation)."""
    published = 3_200_000
    needed = ceil(1 / RARE)
    filled = 1 - depths.expected_empty_floor(published, 1 / float(RARE))
    fills = filled >= 1 - 1e-6
    case = {"leaf": RARE, "n": published, "expected records": published * RARE, "nonempty": filled}
    return Evidence(
        verdict="fails" if needed != published else "holds" if fills else "assumes",
        kind="exact",
        summary=f"assumes that one record is meant in expectation: at n = {needed:,} the leaf holds "
        f"one with probability {filled:.4f}, 1 - 1/e",
        relation="=",
        published=published,
        computed=needed,
        counterexample=case,
    )


@example_1_records.corrected(
    functions=("depth.expected_empty_floor",),
    where="Section 4.2.1, Example 1",
    quantity="records for probability one half",
    range="m = 10, the three numbers of records",
)
def example_1_records_corrected(effort, rng):
    r"""The smallest leaf holds a record with probability one half from $n = 2\,218\,071$ on,
    with probability 0.95 from $n = 9\,586\,342$ on; at $n = 3\,200\,000$ it is $1 - 1/e$ to six
    digits."""
    stated = {0.5: 2_218_071, 0.95: 9_586_342}
    found = {q: ceil(log1p(-q) / log1p(-float(RARE))) for q in stated}

    def filled(n):
        return binom.sf(0, n, float(RARE))

    tight = all(filled(n) >= q > filled(n - 1) for q, n in found.items())
    close = abs(filled(3_200_000) - (1 - 1 / e)) < 1e-6
    return verdict_of(
        found == stated and tight and close,
        ", ".join(f"probability {q:g} from n = {n:,} on" for q, n in found.items()),
        {"found": found, "stated": stated},
        cases=5,
        relation="=",
        published=stated[0.5],
        computed=found[0.5],
    )


class _Entry(NamedTuple):
    """An entry of Table 3: records of a tree, fewest leaves, printed share and its rounding."""

    name: str
    trees: int
    records: int
    leaves: int
    printed: float
    rounding: float

    def below(self, floor):
        """How far the printed share is below `floor`, beyond rounding."""
        return float(floor) - self.printed - self.rounding


def _entries():
    """Table 3, entry by entry.

    Records are rounded up and none is held out; every test has two outcomes or more, so that there
    are at least 2^d leaves. Both are to the table's advantage.
    """
    for name, row in printed_rows().items():
        for trees, cell in ((1, row.one), (TREES, row.thirty)):
            records = ceil(row.records / trees)
            yield _Entry(name, trees, records, 2**row.depth, cell.value, cell.rounding)


def _below_floor(entry):
    """How far an entry is below the pigeonhole floor."""
    return entry.below(depths.empty_leaves_floor(entry.records, entry.leaves))


@claim(
    "rdf/table-3",
    "Table 3",
    "fails",
    "thm-depth-floor",
    ("depth.empty_leaves_floor", "depth.expected_empty_floor", "depth.empty_leaves"),
    kind="certified",
    quantity="share of empty leaves, whatever the data",
    range="all 28 entries",
)
def table_3(effort, rng):
    """The printed shares of empty leaves are those of trees of the printed depth (Algorithm 2)
    on disjoint parts of the data."""
    worst = max(_entries(), key=_below_floor)
    n, leaves, kept = worst.records, worst.leaves, worst.records * 9 // 10
    floor = float(depths.empty_leaves_floor(n, leaves))
    case = worst._asdict() | {
        "floor": floor,
        "floor in tenfold training": 1 - kept / leaves,
        "expected floor": float(depths.expected_empty_floor(n, leaves)),
        "uniform features": float(depths.empty_leaves(n, leaves.bit_length() - 1)),
    }
    return verdict_of(
        _below_floor(worst) <= 0,
        f"{worst.name}, {worst.trees} trees: {n} records reach at most {n} of {leaves} leaves, so "
        f"{floor:.2%} are empty or more ({1 - kept / leaves:.2%} of {kept} in training); "
        f"printed {worst.printed:.2%}",
        case,
        kind="certified",
        cases=28,
        relation="<=",
        published=worst.printed,
        computed=floor,
    )


@table_3.corrected(
    functions=("depth.empty_leaves_floor", "depth.expected_empty_floor", "depth.leaves_law"),
    where="Table 3",
    proof="thm-depth-floor",
    quantity="entries below a floor, SynthE with 30 trees apart",
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
                least, mean = _placements(leaves, n, [Fraction(v, sum(w)) for v in w])
                met = len(set(w)) > 1 or abs(mean - floors[1]) < 1e-12  # equal leaves meet it
                fine = abs(least - floors[0]) < 1e-12 and mean >= floors[1] - 1e-12 and met
                wrong += [] if fine else [{"leaves": leaves, "n": n, "weights": list(w)}]
                cases += 1
    low = [x for x in _entries() if _below_floor(x) > 0 or x.below(_expected_floor(x)) > 0]
    below = sorted({(x.name, x.trees) for x in low})
    named = ", ".join(f"{name} with {trees} trees" for name, trees in below)
    return verdict_of(
        not wrong and below == [("SynthE", TREES)],
        f"{cases} small trees by enumeration, equality with equal leaves; below a floor: {named}",
        {"trees": wrong, "entries": below},
        cases=cases + 28,
        range=f"up to 3 leaves and {most} records; all 28 entries",
        relation="=",
        published=0.0,
        computed=float(len(set(below) - {("SynthE", TREES)})),
    )


def _placements(leaves, n, weights):
    """Least and mean share of empty leaves over all placements of n records, by enumeration."""
    share = {p: Fraction(leaves - len(set(p)), leaves) for p in product(range(leaves), repeat=n)}
    chance = {p: prod((weights[i] for i in p), start=Fraction(1)) for p in share}
    return min(share.values()), sum(share[p] * chance[p] for p in share)


def _expected_floor(entry):
    """Least expected share of empty leaves of one entry of Table 3."""
    if entry.name != "Nursery":
        return depths.expected_empty_floor(entry.records, entry.leaves)
    law = depths.leaves_law(NURSERY, entry.leaves.bit_length() - 1)
    return law[1:] @ depths.expected_empty_floor(entry.records, np.arange(1, len(law)))


@claim(
    "rdf/table-3-nursery",
    "Table 3",
    "fails",
    "thm-depth-nursery",
    ("depth.leaves_law",),
    about="reading",
    kind="certified",
    quantity="expected share of empty leaves, an upper bound",
    range="every tree of depth 4",
)
def table_3_nursery(effort, rng):
    """Nursery, one tree of depth 4: 0.2 % of the leaves are empty (read with training records that are
    drawn at random, which the paper's "ten-fold cross validation" does not say)."""
    row = printed_rows()["Nursery"]
    held = row.records // 10
    fewest = min(row.records // prod(levels) for levels in combinations(NURSERY, row.depth))
    empty = Fraction(comb(row.records - fewest, held - fewest), comb(row.records, held))
    case = {"records": row.records, "held out": held, "fewest in a leaf": fewest}
    return verdict_of(
        row.one.value - row.one.rounding <= empty,
        f"every leaf has {fewest} records or more; all are among the {held} held out with "
        f"probability {float(empty):.1g} at most, which bounds the expected share",
        {**case, "expected": float(empty)},
        kind="certified",
        cases=comb(len(NURSERY), row.depth),
        relation=">=",
        published=row.one.value,
        computed=float(empty),
    )


@table_3_nursery.corrected(
    functions=("depth.leaves_law",),
    where="Table 3",
    kind="certified",
    quantity="probability of an empty leaf in 100 runs, an upper bound",
    range="every tree of depth 4",
)
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
    return verdict_of(
        bound < Fraction(1, 10**40),
        f"at most {most_leaves} leaves of at least {fewest} records: probability {float(bound):.1g}",
        {"bound": float(bound)},
        kind="certified",
        cases=comb(len(NURSERY), 4),
        relation="<",
        published=1e-40,
        computed=float(bound),
    )
