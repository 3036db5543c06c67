r"""Claims of Fletcher and Islam (2017), sections 2 and 4.1: neighbours and smooth sensitivity.

Derived in the chapter `majority`. A leaf is a tuple of class counts and :math:`j` its gap. What the
mechanism built on them costs is in `dplit.claims.majority.published`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np

from dplit import majority
from dplit.ledger import Evidence, claim, of_equality
from dplit.mechanisms.smooth_exponential import gap

SMOOTH_EPSILONS = (0.01, 0.1, 1.0)  # the columns of table 2
TABLE_2 = {  # gap: smooth sensitivities as printed, one for each of `SMOOTH_EPSILONS`
    0: ("1.00000", "1.00000", "1.00000"),
    1: ("0.99004", "0.90483", "0.36788"),
    5: ("0.95122", "0.60653", "0.00674"),
    10: ("0.90483", "0.36788", "0.00005"),
    50: ("0.60653", "0.00674", "1.93e-22"),
    100: ("0.36788", "0.00005", "3.72e-44"),
    500: ("0.00674", "1.93e-22", "7.12e-218"),
}


def _distance(x, y):
    """Records to add or remove before x is y (RDF, section 2.1)."""
    x, y = Counter(x), Counter(y)
    return sum(((x - y) + (y - x)).values())


def _multisets(values, size):
    return list(combinations_with_replacement(values, size))


@claim(
    "rdf/neighbours",
    "section 2.1, definition 1",
    "fails",
    "def-neighbours",
    ("majority.neighbouring",),
)
def _neighbours(effort, rng):
    r"""Privacy compares neighbours $x, y \in D^n$ with $\|x-y\|_1 = 1$, the number of records
    to add or remove."""
    values = "abc"[: effort.pick(2, 3, 3)]
    pairs = [(x, y) for n in range(1, effort.pick(4, 5, 7))
             for x in _multisets(values, n) for y in _multisets(values, n)]  # fmt: skip
    distances = [_distance(x, y) for x, y in pairs]
    nearest = min(d for d in distances if d)
    x, y = next(p for p, d in zip(pairs, distances) if d == nearest)
    return Evidence(
        "holds" if nearest == 1 else "fails", "exact",
        f"Of {len(pairs)} pairs of equal size none is at distance 1, the nearest distinct ones are "
        f"at {nearest}: "
        "each data set is its own only neighbour, and publishing it is private at every epsilon.",
        len(pairs), published=1, computed=nearest,
        counterexample={"x": list(x), "y": list(y), "distance": nearest},
    )  # fmt: skip


@_neighbours.corrected(functions=("majority.neighbouring",), where="section 2.1, definition 1")
def neighbours_corrected(effort, rng):
    """Add-remove: data of any size at distance 1. Replace-one: data of equal size at distance
    2. Each relation connects all its data sets, one of them any to any."""
    n = effort.pick(3, 4, 5)
    sizes = [_multisets("abc", size) for size in range(n + 1)]
    connected = [_connected([x for s in sizes for x in s], 1)] + [_connected(s, 2) for s in sizes]
    steps = {(x, y) for x in sizes[n] for y in sizes[n] if _distance(x, y) == 2}
    replaced = {(x, tuple(sorted((*x[:i], v, *x[i + 1 :]))))
                for x in sizes[n] for i in range(n) for v in "abc" if v != x[i]}  # fmt: skip
    good = all(connected) and steps == replaced
    return Evidence(
        "holds" if good else "fails", "exact",
        f"All data sets of at most {n} records over three values are connected by single additions "
        f"and removals, "
        f"and those of each one size by single replacements, which are the steps of distance 2.",
        sum(map(len, sizes)), published=1, computed=float(good),
        counterexample=None if good else {"n": n, "connected": connected},
    )  # fmt: skip


def _connected(data, step):
    """Whether steps of this distance lead from the first data set to all others."""
    reached, ring = {data[0]}, [data[0]]
    while ring:
        ring = [y for y in data if y not in reached and any(_distance(x, y) == step for x in ring)]
        reached.update(ring)
    return len(reached) == len(data)


def _first_difference(cases, published, true):
    """The first case where the two differ, or None."""
    return next((x for x in cases if not math.isclose(published(x), true(x), rel_tol=1e-12)), None)


def _theorem_1(effort, published, true, neighbours="add-remove"):
    """Evidence on "`published` equals `true`" over all leaves of two and three classes, epsilon 1."""
    n2, n3 = effort.pick((7, 4), (10, 6), (16, 9))
    cases = [*majority.leaves(n2, 2), *majority.leaves(n3, 3)]
    x = _first_difference(cases, published, true)
    shown = x or cases[-1]
    relation = f"under {neighbours} over {len(cases)} leaves of two and three classes at epsilon 1"
    return Evidence(
        "holds" if x is None else "fails", "exact",
        f"Breadth-first search {relation}: " + ("every value agrees." if x is None else
        f"the first leaf that differs is {x}, {published(x):.5f} for a true {true(x):.5f}."),
        len(cases), published=float(published(shown)), computed=float(true(shown)),
        counterexample=x and {"counts": list(x), "epsilon": 1.0, "neighbours": neighbours,
                              "published": float(published(x)), "true": float(true(x))},
    )  # fmt: skip


@claim(
    "rdf/theorem-1",
    "theorem 1, equation 8",
    "fails",
    "thm-smooth-sensitivity",
    ("majority.published_smooth_sensitivity", "majority.searched_smooth_sensitivity"),
)
def theorem_1_published(effort, rng):
    r"""The smooth sensitivity of the score, 1 for every most frequent class, is
    $e^{-j\epsilon}$."""
    return _theorem_1(
        effort,
        lambda x: majority.published_smooth_sensitivity(x, 1.0),
        lambda x: majority.searched_smooth_sensitivity(x, 1.0),
    )


@theorem_1_published.corrected(
    functions=("majority.smooth_sensitivity", "majority.searched_smooth_sensitivity"),
    where="theorem 1, equation 8",
)
def theorem_1_corrected(effort, rng):
    r"""It is $e^{-\epsilon\max(j-1,0)}$ under add-remove and $e^{-\epsilon\max(\lceil
    j/2\rceil-1,0)}$ under replace-one."""
    found = [
        _theorem_1(
            effort,
            lambda x, relation=relation: majority.smooth_sensitivity(x, 1.0, relation),
            lambda x, relation=relation: majority.searched_smooth_sensitivity(x, 1.0, relation),
            relation,
        )
        for relation in ("add-remove", "replace-one")
    ]
    worse = next((e for e in found if e.verdict == "fails"), None)
    summary = " ".join(e.summary for e in found)
    return worse or replace(found[-1], summary=summary, cases=sum(e.cases for e in found))


def _first_listed(x):
    return tuple(int(c == x.index(max(x))) for c in range(len(x)))


@claim(
    "rdf/theorem-1-first-listed",
    "theorem 1, read with ties to the first class listed",
    "fails",
    "thm-smooth-sensitivity",
    ("majority.published_smooth_sensitivity", "majority.searched_smooth_sensitivity"),
)
def theorem_1_first_listed(effort, rng):
    r"""If of tied classes only the first listed scores 1, the smooth sensitivity is
    $e^{-j\epsilon}$."""
    return _theorem_1(
        effort,
        lambda x: majority.published_smooth_sensitivity(x, 1.0),
        lambda x: majority.searched_smooth_sensitivity(x, 1.0, score=_first_listed),
    )


@theorem_1_first_listed.corrected(
    functions=("majority.first_listed_smooth_sensitivity", "majority.searched_smooth_sensitivity"),
    where="theorem 1, read with ties to the first class listed",
)
def theorem_1_first_listed_corrected(effort, rng):
    """Then the exponent is the lead over the nearest rival, less 1 if the rival is listed
    before the winner."""
    return _theorem_1(
        effort,
        lambda x: majority.first_listed_smooth_sensitivity(x, 1.0),
        lambda x: majority.searched_smooth_sensitivity(x, 1.0, score=_first_listed),
    )


def _within(x, steps):
    """Leaves within `steps` additions and removals of x."""
    found = {x}
    for _ in range(steps):
        found |= {y for z in found for y in majority.neighbouring(z)}
    return found


def _score(x):
    return tuple(int(n == max(x)) for n in x)


@claim(
    "rdf/equation-11",
    "proof of theorem 1, equations 10 and 11",
    "fails",
    "thm-smooth-sensitivity",
    ("majority.neighbouring",),
)
def equation_11(effort, rng):
    r"""$S^k(x)$ is the most that the score at distance $k$ differs from the score at $x$ (10),
    so it is 1 exactly for $k \ge j$ (11)."""
    return _equation_11_evidence(effort, lambda j: j)


@equation_11.corrected(
    functions=("majority.neighbouring",), where="proof of theorem 1, equations 10 and 11"
)
def equation_11_corrected(effort, rng):
    r"""Equation (10) is 1 exactly for $k \ge \max(j, 1)$: it asks when the score at $x$
    changes. Definition 7 asks when one more step can change the score, which is $k \ge
    \max(j-1, 0)$."""
    return _equation_11_evidence(effort, lambda j: max(j, 1), lambda j: max(j - 1, 0))


def _equation_11_evidence(effort, change_at, sensitive_at=None):
    leaves, reach = majority.leaves(effort.pick(4, 5, 8), 2), effort.pick(4, 6, 9)
    cases = [(x, k) for x in leaves for k in range(reach)]
    found, wrong = [], []
    for x, k in cases:
        j, ball = int(gap(x)), _within(x, k)
        changed = any(_score(y) != _score(x) for y in ball)
        local = any(_score(z) != _score(y) for y in ball for z in majority.neighbouring(y))
        found.append((x, k, changed))
        if changed != (k >= change_at(j)) or (sensitive_at and local != (k >= sensitive_at(j))):
            wrong.append((x, k, changed))
    x, k, value = (wrong or found)[0]
    return Evidence(
        "fails" if wrong else "holds", "exact",
        f"{len(wrong)} of {len(cases)} pairs of a leaf and a distance disagree"
        + (f"; the first is {x} at k = {k}, where (10) is {int(value)}." if wrong else "."),
        len(cases), published=float(k >= change_at(int(gap(x)))), computed=float(value),
        counterexample={"counts": list(x), "k": k, "equation_10": int(value)} if wrong else None,
    )  # fmt: skip


def unit(printed):
    """One unit of the last printed digit."""
    digits, _, exponent = printed.partition("e")
    return 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


@claim(
    "rdf/table-2",
    "table 2",
    "holds",
    "thm-smooth-sensitivity",
    ("majority.published_smooth_sensitivity",),
)
def table_2(effort, rng):
    r"""The cells are $e^{-j\epsilon}$, each within one unit of its last digit (some rounded,
    some truncated)."""
    cells = [(j, e, s) for j, row in TABLE_2.items() for e, s in zip(SMOOTH_EPSILONS, row)]
    exact = [float(majority.published_smooth_sensitivity([j, 0], e)) for j, e, _ in cells]
    off = [abs(float(s) - v) / unit(s) for (_, _, s), v in zip(cells, exact)]
    worst = int(np.argmax(off))
    rounded = sum(o <= 0.5 for o in off)
    return Evidence(
        "holds" if off[worst] < 1 else "fails", "exact",
        f"{rounded} of {len(cells)} cells are correctly rounded, the others truncated; the farthest is "
        f"{off[worst]:.2f} units off, at j = {cells[worst][0]}, epsilon {cells[worst][1]:g}.",
        len(cells), published=float(cells[worst][2]), computed=exact[worst],
        counterexample=None if off[worst] < 1 else {"j": cells[worst][0], "epsilon": cells[worst][1]},
    )  # fmt: skip


@claim(
    "rdf/table-2-sensitivities",
    "table 2",
    "fails",
    "thm-smooth-sensitivity",
    ("majority.searched_smooth_sensitivity",),
)
def table_2_sensitivities(effort, rng):
    """The cells are smooth sensitivities of the score, to one unit of the last digit."""
    searched = {j for j in TABLE_2 if j <= effort.pick(10, 10, 50)}
    cells = [(j, e, s) for j in sorted(searched) for e, s in zip(SMOOTH_EPSILONS, TABLE_2[j])]
    true = [majority.searched_smooth_sensitivity((j, 0), e) for j, e, _ in cells]
    wrong = [(j, e, s, t) for (j, e, s), t in zip(cells, true) if abs(float(s) - t) >= unit(s)]
    j, e, s, t = max(wrong, default=(*cells[0], true[0]), key=lambda w: (-w[0], w[1]))
    return Evidence(
        "fails" if wrong else "holds", "exact",
        f"Searched from the definition, {len(wrong)} of {len(cells)} cells are too small, all with "
        f"j >= 1: at "
        f"j = {j}, epsilon {e:g} the table has {s}, the score {t:.5f}.",
        len(cells), published=float(s), computed=t,
        counterexample={"counts": [j, 0], "epsilon": e, "printed": float(s), "true": t} if wrong else None,
    )  # fmt: skip


@table_2_sensitivities.corrected(
    functions=("majority.smooth_sensitivity", "majority.searched_smooth_sensitivity"),
    where="table 2",
)
def table_2_sensitivities_corrected(effort, rng):
    r"""The smooth sensitivity at gap $j \ge 1$ is what the table's formula gives for $j - 1$."""
    cells = [(j, e) for j in TABLE_2 if 1 <= j <= effort.pick(10, 10, 50) for e in SMOOTH_EPSILONS]
    searched = [majority.searched_smooth_sensitivity((j, 0), e) for j, e in cells]
    shifted = [float(majority.published_smooth_sensitivity((j - 1, 0), e)) for j, e in cells]
    verdict = of_equality(searched, shifted)
    return Evidence(
        verdict, "exact", f"All {len(cells)} cells searched agree.", len(cells),
        published=shifted[-1], computed=searched[-1],
        counterexample=None if verdict == "holds" else {"searched": searched, "shifted": shifted},
    )  # fmt: skip
