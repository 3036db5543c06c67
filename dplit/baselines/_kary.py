"""What the forests with a child for each level share: bins, what a path spends, growing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dplit.baselines import _shared as shared
from dplit.errors import check_integer
from dplit.forests._median_budget import Shares
from dplit.trees.kary import Rule, grow_kary_trees


class KaryBaseline(shared.Baseline):
    """Base of the forests that cut continuous columns into bins and split on all levels at once.

    `trees_` tests the numbers of bins, and `_read` gives them.
    """

    def _check_kary(self):
        """Check the parameters that these forests have beside the common ones."""
        check_integer(self.bins, "bins", 1)
        if self.max_features is not None:
            check_integer(self.max_features, "max_features", 1)

    def _read(self, X):
        records = super()._read(X)
        return bin_codes(self.domain_, records, self.bins_).T.astype(np.float64)

    def _grown(self, binned, y, n_classes, parts, depth, choice, rng):
        """Trees and the private statistics of their leaves."""
        features = len(binned.codes) if self.max_features is None else self.max_features
        rule = Rule(depth, features, choice.score, choice.rate, choice.count_scale)
        return grow_kary_trees(
            binned.codes, binned.arity, y, n_classes, parts, rule, rng=rng, n_jobs=self.n_jobs
        )

    def _binned(self, domain, records):
        """Records as levels, and the depth that paths can reach."""
        levels = domain.n_levels
        arity = np.where(levels > 0, levels, self.bins)
        binned = Binned(bin_codes(domain, records, self.bins), arity)
        return binned, min(self.max_depth, int((arity > 1).sum()))


class Binned(NamedTuple):
    """Records as levels: a row of `codes` for each column, and the number of its levels."""

    codes: np.ndarray
    arity: np.ndarray


class Choice(NamedTuple):
    """How a column is chosen: the score, its weight, and the noise of a test for purity (0: none)."""

    score: int
    rate: float
    count_scale: float = 0.0


def bin_codes(domain, records, bins):
    """Level of each record in each column; of a continuous one, its bin among equally wide ones.

    The bins are those of the public interval, so they cost nothing (DiPriMe v1, section 4.2: "we bin
    the numeric features into 5 bins", "data-agnostic").

    Parameters
    ----------
    domain : Domain
    records : float64 array, shape (n_records, n_features)
        As ``domain.encode`` gives it.
    bins : int

    Returns
    -------
    int32 array, shape (n_features, n_records), C order
    """
    lower, upper = domain.bounds.T
    wide = (domain.n_levels == 0) & (upper > lower)
    width = np.where(wide, upper - lower, 1.0)
    codes = np.empty((len(domain), len(records)), dtype=np.int32)
    for j, levels in enumerate(domain.n_levels):
        if levels:
            codes[j] = records[:, j]
        else:
            shares = (records[:, j] - lower[j]) / width[j]
            codes[j] = np.minimum(shares * bins, bins - 1)
    return codes


def level_shares(epsilon, depth, rho):
    """What a choice on each of `depth` levels gets, and a leaf: together at most `epsilon`."""
    shares = Shares.split(epsilon, depth, rho, "uniform", "proved")
    return shares.median, shares.leaf


def check_rho(rho):
    """Return `rho` as a float; it must lie between 0 and 1."""
    if isinstance(rho, bool) or not isinstance(rho, (int, float, np.number)) or not 0 < rho < 1:
        raise ValueError(f"rho must be a number between 0 and 1, both excluded, got {rho!r}")
    return float(rho)
