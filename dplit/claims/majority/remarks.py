r"""What Fletcher and Islam (2017) and the addendum (2021) say beside their theorems, with a number.

A leaf is a tuple of class counts and :math:`j` its gap.
"""

from __future__ import annotations

import math
from itertools import product

from dplit import majority, printed
from dplit.claims.majority._printed import label_probabilities
from dplit.ledger import Case, Evidence, claim, equal, of_equality, verdict_of

# The score --------------------------------------------------------------------------------------


def _score(x, best=max):
    return tuple(int(c == best(x)) for c in x)


def _two_and_three(effort):
    """Leaves of two and three classes, and their sizes in words."""
    n2, n3 = effort.pick((7, 4), (10, 6), (16, 9))
    leaves = [*majority.leaves(n2, 2), *majority.leaves(n3, 3)]
    return leaves, f"leaves of two classes up to {n2} records and of three up to {n3}, add-remove"


@claim(
    "rdf/counts-sensitivity",
    "section 3.1",
    "holds",
    "rem-majority-counts",
    ("majority.neighbouring",),
    proof="rem-majority-counts",
    quantity="local sensitivity of the counts",
)
def counts_sensitivity(effort, rng):
    r"""The Laplace noise that a frequency query such as label counts needs cannot be reduced by smooth
    sensitivity instead of global: one record can always change a count by 1, even for a specific dataset."""
    leaves, words = _two_and_three(effort)
    cases = (
        Case(
            max(sum(abs(a - b) for a, b in zip(x, y)) for y in majority.neighbouring(x)),
            1,
            {"counts": list(x)},
        )
        for x in leaves
    )
    return equal(cases, "At each of {cases} leaves it is {exact}, as at {counts}.", range=words)


@claim(
    "rdf/equation-9",
    "proof of theorem 1, equation 9",
    "holds",
    "thm-smooth-sensitivity",
    ("majority.neighbouring",),
    proof="thm-smooth-sensitivity",
    quantity="most that one step changes a score",
)
def equation_9(effort, rng):
    r"""The global sensitivity of the score is 1. (Equation 9, in the text that we extracted, has
    $\|x - y\|_1 \ge 1$, where $\le$ is meant; over all pairs it is 1 as well.)"""
    leaves, words = _two_and_three(effort)
    changes = {
        x: max(abs(a - b) for y in majority.neighbouring(x) for a, b in zip(_score(x), _score(y)))
        for x in leaves
    }
    where = next((x for x, change in changes.items() if change == 1), leaves[0])
    apart = [
        abs(a - b) for x, y in product(leaves[:40], repeat=2) for a, b in zip(_score(x), _score(y))
    ]
    most = max(*changes.values(), *apart)
    return verdict_of(
        most == 1,
        f"Over {len(leaves)} leaves the most is {most}, first at {where}.",
        {"counts": list(where), "change": most},
        cases=len(leaves),
        published=1,
        computed=most,
        relation="=",
        range=words,
    )


@claim(
    "rdf/least-frequent",
    "after theorem 1, and section 6",
    "fails",
    "thm-smooth-sensitivity",
    ("majority.searched_smooth_sensitivity",),
    quantity="smooth sensitivity",
)
def least_frequent(effort, rng):
    r"""The proof also holds for the least frequent class: its smooth sensitivity is $e^{-j\epsilon}$
    for the gap $j$ between the two least frequent classes."""
    cases, words = _least(effort, lambda j: math.exp(-j))
    return equal(
        cases,
        "Of {cases} leaves the first difference is at {counts}: {exact:.5f} by search, {stated:.5f} by the "
        "formula.",
        range=words,
    )


@least_frequent.corrected(
    functions=("majority.smooth_sensitivity", "majority.searched_smooth_sensitivity"),
    where="after theorem 1, and section 6",
    proof="thm-smooth-sensitivity",
    quantity="smooth sensitivity",
)
def least_frequent_late(effort, rng):
    r"""For two or more classes it is $e^{-\epsilon\max(j-1,0)}$ there too, under add-remove."""
    cases, words = _least(effort, lambda j: float(majority.smooth_sensitivity([j, 0], 1.0)))
    return equal(cases, "Search gives the formula on all {cases} leaves.", range=words)


