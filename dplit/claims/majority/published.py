r"""Claims of Fletcher and Islam (2017), sections 4.1, 4.2 and 5.1: what releasing the label costs.

Derived in the chapter `majority`. A leaf is a tuple of class counts, :math:`j` its gap, :math:`\tau` the
number of trees.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from scipy.stats import binom

from dplit import majority
from dplit.ledger import Evidence, claim, of_equality, of_privacy, of_upper_bound
from dplit.mechanisms import Exponential, SmoothExponential
from dplit.mechanisms.smooth_exponential import gap


def _walk(n, classes, law):
    """(gap, leaf, neighbour, loss) of each step between leaves of at most n records."""
    for x in majority.leaves(n, classes):
        for y in majority.neighbouring(x):
            if sum(x) < sum(y) <= n:
                yield min(int(gap(x)), int(gap(y))), x, y, float(np.abs(law(x) - law(y)).max())


@claim(
    "rdf/smooth-exponential",
    "theorem 1 with definition 4",
    "leaks",
    "thm-smooth-exponential-loss",
    ("majority.smooth_exponential_law", "majority.first_violation"),
)
def smooth_exponential(effort, rng):
    r"""The exponential mechanism scaled by $e^{-j\epsilon}$ releases the majority label with
    $\epsilon$-differential privacy."""
    epsilons, n = (1.0, 2.0, 0.5, 0.1), effort.pick(8, 12, 40)
    steps = [(e, *s) for e in epsilons for s in _walk(n, 2, SmoothExponential(e).logpmf)]
    broken = [s for s in steps if of_privacy(s[4], s[0]) == "leaks"]
    epsilon, _, x, y, loss = min(broken or steps, key=lambda s: (sum(s[3]), s[0]))
    first = {e: majority.first_violation(e) for e in (0.01, 0.1, 0.5, 1.0, 2.0)}
    return Evidence(
        "leaks" if broken else "holds", "exact",
        f"At epsilon {epsilon:g} the step from {x} to {y} costs {loss:.4f}; the first gap that "
        f"costs more than "
        f"epsilon is " + ", ".join(f"{j} at {e:g}" for e, j in first.items()) + ".",
        len(steps), published=epsilon, computed=loss,
        counterexample={"epsilon": epsilon, "counts": list(x), "neighbour": list(y), "loss": loss,
                        "likelihood_ratio": math.exp(loss)} if broken else None,
    )  # fmt: skip


@smooth_exponential.corrected(
    functions=("majority.smooth_exponential_loss",), where="theorem 1 with definition 4"
)
def smooth_exponential_corrected(effort, rng):
    r"""With $a_j = \frac{\epsilon}{2}e^{j\epsilon}$ the step from gap $j \ge 1$ costs exactly
    $\log\frac{1+e^{a_{j+1}}}{1+e^{a_j}}$ for two classes, which grows without bound; $j = 0$
    and more classes likewise."""
    sizes = effort.pick({2: 7, 3: 5}, {2: 10, 3: 6, 4: 5}, {2: 24, 3: 10, 4: 7, 5: 6})
    worst, cases = {}, 0
    for epsilon in (0.1, 0.5, 1.0, 1.5):
        for classes, n in sizes.items():
            for j, _, _, loss in _walk(n, classes, SmoothExponential(epsilon).logpmf):
                key, cases = (epsilon, classes, j), cases + 1
                worst[key] = max(worst.get(key, 0.0), loss)
    closed = [float(majority.smooth_exponential_loss(j, e, k)) for e, k, j in worst]
    verdict = of_equality(list(worst.values()), closed, atol=1e-9)
    off = next(
        (k for k, c in zip(worst, closed) if not math.isclose(worst[k], c, rel_tol=1e-8)), None
    )
    return Evidence(
        verdict, "exact",
        f"Over {cases} steps between leaves of up to {max(sizes)} classes the largest loss at each "
        f"gap is the closed "
        f"form; at epsilon 1 it is {majority.smooth_exponential_loss(1, 1.0):.4f} at gap 1 and "
        f"{majority.smooth_exponential_loss(10, 1.0):.0f} at gap 10.",
        cases, published=closed[0], computed=next(iter(worst.values())),
        counterexample=None if verdict == "holds" else {"epsilon, classes, gap": off},
    )  # fmt: skip


@claim(
    "rdf/smooth-exponential-true-sensitivity",
    "theorem 1 with definition 4",
    "holds",
    "thm-smooth-exponential-loss",
    ("majority.rescaled_loss", "majority.smooth_sensitivity"),
    ours=True,
)
def true_sensitivity(effort, rng):
    """Scaled by the true smooth sensitivity the exponential mechanism still has no finite
    epsilon."""
    bounds = effort.pick((1, 10), (1, 10, 100), (1, 10, 100, 1000))
    rows, exceeded = [], []
    for epsilon in (0.1, 0.5, 1.0):
        laws = [_rescaled_logpmf((j, 0), epsilon) for j in range(1, 150)]
        losses = [float(np.abs(a - b).max()) for a, b in pairwise(laws)]
        closed = majority.rescaled_loss(np.arange(1, 149), epsilon)
        usable = closed < 1e12
        rows.append(of_equality(np.array(losses)[usable], closed[usable], rtol=1e-7, atol=1e-9))
        exceeded += [max(losses) > m * epsilon for m in bounds]
    holds = all(exceeded) and set(rows) == {"holds"}
    first = next(j for j in range(1, 999) if majority.rescaled_loss(j, 1.0) > 1.0)
    return Evidence(
        "holds" if holds else "fails", "exact",
        f"Losses of the law itself match the closed form, and pass {bounds[-1]} epsilon at each "
        f"epsilon tried; "
        f"at epsilon 1 the first gap that costs more than epsilon is {first}.",
        3 * 148, published=1.0, computed=float(majority.rescaled_loss(first, 1.0)),
        counterexample=None if holds else {"rows": rows, "exceeded": exceeded},
    )  # fmt: skip


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
)
def _delta(effort, rng):
    r"""The published mechanism is $(\epsilon,\delta)$-private for two classes at $\epsilon = 1$
    only with $\delta \ge 0.138$."""
    law, n = SmoothExponential(1.0).pmf, effort.pick(8, 12, 30)
    worst = max(
        float(np.maximum(law(x) - math.e * law(y), 0).sum())
        for x in majority.leaves(n, 2)
        for y in majority.neighbouring(x)
    )
    delta = majority.smooth_exponential_delta(1.0)
    agrees = of_equality(delta, worst) == "holds" and round(delta, 3) == 0.138
    others = {e: majority.smooth_exponential_delta(e) for e in (0.1, 2.0)}
    return Evidence(
        "holds" if agrees else "fails", "exact",
        f"Enumeration of all leaves of at most {n} records gives {worst:.6f}, the search over gaps "
        f"{delta:.6f}; "
        + ", ".join(f"{d:.4f} at epsilon {e:g}" for e, d in others.items()) + ".",
        len(majority.leaves(n, 2)), published=0.138, computed=delta,
        counterexample=None if agrees else {"enumerated": worst, "searched": delta},
    )  # fmt: skip


@claim(
    "rdf/inequality-14",
    "section 4.2, inequality 14",
    "holds",
    "thm-all-data",
    ("majority.smooth_exponential_law",),
)
def inequality_14(effort, rng):
    r"""For a label of score 1, $\exp(\epsilon/(2e^{-j\epsilon/\tau})) >
    \exp((\epsilon/\tau)/(2e^{-j\epsilon/\tau}))$ for every $\tau > 1$. (The left side is the
    $\tau$-th power of the right: the inequality says that $\tau > 1$.)"""
    grid = product((2, 3, 10, 100), (0.1, 0.5, 1.0, 2.0), range(effort.pick(4, 8, 16)))
    rows = []  # gap i at epsilon in a share, gap tau i at epsilon / tau in all data
    for tau, epsilon, i in grid:
        share = -SmoothExponential(epsilon).log_odds([i, 0])[1] if i else epsilon / 2
        full = (
            -SmoothExponential(epsilon / tau).log_odds([tau * i, 0])[1] if i else epsilon / tau / 2
        )
        rows.append((tau, epsilon, tau * i, float(share), float(full)))
    power = of_equality([r[3] for r in rows], [r[0] * r[4] for r in rows]) == "holds"
    wrong = next((r for r in rows if not r[3] > r[4]), None)
    return Evidence(
        "holds" if power and wrong is None else "fails", "exact",
        f"In all {len(rows)} cases the left exponent is tau times the right one, whatever the gap.",
        len(rows), published=rows[1][3], computed=rows[1][4],
        counterexample=None if power and wrong is None else {"tau, epsilon, j, left, right": wrong},
    )  # fmt: skip


@claim(
    "rdf/disjoint-better",
    "section 4.2, kept by the addendum",
    "fails",
    "thm-all-data",
    ("majority.all_data_error", "majority.disjoint_error"),
)
def disjoint_better(effort, rng):
    r"""A leaf's label is wrong less often from a disjoint share at $\epsilon$ than from all
    data at $\epsilon/\tau$; with the addendum's mechanism, ROSNAM, too."""
    cases = [(a, b, t, e) for a in range(1, effort.pick(6, 9, 16)) for b in range(a)
             for t in (2, 3, 10) for e in (0.1, 1.0, 3.0)]  # fmt: skip
    errors = [_label_errors(*c) for c in cases]
    worse = [i for i, (all_data, share) in enumerate(errors) if share > all_data * (1 + 1e-12)]
    i = worse[0] if worse else 0
    (a, b, t, e), (all_data, share) = cases[i], errors[i]
    smooth = {n: _published_errors(n, 2, 1.0) for n in range(1, 20)}
    turn = 1 + max(n for n, (full, part) in smooth.items() if part <= full)  # more on all after it
    return Evidence(
        "fails" if worse else "holds", "exact",
        f"With ROSNAM the share errs more in {len(worse)} of {len(cases)} cases; on {(a, b)} with "
        f"{t} trees at epsilon "
        f"{e:g}: {share:.5f} to {all_data:.5f}. With the published mechanism, two trees, epsilon 1, "
        f"it errs less on "
        f"(1, 0), {smooth[1][1]:.5f} to {smooth[1][0]:.5f}, and more from ({turn}, 0) on.",
        len(cases), published=all_data, computed=share,
        counterexample={"counts": [a, b], "trees": t, "epsilon": e, "all_data": all_data, "share": share}
        if worse else None,
    )  # fmt: skip


