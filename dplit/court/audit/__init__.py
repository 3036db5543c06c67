"""Audits: is a mechanism as private as it says?

Three ways to ask. `privacy_loss` computes the exact loss between two inputs, and `worst_privacy_loss` and
`smallest_violation` search a space of neighbours with it. `epsilon_lower_bound` needs draws alone, and so
audits any black box; `audit_estimator` does that for any classifier. `distance_from_law` holds draws against a
law. `run` asks every mechanism and forest of the package: see ``dplit audit``. `dplit.court.audit.mutants`
plants bugs, `dplit.court.audit.search` looks for neighbours that leak. Derived in :doc:`/book/audit`.
"""

from dplit.court.audit.blackbox import (
    Event,
    LowerBound,
    bound_from_draws,
    epsilon_lower_bound,
    lower_limit,
    upper_limit,
)
from dplit.court.audit.estimators import FreshFit, audit_estimator, forest_labels, label_score, leaf_labels
from dplit.court.audit.law import distance_from_law
from dplit.court.audit.power import accuses, ceiling, draws_needed, misses
from dplit.court.audit.subject import Row, Subject
from dplit.court.audit.suite import audit_subject, run, select, subjects
from dplit.loss import (
    Witness,
    WorstCase,
    compare_laws,
    privacy_loss,
    privacy_loss_witness,
    smallest_violation,
    worst_privacy_loss,
)
from dplit.neighbours import (
    append_record,
    count_vectors,
    data_sets,
    neighbouring_counts,
    neighbouring_data,
    neighbouring_pairs,
    replace_record,
)

__all__ = [
    "Event", "FreshFit", "LowerBound", "Row", "Subject", "Witness", "WorstCase", "accuses",
    "append_record", "audit_estimator", "audit_subject", "bound_from_draws", "ceiling",
    "compare_laws", "count_vectors", "data_sets", "distance_from_law", "draws_needed",
    "epsilon_lower_bound",
    "forest_labels", "label_score", "leaf_labels", "lower_limit", "misses", "neighbouring_counts",
    "neighbouring_data", "neighbouring_pairs", "privacy_loss", "privacy_loss_witness",
    "replace_record", "run", "select", "smallest_violation", "subjects", "upper_limit",
    "worst_privacy_loss",
]  # fmt: skip
