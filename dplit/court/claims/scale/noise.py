"""Claims on the error of released counts by the number of records.

References are sums over all counts and all noise that matters, and draws of the package's own sampler.
"""

from itertools import product

import numpy as np
from scipy import stats

from dplit import scale
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, frequency, same
from dplit.mechanisms import Geometric

FAR = 2000  # noise beyond it has a probability below e^-200 at the epsilons below
NOISE = Box("thm-scale-noise")


def _enumerated(n, q, epsilon):
    """Mean squared error of a released share, over all counts and all noise up to `FAR`."""
    counts, noise = np.arange(n + 1), np.arange(-FAR, FAR + 1)
    weights = np.outer(stats.binom.pmf(counts, n, q), Geometric(epsilon).pmf(noise))
    return float((weights * ((counts[:, None] + noise) / n - q) ** 2).sum())


def _parts(q, epsilon):
    """Variances of whether one record lies in the cell, and of the noise: over both values, and up to `FAR`."""
    sampled, noise = (sum(p * (i - q) ** 2 for i, p in enumerate((1 - q, q))), np.arange(-FAR, FAR + 1))
    return sampled, float(Geometric(epsilon).pmf(noise) @ noise**2)


@NOISE(
    "ours/scale-noise",
    "ours",
    "holds",
    "scale.share_error",
    "scale.enough_records",
    quantity="mean squared error of a released share",
    range="10 to 300 records, shares .1 to .5, epsilon .1 to 2, every count and noise up to 2000",
)
def noise(effort, rng):
    r"""The mean squared error of a released share is $q(1-q)/n + 2\alpha/((1-\alpha)^2 n^2)$, and its second part
    is at most the first from $n = 2\alpha/((1-\alpha)^2 q(1-q))$ on."""
    sizes = effort.pick((10, 100), (10, 100, 300), (10, 30, 100, 300))
    for n, q, epsilon in product(sizes, (0.1, 0.5), (0.1, 0.5, 2.0)):
        stated = float(scale.share_error(n, q, epsilon)) ** 2
        yield same(_enumerated(n, q, epsilon), stated, n=n, q=q, epsilon=epsilon)
    for q, epsilon in ((0.1, 0.1), (0.5, 0.5)):  # the two parts are equal there
        n = scale.enough_records(q, epsilon)
        sampled, noised = _parts(q, epsilon)
        yield same(noised / n**2, sampled / n, n=round(n), q=q, epsilon=epsilon)
    return "{cases} cases, the last with n = {n}, q = {q} and epsilon {epsilon}"


@NOISE(
    "ours/scale-tail",
    "ours",
    "holds",
    "scale.far_off",
    "scale.chebyshev",
    proved=False,
    intervals=2,
    quantity="probability that a released share is far off",
    range="200 and 2000 records, a share of .3, epsilon .1",
)
def tail(effort, rng):
    """By the distributions of count and noise a released share is far off as often as in draws, and never more
    often than its variance allows."""
    draws, q, epsilon = effort.pick(20_000, 200_000, 2_000_000), 0.3, 0.1
    for n, t in ((200, 0.1), (2000, 0.02)):
        shares = Geometric(epsilon).sample(rng.binomial(n, q, draws), rng=rng) / n
        law, bound = scale.far_off(n, q, epsilon, t), scale.chebyshev(n, q, epsilon, t)
        yield frequency(np.abs(shares - q) >= t - 1e-12, law, n=n)
        yield decisive(below(law, bound, n=n, law=law))
    return "At n = {n} with probability {law:.4f} by the law, at most {stated:.4f} by the variance."