def _label_errors(a, b, trees, epsilon):
    arguments = a, b, epsilon, trees
    return float(majority.all_data_error(*arguments)), majority.disjoint_error(*arguments)


def _published_errors(n, trees, epsilon):
    """The same two errors of the published mechanism on (n, 0), whose all-data gap is n."""
    law = majority.smooth_exponential_law
    shares = law([[i, 0] for i in range(n + 1)], epsilon)[:, 1]
    return float(law([n, 0], epsilon / trees)[1]), float(
        binom.pmf(np.arange(n + 1), n, 1 / trees) @ shares
    )


@disjoint_better.corrected(
    functions=("majority.all_data_error", "majority.disjoint_error"), where="section 4.2"
)
def disjoint_better_corrected(effort, rng):
    r"""With ROSNAM and two classes all data at $\epsilon/\tau$ never errs more than a share
    dealt at random at $\epsilon$, on any leaf; it errs less wherever there is a majority."""
    n, cases, wrong = effort.pick(10, 16, 40), 0, []
    for a, b, t in product(range(1, n), range(n), (2, 3, 5, 10)):
        for e in (0.05, 0.3, 1.0, 3.0) if b <= a else ():
            all_data, share = _label_errors(a, b, t, e)
            cases += 1
            if share < all_data * (1 - 1e-12) or (a > b and share <= all_data):
                wrong.append((a, b, t, e))
    fractions = {
        c: _rational_label_errors(*c) for c in ((1, 0, 2), (2, 2, 3), (5, 3, 3), (3, 1, 2))
    }
    for (a, b, t), both in fractions.items():
        e = t * math.log(2)
        same = of_equality([float(p) for p in both], _label_errors(a, b, t, e)) == "holds"
        wrong += [] if same else [(a, b, t, e)]
    exact = fractions[3, 1, 2]
    return Evidence(
        "fails" if wrong else "holds", "exact",
        f"Proved, and confirmed in {cases} cases of binomial shares; on (3, 1) with two trees and "
        f"e^(-epsilon/2) = 1/2 "
        f"the errors are the fractions {exact[0]} and {exact[1]}.",
        cases, published=float(exact[0]), computed=float(exact[1]),
        counterexample={"a, b, trees, epsilon": wrong[0]} if wrong else None,
    )  # fmt: skip


