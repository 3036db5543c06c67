r"""Claims of ours on the extent of X's leaf at B1 = B2 = 0, the rate that follows, and cuts near the ends.

The exact side of the laws is a chain over volumes, in draws; the moments of one cut come from quadrature.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.stats import binom

from dplit import consistency
from dplit.court.claims.consistency._counted import thinned
from dplit.court.ledger import (
    Case,
    Count,
    bounded,
    claim,
    counts_at_most,
    counts_equal,
    equal,
    interval,
    verdict_of,
)


@claim(
    "mrf/diameter",
    "ours",
    "holds",
    "thm-consistency-diameter",
    ("consistency.mean_power", "consistency.leaf_power"),
    ours=True,
    proof="thm-consistency-diameter",
    quantity="expected power of the size of X's cell",
)
def diameter(effort, rng):
    r"""Independent features, sizes in ranks, cuts uniform in ranks ($B_1 = B_2 = 0$): after $m$ cuts
    $\mathrm{E}\,V_m = (1 - 1/(3D))^m$ and $\mathrm{E}\,V_m^2 = (1 - 1/(2D))^m$; the leaf's moments follow
    from a chain of its count, exact at every $n$ and $k$."""
    one, chain = [], []
    for features, power in product((1, 2, 9), (1, 2, 3)):
        kept = quad(lambda u, p=power: u**p * u + (1 - u) ** p * (1 - u), 0, 1)[0]
        true = 1 - (1 - kept) / features
        for m in (1, 7):
            stated = float(consistency.mean_power(m, features, power))
            one.append(Case(true**m, stated, {"D": features, "p": power, "m": m}))
    most = effort.pick(6, 10, 14)
    for features, power, k, n in product((1, 3), (1, 2), (0, 2), range(1, most)):
        stated = consistency.leaf_power(n, k, features, power)
        data = {"D": features, "p": power, "k": k, "n": n}
        chain.append(Case(_leaf_moment(n, k, features, power, {}), stated, data))
    found = equal(one + chain, "{cases} moments by quadrature over the cut and binomial counts")
    return verdict_of(
        found.verdict == "holds",
        found.summary,
        found.counterexample,
        cases=found.cases,
        published=found.published,
        computed=found.computed,
        relation="=",
        range=f"D up to 9, powers up to 3, m up to 7; leaves with n below {most}",
    )


def _leaf_moment(n, k, features, power, known):
    """E V^p of the leaf by quadrature: X's side has share b with density 2b, and keeps Bin(n, b) points."""
    if n <= k:
        return 1.0
    if n not in known:
        stays = lambda j, p: quad(lambda b: 2 * b ** (1 + p) * binom.pmf(j, n, b), 0, 1)[0]  # noqa: E731
        mean = lambda j: (1 - 1 / features) * stays(j, 0) + stays(j, power) / features  # noqa: E731
        known[n] = None  # n itself is met again below, and solved for
        rest = sum(mean(j) * _leaf_moment(j, k, features, power, known) for j in range(n))
        known[n] = rest / (1 - mean(n))
    return known[n]


@claim(
    "mrf/diameter/leaf",
    "ours",
    "holds",
    "thm-consistency-diameter",
    ("consistency.leaf_power", "consistency.ideal_paths"),
    kind="simulated",
    ours=True,
    intervals=8,
    quantity="expected size of X's leaf in one feature",
)
def diameter_leaf(effort, rng):
    """Drawn paths whose cuts are uniform in ranks end in leaves of that size, and of that squared size:
    500 and 200,000 records, one feature and four, k = 10."""
    draws, counts = effort.pick(20_000, 200_000, 10**6), []
    for n, features in product((500, 200_000), (1, 4)):
        sizes = consistency.ideal_paths(n, 10, features, draws, rng=rng).sizes[:, 0]
        for power in (1, 2):
            stated = consistency.leaf_power(n, 10, features, power)
            data = {"n": n, "D": features, "p": power}
            counts.append(Count(thinned(sizes**power, rng), draws, stated, data))
    return counts_equal(
        counts,
        "{cases} moments; n = {n}, D = {D}, power {p}: {observed:.5f}, exact {stated:.5f}",
        range=f"n = 500 and 200,000, D = 1 and 4, k = 10, {draws} paths each",
    )


@claim(
    "mrf/diameter/order",
    "ours",
    "holds",
    "thm-consistency-order",
    ("consistency.leaf_power_bound", "consistency.size_exponent", "consistency.leaf_power"),
    ours=True,
    proof="thm-consistency-order",
    quantity="expected power of the size of X's leaf",
)
def diameter_order(effort, rng):
    r"""As `mrf/diameter`: $\mathrm{E}\,V^p$ of the leaf is at most $h(n)/h(k)$ with $h(N) = \Gamma(N+1)/
    \Gamma(N+1+\rho)$, so of order $(k/n)^\rho$, $\rho = [p+2-\sqrt{(p+2)^2 - 8p/D}]/2$; for the square
    $\rho = 2 - 2\sqrt{1 - 1/D} \ge 1/D$."""
    sizes = effort.pick((30, 1000, 30_000), (30, 1000, 10**5), (30, 1000, 10**5, 10**7))
    cases, least = [], []
    for n, k, features, power in product(sizes, (0, 1, 5, 25), (1, 2, 5, 20), (1, 2)):
        exact = consistency.leaf_power(n, k, features, power)
        data = {"n": n, "k": k, "D": features, "p": power}
        cases.append(Case(exact, consistency.leaf_power_bound(n, k, features, power), data))
    slopes = []
    for features, power in product((1, 2, 5, 20), (1, 2)):
        small, large = (consistency.leaf_power(n, 25, features, power) for n in (10**4, 10**6))
        rho = consistency.size_exponent(features, power)
        slopes.append(abs(np.log(small / large) / np.log(100) - rho))
        least.append(consistency.size_exponent(features, 2) >= 1 / features)
    found = bounded(cases, "", range="")
    nearest = max(c.exact / c.stated for c in cases)
    return verdict_of(
        found.verdict != "fails" and max(slopes) < 2e-3 and all(least),
        f"{len(cases)} settings: at most {nearest:.4f} of the bound, slopes from n = 10^4 to 10^6 within "
        f"{max(slopes):.1g} of rho",
        found.counterexample or {"slopes": slopes},
        cases=len(cases) + len(slopes),
        published=found.published,
        computed=found.computed,
        relation="<=",
        range=f"n up to {sizes[-1]}, k up to 25, D up to 20, p = 1 and 2",
    )


