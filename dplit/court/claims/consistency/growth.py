"""Claims of MRF, appendix A.3: equations 12 to 15 and the limits between them, how the tree grows."""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from scipy.stats import binom

from dplit import consistency
from dplit.court.claims.consistency._counted import BUDGETS, counted_only
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, below, decisive, frequency, need, note, same

SPLITS = Box("thm-consistency-splits")
CHEBYSHEV = Box("thm-consistency-chebyshev", "consistency.chebyshev", about="step")
GROWS = Box("thm-consistency-grows", "consistency.small_cell_bound", "consistency.observed_paths")
BY_SPLITS = {"about": "step", "proved": True}
MIDDLE = {
    "quantity": "probability that no child is smaller than s",
    "range": "three laws of a few atoms, six edges",
}
LARGE = {
    "quantity": "probability that no cell is smaller than sigma",
    "range": "three laws of a few atoms, up to three levels",
}
HALF = Fraction(1, 2)
CUTS = (  # laws of a cut, as atoms of [0, 1] with their probabilities
    {HALF: HALF, Fraction(1, 10): HALF},
    {Fraction(1, 4): HALF, Fraction(3, 4): HALF},
    {HALF: Fraction(1, 3), Fraction(2, 5): Fraction(1, 3), Fraction(9, 10): Fraction(1, 3)},
)
EDGES = (Fraction(1, 10), Fraction(1, 5), Fraction(1, 4), Fraction(2, 5), Fraction(9, 20), HALF)


def _at_least(law, s):
    """Probability of a cut whose smaller child is s or more."""
    return sum(p for w, p in law.items() if min(w, 1 - w) >= s)


def _atoms(law):
    return {str(w): str(p) for w, p in law.items()}


def _all_large(law, edge, levels):
    """Probability that every cut of a full tree leaves shares of at least `edge`, node by node."""
    if levels == 0:
        return Fraction(1)
    return _at_least(law, edge) * _all_large(law, edge, levels - 1) ** 2


def _smallest_at_least(law, levels, size):
    """Probability that every cell of the last level has at least `size` of the root."""
    if size > 1 or levels == 0:
        return Fraction(size <= 1)
    sides = lambda w: (_smallest_at_least(law, levels - 1, size / s) for s in (w, 1 - w))  # noqa: E731
    return sum(p * math.prod(sides(w)) for w, p in law.items())


def _middles(formula):
    """The probability of a smaller child of at least s, beside a formula of the distribution function and of
    the probability below a place."""
    for law, s in product(CUTS, EDGES):
        upto = lambda x, law=law: sum(p for w, p in law.items() if w <= x)  # noqa: E731
        under = lambda x, law=law: sum(p for w, p in law.items() if w < x)  # noqa: E731
        yield same(_at_least(law, s), formula(s, upto, under), s=str(s), atoms=_atoms(law))


@SPLITS("mrf/equation-12", "Equation 12", "fails", "consistency.published_middle", **BY_SPLITS, **MIDDLE)
def equation_12(effort, rng):
    r"""The smaller child $M_1$ of a cut with distribution function $F$ has $\Pr(M_1 \ge s) = F(1 - s) - F(s)$ for
    $s = \sigma^{1/m} \le 1/2$. (Given the structure points a cut has atoms, and one may lie at $s$.)"""
    yield from _middles(lambda s, upto, under: consistency.published_middle(s, upto))
    return "With an atom at s = {s} the probability is {exact}, but the printed formula gives {stated}."


@SPLITS.corrected(equation_12, "consistency.middle", **MIDDLE)
def equation_12_corrected(effort, rng):
    r"""The smaller child of a cut with distribution function $F$ has size $M_1$ with $\Pr(M_1 \ge s) = F(1 - s) -
    F(s-)$ for $s \le 1/2$, where $F(s-)$ is the probability of a cut below $s$."""
    yield from _middles(consistency.middle)
    return "The formula is exact in {cases} cases of a distribution and an s, with and without an atom at s."


def _levels(effort):
    """(law, levels m, s, probability (12), that of the smallest cell being sigma = s^m, data)."""
    roots = effort.pick(EDGES, EDGES, (*EDGES, Fraction(1, 3), Fraction(3, 10)))
    for law, m, s in product(CUTS, (1, 2, 3), roots):
        data = {"levels": m, "sigma": str(s**m), "atoms": _atoms(law)}
        yield law, m, s, float(_at_least(law, s)), _smallest_at_least(law, m, s**m), data


