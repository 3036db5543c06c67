"""Claims of DiPriMe v1 on leaf counts: theorem 2, appendix A.2.2 and the sentence after theorem 3.

Derived in :doc:`/book/occupancy`.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from dplit import occupancy
from dplit.ledger import Evidence, claim, interval, of_equality, of_upper_bound

EPSILONS = (0.05, 0.2, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0)


# The Laplace model --------------------------------------------------------------------------


def inverted_tail(t, depth):
    r"""The model's tail at epsilon 1 from its characteristic function, by quadrature.

    .. math:: 1 - \frac2\pi \int_0^\infty \frac{\sin(ut)}{u} \prod_j \frac{1}{1 + 4^{-j}u^2}\,du
    """

    def transform(u):
        return math.prod(1 / (1 + 0.25**j * u * u) for j in range(depth))

    near = quad(lambda u: t * np.sinc(u * t / np.pi) * transform(u), 0, 1)[0]
    far = quad(lambda u: transform(u) / u, 1, np.inf, weight="sin", wvar=t)[0]
    return 1 - 2 / math.pi * (near + far)


def proved_for_all_t(depth):
    """Sufficient for theorem 2 at every t: tail <= A e^-t, A <= 2, beta <= 2, max t^2 e^-t <= gamma / A."""
    top = occupancy.leading_constant(depth)
    falls = occupancy.alternates_and_falls(depth)
    return falls and max(top, occupancy.BETA) <= 2 and 4 * top / math.e**2 <= occupancy.gamma(depth)


@claim(
    "diprime-v1/theorem-2-model",
    "Theorem 2; appendix A.2.2",
    "loose",
    "thm-occupancy-published",
    ("occupancy.model_tail", "occupancy.published_bound"),
    kind="certified",
)
def model(effort, rng):
    r"""For $S = \sum_i \operatorname{Lap}(2^{i-d}/\epsilon_1)$: $\Pr(|S| \ge t)$ is at most
    $\gamma/(\epsilon_1 t)^2$ and at most $2\max(e^{-\epsilon_1^2t^2/(4\gamma)},
    e^{-\epsilon_1\beta t/2})$."""
    depths = range(1, effort.pick(11, 16, 31))
    t = np.geomspace(1e-3, 600, effort.pick(400, 2000, 10_000))
    exact = np.array([occupancy.model_tail(t, d, 1.0) for d in depths])
    published = np.array([occupancy.published_bound(t, d, 1.0) for d in depths])
    verdict = of_upper_bound(exact, published)
    if verdict == "loose" and not all(map(proved_for_all_t, depths)):
        raise ArithmeticError("the proof for all t does not cover every depth")
    ratio = published / exact
    d, i = np.unravel_index(ratio.argmin(), ratio.shape)
    at_ten = ratio[:, np.searchsorted(t, 10)]
    summary = (
        f"depths 1 to {depths[-1]}, every t: the bound is at least {ratio.min():.4f} times the tail, and "
        f"at epsilon t = 10 between {at_ten.min():.1f} and {at_ten.max():.1f} times"
    )
    case = {"depth": int(depths[d]), "epsilon": 1.0, "t": float(t[i])}
    return Evidence(
        verdict, "certified", summary, exact.size, float(published[d, i]), float(exact[d, i]),
        counterexample=case if verdict == "fails" else None,
    )  # fmt: skip


@model.corrected(
    "thm-occupancy-model",
    ("occupancy.model_tail", "occupancy.model_bound", "occupancy.alternates_and_falls"),
    kind="certified",
)
def model_corrected(effort, rng):
    r"""$\Pr(|S| \ge t) = \sum_j c_j e^{-2^j\epsilon_1 t} \le A_d e^{-\epsilon_1 t}$, $A_d = c_0
    = \prod_{j<d}(1 - 4^{-j})^{-1} < 1.4524$, and the ratio of both sides falls to 1."""
    depths = range(1, effort.pick(11, 16, 31))
    proved = all(occupancy.alternates_and_falls(d, p) for d in depths for p in (0, 1))
    identity = all(same_transform(d) for d in depths)
    points = [
        (t, d)
        for d in (1, 2, 5, 10)
        for t in effort.pick((0.5, 4.0), (0.1, 1, 4, 9), (0.1, 1, 2, 4, 6, 9, 12))
    ]
    quadrature = [inverted_tail(t, d) for t, d in points]
    closed = [float(occupancy.model_tail(t, d, 1.0)) for t, d in points]
    same = of_equality(quadrature, closed, rtol=0, atol=1e-6)
    bounded = of_upper_bound(closed, [float(occupancy.model_bound(t, d, 1.0)) for t, d in points])
    good = proved and identity and same == bounded == "holds"
    return Evidence(
        "holds" if good else "fails", "certified",
        f"depths 1 to {depths[-1]}: partial fractions equal the transform in fractions, weights alternate and "
        f"fall; {len(points)} quadratures agree to {np.abs(np.subtract(closed, quadrature)).max():.0e}",
        cases=len(depths) + len(points), published=closed[-1], computed=quadrature[-1],
        counterexample=None if good else {"proved": proved, "identity": identity, "same": same},
    )  # fmt: skip


def same_transform(depth):
    """Product and partial fractions agree at `depth` rational points, so everywhere."""
    weights = occupancy.laplace_weights(depth, Fraction(1))
    for x in (Fraction(-i) for i in range(1, depth + 1)):
        factors = [1 / (1 - x / 4**j) for j in range(depth)]
        if math.prod(factors) != sum(c * f for c, f in zip(weights, factors)):
            return False
    return True


# The rank mechanism --------------------------------------------------------------------------


def distances(n, depth):
    """Every distance from n / 2^d that a count can have, but 0: between them no tail changes."""
    off = np.unique(np.abs(np.arange(n + 1) - n / 2**depth))
    return off[off > 0]


def worst_ratio(n, depth, epsilon):
    """(largest exact / published over every t, its t)."""
    t = distances(n, depth)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = occupancy.leaf_tail(t, n, depth, epsilon) / occupancy.published_bound(
            t, depth, epsilon
        )
    ratio = np.where(np.isnan(ratio), 0.0, ratio)  # both underflow
    return float(ratio.max()), float(t[ratio.argmax()])


def least_epsilon(n, depth):
    """Least epsilon at which theorem 2 fails for this n, of those below the grid's first failure."""
    first = next(i for i, e in enumerate(EPSILONS) if worst_ratio(n, depth, e)[0] > 1)
    return brentq(
        lambda e: worst_ratio(n, depth, e)[0] - 1, EPSILONS[first - 1], EPSILONS[first], xtol=1e-9
    )


