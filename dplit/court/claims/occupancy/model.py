"""Claims of DiPriMe v1 on the Laplace model of a leaf count: theorem 2 and the text after theorem 3."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from dplit import occupancy
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, decisive, need, note, same

OFF = {"quantity": "probability that the model is t off", "kind": "certified"}
PUBLISHED = Box("thm-occupancy-published", "occupancy.model_tail", "occupancy.published_bound", **OFF)
MODEL = Box(
    "thm-occupancy-model", "occupancy.model_tail", "occupancy.model_bound", "occupancy.alternates_and_falls", **OFF
)
WINDOW = Box("thm-occupancy-window")
TIGHTER = Box("rem-occupancy-tighter")


def _proved_for_all_t(depth):
    """Sufficient for theorem 2 at every t: tail <= A e^-t, A <= 2, beta <= 2, max t^2 e^-t <= gamma / A."""
    top = occupancy.leading_constant(depth)
    falls = occupancy.alternates_and_falls(depth)
    return falls and max(top, occupancy.BETA) <= 2 and 4 * top / math.e**2 <= occupancy.gamma(depth)


@PUBLISHED("diprime-v1/theorem-2-model", "Theorem 2; appendix A.2.2", "loose", proof="thm-occupancy-model")
def theorem_2(effort, rng):
    r"""For $S = \sum_i \operatorname{Lap}(2^{i-d}/\epsilon_1)$ the tail $\Pr(|S| \ge t)$ is at most
    $\gamma/(\epsilon_1 t)^2$ and at most $2\max(e^{-\epsilon_1^2t^2/(4\gamma)}, e^{-\epsilon_1\beta t/2})$."""
    depths = range(1, effort.pick(11, 16, 31))
    distances = np.geomspace(1e-3, 600, effort.pick(400, 2000, 10_000))
    for depth in depths:
        tails = occupancy.model_tail(distances, depth, 1.0)
        bounds = occupancy.published_bound(distances, depth, 1.0)
        for tail, bound, t in zip(tails, bounds, distances):
            yield at_most(tail, bound, depth=depth, epsilon=1.0, t=float(t))
        yield need(_proved_for_all_t(depth), depth=depth)
    return note(
        f"depths 1 to {depths[-1]}, every t: the tail is nearest to the bound at depth {{depth}}, "
        "t = {t:.4f}, with {exact:.4f} against {stated:.4f}",
        range=f"depths 1 to {depths[-1]}, {len(distances)} distances",
    )


def _inverted_tail(t, depth):
    """The model's tail at epsilon 1 from its characteristic function, by quadrature."""

    def transform(u):
        return math.prod(1 / (1 + 0.25**j * u * u) for j in range(depth))

    near = quad(lambda u: t * np.sinc(u * t / np.pi) * transform(u), 0, 1)[0]
    far = quad(lambda u: transform(u) / u, 1, np.inf, weight="sin", wvar=t)[0]
    return 1 - 2 / math.pi * (near + far)


def _same_transform(depth):
    """Product and partial fractions agree at `depth` rational points, so everywhere."""
    weights = occupancy.laplace_weights(depth, Fraction(1))
    for x in (Fraction(-i) for i in range(1, depth + 1)):
        factors = [1 / (1 - x / 4**j) for j in range(depth)]
        if math.prod(factors) != sum(c * f for c, f in zip(weights, factors)):
            return False
    return True


