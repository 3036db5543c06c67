"""Noise on a number and on counts (DiPriMe v1, section 2.1; v2, section 2). Laws in fractions where they reach."""

import math
from fractions import Fraction

import numpy as np

from dplit.court.claims.mechanisms._laws import V1, V2, loss
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import decisive, same
from dplit.mechanisms import Geometric, Laplace

LAPLACE = Box("thm-laplace", "mechanisms.Laplace", quantity="privacy loss")
RATIOS = tuple(f"laplace-number:{part}" for part in ("most", "least", "met"))
COUNTS = tuple(f"diprime-v1/geometric-counts:{part}" for part in ("most", "least", "law"))
GEOMETRIC = Box("thm-geometric", "mechanisms.Geometric", quantity="privacy loss")


@LAPLACE(
    "laplace-number",
    {V1: "Equation (3), for one number", V2: "Equation (2), for one number"},
    ours=True,
    **over(*RATIOS),
)
def laplace(effort, rng, paper):
    r"""If a number changes by at most $\Delta(f)$ between neighbours, adding Laplace noise of scale
    $\Delta(f)/\epsilon$ makes it $\epsilon$-private. Between neighbours that attain $\Delta(f)$, the loss is
    exactly $\epsilon$."""
    for name in RATIOS:
        yield from certified(name, effort, broken="leaks")
    for epsilon, reach in ((0.1, 3.0), (1.0, 1.0)):
        laws = (np.log(Laplace(epsilon, reach).pdf(np.array([-1.0, 9.0]) - f)) for f in (0.3, 0.3 + reach))
        yield decisive(same(loss(*laws), epsilon, epsilon=epsilon, sensitivity=reach))
    words = "For all outputs and all changes up to the sensitivity the loss is at most epsilon; a change of the"
    return words + " whole sensitivity, {sensitivity}, costs {exact:.6g} at epsilon {stated}."


@GEOMETRIC("diprime-v1/geometric-counts", "ours; section 3, in place of Laplace noise", **over(*COUNTS))
def geometric(effort, rng):
    r"""Let $\alpha = e^{-\epsilon/\Delta}$. Adding noise that equals $z$ with probability
    $\frac{1-\alpha}{1+\alpha}\alpha^{|z|}$ to counts of L1 sensitivity $\Delta$ makes them $\epsilon$-private.
    Between neighbours that attain $\Delta$, the loss is exactly $\epsilon$."""
    for name in COUNTS:
        yield from certified(name, effort, broken="leaks")
    z = np.arange(-20, 21)
    for alpha in (Fraction(1, 10), Fraction(9, 10)):
        noise = Geometric(-math.log(alpha))
        for k in z.tolist():
            yield same(noise.pmf(k), (1 - alpha) / (1 + alpha) * alpha ** abs(k), alpha=str(alpha), z=k)
    for epsilon, reach in ((0.1, 3), (1.0, 1)):
        law = np.log(Geometric(epsilon, reach).pmf(z))
        yield decisive(same(loss(law[reach:], law[:-reach]), epsilon, epsilon=epsilon, sensitivity=reach))
    words = "For all outputs and all changes up to the sensitivity the loss is at most epsilon; a change of the"
    return words + " whole sensitivity, {sensitivity}, costs {exact:.6g} at epsilon {stated}."
