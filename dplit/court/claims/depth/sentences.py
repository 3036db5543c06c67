"""RDF, sections 4.2 and 4.2.1: what the paper says of its own table 3, and of cost."""

from dplit.court.claims.depth._printed import printed_rows
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import need, note, same

PRINTED = Box("thm-depth-printed", "ground.printed.table")
COST = Box("thm-depth-cost", "depth.table_depth")


def _shares():
    """(set, trees, printed cell) of all 28 entries of Table 3."""
    rows = printed_rows().items()
    return [(name, t, cell) for name, row in rows for t, cell in ((1, row.one), (30, row.thirty))]


def _exceptions(entries):
    """A sentence on what is usual: true if no entry is an exception, and false if half of them are."""
    cells = {f"{name}, {t} trees": cell.text for name, t, cell in entries}
    return same(len(cells), 0, broken="assumes" if len(cells) < 14 else "fails", **cells)


@PRINTED(
    "rdf/most-leaves-empty",
    "Section 4.2.1, after Example 1",
    "assumes",
    quantity="entries of Table 3 at 85 % or less",
    range="all 28 entries",
)
def most_leaves_empty(effort, rng):
    """In the paper's experiments, over 85 % of the leaves of any tree that is not trivial are usually empty. (This
    assumes that "usually" means in most of the entries of Table 3.)"""
    below = [(name, t, c) for name, t, c in _shares() if c.value <= 0.85]
    yield _exceptions(below)
    one, thirty = (sum(t == trees for _, t, _ in below) for trees in (1, 30))
    deep = [f"{n} {c.value:.1%} ({t})" for n, t, c in below if printed_rows()[n].depth == 12]
    return note(
        f"Table 3 prints 85 % or less in {one} of 14 rows with one tree and in {thirty} with 30; of "
        f"depth 12 in {', '.join(deep)}; more in {28 - len(below)} of 28 entries",
        cases=28,
    )


@PRINTED.corrected(most_leaves_empty, proved=False, quantity="rows of depth 8 on, continuous only, below 79 %")
def most_leaves_empty_corrected(effort, rng):
    """In Table 3 at least 79 % of the leaves are empty in every row of depth 8 or more with continuous features
    only, except SynthE."""
    low = {
        name
        for name, t, cell in _shares()
        if cell.value < 0.79 and printed_rows()[name].depth >= 8 and not printed_rows()[name].discrete
    }
    yield need("SynthE" in low, rows=sorted(low))
    yield same(len(low - {"SynthE"}), 0, rows=sorted(low))
    return note(f"below 79 %: {', '.join(sorted(low))}", cases=28, range="all 28 entries")


@PRINTED(
    "rdf/usually-empty",
    "Section 4.2, footnote 3",
    "assumes",
    quantity="entries of Table 3 outside 70 to 99.9 %",
    range="all 28 entries",
)
def usually_empty(effort, rng):
    """70 to 99.9 % of the leaves are usually empty. (This takes "usually" as "in most entries of Table 3".)"""
    outside = [(n, t, c) for n, t, c in _shares() if not 0.70 <= round(c.value, 4) <= 0.999]
    yield _exceptions(outside)
    one, thirty = (sum(t == trees for _, t, _ in outside) for trees in (1, 30))
    return note(
        f"The printed share is below 70 % in {one} of 14 rows with one tree and in {thirty} with 30 trees, and "
        f"from 70 to 99.9 % in {28 - len(outside)} of 28 entries.",
        cases=28,
    )


@PRINTED(
    "rdf/always-more-empty",
    "Section 4.2.1, before Table 3",
    "assumes",
    quantity="rows of Table 3 that print no increase",
    range="all 14 rows",
)
def always_more_empty(effort, rng):
    """In Table 3, when the data are divided among more trees, the number of empty leaves always increases. (This
    assumes that the unprinted digits increase where the printed ones do not.)"""
    rows = printed_rows().items()
    alike = {name: row for name, row in rows if row.thirty.value == row.one.value}
    fewer = [name for name, row in rows if row.thirty.value < row.one.value]
    found = {"no change": list(alike), "fewer": fewer}
    yield same(len(alike) + len(fewer), 0, broken="fails" if fewer else "assumes", **found)
    return note(
        f"{14 - len(alike) - len(fewer)} of 14 rows print an increase; no change in {', '.join(alike)}: "
        + ", ".join(f"{row.one.text} and {row.thirty.text}" for row in alike.values()),
        cases=14,
    )


@COST(
    "rdf/disjoint-cost",
    "Section 4.2",
    "assumes",
    proved=True,
    quantity="cost of a forest of parts, and its printed cost",
    **over("rdf/disjoint-cost", "rdf/disjoint-cost:trees"),
)
def disjoint_cost(effort, rng):
    r"""Disjoint parts substantially decrease the time of the algorithm, from $O(n \log n)$ to $O(\frac{n}{\tau}
    \log \frac{n}{\tau})$. (This assumes that both are the time of one tree.)"""
    yield from certified("rdf/disjoint-cost:trees", effort, broken="fails")
    yield from certified("rdf/disjoint-cost", effort)
    return "A forest of tau parts takes n log(n/tau), tau times the printed cost, which is that of one tree."