@claim(
    "mrf/rate",
    "ours",
    "holds",
    "thm-consistency-rate",
    ("consistency.squared_error_bound", "consistency.best_leaf_size", "consistency.ideal_paths"),
    kind="simulated",
    ours=True,
    proof="thm-consistency-rate",
    intervals=6,
    quantity="expected squared error of a tree's estimate",
)
def rate(effort, rng):
    r"""$B_1 = B_2 = 0$, independent features, cuts uniform in ranks, $\eta$ Lipschitz with $L$ in ranks,
    empty leaves predict 1/2: $\mathrm{E}(\hat\eta - \eta)^2 \le L^2 D\,h(n)/h(k) + (k + H_k + 1)/(2(k+1)(k+2))$,
    of order $(k/n)^\rho + 1/k$ with $\rho = 2 - 2\sqrt{1-1/D}$; the best $k$ is of order
    $n^{\rho/(1+\rho)}$."""
    draws, counts = effort.pick(20_000, 200_000, 10**6), []
    for n, features in product((1000, 10**6), (1, 2, 5)):
        lipschitz = 1 / np.sqrt(features)  # of the mean of the features
        k = consistency.best_leaf_size(n, features, lipschitz)
        found = consistency.ideal_paths(n, k, features, draws, rng=rng)
        middle = (found.low + found.high).mean(axis=1) / 2
        ones = rng.binomial(found.counts, middle)
        share = np.where(found.counts, ones / np.maximum(found.counts, 1), 0.5)
        error = (share - found.point.mean(axis=1)) ** 2
        stated = consistency.squared_error_bound(n, k, features, lipschitz)
        counts.append(Count(thinned(error, rng), draws, stated, {"n": n, "D": features, "k": k}))
    slope = []
    for features in (1, 2, 5):
        rho = consistency.size_exponent(features, 2)
        sizes = [consistency.best_leaf_size(n, features) for n in (10**6, 10**9)]
        slope.append(abs(np.log(sizes[1] / sizes[0]) / np.log(1000) - rho / (1 + rho)))
    found = counts_at_most(
        counts, "{cases} settings; n = {n}, D = {D}, k = {k}: {observed:.5f}, bound {stated:.5f}"
    )
    return verdict_of(
        found.verdict == "holds" and max(slope) < 0.03,
        found.summary
        + f"; the best k grows with an exponent within {max(slope):.3f} of rho/(1 + rho)",
        found.counterexample or {"slopes": slope},
        kind="simulated",
        cases=found.cases,
        published=found.published,
        computed=found.computed,
        relation="<=",
        intervals=found.intervals,
        range=f"n = 1,000 and 1,000,000, D = 1, 2, 5, each at its best k, {draws} paths each",
    )


@claim(
    "mrf/end-cuts",
    "ours",
    "holds",
    "thm-consistency-ends",
    ("consistency.noise_cuts",),
    kind="simulated",
    ours=True,
    intervals=6,
    quantity="probability of a cut within 1 % of an end",
)
def end_cuts(effort, rng):
    r"""Labels that are fair coins, 10,000 records, one feature: a cut within 1 % of either end has
    probability 198/9999 at $B_2 = 0$, below .1 at $B_2 = 10$, and above .25 at $B_2 = \infty$, where the
    middle half gets less than .25."""
    draws, n, spans = effort.pick(1000, 10_000, 60_000), 10_000, {}
    for budget in (0.0, 10.0, np.inf):
        cuts = consistency.noise_cuts(n, draws, budget, rng=rng)
        ends = int(((cuts < 0.01 * n) | (cuts > 0.99 * n)).sum())
        middle = int((np.abs(cuts - n / 2) <= n / 4).sum())
        spans[budget] = interval(ends, draws), interval(middle, draws)
    uniform = 198 / 9999
    good = spans[0.0][0][0] <= uniform <= spans[0.0][0][1] and spans[10.0][0][1] < 0.1
    good = good and spans[np.inf][0][0] > 0.25 and spans[np.inf][1][1] < 0.25
    shown = {str(b): [list(s) for s in both] for b, both in spans.items()}
    return verdict_of(
        good,
        "ends: "
        + "; ".join(f"B2 = {b:g}: {e[0]:.3f} to {e[1]:.3f}" for b, (e, _) in spans.items()),
        {"ends and middles": shown},
        kind="simulated",
        cases=3 * draws,
        published=0.25,
        computed=spans[np.inf][0][0],
        relation=">",
        intervals=tuple(s for both in spans.values() for s in both),
        range=f"10,000 records, {draws} data sets for each budget",
    )