@SPLITS("mrf/equation-13", "Equation 13", "fails", "consistency.published_all_large", **BY_SPLITS, **LARGE)
def equation_13(effort, rng):
    r"""After $m$ levels the smallest cell has a size of at least $\sigma$ with probability at least the product of
    $m$ factors, one per level, each given by equation (12)."""
    law, sigma = CUTS[0], Fraction(1, 5)  # its root lies between the smaller shares of both atoms
    product_of_two = consistency.published_all_large([float(_at_least(law, 5**-0.5))] * 2)
    data = {"levels": 2, "sigma": "1/5", "atoms": _atoms(law)}
    yield at_most(product_of_two, _smallest_at_least(law, 2, sigma), **data)
    for _, m, _, share, true, data in _levels(effort):
        yield at_most(consistency.published_all_large([share] * m), true, **data)
    return (
        "cuts at 1/2 or 1/10, {levels} levels, sigma = {sigma}: the product says at least {exact:.4g}, the "
        "truth is {stated:.4g}: there are 2^m - 1 cuts, not m"
    )


@SPLITS.corrected(equation_13, "consistency.all_large_bound", **LARGE)
def equation_13_corrected(effort, rng):
    r"""After $m$ levels, even if the cuts depend on each other, the smallest cell has a size of at least $\sigma$
    with probability at least $1 - \sum_{i \le m} 2^{i-1}(1 - p_i)$, where $p_i$ is the least probability that
    equation (12) gives on level $i$."""
    for law, m, s, share, true, data in _levels(effort):
        stated = consistency.all_large_bound([share] * m)
        yield below(stated, true, **data)
        yield below(stated, _all_large(law, s, m), **data)
    return "In {cases} cases no probability is below the bound; nearest is level {levels}, sigma = {sigma}."


