"""Claims of DiPriMe v2, theorem 1, on the utility of one private split, and a simulation of both theorems."""

import math
from itertools import product

import numpy as np
from scipy.integrate import quad

from dplit import balance, median, utility
from dplit.court.claims.utility.counted import BOUNDS, EPSILONS, squared_error, targets_at_bounds
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import at_most, below, decisive, frequency, note, same
from dplit.domain import GRID
from dplit.forests.releases import published_labels, published_means

SPLIT = Box("thm-utility-split")
EXPECTED = Box("thm-utility-expected", "utility.expected_split_loss", quantity="expected loss, in R^2")
IMBALANCE = Box("rem-utility-imbalance", "utility.worst_split_loss", "utility.accuracy_loss_bound")
FLIP = Box("thm-utility-flip", "utility.label_law", "utility.expected_accuracy", "utility.split_loss_bound")


def _losses(n, epsilon):
    """Expected loss of every 0/1 target vector (rows) and every split k = 1, ..., n - 1, R = 1."""
    y, half = targets_at_bounds(n), n // 2
    exact = squared_error(y, range(half)) + squared_error(y, range(half, n))
    noise = [2 / epsilon**2 * (1 / k + 1 / (n - k)) for k in range(1, n)]
    split = [squared_error(y, range(k)) + squared_error(y, range(k, n)) for k in range(1, n)]
    return np.array(split).T - exact[:, None] + noise


