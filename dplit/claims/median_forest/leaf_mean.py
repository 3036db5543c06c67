r"""Claims of both DiPriMe papers on the mean that a leaf releases.

v1, section 3; v2, section 3; derived in :doc:`/book/median_forest`. Targets in [0, 1], R = 1. The
exact side takes the Laplace law's own densities and distribution functions, at every point where
their log-ratio can turn.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
from scipy.stats import laplace

from dplit import median_forest as laws
from dplit.ledger import Case, claim, equal, interval, of_privacy, private, verdict_of
from dplit.mechanisms import BoundedMean


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
    """The laws of a leaf before and after a record is added."""
    return [_Release(t, epsilon) for t in (targets, [*targets, added])]


def _density_loss(pair, points):
    """Largest log-ratio of two densities at these points and at the two means."""
    points = [*points, *(law.centre for law in pair)]
    return np.abs(pair[0].log_density(points) - pair[1].log_density(points)).max()


def _clamped_loss(pair, points=(0.0, 1.0)):
    """Loss of two releases clamped to [0, 1]: both atoms, and the density inside."""
    atoms = np.abs(pair[0].log_atoms() - pair[1].log_atoms()).max()
    return max(atoms, _density_loss(pair, points))


@claim(
    "leaf-mean",
    {"diprime-v1": "Section 3", "diprime-v2": "Section 3, estimating leaf node parameters"},
    "leaks",
    "thm-forest-leaf-published",
    ("mechanisms.BoundedMean",),
)
def leaf_mean(effort, rng, paper):
    r"""A leaf's mean plus Laplace noise of scale $R/(N_i\epsilon_2)$ is $\epsilon_2$-private, $N_i$ being
    the number of data points at the leaf. (v2 writes it as Laplace$(0, 2B/N_i\epsilon_\ell)$, for a bounded
    target $|Y| \le B$.)"""
    epsilon, cases = 1.0, []
    for far in sorted((10.0**k for k in range(effort.pick(4, 6, 8))), reverse=True):
        loss = _density_loss(_pair([0.0], 0.0, epsilon), [-far, far])
        data = {"data": [0.0], "neighbour": [0.0, 0.0], "epsilon": epsilon, "answer": far}
        cases.append(Case(loss, epsilon, data | {"loss": loss}))
    said = ", ".join("{loss:.1f} at {answer:g}".format(**c.data) for c in reversed(cases))
    return private(
        cases,
        "One record at 0 is joined by another: an answer x costs epsilon |x| - log 2, "
        f"{said}: unbounded. With no record there is no answer at all.",
        range="one record and two, answers up to the largest named",
    )


@claim(
    "diprime-v1/leaf-mean-clamped",
    "ours; section 3",
    "holds",
    "thm-forest-leaf-clamped",
    ("median_forest.clamped_loss", "median_forest.clamped_epsilon"),
    ours=True,
    proof="thm-forest-leaf-clamped",
    quantity="privacy loss of any leaf",
    range="all leaves of up to three records on a grid, and of 10, 100 and 10,000 at one end",
)
def clamped(effort, rng):
    r"""Clamped to $[B_L, B_U]$ the same release costs exactly $\max(\epsilon_2, \log 2 +
    \epsilon_2/2)$ over all leaves that hold a record, and $\max(\epsilon_2, \log\frac{N+1}{N} +
    \epsilon_2\frac{N}{N+1})$ as a record joins $N$: it is $\epsilon_2$-private if and only if
    $\epsilon_2 \ge 2\log 2$."""
    small, cases, worst = list(_small_leaves(3, effort.pick(3, 5, 9))), [], []
    for n in (10, 100, 10**4):
        exact = _clamped_loss(_pair([0.0] * n, 1.0, 0.3))
        cases.append(Case(exact, laws.clamped_loss(n, 0.3), {"records": n, "epsilon": 0.3}))
    many = ", ".join(f"{c.exact:.4f} from N = {c.data['records']}" for c in cases)
    for epsilon in (0.01, 0.3, 1.3, 1.4, 3.0, 10.0, 1.0):  # the last is shown
        found = [_clamped_case(targets, added, epsilon) for targets, added in small]
        cases += found
        most = max(c.exact for c in found)
        worst.append(Case(most, laws.clamped_epsilon(epsilon), {"epsilon": epsilon}))
    said = ", ".join(f"{c.exact:.4f} at {c.data['epsilon']:g}" for c in worst)
    return equal(
        [*cases, *worst],
        f"{len(cases)} leaves: the formula equals the largest log-ratio in each. Over all: {said}; "
        f"at 0.3 {many}.",
    )


def _clamped_case(targets, added, epsilon):
    """The loss from the law's densities and atoms, beside the formula."""
    stated = laws.clamped_loss(len(targets), epsilon, np.mean(targets), added)
    data = {"targets": targets, "added": added, "epsilon": epsilon}
    return Case(_clamped_loss(_pair(targets, added, epsilon)), stated, data)


def _small_leaves(n, cells):
    """(targets, added) over leaves of 1 to n records on a grid."""
    grid = np.linspace(0, 1, cells)
    for size in range(1, n + 1):
        yield from product(map(list, combinations_with_replacement(grid, size)), grid)


