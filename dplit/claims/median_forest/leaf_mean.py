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

from dplit.ledger import Evidence, claim, interval, of_equality, of_privacy
from dplit.mechanisms import BoundedMean
from dplit.median_forest import leaf_mean as leaves


class Release:
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


def open_loss(targets, added, epsilon, reach):
    """Largest log-ratio of the densities on [-reach, reach], which the two means and ends attain."""
    pair = [Release(t, epsilon) for t in (targets, [*targets, added])]
    points = [-reach, reach, *(law.centre for law in pair)]
    return np.abs(pair[0].log_density(points) - pair[1].log_density(points)).max()


def closed_loss(targets, added, epsilon):
    """Exact loss of the release clamped to [0, 1]: both atoms, and the density inside."""
    pair = [Release(t, epsilon) for t in (targets, [*targets, added])]
    points = [0.0, 1.0, *(law.centre for law in pair)]
    atoms = pair[0].log_atoms() - pair[1].log_atoms()
    inside = pair[0].log_density(points) - pair[1].log_density(points)
    return np.abs([*atoms, *inside]).max()


def small_leaves(n, cells):
    """(targets, added) over leaves of 1 to n records on a grid."""
    grid = np.linspace(0, 1, cells)
    for size in range(1, n + 1):
        yield from product(map(list, combinations_with_replacement(grid, size)), grid)


@claim(
    "diprime-v1/leaf-mean",
    "Section 3; v2, section 3",
    "leaks",
    "thm-forest-leaf-published",
    ("mechanisms.BoundedMean",),
)
def leaf_mean(effort, rng):
    r"""A leaf's mean plus Laplace noise of scale $R/(N_i\epsilon_2)$ is $\epsilon_2$-private."""
    epsilon, reach = 1.0, [10.0**k for k in range(effort.pick(4, 6, 8))]
    losses = [open_loss([0.0], 0.0, epsilon, x) for x in reach]
    grows = of_equality(losses[1:], [x * epsilon - math.log(2) for x in reach[1:]]) == "holds"
    leaks = of_privacy(losses, epsilon) == "leaks" and grows
    return Evidence(
        "leaks" if leaks else "holds", "exact",
        "One record at 0 is joined by another: an answer x costs epsilon |x| - log 2, "
        + ", ".join(f"{v:.1f} at {x:g}" for v, x in zip(losses, reach)) + ": unbounded. With no record "
        "there is no answer at all.",
        len(reach), published=epsilon, computed=losses[-1],
        counterexample={"data": [0.0], "neighbour": [0.0, 0.0], "epsilon": epsilon, "answer": reach[-1],
                        "loss": losses[-1]} if leaks else None,
    )  # fmt: skip


@claim(
    "diprime-v1/leaf-mean-clamped",
    "ours; section 3",
    "holds",
    "thm-forest-leaf-clamped",
    ("median_forest.leaf_mean.clamped_loss", "median_forest.leaf_mean.clamped_epsilon"),
    ours=True,
)
def clamped(effort, rng):
    r"""Clamped to $[B_L, B_U]$ the same release costs exactly $\max(\epsilon_2, \log 2 +
    \epsilon_2/2)$ over all leaves that hold a record, and $\max(\epsilon_2, \log\frac{N+1}{N} +
    \epsilon_2\frac{N}{N+1})$ as a record joins $N$: it is $\epsilon_2$-private if and only if
    $\epsilon_2 \ge 2\log 2$."""
    exact, stated, worst, totals = [], [], [], []
    for epsilon in (0.01, 0.3, 1.0, 1.3, 1.4, 3.0, 10.0):
        found = [
            (closed_loss(t, a, epsilon), t, a) for t, a in small_leaves(3, effort.pick(3, 5, 9))
        ]
        exact += [loss for loss, _, _ in found]
        stated += [leaves.clamped_loss(len(t), epsilon, np.mean(t), a) for _, t, a in found]
        worst.append(max(loss for loss, _, _ in found))
        totals.append(leaves.clamped_epsilon(epsilon))
    for n in (10, 100, 10**4):
        exact.append(closed_loss([0.0] * n, 1.0, 0.3))
        stated.append(leaves.clamped_loss(n, 0.3))
    same = of_equality(exact, stated) == of_equality(worst, totals) == "holds"
    return Evidence(
        "holds" if same else "fails", "exact",
        f"{len(exact)} leaves: the formula equals the largest log-ratio in each. Over all: "
        + ", ".join(f"{w:.4f} at {e:g}" for w, e in zip(worst, (0.01, 0.3, 1.0, 1.3, 1.4, 3.0, 10.0)))
        + f"; at 0.3 {exact[-3]:.4f}, {exact[-2]:.4f}, {exact[-1]:.4f} from N = 10, 100, 10000.",
        len(exact), published=totals[2], computed=worst[2],
        counterexample=None if same else {"worst": worst, "stated": totals},
    )  # fmt: skip


