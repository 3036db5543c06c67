"""What each mechanism draws: from a simulated generator, and, where it has an exact sampler, from a secure one.

A secure generator has no seed. Here its class is over a seeded one: the samplers go by the class, so that what is
drawn is what a secure fit draws, and can be drawn again.
"""

import math
from functools import partial

import numpy as np

from dplit import mechanisms
from dplit.court.power import laws
from dplit.court.power.drawn import Bound, Release
from dplit.court.power.releases.matrix import BOUND, EDGES, RATE, REACH, private
from dplit.court.power.sampling import seed_of
from dplit.mechanisms.secure import SecureGenerator

TRUE = 3  # value to which noise is added
SIGMA = 2.0
SCORES = (2, 0)  # of all candidates but the first, of which one record speaks
TARGETS = (1.0, 2.0)  # of the records besides one in the middle, between 0 and 4
LEAF = 3  # records of the first class: RDF's law at gaps 2 and 3
SMOOTH = math.log(2)
TIMES = 12  # the draws that are needed: nine tenths of the noise is seen, too
MANY = 4000  # at least


def exact(rng):
    """A generator of the secure class that has a seed."""
    return SecureGenerator(np.random.PCG64(seed_of(rng)))


def _real(rate=1.0, copies=1, bias=0.0, move=1.0):
    """Laplace noise, where one record moves the number by `move`."""
    shift = (copies - 1) * move + bias * math.sqrt(2) / (rate * RATE)
    return laws.decaying(rate * RATE, EDGES / RATE, shift=shift)


def _whole(rate=1.0, copies=1, bias=0.0):
    return laws.number(laws.two_sided(rate * RATE, REACH), BOUND, copies - 1, bias)


def _gaussian(rate=1.0, copies=1, bias=0.0):
    """Of zero-concentrated privacy 1/(2 sigma^2), as of epsilon^2/2: the deviation is over the rate."""
    return laws.number(laws.gaussian(SIGMA / rate, REACH), BOUND, copies - 1, bias)


def _binned(noise):
    return laws.binned(noise, EDGES / RATE)


def _clipped(noise):
    return np.clip(noise, -BOUND, BOUND).tolist()


def _laplace(n, rng):
    return _binned(mechanisms.Laplace(RATE).sample(np.full(n, float(TRUE)), rng=rng) - TRUE)


def _geometric(n, rng):
    return _clipped(mechanisms.Geometric(2 * RATE, 2).sample(np.full(n, TRUE), rng=rng) - TRUE)


def _discrete(n, rng):
    return _clipped(mechanisms.DiscreteGaussian(SIGMA).sample(np.full(n, TRUE), rng=rng) - TRUE)


