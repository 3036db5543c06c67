r"""Strategies: what is released with noise, the error of what is computed from it, and the best of them.

Errors without an epsilon are in units of :math:`2/\epsilon^2`, for one class, summed over the queries.

==================================  ==============================================================
a strategy                          `Strategy`
its members                         `Identity`, `PerTree`, `DistinctLeaves`, `Marginals`,
                                    `WeightedLeaves`, `PIdentity`, `DisjointTrees`, `Dense`, `AgreeingTrees`
what it costs                       `sensitivity`, `error`, `unit_error`, `noise_scale`
the best of the portfolio           `select`, `member`, `portfolio`
searches of their own               `optimise_marginals`, `optimise_p`, `regions`
==================================  ==============================================================
"""

from dplit.matrix.strategies.base import Strategy
from dplit.matrix.strategies.designs import optimise_marginals
from dplit.matrix.strategies.marginals import Marginals
from dplit.matrix.strategies.members import Dense, DistinctLeaves, Identity, PerTree, WeightedLeaves
from dplit.matrix.strategies.p_identity import PIdentity, optimise_p, regions
from dplit.matrix.strategies.selection import (
    MEMBERS,
    TARGETS,
    error,
    fitting,
    member,
    noise_scale,
    noise_variance,
    portfolio,
    select,
    sensitivity,
    unit_error,
)
from dplit.matrix.strategies.trees import AgreeingTrees, DisjointTrees, agreeing_marginals

__all__ = [
    "MEMBERS", "TARGETS", "AgreeingTrees", "Dense", "DisjointTrees", "DistinctLeaves", "Identity", "Marginals",
    "PIdentity", "PerTree", "Strategy", "WeightedLeaves", "agreeing_marginals", "error", "fitting", "member",
    "noise_scale", "noise_variance", "optimise_marginals", "optimise_p", "portfolio", "regions", "select",
    "sensitivity", "unit_error",
]  # fmt: skip
