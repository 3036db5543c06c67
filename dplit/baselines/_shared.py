"""What the private baselines share: records of each tree, bins of a column, releases of a leaf."""

from typing import NamedTuple

import numpy as np

from dplit import trees
from dplit.domain import Domain
from dplit.forests import parameter_checks
from dplit.forests.base import BaseForest, parameters
from dplit.forests.noise import ONLY_PROVED
from dplit.forests.parameter_checks import GUESS as PUBLIC_N
from dplit.forests.parameter_checks import check_bins, check_depth, check_max_features, n_candidates, usual_depth
from dplit.forests.releases import flip, laplace_counts, largest, proved_means, published_means
from dplit.ground.errors import check_integer
from dplit.trees.greedy_levels import Rule, grow_greedy_level_trees
from dplit.trees.nodes import sums_in_steps


@parameters
class Baseline(BaseForest):
    """Base of the private baselines."""

    partitioned: bool | None = None
    _poor_below = 100.0

    def _check(self):
        super()._check()
        self._check_depth()
        if not isinstance(self.partitioned, (bool, np.bool_, type(None))):
            raise ValueError(f"partitioned must be True, False or None, got {self.partitioned!r}")

    def _inexact(self):
        return None if self._is_proved() else ONLY_PROVED

    def _check_depth(self):
        if self.max_depth is not None:
            check_depth(self.max_depth)

    def _n_levels(self, branches=2.0):
        """`max_depth`, or what leaves some 25 records in a leaf, of a public number of records."""
        if self.max_depth is not None:
            return int(self.max_depth)
        guess = PUBLIC_N if getattr(self, "public_n", None) is None else self.public_n
        return usual_depth(guess, self._n_trees() if self._is_partitioned() else 1, branches)

    def _is_partitioned(self):
        return self._is_proved() if self.partitioned is None else self.partitioned

    def _labels(self, counts, epsilon, rng):
        """Class of each leaf and what it spends: permute-and-flip, or as published noisy counts."""
        if self._is_proved():
            return flip(counts, epsilon, rng)
        released, spent = laplace_counts(counts, epsilon, rng)
        return largest(released, rng), spent

    def _means(self, stats, epsilon, rng):
        return (proved_means if self._is_proved() else published_means)(stats, epsilon, rng)


def leaf_stats(
    forest: trees.Trees, records: np.ndarray, y: np.ndarray, n_classes: int, parts: list[np.ndarray]
) -> np.ndarray:
    """Number and sum in steps of every leaf's targets, or its class counts, from its tree's own records.

    Int64, shape (n_leaves, 2) or (n_leaves, n_classes); 0 classes for a regression, whose targets are in
    [0, 1]. `parts` has the positions of each tree's records.
    """
    stats = np.zeros((forest.n_leaves, n_classes or 2), dtype=np.int64)
    for t, part in enumerate(parts):
        first, last = forest.leaf_starts[t : t + 2]
        leaves, target = trees.apply(forest.only(t), records[part])[:, 0], y[part]
        size = last - first
        if n_classes:
            cells = np.bincount(leaves * np.int64(n_classes) + target, minlength=size * n_classes)
            stats[first:last] = cells.reshape(size, n_classes)
        else:
            stats[first:last] = sums_in_steps(leaves, target, size)
    return stats


def shares_of(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Share of each class among released counts, those below 0 raised to it; the label's where none is above.

    Shape of `counts`, (n, n_classes): rows add up to 1.
    """
    shares = np.maximum(counts, 0.0)
    shares[np.arange(len(counts)), labels] += ~shares.any(axis=1)
    return shares / shares.sum(axis=1, keepdims=True)


def leaf_means(forest: trees.Trees, records: np.ndarray, values: np.ndarray, n_jobs: int | None) -> np.ndarray:
    """Mean over the trees of what the leaves of each record hold, shape (n_records, n_outputs).

    `values` has shape (n_leaves, n_outputs).
    """
    columns = np.ascontiguousarray(values.T, dtype=np.float64)
    return np.column_stack([trees.average(forest, records, c, n_jobs) for c in columns])


@parameters
class LevelsBaseline(Baseline):
    """Base of the forests that cut continuous columns into bins and split on all levels at once.

    `trees_` tests the numbers of bins, and `_read` gives them.
    """

    max_depth: int | None = 4
    max_features: int | float | str | None = 5
    bins: int = 5
    rho: float = 0.5

    def _check(self):
        super()._check()
        check_bins(self.bins)
        check_max_features(self.max_features)
        parameter_checks.check_rho(self.rho)

    def _read(self, X):
        records = super()._read(X)
        return bin_codes(self.domain_, records, self.bins_).T.astype(np.float64)

    def _grown(self, binned, y, n_classes, parts, depth, choice, rng):
        """Trees and the private statistics of their leaves."""
        features = n_candidates(self.max_features, len(binned.codes))
        rule = Rule(depth, features, choice.score, choice.rate, choice.count_scale)
        return grow_greedy_level_trees(
            binned.codes, binned.arity, y, n_classes, parts, rule, rng=rng, n_jobs=self.n_jobs
        )

    def _binned(self, domain, records):
        """Records as levels, and the depth that paths can reach."""
        levels = domain.n_levels
        arity = np.where(levels > 0, levels, self.bins)
        binned = Binned(bin_codes(domain, records, self.bins), arity)
        return binned, min(self._n_levels(arity.mean()), int((arity > 1).sum()))


class Binned(NamedTuple):
    """Records as levels: a row of `codes` for each column, and the number of its levels."""

    codes: np.ndarray
    arity: np.ndarray


class Choice(NamedTuple):
    """How a column is chosen: the score, its weight, and the noise of a test for purity (0: none)."""

    score: int
    rate: float
    count_scale: float = 0.0


def bin_codes(domain: Domain, records: np.ndarray, bins: int) -> np.ndarray:
    """Level of each record in each column; of a continuous one, its bin among equally wide ones.

    The bins are those of the public interval, so they cost nothing (DiPriMe v1, section 4.2). Int32, shape
    (n_features, n_records), in C order.
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


def check_public_n(public_n: int | None) -> None:
    """Check a public number of records, or None."""
    if public_n is not None:
        check_integer(public_n, "public_n", 1)
