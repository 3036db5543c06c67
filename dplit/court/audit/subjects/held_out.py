"""Private scores of held-out records, and choices by them, in ``dplit audit``: what a person moves."""

from functools import partial
from itertools import product

import numpy as np

from dplit.court.audit.subject import AR, RO, subjects_of, worst_of
from dplit.court.audit.subjects.moved import EPSILON, in_turn
from dplit.court.power.releases.metrics import VIEWS, told
from dplit.metrics import HeldOut, describe

RECORDS = ((0.9, 1), (0.0, 1), (0.5, 0), (1.0, 0), (0.3, 2))  # what a model says of it, and its target
MORE = *RECORDS, (0.123, 0), (0.77, 1)  # that a person may bring: not all are there already
NUMBERS, BOUNDS = (told(lambda X: 9 * X - 4), told(lambda X: 1 - X)), (-1.0, 1.5)  # the first says more
CALLS = {  # by the bounds of the targets
    "scores": (None, lambda held: held.scores(VIEWS[0], EPSILON, "accuracy", "log_loss", "auc", "calibration")),
    "scores of a regression": (BOUNDS, lambda held: held.scores(NUMBERS[0], EPSILON, "mse", "r2")),
    "choice of a threshold": (None, lambda held: held.threshold(VIEWS[0], EPSILON, weights=(1, 3))),
    "choice of a model": (None, lambda held: held.best(VIEWS, EPSILON)),
    "choice of a regression": (BOUNDS, lambda held: held.best(NUMBERS, EPSILON)),
    "description of a column": (BOUNDS, lambda held: describe(held, EPSILON)),
}


def lost(name, neighbours, several, record):
    """The loss of a call, at most, where a person with so many records comes, or takes another's place.

    It is what the call says to have spent, if that is more.
    """
    bounds, call = CALLS[name]

    def drawn(rows, rng):
        X, y = np.array(rows, dtype=float).T
        return call(HeldOut(X, y if bounds else np.minimum(y, 1), bounds, neighbours, several, rng))

    before, more = [RECORDS[0]] * several + list(RECORDS), [record] * several
    after = before + more if neighbours == AR else before[several:] + more
    loss, released = in_turn(partial(drawn, before), partial(drawn, after))
    return max(loss / released.budget.epsilon * EPSILON, released.budget.epsilon)


def _moved(name, effort, rng):
    missing = ((0.4, np.nan),) if name.startswith("description") else ()
    cases = product((AR, RO), (1, 2), (*MORE, *missing))
    return worst_of(EPSILON, [(lost(name, *case), *map(str, case)) for case in cases])


def registered():
    """The subjects of this file."""
    yield from subjects_of({name: partial(_moved, name) for name in CALLS}, "held-out records, {}")
