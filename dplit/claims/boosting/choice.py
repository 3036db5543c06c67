r"""Claims on the choice of a test: what its mass says of its gain, and how often the best one is found.

Derived in :doc:`/book/boosting`. The references are fractions, an enumeration of all orders in which
permute-and-flip may go through the tests, and choices of the forest itself.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np

from dplit import Continuous, Domain, boosting
from dplit.ledger import Case, bounded, claim, equal, interval, verdict_of
from dplit.mechanisms import Exponential, PermuteAndFlip


@claim(
    "ours/gain",
    "ours",
    "holds",
    "thm-boosting-gain",
    ("boosting.mass", "boosting.newton_gain"),
    ours=True,
    proof="thm-boosting-gain",
    quantity="squared mass over the curvature",
)
def gain(effort, rng):
    r"""A test of mass $u$ has a Newton gain $\sum_c R_c^2/H_c$ of at least $u^2/\sum_c H_c$, with equality
    if and only if $|R_c|/H_c$ is the same in all cells."""
    cases = []
    for i in range(effort.pick(300, 3000, 30_000)):
        cells = int(rng.integers(1, 9))
        weights = rng.integers(1, 40, size=(cells, 1))
        sums = rng.integers(-99, 100, size=(cells, 1))
        if i % 10 == 0:
            sums = weights * rng.choice([-3, 3], size=(cells, 1))
        true = sum(Fraction(int(r) ** 2, int(h)) for r, h in zip(sums[:, 0], weights[:, 0]))
        stated = boosting.newton_gain(sums, weights)
        if not math.isclose(true, stated, rel_tol=1e-12):
            return verdict_of(False, "another gain", {"true": float(true), "stated": stated})
        data = {"sums": sums[:, 0].tolist(), "weights": weights[:, 0].tolist()}
        below = Fraction(boosting.mass(sums) ** 2, int(weights.sum()))
        shares = {Fraction(abs(int(r)), int(h)) for r, h in zip(sums[:, 0], weights[:, 0])}
        if (below == true) != (len(shares) == 1):
            return verdict_of(
                False, "equality where it should not be, or none where it should", data
            )
        cases.append(Case(float(below), float(true), data))
    return bounded(cases, "{cases} tests: {exact:.6g} beside a gain of {stated:.6g}",
                   range="up to eight cells")  # fmt: skip


def _by_orders(scores, rate):
    """Law of permute-and-flip from its definition: every order, each test stopped at with e^(rate gap)."""
    chances = [math.exp(rate * (s - max(scores))) for s in scores]
    law = np.zeros(len(scores))
    orders = list(permutations(range(len(scores))))
    for order in orders:
        reached = 1.0
        for test in order:
            law[test] += reached * chances[test] / len(orders)
            reached *= 1 - chances[test]
    return law


def _masses(rng, tests):
    """Masses of the cuts of one column, by brute force over the records."""
    n = int(rng.integers(5, 60))
    x, r = rng.integers(tests + 1, size=n), rng.integers(-9, 10, size=n)
    return [abs(int(r[x <= t].sum())) + abs(int(r[x > t].sum())) for t in range(tests)]


@claim(
    "ours/regret",
    "ours; McKenna and Sheldon 2020",
    "holds",
    "thm-boosting-regret",
    ("mechanisms.PermuteAndFlip", "mechanisms.Exponential"),
    ours=True,
    proof="thm-boosting-regret",
    quantity="expected mass below the best test's",
)
def regret(effort, rng):
    r"""By permute-and-flip the chosen test's mass is in expectation below the best one's by no more
    than by the exponential mechanism, and that is no more than $\frac{2\Delta}{\epsilon} \ln M$ for $M$
    tests."""
    tests, reach = effort.pick(5, 6, 7), 9
    order, limit = [], []
    for _ in range(effort.pick(20, 40, 60)):
        masses = np.array(_masses(rng, tests))
        for epsilon in (0.3, 1.0, 4.0, 20.0):
            law = _by_orders(masses.tolist(), epsilon / (2 * reach))
            below = masses.max() - masses
            ours, theirs = law @ below, Exponential(epsilon, reach).pmf(masses) @ below
            shown = {"masses": masses.tolist(), "epsilon": epsilon}
            order.append(Case(float(ours), float(theirs), shown))
            limit.append(Case(float(theirs), 2 * reach / epsilon * math.log(tests), shown))
            stated = PermuteAndFlip(epsilon, reach).pmf(masses)
            if not np.allclose(law, stated, rtol=1e-9, atol=1e-12):
                return verdict_of(False, "another law", {**shown, "law": law.tolist()})
    found = [bounded(cases, "") for cases in (order, limit)]
    most = max(case.exact / case.stated for case in order if case.stated > 1e-9)
    least = min(case.exact / case.stated for case in order if case.stated > 1e-9)
    share = max(case.exact / case.stated for case in limit)
    return verdict_of(
        all(f.verdict != "fails" for f in found),
        f"{len(order)} choices among {tests} tests: the regret is {least:.2f} to {most:.2f} of the "
        f"exponential mechanism's, which is at most {share:.2f} of the bound.",
        {"order": found[0].counterexample, "limit": found[1].counterexample},
        cases=len(order),
        published=1.0,
        computed=most,
        relation="<=",
        range="masses of random residuals, four budgets",
    )


def _larger(r, x, cut):
    """Sum over both sides of a cut of the larger of the sums of positive and of negative residuals."""
    parts = r[x <= cut], r[x > cut]
    return sum(max(int(p[p > 0].sum()), int(-p[p < 0].sum())) for p in parts)


@claim(
    "ours/monotone",
    "ours",
    "holds",
    "thm-boosting-monotone",
    ("mechanisms.PermuteAndFlip",),
    ours=True,
    proof="thm-boosting-monotone",
    quantity="probability of a test",
)
def monotone(effort, rng):
    r"""The larger part of each cell, $\sum_c \max(A_c, B_c)$, is a score that an added record can only
    raise, by at most its own residual, so that it may be weighted with $\epsilon$ in place of
    $\epsilon/2$. It draws the same tests with the same probabilities as the mass: nothing is gained."""
    cases, tests = [], 6
    for _ in range(effort.pick(20, 60, 200)):
        n = int(rng.integers(5, 60))
        x, r = rng.integers(tests + 1, size=n), rng.integers(-9, 10, size=n)
        masses, larger = [], []
        for t in range(tests):
            parts = [r[x <= t], r[x > t]]
            masses.append(sum(abs(int(p.sum())) for p in parts))
            larger.append(_larger(r, x, t))
            raised = larger[-1] - _larger(r[1:], x[1:], t)  # by the first record
            if not 0 <= raised <= abs(int(r[0])):
                return verdict_of(False, "a record raises the score by another amount", {"n": n})
        law = PermuteAndFlip(1.5, 9).pmf(masses)
        other = _by_orders(larger, 1.5 / 9)
        cases += [Case(float(a), float(b), {"n": n}) for a, b in zip(other, law)]
    return equal(cases, "{cases} probabilities, the last {exact:.6g}", rtol=1e-9, atol=1e-12,
                 range="six tests, up to 59 records")  # fmt: skip


# The forest's own choices ------------------------------------------------------------------------

X = np.array([0.05, 0.2, 0.3, 0.45, 0.6, 0.7, 0.85, 0.95] * 6)[:, None]
Y = np.array([0, 0, 0, 1, 0, 1, 1, 1] * 6)


def drawn(fits, epsilon, rng):
    """First tests of forests on the 48 records, as cuts, and the released prior log-odds of each."""
    from dplit.forests import BoostedForestClassifier

    options = {"domain": Domain([Continuous(0, 1)]), "classes": [0, 1], "n_records": len(Y)}
    options |= {"n_estimators": 1, "max_depth": 1}
    for seed in rng.integers(2**31, size=fits).tolist():
        forest = BoostedForestClassifier(epsilon, random_state=seed, **options).fit(X, Y)
        yield float(forest.trees_.threshold[0]), float(forest.initial_[0])


def law_of_cuts(epsilon, log_odds):
    """Cuts, their masses by brute force, and their probabilities, where the prior has these log-odds."""
    planned = boosting.plan(len(Y), epsilon, 2, 1, 1)
    level = (1 - planned.prior) * epsilon * planned.tests
    cuts, p = boosting.public_cuts(0.0, 1.0), 1 / (1 + np.exp(-log_odds))
    residuals = np.where(Y == 1, 1 - p, -p)
    right = X[:, 0] > cuts[:, None]
    masses = np.abs((right * residuals).sum(axis=1)) + np.abs((~right * residuals).sum(axis=1))
    return cuts, masses, PermuteAndFlip(level, max(p, 1 - p)).pmf(masses)


@claim(
    "ours/choice-drawn",
    "ours",
    "holds",
    "thm-boosting-regret",
    ("forests.BoostedForestClassifier", "boosting.mass"),
    ours=True,
    kind="simulated",
    intervals=1,
    quantity="probability of a best cut",
    range="48 records, one column, epsilon 1",
)
def choice_drawn(effort, rng):
    """A forest's first test is one of the cuts of largest mass as often as the exact law of
    permute-and-flip says, given the released class counts."""
    epsilon, fits = 1.0, effort.pick(200, 3000, 20_000)
    hits, stated = 0, 0.0
    for cut, log_odds in drawn(fits, epsilon, rng):
        cuts, masses, law = law_of_cuts(epsilon, log_odds)
        best = masses > masses.max() - 1e-6
        hits += int(best[cuts == cut].any())
        stated += float(law[best].sum()) / fits
    low, high = interval(hits, fits)
    return verdict_of(
        low <= stated <= high,
        f"{hits} of {fits} first tests are a best cut, between {low:.3f} and {high:.3f}; by the law, "
        f"at each fit's released prior, {stated:.3f}.",
        {"low": low, "high": high, "law": stated},
        kind="simulated",
        cases=fits,
        published=stated,
        computed=hits / fits,
        relation="within",
        intervals=((low, high),),
    )