@MODEL.corrected(theorem_2)
def mixture(effort, rng):
    r"""In the theorem's model, the tail is $\Pr(|S| \ge t) = \sum_j c_j e^{-2^j\epsilon_1 t} \le A_d
    e^{-\epsilon_1 t}$, where $A_d = c_0 = \prod_{j<d}(1 - 4^{-j})^{-1} < 1.4524$. The ratio of this bound to the
    tail falls to 1 as $t$ grows."""
    depths = range(1, effort.pick(11, 16, 31))
    for d in depths:
        yield from (need(occupancy.alternates_and_falls(d, p), depth=d, power=p) for p in (0, 1))
        yield need(_same_transform(d), depth=d)
    distances, off = effort.pick((0.5, 4.0), (0.1, 1, 4, 9), (0.1, 1, 2, 4, 6, 9, 12)), []
    for d, t in product((1, 2, 5, 10), distances):
        inverted, tail = _inverted_tail(t, d), float(occupancy.model_tail(t, d, 1.0))
        off.append(abs(inverted - tail))
        yield decisive(same(inverted, tail, rtol=0, atol=1e-6, depth=d, t=t))
        yield at_most(tail, occupancy.model_bound(t, d, 1.0), depth=d, t=t)
    return note(
        f"At depths 1 to {depths[-1]} the partial fractions equal the transform, in fractions, and the weights "
        f"alternate in sign and fall in size; {len(off)} tails by quadrature agree with the formula to "
        f"{max(off):.0e}.",
        range=f"weights at depths 1 to {depths[-1]}, tails by quadrature at depths 1, 2, 5 and 10",
    )


def _crossings(depth):
    """Both ends of the stretch where Chebyshev is the tighter, by root finding on theorem 2, in units of u."""
    unit = math.sqrt(occupancy.gamma(depth))

    def gain(u):
        bounds = (occupancy.subexponential_bound, occupancy.chebyshev_bound)
        return np.subtract(*(np.log(bound(u * unit, depth, 1.0)) for bound in bounds))

    grid = np.linspace(0.05, 60, 6000)
    changes = np.flatnonzero(np.diff(np.sign(gain(grid))))
    return [brentq(gain, grid[i], grid[i + 1], xtol=1e-13) for i in changes]


@WINDOW(
    "diprime-v1/chebyshev-window",
    "Appendix A.2.2",
    "loose",
    "occupancy.published_window",
    "occupancy.chebyshev_window",
    proved=True,
    quantity="upper end of the window, in u",
)
def window(effort, rng):
    r"""Chebyshev's bound "is tighter than the sub-exponential bound for" $t$ between 0.76 and 3.61 times
    $\sqrt\gamma/\epsilon_1$. (It is also tighter beyond 3.61: the derivation solves for the upper end on the
    Gaussian branch of the other bound, which ends before 3.61.)"""
    depths = range(1, effort.pick(6, 11, 21))
    low, high = occupancy.published_window()
    found = {depth: _crossings(depth) for depth in depths}
    for depth, (lower, upper) in found.items():
        yield need(lower <= low * (1 + 1e-6), lower, "<=", low, depth=depth)
        yield need(upper >= high, upper, ">=", high, depth=depth)
    least = min(upper for _, upper in found.values())
    yield need(least <= high * (1 + 1e-6), least, ">=", high, broken="loose")
    return note(
        f"By bisection at depths 1 to {depths[-1]}, Chebyshev's bound is the tighter one from {low:.4f} to at "
        f"least {least:.4f} times sqrt(gamma)/epsilon_1, and to {max(end for _, end in found.values()):.4f} at "
        "depth 1.",
        range=f"depths 1 to {depths[-1]}",
    )


@WINDOW.corrected(window, "occupancy.chebyshev_window", quantity="end of the window, in u")
def window_corrected(effort, rng):
    r"""Let $a = \beta\sqrt\gamma/2$. Chebyshev's bound is the tighter one exactly if $t$ lies between
    $2\sqrt{-W_0(-1/8)}$ and $-\frac2a W_{-1}(-a/\sqrt8)$ times $\sqrt\gamma/\epsilon_1$. These factors are 0.76
    and 7.81 at depth 1, and 0.76 and 6.04 in the limit of large depth."""
    depths = range(1, effort.pick(6, 11, 21))
    for depth in reversed(depths):
        for found, end in zip(_crossings(depth), occupancy.chebyshev_window(depth), strict=True):
            yield same(found, end, depth=depth)
    found = f"depths 1 to {depths[-1]}"
    return note("At " + found + " both ends by the formula are those that bisection finds.", range=found)


