"""Claims of MRF, theorem 1: its conditions, what it assumes, what holds, and where the arg max fails."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from scipy.integrate import dblquad

from dplit import consistency
from dplit.court.claims.consistency._counted import counted_only, thinned
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, frequency, need, note, same

HALF = Fraction(1, 2)
PATHS, BAYES, BLIND = ("consistency.observed_paths", "consistency.pair_bayes_risk", "consistency.pair_blind_risk")
CONDITIONS = Box("thm-consistency-conditions", "consistency.published_middle", about="step")
PAIR = Box("thm-consistency-pair", "consistency.pair_and_trend", BAYES, BLIND)
THEOREM_1 = Box("thm-consistency-theorem-1", PATHS, BAYES, BLIND)
CORRECTED = Box(
    "thm-consistency-corrected",
    "consistency.any_law_size",
    "consistency.leaf_tail_bound",
    "consistency.partition_excess_bound",
    PATHS,
)
GREEDY = Box("thm-consistency-greedy", PATHS, BLIND)


@CONDITIONS(
    "mrf/theorem-1-conditions", "Theorem 1", "assumes", quantity="probability of a cut that leaves both sides s"
)
def conditions(effort, rng):
    r"""If the distribution function of a cut is right-continuous at 0 and left-continuous at 1, then for every
    $\alpha_1 > 0$ there is an $s > 0$ with $F(1-s) - F(s) > 1 - \alpha_1$. Every distribution function is
    right-continuous; the condition that is needed is no atom at either end."""
    ends = [Fraction(1, 10**i) for i in range(1, effort.pick(10, 20, 40))]

    def best(atom):
        """The largest F(1-s) - F(s) of an atom at 0, the rest uniform: right-continuous at 0, left- at 1."""
        cdf = lambda x: atom + (1 - atom) * min(max(x, 0), 1) if x >= 0 else 0  # noqa: E731
        return max(consistency.published_middle(s, cdf) for s in ends)

    free, half, enough = best(Fraction(0)), best(HALF), 1 - 3 * ends[-1]
    yield need(free > enough, free, "=", 1, broken="fails")
    yield need(half > enough, half, "=", 1, broken="assumes" if half <= HALF else "fails")
    return note(
        f"half the mass at 0: F(1-s) - F(s) never exceeds {float(half):.4g}; without it, it comes to "
        f"{float(free):.6g}",
        range=f"s from .1 to 1e-{len(ends)}, with and without an atom at 0",
    )


@PAIR("mrf/pair-and-trend", "ours", quantity="risk of a rule", range="three laws, three cuts")
def pair_law(effort, rng):
    r"""For $\eta = 1/2 + a\,s(x_1)s(x_2) + b(x_3 - 1/2)$ with $b \le 2a$ and $a + b/2 \le 1/2$, the Bayes risk is
    $1/2 - a$. The best rule that uses $x_3$ alone has risk $1/2 - b/4$, and no cut of $x_1$ or $x_2$ has a gain in
    a cell that spans both features."""
    grid, apart = (np.arange(2000) + 0.5) / 2000, []
    for a, b in ((0.3, 0.4), (0.25, 0.5), (0.4, 0.1)):
        eta = [0.5 + a * sign + b * (grid - 0.5) for sign in (-1, 1, 0)]
        *both, blind = (np.minimum(e, 1 - e).mean() for e in eta)
        for rule, true, stated in (
            ("Bayes", np.mean(both), consistency.pair_bayes_risk(a)),
            ("x3", blind, consistency.pair_blind_risk(b)),
        ):
            yield decisive(same(true, stated, 0.0, 1e-6, a=a, b=b, rule=rule))
        gain = lambda y, x, a=a: consistency.pair_and_trend([x, y, 0.5], a, 0.0) - 0.5  # noqa: E731
        for cut in (0.1, 0.5, 0.8):  # means of the pair's part on either side, over x2
            for side in ((0, cut), (cut, 1)):
                apart.append(abs(dblquad(gain, *side, 0, 1, epsabs=1e-3)[0]))
                yield below(apart[-1], 5e-3, a=a, b=b, cut=cut)
    return f"6 risks equal quadrature; on each side of cuts of x1 the pair integrates to {max(apart):.1g} at most."


def _leaf_size(n):
    """k = n^(4/5): of the size at which the arg max fails, and still k/n falls to 0."""
    return int(n**0.8)


def _drawn(n, budget, draws, rng):
    """Draws of one tree: whether it errs, and whether its leaf was cut in a feature of the pair, further
    than 5 % from the ends."""
    found = consistency.observed_paths(
        n // 2, n // 2, _leaf_size(n), 3, draws, budget, budget, pair=0.3, trend=0.4, rng=rng
    )
    looked = (found.high - found.low)[:, :2].min(axis=1) < 0.95
    return found.votes[:, 0] != found.label, looked


@THEOREM_1("mrf/theorem-1", "Theorem 1", "assumes", intervals=3, quantity="chance that a leaf is cut in the pair")
def theorem_1(effort, rng):
    r"""The proposed MRF is consistent, as is proved theoretically. Suppose that $X$ is supported on $[0, 1]^D$ and
    has non-zero density almost everywhere, and that the distribution function of the split points is
    right-continuous at 0 and left-continuous at 1. Then, if $B_3 \to \infty$, MRF is consistent when $k \to
    \infty$ and $k/n \to 0$ as $n \to \infty$. This assumes finite $B_1$ and $B_2$ and, as far as is proved,
    $k/\log n \to \infty$, which the theorem does not say. At $B_1 = B_2 = \infty$ a tree with $k = n^{4/5}$ never
    looks at a pair of features that decides the class, and its error stays at .4, although the Bayes risk is .2.
    Whether $k \to \infty$ suffices is open here."""
    n, draws = effort.pick(6000, 30_000, 100_000), effort.pick(400, 1500, 3000)
    (_, finite), (wrong, greedy) = (_drawn(n, b, draws, rng) for b in (0.0, np.inf))
    cases = [counted_only(events) for events in (finite, greedy, wrong)]
    yield from cases
    (least, _), (_, most), (errs, _) = (case.span for case in cases)
    blind = least > most and errs > consistency.pair_bayes_risk()
    yield need(not blind, most, ">=", least)
    return note(
        f"With n = {n} a leaf is cut in the pair with probability at least {least:.3f} at B1 = B2 = 0, but at "
        f"most {most:.3f} at infinite budgets, where the error is above {errs:.3f} and the Bayes risk .2.",
        range=f"n = {n}, k = n^(4/5), {draws} data sets for each budget",
    )


@CORRECTED.corrected(theorem_1, intervals=18, quantity="error of a tree")
def corrected(effort, rng):
    r"""Let the features have any distribution without atoms in a coordinate, and the label any distribution. With
    algorithm 1's stopping rule, a tree of MRF and the vote are consistent if $B_1$ and $B_2$ are finite and fixed,
    the halves are drawn without regard to the records (equal or by coins), $B_3 \to \infty$, $k/n \to 0$ and
    $k/\log n \to \infty$. In simulations, as $n$ grows, errors fall, the records of a leaf come closer together,
    and few leaves are small."""
    small, large = sizes = 10, effort.pick(1000, 6000, 20_000)
    most, said = effort.pick(1600, 6000, 20_000), []
    for design, b in (("independent", 0.0), ("independent", 2.0), ("one-curve", 2.0)):
        events = {}
        for n in sizes:
            k, draws = int(n**0.5), most if n > small else effort.pick(2, 4, 4) * most  # the small ones cost less
            found = consistency.observed_paths(
                n // 2, n // 2, k, 2, draws, b, b, trend=1.0, design=design, rng=rng
            )
            extent = np.abs(found.point - found.companion).mean(axis=1)
            wrong = found.votes[:, 0] != found.label
            events[n] = wrong, thinned(extent, rng), found.counts <= k // 5
        before = [counted_only(event) for event in events[small]]
        yield from before
        errs, extent, rare = events[large]
        yield frequency(extent, (-1, before[1].span[0]), design=design, B=b)
        yield frequency(rare, (-1, 0.2), design=design, B=b)
        if design == "one-curve":  # errors differ little there
            yield counted_only(errs)
            continue
        yield decisive(after := frequency(errs, (-1, before[0].span[0]), design=design, B=b))
        said.append((before[0].span[0], after.span[1]))
    first, last = zip(*said)
    return note(
        f"With independent features the errors are at least {min(first):.3f} at n = {small} and at most "
        f"{max(last):.3f} at n = {large}. In all settings two points of a leaf come closer together, and less "
        "than a fifth of the leaves hold at most k/5 points.",
        range=f"k = n^(1/2), n = {small} and {large}, three settings, {most} data sets or more each",
    )


@GREEDY("mrf/greedy-limit", "ours; appendix C", intervals=2, quantity="error of a tree with infinite budgets")
def greedy_limit(effort, rng):
    r"""At $B_1 = B_2 = \infty$ MRF is not consistent. Take the distribution of `mrf/pair-and-trend`, and $k \ge
    n^{2/3 + c}$ for a $c > 0$ with $k/n \to 0$. Then the limiting error of a tree, and of every vote of at most
    polynomially many trees, is at least $1/2 - b/4$, while the Bayes risk is $1/2 - a$."""
    n, draws = effort.pick(10_000, 30_000, 100_000), effort.pick(500, 2000, 8000)
    bayes, stated = consistency.pair_bayes_risk(), consistency.pair_blind_risk()
    wrong, looked = _drawn(n, np.inf, draws, rng)
    yield decisive(wrong := frequency(wrong, stated))
    yield need(bayes < wrong.span[0], wrong.span[0], ">", bayes)
    yield (looked := frequency(looked, (-1, 0.5)))
    return note(
        f"n = {n}, k = {_leaf_size(n)}: error {wrong.span[0]:.3f} to {wrong.span[1]:.3f}, limit {stated:g}; "
        f"leaves cut in the pair at most {looked.span[1]:.3f}; Bayes risk {bayes:g}",
        range=f"a = .3, b = .4, k = n^(4/5), n = {n}, {draws} data sets",
    )


@GREEDY(
    "mrf/greedy-limit/stored",
    "ours; appendix C",
    "holds",
    "consistency.stored_curve",
    "consistency.curve_cell",
    proved=False,
    quantity="mean extent of a leaf in the pair",
)
def greedy_stored(effort, rng):
    r"""In the stored run with $k = n^{4/5}$, a leaf's extent along the pair of features of `mrf/pair-and-trend`
    rises to 1 with $n$ at $B = \infty$ and falls at $B = 0$ and 2. With $k = n^{1/2}$ this extent and the error of
    the vote fall at every budget."""
    run = consistency.stored_curve()
    sizes = sorted({n for n, _, _ in run})
    extent = {(c, b): [run[n, c, b]["extent"] for n in sizes] for _, c, b in run}
    end = extent[0.8, np.inf][-1]
    yield decisive(need(end > 0.99, end, "<=", 1))
    for rising in (extent[0.8, np.inf], *(extent[0.8, b][::-1] for b in (0.0, 2.0))):
        yield from (need(a < b, a, "<", b) for a, b in pairwise(rising))
    for c, b in extent:
        errors = [run[n, c, b]["vote"] / run[n, c, b]["draws"] for n in sizes]
        for values, fall in ((extent[c, b], 0.2), (errors, 0.1)) if c == 0.5 else ():
            yield need(values[-1] < values[0] - fall, values[-1], "<", values[0] - fall, B=str(b))
    keys = [key for key in run if key[0] <= effort.pick(100, 1000, 10_000)]
    chosen = keys[int(rng.integers(len(keys)))]
    again = consistency.curve_cell(*chosen, run[chosen]["draws"])
    for name, value in again.items():
        yield same(value, run[chosen][name], atol=1e-8, cell=str(chosen), name=name)
    return note(
        f"n = {sizes[-1]}, k = n^(4/5): extent {end:.4f} at B infinite, {extent[0.8, 0.0][-1]:.4f} at 0; one "
        "cell came out the same",
        range=f"n from {sizes[0]} to {sizes[-1]}, four budgets, k = n^(1/2) and n^(4/5)",
    )