@claim(
    "diprime-v1/leaf-mean-empty",
    "ours; section 3",
    "holds",
    "thm-forest-leaf-clamped",
    ("median_forest.leaf_mean.clamped_epsilon",),
    ours=True,
)
def empty(effort, rng):
    r"""No law of an empty leaf is nearer than $\epsilon_2/2$ to all clamped leaves of one
    record, and that of one record in the middle is as near. A constant, as $0$ or the middle,
    costs infinity."""
    exact, stated = [], []
    for epsilon in (0.01, 0.3, 1.0, 3.0, 10.0):
        middle, ends = Release([0.5], epsilon), [Release([y], epsilon) for y in (0.0, 1.0)]
        points = np.linspace(0, 1, effort.pick(101, 1001, 10001))
        for y in np.linspace(0, 1, 11):
            one = Release([y], epsilon)
            atoms = one.log_atoms() - middle.log_atoms()
            inside = one.log_density(points) - middle.log_density(points)
            exact.append(np.abs([*atoms, *inside]).max())
            stated.append(epsilon * abs(y - 0.5))
        exact.append((ends[0].log_atoms() - ends[1].log_atoms())[0] / 2)  # no law is nearer to both
        stated.append(epsilon / 2)
    same = of_equality(exact, stated, rtol=1e-6, atol=1e-12)
    return Evidence(
        same, "exact",
        "The middle is epsilon |y - 1/2| from a record at y. The atoms at 0 of the leaves {0} and {1} differ "
        "by a factor e^epsilon, so every law is at least epsilon/2 from one of them.",
        len(exact), published=0.5, computed=exact[-1] / 10,
        counterexample=None if same == "holds" else {"exact": exact, "stated": stated},
    )  # fmt: skip


@leaf_mean.corrected(
    "thm-forest-leaf-votes", ("mechanisms.BoundedMean",), kind="simulated", intervals=2
)
def _votes(effort, rng):
    r"""Let each record split one vote between the ends of $[B_L, B_U]$ by its target. The two
    totals move by exactly 1 in L1 norm as a record joins, so with Laplace noise of scale
    $1/\epsilon_2$ on each they are $\epsilon_2$-private, and so is the mean that they give, an
    empty leaf's included."""
    moves, losses = [], []
    for n in range(effort.pick(4, 6, 8)):
        for targets in combinations_with_replacement([Fraction(i, 3) for i in range(4)], n):
            for y in (Fraction(0), Fraction(1, 3), Fraction(1)):
                pair = [(sum(t), len(t) - sum(t)) for t in (targets, (*targets, y))]
                moves.append(sum(abs(a - b) for a, b in zip(*pair)))
                far = -100.0  # where both noises point the same way, the ratio is largest
                logs = [sum(laplace.logpdf(far, float(v), 1.0) for v in votes) for votes in pair]
                losses.append(abs(logs[0] - logs[1]))
    means, cells = _sampled_votes(effort, rng)
    good = (
        set(moves) == {1}
        and of_privacy(losses, 1.0) == "holds"
        and all(a <= b <= c for a, b, c in cells)
    )
    return Evidence(
        "holds" if good else "leaks", "simulated",
        f"{len(moves)} neighbours in fractions: the totals move by 1 in each, and cost "
        f"{max(losses):.4f} at epsilon_2 = 1. The package's sampler agrees with the law in {len(cells)} "
        f"probabilities, {means} draws.",
        len(moves) + means, published=1.0, computed=max(losses),
        intervals=tuple((a, c) for a, _, c in cells),
        counterexample=None if good else {"moves": [str(m) for m in set(moves)], "cells": cells},
    )  # fmt: skip


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
        "median_forest.leaf_mean.votes_error",
        "median_forest.leaf_mean.halves_error",
        "median_forest.leaf_mean.clamped_error",
        "median_forest.leaf_mean.first_order_errors",
    ),
    ours=True,
)
def error(effort, rng):
    r"""For many records the mean from votes has variance $2(m^2 + (1-m)^2)
    R^2/(N\epsilon_2)^2$: at most that of the published mean, $2R^2/(N\epsilon_2)^2$, and
    exactly half of that of noisy sum over noisy count with half the budget each."""
    exact, stated, epsilon = [], [], 1.0
    n = effort.pick(3000, 10_000, 30_000)
    for mean in (0.1, 0.3, 0.5, 0.8):
        functions = leaves.clamped_error, leaves.votes_error, leaves.halves_error
        exact += [f(n, mean, epsilon) * (n * epsilon) ** 2 for f in functions]
        stated += [float(v) for v in leaves.first_order_errors(mean)]
    small = {k: [f(k, 0.2, 0.5) for f in functions] for k in (1, 10, 50)}
    better = all(v < min(c, h) for c, v, h in small.values())
    same = of_equality(exact, stated, rtol=30 / n)
    return Evidence(
        same if better else "fails", "exact",
        f"Exact mean squared errors times (N epsilon)^2 at N = {n} are within 30/N of the formulas. At "
        "epsilon 1/2 and m = 0.2, published and clamped, votes, halves: " + "; ".join(
            f"N = {k}: " + ", ".join(f"{v:.5f}" for v in row) for k, row in small.items()) + ".",
        len(exact) + 9, published=stated[1], computed=exact[1],
        counterexample=None if same == "holds" and better else {"exact": exact, "stated": stated},
    )  # fmt: skip
