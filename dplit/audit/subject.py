"""What one row of ``dplit audit`` is made of, and the ways to find a loss that the subjects share."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dplit.domain import Continuous, Domain
from dplit.errors import PrivacyLeakWarning
from dplit.loss import smallest_violation, worst_privacy_loss
from dplit.neighbours import append_record, replace_record
from dplit.work import EFFORTS

FALSE_ALARM = 1e-6
ROUNDING = 1e-9  # relative room that an exact loss gets above the declared epsilon


class Row(NamedTuple):
    """One subject's audit.

    `declared` is the epsilon that the subject claims, `found` its exact loss or a lower bound of
    it, `expected` "within" or "caught", and `ok` whether it came so. `detail` says where. Of a
    subject whose audit stopped with an error, the two numbers are NaN and `detail` is the error.
    """

    subject: str
    method: str
    declared: float
    found: float
    expected: str
    ok: bool
    detail: str


class Found(NamedTuple):
    """What the check of a subject returns."""

    declared: float
    found: float
    detail: str


@dataclass(frozen=True)
class Subject:
    """Something to audit.

    Attributes
    ----------
    name : str
    method : str
        "exact" or "black box".
    expected : str
        "within" or "caught".
    check : callable
        ``check(effort, rng) -> Found``.
    efforts : tuple of str
        The efforts that include it.
    """

    name: str
    method: str
    expected: str
    check: Callable
    efforts: tuple = EFFORTS


def described(bound):
    """A `LowerBound` in words."""
    first, second = bound.counts
    return (
        f"{bound.event}: {first} of {bound.n_draws - bound.n_draws // 2} draws, "
        f"{second} on the neighbour"
    )


def exact_worst(declared, law, space, neighbours):
    """Largest loss and where it is; above `declared`, also the first pair that breaks it."""
    worst = worst_privacy_loss(law, space, neighbours)
    detail = _pair(worst)
    if worst.loss > declared * (1 + ROUNDING):
        first = smallest_violation(law, space, declared, neighbours, rtol=ROUNDING)
        detail += f"; first broken by {_pair(first)}: {first.loss:.6g}"
    return Found(declared, worst.loss, detail)


def _pair(case):
    return f"{case.data} and {case.neighbour}, outcome {case.outcome}"


def fitted_subject(bound, make, data, change, *, declared=None, **options):
    """Check of an estimator on a handful of records in [0, 1].

    Parameters
    ----------
    bound : callable
        ``bound(estimator, data, neighbour, effort, rng) -> LowerBound``.
    make : callable
        The estimator's class; called when the check runs.
    data : tuple (X, y)
        Its records.
    change : tuple
        A way, "add" or "replace" (the first record), and the record that comes: values and label.
    declared : float, optional
        What the paper says that a fit costs; left out, the total of the fitted budget.
    options
        Parameters of the estimator.
    """

    def check(effort, rng):
        kind = make()
        X, y = np.array(data[0], dtype=float), np.array(data[1])
        target = (
            {"target_bounds": (0, 1)}
            if kind.__name__.endswith("Regressor")
            else {"classes": [0, 1]}
        )
        domain = Domain([Continuous(0, 1)] * X.shape[1])
        estimator = kind(domain=domain, **target, **options)
        way, *record = change
        changed = append_record(X, y, *record) if way == "add" else replace_record(X, y, 0, *record)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyLeakWarning)
            epsilon = declared or estimator.fit(X, y).budget_.epsilon
            found = bound(estimator, (X, y), changed, effort, rng)
        return Found(epsilon, found.epsilon, described(found))

    return check
