"""The rules of the budget in ``dplit audit``: each composition against mechanisms that cost as much, exactly."""

import math
from functools import partial

import numpy as np

from dplit import budget
from dplit.baselines.dp_rf import drift_of_scale, entropy_reach
from dplit.court.audit.subject import AR, Found, subject, subjects_of, worst_of
from dplit.matrix.subsample import shuffled_loss

EPSILONS, ORDERS = (0.1, 0.5, 1.5), (1.0001, 1.5, 2.0, 4.0)
DELTA, RHO, SIGMA = 1e-3, 0.1, 3.0


def coin(epsilon):
    """The two laws of randomised response: the log-odds of its two answers are +-epsilon."""
    p = 1 / (1 + math.exp(-epsilon))
    return np.array([p, 1 - p]), np.array([1 - p, p])


def together(pairs):
    """The two laws of independent releases, each given by its own two laws."""
    one, other = np.ones(1), np.ones(1)
    for p, q in pairs:
        one, other = np.outer(one, p).ravel(), np.outer(other, q).ravel()
    return one, other


def loss(p, q):
    """Largest log-ratio of two laws."""
    return float(abs(np.log(p) - np.log(q)).max())


def concentration(p, q):
    """Least rho for which the divergence of every order that is tried is at most its order times rho."""
    return max(float(np.log((p**a * q ** (1 - a)).sum())) / (a - 1) / a for a in ORDERS)


def shifted(by, most=30):
    """Discrete Gaussian laws of deviation `SIGMA`, one of them moved."""
    x = np.arange(-most, most + 1)
    laws = [np.exp(-np.square(x - moved) / (2 * SIGMA**2)) for moved in (0, by)]
    return [law / law.sum() for law in laws]


def _spend(epsilon):
    return budget.Spend("an answer", epsilon)


# Each yields what a node declares, and what its parts lose together.
def _sequences():
    for e in EPSILONS:
        yield budget.Sequence("s", (_spend(e),), copies=3).epsilon, loss(*together([coin(e)] * 3))
        yield (budget.Budget(_spend(e)) + budget.Budget(_spend(e))).epsilon, loss(*together([coin(e)] * 2))
        yield (budget.Sequence("s", (_spend(e), _spend(2 * e))).epsilon, loss(*together([coin(e), coin(2 * e)])))


def _parallels():
    for e in EPSILONS:
        found = max(loss(*coin(e)), loss(*coin(2 * e)))
        yield budget.Parallel("p", (_spend(e), _spend(2 * e))).epsilon, found
        yield budget.Parallel("p", (_spend(2 * e), _spend(e))).epsilon, found


def _groups():
    x = np.arange(-30, 31)
    for e in EPSILONS:
        for steps in (2, 3):
            noise = [np.exp(-e * abs(x - moved)) for moved in (0, steps)]
            yield budget.Group("g", _spend(e), steps).epsilon, loss(*noise)


def _equal_parts():
    for e in EPSILONS:
        for parts in (2, 5):
            yield budget.EqualParts("e", _spend(e), parts).epsilon, shuffled_loss(e, parts)


def _bootstraps():
    """Two noisy counts reach the mean of e^((2K - 1) epsilon), K Poisson: summed term by term."""
    for e in EPSILONS:
        terms = [(2 * k - 1) * e - 1 - math.lgamma(k + 1) for k in range(200)]
        found = max(terms) + math.log(math.fsum(math.exp(t - max(terms)) for t in terms))
        yield budget.Bootstrap("b", _spend(e)).epsilon, found


def _concentrations():
    for e in EPSILONS[:2]:
        yield _spend(e).rho, concentration(*coin(e))
        three = budget.Sequence("s", (_spend(e),), copies=3)
        yield three.rho, concentration(*together([coin(e)] * 3))
        two = (_spend(e), _spend(e / 2))
        yield budget.Parallel("p", two).rho, concentration(*coin(e))
    gaussian = budget.Concentrated("a count", 1 / (2 * SIGMA**2))
    yield gaussian.rho, concentration(*shifted(1))
    for steps in (2, 3):
        yield budget.Group("g", gaussian, steps).rho, concentration(*shifted(steps))
    both = budget.Sequence("s", (gaussian, _spend(0.1)))
    yield both.rho, concentration(*together([shifted(1), coin(0.1)]))