def _rational_label_errors(a, b, trees):
    """All data and share, in fractions, at the epsilon for which e^(-epsilon/trees) is 1/2."""
    q = Fraction(1, 2**trees)
    tails = {d: q**d / 2 if d >= 0 else 1 - q**-d / 2 for d in range(-b, a + 1)}
    stays = Fraction(1, trees)
    share = sum(
        math.comb(a, i) * math.comb(b, k) * stays ** (i + k) * (1 - stays) ** (a + b - i - k) * tails[i - k]
        for i in range(a + 1) for k in range(b + 1)
    )  # fmt: skip
    return Fraction(1, 2 ** (a - b)) / 2, share


@claim(
    "rdf/disjoint-vote",
    "section 4.2",
    "holds",
    "thm-all-data",
    ("majority.all_data_vote_error", "majority.disjoint_vote_error"),
    ours=True,
)
def disjoint_vote(effort, rng):
    r"""Nor does the vote of $\tau$ trees that share one leaf of two classes err more with all
    data, in every computed case."""
    n, trees = effort.pick((6, (2, 3, 5)), (8, (2, 3, 5, 8)), (13, (2, 3, 4, 5, 7, 10, 20)))
    cases = [(a, b, e, t) for a in range(1, n) for b in range(a)
             for t in trees for e in (0.1, 1.0, 4.0)]  # fmt: skip
    votes = [(majority.all_data_vote_error(*c), majority.disjoint_vote_error(*c)) for c in cases]
    wrong = [c for c, (all_data, shares) in zip(cases, votes) if all_data > shares + 1e-12]
    shown = (3, 0, 1.0, 3)
    all_data, shares = majority.all_data_vote_error(*shown), majority.disjoint_vote_error(*shown)
    return Evidence(
        "fails" if wrong else "holds", "exact",
        f"{len(wrong)} exceptions in {len(cases)} leaves of fewer than {2 * n} records with up to "
        f"{max(trees)} trees; "
        f"on (3, 0), three trees, epsilon 1: {all_data:.4f} with all data, {shares:.4f} with shares.",
        len(cases), published=all_data, computed=shares,
        counterexample={"a, b, epsilon, trees": wrong[0]} if wrong else None,
    )  # fmt: skip


