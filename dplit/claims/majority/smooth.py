r"""Claims on the published label: what it costs, and where its effect is seen.

The label is the exponential mechanism scaled by smooth sensitivity. Its cost is theorem 1 of Fletcher and Islam
(2017), and the addendum on it; its effect is in sections 4.1 and 4.2, after inequality 14. A leaf is a tuple of
class counts, :math:`j` its gap.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from dplit import majority
from dplit.ledger import Case, bounded, claim, equal, of_equality, private, verdict_of
from dplit.mechanisms import Exponential, SmoothExponential
from dplit.mechanisms.smooth_exponential import gap


def _steps(n, classes, law):
    """(gap, leaf, neighbour, loss) of each step between leaves of at most n records."""
    for x in majority.leaves(n, classes):
        for y in majority.neighbouring(x):
            if sum(x) < sum(y) <= n:
                yield min(int(gap(x)), int(gap(y))), x, y, float(np.abs(law(x) - law(y)).max())


def _ratio(loss):
    """The likelihood ratio of a loss; infinite where a float has no room for it."""
    with np.errstate(over="ignore"):
        return float(np.exp(loss))


def _listed(first):
    """Gaps by epsilon, in words."""
    return ", ".join(f"{j} at {e:g}" for e, j in first.items())


@claim(
    "rdf/smooth-exponential",
    "theorem 1 with definition 4",
    "leaks",
    "thm-smooth-exponential-loss",
    ("majority.smooth_exponential_law", "majority.first_violation"),
)
def smooth_exponential(effort, rng, epsilon=(0.1, 0.5, 1.0, 2.0)):
    r"""The exponential mechanism scaled by $e^{-j\epsilon}$ releases the majority label with
    $\epsilon$-differential privacy."""
    steps = [
        (sum(y), e, x, y, loss)
        for e in epsilon
        for _, x, y, loss in _steps(effort.pick(8, 12, 40), 2, SmoothExponential(e).logpmf)
    ]
    cases = []
    for _, e, x, y, loss in sorted(steps, key=lambda step: step[:2]):
        data = {"epsilon": e, "counts": list(x), "neighbour": list(y), "loss": loss}
        cases.append(Case(loss, e, data | {"likelihood_ratio": _ratio(loss)}))
    first = {e: majority.first_violation(e) for e in (0.01, 0.1, 0.5, 1.0, 2.0)}
    return private(
        cases,
        "At epsilon {epsilon:g} the step from {counts} to {neighbour} costs {loss:.4f}; the first "
        f"gap that costs more than epsilon is {_listed(first)}.",
        range=f"leaves of two classes up to {effort.pick(8, 12, 40)} records, epsilon 0.1 to 2, add-remove",
    )


@smooth_exponential.corrected(
    functions=("majority.smooth_exponential_loss",),
    where="theorem 1 with definition 4",
    proof="thm-smooth-exponential-loss",
    quantity="privacy loss",
)
def loss_by_gap(effort, rng, epsilon=(0.1, 0.5, 1.5, 1.0)):
    r"""With $a_j = \frac{\epsilon}{2}e^{j\epsilon}$ the step from gap $j \ge 1$ costs exactly
    $\log\frac{1+e^{a_{j+1}}}{1+e^{a_j}}$ for two classes, which grows without bound; $j = 0$
    and more classes likewise."""
    sizes = effort.pick({2: 7, 3: 5}, {2: 10, 3: 6, 4: 5}, {2: 24, 3: 10, 4: 7, 5: 6})
    worst = {}
    for budget in epsilon:
        for classes, n in sizes.items():
            for j, _, _, loss in _steps(n, classes, SmoothExponential(budget).logpmf):
                key = budget, classes, j
                worst[key] = max(worst.get(key, 0.0), loss)
    cases = (
        Case(
            loss, majority.smooth_exponential_loss(j, e, k), {"epsilon": e, "classes": k, "gap": j}
        )
        for (e, k, j), loss in worst.items()
    )
    return equal(
        cases,
        "In {cases} cases the largest loss over all steps at a gap is the closed form: "
        "{exact:.4f} with {classes} classes at gap {gap}, epsilon {epsilon:g}.",
        atol=1e-9,
        range="all steps between leaves of "
        + ", ".join(f"{k} classes up to {n} records" for k, n in sizes.items())
        + ", epsilon 0.1 to 1.5, add-remove",
    )


@claim(
    "rdf/smooth-exponential-true-sensitivity",
    "theorem 1 with definition 4",
    "holds",
    "thm-smooth-exponential-loss",
    ("majority.rescaled_loss", "majority.smooth_sensitivity"),
    ours=True,
    proof="thm-smooth-exponential-loss",
    quantity="privacy loss",
)
def true_sensitivity(effort, rng, epsilon=(0.1, 0.5, 1.0)):
    """Scaled by the true smooth sensitivity the exponential mechanism still has no finite
    epsilon."""
    multiples = effort.pick((1, 10), (1, 10, 100), (1, 10, 100, 1000))
    gaps, formula, exceeded = np.arange(1, 149), [], []
    for budget in epsilon:
        laws = [_rescaled_logpmf((j, 0), budget) for j in (*gaps, 149)]
        losses = np.array([np.abs(a - b).max() for a, b in pairwise(laws)])
        closed = majority.rescaled_loss(gaps, budget)
        usable = closed < 1e12
        formula.append(of_equality(losses[usable], closed[usable], rtol=1e-7, atol=1e-9))
        exceeded += [bool(losses.max() > m * budget) for m in multiples]
    most = float(multiples[-1])
    first, passed = (
        next(j for j in range(1, 999) if majority.rescaled_loss(j, 1.0) > m) for m in (1.0, most)
    )
    return verdict_of(
        all(exceeded) and set(formula) == {"holds"},
        f"Losses of the law itself match the closed form, and pass {multiples[-1]} epsilon at each "
        f"epsilon tried; at epsilon 1 the first gap that costs more than epsilon is {first}.",
        {"formula": formula, "exceeded": exceeded},
        cases=len(epsilon) * len(gaps),
        published=most,
        computed=float(majority.rescaled_loss(passed, 1.0)),
        relation=">",
        range="two classes, gaps 1 to 148, epsilon 0.1, 0.5 and 1, add-remove",
    )


def _rescaled_logpmf(x, epsilon):
    """The exponential mechanism with the true smooth sensitivity in place of the global one."""
    mechanism = Exponential(epsilon, sensitivity=float(majority.smooth_sensitivity(x, epsilon)))
    return mechanism.logpmf(np.equal(x, max(x)).astype(float))


@claim(
    "rdf/smooth-exponential-delta",
    "theorem 1 with definition 4",
    "holds",
    "thm-smooth-exponential-delta",
    ("majority.smooth_exponential_delta",),
    ours=True,
    proof="thm-smooth-exponential-delta",
    quantity="delta",
)
def least_delta(effort, rng):
    r"""The published mechanism is $(\epsilon,\delta)$-private for two classes at $\epsilon = 1$
    only with $\delta \ge 0.138$."""
    law, n = SmoothExponential(1.0).pmf, effort.pick(8, 12, 30)
    leaves = majority.leaves(n, 2)
    worst = max(
        float(np.maximum(law(x) - math.e * law(y), 0).sum())
        for x in leaves
        for y in majority.neighbouring(x)
    )
    delta = majority.smooth_exponential_delta(1.0)
    others = {e: majority.smooth_exponential_delta(e) for e in (0.1, 2.0)}
    return verdict_of(
        of_equality(delta, worst) == "holds" and round(delta, 3) == 0.138,
        f"Enumeration of all leaves of at most {n} records gives {worst:.6f}, the search over gaps "
        f"{delta:.6f}; {', '.join(f'{d:.4f} at epsilon {e:g}' for e, d in others.items())}.",
        {"enumerated": worst, "searched": delta},
        cases=len(leaves),
        published=0.138,
        computed=delta,
        relation=">=",
        range=f"leaves of two classes up to {n} records, epsilon 1, add-remove",
    )


def _law_loss(j, epsilon):
    """Loss of the step from (j, 0) to (j + 1, 0), from the two laws."""
    here, there = (SmoothExponential(epsilon).logpmf([g, 0]) for g in (j, j + 1))
    return float(np.abs(here - there).max())


@claim(
    "rdf/twice",
    "addendum, section 1",
    "fails",
    "thm-smooth-exponential-loss",
    ("majority.first_violation",),
    about="reading",
    quantity="privacy loss",
)
def twice(effort, rng):
    r"""The true cost of the published mechanism may be twice the number reported, read as: at most
    $2\epsilon$. (The addendum has this from preliminary experiments, and says that a proof is missing.)"""
    epsilons = (*effort.pick((), (0.05,), (0.01, 0.05)), 0.1, 0.5, 1.0, 2.0)
    first = {e: majority.first_violation(e, bound=2 * e) for e in epsilons}
    steps = sorted((j, e) for e in epsilons for j in range(first[e] + 1))  # fewest records first
    cases = (
        Case(_law_loss(j, e), 2 * e, {"epsilon": e, "counts": [j, 0], "neighbour": [j + 1, 0]})
        for j, e in steps
    )
    return bounded(
        cases,
        "At epsilon {epsilon:g} the step from {counts} to {neighbour} costs {exact:.4f}; the first "
        f"gap whose step costs more than twice epsilon is {_listed(first)}.",
        range=f"steps from (j, 0) to (j + 1, 0), epsilon {min(epsilons):g} to 2, add-remove",
    )


@twice.corrected(
    functions=("majority.first_violation", "majority.smooth_exponential_loss"),
    where="addendum, section 1",
    proof="thm-smooth-exponential-loss",
    quantity="privacy loss over (epsilon/2) e^(j epsilon) (e^epsilon - 1), at gap 400",
)
def no_multiple(effort, rng):
    """No multiple of epsilon covers it: for every multiple there is a gap that costs more."""
    multiples = effort.pick((2, 10, 100), (2, 10, 100, 1e4), (2, 10, 100, 1e4, 1e8))
    found = {
        (e, m): majority.first_violation(e, bound=m * e) for e in (0.1, 1.0) for m in multiples
    }
    growth = [
        majority.smooth_exponential_loss(j, e) / (e / 2 * math.exp(e * j) * math.expm1(e))
        for e in (0.1, 1.0)
        for j in (100, 200, 400)
    ]
    passed = all(_law_loss(j, e) > m * e for (e, m), j in found.items())
    return verdict_of(
        passed and of_equality(growth, np.ones(len(growth)), rtol=1e-3) == "holds",
        f"At epsilon 1 the cost passes {multiples[-1]:g} epsilon at gap {found[1.0, multiples[-1]]}, "
        f"at 0.1 at gap {found[0.1, multiples[-1]]}; it grows like (epsilon/2) e^(j epsilon) "
        "(e^epsilon - 1).",
        {"growth": growth, "gaps": [*found.values()]},
        cases=len(found) + len(growth),
        published=1.0,
        computed=growth[-1],
        relation="within",
        range=f"multiples up to {multiples[-1]:g}, epsilon 0.1 and 1, two classes, add-remove",
    )


# Where its effect is seen ------------------------------------------------------------------------


def _right(weight):
    """Probability of the majority against one other class, from the logarithm of its weight."""
    return 1 / (1 + math.exp(-weight)) if weight < 700 else 1.0


def _gain(gap, epsilon, trees):
    """How much likelier the majority is by (14): a share at epsilon against all data at epsilon / trees."""
    weight = epsilon / 2 * math.exp(min(gap * epsilon / trees, 700))
    return _right(weight) - _right(weight / trees)


@claim(
    "rdf/most-prominent",
    "section 4.2, after inequality 14",
    "holds",
    "rem-majority-prominent",
    ("majority.smooth_exponential_law", "majority.published_smooth_sensitivity"),
    quantity="orders of magnitude of the sensitivity where the gain is largest, at epsilon 0.1",
)
def most_prominent(effort, rng):
    r"""The effect of inequality 14 is most prominent with smaller datasets where $j$ is small, before the
    exponential nature of the smooth sensitivity overpowers the numerator by more than two or three orders of
    magnitude. (Read of the probability of the majority, two classes, with the printed sensitivity.)"""
    peaks, gone, same = {}, {}, []
    for epsilon in (0.1, 0.2, 1.0):
        for trees in effort.pick((10, 100), (10, 30, 100), (10, 30, 100, 300)):
            step = max(1, trees // 20)
            gaps = range(0, int(12 * trees / epsilon), step)
            gains = [_gain(j, epsilon, trees) for j in gaps]
            peak = gaps[max(range(len(gains)), key=gains.__getitem__)]
            peaks[epsilon, trees] = peak * epsilon / trees / math.log(10)
            late = next(j for j in gaps if j * epsilon / trees >= 3.5 * math.log(10))
            gone[epsilon, trees] = _gain(late, epsilon, trees) / max(gains)
            j = trees * 3
            share = majority.smooth_exponential_law([j // trees, 0], epsilon)[0]
            same.append((share, _right(epsilon / 2 * math.exp(j // trees * epsilon))))
    law = of_equality(*zip(*same))
    shown, late = peaks[0.1, 100], {at: g for at, g in gone.items() if at[0] == 1.0}
    return verdict_of(
        law == "holds" and max(peaks.values()) < 3 and max(late.values()) < 0.1,
        "The gain in probability is largest where the sensitivity has fallen by "
        + ", ".join(f"{p:.1f} (epsilon {e:g}, {t} trees)" for (e, t), p in peaks.items())
        + " orders of magnitude; three and a half orders down it is, at epsilon 1, below a tenth of that.",
        {"peaks": {str(k): v for k, v in peaks.items()}, "late": {str(k): v for k, v in gone.items()}},
        cases=len(peaks),
        published=3.0,
        computed=shown,
        relation="<=",
        range="epsilon 0.1, 0.2 and 1, ten and a hundred trees, gaps up to 12 trees over epsilon",
    )  # fmt: skip


@claim(
    "rdf/almost-random",
    "section 4.2, before figure 5",
    "holds",
    "rem-majority-prominent",
    ("majority.smooth_exponential_law", "majority.gap_error"),
    quantity="probability of the majority above one half, one record at 1/100 of epsilon 1",
)
def almost_random(effort, rng):
    r"""The privacy budget is only $\epsilon/\tau$ where all data fill previously empty leaves, so that the
    difference between purely random and almost purely random is trivially small for some of these leaves
    (read of those with one to five records of one class, $\epsilon = 1$ and 100 trees: it is less than a
    percentage point with the published label, and less than three with ROSNAM)."""
    counts = range(1, 6)
    published = [majority.smooth_exponential_law([n, 0], 0.01)[0] - 0.5 for n in counts]
    rosnam = [0.5 - majority.gap_error(n, 0.01) for n in counts]
    direct = [_right(0.005 * math.exp(0.01 * n)) - 0.5 for n in counts]
    return verdict_of(
        max(published) < 0.01 and max(rosnam) < 0.03 and of_equality(published, direct) == "holds",
        f"One record: {100 * published[0]:.2f} points with the published label, {100 * rosnam[0]:.2f} with "
        f"ROSNAM; five records {100 * published[-1]:.2f} and {100 * rosnam[-1]:.2f}.",
        {"published": published, "ROSNAM": rosnam},
        cases=2 * len(counts),
        published=0.01,
        computed=float(published[0]),
        relation="<=",
        range="one to five records of one of two classes, epsilon 1/100",
    )


@claim(
    "rdf/never-more-noise",
    "section 4.1, after theorem 1, and after table 2",
    "holds",
    "rem-majority-noisy-counts",
    ("majority.smooth_exponential_law", "mechanisms.Exponential"),
    quantity="probability of the majority, smooth against global sensitivity",
)
def never_more(effort, rng):
    r"""Using the smooth sensitivity instead of the global sensitivity of 1, equal or less noise is added to
    all queries; even in the worst case, the smooth sensitivity is equal to the global sensitivity. (Of the
    published mechanism against the exponential mechanism on the same score; what a private label can do is
    `rdf/smooth-less-noise`.)"""
    leaves = [
        *majority.leaves(effort.pick(8, 12, 20), 2),
        *majority.leaves(effort.pick(4, 6, 9), 3),
    ]
    cases = []
    for epsilon in (0.01, 0.1, 1.0):
        for x in leaves:
            score = [float(c == max(x)) for c in x]
            plain = Exponential(epsilon).pmf(score)[score.index(1.0)]
            smooth = majority.smooth_exponential_law(x, epsilon)[score.index(1.0)]
            data = {"counts": list(x), "epsilon": epsilon}
            cases.append(Case(float(plain), float(smooth), data))
    return bounded(
        cases,
        "{cases} leaves and budgets; both are equal at ties alone, as at {counts} and epsilon {epsilon:g}.",
        range=f"leaves of two classes up to {effort.pick(8, 12, 20)} records and of three up to "
        f"{effort.pick(4, 6, 9)}, three budgets",
    )