def _deltas():
    """The probability that no epsilon explains: of Gaussians in a row, and along a chain of neighbours."""
    node = budget.Concentrated("a count", 4 / (2 * SIGMA**2))
    several = budget.Sequence("s", (node,), copies=3)
    converted = budget.Converted("c", several, DELTA)
    p, q = together([shifted(2)] * 3)
    yield converted.delta, float(np.maximum(p - math.exp(converted.epsilon) * q, 0).sum())
    fit = budget.Converted("c", node, DELTA)
    yield budget.Sequence("s", (fit,), copies=2).delta, 2 * DELTA
    yield budget.Parallel("p", (fit, _spend(0.1))).delta, DELTA
    chain = [0.0]  # what an event comes to, from no probability, one neighbour after another
    for _ in range(3):
        chain.append(math.exp(fit.epsilon) * chain[-1] + DELTA)
    yield budget.Group("g", fit, 3).delta, chain[-1]


def _inverse():
    for e in EPSILONS:
        for delta in (1e-9, 1e-3):
            yield e, budget.epsilon_of(budget.rho_of(e, delta), delta)


def _conversions():
    """The delta at the epsilon of a rho, by another route: the least over orders, on ever finer grids."""
    for rho in (0.01, 0.1, 1.3):
        for delta in (1e-9, 1e-3):
            yield delta, _delta_at(budget.epsilon_of(rho, delta), rho)


def _delta_at(epsilon, rho):
    """The least e^((a-1)(a rho - epsilon))/(a-1) (1-1/a)^a (Canonne, Kamath and Steinke 2020, proposition 12)."""
    low, high = -12.0, 12.0
    for _ in range(8):
        x = np.linspace(low, high, 2001)
        a = 1 + np.exp(x)
        logs = (a - 1) * (a * rho - epsilon) - x + a * np.log1p(-1 / a)
        i = int(logs.argmin())
        low, high = x[max(i - 1, 0)], x[min(i + 1, 2000)]
    return math.exp(logs[i])


RULES = {
    "a sequence": _sequences,
    "parallel parts": _parallels,
    "a group": _groups,
    "equal parts": _equal_parts,
    "a resampled part": _bootstraps,
    "zero-concentrated parts": _concentrations,
    "delta": _deltas,
    "epsilon for a rho": _conversions,
    "rho for an epsilon": _inverse,
}


def _held(rule, effort, rng):
    """What the parts lose, as a share of what the rule declares: declares 1."""
    cases = [(found / declared, declared, found) for declared, found in rule()]
    worst, declared, found = max(cases)
    return Found(1.0, worst, f"{len(cases)} cases, the worst: {found:.6g} of {declared:.6g}")


MANY = 20.0  # logarithm of the number of the other columns


def _drift(effort, rng):
    """What a choice loses where one record more in another node makes its noise larger, for three classes.

    Two choices on the same records among many columns, one of n log2 3 bits and the others of none.
    """
    spend, classes, found = 0.4, 3, []
    declared = drift_of_scale(spend, 1, classes, 1, AR, 2).epsilon
    for n in range(1, effort.pick(50, 500, 5000)):
        here, there = (spend / entropy_reach(n + more) * n * math.log2(classes) for more in (0, 1))
        loss = here - there + np.logaddexp(MANY, -here) - np.logaddexp(MANY, -there)
        found.append((2 * float(abs(loss)), f"{n} records"))
    return worst_of(declared, found, "numbers of records")


def registered():
    """The subjects of this file."""
    yield from subjects_of({name: partial(_held, r) for name, r in RULES.items()}, "budget, {}")
    yield subject("budget, a scale that drifts with the number of records", _drift)