@claim(
    "diprime-v1/theorem-2-mechanism",
    "Theorem 2; figure 2",
    "assumes",
    "thm-occupancy-published",
    ("occupancy.leaf_law", "occupancy.leaf_tail", "occupancy.published_bound"),
)
def mechanism(effort, rng):
    r"""The same bounds hold for $|\tilde N_i - N/2^d|$ of a leaf that the rank mechanism makes.
    (Section 3.1 assumes that $2^d$ divides $N$; the theorem doesn't repeat it.)"""
    depths, blocks = range(1, effort.pick(4, 5, 7)), effort.pick(4, 8, 12)
    cases = [(d, n) for d in depths for n in range(1, blocks * 2**d + 1)]
    worst = {case: [worst_ratio(case[1], case[0], e)[0] for e in EPSILONS] for case in cases}
    failing = [case for case in cases if max(worst[case]) > 1 + 1e-9]
    divisible = [case for case in cases if case[1] % 2 ** case[0] == 0]
    verdict = "holds"
    if failing:
        verdict = "fails" if set(failing) & set(divisible) else "assumes"
    if not failing:
        return Evidence(verdict, "exact", "no failure", len(cases) * len(EPSILONS))
    depth, n = failing[0]
    threshold = least_epsilon(n, depth)
    epsilon = math.ceil(threshold * 100) / 100
    t = worst_ratio(n, depth, epsilon)[1]
    exact = float(occupancy.leaf_tail(t, n, depth, epsilon))
    published = float(occupancy.published_bound(t, depth, epsilon))
    near = max(max(worst[case]) for case in divisible)
    return Evidence(
        verdict, "exact",
        f"{len(divisible)} sizes divisible by 2^d: tail over bound at most {near:.3f}; {len(failing)} of "
        f"the other {len(cases) - len(divisible)} fail; smallest N={n}, d={depth}, from epsilon {threshold:.4f}",
        cases=len(cases) * len(EPSILONS), published=published, computed=exact,
        counterexample={"n": n, "depth": depth, "epsilon": epsilon, "t": t, "tail": exact, "bound": published},
    )  # fmt: skip


