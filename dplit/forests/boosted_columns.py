"""The columns that a boosted forest tests: the domain's, and for small regressions differences of two."""

from __future__ import annotations

import numpy as np

from dplit.boosting import along, directions
from dplit.domain import Continuous, Domain

MOST_DIRECTIONS, MOST_CODES = 200, 30_000_000  # in all, and times the number of records


def possible_directions(domain, n_records):
    """The `dplit.boosting.directions` of a domain, for a public number of records."""
    bounds, levels = domain.bounds, domain.n_levels
    continuous = np.flatnonzero((levels == 0) & (bounds[:, 1] > bounds[:, 0]))
    return directions(continuous.tolist(), min(MOST_DIRECTIONS, MOST_CODES // n_records))


def tested(domain, taken):
    """The domain's columns and the directions that are `taken`, by names."""
    names = list(domain.names or [f"column {j}" for j in range(len(domain))])
    names += [f"{names[i]} - {c:g} {names[j]} (shares)" for i, j, c in taken]
    columns = [Continuous(-c, 1.0) for _, _, c in taken]
    return Domain([*domain.features, *columns], names=names)


def with_directions(records, domain, taken):
    """The records with their values along directions as further columns."""
    return np.hstack([records, along(records, domain.bounds, taken)]) if taken else records
