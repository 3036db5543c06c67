"""The noise of a boosted forest's pair sums in ``dplit audit``: of each part, held against its own law.

The drawn tests (`dplit.court.power`) look at fits, where both parts move nearly alike. Here a record moves one by
more than the other, so that noise scaled by the smaller shows.
"""

from functools import partial

import numpy as np

from dplit import boosting
from dplit.court.audit.subject import AgainstLaw, Lawful, subjects_of
from dplit.forests.boosted_releases import noisy_pairs
from dplit.mechanisms import Geometric

EPSILON = 1.0
REACH = boosting.Reach(3, 2, 3)  # in steps: small, so that single steps can be counted
MOST = 25


def _steps(side, sums, rng):
    """Steps of noise on one side of the pair of an empty leaf, those beyond `MOST` as one."""
    pairs, _ = noisy_pairs(np.array(sums), EPSILON, REACH, rng)
    steps = float(pairs[side, 0, 0]) * boosting.STEPS
    return int(np.clip(steps, -MOST, MOST)) if steps == np.rint(steps) else "no whole step"


def _noise(side):
    """A geometric law; what is beyond is summed."""
    law = Geometric(EPSILON, REACH[1 + side])
    stated = {z: float(law.pmf(z)) for z in range(1 - MOST, MOST)}
    beyond = float(law.cdf(-MOST))
    nothing = np.zeros((2, 1, 1), dtype=np.int64).tolist()
    return Lawful(partial(_steps, side), nothing, stated | {-MOST: beyond, MOST: beyond})


def registered():
    """The subjects of this file."""
    laws = {part: partial(_noise, side) for side, part in enumerate(("positive", "negative"))}
    checks = {part: AgainstLaw(law, (12_000, 60_000, 300_000)) for part, law in laws.items()}
    yield from subjects_of(checks, "boosting, noise of {} parts draws its law")
