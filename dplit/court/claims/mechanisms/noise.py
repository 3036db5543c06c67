"""Noise on a number and on counts (DiPriMe v1, section 2.1; v2, section 2). Laws in fractions where they reach."""

import math
from fractions import Fraction
from itertools import product

import numpy as np

from dplit.court.claims.mechanisms._laws import EPSILONS, V1, V2, loss
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, same
from dplit.mechanisms import Geometric, Laplace

LAPLACE = Box("thm-laplace", "mechanisms.Laplace", quantity="privacy loss")
GEOMETRIC = Box("thm-geometric", "mechanisms.Geometric", quantity="privacy loss")


def _cost(lost, epsilon, sensitivity, change):
    """The loss of a change: epsilon where it is the sensitivity, and at most that where it is less."""
    data = {"epsilon": epsilon, "sensitivity": sensitivity, "change": change}
    if change == sensitivity:
        return decisive(same(lost, epsilon, **data))
    return below(lost, epsilon, broken="leaks", **data)


@LAPLACE(
    "laplace-number",
    {V1: "Equation (3), for one number", V2: "Equation (2), for one number"},
    ours=True,
    range="nine budgets and sensitivities, three changes, outputs up to 5 away",
)
def laplace(effort, rng, paper, epsilon=EPSILONS, sensitivity=(0.5, 1.0, 3.0)):
    r"""Laplace noise of scale $\Delta(f)/\epsilon$ on a number that changes by at most $\Delta(f)$ is
    $\epsilon$-private, and a pair that attains $\Delta(f)$ costs exactly $\epsilon$."""
    outputs = np.linspace(-5, 5, effort.pick(201, 1001, 10001))
    for budget, reach in product(epsilon, sensitivity):
        noise = Laplace(budget, reach)
        for change in (reach / 4, reach / 2, reach):
            laws = (np.log(noise.pdf(outputs - f)) for f in (0.3, 0.3 + change))
            yield _cost(loss(*laws), budget, reach, change)
    return "{cases} pairs of numbers: sensitivity {sensitivity} costs {exact:.6g} at {stated}"


@GEOMETRIC(
    "diprime-v1/geometric-counts",
    "ours; section 3, in place of Laplace noise",
    range="three rates in fractions, nine budgets and sensitivities, every change",
)
def geometric(effort, rng, epsilon=EPSILONS, sensitivity=(1, 2, 3)):
    r"""Counts of L1 sensitivity $\Delta$ with noise of probability
    $\frac{1-\alpha}{1+\alpha}\alpha^{|z|}$, $\alpha = e^{-\epsilon/\Delta}$, are $\epsilon$-private,
    and a pair that attains $\Delta$ costs exactly $\epsilon$."""
    far = effort.pick(20, 50, 200)
    z = np.arange(-far, far + 1)
    for alpha in (Fraction(p, 10) for p in (1, 5, 9)):
        noise = Geometric(-math.log(alpha))
        for k in z.tolist():
            law = (1 - alpha) / (1 + alpha) * alpha ** abs(k)
            yield same(noise.pmf(k), law, alpha=str(alpha), z=k)
    for budget, reach in product(epsilon, sensitivity):
        log_law = np.log(Geometric(budget, reach).pmf(z))
        for change in range(1, reach + 1):
            yield _cost(loss(log_law[change:], log_law[:-change]), budget, reach, change)
    return "{cases} probabilities and pairs of counts: sensitivity {sensitivity} costs {exact:.6g} at {stated}"