@claim(
    "rdf/scaling",
    "section 5.1, figure 9",
    "loose",
    "thm-rosnam-law",
    ("majority.gap_error", "majority.smooth_exponential_law"),
)
def scaling(effort, rng):
    r"""Where 30,000 records serve at $\epsilon = 1$, 3,000,000 serve at $\epsilon = 0.1$: a
    hundred times the data for a tenth of the budget."""
    gaps = range(1, effort.pick(10, 20, 35))
    rosnam = [_data_needed(lambda j, e: math.log(2 * majority.gap_error(j, e)), j) for j in gaps]
    published = [_data_needed(lambda j, e: -math.log(e / 2) - e * j, j) for j in gaps]
    needed = np.array([rosnam, published])
    return Evidence(
        of_upper_bound(needed, np.full(needed.shape, 100.0)), "exact",
        f"A leaf's gap must grow by a factor of {max(rosnam):.4g} for ROSNAM at every gap, and of "
        f"{max(published):.2f} at gap 1, "
        f"{published[1]:.2f} at gap 2, down to 10, for the published mechanism.",
        needed.size, published=100.0, computed=float(needed.max()),
        counterexample={"factor": float(needed.max())} if needed.max() > 100 else None,
    )  # fmt: skip


def _data_needed(error, j):
    """The factor of the gap at which epsilon 0.1 errs as little as epsilon 1 at gap j, by bisection."""
    low, high = 1.0, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = error(middle * j, 0.1) <= error(j, 1.0)
        low, high = (low, middle) if enough else (middle, high)
    return high


@scaling.corrected(
    functions=("majority.gap_error", "majority.second_label"), where="section 5.1, figure 9"
)
def scaling_corrected(effort, rng):
    r"""With ROSNAM ten times the data suffice for a tenth of the budget: only $\epsilon j$
    matters, and a leaf drawn from ten times the records errs no more on average."""
    cases, wrong = 0, []
    sizes = effort.pick((1, 5, 30), (1, 5, 30, 99), range(1, 200, 7))
    for share, records in product((0.55, 0.7, 0.9, 1.0), sizes):
        small, large = (_drawn_error(records * m, share, 1.0 / m) for m in (1, 10))
        cases += 1
        wrong += [(share, records, small, large)] if large > small * (1 + 1e-9) else []
    equal = of_equality(
        majority.gap_error(np.arange(300) * 10, 0.1), majority.gap_error(np.arange(300), 1.0)
    )
    good = not wrong and equal == "holds"
    shown = [_drawn_error(30 * m, 0.55, 1.0 / m) for m in (1, 10)]
    return Evidence(
        "holds" if good else "fails", "exact",
        f"At proportional gaps the errors are equal. A leaf of 30 records, 55 percent of one class, "
        f"misses that class with "
        f"probability {shown[0]:.4f} at epsilon 1; one of 300 at epsilon 0.1 with {shown[1]:.4f}.",
        cases + 300, published=shown[0], computed=shown[1],
        counterexample=None if good else {"share, records, errors": wrong[:1]},
    )  # fmt: skip


def _drawn_error(records, share, epsilon):
    """Probability of the other label when each record is of the majority class with this chance."""
    majority_count = np.arange(records + 1)
    wrong = majority.second_label(2 * majority_count - records, epsilon)
    return float(binom.pmf(majority_count, records, share) @ wrong)
