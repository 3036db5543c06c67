"""Claims of both DiPriMe papers on the mean that a leaf releases; targets in [0, 1], R = 1."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
from scipy.stats import laplace

from dplit import median_forest as laws
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import frequency, need, note, private, same
from dplit.mechanisms import BoundedMean

PUBLISHED = Box("thm-forest-leaf-published", "mechanisms.BoundedMean", quantity="privacy loss")
CLAMPED = Box("thm-forest-leaf-clamped", "median_forest.clamped_loss", "median_forest.clamped_epsilon")
VOTES = Box("thm-forest-leaf-votes", "mechanisms.BoundedMean")


class _Release:
    """The published law of a leaf's mean, Laplace of scale 1/(N epsilon), by logarithms."""

    def __init__(self, targets, epsilon):
        self.centre, self.scale = np.mean(targets), 1 / (len(targets) * epsilon)

    def log_density(self, x):
        """Logarithm of the density."""
        return -np.abs(np.asarray(x) - self.centre) / self.scale - math.log(2 * self.scale)

    def log_atoms(self):
        """Logarithms of the mass clamped to 0 and to 1, the centre being between."""
        below, above = self.centre / self.scale, (1 - self.centre) / self.scale
        return np.array([-below, -above]) - math.log(2)


def _pair(targets, added, epsilon):
    return [_Release(t, epsilon) for t in (targets, [*targets, added])]


def _density_loss(pair, points):
    """Largest log-ratio of two densities at these points and at the two means."""
    points = [*points, *(law.centre for law in pair)]
    return np.abs(pair[0].log_density(points) - pair[1].log_density(points)).max()


def _clamped_loss(pair, points=(0.0, 1.0)):
    """Loss of two releases clamped to [0, 1]: both atoms, and the density inside."""
    atoms = np.abs(pair[0].log_atoms() - pair[1].log_atoms()).max()
    return max(atoms, _density_loss(pair, points))


@PUBLISHED(
    "leaf-mean",
    {"diprime-v1": "Section 3", "diprime-v2": "Section 3, estimating leaf node parameters"},
    "leaks",
    **over("leaf-mean"),
)
def leaf_mean(effort, rng, paper):
    r"""Let $N_i$ be the number of data points at a leaf. The leaf's mean plus Laplace noise of scale
    $R/(N_i\epsilon_2)$ is $\epsilon_2$-private. (v2 has Laplace$(0, 2B/N_i\epsilon_\ell)$ for targets with $|Y|
    \le B$.)"""
    found, far = next(certified("leaf-mean", effort)), 1000.0
    loss = _density_loss(_pair([0.0], 0.0, 1.0), [far])
    yield same(loss, far - math.log(2), broken="fails")
    data = {"data": [0.0], "neighbour": [0.0, 0.0], "epsilon": 1.0, "answer": far, "loss": loss}
    yield private(loss, 1.0, **data, refuted=found.data.get("refuted"))
    yield found
    return (
        "If a record at 0 is joined by another, an answer x costs epsilon |x| - log 2, which is {exact:.1f} at x "
        "= {answer:g} and epsilon = 1, and grows without bound. With u = e^(epsilon x) and s = e^epsilon it is "
        "more than epsilon for all {refuted}. With no record there is no answer at all."
    )


@CLAMPED("diprime-v1/leaf-mean-clamped", "ours; section 3", quantity="privacy loss of any leaf")
def clamped(effort, rng):
    r"""Clamped to $[B_L, B_U]$, the published mean costs exactly $\max(\epsilon_2, \log 2 + \epsilon_2/2)$ in the
    worst case over all leaves that hold a record. When a record joins $N$ others, this mean costs exactly
    $\max(\epsilon_2, \log\frac{N+1}{N} + \epsilon_2\frac{N}{N+1})$. The release is $\epsilon_2$-private if and
    only if $\epsilon_2 \ge 2\log 2$."""
    small, many, said = list(_small_leaves(3, effort.pick(3, 5, 9))), [], []
    for n in (10, 100, 10**4):
        loss = _clamped_loss(_pair([0.0] * n, 1.0, 0.3))
        yield same(loss, laws.clamped_loss(n, 0.3), records=n, epsilon=0.3)
        many.append(f"{loss:.4f} for N = {n}")
    budgets = (0.01, 0.3, 1.3, 1.4, 3.0, 10.0, 1.0)  # the last is shown
    for epsilon in budgets:
        most = 0.0
        for targets, added in small:
            loss = _clamped_loss(_pair(targets, added, epsilon))
            stated = laws.clamped_loss(len(targets), epsilon, np.mean(targets), added)
            yield same(loss, stated, targets=targets, added=added, epsilon=epsilon)
            most = max(most, loss)
        yield same(most, laws.clamped_epsilon(epsilon), epsilon=epsilon)
        said.append(f"{most:.4f} at {epsilon:g}")
    return note(
        f"In {len(many) + len(budgets) * len(small)} cases the formula equals the largest log-ratio. Over all "
        f"leaves and by epsilon_2 it is {', '.join(said)}; where a record joins N others, at 0.3, "
        f"{', '.join(many)}.",
        range="all leaves of up to three records on a grid, and of 10, 100 and 10,000 at one end",
    )


def _small_leaves(n, cells):
    """(targets, added) over leaves of 1 to n records on a grid."""
    grid = np.linspace(0, 1, cells)
    for size in range(1, n + 1):
        yield from product(map(list, combinations_with_replacement(grid, size)), grid)


