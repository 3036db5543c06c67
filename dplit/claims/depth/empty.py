"""RDF, section 4.2.1: empty leaves over continuous features, in closed form, and who meets them."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np

from dplit import depth as depths
from dplit.claims.depth.theorem_2 import PRINTED
from dplit.ledger import Evidence, claim, of_equality

TREES = (1, 30, 100)  # the two of Table 3, and what section 4.4 recommends


@claim(
    "rdf/more-trees-more-empty",
    "Section 4.2.1, before Table 3",
    "holds",
    "thm-depth-empty",
    ("depth.empty_leaves",),
)
def more_trees_more_empty(effort, rng):
    """Dividing the data among more trees increases the expected share of empty leaves."""
    most, deepest = effort.pick((1000, 8), (10_000, 12), (100_000, 20))
    steps = [np.diff(depths.empty_leaves(np.arange(most + 1), d)) for d in range(1, deepest + 1)]
    falls = max(float(s.max()) for s in steps)
    fewer = {name: row[4:] for name, row in PRINTED.items() if row[5] < row[4]}
    verdict = "fails" if falls >= 0 or fewer else "holds"
    return Evidence(
        verdict,
        "exact",
        f"strictly decreasing in n up to {most} at depths 1 to {deepest}, and so in Table 3",
        cases=most * deepest,
        counterexample=None if verdict == "holds" else {"smallest step": falls, "rows": fewer},
    )


def visits(trees):
    """Chance that a record ends in an empty leaf, by row of Table 3 with continuous features only."""
    shapes = {k: (v[0] // trees, v[3]) for k, v in PRINTED.items() if not v[2]}
    return {name: float(depths.empty_leaf_visited(*shape)) for name, shape in shapes.items()}


@claim(
    "rdf/empty-unvisited",
    "Section 4.2.1, after Example 1",
    "fails",
    "thm-depth-visited",
    ("depth.empty_leaf_visited",),
)
def empty_unvisited(effort, rng):
    """Empty leaves are unlikely to be visited by future records, even with the 100 trees that
    section 4.4 recommends."""
    chance = {trees: visits(trees) for trees in TREES}
    worst = max(chance[100], key=chance[100].get)
    found = chance[100][worst]
    likely = [name for name, p in chance[100].items() if p > 0.5]
    case = {
        "dataset": worst,
        "records a tree": PRINTED[worst][0] // 100,
        "depth": PRINTED[worst][3],
    }
    return Evidence(
        "fails" if likely else "holds",
        "exact",
        f"{worst}, 100 trees: a new record meets an empty leaf with probability {found:.1%} "
        f"({chance[30][worst]:.1%} with 30, {chance[1][worst]:.1%} with one); above one "
        f"half: {', '.join(likely)}",
        cases=3 * len(chance[1]),
        published=0.5,
        computed=found,
        counterexample={**case, "probability": found} if likely else None,
    )


@empty_unvisited.corrected(
    functions=("depth.empty_leaf_visited",), where="Section 4.2.1, after Example 1"
)
def empty_unvisited_corrected(effort, rng):
    r"""With uniform features a record meets an empty leaf of a tree of $n$ others with
    probability $b_d(n) = \frac{2}{(n+1)(n+2)} \sum_{k \le n} (k+1)\, b_{d-1}(k)$, $b_0(n) = [n
    = 0]$; below 8 % in every row of Table 3 with continuous features only and one tree."""
    most, deepest = effort.pick((40, 8), (80, 12), (160, 20))
    cases = [(n, d) for n in range(most + 1) for d in range(deepest + 1)]
    moments = lambda n, d: sum(  # noqa: E731
        (-1) ** k * comb(n, k) * Fraction(2, k + 2) ** d for k in range(n + 1)
    )
    exact = [float(moments(n, d)) for n, d in cases]
    recursion = [float(depths.empty_leaf_visited(n, d)) for n, d in cases]
    largest = max(visits(1).values())
    same = of_equality(recursion, exact, rtol=1e-11)
    verdict = same if largest < 0.08 else "fails"
    return Evidence(
        verdict,
        "exact",
        f"moments in fractions agree for n up to {most}, d up to {deepest}; one tree: {largest:.1%} at most",
        cases=len(cases),
        published=0.08,
        computed=largest,
        counterexample=None if verdict == "holds" else {"largest": largest, "recursion": recursion},
    )


@claim(
    "rdf/empty-leaves",
    "Section 4.2.1",
    "holds",
    "thm-depth-empty",
    ("depth.empty_leaves",),
    ours=True,
)
def empty_leaves(effort, rng):
    r"""For $n$ independent records uniform over continuous features, the expected share of
    empty leaves at depth $d$ is $a_d(n) = \frac{1}{n+1} \sum_{k \le n} a_{d-1}(k)$, $a_0(n) =
    [n = 0]$."""
    most, deepest = effort.pick((40, 8), (80, 12), (160, 20))
    cases = [(n, d) for n in range(most + 1) for d in range(deepest + 1)]
    moments = lambda n, d: sum(  # noqa: E731
        Fraction((-1) ** k * comb(n, k), (k + 1) ** d) for k in range(n + 1)
    )
    exact = [float(moments(n, d)) for n, d in cases]
    recursion = [float(depths.empty_leaves(n, d)) for n, d in cases]
    same = of_equality(recursion, exact, rtol=1e-11)
    uniform = float(depths.empty_leaves(1000, 12))
    return Evidence(
        same,
        "exact",
        f"moments in fractions agree for n up to {most}, d up to {deepest}; at n = 1000, d = 12 "
        f"the share is {uniform:.1%}",
        cases=len(cases),
        published=recursion[-1],
        computed=exact[-1],
        counterexample=None if same == "holds" else {"recursion": recursion, "moments": exact},
    )
