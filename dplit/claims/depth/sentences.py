"""RDF, sections 4.2 and 4.2.1: what the paper says of its own table 3, and of cost."""

from __future__ import annotations

from math import log

from dplit.claims.depth._printed import printed_rows
from dplit.ledger import Evidence, claim, verdict_of


def _shares():
    """(set, trees, printed cell) of all 28 entries of Table 3."""
    rows = printed_rows().items()
    return [(name, t, cell) for name, row in rows for t, cell in ((1, row.one), (30, row.thirty))]


@claim(
    "rdf/most-leaves-empty",
    "Section 4.2.1, after Example 1",
    "assumes",
    "thm-depth-printed",
    ("printed.table",),
    quantity="entries of Table 3 at 85 % or less",
    range="all 28 entries",
)
def most_leaves_empty(effort, rng):
    """In the paper's experiments, over 85 % of the leaves of any tree that is not trivial are usually empty
    (assuming that "usually" means in most of the entries of Table 3)."""
    below = [(name, t, c) for name, t, c in _shares() if c.value <= 0.85]
    one, thirty = (sum(t == trees for _, t, _ in below) for trees in (1, 30))
    deep = [f"{n} {c.value:.1%} ({t})" for n, t, c in below if printed_rows()[n].depth == 12]
    return Evidence(
        "holds" if not below else "assumes" if len(below) < 14 else "fails",
        "exact",
        f"Table 3 prints 85 % or less in {one} of 14 rows with one tree and in {thirty} with 30; of "
        f"depth 12 in {', '.join(deep)}; more in {28 - len(below)} of 28 entries",
        counterexample={f"{name}, {t} trees": cell.text for name, t, cell in below},
        cases=28,
        relation="=",
        published=0.0,
        computed=float(len(below)),
    )


@most_leaves_empty.corrected(
    quantity="rows of depth 8 or more, continuous features only, below 79 %",
    functions=("printed.table",),
)
def most_leaves_empty_corrected(effort, rng):
    """In Table 3 at least 79 % of the leaves are empty in every row of depth 8 or more with
    continuous features only, but SynthE."""
    low = {
        name
        for name, t, cell in _shares()
        if cell.value < 0.79
        and printed_rows()[name].depth >= 8
        and not printed_rows()[name].discrete
    }
    return verdict_of(
        low == {"SynthE"},
        f"below 79 %: {', '.join(sorted(low))}",
        {"rows": sorted(low)},
        cases=28,
        range="all 28 entries",
        relation="=",
        published=0.0,
        computed=float(len(low - {"SynthE"})),
    )


@claim(
    "rdf/usually-empty",
    "Section 4.2, footnote 3",
    "assumes",
    "thm-depth-printed",
    ("printed.table",),
    quantity="entries of Table 3 outside 70 to 99.9 %",
    range="all 28 entries",
)
def usually_empty(effort, rng):
    """70 to 99.9 % of the leaves are usually empty (assuming that "usually" means in most of the
    entries of Table 3)."""
    outside = [(n, t, c) for n, t, c in _shares() if not 0.70 <= round(c.value, 4) <= 0.999]
    one, thirty = (sum(t == trees for _, t, _ in outside) for trees in (1, 30))
    return Evidence(
        "holds" if not outside else "assumes" if len(outside) < 14 else "fails",
        "exact",
        f"Outside in {one} of 14 rows with one tree and in {thirty} with 30, all of them below: inside "
        f"in {28 - len(outside)} of 28 entries",
        cases=28,
        counterexample={f"{name}, {t} trees": cell.text for name, t, cell in outside},
        relation="=",
        published=0.0,
        computed=float(len(outside)),
    )


@claim(
    "rdf/always-more-empty",
    "Section 4.2.1, before Table 3",
    "assumes",
    "thm-depth-printed",
    ("printed.table",),
    quantity="rows of Table 3 that print no increase",
    range="all 14 rows",
)
def always_more_empty(effort, rng):
    """In Table 3, when the data are divided among more trees, the number of empty leaves always increases
    (assuming that the digits that are not printed do)."""
    rows = printed_rows().items()
    same = [name for name, row in rows if row.thirty.value == row.one.value]
    fewer = [name for name, row in rows if row.thirty.value < row.one.value]
    return Evidence(
        "fails" if fewer else "assumes" if same else "holds",
        "exact",
        f"{14 - len(same) - len(fewer)} of 14 rows print an increase; no change in {', '.join(same)}: "
        + ", ".join(f"{row.one.text} and {row.thirty.text}" for name, row in rows if name in same),
        cases=14,
        counterexample={"no change": same, "fewer": fewer},
        relation="=",
        published=0.0,
        computed=float(len(same) + len(fewer)),
    )


@claim(
    "rdf/disjoint-cost",
    "Section 4.2",
    "assumes",
    "thm-depth-cost",
    ("depth.table_depth",),
    proof="thm-depth-cost",
    quantity="cost of a forest of parts over its printed cost, in trees",
    range="n = 30,000 with 10, 30, 100 and 300 trees",
)
def disjoint_cost(effort, rng):
    r"""Disjoint parts substantially decrease the time of the algorithm, from $O(n \log n)$ to
    $O(\frac{n}{\tau} \log \frac{n}{\tau})$ (assuming that both are the time of one tree)."""
    n, factors = 30_000, {}
    for trees in (10, 30, 100, 300):
        printed, part = _sorted(n / trees), n / trees
        forest = sum(_sorted(part) for _ in range(trees))
        factors[trees] = forest / printed
    off = max(abs(factor / trees - 1) for trees, factor in factors.items())
    return Evidence(
        "holds" if max(factors.values()) == 1 else "assumes" if off < 1e-9 else "fails",
        "exact",
        "A forest of tau parts takes n log(n/tau), tau times the printed cost, which is that of one tree; "
        f"at n = {n:,} and 100 trees {factors[100]:.0f} times.",
        cases=len(factors),
        counterexample={"records": n, "factors": factors},
        relation="=",
        published=1.0,
        computed=factors[100],
    )


def _sorted(n):
    """The paper's cost of a tree on n records."""
    return n * log(n)
