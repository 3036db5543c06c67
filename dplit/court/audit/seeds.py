"""One audit under many seeds: how often sound subjects are accused, and leaks are missed.

At the audit's own error rate no seed should accuse a sound subject; at `OFTEN` some may, and their number is held
against the rate. A leak is missed with a probability that is computed beforehand. See :doc:`/book/audit`.
"""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from dplit.court.audit.subject import FALSE_ALARM, ROUNDING, Subject
from dplit.court.audit.suite import missed, subjects
from dplit.ground.printed import data_file
from dplit.ground.work import Effort, fan_out, stream

OFTEN = 0.05
LEAST = 40  # draws


class Tally(NamedTuple):
    """Of one subject: seeds, draws on each input, and how many seeds found more than it declares.

    `alarms` at a false-alarm rate of `FALSE_ALARM` (and of a leak, how many caught it), `often` at `OFTEN`.
    `miss` is the computed probability that a quick audit misses the leak; None of a sound subject.
    """

    subject: str
    expected: str
    seeds: int
    draws: int
    alarms: int
    often: int
    miss: float | None = None

    @property
    def misses(self):
        """How many seeds did not catch the leak; 0 of a sound subject."""
        return self.seeds - self.alarms if self.expected == "caught" else 0


def drawing() -> tuple[Subject, ...]:
    """Return the subjects that draw."""
    return tuple(s for s in subjects("quick") if hasattr(s.check, "drawn"))


def tally(name: str, seeds: int, share: float = 1.0) -> Tally:
    """Audit one subject under the seeds 0, 1, ..., with a share of the draws of a quick audit."""
    subject = next(s for s in drawing() if s.name == name)
    draws = max(LEAST, round(share * Effort("quick").pick(*subject.check.draws)))
    found = np.array([_accused(subject, draws, seed) for seed in range(seeds)])
    miss = missed(subject) if subject.expected == "caught" else None
    return Tally(name, subject.expected, seeds, draws, *found.sum(axis=0).tolist(), miss)


def _accused(subject, draws, seed):
    at = subject.check.drawn(draws, stream(subject.name, seed))
    return [at(1 - rate).found > at(1 - rate).declared * (1 + ROUNDING) for rate in (FALSE_ALARM, OFTEN)]


def tallies(names: Iterable[str], seeds: int, share: float = 1.0, jobs: int = 1) -> Iterator[Tally]:
    """Yield a `Tally` of each named subject, as each is done."""
    names = list(names)
    for done in fan_out(tally, [(name, seeds, share) for name in names], jobs):
        if done.error:
            raise RuntimeError(f"{names[done.place]}: {done.error}")
        yield done.result


def stored(name: str) -> dict:
    """Return a stored run, "sound" or "leaks", as ``dplit audit --seeds`` prints it.

    ``rows`` is a list of `Tally`; the rest is where they come from: command, date, versions, seeds, share.
    """
    found = json.loads(data_file(f"results/audit/{name}.json").read_text(encoding="utf-8"))
    rows = [{name: row[name] for name in Tally._fields if name in row} for row in found["rows"]]
    return found | {"rows": [Tally(**row) for row in rows]}
