"""RDF, section 4.2.1: how many leaves of a random tree are empty."""

from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, e, prod
from typing import NamedTuple

import numpy as np

from dplit import depth as depths
from dplit.court.claims.depth._printed import printed_rows
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import decisive, need, note, same

LEVELS = (3, 5, 4, 4, 3, 2, 3, 3)  # of Nursery's features; its records are all combinations
TREES = 30
RARE = Fraction(1, 20) ** 5  # example 1, m = 10: share of the leaf of five values of 5 %
EXAMPLE = Box("thm-depth-example", "depth.leaves_law")
RECORDS = Box("thm-depth-example", "depth.expected_empty_floor")
FLOOR = Box("thm-depth-floor", "depth.empty_leaves_floor", "depth.expected_empty_floor", "depth.empty_leaves")
FILLED = tuple(
    f"rdf/example-1-records/corrected:{part}" for part in ("half", "less-than-half", "most", "less-than-most")
)
NURSERY = Box("thm-depth-nursery", "depth.leaves_law", kind="certified", range="every tree of depth 4")


@EXAMPLE("rdf/example-1-leaves", "Section 4.2.1, Example 1", "fails", about="reading", quantity="number of leaves")
def example_1_leaves(effort, rng):
    r"""Of the $3^{m/2}$ leaves on $m/2$ features whose values have shares 0.68, 0.27 and 0.05, $\binom{m/2}{2} -
    1$ leaves other than the largest have shares that are products of 0.68 and 0.27. (Read as the extracted text
    has it, where signs may have been lost.)"""
    halves = range(1, effort.pick(6, 8, 11) + 1)
    for k in sorted(halves, key=lambda k: k != 5):  # m = 10 in the example
        yield same(_two_value_leaves(k), comb(k, 2) - 1, rtol=0, m=2 * k)
    return note("m = {m}: {stated:g} published, {exact:g} counted", range=f"m/2 up to {halves[-1]}")


@EXAMPLE.corrected(example_1_leaves, where="Section 4.2.1, Example 1", quantity="number of leaves")
def example_1_leaves_corrected(effort, rng):
    """Of the leaves on $m/2$ features whose values have shares 0.68, 0.27 and 0.05, $2^{m/2} - 1$ leaves other
    than the largest have shares that are products of 0.68 and 0.27."""
    counted = {k: _two_value_leaves(k) for k in range(1, effort.pick(6, 8, 11) + 1)}
    for k, number in counted.items():
        tree = int(depths.leaves_law([2] * k, k).argmax()) - 1
        yield same(number, tree, rtol=0, m=2 * k)
        yield same(number, 2**k - 1, rtol=0, m=2 * k)
    return note(
        f"For m/2 = 1 to {len(counted)} these numbers of leaves were counted: {list(counted.values())}.",
        cases=sum(3**k for k in counted),
        range=f"m/2 up to {len(counted)}",
    )


def _two_value_leaves(k):
    """Leaves on k features of three values that meet the first two values alone, not only the first."""
    return sum(2 not in leaf and 1 in leaf for leaf in product(range(3), repeat=k))


@RECORDS("rdf/example-1-records", "Section 4.2.1, Example 1", "assumes", quantity="records needed", range="m = 10")
def example_1_records(effort, rng):
    r"""With $m = 10$, $n = 3\,200\,000$ records are required for even one record in the smallest leaf. (This
    assumes that the expected number of records is meant.)"""
    n = 3_200_000
    needed = ceil(1 / RARE)
    filled = float(1 - depths.expected_empty_floor(n, 1 / float(RARE)))
    case = {"leaf": RARE, "n": n, "expected records": n * RARE, "nonempty": filled}
    yield same(needed, n, rtol=0, broken="fails", **case)
    yield need(filled >= 1 - 1e-6, needed, "=", n, **case)
    return (
        f"assumes that one record is meant in expectation: at n = {needed:,} the leaf holds "
        f"one with probability {filled:.4f}, 1 - 1/e"
    )


@RECORDS.corrected(
    example_1_records,
    where="Section 4.2.1, Example 1",
    proved=False,
    quantity="chance that the smallest leaf is empty",
    **over(*FILLED),
)
def example_1_records_corrected(effort, rng):
    r"""The smallest leaf holds a record with probability at least 0.5 from $n = 2\,218\,071$ on, and at least
    0.95 from $n = 9\,586\,342$ on. At $n = 3\,200\,000$ the probability is $1 - 1/e$ to six digits."""
    yield from certified(FILLED, effort)
    empty = depths.expected_empty_floor(3_200_000, 1 / float(RARE))
    yield same(empty, 1 / e, rtol=0, atol=1e-6, n=3_200_000)
    words = "The probability is at least 0.5 from n = 2,218,071 on and at least 0.95 from n = 9,586,342 on. Below"
    return words + " the latter the leaf is empty with a chance above 0.05: {statement} wherever {where}."


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