@mechanism.corrected(
    "thm-occupancy-mechanism", ("occupancy.corrected_bound", "occupancy.leaf_tail")
)
def mechanism_corrected(effort, rng):
    r"""For every $N$, $d$ and $\epsilon_1$: $\Pr(|\tilde N - N/2^d| \ge t) \le B_d(t) \le 1$,
    with $B_d(t) = \kappa M (e^{-\epsilon_1 t_+} + e^{-\epsilon_1 t_-}) + B_{d-1}(2t)/(1 +
    e^{\epsilon_1})$."""
    depths, largest = range(1, effort.pick(4, 6, 8)), effort.pick(24, 80, 300)
    sizes = [*range(largest), *effort.pick((257,), (257, 1000), (257, 1000, 4096, 10_001))]
    exact, bound, names = [], [], []
    for d, n, e in ((d, n, e) for d in depths for n in sizes for e in EPSILONS):
        t = distances(n, d)
        exact.append(occupancy.leaf_tail(t, n, d, e))
        bound.append(occupancy.corrected_bound(t, n, d, e))
        names += [(n, d, e, float(x)) for x in t]
    exact, bound = np.concatenate(exact), np.concatenate(bound)
    verdict = of_upper_bound(exact, bound)
    seen = exact > 1e-25  # below, the ratio says how much mass was left out
    i = int(np.argmax(np.where(seen, exact / np.maximum(bound, 1e-300), 0)))
    return Evidence(
        verdict, "exact",
        f"{len(exact)} tails, {len(sizes)} sizes, depths 1 to {depths[-1]}, every t: "
        "never above the bound, and met",
        cases=len(exact), published=float(bound[i]), computed=float(exact[i]),
        counterexample=None if verdict != "fails" else {"n, depth, epsilon, t": names[i]},
    )  # fmt: skip


# Which bound, where ---------------------------------------------------------------------------


def crossings(depth):
    """Both ends of the stretch where Chebyshev is the tighter, by root finding on theorem 2, in units of u."""
    unit = math.sqrt(occupancy.gamma(depth))

    def gain(u):
        bounds = (occupancy.subexponential_bound, occupancy.chebyshev_bound)
        return np.subtract(*(np.log(bound(u * unit, depth, 1.0)) for bound in bounds))

    grid = np.linspace(0.05, 60, 6000)
    changes = np.flatnonzero(np.diff(np.sign(gain(grid))))
    return [brentq(gain, grid[i], grid[i + 1], xtol=1e-13) for i in changes]


@claim(
    "diprime-v1/chebyshev-window",
    "Appendix A.2.2",
    "fails",
    "thm-occupancy-window",
    ("occupancy.published_window", "occupancy.chebyshev_window"),
)
def window(effort, rng):
    r"""Chebyshev's bound is tighter than the sub-exponential one for $t$ between 0.76 and 3.61
    times $\sqrt\gamma/\epsilon_1$, and only there."""
    depths = range(1, effort.pick(6, 11, 21))
    found = [crossings(d) for d in depths]
    published = occupancy.published_window()
    verdict = of_equality(found, [published] * len(found), rtol=1e-6)
    near = min(high for _, high in found)
    u = 5.0
    t = u * math.sqrt(occupancy.gamma(1))
    case = {"depth": 1, "epsilon": 1.0, "t": t, "u": u}
    case |= {"chebyshev": float(occupancy.chebyshev_bound(t, 1, 1.0))}
    case |= {"subexponential": float(occupancy.subexponential_bound(t, 1, 1.0))}
    return Evidence(
        verdict, "exact",
        f"depths 1 to {depths[-1]}: the upper end lies between {near:.4f} and {max(h for _, h in found):.4f}",
        cases=len(found), published=published[1], computed=found[0][1],
        counterexample=case if verdict == "fails" else None,
    )  # fmt: skip


@window.corrected(functions=("occupancy.chebyshev_window",))
def window_corrected(effort, rng):
    r"""It is the tighter exactly from $2\sqrt{-W_0(-1/8)}$ to $-\frac2a W_{-1}(-a/\sqrt8)$, $a
    = \beta\sqrt\gamma/2$: (0.76, 7.81) at depth 1, (0.76, 6.04) in the limit."""
    depths = range(1, effort.pick(6, 11, 21))
    found = [crossings(d) for d in depths]
    closed = [occupancy.chebyshev_window(d) for d in depths]
    verdict = of_equality(found, closed, rtol=1e-9)
    return Evidence(
        verdict, "exact", f"depths 1 to {depths[-1]}: both ends as found by bisection", len(found),
        float(closed[0][1]), found[0][1],
        counterexample=None if verdict == "holds" else {"found": found},
    )  # fmt: skip


