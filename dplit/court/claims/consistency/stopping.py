r"""Claims of MRF, section 3.2, equation 5 and algorithm 1: what a leaf holds and how deep it lies.

The exact side lists every place of the cut and of X among the points, in fractions; forests are drawn.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from scipy.stats import poisson

from dplit import consistency
from dplit.court.claims.consistency._counted import BUDGETS, depth_law, leaf_law
from dplit.court.ledger import (
    Case,
    Count,
    bounded,
    claim,
    counts_equal,
    equal,
    interval,
    verdict_of,
)
from dplit.court.ledger.compare import frequency, note, same


@claim(
    "mrf/stopping",
    "Section 3.2; the proof of theorem 1",
    "assumes",
    "thm-consistency-occupancy",
    ("consistency.leaf_count_law",),
    quantity="probability of fewer than k points in X's leaf",
)
def stopping(effort, rng):
    r"""The number of estimation points is required to be at least $k$ for every leaf. This assumes that a cut
    is a candidate only where both children keep $k$ of them, as the text can be read; algorithm 1 asks for
    more than $k$ before a cut, and not after it."""
    cases = []
    for k, n in product(range(1, 6), range(2, effort.pick(9, 14, 20))):
        if n > k:
            cases.append(Case(float(sum(leaf_law(n, k)[:k])), 0.0, {"k": k, "n": n}))
    kept = [Case(_fewer_by_the_text(c.data["n"], c.data["k"]), 0.0, c.data) for c in cases]
    found = bounded(
        cases,
        "by algorithm 1, n = {n} points, k = {k}: the leaf holds fewer with probability {exact:.4f}, cuts "
        "uniform in ranks; by the text's rule it never does",
    )
    return verdict_of(
        found.verdict != "fails",
        found.summary,
        found.counterexample,
        broken="assumes" if all(c.exact == 0 for c in kept) else "fails",
        cases=2 * len(cases),
        published=0.0,
        computed=found.computed,
        relation="<=",
        range="k up to 5, every small n, all orderings of the cut and the points",
    )


@cache
def _fewer_by_the_text(n, k):
    """Probability that X's leaf holds fewer than k of n points where both children of a cut keep k."""
    places = [
        (j, x) for j in range(k, n - k + 1) for x in range(n + 1)
    ]  # points left of the cut, of X
    if not places:
        return float(n < k)
    return sum(_fewer_by_the_text(j if x <= j else n - j, k) for j, x in places) / len(places)


@stopping.corrected(
    "thm-consistency-occupancy",
    ("consistency.leaf_count_law",),
    proof="thm-consistency-occupancy",
    quantity="probability of m points in X's leaf",
)
def stopping_corrected(effort, rng):
    r"""Algorithm 1's leaves hold at most $k$ points. If cuts are uniform in the cell's ranks
    ($B_1 = B_2 = 0$), for every law without atoms and any $n > k$, $X$'s leaf holds $m \le k$ points with
    probability $2(m+1)/((k+1)(k+2))$: $k$ of them only with $2/(k+2)$."""
    cases = []
    for k, n in product(range(6), range(1, effort.pick(11, 16, 24))):
        if n > k:
            law = consistency.leaf_count_law(k)
            for m, true in enumerate(leaf_law(n, k)):
                cases.append(Case(float(true), float(law[m]), {"k": k, "n": n, "m": m}))
    return equal(
        cases,
        "{cases} probabilities, every small n, in fractions",
        range="k up to 5, every small n, all orderings of the cut and the points",
    )


