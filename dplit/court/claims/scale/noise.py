"""Claims on the error of released counts by the number of records: certified, and by the package's sampler."""

import math

import numpy as np

from dplit import scale
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, decisive, frequency, note, same
from dplit.mechanisms import Geometric

FAR = 2000  # noise beyond it has a probability below e^-200
NOISE = Box("thm-scale-noise")
STEPS = tuple(f"ours/scale-noise:{step}" for step in ("moment", "variance", "error", "enough"))


@NOISE("ours/scale-noise", "ours", "holds", "scale.share_error", "scale.enough_records", **over(*STEPS))
def noise(effort, rng):
    r"""If $n$ records lie in a cell with probability $q$ each and the noise has ratio $\alpha$, the released share
    has mean squared error $q(1-q)/n + 2\alpha/((1-\alpha)^2 n^2)$. From $n = 2\alpha/((1-\alpha)^2 q(1-q))$ on,
    the second term is at most the first."""
    *steps, error, enough = STEPS
    for name in steps:
        yield from certified(name, effort)
    stated = lambda a, n, q: scale.share_error(n, q, -math.log(a)) ** 2  # noqa: E731
    yield from certified(error, effort, right=stated)
    yield from certified(enough, effort)
    for q, epsilon in ((0.1, 0.1), (0.5, 0.5)):  # the two parts are equal there
        n, noise = scale.enough_records(q, epsilon), np.arange(-FAR, FAR + 1)
        yield same(Geometric(epsilon).pmf(noise) @ noise**2 / n**2, q * (1 - q) / n, q=q, epsilon=epsilon)
    return note(
        "Telescoping sums give the noise's second moment v, and the error is {statement}, whose second term is at "
        "most the first from the stated n on.",
        quantity="mean squared error of a released share",
    )


@NOISE("ours/scale-tail", "ours", "holds", "scale.far_off", "scale.chebyshev", proved=False, intervals=2)
def tail(effort, rng):
    """The probability that a released share is far off, computed from the distributions of the count and the
    noise, agrees with simulated draws and never exceeds the bound that follows from the variance."""
    draws, q, epsilon = effort.pick(20_000, 200_000, 2_000_000), 0.3, 0.1
    for n, t in ((200, 0.1), (2000, 0.02)):
        shares = Geometric(epsilon).sample(rng.binomial(n, q, draws), rng=rng) / n
        law, bound = scale.far_off(n, q, epsilon, t), scale.chebyshev(n, q, epsilon, t)
        yield frequency(np.abs(shares - q) >= t - 1e-12, law, n=n)
        yield decisive(below(law, bound, n=n, law=law))
    return note(
        "At n = {n} a share is far off with probability {law:.4f} by its distribution, and with probability "
        "{stated:.4f} at most by the variance.",
        quantity="probability that a released share is far off",
        range="200 and 2000 records, a share of .3, epsilon .1",
    )
