"""Every claim of the five papers, each with the computation that decides it.

`all` lists them, `get` finds one, and ``Claim.check`` computes its evidence anew:

>>> from dplit import claims
>>> claims.get("rdf/theorem-1").check().verdict
'fails'
"""

from __future__ import annotations

from dplit.claims import (  # noqa: F401
    diprime_balance,
    diprime_balance_levels,
    diprime_budget,
    diprime_forest,
    diprime_leaf_mean,
    diprime_median,
    diprime_occupancy,
    diprime_occupancy_leaves,
    diprime_routes,
    diprime_selection,
    diprime_tables,
    diprime_utility,
    diprime_utility_labels,
    diprime_utility_loss,
    diprime_utility_split,
    diprime_v1,
    diprime_v2,
    rdf,
    rdf_best_depth,
    rdf_depth,
    rdf_empty,
    rdf_experiments,
    rdf_forest,
    rdf_leaves,
    rdf_trees,
    rdf_valid,
    rosnam,
)
from dplit.claims.core import (
    CAPACITY,
    EFFORTS,
    INTERVAL_ERROR,
    KINDS,
    LEDGER_ERROR,
    PAPERS,
    VERDICTS,
    Claim,
    Effort,
    Evidence,
    _registry,
    claim_rng,
    interval,
)
from dplit.claims.report import table

__all__ = [
    "CAPACITY", "EFFORTS", "INTERVAL_ERROR", "KINDS", "LEDGER_ERROR", "PAPERS", "VERDICTS",
    "Claim", "Effort", "Evidence", "all", "claim_rng", "get", "interval", "table",
]  # fmt: skip


def all(paper=None):
    """Every claim, in the order of the papers; those of one `paper` if it is given."""
    order = list(PAPERS)
    found = [c for c in _registry.values() if paper is None or c.paper == paper]
    return tuple(sorted(found, key=lambda c: order.index(c.paper)))


def get(id):
    """The claim with this id; an unknown one is an error that names the nearest."""
    if id in _registry:
        return _registry[id]
    import difflib

    near = difflib.get_close_matches(str(id), _registry, n=3) or list(_registry)[:3]
    raise KeyError(f"no claim has the id {id!r}; the nearest are {', '.join(near)}")
