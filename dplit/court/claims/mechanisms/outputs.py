"""What is done with an output, and how much noise there is (RDF, sections 1 and 4; DiPriMe v1 and v2)."""

import math
from itertools import product

import numpy as np
from scipy.integrate import quad

from dplit.court.claims.mechanisms._laws import EPSILONS, FAR, V1, V2, loss
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import need, note, private, same
from dplit.mechanisms import Exponential, Geometric, Laplace, PermuteAndFlip

PROCESSED = Box("thm-post-processing")
LAPLACE = Box("thm-laplace", "mechanisms.Laplace")


@PROCESSED(
    "rdf/post-processing",
    "section 4, before section 4.1",
    "holds",
    "mechanisms.PermuteAndFlip",
    "mechanisms.Exponential",
    quantity="privacy loss",
)
def post_processing(effort, rng):
    r"""Differential privacy is immune from post-processing: anything computed from the output of an
    $\epsilon$-private mechanism, such as a majority vote, never incurs additional privacy costs."""
    most = effort.pick(2, 3, 5)
    vote = np.array([[1.0, 0], [1, 0], [0, 1]])  # the first two candidates are one answer, the third is another
    for epsilon, *scores in product(EPSILONS, *[range(most + 1)] * 3):
        for mechanism in (PermuteAndFlip(epsilon), Exponential(epsilon)):
            for change in ((1, -1, 0), (1, 1, -1)):
                laws = [mechanism.pmf(np.add(scores, step)) for step in (0, change)]
                before = loss(*map(np.log, laws))
                for kernel in (vote, rng.dirichlet(np.ones(4) / 2, 3)):
                    after = loss(*(np.log(_answers(law, kernel)) for law in laws))
                    yield private(after, before, scores=scores, change=change, epsilon=epsilon)
    return note(
        "{cases} pairs of distributions, before and after a vote or a random table: {exact:.4f} after, "
        "{stated:.4f} before.",
        range=f"three candidates, scores up to {most}, two mechanisms, three budgets",
    )


def _answers(law, kernel):
    """Law of the answer that is drawn from row `output` of the kernel."""
    return law @ kernel


@PROCESSED("rdf/undetectable", "section 1", "assumes", "mechanisms.Geometric", proved=True)
def undetectable(effort, rng):
    r"""The mechanism modifies the answer in a way that makes it mathematically impossible to detect if any
    specific individual is in the dataset or not. (This assumes that to detect means to be certain: the largest
    probability that a guess is right is $e^\epsilon/(1 + e^\epsilon)$.)"""
    right = {}
    for epsilon in (0.01, 0.1, 0.2, 0.5, 2.0, 3.0, 4.0, 5.0, 8.6, 1.0):
        far = math.ceil(FAR / epsilon)
        outputs = np.arange(-far, far + 1)
        absent, present = (Geometric(epsilon).pmf(outputs - n) for n in (0, 1))
        yield need(((absent == 0) == (present == 0)).all(), broken="fails", epsilon=epsilon)
        right[epsilon] = np.maximum(absent, present).sum() / 2
        stated = math.exp(epsilon) / (1 + math.exp(epsilon))
        yield same(right[epsilon], stated, broken="fails", epsilon=epsilon)
    yield need(right[1.0] <= 0.5, right[1.0], "=", 0.5, counts=[0, 1], epsilon=1.0)
    shown = [f"{right[e]:.4f} at epsilon {e:g}" for e in (0.01, 1.0, 8.6)]
    return note(
        "Every output is possible with and without the person, so no output is a proof. But the best guess "
        f"from a noisy count is right with probability {shown[0]}, {shown[1]} and {shown[2]}.",
        quantity="probability of a right guess whether a person is in the data, at epsilon 1",
        range="counts with geometric noise, ten budgets, outputs up to 60 nats away",
    )


@LAPLACE(
    "noise-scale",
    {V1: "Section 2.1, after equation (3); appendix A.3", V2: "Section 2, after equation (2); appendix C"},
    quantity="variance of the noise, in that at epsilon 1",
    range="five budgets, two sensitivities",
)
def noise_scale(effort, rng, paper):
    r"""The noise added scales as $1/\epsilon$, so increased privacy directly translates to increased noise
    variance, which is $2\Delta(f)^2/\epsilon^2$."""
    for reach, epsilon in product((3.0, 1.0), (0.1, 0.5, 1.0, 2.0, 10.0)):
        noise = Laplace(epsilon, reach)
        half = quad(lambda x, noise=noise: x * x * noise.pdf(x), 0, np.inf)[0]
        yield same(half / reach**2, 1 / epsilon**2, 1e-7, epsilon=epsilon, sensitivity=reach)
    return "{cases} budgets and sensitivities: at epsilon {epsilon:g} the variance is {exact:.4f} times that at 1"