@CHEBYSHEV("mrf/equation-14", "Equation 14", "assumes", proved=True, quantity="probability of fewer than k points")
def equation_14(effort, rng):
    r"""At partition rate 1, the number $|N^E|$ of data points falling in a node of measure $p$ follows
    Binomial$(n, p)$, and from Chebyshev's inequality $\Pr(|N^E| < k) \le p(1-p)/(2n\,|k/n - p/2|^2)$. This needs
    $k < np/2$, exactly $n/2$ estimation points and a $p$ that does not depend on the data. If a fair coin assigns
    each record, this bound fails, and a correct bound has $1 - p/2$ in place of $1 - p$."""
    sizes, coins = effort.pick((10, 100), (10, 100, 1000), (10, 50, 100, 1000, 10_000)), {}
    for n, p in product(sizes, (0.02, 0.1, 0.5, 0.9, 0.99, 1.0)):
        for k in sorted({1, 2, int(n * p / 8), int(n * p / 4), int(n * p / 2)}):
            if 0 < k < n * p / 2:
                stated, by_coin = consistency.chebyshev(n, p, k), binom.cdf(k - 1, n, p / 2)
                mended = min(1.0, n * p / 2 * (1 - p / 2) / (n * p / 2 - k) ** 2)
                halves = binom.cdf(k - 1, n // 2, p)
                yield below(halves, stated, broken="fails", n=n, p=p, k=k)
                yield below(by_coin, mended, broken="fails", n=n, p=p, k=k)
                coins[n, p, k] = below(by_coin, stated)
    yield from coins.values()
    n, p, k = next((at for at, case in coins.items() if not case.good), next(iter(coins)))
    return note(
        f"With equal halves the bound holds in {len(coins)} settings. With a fair coin, n = {n}, p = {p:g} and "
        f"k = {k} the probability is {{exact:.3g}}, which is above the bound {{stated:.3g}}.",
        range=f"n up to {sizes[-1]}, p from .02 to 1, k below np/2",
    )


@GROWS("mrf/equation-15", "Equation 15", intervals=16, quantity="probability that X's cell is below delta^m")
def equation_15(effort, rng):
    r"""By the stopping condition, the tree will grow infinitely often in probability: if $k/n \to 0$, the depth of
    $X$'s leaf grows beyond every $m$. For $\delta \le 1/2$ and any rule of cutting that does not know $X$,
    $\Pr(\mu(N_m(X)) < \delta^m) \le (2^m - 1)\,\delta^m$, and some rule comes arbitrarily close to this bound."""
    draws, settings = effort.pick(300, 4000, 40_000), [*product((1, 3), (*BUDGETS, np.inf), (1, 4))]
    for d, b, m in settings:
        found = consistency.observed_paths(300, 300, 0, d, draws, b, b, trend=0.5, levels=m, rng=rng)
        delta = 0.5 if m == 1 else 0.2
        small, data = (found.high - found.low).prod(axis=1) < delta**m, {"D": d, "m": m}
        stated = consistency.small_cell_bound(delta, m)
        yield frequency(small, stated, "<=", B=str(b), delta=delta, **data)
    units = effort.pick(120, 400, 800)
    worst = [_worst_rule(d, m, units) for d, m in product((0.1, 0.3, 0.5), (1, 2, 3))]
    met = [case for case in worst if case.stated]
    yield from met
    return note(
        f"The bound holds in {len(settings)} settings; nearest is D = {{D}}, B1 = B2 = {{B}}, m = {{m}}, delta = "
        f"{{delta:g}} with {{exact:.4f}}, where the bound is {{stated:g}}. The worst of all rules that cut a cell "
        f"of equal units attains it in {len(met)} cases.",
        range=f"300 structure points, D = 1 and 3, B up to infinity, {draws} data sets each",
    )


def _worst_rule(delta, levels, units):
    """The most of `units` even units that `levels` cuts can put into cells of less than a share
    `delta` ** `levels`, by a search of all ways to cut, and the bound for the share of the largest such cell.
    """
    small = math.ceil(units * delta**levels - 1e-9) - 1  # of the largest cell that is too small
    most = np.where(np.arange(units + 1) <= small, np.arange(units + 1), 0)
    for _ in range(levels):
        most = np.array([max(most[: n + 1] + most[n::-1]) for n in range(units + 1)])
    edge = (small / units) ** (1 / levels)
    stated = consistency.small_cell_bound(edge, levels) if small else 0.0
    return same(most[-1] / units, stated, delta=delta, m=levels, units=units)


@GROWS(
    "mrf/equation-15/depth",
    "ours; equation 15",
    "holds",
    "consistency.observed_paths",
    "consistency.depth_law",
    intervals=8,
    proved=False,
    quantity="probability of at most two cuts above X's leaf",
    range="50 and 1600 records in each half, k = 20, two features",
)
def equation_15_depth(effort, rng):
    """With $k$ fixed at 20 and $B_1 = B_2 = 0$, 2, 10 or infinity, paths with at most two cuts in a multinomial
    forest become rarer as the number of records in each half grows from 50 to 1600."""
    draws, said = effort.pick(300, 5000, 30_000), []
    for b in (*BUDGETS, np.inf):
        few, many = (
            consistency.observed_paths(n, n, 20, 2, draws, b, b, trend=0.5, rng=rng).depth <= 2 for n in (50, 1600)
        )
        yield (first := counted_only(few))
        yield decisive(last := frequency(many, (-1, first.span[0]), B=str(b)))
        said.append(f"from at least {first.span[0]:.2f} to at most {last.span[1]:.3f} at B1 = B2 = {b}")
    few, many = (consistency.depth_law(n, 20)[:3].sum() for n in (50, 1600))
    yield need(few > many, many, "<", few)
    ideal = f"with cuts uniform in ranks it falls from {few:.3f} to {many:.4f}"
    return f"The share of paths with at most two cuts falls {', '.join(said)}; {ideal}."


@CHEBYSHEV(
    "mrf/limit-of-p",
    "Between equations 13 and 14",
    "assumes",
    "consistency.ideal_paths",
    proved=True,
    quantity="probability that p is at most 2k/n",
    range="n from 100 to 10,000, k = 5 and 20, one level",
)
def limits(effort, rng):
    r"""The least probability $p$ of a cell of level $m$ is positive, since the minimum is over finitely many nodes
    and each node contains a set of positive measure; so the right side of equation (14) goes to 0. This needs a
    $p$ that stays away from 0 with high probability, for $m$ fixed while $n \to \infty$. No positive constant is a
    lower bound of $p$ with certainty: with one feature, $m = 1$ and cuts uniform in ranks, $\Pr(p \le x) = 2x$."""
    values, chances = np.linspace(0, 1, effort.pick(20_001, 200_001, 2_000_001)), []
    cuts = (values[1:] + values[:-1]) / 2
    small = np.minimum(cuts, 1 - cuts)
    for n, k in product((100, 1000, 10_000), (5, 20)):
        chances.append((small <= 2 * k / n).mean())
        yield same(chances[-1], 4 * k / n, 1e-3, 1e-4, broken="fails", n=n, k=k)
    yield need(all(a > b for a, b in pairwise(chances[::2])), broken="fails")
    yield need(min(chances) == 0, chances[-1], "=", 0)
    return (
        f"n = {n}, k = {k}: the step's k < np/2 is missed with probability {{exact:.4f}}, which falls to 0 "
        "with k/n and is never 0"
    )