@claim(
    "diprime-v1/leaf-mean-empty",
    "ours; section 3",
    "holds",
    "thm-forest-leaf-clamped",
    ("median_forest.clamped_epsilon",),
    ours=True,
    proof="thm-forest-leaf-clamped",
    quantity="loss against the nearest law, in epsilon_2",
    range="leaves of one record, eleven targets, five budgets",
)
def empty(effort, rng, epsilon=(0.01, 0.3, 1.0, 3.0, 10.0)):
    r"""No law of an empty leaf is nearer than $\epsilon_2/2$ to all clamped leaves of one
    record, and that of one record in the middle is as near. A constant, as $0$ or the middle,
    costs infinity."""
    cases, points = [], np.linspace(0, 1, effort.pick(101, 1001, 10001))
    for budget in epsilon:
        middle, zero, one = (_Release([y], budget) for y in (0.5, 0.0, 1.0))
        for y in np.linspace(0, 1, 11):
            loss = _clamped_loss((_Release([y], budget), middle), points)
            cases.append(Case(loss / budget, abs(y - 0.5), {"epsilon": budget, "target": y}))
        apart = (zero.log_atoms() - one.log_atoms())[0]  # no law is nearer to both than half of it
        cases.append(Case(apart / 2 / budget, 0.5, {"epsilon": budget}))
    return equal(
        cases,
        "The middle is epsilon |y - 1/2| from a record at y. The atoms at 0 of the leaves {{0}} and {{1}} differ "
        "by a factor e^epsilon, so every law is at least epsilon/2 from one of them.",
        rtol=1e-6,
        atol=1e-12,
    )


@leaf_mean.corrected(
    "thm-forest-leaf-votes",
    ("mechanisms.BoundedMean",),
    kind="simulated",
    intervals=2,
    quantity="privacy loss",
    range="neighbours of up to three records or more in fractions; two probabilities from draws",
)
def votes(effort, rng, paper):
    r"""Let each record split one vote between the ends of $[B_L, B_U]$ by its target. The two
    totals move by exactly 1 in L1 norm as a record joins, so with Laplace noise of scale
    $1/\epsilon_2$ on each they are $\epsilon_2$-private, and so is the mean that they give, an
    empty leaf's included."""
    moves, losses = set(), []
    for n in range(effort.pick(4, 6, 8)):
        for targets in combinations_with_replacement([Fraction(i, 3) for i in range(4)], n):
            for y in (Fraction(0), Fraction(1, 3), Fraction(1)):
                pair = [(sum(t), len(t) - sum(t)) for t in (targets, (*targets, y))]
                moves.add(sum(abs(a - b) for a, b in zip(*pair)))
                far = -100.0  # where both noises point the same way, the ratio is largest
                logs = [sum(laplace.logpdf(far, float(v), 1.0) for v in votes) for votes in pair]
                losses.append(abs(logs[0] - logs[1]))
    draws, cells = _sampled_votes(effort, rng)
    proved = moves == {1} and of_privacy(losses, 1.0) == "holds"
    return verdict_of(
        proved and all(low <= exact <= high for low, exact, high in cells),
        f"{len(losses)} neighbours in fractions: the totals move by 1 in each, and cost "
        f"{max(losses):.4f} at epsilon_2 = 1. The package's sampler agrees with the law in {len(cells)} "
        f"probabilities, {draws} draws.",
        {"moves": sorted(moves), "cells": cells},
        broken="leaks",
        kind="simulated",
        cases=len(losses) + draws,
        relation="<=",
        published=1.0,
        computed=max(losses),
        intervals=tuple((low, high) for low, _, high in cells),
    )


def _sampled_votes(effort, rng):
    """Draws, and (low, exact, high) of the chance that each released vote is below its total + 1."""
    draws, cells = effort.pick(20_000, 200_000, 2_000_000), []
    votes = BoundedMean(0.7, -1.0, 3.0).sample([1.0] * draws, [2] * draws, rng=rng)
    for column, total in zip(votes.T, (1.25, 0.75)):  # (1 + 2)/4 of two votes above
        hits = int((column < total + 1).sum())
        low, high = interval(hits, draws)
        cells.append((low, float(laplace.cdf(1, 0, 1 / 0.7)), high))
    return draws, cells


@claim(
    "diprime-v1/leaf-mean-error",
    "ours",
    "holds",
    "thm-forest-leaf-votes",
    (
        "median_forest.votes_error",
        "median_forest.halves_error",
        "median_forest.clamped_error",
        "median_forest.first_order_errors",
    ),
    ours=True,
    proof="thm-forest-leaf-votes",
    quantity="mean squared error, in (R / (N epsilon_2))^2",
    range="four means at one large N; N = 1, 10, 50 at m = 0.2",
)
def error(effort, rng):
    r"""For many records (to first order) the mean from votes has variance $2(m^2 + (1-m)^2)
    R^2/(N\epsilon_2)^2$: at most that of the published mean, $2R^2/(N\epsilon_2)^2$, and
    exactly half of that of noisy sum over noisy count with half the budget each."""
    n, releases = (
        effort.pick(3000, 10_000, 30_000),
        (laws.clamped_error, laws.votes_error, laws.halves_error),
    )
    cases = []
    for mean in (0.1, 0.3, 0.5, 0.8):
        exact = [error(n, mean, 1.0) * n**2 for error in releases]
        cases += [
            Case(a, float(b), {"mean": mean}) for a, b in zip(exact, laws.first_order_errors(mean))
        ]
    small = {k: [error(k, 0.2, 0.5) for error in releases] for k in (1, 10, 50)}
    better = all(votes < min(clamped, halves) for clamped, votes, halves in small.values())
    same = equal(cases, "", rtol=30 / n).verdict
    said = "; ".join(f"N = {k}: " + ", ".join(f"{v:.5f}" for v in row) for k, row in small.items())
    return verdict_of(
        same == "holds" and better,
        f"Exact mean squared errors times (N epsilon)^2 at N = {n} are within 30/N of the formulas. At "
        f"epsilon 1/2 and m = 0.2, published and clamped, votes, halves: {said}.",
        {"cases": [c._asdict() for c in cases], "small": small},
        cases=len(cases) + 9,
        relation="=",
        published=cases[1].stated,
        computed=cases[1].exact,
    )
