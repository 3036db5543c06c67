r"""Claims on noise in doubles, which attacks break, and on exact noise, which they do not.

Derived in :doc:`/book/release`. The attacks run against the package's own samplers; the references are
sums of geometric series, and both orders of two candidates.
"""

from __future__ import annotations

import math

import numpy as np

from dplit import release
from dplit.ledger import claim, interval, verdict_of
from dplit.mechanisms import Laplace, PermuteAndFlip, exact

EPSILON = 0.1
WIDE = 60  # exponent of the scores that the attack is run on


def _attacked(hits, alarms, draws, bound, note, counterexample, broken="leaks"):
    """Evidence that an attack's advantage is at most `bound`: an interval above it breaks it."""
    spans = tuple(interval(count, draws) for count in (hits, alarms))
    low, high = release.advantage_range(*spans)
    shown = note.format(low=low, high=high, bound=bound)
    return verdict_of(
        low <= bound, shown, counterexample, broken, kind="simulated", cases=2 * draws,
        published=bound, computed=(hits - alarms) / draws, relation="<=", intervals=spans,
    )  # fmt: skip


ADVANTAGE = {
    "kind": "simulated",
    "intervals": 2,
    "ours": True,
    "quantity": "advantage of an attack",
}


@claim(
    "ours/float-laplace",
    "ours; Mironov 2012",
    "leaks",
    "thm-attack-float",
    ("mechanisms.Laplace", "release.tell_apart", "release.can_reach"),
    range="0 or 1, epsilon 0.1, noise as NumPy draws it",
    **ADVANTAGE,
)
def float_laplace(effort, rng):
    r"""A count plus Laplace noise in doubles is $\epsilon$-private, as the noise in real numbers is."""
    draws, noise = effort.pick(1500, 10_000, 100_000), Laplace(EPSILON)
    seen = []
    for value in (1.0, 0.0):
        released = noise.sample(np.full(draws, value), rng=rng)
        seen.append(int((release.tell_apart(released, (0.0, 1.0), noise.scale) == 1).sum()))
    least = release.float_noise(2.0**-53, noise.scale)
    reached = [bool(release.can_reach(least, value, noise.scale)) for value in (0.0, 1.0)]
    return _attacked(
        *seen, draws, release.advantage_bound(EPSILON),
        "The last bits give a 1 away with an advantage between {low:.3f} and {high:.3f}; privacy "
        "allows {bound:.3f}.",
        {"released": least, "scale": noise.scale, "reached from 0 and 1": reached, "loss": "inf"},
    )  # fmt: skip


@float_laplace.corrected(
    functions=("mechanisms.exact.two_sided", "mechanisms.Geometric"),
    **{**ADVANTAGE, "intervals": 2},
    range="0 or 1, epsilon 0.1",
)
def exact_noise(effort, rng):
    r"""Exact geometric noise of rate $\epsilon$ is $\epsilon$-private. Of all attacks on 0 or 1 the best asks
    whether the release is at least 1, and its advantage is $\tanh(\epsilon/2)$, the bound itself."""
    draws = effort.pick(10_000, 200_000, 2_000_000)
    seen = [int((v + exact.two_sided(EPSILON, draws, rng) >= 1).sum()) for v in (1, 0)]
    alpha = math.exp(-EPSILON)
    # of noise at least 0, at least 1: geometric series
    law = [1 / (1 + alpha), alpha / (1 + alpha)]
    return _as_law(seen, law, draws, release.advantage_bound(EPSILON))


def _as_law(seen, law, draws, bound):
    """Evidence that both probabilities are those of the law, and that these differ by at most `bound`."""
    spans = tuple(interval(count, draws) for count in seen)
    good = all(low <= p <= high for (low, high), p in zip(spans, law))
    best = law[0] - law[1]
    return verdict_of(
        good and best <= bound * (1 + 1e-12),
        f"{seen[0]} and {seen[1]} of {draws} draws; by the law {law[0]:.5f} and {law[1]:.5f}, an "
        f"advantage of {best:.5f}, and privacy allows {bound:.5f}.",
        {"seen": seen, "law": law, "draws": draws},
        kind="simulated", cases=2 * draws, published=bound, computed=best, relation="<=",
        intervals=spans,
    )  # fmt: skip


@claim(
    "ours/float-argmax",
    "ours; Ilvento 2020, Casacuberta et al. 2022",
    "leaks",
    "thm-attack-argmax",
    ("mechanisms.PermuteAndFlip", "release.rounded_scores"),
    range="two candidates with whole scores of 2^60, epsilon 0.1",
    **ADVANTAGE,
)
def float_argmax(effort, rng):
    r"""Permute-and-flip as an arg-max of doubles is $\epsilon$-private for whole scores of any size that one
    record raises by at most 1."""
    draws, flip = effort.pick(4000, 40_000, 400_000), PermuteAndFlip(EPSILON, monotonic=True)
    without, with_one = release.rounded_scores(WIDE)
    seen = [int(flip.sample(s, draws, rng=rng).sum()) for s in (with_one, without)]
    small = release.rounded_scores(53)
    loss = max(abs(np.diff(flip.logpmf(np.array(small, dtype=float)), axis=0)[0]))
    shown = {"scores": [s.tolist() for s in small], "loss": float(loss), "epsilon": EPSILON}
    return _attacked(
        *seen, draws, release.advantage_bound(EPSILON),
        "One record moves the second candidate's probability by {low:.3f} to {high:.3f}; privacy "
        "allows {bound:.3f}.", shown,
    )  # fmt: skip


@float_argmax.corrected(
    functions=("mechanisms.exact.permute_and_flip", "release.exact_law"),
    **{**ADVANTAGE, "intervals": 2},
    range="two candidates with whole scores of 2^53, where doubles begin to fail, epsilon 0.1",
)
def exact_argmax(effort, rng):
    r"""Permute-and-flip on whole numbers, with exact coins, has its law for scores of any size: with gap g the
    second of two candidates is reported with probability $1 - e^{-\epsilon g}/2$."""
    draws = effort.pick(10_000, 200_000, 2_000_000)
    without, with_one = release.rounded_scores(53)
    order, seen, law = np.empty(2, dtype=np.int64), [], []
    for scores in (with_one, without):
        reported = [exact.permute_and_flip(EPSILON, scores, order, rng) for _ in range(draws)]
        seen.append(int(sum(reported)))
        gap = int(scores[1]) - int(scores[0])
        law.append(0.5 + (1 - math.exp(-EPSILON * gap)) / 2)  # second in order, and it comes or not
    return _as_law(seen, law, draws, release.advantage_bound(EPSILON))