@claim(
    "mrf/occupancy",
    "ours",
    "holds",
    "thm-consistency-occupancy",
    ("consistency.leaf_count_law", "consistency.ideal_paths"),
    kind="simulated",
    ours=True,
    intervals=9,
    quantity="probability of at most k/2 points in X's leaf",
)
def occupancy(effort, rng):
    r"""Drawn paths whose cuts are uniform in ranks end in a leaf with the law $2(m+1)/((k+1)(k+2))$,
    for 200 and 100,000 records, one feature and five."""
    draws, counts = effort.pick(20_000, 200_000, 10**6), []
    for (n, features), k in product(((200, 1), (200, 5), (100_000, 2)), (5, 20, 100)):
        found = consistency.ideal_paths(n, k, features, draws, rng=rng)
        few = int((found.counts <= k // 2).sum())
        stated = float(consistency.leaf_count_law(k)[: k // 2 + 1].sum())
        counts.append(Count(few, draws, stated, {"n": n, "D": features, "k": k}))
    return counts_equal(
        counts,
        "{cases} settings; n = {n}, D = {D}, k = {k}: {observed:.4f}, exact {stated:.4f}",
        range=f"n = 200 and 100,000, k = 5, 20, 100, {draws} paths each",
    )


@claim(
    "mrf/occupancy/observed",
    "ours; algorithm 1",
    "holds",
    "thm-consistency-occupancy",
    ("consistency.leaf_count_law", "consistency.observed_paths"),
    kind="simulated",
    ours=True,
    intervals=6,
    quantity="distance of the share of leaves with at most k/2 points",
)
def occupancy_observed(effort, rng):
    r"""With cuts at midpoints of structure points, $B_1 = B_2 = 0$, the share of leaves with at most
    $k/2$ points is within .1 of that law's for $k$ = 5, 20 and 100. Leaves that hold more than $k$, since
    their structure points allow no cut, are between .3 % and 6 % at $k = 5$, and below 1 % at
    $k = 20$ and 100."""
    draws, spans, off, more = effort.pick(3000, 30_000, 200_000), [], {}, {}
    for k in (5, 20, 100):
        found = consistency.observed_paths(250, 250, k, 1, draws, rng=rng)
        few = interval(int((found.counts <= k // 2).sum()), draws)
        stated = float(consistency.leaf_count_law(k)[: k // 2 + 1].sum())
        off[k] = max(abs(few[0] - stated), abs(few[1] - stated))
        more[k] = interval(int((found.counts > k).sum()), draws)
        spans += [few, more[k]]
    good = max(off.values()) < 0.1 and 0.003 < more[5][0] and more[5][1] < 0.06
    good = good and max(more[20][1], more[100][1]) < 0.01
    return verdict_of(
        good,
        f"more than k: {more[5][0]:.4f} to {more[5][1]:.4f} at k = 5, at most {more[20][1]:.4f} at 20; "
        f"distances at most {max(off.values()):.3f}",
        {
            "distances": {str(k): v for k, v in off.items()},
            "more": {str(k): v for k, v in more.items()},
        },
        kind="simulated",
        cases=3 * draws,
        published=0.1,
        computed=max(off.values()),
        relation="<",
        intervals=tuple(spans),
        range=f"k = 5, 20, 100, 250 records in each half, {draws} data sets each",
    )


@claim(
    "mrf/equation-5",
    "Equation 5",
    "assumes",
    "thm-consistency-occupancy",
    ("consistency.empty_leaf",),
    proof="thm-consistency-occupancy",
    quantity="probability that X's leaf is empty",
)
def equation_5(effort, rng):
    r"""The share of a class among the leaf's estimation points is defined: it needs a leaf that is not
    empty. By section 3.2 none is; by algorithm 1, with cuts uniform in ranks, $X$'s leaf is with
    probability $2/((k+1)(k+2))$, at $k = 5$ one in 21."""
    most = effort.pick(11, 16, 24)
    cases = [
        Case(float(leaf_law(n, k)[0]), consistency.empty_leaf(k), {"k": k, "n": n})
        for k, n in product(range(1, 6), range(1, most))
        if n > k
    ]
    found = equal(cases, "")
    at_5 = leaf_law(most, 5)[0]
    return verdict_of(
        at_5 == 0,
        f"k = 5: empty with probability {at_5}, for every n; {len(cases)} cases in fractions",
        broken="assumes" if found.verdict == "holds" and at_5 == Fraction(1, 21) else "fails",
        counterexample=found.counterexample or {"k": 5, "empty": str(at_5)},
        cases=len(cases),
        published=0.0,
        computed=float(at_5),
        relation="=",
        range="k up to 5, every small n",
    )


@claim(
    "mrf/depth-law",
    "ours",
    "holds",
    "thm-consistency-depth",
    ("consistency.depth_law", "consistency.expected_depth", "consistency.poisson_distance_bound"),
    ours=True,
    proof="thm-consistency-depth",
    quantity="probability of so many cuts above X's leaf",
)
def depth(effort, rng):
    r"""With cuts uniform in ranks, for every law without atoms and $n > k$: the number of cuts above $X$'s
    leaf is 1 plus independent geometric numbers with means $2/j$, $j = k+1, \dots, n$; its mean is
    $1 + 2(H_n - H_k)$; it is within $8/k$ of one plus a Poisson number of that mean less 1."""
    most, cases, means, near = effort.pick(9, 13, 18), [], [], []
    for k, n in product(range(5), range(1, most)):
        if n > k:
            true = depth_law(n, k, 6)
            law = np.append(consistency.depth_law(n, k), np.zeros(7))
            for i, p in enumerate(true):
                cases.append(Case(float(p), float(law[i]), {"n": n, "k": k, "cuts": i}))
    for k, n in product((1, 10, 100, 1000), (2000, 100_000)):
        law = consistency.depth_law(n, k)
        mean = 1 + 2 * math.fsum(1 / j for j in range(k + 1, n + 1))
        means.append(Case(float(law @ np.arange(law.size)), mean, {"n": n, "k": k}))
        means.append(Case(consistency.expected_depth(n, k), mean, {"n": n, "k": k}))
        model = np.append(0.0, poisson.pmf(np.arange(law.size - 1), mean - 1))
        gap = (np.abs(law - model).sum() + 1 - model.sum()) / 2
        near.append(Case(gap, consistency.poisson_distance_bound(k), {"n": n, "k": k}))
    laws = equal(cases, "{cases} probabilities in fractions", atol=1e-14)
    parts = equal(means, "", rtol=1e-9), bounded(near, "")
    wrong = next((p.counterexample for p in parts if p.verdict == "fails"), None)
    return verdict_of(
        laws.verdict == "holds" and wrong is None,
        f"{laws.summary}, {len(means)} means; Poisson at k = 10 off by {near[2].exact:.4f}, at 100 by "
        f"{near[4].exact:.5f}",
        laws.counterexample or wrong,
        cases=len(cases) + len(means) + len(near),
        published=laws.published,
        computed=laws.computed,
        relation="=",
        range="every small n and k in fractions; means and distances up to n = 100,000",
    )


@claim(
    "mrf/depth-law/drawn",
    "ours",
    "holds",
    "thm-consistency-depth",
    ("consistency.depth_law", "consistency.ideal_paths"),
    kind="simulated",
    ours=True,
    intervals=4,
    quantity="probability of at most the mean number of cuts",
)
def depth_drawn(effort, rng):
    """Drawn paths whose cuts are uniform in ranks have that law of the depth, for 1,000 and 1,000,000
    records, k = 5 and 50."""
    draws, counts = effort.pick(5000, 200_000, 10**6), []
    for n, k in product((1000, 10**6), (5, 50)):
        law, cut = consistency.depth_law(n, k), round(consistency.expected_depth(n, k))
        found = consistency.ideal_paths(n, k, 3, draws, rng=rng)
        stated = float(law[: cut + 1].sum())
        shallow = int((found.depth <= cut).sum())
        counts.append(Count(shallow, draws, stated, {"n": n, "k": k, "cuts": cut}))
    return counts_equal(
        counts,
        "{cases} settings; n = {n}, k = {k}: at most {cuts} cuts {observed:.4f}, exact {stated:.4f}",
        range=f"n = 1,000 and 1,000,000, k = 5 and 50, {draws} paths each",
    )


@claim(
    "mrf/leaf-tail",
    "ours",
    "holds",
    "thm-consistency-tail",
    ("consistency.leaf_tail_bound", "consistency.observed_paths"),
    kind="simulated",
    ours=True,
    proof="thm-consistency-tail",
    intervals=12,
    quantity="probability that X's leaf holds at most a k points",
)
def leaf_tail(effort, rng):
    r"""For every law without atoms, finite budgets, $k/\log n \to \infty$ and $k/n \to 0$:
    $\limsup \Pr(|N^E(X)| \le ak) \le ra^2/(1 + (r-1)a^2)$, $r = e^{B_2/2}$. (At the counted sizes: with
    $(m+1)(m+2)/((k+1)(k+2))$, $m = ak$, in place of $a^2$, and a tenth more. The step from equally likely
    candidates to weights of which none is more than $r$ times another is met.)"""
    draws, settings = (
        effort.pick(400, 10_000, 100_000),
        list(product(BUDGETS, (20, 100), (0.0, 1.0))),
    )
    for budget, k, trend in settings:
        found = consistency.observed_paths(
            400, 400, k, 2, draws, budget, budget, trend=trend, rng=rng
        )
        m = k // 5
        share = math.sqrt((m + 1) * (m + 2) / ((k + 1) * (k + 2)))
        stated = min(1.0, 1.1 * float(consistency.leaf_tail_bound(share, budget)))
        yield frequency(found.counts <= m, stated, "<=", B=budget, k=k, trend=trend)
    for i, budget in product((1, 2, 5, 9), BUDGETS):
        stated = float(consistency.leaf_tail_bound(i / 10, budget))
        yield same(_worst_share(10, i, budget), stated, i=i, B=budget)
    return note(
        f"{len(settings)} settings, a = 1/5; B = {{B:g}}, k = {{k}}: {{exact:.4f}}, bound {{stated:.4f}}; "
        f"the worst of all weights meets it in {4 * len(BUDGETS)} cases",
        range=f"k = 20 and 100, noise and a trend, 400 records in each half, {draws} data sets each",
    )


def _worst_share(m, few, budget):
    """Largest probability of one of the first `few` of m even candidates, given that X falls to their side
    (in proportion to its size), over all weights that are 1 or r."""
    sizes, odds = np.arange(m) + 0.5, math.exp(budget / 2)
    weights = np.array(list(product((1.0, odds), repeat=m))) * sizes
    return float((weights[:, :few].sum(axis=1) / weights.sum(axis=1)).max())