@TIGHTER(
    "diprime-v1/tighter-for-large-t",
    "Section 3.1, after theorem 3; figure 2",
    "assumes",
    "occupancy.published_bound",
    "occupancy.leaf_tail",
    "occupancy.model_tail",
    quantity="published bound over the tail, at the largest t",
)
def tighter(effort, rng):
    """The bound becomes tighter for higher values of $t$. (This assumes that the difference between the bound and
    the tail is meant, not their ratio.)"""
    n, depth, epsilon = 2**20, 10, 0.5  # 1024 a leaf: the ends at 0 and n are far
    t = np.arange(1.0, effort.pick(81, 101, 121))
    exact = occupancy.leaf_tail(t, n, depth, epsilon)
    published = occupancy.published_bound(t, depth, epsilon)
    ratio = published / exact
    rises = int((np.diff(ratio) > 0).sum())
    least = int(ratio[:-1].argmin())
    apart = published - exact
    top = int(apart.argmax())
    nearer = (np.diff(apart[top:]) < 0).all() and apart[-1] < apart[top] / 100
    yield need(nearer, apart[-1], "<", apart[top], broken="fails", t=t[-1])
    shown = {"n": n, "depth": depth, "epsilon": epsilon, "t": float(t[-1])}
    yield need(not rises, ratio[-1], "<=", ratio[least], **shown)
    return note(
        f"At N={n}, d={depth} and epsilon {epsilon} the published bound is {ratio[least]:.3g} times the tail at "
        f"t={t[least]:g} and {ratio[-1]:.3g} times at t={t[-1]:g}; this ratio rises at {rises} of {len(t) - 1} "
        f"steps. The difference falls after t={t[top]:g}, from {apart[top]:.3g} to {apart[-1]:.3g}.",
        range=f"N = {n}, d = {depth}, epsilon_1 = {epsilon}, t = 1 to {t[-1]:g}",
        cases=len(t),
    )


def _falls_to_one(depth, t):
    """Whether the corrected bound over the tail falls in `t`, to 1 at its end."""
    ratio = occupancy.model_bound(t, depth, 1.0) / occupancy.model_tail(t, depth, 1.0)
    return bool((np.diff(ratio) <= 1e-12).all()) and abs(ratio[-1] - 1) < 1e-12


def _published_over_tail(depth, t):
    """The published bound over the tail, and what the linear branch says it is at least."""
    rate = 2 * np.exp((1 - occupancy.BETA / 2) * t) / occupancy.leading_constant(depth)
    bound = occupancy.published_bound(t, depth, 1.0)
    return bound / occupancy.model_tail(t, depth, 1.0), rate


@TIGHTER.corrected(
    tighter,
    "occupancy.model_bound",
    "occupancy.alternates_and_falls",
    kind="certified",
    proof="thm-occupancy-model",
    quantity="published bound over the tail",
)
def tighter_corrected(effort, rng):
    r"""In the model, $A_d e^{-\epsilon_1 t}$ divided by the tail falls to 1 as $t$ grows. Where the linear branch
    is tighter, the published bound divided by the tail is at least $2e^{(1 - \beta/2)\epsilon_1 t}/A_d$."""
    depths = range(1, effort.pick(11, 16, 31))
    t = np.linspace(0, 200, effort.pick(200, 500, 2000))
    for depth in depths:
        yield need(occupancy.alternates_and_falls(depth, 1), depth=depth)
        yield need(_falls_to_one(depth, t), depth=depth)
        linear = occupancy.chebyshev_window(depth)[1] * math.sqrt(occupancy.gamma(depth))
        ratio, rate = _published_over_tail(depth, t[t > linear])
        grows = (ratio >= rate * (1 - 1e-9)).all()
        yield need(grows, ratio[-1], ">=", rate[-1], depth=depth, t=t[-1])
    return note(
        f"depths 1 to {depths[-1]}: the ratio falls for every t, by alternating terms in fractions",
        range=f"depths 1 to {depths[-1]}, t up to 200 at epsilon_1 = 1",
    )
