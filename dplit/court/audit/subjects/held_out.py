"""Private scores of held-out records, and choices by them, in ``dplit audit``: what a person moves."""

from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np

from dplit.court.audit.lockstep import EPSILON, in_turn
from dplit.court.audit.subject import AR, RO, subjects_of, worst_of
from dplit.court.power.releases.metrics import VIEWS, told
from dplit.metrics import HeldOut, describe

RECORDS = ((0.9, 1), (0.0, 1), (0.5, 0), (1.0, 0), (0.3, 2))  # what a model says of it, and its target
MORE = *RECORDS, (0.123, 0), (0.77, 1)  # that a person may bring: not all are there already
NUMBERS, BOUNDS = (told(lambda X: 9 * X - 4), told(lambda X: 1 - X)), (-1.0, 1.5)  # the first says more
THREE = SimpleNamespace(classes_=np.arange(3), predict=lambda X: np.rint(2 * X).astype(int),
                        predict_proba=lambda X: np.stack([(1 - X) / 2, X / 2, X * 0 + 0.5], axis=1))  # fmt: skip
UNLIKE = 2, 3000  # records of tables that have little in common
CALLS = {  # by the bounds of the targets
    "scores": (None, lambda held: held.scores(VIEWS[0], EPSILON, "accuracy", "log_loss", "auc", "calibration")),
    "scores of three classes": (None, lambda held: held.scores(THREE, EPSILON, "log_loss", "accuracy")),
    "scores of a regression": (BOUNDS, lambda held: held.scores(NUMBERS[0], EPSILON, "mse", "r2")),
    "choice of a threshold": (None, lambda held: held.threshold(VIEWS[0], EPSILON, weights=(1, 3))),
    "choice of a model": (None, lambda held: held.best(VIEWS, EPSILON)),
    "choice of a regression": (BOUNDS, lambda held: held.best(NUMBERS, EPSILON)),
    "description of a column": (BOUNDS, lambda held: describe(held, EPSILON)),
    "description by a quantile": (BOUNDS, lambda held: describe(held, EPSILON, 0.9, bins=3)),
}


def drawn(name, rows, neighbours, several, rng):
    """What a call releases."""
    (bounds, call), (X, y) = CALLS[name], np.array(rows, dtype=float).T
    most = np.inf if bounds else 2 if "three" in name else 1
    return call(HeldOut(X, np.minimum(y, most), bounds, neighbours, several, rng))


def lost(name, neighbours, several, record, table=RECORDS):
    """The loss of a call, at most, where a person with so many records comes, or takes another's place.

    It is what the call says to have spent, if that is more.
    """
    before, more = [RECORDS[0]] * several + list(table), [record] * several
    after = before + more if neighbours == AR else before[several:] + more
    loss, released = in_turn(partial(drawn, name, before, neighbours, several),
                             partial(drawn, name, after, neighbours, several))  # fmt: skip
    return max(loss / released.budget.epsilon * EPSILON, released.budget.epsilon)


def _moved(name, effort, rng):
    missing = ((0.4, np.nan),) if name.startswith("description") else ()
    cases = product((AR, RO), (1, 2), (*MORE, *missing), (RECORDS, RECORDS[:1]))
    found = [(lost(name, *case), *map(str, case)) for case in cases]
    few, many = (partial(drawn, name, rows * n, AR, 1) for rows, n in zip((RECORDS[:1], RECORDS[1:]), UNLIKE))
    found += [(0.0 if in_turn(*pair)[0] < np.inf else np.inf, "unlike") for pair in ((few, many), (many, few))]
    return worst_of(EPSILON, found)


def registered():
    """The subjects of this file."""
    yield from subjects_of({name: partial(_moved, name) for name in CALLS}, "held-out records, {}")
