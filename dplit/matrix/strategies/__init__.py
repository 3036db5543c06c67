r"""Strategies: what is released with noise, the error of what is computed from it, and the best of them.

Errors without an epsilon are in units of :math:`2/\epsilon^2`, for one class, summed over the queries.

==================================  ==============================================================
a strategy                          `Strategy`: `Identity`, `PerTree`, `DistinctLeaves`, `Dense`
what it costs                       `sensitivity`, `error`, `unit_error`, `noise_scale`
the best of the portfolio           `select`, `member`
==================================  ==============================================================
"""

from dplit.matrix.strategies.base import Strategy
from dplit.matrix.strategies.members import Dense, DistinctLeaves, Identity, PerTree
from dplit.matrix.strategies.selection import (
    MEMBERS,
    error,
    fitting,
    member,
    noise_scale,
    noise_variance,
    select,
    sensitivity,
    unit_error,
)

__all__ = [
    "MEMBERS", "Dense", "DistinctLeaves", "Identity", "PerTree", "Strategy", "error", "fitting", "member",
    "noise_scale", "noise_variance", "select", "sensitivity", "unit_error",
]  # fmt: skip
