"""Noise on a number and on counts (DiPriMe v1, section 2.1; v2, section 2). Laws in fractions where they reach."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np

from dplit.claims.mechanisms._laws import EPSILONS, V1, V2, loss
from dplit.ledger import Case, claim, equal, private
from dplit.mechanisms import Geometric, Laplace


@claim(
    "laplace-number",
    {V1: "Equation (3), for one number", V2: "Equation (2), for one number"},
    "holds",
    "thm-laplace",
    ("mechanisms.Laplace",),
    ours=True,
    proof="thm-laplace",
    range="nine budgets and sensitivities, three changes, outputs up to 5 away",
)
def laplace(effort, rng, paper, epsilon=EPSILONS, sensitivity=(0.5, 1.0, 3.0)):
    r"""Laplace noise of scale $\Delta(f)/\epsilon$ on a number that changes by at most
    $\Delta(f)$ is $\epsilon$-private, and a pair that attains $\Delta(f)$ costs exactly
    $\epsilon$."""
    outputs = np.linspace(-5, 5, effort.pick(201, 1001, 10001))
    cases = []
    for budget, reach in product(epsilon, sensitivity):
        noise = Laplace(budget, reach)
        for change in (reach / 4, reach / 2, reach):
            laws = [np.log(noise.pdf(outputs - f)) for f in (0.3, 0.3 + change)]
            data = {"epsilon": budget, "sensitivity": reach, "change": change}
            cases.append(Case(loss(*laws), budget, data))
    note = "{cases} pairs of numbers: sensitivity {sensitivity} costs {exact:.6g} at {stated}"
    attained = equal([c for c in cases if c.data["change"] == c.data["sensitivity"]], note)
    return private(cases, note) if attained.verdict == "holds" else attained


@claim(
    "diprime-v1/geometric-counts",
    "ours; section 3, in place of Laplace noise",
    "holds",
    "thm-geometric",
    ("mechanisms.Geometric",),
    ours=True,
    proof="thm-geometric",
    range="three rates in fractions, nine budgets and sensitivities, every change",
)
def geometric(effort, rng, epsilon=EPSILONS, sensitivity=(1, 2, 3)):
    r"""Counts of L1 sensitivity $\Delta$ with noise of probability
    $\frac{1-\alpha}{1+\alpha}\alpha^{|z|}$, $\alpha = e^{-\epsilon/\Delta}$, are $\epsilon$-private,
    and a pair that attains $\Delta$ costs exactly $\epsilon$."""
    alphas = [Fraction(p, 10) for p in (1, 5, 9)]
    noises = [Geometric(-math.log(alpha)) for alpha in alphas]
    z = np.arange(-effort.pick(20, 50, 200), effort.pick(20, 50, 200) + 1)
    law = [
        Case(noise.pmf(k), (1 - alpha) / (1 + alpha) * alpha ** abs(k), {"alpha": alpha, "z": k})
        for alpha, noise in zip(alphas, noises)
        for k in z.tolist()
    ]
    same = equal(law, "at alpha = {alpha} the noise {z} has probability {exact}, not {stated}")
    if same.verdict == "fails":
        return same
    losses = []
    for budget, reach in product(epsilon, sensitivity):
        log_law = np.log(Geometric(budget, reach).pmf(z))
        for change in range(1, reach + 1):
            data = {"epsilon": budget, "sensitivity": reach, "change": change}
            losses.append(Case(loss(log_law[change:], log_law[:-change]), budget, data))
    note = "{cases} pairs of counts: sensitivity {sensitivity} costs {exact:.6g} at {stated}"
    attained = equal([c for c in losses if c.data["change"] == c.data["sensitivity"]], note)
    return private(losses, note) if attained.verdict == "holds" else attained
