r"""What is done with an output, and how much noise there is.

RDF, sections 1 and 4; DiPriMe v1, section 2.1 and appendix A.3; v2, section 2 and appendix C.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from scipy.integrate import quad

from dplit.claims.mechanisms._laws import EPSILONS, FAR, V1, V2, loss
from dplit.ledger import Case, Evidence, claim, equal, private
from dplit.mechanisms import Exponential, Geometric, Laplace, PermuteAndFlip


@claim(
    "rdf/post-processing",
    "section 4, before section 4.1",
    "holds",
    "thm-post-processing",
    ("mechanisms.PermuteAndFlip", "mechanisms.Exponential"),
    proof="thm-post-processing",
)
def post_processing(effort, rng):
    r"""Differential privacy is immune from post-processing: whatever is computed from the output of an
    $\epsilon$-private mechanism, as a majority vote, never incurs additional privacy costs."""
    cases = []
    for epsilon in EPSILONS:
        for scores in product(range(effort.pick(3, 4, 6)), repeat=3):
            for mechanism in (PermuteAndFlip(epsilon), Exponential(epsilon)):
                for change in ((1, -1, 0), (1, 1, -1)):
                    laws = [mechanism.pmf(np.add(scores, step)) for step in (0, change)]
                    kernels = [_vote(), rng.dirichlet(np.ones(4) / 2, 3)]
                    for kernel in kernels:
                        after = loss(*(np.log(_answers(law, kernel)) for law in laws))
                        data = {"scores": list(scores), "change": change, "epsilon": epsilon}
                        cases.append(Case(after, loss(*map(np.log, laws)), data))
    return private(
        cases,
        "{cases} pairs of laws, before and after a vote or a random table: {exact:.4f} after, "
        "{stated:.4f} before.",
        range=f"three candidates, scores up to {effort.pick(2, 3, 5)}, two mechanisms, three budgets",
    )


def _answers(law, kernel):
    """Law of the answer that is drawn from row `output` of the kernel."""
    return law @ kernel


def _vote():
    """The first two candidates are one answer, the third is another."""
    return np.array([[1.0, 0], [1, 0], [0, 1]])


@claim(
    "rdf/undetectable",
    "section 1",
    "assumes",
    "thm-post-processing",
    ("mechanisms.Geometric",),
    proof="thm-post-processing",
    quantity="probability of a right guess whether a person is in the data, at epsilon 1",
    range="counts with geometric noise, ten budgets, outputs up to 60 nats away",
)
def undetectable(effort, rng):
    r"""The mechanism modifies the answer in a way that makes it mathematically impossible to detect if
    any specific individual is in the dataset or not (assuming that to detect is to be certain: a guess can
    be right with probability $e^\epsilon/(1 + e^\epsilon)$, and never more often)."""
    found = {}
    for epsilon in (0.01, 0.1, 0.2, 0.5, 2.0, 3.0, 4.0, 5.0, 8.6, 1.0):
        far = math.ceil(FAR / epsilon)
        outputs = np.arange(-far, far + 1)
        absent, present = (Geometric(epsilon).pmf(outputs - n) for n in (0, 1))
        certain = bool(((absent == 0) != (present == 0)).any())
        found[epsilon] = np.maximum(absent, present).sum() / 2, certain
    same = equal(
        (Case(p, math.exp(e) / (1 + math.exp(e)), {"epsilon": e}) for e, (p, _) in found.items()),
        "at epsilon {epsilon} a guess is right with probability {exact}, not {stated}",
    )
    if same.verdict == "fails" or any(certain for _, certain in found.values()):
        return Evidence("fails", "exact", same.summary, counterexample={"found": str(found)})
    right = {e: f"{p:.4f} at epsilon {e:g}" for e, (p, _) in found.items()}
    return Evidence(
        "holds" if found[1.0][0] <= 0.5 else "assumes",
        "exact",
        "Every output is possible with and without the person, so no output is a proof. But the best guess "
        f"from a noisy count is right with probability {right[0.01]}, {right[1.0]} and {right[8.6]}.",
        cases=len(found),
        published=0.5,
        computed=found[1.0][0],
        relation="=",
        counterexample={"counts": [0, 1], "epsilon": 1.0},
    )


@claim(
    "noise-scale",
    {V1: "Section 2.1, after equation (3); appendix A.3", V2: "Section 2, after equation (2); appendix C"},
    "holds",
    "thm-laplace",
    ("mechanisms.Laplace",),
    proof="thm-laplace",
    quantity="variance of the noise, in that at epsilon 1",
    range="five budgets, two sensitivities",
)  # fmt: skip
def noise_scale(effort, rng, paper):
    r"""The noise added scales as $1/\epsilon$: increased privacy directly translates to increased noise
    variance, $2\Delta(f)^2/\epsilon^2$."""
    cases = []
    for reach, epsilon in product((3.0, 1.0), (0.1, 0.5, 1.0, 2.0, 10.0)):
        noise = Laplace(epsilon, reach)
        half = quad(lambda x, noise=noise: x * x * noise.pdf(x), 0, np.inf)[0]
        data = {"epsilon": epsilon, "sensitivity": reach}
        cases.append(Case(half / reach**2, 1 / epsilon**2, data))
    note = "{cases} budgets and sensitivities: at epsilon {epsilon:g} {exact:.4f} times"
    return equal(cases, note, rtol=1e-7)