def _mean(n, rng):
    """The votes for both ends, in records: a target of 1 has three quarters of a vote for 0, and so on."""
    targets = np.array([*TARGETS, 2.0])
    true = np.array([(1 - targets / 4).sum(), (targets / 4).sum()])
    groups = np.full(-(-n // 2), targets.sum()), np.full(-(-n // 2), len(targets))
    return _binned(mechanisms.BoundedMean(RATE, 0, 4).sample(*groups, rng=rng) - true)


def _laplace_bounds():
    bins, far = 4, 9 / 8
    members = frozenset(o for o in _real() if abs(o) > bins)
    yield Bound(f"noise of at least {far:g} scales,", members, math.exp(-far))
    yield from private(_real, RATE)


def _geometric_bounds():
    alpha = math.exp(-RATE)
    yield Bound("no noise,", frozenset({0}), (1 - alpha) / (1 + alpha))
    yield from private(_whole, RATE)


def _discrete_bounds():
    yield Bound("noise of at least two sigma,", frozenset(range(math.ceil(2 * SIGMA), BOUND + 1)), math.exp(-2))


def _scores(copies):
    return [copies, *SCORES]


def _softmax(rate=1.0, copies=1):
    return laws.softmax(_scores(copies), rate)


def _flip(rate=1.0, copies=1):
    return laws.flip(_scores(copies), rate)


def _choice(kind, n, rng):
    return kind(1.0, monotonic=True).sample(_scores(1), n, rng=rng).tolist()


def _choice_bounds(law):
    last = len(SCORES)
    yield Bound("the last one, odds e^-gap of the best,", frozenset({last}), math.exp(-SCORES[0]))
    without = law(copies=0)[0]
    yield Bound("the first one, e^epsilon times as likely as without its record,", frozenset({0}),
                math.exp(1) * without)  # fmt: skip


def _smooth(rate=1.0, copies=1, first=LEAF):
    r"""RDF's equations 7 and 8: weights :math:`e^{\epsilon u/(2S)}`, u = 1 of the majority, S = e^(-j epsilon)."""
    epsilon = rate * SMOOTH
    other = 1 / (1 + math.exp(min(epsilon / 2 * math.exp((first - copies) * epsilon), 700)))
    return {0: 1 - other, 1: other}


def _draw_smooth(n, rng):
    return mechanisms.SmoothExponential(SMOOTH).sample([LEAF, 1], max(n, MANY), rng=rng).tolist()


def _smooth_bounds():
    """What epsilon would allow beside a leaf of one record more, which the law exceeds; and the law's own loss."""
    beside, words = _smooth(first=LEAF + 1)[1], "times as likely as with one more record of the other,"
    yield Bound(f"the minority, e^epsilon {words}", frozenset({1}), math.exp(SMOOTH) * beside, holds=False)
    a, b = (SMOOTH / 2 * math.exp(j * SMOOTH) for j in (LEAF - 1, LEAF))
    factor = (math.exp(b) + 1) / (math.exp(a) + 1)
    yield Bound(f"the minority, {factor:.3g} {words}", frozenset({1}), factor * beside)


KINDS = {  # what it draws, the law in words, the law, the sampler, the bounds
    "Geometric": ("noise on a count", "two-sided geometric", _whole, _geometric, _geometric_bounds),
    "DiscreteGaussian": ("noise on a count", "discrete Gaussian", _gaussian, _discrete, _discrete_bounds),
    "BoundedMean": (  # in steps of 2^-32 of a record, which no bin can tell from Laplace noise
        "votes for both ends", "geometric noise in small steps", partial(_real, move=0.5), _mean, _laplace_bounds
    ),
    "Exponential": ("candidate", "with probabilities proportional to e^(rate * score)", _softmax,
                    partial(_choice, mechanisms.Exponential), partial(_choice_bounds, _softmax)),
    "PermuteAndFlip": ("candidate", "permute-and-flip, with coins in a random order", _flip,
                       partial(_choice, mechanisms.PermuteAndFlip), partial(_choice_bounds, _flip)),
}  # fmt: skip


def _simulated(sampler, n, rng):
    return sampler(TIMES * n, rng)


def _exactly(sampler, n, rng):
    return sampler(TIMES * n, exact(rng))


def registered():
    """The releases of this file."""
    laplace = "noise on a number"
    yield Release(f"Laplace, {laplace}", "mechanisms.Laplace", laplace, "mechanisms", "Laplace", _real,
                  partial(_simulated, _laplace), is_number=True, bounds=_laplace_bounds)  # fmt: skip
    for kind, (node, says, law, sampler, bounds) in KINDS.items():
        common = {"is_number": node != "candidate", "bounds": bounds}
        for drawn, ending in ((_simulated, ""), (_exactly, ", exact noise")):
            yield Release(f"{kind}, {node}{ending}", f"mechanisms.{kind}", node, "mechanisms",
                          says, law, partial(drawn, sampler), **common)  # fmt: skip
    yield Release("SmoothExponential, class", "mechanisms.SmoothExponential", "class", "majority",
                  r"with weights $e^{\epsilon u/(2S^*)}$, as in equations 7 and 8 of RDF", _smooth, _draw_smooth,
                  bounds=_smooth_bounds)  # fmt: skip