@FLOOR(
    "rdf/table-3",
    "Table 3",
    "fails",
    kind="certified",
    quantity="share of empty leaves, whatever the data",
    range="all 28 entries",
)
def table_3(effort, rng):
    """The printed shares of empty leaves are those of trees of the printed depth (Algorithm 2) on disjoint parts
    of the data."""
    for entry in sorted(_entries(), key=_below_floor, reverse=True):
        n, leaves, kept = entry.records, entry.leaves, entry.records * 9 // 10
        floor = float(depths.empty_leaves_floor(n, leaves))
        case = entry._asdict() | {
            "floor": floor,
            "kept": kept,
            "training": 1 - kept / leaves,
            "expected floor": float(depths.expected_empty_floor(n, leaves)),
            "uniform features": float(depths.empty_leaves(n, leaves.bit_length() - 1)),
        }
        yield need(_below_floor(entry) <= 0, floor, "<=", entry.printed, **case)
    return (
        "{name}, {trees} trees: {records} records reach at most {records} of {leaves} leaves, so "
        "{floor:.2%} are empty or more ({training:.2%} of {kept} in training); printed {printed:.2%}"
    )


@FLOOR.corrected(
    table_3,
    "depth.empty_leaves_floor",
    "depth.expected_empty_floor",
    "depth.leaves_law",
    where="Table 3",
    quantity="entries below a floor, SynthE with 30 trees apart",
)
def table_3_corrected(effort, rng):
    """If $n$ independent records fall into $L$ leaves, the share of empty leaves is at least $1 - n/L$, and in
    expectation at least $(1 - 1/L)^n$. Every entry of Table 3 except SynthE with 30 trees is above both bounds."""
    most, parts = effort.pick((4, 5), (5, 6), (6, 7))
    trees = 0
    for leaves, n in product(range(1, 4), range(most + 1)):
        floor = depths.empty_leaves_floor(n, leaves)
        expected = depths.expected_empty_floor(n, leaves)
        for w in product(range(parts + 1), repeat=leaves):
            equal = len(set(w)) == 1
            if sum(w) == parts or (equal and sum(w)):
                case = {"leaves": leaves, "n": n, "weights": list(w)}
                least, mean = _placements(leaves, n, [Fraction(v, sum(w)) for v in w])
                trees += 1
                yield same(least, floor, rtol=0, atol=1e-12, **case)
                yield need(mean >= expected - 1e-12, mean, ">=", expected, **case)
                if equal:
                    yield same(mean, expected, rtol=0, atol=1e-12, **case)
    low = [x for x in _entries() if _below_floor(x) > 0 or x.below(_expected_floor(x)) > 0]
    below = sorted({(x.name, x.trees) for x in low})
    yield need(("SynthE", TREES) in below, entries=below)
    yield decisive(same(len(set(below) - {("SynthE", TREES)}), 0, entries=below))
    named = ", ".join(f"{name} with {tau} trees" for name, tau in below)
    return note(
        f"{trees} small trees by enumeration, equality with equal leaves; below a floor: {named}",
        cases=trees + 28,
        range=f"up to 3 leaves and {most} records; all 28 entries",
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
    law = depths.leaves_law(LEVELS, entry.leaves.bit_length() - 1)
    return law[1:] @ depths.expected_empty_floor(entry.records, np.arange(1, len(law)))


@NURSERY("rdf/table-3-nursery", "Table 3", "fails", about="reading", quantity="share of empty leaves, at most")
def table_3_nursery(effort, rng):
    """For Nursery and one tree of depth 4, 0.2 % of the leaves are empty. (Read with training records drawn at
    random, which the paper's "ten-fold cross validation" does not say.)"""
    row = printed_rows()["Nursery"]
    held, printed = row.records // 10, row.one.value
    fewest = min(row.records // prod(levels) for levels in combinations(LEVELS, row.depth))
    empty = Fraction(comb(row.records - fewest, held - fewest), comb(row.records, held))
    case = {"records": row.records, "held": held, "fewest": fewest}
    yield need(printed - row.one.rounding <= empty, empty, ">=", printed, **case)
    return note(
        "every leaf has {fewest} records or more; all are among the {held} held out with "
        "probability {exact:.1g} at most, which bounds the expected share",
        cases=comb(len(LEVELS), row.depth),
    )


@NURSERY.corrected(
    table_3_nursery, where="Table 3", proved=False, quantity="probability of an empty leaf in 100 runs, at most"
)
def table_3_nursery_corrected(effort, rng):
    """With one tree of depth 4 on nine tenths of Nursery, drawn at random, the probability that any leaf
    is empty in any of 100 runs is below $10^{-40}$."""
    table = np.indices(LEVELS).reshape(len(LEVELS), -1)
    fewest = table.shape[1]
    for columns in map(list, combinations(range(len(LEVELS)), 4)):
        leaf = np.ravel_multi_index(table[columns], [LEVELS[c] for c in columns])
        fewest = min(fewest, int(np.bincount(leaf).min()))
    most = int(np.flatnonzero(depths.leaves_law(LEVELS, 4)).max())
    held = table.shape[1] // 10
    one = prod(Fraction(held - i, table.shape[1] - i) for i in range(fewest))
    bound = 100 * most * one
    yield need(bound < Fraction(1, 10**40), bound, "<", 1e-40, leaves=most, records=fewest)
    return note(
        "A tree has at most {leaves} leaves, and each has at least {records} records of the set, so that in 100 "
        "runs the probability of an empty leaf is at most {exact:.1g}.",
        cases=comb(len(LEVELS), 4),
    )
