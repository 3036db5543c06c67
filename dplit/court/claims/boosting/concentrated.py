"""Claims on a positive delta: what noise and choices cost in rho, and what rho amounts to.

The references are Rényi divergences and hockey-stick divergences of whole laws, summed over their outcomes.
"""

import math
from itertools import product

import numpy as np

from dplit import boosting, budget
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import at_most, need, private
from dplit.mechanisms import DiscreteGaussian, Exponential

CONCENTRATED = Box(
    "thm-boosting-concentrated",
    "mechanisms.Exponential",
    "budget.Concentrated",
    quantity="Rényi divergence over its order",
)
CONVERSION = Box("thm-boosting-conversion", "budget.epsilon_of", "budget.Converted")
ORDERS = (1.1, 2.0, 5.0, 20.0)


def renyi(log_p, log_q, order):
    """Rényi divergence of two laws over one set of outcomes, given by logarithms; float."""
    terms = order * log_p - (order - 1) * log_q
    return float((terms.max() + math.log(np.exp(terms - terms.max()).sum())) / (order - 1))


@CONCENTRATED("ours/bounded-range", "ours; Dong et al. 2020, Cesar and Rogers 2021", **over("ours/bounded-range"))
def bounded_range(effort, rng):
    r"""Drawing a test by the exponential mechanism at $\epsilon$ is $\epsilon^2/8$-zCDP, which is a quarter of the
    $\epsilon^2/2$ that $\epsilon$-privacy alone implies."""
    yield from certified("ours/bounded-range", effort)
    cases = []
    for masses, epsilon, order in product(([0.0, 0.0], [0.0, 2.0, 3.5]), (0.2, 1.0, 3.0), ORDERS):
        law, moved = Exponential(epsilon, 1.0), np.add(masses, [1.0, -1.0, 0.5][: len(masses)])
        found = renyi(law.logpmf(masses), law.logpmf(moved), order) / order
        cases.append(private(found, epsilon**2 / 8, met=False, masses=masses, epsilon=epsilon, order=order))
    return (yield from _within(cases, 0.99))


def _within(cases, share):
    """The cases, and that one of them comes as near as `share` to what is stated; returns their note."""
    nearest = max(case.exact / case.stated for case in cases)
    yield from cases
    yield need(nearest >= share, nearest, ">=", share)
    return f"{len(cases)} divergences, at most {nearest:.4f} of what is stated."


PAIRS = tuple(f"ours/gaussian-pairs{part}" for part in (":order", ":shifted", "", ":classes"))
CONVERTED = tuple(f"ours/converted:{part}" for part in ("more", "fewer", "log", "log-above", "log-below", "bound"))
REACH, RHO = boosting.Reach(7, 5, 7), 0.3


@CONCENTRATED(
    "ours/gaussian-pairs",
    "ours; Canonne, Kamath and Steinke 2020, theorem 4",
    "holds",
    "mechanisms.DiscreteGaussian",
    "budget.Concentrated",
    **over(*PAIRS),
)
def gaussian_pairs(effort, rng):
    r"""Let each record's positive residuals sum to $a$ and its negative ones to $b$ in size, with $a/\alpha +
    b/\beta \le 1$. Discrete Gaussian noise of deviation $\alpha/\sqrt{2\rho}$ on the sums of positive parts and
    $\beta/\sqrt{2\rho}$ on the sums of negative parts makes the pairs of all leaves $\rho$-zCDP. With more than
    two classes, noise smaller by the factor $\sqrt2$ is enough."""
    yield from certified(PAIRS, effort)
    for order, (up, down) in product(ORDERS, (((5,), ()), ((), (7,)), ((3, 2), ()), ((3,), (1, 1)))):
        found = sum(_moved(order, REACH.up, a) for a in up) + sum(_moved(order, REACH.down, b) for b in down)
        yield at_most(found / order, RHO, up=up, down=down, order=order)
    yield from _of_several_classes()
    return "Squared shares sum to 1 at most; in a proved identity the sides are {exact:.4g} and {stated:.4g}."


def _moved(order, most, moved):
    """Rényi divergence of a sum and one that is `moved` away, with noise for sums that move by `most`."""
    places, law = np.arange(-700, 701), DiscreteGaussian(most / math.sqrt(2 * RHO))
    # far out, where a float holds no probability, by the ratio of the two weights
    ratio = (2 * places * moved - moved**2) / (2 * law.sigma**2)
    terms = law.pmf(places - moved) * np.exp((order - 1) * np.clip(ratio, -700, 700 / order))
    return math.log(terms.sum()) / (order - 1)


def _of_several_classes():
    """Cases of four classes: the record's own residual is at most half of `most`, the others' together too."""
    half = 4
    scale = boosting.class_reach(np.zeros(4), np.zeros(4)).norm * 2 * half
    for order in ORDERS:
        known = [_moved(order, scale, moved) for moved in range(half + 1)]
        for own, *others in product(range(half + 1), repeat=4):
            if sum(others) <= own and others == sorted(others):
                found = sum(known[moved] for moved in (own, *others))
                yield at_most(found / order, RHO, up=(own,), down=tuple(others), order=order)


SETTINGS = (
    ("two classes", ([1], [0]), np.zeros((3, 1))),
    ("three classes", ([0], [1, 2]), np.zeros((3, 3))),
    ("targets", ([1.0], [0.0]), np.full((3, 1), 0.4)),
)


@CONVERSION(
    "ours/converted",
    "ours; Canonne, Kamath and Steinke 2020, corollary 13",
    quantity="hockey-stick divergence of a round, its delta",
    **over(*CONVERTED),
)
def converted(effort, rng):
    r"""A boosting round whose test and pairs together cost $\rho$ is $(\epsilon, \delta)$-private for the
    $\epsilon$ that the conversion gives at any real order. Under replace-one it costs four times this $\rho$."""
    yield from certified(CONVERTED, effort, broken="leaks")
    cases = []
    for (name, signs, scores), (rho, delta), relation in product(
        SETTINGS, ((0.01, 1e-9), (0.1, 1e-3), (1.0, 1e-6)), ("add-remove", "replace-one")
    ):
        options = {"clip": 0.2} if name == "targets" else {}
        kind = boosting.SmallTargets if options else boosting.SmallClasses
        model = kind(scores, rho / 2, rho / 2, **options)
        stated = budget.epsilon_of(rho * (1 if relation == "add-remove" else 4), delta)
        for k in range(2, effort.pick(5, 9, 30)):
            data, other = boosting.stretched(*signs, relation, k=k)
            found = model.divergence(data, other, stated)
            cases.append(private(found, delta, met=False, targets=name, rho=rho, k=k))
    return (yield from _within(cases, 0.05))
