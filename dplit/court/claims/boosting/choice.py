"""Claims on the choice of a test: what its mass says of its gain, and how often the best one is found.

The references are fractions, an enumeration of all orders in which permute-and-flip may go through the tests, and
choices of the forest itself.
"""

import math

import numpy as np

from dplit import Continuous, Domain, boosting
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, decisive, frequency, need, same
from dplit.court.power.laws import flipped
from dplit.mechanisms import Exponential, PermuteAndFlip

GAIN = Box(
    "thm-boosting-gain", "boosting.mass", "boosting.newton_gain", quantity="squared mass over the curvature"
)
REGRET = Box("thm-boosting-regret", "mechanisms.PermuteAndFlip", "mechanisms.Exponential")
MONOTONE = Box("thm-boosting-monotone", "mechanisms.PermuteAndFlip", quantity="probability of a test")


MORE, ALIKE = "ours/gain", "ours/gain:alike"


@GAIN(MORE, "ours", **over(MORE, ALIKE))
def gain(effort, rng):
    r"""If a test of mass $u$ has residual sums $R_c$ and curvatures $H_c$ in its cells, its Newton gain $\sum_c
    R_c^2/H_c$ is at least $u^2/\sum_c H_c$, with equality if and only if all cells have the same $|R_c|/H_c$."""

    yield from certified((MORE, ALIKE), effort)
    for sums, weights in (([9, -2], [3, 1]), ([-6, 6], [2, 2]), ([5, 0, -7], [1, 4, 2])):
        data = {"sums": sums, "weights": weights}
        R, H = np.array([sums]).T, np.array([weights]).T
        true, least = sum(r**2 / h for r, h in zip(sums, weights)), sum(map(abs, sums)) ** 2 / sum(weights)
        yield same(true, boosting.newton_gain(R, H), **data)
        yield same(least, boosting.mass(R) ** 2 / sum(weights), **data)
    return "Each cell more moves the gain and the bound apart by {statement} wherever {where}"


def _by_orders(scores, rate):
    """Law of permute-and-flip from its definition: every order, each test stopped at with e^(rate gap)."""
    return np.array(flipped([math.exp(rate * (s - max(scores))) for s in scores]))


def _masses(rng, tests):
    """Masses of the cuts of one column, by brute force over the records."""
    n = int(rng.integers(5, 60))
    x, r = rng.integers(tests + 1, size=n), rng.integers(-9, 10, size=n)
    return [abs(int(r[x <= t].sum())) + abs(int(r[x > t].sum())) for t in range(tests)]


@REGRET(
    "ours/regret",
    "ours; McKenna and Sheldon 2020",
    quantity="expected mass below the best test's",
    range="masses of random residuals, four budgets",
)
def regret(effort, rng):
    r"""When one of $M$ tests is chosen, its expected shortfall from the largest mass is never larger under
    permute-and-flip than under the exponential mechanism. Under the latter it is at most $\frac{2\Delta}{\epsilon}
    \ln M$."""
    tests, reach, budgets = effort.pick(5, 6, 7), 9, (0.3, 1.0, 4.0, 20.0)
    nodes, ratios, share = effort.pick(20, 40, 60), [], 0.0
    for _ in range(nodes):
        masses = np.array(_masses(rng, tests))
        for epsilon in budgets:
            data = {"masses": masses.tolist(), "epsilon": epsilon}
            law = _by_orders(masses.tolist(), epsilon / (2 * reach))
            for a, b in zip(law, PermuteAndFlip(epsilon, reach).pmf(masses)):
                yield same(a, b, atol=1e-12, **data)
            gaps = masses.max() - masses
            ours, theirs = law @ gaps, Exponential(epsilon, reach).pmf(masses) @ gaps
            limit = 2 * reach / epsilon * math.log(tests)
            yield below(ours, theirs, **data)
            yield below(theirs, limit, **data)
            ratios += [ours / theirs] if theirs > 1e-9 else []
            share = max(share, theirs / limit)
    yield decisive(below(max(ratios), 1.0, least=min(ratios), share=share))
    return (
        f"{nodes * len(budgets)} choices among {tests} tests: the regret is {{least:.2f}} to {{exact:.2f}} of "
        "the exponential mechanism's, which is at most {share:.2f} of the bound."
    )


def _larger(r, x, cut):
    """Sum over both sides of a cut of the larger of the sums of positive and of negative residuals."""
    parts = r[x <= cut], r[x > cut]
    return sum(max(int(p[p > 0].sum()), int(-p[p < 0].sum())) for p in parts)


@MONOTONE("ours/monotone", "ours", **over("ours/monotone"))
def monotone(effort, rng):
    r"""An added record never lowers $\sum_c \max(A_c, B_c)$, the sum of each cell's larger part, and raises it by
    at most the record's own residual. This score may therefore be weighted with $\epsilon$ in place of
    $\epsilon/2$. Each test is then drawn with the same probability as under the mass, so nothing is gained."""
    yield from certified("ours/monotone", effort)
    nodes, tests = effort.pick(2, 20, 100), 6
    for _ in range(nodes):
        n = int(rng.integers(5, 60))
        x, r = rng.integers(tests + 1, size=n), rng.integers(-9, 10, size=n)
        masses, larger = [], []
        for t in range(tests):
            masses.append(sum(abs(int(p.sum())) for p in (r[x <= t], r[x > t])))
            larger.append(_larger(r, x, t))
            raised, own = larger[-1] - _larger(r[1:], x[1:], t), abs(int(r[0]))  # first record
            yield need(0 <= raised <= own, raised, "within", own, n=n)
        for a, b in zip(_by_orders(larger, 1.5 / 9), PermuteAndFlip(1.5, 9).pmf(masses)):
            yield same(a, b, atol=1e-12, n=n)
    return "The weights of both scores differ by what all tests have in common: {statement}"


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


@REGRET("ours/choice-drawn", "ours", "holds", "forests.BoostedForestClassifier", "boosting.mass", proved=False,
        intervals=1, quantity="probability of a best cut",
        range="48 records, one column, epsilon 1")  # fmt: skip
def choice_drawn(effort, rng):
    """Given the released class counts, a forest's first test is one of the cuts of largest mass with the
    probability that permute-and-flip's exact distribution gives."""
    epsilon, fits, hits, stated = 1.0, effort.pick(200, 3000, 20_000), [], 0.0
    for cut, log_odds in drawn(fits, epsilon, rng):
        cuts, masses, law = law_of_cuts(epsilon, log_odds)
        best = masses > masses.max() - 1e-6
        hits.append(best[cuts == cut].any())
        stated += float(law[best].sum()) / fits
    yield frequency(hits, stated)
    return (
        f"{sum(hits)} of {fits} first tests are a best cut; by the law, at each fit's released prior, "
        "{stated:.3f}."
    )
