"""What a boosted forest releases in ``dplit audit``: each draw held against the law that is proved private."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dplit import boosting
from dplit.court.audit.subject import AgainstLaw, Lawful, Subject
from dplit.forests import boosted_releases
from dplit.mechanisms import DiscreteGaussian, Exponential, Geometric, PermuteAndFlip

EPSILON = 1.0
REACH = boosting.Reach(3, 2, 3)  # in steps: small, so that single steps can be counted
MASSES = (9.0, 7.0, 4.0, 4.0)
MOST = 25
RHO = 0.1


@dataclass(frozen=True)
class _Test:
    """Mechanism that chooses one of the tests with these masses."""

    def __call__(self, masses, rng):
        """Place of the test."""
        return boosted_releases.choose_test(np.array(masses), EPSILON, REACH.mass, rng)[0]


@dataclass(frozen=True)
class _Pairs:
    """Mechanism that releases the pair of one empty leaf; `side` of it, in steps, is the outcome."""

    side: int

    def __call__(self, sums, rng):
        """Steps of noise, those beyond `MOST` as one."""
        pairs, _ = boosted_releases.noisy_pairs(np.array(sums), EPSILON, REACH, rng)
        steps = float(pairs[self.side, 0, 0]) * boosting.STEPS
        return int(np.clip(steps, -MOST, MOST)) if steps == np.rint(steps) else "no whole step"


def _tests():
    law = PermuteAndFlip(EPSILON, REACH.mass).pmf(MASSES)
    return Lawful(_Test(), MASSES, dict(enumerate(law.tolist())))


def _noise(side):
    def lawful():
        law, inside = Geometric(EPSILON, REACH[1 + side]), range(1 - MOST, MOST)
        stated = {z: float(law.pmf(z)) for z in inside}
        stated |= {end: float(law.cdf(-MOST)) for end in (-MOST, MOST)}
        return Lawful(_Pairs(side), np.zeros((2, 1, 1), dtype=np.int64).tolist(), stated)

    return lawful


@dataclass(frozen=True)
class _Concentrated:
    """As `_Pairs` and `_Test`, of a zero-concentrated release; `side` None draws a test."""

    side: int | None = None

    def __call__(self, data, rng):
        """Place of the test, or steps of noise, those beyond `MOST` as one."""
        if self.side is None:
            return boosted_releases.concentrated_test(np.array(data), RHO, REACH.mass, rng)[0]
        pairs, _ = boosted_releases.concentrated_pairs(np.array(data), RHO, REACH, rng)
        steps = float(pairs[self.side, 0, 0]) * boosting.STEPS
        return int(np.clip(steps, -MOST, MOST)) if steps == np.rint(steps) else "no whole step"


def _concentrated_tests():
    law = Exponential((8 * RHO) ** 0.5, REACH.mass).pmf(MASSES)
    return Lawful(_Concentrated(), MASSES, dict(enumerate(law.tolist())))


def _gaussian(side):
    def lawful():
        law = DiscreteGaussian(REACH[1 + side] / (2 * RHO) ** 0.5)
        stated = {z: float(law.pmf(z)) for z in range(1 - MOST, MOST)}
        beyond = float(law.pmf(np.arange(MOST, 99 * MOST)).sum())
        stated |= {-MOST: beyond, MOST: beyond}
        zero = np.zeros((2, 1, 1), dtype=np.int64).tolist()
        return Lawful(_Concentrated(side), zero, stated)

    return lawful


def registered():
    """The subjects of this file."""
    draws = (12_000, 60_000, 300_000)
    for name, lawful in (
        ("boosting, a test draws its law", _tests),
        ("boosting, noise of positive parts draws its law", _noise(0)),
        ("boosting, noise of negative parts draws its law", _noise(1)),
        ("boosting with a delta, a test draws its law", _concentrated_tests),
        ("boosting with a delta, noise of positive parts draws its law", _gaussian(0)),
        ("boosting with a delta, noise of negative parts draws its law", _gaussian(1)),
    ):
        yield Subject(name, "law", "within", AgainstLaw(lawful, draws))
