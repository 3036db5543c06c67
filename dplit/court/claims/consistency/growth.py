r"""Claims of MRF, appendix A.3: equations 12 to 15 and the limits between them, how the tree grows.

Cuts of a few atoms are enumerated in fractions; cells of forests are counted in drawn paths.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.stats import binom

from dplit import consistency
from dplit.court.claims.consistency._counted import BUDGETS
from dplit.court.ledger import Case, bounded, claim, equal, interval, verdict_of
from dplit.court.ledger.compare import frequency, note, same

HALF = Fraction(1, 2)
CUTS = (  # laws of a cut, as atoms of [0, 1] with their probabilities
    {HALF: HALF, Fraction(1, 10): HALF},
    {Fraction(1, 4): HALF, Fraction(3, 4): HALF},
    {HALF: Fraction(1, 3), Fraction(2, 5): Fraction(1, 3), Fraction(9, 10): Fraction(1, 3)},
)


def _below(law, place):
    return sum((p for w, p in law.items() if w < place), Fraction(0))


def _upto(law, place):
    return sum((p for w, p in law.items() if w <= place), Fraction(0))


def _all_large(law, edge, levels):
    """Probability that every cut of a full tree leaves shares of at least `edge`, node by node."""
    if levels == 0:
        return Fraction(1)
    total = Fraction(0)
    for w, p in law.items():
        if min(w, 1 - w) >= edge:
            total += p * _all_large(law, edge, levels - 1) ** 2
    return total


def _smallest_at_least(law, levels, size):
    """Probability that every cell of the last level has at least `size` of the root."""
    if size > 1:
        return Fraction(0)
    if levels == 0:
        return Fraction(1)
    halves = lambda w: (_smallest_at_least(law, levels - 1, size / s) for s in (w, 1 - w) if s)  # noqa: E731
    total = Fraction(0)
    for w, p in law.items():
        if 0 < w < 1:
            left, right = halves(w)
            total += p * left * right
    return total


EDGES = (Fraction(1, 10), Fraction(1, 5), Fraction(1, 4), Fraction(2, 5), Fraction(9, 20), HALF)


def _middles(published):
    """`Case` of each law and edge: the probability of a smaller child of at least s, and a formula of it."""
    cases = []
    for law, s in product(CUTS, EDGES):
        true = sum(p for w, p in law.items() if min(w, 1 - w) >= s)
        cdf, below = (lambda x, f=f, law=law: f(law, x) for f in (_upto, _below))
        stated = (
            consistency.published_middle(s, cdf) if published else consistency.middle(s, cdf, below)
        )
        atoms = {str(w): str(p) for w, p in law.items()}
        cases.append(Case(float(true), float(stated), {"s": str(s), "atoms": atoms}))
    return cases


@claim(
    "mrf/equation-12",
    "Equation 12",
    "fails",
    "thm-consistency-splits",
    ("consistency.published_middle",),
    about="step",
    proof="thm-consistency-splits",
    quantity="probability that no child is smaller than s",
    range="three laws of a few atoms, six edges",
)
def equation_12(effort, rng):
    r"""$\Pr(M_1 \ge s) = F(1 - s) - F(s)$ for the smaller child $M_1$ of a cut with distribution function
    $F$, $s = \sigma^{1/m} \le 1/2$. (Given the structure points a cut has atoms, and one may lie at
    $s$.)"""
    return equal(_middles(True), "an atom at s = {s}: true {exact}, printed {stated}")


@equation_12.corrected(
    functions=("consistency.middle",),
    proof="thm-consistency-splits",
    quantity="probability that no child is smaller than s",
    range="three laws of a few atoms, six edges",
)
def equation_12_corrected(effort, rng):
    r"""$\Pr(M_1 \ge s) = F(1 - s) - F(s-)$ for $s \le 1/2$, with $F(s-)$ the probability of a cut
    below $s$."""
    return equal(_middles(False), "{cases} laws and edges, with and without an atom at s")


def _levels(effort):
    """(law, levels, sigma, s): the sizes that equation 13 speaks of, s its m-th root where it is rational."""
    roots = effort.pick(EDGES, EDGES, (*EDGES, Fraction(1, 3), Fraction(3, 10)))
    return [(law, m, s**m, s) for law in CUTS for m in (1, 2, 3) for s in roots]


@claim(
    "mrf/equation-13",
    "Equation 13",
    "fails",
    "thm-consistency-splits",
    ("consistency.published_all_large",),
    about="step",
    proof="thm-consistency-splits",
    quantity="probability that no cell is smaller than sigma",
)
def equation_13(effort, rng):
    r"""After $m$ levels the smallest cell has at least the size $\sigma$ with probability at least the
    product of $m$ factors (12), one a level."""
    half = {"1/2": "1/2", "1/10": "1/2"}
    law, sigma = CUTS[0], Fraction(1, 5)
    edge = float(sigma) ** 0.5  # lies between the two atoms' smaller shares, so fractions suffice
    share = sum(p for w, p in law.items() if float(min(w, 1 - w)) >= edge)
    small = Case(
        consistency.published_all_large([float(share)] * 2),
        float(_smallest_at_least(law, 2, sigma)),
        {"levels": 2, "sigma": "1/5", "atoms": half},
    )
    cases = [small]
    for law, m, size, s in _levels(effort):
        share = float(sum(p for w, p in law.items() if min(w, 1 - w) >= s))
        atoms = {str(w): str(p) for w, p in law.items()}
        stated = consistency.published_all_large([share] * m)
        data = {"levels": m, "sigma": str(size), "atoms": atoms}
        cases.append(Case(stated, float(_smallest_at_least(law, m, size)), data))
    return bounded(
        cases,
        "cuts at 1/2 or 1/10, {levels} levels, sigma = {sigma}: the product says at least {exact:.4g}, the "
        "truth is {stated:.4g}: there are 2^m - 1 cuts, not m",
        range="three laws of a few atoms, up to three levels",
    )


@equation_13.corrected(
    functions=("consistency.all_large_bound",),
    proof="thm-consistency-splits",
    quantity="probability that no cell is smaller than sigma",
)
def equation_13_corrected(effort, rng):
    r"""It is at least $1 - \sum_{i \le m} 2^{i-1}(1 - p_i)$, where $p_i$ is the least probability of (12) on
    level $i$, however the cuts depend on each other."""
    cases = []
    for law, m, size, s in _levels(effort):
        share = float(sum(p for w, p in law.items() if min(w, 1 - w) >= s))
        stated = consistency.all_large_bound([share] * m)
        atoms = {str(w): str(p) for w, p in law.items()}
        data = {"levels": m, "sigma": str(size), "atoms": atoms}
        cases.append(Case(stated, float(_smallest_at_least(law, m, size)), data))
        cases.append(Case(stated, float(_all_large(law, s, m)), data))
    found = bounded(cases, "{cases} cells and cuts, nearest at level {levels}, sigma = {sigma}")
    return verdict_of(
        found.verdict != "fails",
        found.summary,
        found.counterexample,
        cases=found.cases,
        published=found.published,
        computed=found.computed,
        relation="<=",
        range="three laws of a few atoms, up to three levels",
    )


@claim(
    "mrf/equation-14",
    "Equation 14",
    "assumes",
    "thm-consistency-chebyshev",
    ("consistency.chebyshev",),
    about="step",
    proof="thm-consistency-chebyshev",
    quantity="probability of fewer than k points in a cell",
)
def equation_14(effort, rng):
    r"""At partition rate 1, the number of data points falling in a node of measure $p$ follows Binomial$(n, p)$,
    and from Chebyshev's inequality $\Pr(|N^E| < k) \le p(1-p)/(2n\,|k/n - p/2|^2)$. It needs $k < np/2$, exactly
    $n/2$ estimation points and a $p$ that the data don't choose; with a fair coin a record it fails, and then $1
    - p/2$ replaces $1 - p$."""
    sizes = effort.pick((10, 100), (10, 100, 1000), (10, 50, 100, 1000, 10_000))
    halves, coins, mended = [], [], []
    for n, p in product(sizes, (0.02, 0.1, 0.5, 0.9, 0.99, 1.0)):
        for k in sorted({1, 2, int(n * p / 8), int(n * p / 4), int(n * p / 2)}):
            if 0 < k < n * p / 2:
                data = {"n": n, "p": p, "k": k}
                stated = consistency.chebyshev(n, p, k)
                halves.append(Case(float(binom.cdf(k - 1, n // 2, p)), stated, data))
                coins.append(Case(float(binom.cdf(k - 1, n, p / 2)), stated, data))
                wide = min(1.0, n * p / 2 * (1 - p / 2) / (n * p / 2 - k) ** 2)
                mended.append(Case(coins[-1].exact, wide, data))
    found = bounded(halves, "equal halves")
    mend = bounded(mended, "coins, mended")
    by_coin = bounded(
        coins, "a fair coin: n = {n}, p = {p:g}, k = {k}: {exact:.3g} against {stated:.3g}"
    )
    good = found.verdict != "fails" and mend.verdict != "fails"
    return verdict_of(
        good and by_coin.verdict != "fails",
        f"{len(halves)} settings with equal halves: never above; {by_coin.summary}",
        {"halves": found.counterexample, "mended": mend.counterexample},
        broken="assumes" if good else "fails",
        cases=3 * len(halves),
        published=by_coin.published,
        computed=by_coin.computed,
        relation="<=",
        range=f"n up to {sizes[-1]}, p from .02 to 1, k below np/2",
    )


@claim(
    "mrf/equation-15",
    "Equation 15",
    "holds",
    "thm-consistency-grows",
    ("consistency.small_cell_bound", "consistency.observed_paths"),
    proof="thm-consistency-grows",
    kind="simulated",
    intervals=16,
    quantity="probability that X's cell is below delta^m",
)
def equation_15(effort, rng):
    r"""By the stopping condition, the tree will grow infinitely often in probability: if $k/n \to 0$, the depth
    of $X$'s leaf grows beyond every $m$. For any rule of cutting that doesn't know $X$, $\Pr(\mu(N_m(X)) <
    \delta^m) \le (2^m - 1)\,\delta^m$, $\delta \le 1/2$, and some rule comes arbitrarily close."""
    draws = effort.pick(300, 4000, 40_000)
    settings = list(product((1, 3), (*BUDGETS, np.inf), (1, 4)))
    for features, budget, m in settings:
        found = consistency.observed_paths(
            300, 300, 0, features, draws, budget, budget, trend=0.5, levels=m, rng=rng
        )
        delta = 0.5 if m == 1 else 0.2
        small, data = (found.high - found.low).prod(axis=1) < delta**m, {"D": features, "m": m}
        stated = consistency.small_cell_bound(delta, m)
        yield frequency(small, stated, "<=", B=str(budget), delta=delta, **data)
    worst = [
        _worst_rule(d, m, effort.pick(120, 400, 800))
        for d, m in product((0.1, 0.3, 0.5), (1, 2, 3))
    ]
    met = [case for case in worst if case.stated]
    yield from (same(case.exact, case.stated, **case.data) for case in met)
    return note(
        f"{len(settings)} settings; D = {{D}}, B = {{B}}, m = {{m}}, delta = {{delta:g}}: {{exact:.4f}}, bound "
        f"{{stated:g}}; the worst of all rules on even units meets it in {len(met)} cases",
        range=f"300 structure points, D = 1 and 3, B up to infinity, {draws} data sets each",
    )


def _worst_rule(delta, levels, units):
    """`Case`: the most of `units` even units that `levels` cuts can put into cells of less than a share
    `delta` ** `levels`, by a search of all ways to cut, and the bound for the share of the largest such cell.
    """
    small = math.ceil(units * delta**levels - 1e-9) - 1  # of the largest cell that is too small
    most = np.where(np.arange(units + 1) <= small, np.arange(units + 1), 0)
    for _ in range(levels):
        most = np.array([max(most[: n + 1] + most[n::-1]) for n in range(units + 1)])
    stated = (
        float(consistency.small_cell_bound((small / units) ** (1 / levels), levels))
        if small
        else 0.0
    )
    return Case(most[-1] / units, stated, {"delta": delta, "m": levels, "units": units})


@claim(
    "mrf/equation-15/depth",
    "ours; equation 15",
    "holds",
    "thm-consistency-grows",
    ("consistency.observed_paths", "consistency.depth_law"),
    kind="simulated",
    ours=True,
    intervals=8,
    quantity="probability of at most two cuts above X's leaf",
)
def equation_15_depth(effort, rng):
    r"""With $k$ fixed at 20, paths of a multinomial forest with at most two cuts get rarer from 50 to 1600
    records in each half, at $B_1 = B_2 = 0$, 2, 10 and infinity."""
    draws, rows, spans = effort.pick(300, 5000, 30_000), {}, []
    for budget in (*BUDGETS, np.inf):
        for n in (50, 1600):
            found = consistency.observed_paths(
                n, n, 20, 2, draws, budget, budget, trend=0.5, rng=rng
            )
            span = interval(int((found.depth <= 2).sum()), draws)
            rows.setdefault(str(budget), []).append(span)
            spans.append(span)
    stuck = {b: s for b, s in rows.items() if not s[0][0] > s[1][1]}
    exact = [float(consistency.depth_law(n, 20)[:3].sum()) for n in (50, 1600)]
    return verdict_of(
        not stuck and exact[0] > exact[1],
        "; ".join(
            f"B = {b}: from {x[0]:.2f} at least to {y[1]:.3f} at most" for b, (x, y) in rows.items()
        )
        + f"; cuts uniform in ranks {exact[0]:.3f} and {exact[1]:.4f}",
        {"stuck": stuck},
        kind="simulated",
        cases=8 * draws,
        intervals=tuple(spans),
        relation="<",
        published=min(s[0][0] for s in rows.values()),
        computed=max(s[1][1] for s in rows.values()),
        range="50 and 1600 records in each half, k = 20, two features",
    )


@claim(
    "mrf/limit-of-p",
    "Between equations 13 and 14",
    "assumes",
    "thm-consistency-chebyshev",
    ("consistency.ideal_paths",),
    about="step",
    proof="thm-consistency-chebyshev",
    quantity="probability that p is at most 2k/n",
)
def limits(effort, rng):
    r"""The least probability $p$ of a cell of level $m$ is positive, since the minimum is over finitely many
    nodes and each node contains a set of positive measure; so the right side of (14) goes to 0. It needs a $p$
    that stays away from 0 with high probability, for $m$ fixed while $n \to \infty$; no constant bounds it for
    sure: with one feature, $m = 1$, cuts uniform in ranks, $\Pr(p \le x) = 2x$."""
    cases, values = [], np.linspace(0, 1, effort.pick(20_001, 200_001, 2_000_001))
    cuts = (values[1:] + values[:-1]) / 2
    small = np.minimum(cuts, 1 - cuts)
    for n, k in product((100, 1000, 10_000), (5, 20)):
        below = float((small <= 2 * k / n).mean())
        cases.append(Case(below, 4 * k / n, {"n": n, "k": k}))
    found = equal(cases, "quadrature over the cut", rtol=1e-3, atol=1e-4)
    never_zero = min(c.exact for c in cases) > 0
    falls = cases[0].exact > cases[2].exact > cases[4].exact
    shown = cases[-1]
    return verdict_of(
        not never_zero,
        f"n = {shown.data['n']}, k = {shown.data['k']}: the step's k < np/2 is missed with probability "
        f"{shown.exact:.4f}, which falls to 0 with k/n and is never 0",
        {"cases": [c.exact for c in cases]},
        broken="assumes" if found.verdict == "holds" and falls else "fails",
        cases=len(cases),
        published=0.0,
        computed=shown.exact,
        relation="=",
        range="n from 100 to 10,000, k = 5 and 20, one level",
    )