def _enumerated(effort):
    """((n, t, epsilon), worst loss of all targets and all splits with more than t on each side), R = 1."""
    for n in range(2, effort.pick(10, 12, 14)):
        for epsilon in EPSILONS:
            worst = _losses(n, epsilon).max(axis=0)
            for t in (0.5, *range(1, (n - 2) // 2 + 1), *([] if n < 3 else [(n // 2) - 0.5])):
                least = math.floor(t) + 1
                yield (n, t, epsilon), worst[least - 1 : n - least].max()


LOOSE = "diprime-v2/theorem-1", "diprime-v2/theorem-1:appendix"
FALLS = "diprime-v2/imbalance:error", "diprime-v2/imbalance:accuracy"


def _published(formula):
    """A published bound at the parameters of the statement, over 4B^2."""
    return lambda s, x, r, y, E: formula(2 * (s + x) + r, y * s, math.sqrt(E), 1.0) / 4


@SPLIT(
    "diprime-v2/theorem-1",
    "Theorem 1; appendix B.1",
    "loose",
    "utility.published_split_loss",
    "utility.published_split_loss_appendix",
    "utility.worst_split_loss",
    proved=True,
    quantity="worst expected loss, in 4B^2",
    **over(*LOOSE),
)
def theorem_1(effort, rng):
    r"""For $0 < t < N/2$, the loss $\mathrm{E}[\widetilde{SSE}] - SSE$ is at most $4B^2 N - 8B^2 t +
    16B^2/(\epsilon_\ell^2 t)$ with probability at least $1 - \zeta_t$. In the appendix the last term is
    $16B^2/\epsilon_\ell^2$."""
    worst = lambda s, x, r, y, E: utility.split_loss_bound(2 * (s + x) + r, s - 0.5, math.sqrt(E), 0, 1)  # noqa: E731
    formulas = utility.published_split_loss, utility.published_split_loss_appendix
    for name, formula in zip(LOOSE, formulas):
        yield from certified(name, effort, met=False, left=worst, right=_published(formula))
    return "Both are above the worst loss for every N, t and epsilon_l: {statement} wherever {where}"


@SPLIT.corrected(theorem_1, "utility.split_loss_bound", "utility.worst_split_change", "utility.expected_sse")
def theorem_1_corrected(effort, rng):
    r"""Let $s = \lfloor t \rfloor + 1$. With probability at least $1 - \zeta_t$ the squared error grows in
    expectation by at most $R^2\bigl[(\lceil N/2 \rceil - s)\lfloor N/2 \rfloor/(N-s) + 2N/(\epsilon_\ell^2 s
    (N-s))\bigr]$. The expectation, given the split, is over the leaves' noise, whose scale is $R$ divided by the
    product of the leaf's count and $\epsilon_\ell$. Some targets and some split attain the bound."""
    for n in range(2, 8):
        half, loss = n // 2, _losses(n, 1.0)
        for y, row in list(zip(targets_at_bounds(n), loss))[::3]:
            sse = utility.expected_sse(y, 1.0, 0, 1)
            counted = row + sse[half] - 2 * (1 / half + 1 / (n - half))
            yield from (same(*sides, targets=y) for sides in zip(counted, sse[1:n]))
    for (n, t, epsilon), worst in _enumerated(effort):
        yield same(worst, utility.split_loss_bound(n, t, epsilon, 0, 1), n=n, t=t, epsilon=epsilon)
    return note(
        "The bound equals the largest loss over all targets and all splits in each case, and the "
        "expected squared error equals the count for each target.",
        range=f"all targets and splits of N up to {effort.pick(9, 11, 13)}, five budgets",
        quantity="expected loss, in R^2",
    )


def _evenly(n):
    return (np.arange(n) + 0.5) / n


@EXPECTED(
    "diprime-v2/theorem-1-everything",
    "Theorem 1, with E over the split too",
    "fails",
    "utility.expected_split_loss",
    "utility.published_split_loss",
    ours=True,
    about="reading",
    holds_instead="diprime-v2/theorem-1/expectation",
    quantity="expected loss, in B^2",
)
def everything(effort, rng):
    r"""For every $0 < t < N/2$ the growth of the squared error, expected over split and noise, is at most $4B^2 N
    - 8B^2 t + 16B^2/(\epsilon_\ell^2 t)$."""
    most = effort.pick(11, 39, 149)
    for n in range(3, most + 1):
        for t in range(1, (n + 1) // 2):
            for epsilon, rate in product((1.0, 10.0), (0, 0.1, 1.0)):
                law = balance.split_law(_evenly(n), 0, 1, rate)
                exact = utility.expected_split_loss(law, epsilon, *BOUNDS)
                stated = utility.published_split_loss(n, t, epsilon, 1.0)
                yield at_most(exact, stated, n=n, t=t, epsilon=epsilon, epsilon_s=rate)
    return note(
        "With N = {n} evenly spaced values, t = {t}, epsilon_l = {epsilon:g} and a cut drawn at rate "
        "{epsilon_s:g}, the expected squared error grows by {exact:.4f} B^2; the bound is {stated:.4f} B^2.",
        range=f"evenly spaced values, N up to {most}, every whole t, six pairs of budgets",
    )


@EXPECTED(
    "diprime-v2/theorem-1/expectation", "ours", "holds", "utility.expected_split_loss", "utility.worst_split_loss"
)
def expectation(effort, rng):
    r"""The largest loss in squared error, expected over split and noise, is $\sum_k \Pr(k)\, w_k$, where $w_k$ is
    the largest loss given split $k$. Targets $B_L$ left of the median and $B_U$ right of it attain every $w_k$."""
    most = effort.pick(8, 10, 12)
    for n in range(2, most + 1):
        y, half = targets_at_bounds(n), n // 2
        gone = squared_error(y, range(half)) + squared_error(y, range(half, n))
        for values, rate, epsilon in product((_evenly(n), np.linspace(0.2, 0.3, n)), (0, 0.5, 3.0), (0.3, 3.0)):
            law = balance.split_law(values, 0, 1, rate)
            whole = squared_error(y, range(n)) - gone + 2 / (n * epsilon**2)  # one block is empty
            total = _losses(n, epsilon) @ law[1:n] + whole * (law[0] + law[n])
            stated = utility.expected_split_loss(law, epsilon, 0, 1)
            yield same(total.max(), stated, values=values, epsilon=epsilon)
    return note(
        "The formula equals the maximum over all targets in each case.",
        range=f"all targets of N up to {most}, two data sets, six pairs of budgets",
    )


@IMBALANCE("diprime-v2/imbalance", "Section 3.2, after theorem 2", "assumes", proved=True, **over(*FALLS))
def imbalance(effort, rng):
    r"""Theorems 1 and 2 "formalize our intuition that increasing imbalance between leaf node occupancies leads to
    a decrease in utility". (Two upper bounds cannot show this. In the worst case over the targets it is true: the
    largest expected squared error and the tight bound on the loss of accuracy fall as the smaller block grows. For
    given targets it may be false.)"""

    def worst(n, s, e):
        return max(utility.worst_split_loss(n, e, 0, 1)[[s, n - s]])

    error, accuracy = FALLS
    more = lambda s, x, r, E: worst(2 * (s + 1 + x) + r, s + 1, math.sqrt(E))  # noqa: E731
    less = lambda s, x, r, E: worst(2 * (s + 1 + x) + r, s, math.sqrt(E))  # noqa: E731
    yield from certified(error, effort, broken="fails", left=more, right=less)
    yield from certified(accuracy, effort, broken="fails")
    y = np.array([[0, 1, 1, 1]])  # pure at 1 and 3, not at 2 and 2
    even, uneven = (float((squared_error(y, range(k)) + squared_error(y, range(k, 4)))[0]) for k in (2, 1))
    yield below(even, uneven)
    return note(
        "In the worst case over the targets no loss rises with the smaller block, for every N and epsilon_l. The "
        f"targets 0, 1, 1, 1 alone have the squared error {even:g} at 2 and 2 records, {uneven:g} at 1 and 3.",
        quantity="loss at s",
    )


def _noise_mean(left, right, epsilon):
    """Expected squared error that the noise of two means adds, R = 1."""
    return 2 / epsilon**2 * (1 / left + 1 / right)


def _noise_tail(left, right, epsilon):
    """Chance that it exceeds its expectation: an integral over the one mean's exponential size."""
    level = _noise_mean(left, right, epsilon) * epsilon**2

    def rest(a):  # a^2 / left + b^2 / right > level, a and b standard exponential
        need = level - a * a / left
        return math.exp(-a) * (math.exp(-math.sqrt(right * need)) if need > 0 else 1.0)

    edge = math.sqrt(left * level)
    return quad(rest, 0, edge)[0] + math.exp(-edge)


@FLIP("diprime-v2/utility-simulated", "ours", proved=False, intervals=4, quantity="probability of a flip")
def simulated(effort, rng):
    """Splits drawn by the package's private median, and labels and means released by its published leaves, agree
    with exact computations. These give the chance that both blocks hold more than $t$ records, the distribution of
    the noise on the means, the chance of a flip, and the expected accuracy."""
    draws, n, t, rate, e = effort.pick(20_000, 100_000, 1_000_000), 12, 2, 0.5, 0.8
    cuts = median.sample(_evenly(n), 0, 1, rate, size=draws, rng=rng)
    k = np.searchsorted(_evenly(n), cuts)
    inside = np.minimum(k, n - k) > t
    # records, and the sum of their targets in steps
    leaves = np.tile([[4, 2 * GRID], [8, 4 * GRID]], (draws, 1))
    means, _ = published_means(leaves, e, rng)
    loud = (leaves[:, 0] * (means - 0.5) ** 2).reshape(draws, 2).sum(axis=1) > _noise_mean(4, 8, e)
    labels, _ = published_labels(np.tile([3, 5], (draws, 1)), e, rng)
    flips = labels == 0
    right = rng.random(draws) < np.where(flips, 3, 5) / 8  # is a record's label the leaf's?
    cases = (
        frequency(inside, balance.more_than(t, _evenly(n), 0, 1, rate)),
        frequency(loud, _noise_tail(4, 8, e)),
        decisive(frequency(flips, float(utility.published_flip(2, e)))),
        frequency(right, utility.expected_accuracy([[3, 5]], e)),
    )
    yield from cases
    pairs = ", ".join(f"{case.stated:.4f} and {case.exact:.4f}" for case in cases)
    return note(
        f"Exact against simulated: {pairs}.",
        range="N = 12 evenly spaced values, t = 2; leaves of 4 and 8 records; counts 3 and 5",
    )