@claim(
    "diprime-v1/tighter-for-large-t",
    "Section 3, after theorem 3; figure 2",
    "fails",
    "rem-occupancy-tighter",
    ("occupancy.published_bound", "occupancy.leaf_tail", "occupancy.model_tail"),
)
def tighter(effort, rng):
    """The bound becomes tighter for higher values of $t$: the published bound over the tail
    falls."""
    n, depth, epsilon = 2**20, 10, 0.5  # 1024 a leaf: the ends at 0 and n are far
    t = np.arange(1.0, effort.pick(81, 101, 121))
    exact = occupancy.leaf_tail(t, n, depth, epsilon)
    published = occupancy.published_bound(t, depth, epsilon)
    ratio = published / exact
    rises = np.flatnonzero(np.diff(ratio) > 0)
    verdict = "fails" if rises.size else "holds"
    step = int(ratio[:-1].argmin())
    case = {"n": n, "depth": depth, "epsilon": epsilon, "t": [float(t[step]), float(t[-1])]}
    case |= {"bound over tail": [float(ratio[step]), float(ratio[-1])]}
    return Evidence(
        verdict, "exact",
        f"N={n}, d={depth}, epsilon {epsilon}: {ratio[step]:.3g} times the tail at t={t[step]:g}, "
        f"{ratio[-1]:.3g} times at t={t[-1]:g}; it rises at {rises.size} of {len(t) - 1} steps",
        cases=len(t), published=float(published[-1]), computed=float(exact[-1]),
        counterexample=case if verdict == "fails" else None,
    )  # fmt: skip


@tighter.corrected(
    functions=("occupancy.model_bound", "occupancy.alternates_and_falls"), kind="certified"
)
def tighter_corrected(effort, rng):
    r"""In the model, $A_d e^{-\epsilon_1 t}$ over the tail falls to 1 in $t$; the published
    bound over it is at least $2e^{(1 - \beta/2)\epsilon_1 t}/A_d$ where the linear branch is
    the tighter."""
    depths = range(1, effort.pick(11, 16, 31))
    proved = all(occupancy.alternates_and_falls(d, 1) for d in depths)
    t = np.linspace(0, 200, effort.pick(200, 500, 2000))
    good = proved
    for d in depths:
        tail = occupancy.model_tail(t, d, 1.0)
        ours = occupancy.model_bound(t, d, 1.0) / tail
        good &= bool((np.diff(ours) <= 1e-12).all() and abs(ours[-1] - 1) < 1e-12)
        beyond = t > occupancy.chebyshev_window(d)[1] * math.sqrt(occupancy.gamma(d))
        published = occupancy.published_bound(t, d, 1.0) / tail
        rate = 2 * np.exp((1 - occupancy.BETA / 2) * t) / occupancy.leading_constant(d)
        good &= bool((published[beyond] >= rate[beyond] * (1 - 1e-9)).all())
    return Evidence(
        "holds" if good else "fails", "certified",
        f"depths 1 to {depths[-1]}: the ratio falls for every t, by alternating terms in fractions",
        cases=len(depths) * len(t), published=float(rate[-1]), computed=float(published[-1]),
        counterexample=None if good else {"proved": proved},
    )  # fmt: skip


# Draws ----------------------------------------------------------------------------------------


@claim(
    "diprime-v1/leaf-law",
    "ours",
    "holds",
    "thm-occupancy-law",
    ("occupancy.simulate", "occupancy.leaf_tail", "occupancy.any_leaf_tail"),
    kind="simulated",
    ours=True,
    intervals=16,
)
def draws(effort, rng):
    """Simulated trees have the tails of `leaf_law` for one leaf and of `any_leaf_tail` for the
    worst of all."""
    trees = effort.pick(5000, 50_000, 1_000_000)
    spans, exact = [], []
    for n, depth, epsilon in ((7, 2, 1.0), (1001, 4, 0.5), (64, 3, 3.0), (100, 5, 0.1)):
        off = np.abs(occupancy.simulate(n, depth, epsilon, trees, rng=rng) - n / 2**depth)
        for t in (1.0, 2 / epsilon):
            spans += [interval(int((off[:, -1] >= t).sum()), trees)]
            spans += [interval(int((off >= t).any(axis=1).sum()), trees)]
            exact += [float(occupancy.leaf_tail(t, n, depth, epsilon))]
            exact += [occupancy.any_leaf_tail(n, depth, epsilon, t)]
    missed = [(e, s) for e, s in zip(exact, spans) if not s[0] <= e <= s[1]]
    return Evidence(
        "fails" if missed else "holds", "simulated",
        f"{trees} trees in each of 4 settings: {len(spans) - len(missed)} of {len(spans)} intervals "
        "hold the exact tail",
        cases=4 * trees, published=sum(spans[-1]) / 2, computed=exact[-1],
        counterexample={"missed": missed} if missed else None, intervals=tuple(spans),
    )  # fmt: skip
