"""Cells of a public domain, combinations of levels: continuous columns in bins of equal width. Reads no record."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dplit.domain import Categorical, Domain
from dplit.forests.parameter_checks import check_bins


@dataclass(frozen=True)
class Cells:
    """The columns of a domain as levels: `bins` of each continuous one, or one if its two bounds are equal."""

    domain: Domain
    bins: int

    def __post_init__(self):
        check_bins(self.bins)

    @cached_property
    def n_levels(self):
        """Levels of each column, int64, shape (n_features,)."""
        lower, upper = self.domain.bounds.T
        of_bins = np.where(lower < upper, self.bins, 1)
        return np.where(self.domain.n_levels > 0, self.domain.n_levels, of_bins).astype(np.int64)

    @property
    def n_cells(self):
        """Cells, a Python int of any size."""
        return math.prod(self.n_levels.tolist())

    @property
    def size_in_words(self):
        """Number of cells for a message; of a number that nobody would read, its magnitude."""
        n = self.n_cells
        return f"{n:,}" if n < 10**15 else f"about 10^{math.floor(math.log10(n))}"

    def schema(self, columns=None):
        """The domain whose levels are the codes of these columns; all of them if left out."""
        levels = self.n_levels if columns is None else self.n_levels[columns]
        return Domain([Categorical(range(n)) for n in levels.tolist()])

    def codes(self, records: np.ndarray) -> np.ndarray:
        """Levels of records that `Domain.encode` gave, int64 of shape (n_records, n_features)."""
        found = np.empty(records.shape, dtype=np.int64)
        for j in range(len(self.domain)):
            if self.domain.n_levels[j]:
                found[:, j] = records[:, j]
                continue
            (lower, upper), n = self.domain.bounds[j], int(self.n_levels[j])
            edges = lower + np.arange(1, n) / n * (upper - lower)
            found[:, j] = np.searchsorted(edges, records[:, j], side="right")
        return found