def _least(effort, formula):
    """Smooth sensitivity of the least frequent class's score by search beside ``formula(gap)``."""
    leaves, words = _two_and_three(effort)
    cases = []
    for x in leaves:
        true = majority.searched_smooth_sensitivity(x, 1.0, score=lambda y: _score(y, min))
        first, second, *_ = sorted(x)
        cases.append(Case(true, formula(second - first), {"counts": list(x), "epsilon": 1.0}))
    return cases, f"{words}, epsilon 1"


@claim(
    "rdf/improvement",
    "section 4.1, on table 2",
    "holds",
    "thm-smooth-sensitivity",
    ("majority.published_smooth_sensitivity",),
    quantity="factor of the exponent, to one digit",
)
def improvement(effort, rng):
    r"""With $j = 10$ the published sensitivity raises the exponent 20,000-fold at $\epsilon = 1$, and
    three-fold at $\epsilon = 0.1$."""
    factors = [float(1 / majority.published_smooth_sensitivity([10, 0], e)) for e in (1.0, 0.1)]
    return verdict_of(
        [f"{f:.0e}" for f in factors] == ["2e+04", "3e+00"],
        f"It is {factors[0]:.0f}-fold and {factors[1]:.2f}-fold: right to the one digit that is printed. The "
        "true smooth sensitivity would give a power of e less each time.",
        {"factors": factors},
        cases=2,
        published=20000,
        computed=factors[0],
        relation="within",
        range="both factors that are printed",
    )


# The gap and the number of records --------------------------------------------------------------


@claim(
    "rdf/gap-proportional",
    "section 4.2",
    "fails",
    "thm-expected-gap",
    ("majority.expected_gap",),
    quantity="mean gap with 1,000 records over that with 10",
)
def gap_proportional(effort, rng):
    r"""As records of one population have approximately the same class ratios in a leaf for any $n$, $j$
    changes accordingly, $\mathrm{E}[j] \propto n$: the premise of inequality 14 (read of a leaf of
    independent records; section 4.2 itself expects some leaves that do not follow it)."""
    means = {
        p: [majority.expected_gap(n, p) for n in (10, 100, 1000)] for p in (0.5, 0.55, 0.7, 1.0)
    }
    p = next((p for p, m in means.items() if of_equality(m[2] / m[0], 100) == "fails"), 0.5)
    return verdict_of(
        all(of_equality(m[2] / m[0], 100) == "holds" for m in means.values()),
        "With 10, 100 and 1,000 records it is "
        + "; ".join(f"{', '.join(f'{j:.4g}' for j in m)} at share {p:g}" for p, m in means.items())
        + ".",
        {"share": p, "records": [10, 100, 1000], "mean gaps": means[p]},
        cases=len(means),
        published=100,
        computed=means[p][2] / means[p][0],
        relation="=",
        range="leaves of 10, 100 and 1,000 records of two classes, shares 0.5, 0.55, 0.7 and 1",
    )


@gap_proportional.corrected(
    functions=("majority.expected_gap",),
    where="section 4.2",
    proof="thm-expected-gap",
    quantity="mean gap with two equal shares, 1,000 records",
)
def gap_between(effort, rng):
    r"""For two classes with share $p$ it lies between $|2p-1|n$ and $\sqrt{(2p-1)^2n^2 + 4p(1-p)n}$; for
    $p = 1/2$ and even $n$ it is $n\binom{n}{n/2}2^{-n}$, which grows like $\sqrt{2n/\pi}$."""
    sizes = (1, 2, 5, 10, 100, 1000, *effort.pick((), (5000,), (5000, 50000)))
    rows = [
        (
            abs(2 * p - 1) * n,
            majority.expected_gap(n, p),
            math.hypot((2 * p - 1) * n, math.sqrt(4 * p * (1 - p) * n)),
        )
        for n, p in product(sizes, (0.5, 0.55, 0.7, 1.0))
    ]
    outside = [r for r in rows if not r[0] * (1 - 1e-9) <= r[1] <= r[2] * (1 + 1e-9)]
    closed = 1000 * math.comb(1000, 500) / 2**1000
    found, root = majority.expected_gap(1000, 0.5), math.sqrt(2000 / math.pi)
    return verdict_of(
        not outside and of_equality(found, closed) == "holds" and abs(found / root - 1) < 1e-3,
        f"With 1,000 records and two equal shares it is {found:.4f}, and {root:.4f} by the square root.",
        {"outside": outside[:1], "closed form": closed},
        cases=len(rows) + 1,
        published=closed,
        computed=found,
        relation="=",
        range=f"leaves of 1 to {max(sizes)} records of two classes, shares 0.5, 0.55, 0.7 and 1",
    )


