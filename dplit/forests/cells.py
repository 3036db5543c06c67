"""Cells of a public domain: continuous columns in bins of equal width, so that every record lies in one.

A cell is one combination of levels, and the domain has as many as the product of the columns' numbers of
levels. The edges of the bins are fractions of the public bounds: no record is read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dplit.domain import Categorical, Domain
from dplit.forests.inputs import check_bins
from dplit.matrix.paths import cells_of


@dataclass(frozen=True)
class Cells:
    """The columns of a domain as levels.

    Attributes
    ----------
    domain : Domain
    bins : int
        Levels of each continuous column; one if its two bounds are equal.
    """

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

    def codes(self, records):
        """The level of each record in each column.

        Parameters
        ----------
        records : float64 array, shape (n_records, n_features)
            As `Domain.encode` gives them.

        Returns
        -------
        int64 array, shape (n_records, n_features)
        """
        found = records.astype(np.int64)
        for j in np.flatnonzero(self.domain.n_levels == 0):
            feature, n = self.domain.features[j], int(self.n_levels[j])
            inner = np.arange(1, n) / n
            edges = feature.lower + inner * (feature.upper - feature.lower)
            found[:, j] = np.searchsorted(edges, records[:, j], side="right")
        return found


@dataclass(frozen=True)
class CellAnswers:
    """What a classifier answers in every cell: of one that sees cells alone, all that it can say.

    It has the classifier's place in a file.

    Attributes
    ----------
    n_levels : int64 array, shape (n_features,)
    classes_ : int64 array, shape (n_labels,)
        As the classifier has them.
    labels : int64 array, shape (n_cells,)
    shares : float64 array, shape (n_cells, n_labels)
    importances : float64 array, shape (n_features,), or None
        None if the classifier has none.
    """

    n_levels: np.ndarray
    classes_: np.ndarray
    labels: np.ndarray
    shares: np.ndarray
    importances: np.ndarray | None

    @classmethod
    def of(cls, learner, cells):
        """The answers of a fitted classifier that has probabilities.

        Parameters
        ----------
        learner : scikit-learn classifier or CellAnswers
        cells : Cells

        Returns
        -------
        CellAnswers
        """
        n_levels = cells.n_levels
        places = np.unravel_index(np.arange(cells.n_cells), n_levels.tolist())
        records = np.column_stack(places).astype(np.float64)
        importances = getattr(learner, "feature_importances_", None)
        shares = learner.predict_proba(records)
        return cls(n_levels, learner.classes_, learner.predict(records), shares, importances)

    @property
    def feature_importances_(self):
        """The classifier's."""
        if self.importances is None:
            raise AttributeError("feature_importances_: the learner has none")
        return self.importances

    def predict(self, records):
        """The answer in each record's cell.

        Parameters
        ----------
        records : array of codes, shape (n_records, n_features)

        Returns
        -------
        int64 array, shape (n_records,)
        """
        return self.labels[cells_of(records, self.n_levels)]

    def predict_proba(self, records):
        """The probabilities in each record's cell.

        Parameters
        ----------
        records : array of codes, shape (n_records, n_features)

        Returns
        -------
        float64 array, shape (n_records, n_labels)
        """
        return self.shares[cells_of(records, self.n_levels)]
