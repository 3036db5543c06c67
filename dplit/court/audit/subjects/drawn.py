"""Each release of each estimator in ``dplit audit``, drawn and held against its law, with known power."""

import math
from dataclasses import dataclass

from dplit.court.audit.subject import FALSE_ALARM, Found, subjects_of
from dplit.court.power import drawn_test, releases


@dataclass(frozen=True)
class Drawn:
    """Check by the test of one release (`dplit.court.power`); where it refuses, no loss is known."""

    name: str
    method = "law"

    def __call__(self, effort, rng):
        """Found: 0, or infinite with what was refused."""
        test = drawn_test(self.name, FALSE_ALARM)
        outcome = test(rng)
        refused = "; ".join(outcome.refused)
        return Found(0.0, math.inf if refused else 0.0, refused or f"{test.draws} draws")


def registered():
    """The subjects of this file."""
    yield from subjects_of({name: Drawn(name) for name in releases()}, "{} draws its law, with known power")
