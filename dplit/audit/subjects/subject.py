"""What one row of ``dplit audit`` is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from dplit.loss import smallest_violation, worst_privacy_loss

EFFORTS = ("quick", "reader", "deep")
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


def pick(effort, *values):
    """The value that belongs to this effort."""
    return values[EFFORTS.index(effort)]


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
