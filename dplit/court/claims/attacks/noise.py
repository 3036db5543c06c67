"""Claims on noise in doubles, which attacks break, and on exact noise, which they do not.

The attacks run against the package's own samplers; the references are sums of geometric series, and both orders of
two candidates.
"""

import math

import numpy as np

from dplit.court import attacks
from dplit.court.claims.attacks._attacked import attacked
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, counted, decisive
from dplit.mechanisms import Laplace, PermuteAndFlip, exact

EPSILON = 0.1
WIDE = 60  # exponent of the scores that the attack is run on


ADVANTAGE = {"intervals": 2, "quantity": "advantage of an attack"}
FLOAT = Box("thm-attack-float", "mechanisms.Laplace", "attacks.tell_apart", "attacks.can_reach", **ADVANTAGE)
ARGMAX = Box("thm-attack-argmax", "mechanisms.PermuteAndFlip", "attacks.rounded_scores", **ADVANTAGE)


@FLOAT("ours/float-laplace", "ours; Mironov 2012", "leaks", range="0 or 1, epsilon 0.1, noise as NumPy draws it")
def float_laplace(effort, rng):
    r"""A count plus Laplace noise that is computed in doubles is $\epsilon$-private, as with real-valued noise."""
    draws, noise = effort.pick(1500, 10_000, 100_000), Laplace(EPSILON)
    seen = []
    for value in (1.0, 0.0):
        released = noise.sample(np.full(draws, value), rng=rng)
        seen.append(int((attacks.tell_apart(released, (0.0, 1.0), noise.scale) == 1).sum()))
    least = attacks.float_noise(2.0**-53, noise.scale)
    reached = [bool(attacks.can_reach(least, value, noise.scale)) for value in (0.0, 1.0)]
    shown = {"released": least, "scale": noise.scale, "reached from 0 and 1": reached, "loss": "inf"}
    yield from attacked(seen, draws, attacks.advantage_bound(EPSILON), **shown)
    return (
        "The last bits give a 1 away with an advantage between {low:.3f} and {high:.3f}; privacy "
        "allows {stated:.3f}."
    )


@FLOAT.corrected(
    float_laplace, "mechanisms.exact.two_sided", "mechanisms.Geometric", proved=False, range="0 or 1, epsilon 0.1"
)
def exact_noise(effort, rng):
    r"""A count plus exact geometric noise of rate $\epsilon$ is $\epsilon$-private. The best attack on a count of
    0 or 1 asks whether the release is at least 1, and its advantage $\tanh(\epsilon/2)$ is the largest allowed."""
    draws = effort.pick(10_000, 200_000, 2_000_000)
    seen = [int((v + exact.two_sided(EPSILON, draws, rng) >= 1).sum()) for v in (1, 0)]
    alpha = math.exp(-EPSILON)
    # of noise at least 0, at least 1: geometric series
    law = [1 / (1 + alpha), alpha / (1 + alpha)]
    return (yield from _as_law(seen, law, draws))


def _as_law(seen, law, draws):
    """That both probabilities are those of the law, and that these differ by no more than privacy allows."""
    yield from (counted(events, draws, p) for events, p in zip(seen, law))
    yield decisive(below(law[0] - law[1], attacks.advantage_bound(EPSILON), rtol=1e-12))
    return (
        f"With and without the record the event occurs in {seen[0]} and {seen[1]} of {draws} draws. Its exact "
        f"probabilities are {law[0]:.5f} and {law[1]:.5f}, an advantage of {{exact:.5f}}, and privacy allows "
        "{stated:.5f}."
    )


@ARGMAX(
    "ours/float-argmax",
    "ours; Ilvento 2020, Casacuberta et al. 2022",
    "leaks",
    range="two candidates with whole scores of 2^60, epsilon 0.1",
)
def float_argmax(effort, rng):
    r"""If one record raises each score by at most 1, permute-and-flip computed as an arg-max of doubles is
    $\epsilon$-private for integer scores of any size."""
    draws, flip = effort.pick(4000, 40_000, 400_000), PermuteAndFlip(EPSILON, monotonic=True)
    without, with_one = attacks.rounded_scores(WIDE)
    seen = [int(flip.sample(s, draws, rng=rng).sum()) for s in (with_one, without)]
    small = attacks.rounded_scores(53)
    loss = max(abs(np.diff(flip.logpmf(np.array(small, dtype=float)), axis=0)[0]))
    shown = {"scores": [s.tolist() for s in small], "loss": float(loss), "epsilon": EPSILON}
    yield from attacked(seen, draws, attacks.advantage_bound(EPSILON), **shown)
    return (
        "One record moves the second candidate's probability by {low:.3f} to {high:.3f}; privacy "
        "allows {stated:.3f}."
    )


@ARGMAX.corrected(
    float_argmax,
    "mechanisms.exact.permute_and_flip",
    "attacks.exact_law",
    proved=False,
    range="two candidates with whole scores of 2^53, where doubles begin to fail, epsilon 0.1",
)
def exact_argmax(effort, rng):
    r"""Permute-and-flip with integer scores and exact coins has its exact distribution for scores of any size: if
    the second of two candidates leads by $g$, it is reported with probability $1 - e^{-\epsilon g}/2$."""
    draws = effort.pick(5000, 200_000, 2_000_000)
    without, with_one = attacks.rounded_scores(53)
    order, seen, law = np.empty(2, dtype=np.int64), [], []
    for scores in (with_one, without):
        reported = [exact.permute_and_flip(EPSILON, scores, order, rng) for _ in range(draws)]
        seen.append(int(sum(reported)))
        gap = int(scores[1]) - int(scores[0])
        law.append(0.5 + (1 - math.exp(-EPSILON * gap)) / 2)  # second in order, and it comes or not
    return (yield from _as_law(seen, law, draws))
