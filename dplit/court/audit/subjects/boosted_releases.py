"""What a boosted forest releases in ``dplit audit``: each draw held against the law that is proved private."""

from functools import partial

import numpy as np

from dplit import boosting
from dplit.court.audit.subject import AgainstLaw, Lawful, subjects_of
from dplit.forests import boosted_releases
from dplit.mechanisms import DiscreteGaussian, Exponential, Geometric, PermuteAndFlip

EPSILON = 1.0
REACH = boosting.Reach(3, 2, 3)  # in steps: small, so that single steps can be counted
MASSES = (9.0, 7.0, 4.0, 4.0)
MOST = 25
RHO = 0.1


def _chosen(release, spent, masses, rng):
    """Place of the test that a release chooses among those with these masses."""
    return release(np.array(masses), spent, REACH.mass, rng)[0]


def _steps(release, spent, side, sums, rng):
    """Steps of noise on one side of the pair of an empty leaf, those beyond `MOST` as one."""
    pairs, _ = release(np.array(sums), spent, REACH, rng)
    steps = float(pairs[side, 0, 0]) * boosting.STEPS
    return int(np.clip(steps, -MOST, MOST)) if steps == np.rint(steps) else "no whole step"


def _tests(release, spent, mechanism):
    law = dict(enumerate(mechanism.pmf(MASSES).tolist()))
    return Lawful(partial(_chosen, getattr(boosted_releases, release), spent), MASSES, law)


def _noise(release, spent, side, law):
    """A geometric or a Gaussian law; what is beyond is summed."""
    stated = {z: float(law.pmf(z)) for z in range(1 - MOST, MOST)}
    far = np.arange(MOST, 99 * MOST)
    beyond = float(law.cdf(-MOST) if isinstance(law, Geometric) else law.pmf(far).sum())
    mechanism = partial(_steps, getattr(boosted_releases, release), spent, side)
    nothing = np.zeros((2, 1, 1), dtype=np.int64).tolist()
    return Lawful(mechanism, nothing, stated | {-MOST: beyond, MOST: beyond})


def registered():
    """The subjects of this file."""
    flip, choice = PermuteAndFlip(EPSILON, REACH.mass), Exponential((8 * RHO) ** 0.5, REACH.mass)
    lawful = {"boosting, a test": partial(_tests, "choose_test", EPSILON, flip)}
    for side, parts in enumerate(("positive", "negative")):
        lawful[f"boosting, noise of {parts} parts"] = partial(
            _noise, "noisy_pairs", EPSILON, side, Geometric(EPSILON, REACH[1 + side])
        )
    lawful["boosting with a delta, a test"] = partial(_tests, "concentrated_test", RHO, choice)
    for side, parts in enumerate(("positive", "negative")):
        law = DiscreteGaussian(REACH[1 + side] / (2 * RHO) ** 0.5)
        lawful[f"boosting with a delta, noise of {parts} parts"] = partial(
            _noise, "concentrated_pairs", RHO, side, law
        )
    draws = (12_000, 60_000, 300_000)
    yield from subjects_of({k: AgainstLaw(v, draws) for k, v in lawful.items()}, "{} draws its law")