@CLAMPED("diprime-v1/leaf-mean-empty", "ours; section 3", "holds", "median_forest.clamped_epsilon")
def empty(effort, rng, epsilon=(0.01, 0.3, 1.0, 3.0, 10.0)):
    r"""For every distribution that an empty leaf may have, its loss against some clamped leaf of one record is at
    least $\epsilon_2/2$. The distribution of a leaf whose one record is in the middle of the range attains this
    bound. A constant such as $0$ or the middle has infinite loss."""
    points, room = np.linspace(0, 1, effort.pick(101, 1001, 10001)), {"rtol": 1e-6, "atol": 1e-12}
    for budget in epsilon:
        middle, zero, one = (_Release([y], budget) for y in (0.5, 0.0, 1.0))
        for y in np.linspace(0, 1, 11):
            loss = _clamped_loss((_Release([y], budget), middle), points)
            yield same(loss / budget, abs(y - 0.5), **room, epsilon=budget, target=y)
        apart = (zero.log_atoms() - one.log_atoms())[0]  # no law is nearer to both than half of it
        yield same(apart / 2 / budget, 0.5, **room, epsilon=budget)
    return note(
        "The distribution of a leaf with one record in the middle has the loss epsilon |y - 1/2| against a "
        "record at y. The leaves {{0}} and {{1}} give the answer 0 with probabilities that differ by a factor "
        "e^epsilon, so every distribution has a loss of at least epsilon/2 against one of them.",
        quantity="loss against the nearest law, in epsilon_2",
        range="leaves of one record, eleven targets, five budgets",
    )


@VOTES.corrected(
    leaf_mean, proved=False, intervals=2, quantity="privacy loss", range="up to three records in fractions; draws"
)
def votes(effort, rng, paper):
    r"""Let each record split one vote between the ends of $[B_L, B_U]$ according to its target. When a record
    joins, the two totals change by exactly 1 in L1 norm, so with Laplace noise of scale $1/\epsilon_2$ on each
    they are $\epsilon_2$-private. So is the mean computed from them, even for an empty leaf."""
    neighbours = 0
    for n in range(effort.pick(4, 6, 8)):
        for targets in combinations_with_replacement([Fraction(i, 3) for i in range(4)], n):
            for y in (Fraction(0), Fraction(1, 3), Fraction(1)):
                pair = [(sum(t), len(t) - sum(t)) for t in (targets, (*targets, y))]
                far = -100.0  # where both noises point the same way, the ratio is largest
                logs = [sum(laplace.logpdf(far, float(v), 1.0) for v in votes) for votes in pair]
                moved, data = (sum(abs(a - b) for a, b in zip(*pair)), {"targets": targets, "added": y})
                yield same(moved, 1, rtol=0.0, broken="leaks", **data)
                yield private(abs(logs[0] - logs[1]), 1.0, **data)
                neighbours += 1
    draws = effort.pick(20_000, 200_000, 2_000_000)
    drawn = BoundedMean(0.7, -1.0, 3.0).sample([1.0] * draws, [2] * draws, rng=rng)
    law = laplace.cdf(1, 0, 1 / 0.7)
    for column, total in zip(drawn.T, (1.25, 0.75)):  # (1 + 2)/4 of two votes above
        yield frequency(column < total + 1, law, broken="leaks", total=total)
    return (
        f"{neighbours} neighbours in fractions: the totals move by 1 in each, and cost {{exact:.4f}} at "
        f"epsilon_2 = 1. The package's sampler agrees with the law in 2 probabilities, {draws} draws."
    )


@VOTES(
    "diprime-v1/leaf-mean-error",
    "ours",
    "holds",
    "median_forest.votes_error",
    "median_forest.halves_error",
    "median_forest.clamped_error",
    "median_forest.first_order_errors",
    quantity="mean squared error, in (R / (N epsilon_2))^2",
    range="four means at one large N; N = 1, 10, 50 at m = 0.2",
)
def error(effort, rng):
    r"""Let the true mean lie at the fraction $m$ of the range. To first order for many records, the mean computed
    from votes for the two ends has variance $2(m^2 + (1-m)^2) R^2/(N\epsilon_2)^2$. The published mean has
    variance $2R^2/(N\epsilon_2)^2$, which is at least as large. A noisy sum divided by a noisy count, each
    released with half of the budget, has exactly twice the variance of the mean from votes."""
    n, said = effort.pick(3000, 10_000, 30_000), []
    releases = laws.clamped_error, laws.votes_error, laws.halves_error
    for k in (1, 10, 50):
        clamped, votes, halves = row = [release(k, 0.2, 0.5) for release in releases]
        yield need(votes < min(clamped, halves), votes, "<", min(clamped, halves), records=k)
        said.append(f"N = {k}: {', '.join(f'{v:.5f}' for v in row)}")
    for mean in (0.1, 0.3, 0.5, 0.8):
        for release, stated in zip(releases, laws.first_order_errors(mean)):
            yield same(release(n, mean, 1.0) * n**2, stated, rtol=30 / n, mean=mean)
    return (
        f"The exact mean squared errors at N = {n}, times (N epsilon)^2, are within a share of 30/N of the "
        "formulas. At epsilon 1/2 and m = 0.2 the clamped published mean, the mean from votes and the noisy sum "
        f"over the noisy count have these errors: {'; '.join(said)}."
    )
