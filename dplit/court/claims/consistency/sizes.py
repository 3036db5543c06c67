"""Claims of ours on the extent of X's leaf at B1 = B2 = 0, the rate that follows, and cuts near the ends."""

from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.stats import binom

from dplit import consistency
from dplit.court.claims.consistency._counted import counted_only, leaf_law, thinned
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, frequency, need, note, same

DIAMETER = Box("thm-consistency-diameter", "consistency.mean_power", "consistency.leaf_power")
ORDER = Box(
    "thm-consistency-order", "consistency.leaf_power_bound", "consistency.size_exponent", "consistency.leaf_power"
)
RATE = Box(
    "thm-consistency-rate",
    "consistency.squared_error_bound",
    "consistency.linear_squared_error",
    "consistency.best_leaf_size",
    "consistency.ideal_paths",
)
ENDS = Box("thm-consistency-ends", "consistency.noise_cuts")


@DIAMETER("mrf/diameter", "ours", quantity="expected power of the size of X's cell")
def diameter(effort, rng):
    r"""Let features be independent, sizes be measured in ranks and cuts be uniform in ranks ($B_1 = B_2 = 0$).
    After $m$ cuts, the size of $X$'s cell along a feature has $\mathrm{E}\,V_m = (1 - 1/(3D))^m$ and
    $\mathrm{E}\,V_m^2 = (1 - 1/(2D))^m$. At every $n$ and $k$ a Markov chain of the leaf's count gives its moments
    exactly."""
    most, met = effort.pick(6, 10, 14), {}
    for d, power in product((1, 2, 9), (1, 2, 3)):
        kept = quad(lambda u, p=power: u**p * u + (1 - u) ** p * (1 - u), 0, 1)[0]
        for m in (1, 7):
            true = (1 - (1 - kept) / d) ** m
            yield same(true, consistency.mean_power(m, d, power), D=d, p=power, m=m)
    for d, power, k, n in product((1, 3), (1, 2), (0, 2), range(1, most)):
        stated = consistency.leaf_power(n, k, d, power)
        yield same(_leaf_moment(n, k, d, power, met.setdefault((d, power, k), {})), stated, D=d, p=power, k=k, n=n)
    return note(
        "{cases} moments equal those by quadrature over the cut and the binomial counts.",
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


@DIAMETER("mrf/diameter/leaf", "ours", "holds", "consistency.leaf_power", "consistency.ideal_paths", intervals=8,
          proved=False, quantity="expected size of X's leaf in one feature")  # fmt: skip
def diameter_leaf(effort, rng):
    """Let paths with cuts uniform in ranks be simulated for 500 and 200,000 records, for one feature and for four,
    and for $k = 10$. The size and the squared size of the leaves in which these paths end have the means of
    `mrf/diameter`."""
    draws = effort.pick(20_000, 200_000, 10**6)
    for n, d in product((500, 200_000), (1, 4)):
        sizes = consistency.ideal_paths(n, 10, d, draws, rng=rng).sizes[:, 0]
        for power in (1, 2):
            stated = consistency.leaf_power(n, 10, d, power)
            yield frequency(thinned(sizes**power, rng), stated, n=n, D=d, p=power)
    return note(
        "The intervals of {cases} simulated moments hold the exact ones; for n = {n}, D = {D} and power {p} the "
        "simulated moment is {exact:.5f} and the exact one {stated:.5f}.",
        range=f"n = 500 and 200,000, D = 1 and 4, k = 10, {draws} paths each",
    )


@ORDER("mrf/diameter/order", "ours", quantity="expected power of the size of X's leaf")
def diameter_order(effort, rng):
    r"""In the setting of `mrf/diameter`, the size $V$ of $X$'s leaf along a feature has $\mathrm{E}\,V^p \le
    h(n)/h(k)$ with $h(N) = \Gamma(N+1)/ \Gamma(N+1+\rho)$, which is of order $(k/n)^\rho$ with $\rho =
    [p+2-\sqrt{(p+2)^2 - 8p/D}]/2$. For $p = 2$ the exponent is $\rho = 2 - 2\sqrt{1 - 1/D} \ge 1/D$."""
    sizes = effort.pick((30, 1000, 30_000), (30, 1000, 10**5), (30, 1000, 10**5, 10**7))
    nearest, slopes = 0.0, []
    for n, k, d, power in product(sizes, (0, 1, 5, 25), (1, 2, 5, 20), (1, 2)):
        exact = consistency.leaf_power(n, k, d, power)
        stated = consistency.leaf_power_bound(n, k, d, power)
        nearest = max(nearest, exact / stated)
        yield below(exact, stated, n=n, k=k, D=d, p=power)
    for d, power in product((1, 2, 5, 20), (1, 2)):
        small, large = (consistency.leaf_power(n, 25, d, power) for n in (10**4, 10**6))
        rho, square = (consistency.size_exponent(d, p) for p in (power, 2))
        slopes.append(abs(np.log(small / large) / np.log(100) - rho))
        yield need(slopes[-1] < 2e-3, slopes[-1], "<", 2e-3, D=d, p=power)
        yield need(square >= 1 / d, square, ">=", 1 / d, D=d)
    return note(
        f"In {{cases}} comparisons the moment is at most {nearest:.4f} of the bound, and from n = 10^4 to 10^6 it "
        f"falls with an exponent within {max(slopes):.1g} of rho.",
        range=f"n up to {sizes[-1]}, k up to 25, D up to 20, p = 1 and 2",
    )


@RATE("mrf/rate", "ours", intervals=6, quantity="expected squared error of a tree's estimate")
def rate(effort, rng):
    r"""Let $B_1 = B_2 = 0$, let features be independent, cuts uniform in ranks and $\eta$ Lipschitz with constant
    $L$ in ranks, and let empty leaves predict 1/2. Then $\mathrm{E}(\hat\eta - \eta)^2 \le L^2 D\,h(n)/(12\,h(k))
    + (k + H_k + 1)/(2(k+1)(k+2))$, of order $(k/n)^\rho + 1/k$ with $\rho = 2 - 2\sqrt{1-1/D}$; the best $k$ is of
    order $n^{\rho/(1+\rho)}$. If $\eta$ is the features' mean, the exact error is known and is at least a third of
    the bound. For one feature the first term is twice the true one, and the others are exact up to
    $1/(2(k+1)(k+2))$."""
    draws, slopes, exact = effort.pick(20_000, 200_000, 10**6), [], consistency.linear_squared_error
    for d, k, n in product((1, 3), (1, 2), range(effort.pick(5, 8, 12))):
        yield same(_linear_error(n, k, d), exact(n, k, d), D=d, k=k, n=n)
    for n, d in product((1000, 10**6), (1, 2, 5)):
        k = consistency.best_leaf_size(n, d, 1 / np.sqrt(d))  # of the mean of the features
        true, stated = exact(n, k, d), consistency.squared_error_bound(n, k, d, 1 / np.sqrt(d))
        yield frequency(thinned(_squared_errors(n, k, d, draws, rng), rng), true, n=n, D=d, k=k)
        yield decisive(below(true, stated, n=n, D=d, k=k))
        yield need(true > 0.3 * stated, true, ">", 0.3 * stated, n=n, D=d, k=k)
        yield from _each_term(n, k)
    for d in (1, 2, 5):
        rho = consistency.size_exponent(d, 2)
        small, large = (consistency.best_leaf_size(n, d) for n in (10**6, 10**9))
        slopes.append(abs(np.log(large / small) / np.log(1000) - rho / (1 + rho)))
        yield need(slopes[-1] < 0.03, slopes[-1], "<", 0.03, D=d)
    return note(
        "If eta is the mean of D features, the exact error is nearest to the bound at n = {n}, D = {D}, k = {k}: "
        f"it is {{exact:.3g}}, where the bound is {{stated:.3g}}. The best k grows with an exponent within "
        f"{max(slopes):.3f} of rho/(1 + rho).",
        range=f"n = 1,000 and 1,000,000, D = 1, 2, 5, each at its best k, {draws} paths each; by quadrature "
        f"n up to {effort.pick(4, 7, 11)}",
    )


def _squared_errors(n, k, features, draws, rng):
    """(estimate - eta)^2 of drawn paths, eta the mean of the features."""
    found = consistency.ideal_paths(n, k, features, draws, rng=rng)
    ones = rng.binomial(found.counts, (found.low + found.high).mean(axis=1) / 2)
    share = np.where(found.counts, ones / np.maximum(found.counts, 1), 0.5)
    return (share - found.point.mean(axis=1)) ** 2


def _each_term(n, k):
    """The bound's terms beside what is true of one feature: eta = x, and labels that are fair coins."""
    noise = consistency.squared_error_bound(n, k, 1, 0.0)
    extent, true = consistency.squared_error_bound(n, k, 1) - noise, consistency.leaf_power(n, k, 1, 2) / 12
    coins = sum(p / (4 * m) for m, p in enumerate(consistency.leaf_count_law(k)) if m)
    empty = consistency.empty_leaf(k) / 4
    for least, most, factor in ((true, extent, 2), (coins, noise, 1 + empty / coins)):
        yield below(least, most, n=n, k=k)
        yield below(most, factor * least, n=n, k=k)


def _linear_error(n, k, features):
    """E (estimate - eta)^2 by quadrature over the cut and binomial counts, eta the mean of the features."""
    law, off = np.array(leaf_law(n, k), dtype=float), _off_the_middle(n, k, features, {})
    m = np.arange(1, k + 1)
    variance = (law[1:] / 4 - off[1:] / features) / m
    return _leaf_moment(n, k, features, 2, {}) / (12 * features) + variance.sum() + off[0] / features


def _off_the_middle(n, k, features, known):
    """E of (c - 1/2)^2 in one feature, c the middle of X's leaf, where the leaf holds 0, ..., k points."""
    if n <= k:
        return np.zeros(k + 1)
    if n not in known:
        stays = lambda j, f: quad(lambda b: 2 * b * f(b) * binom.pmf(j, n, b), 0, 1)[0]  # noqa: E731
        below_it, again = np.zeros(k + 1), 0.0
        for j in range(n + 1):
            shrunk = (1 - 1 / features) * stays(j, lambda b: 1.0) + stays(j, lambda b: b * b) / features
            moved = stays(j, lambda b: (1 - b) ** 2 / 4) / features
            below_it += moved * np.array(leaf_law(j, k), dtype=float)
            if j < n:
                below_it += shrunk * _off_the_middle(j, k, features, known)
            else:
                again = shrunk
        known[n] = below_it / (1 - again)
    return known[n]


@ENDS("mrf/end-cuts", "ours", intervals=6, proved=False, quantity="probability of a cut within 1 % of an end")
def end_cuts(effort, rng):
    r"""With 10,000 records, one feature and fair coins as labels, a cut lies within 1 % of either end with
    probability 198/9999 at $B_2 = 0$, below .1 at $B_2 = 10$ and above .25 at $B_2 = \infty$. At $B_2 = \infty$ it
    lies in the middle half with probability below .25."""
    draws, n, said = effort.pick(800, 10_000, 60_000), 10_000, []
    for budget, stated in ((0.0, 198 / 9999), (10.0, (-1, 0.1)), (np.inf, (0.25, 2))):
        cuts = consistency.noise_cuts(n, draws, budget, rng=rng)
        ends = frequency((cuts < 0.01 * n) | (cuts > 0.99 * n), stated, B2=str(budget))
        yield decisive(ends, budget == 10)
        middle = np.abs(cuts - n / 2) <= n / 4
        yield frequency(middle, (-1, 0.25), B2="inf") if budget == np.inf else counted_only(middle)
        said.append("at B2 = {:g} between {:.3f} and {:.3f}".format(budget, *ends.span))
    words = f"The probability of a cut within 1 % of an end is {', '.join(said)}."
    return note(words, range=f"10,000 records, {draws} data sets for each budget")