# The addendum -----------------------------------------------------------------------------------


@claim(
    "rdf/equation-19",
    "addendum, equations 19 and 20",
    "holds",
    "thm-rosnam-law",
    ("mechanisms.Exponential",),
    quantity="weight of B, to one decimal",
)
def equation_19(effort, rng):
    r"""With counts 5 and 10 at $\epsilon = 0.1$ the weights are 1.6 and 2.7."""
    weights = [math.exp(0.1 * count) for count in (5, 10)]
    return verdict_of(
        [round(w, 1) for w in weights] == [1.6, 2.7],
        f"They are {weights[0]:.4f} and {weights[1]:.4f}.",
        {"weights": weights},
        cases=2,
        published=2.7,
        computed=weights[1],
        relation="within",
        range="both printed weights",
    )


@claim(
    "rdf/improves",
    "addendum, section 2, table 6",
    "assumes",
    "thm-rosnam-law",
    ("majority.one_sided_law", "majority.smooth_exponential_law"),
    quantity="Pr(B) in percent, new against original",
)
def improves(effort, rng):
    """New empirical results will be required, but as can be seen in table 6, we can expect the results to
    improve (assuming that most rows are meant: the probability of the majority label rises in all but the
    last)."""
    columns = zip(label_probabilities("original"), label_probabilities("new"))
    rows = [(x, *(round(100 * c.value, 1) for c in (old, new))) for (x, old), (_, new) in columns]
    worse = [row for row in rows if row[2] <= row[1]]
    x, old, new = (worse or rows)[0]
    exact = [
        100 * float(law(x, 0.1)[1])
        for law in (majority.smooth_exponential_law, majority.one_sided_law)
    ]
    return Evidence(
        "holds" if not worse else "assumes" if 2 * len(worse) < len(rows) else "fails",
        "exact",
        f"{len(rows) - len(worse)} of {len(rows)} printed rows rise. On {x} the table falls from {old} to "
        f"{new}; the published mechanism has {exact[0]:.2f}, ROSNAM {exact[1]:.2f}.",
        counterexample={"counts": list(x), "epsilon": 0.1, "original": old, "new": new},
        cases=len(rows),
        published=old,
        computed=new,
        relation=">",
        range=f"every row of {printed.table('rdf/table-6').where}",
    )


@improves.corrected(
    functions=("majority.gap_error", "majority.smooth_exponential_law"),
    where="addendum, section 2, table 6",
    proof="rem-improves",
    quantity="first gap at which ROSNAM errs more",
)
def improves_where_allowed(effort, rng):
    r"""For two classes at $\epsilon = 0.1$ ROSNAM errs less than the published mechanism at gaps 1 to 46,
    and more at every gap of 47 or more, where the published one errs less than any private label may."""
    gaps = range(1, effort.pick(101, 151, 301))
    more = [
        j for j in gaps
        if majority.gap_error(j, 0.1) > majority.smooth_exponential_law([j, 0], 0.1)[1]
    ]  # fmt: skip
    return verdict_of(
        more == [j for j in gaps if j >= 47],
        f"Of the gaps up to {max(gaps)} ROSNAM errs more at {more[0]} to {more[-1]}, and less at all others.",
        {"gaps": more[:1]},
        cases=len(gaps),
        published=47,
        computed=more[0],
        relation="=",
        range=f"gaps 1 to {max(gaps)}, two classes, epsilon 0.1",
    )
