"""Median forests (Consul and Williamson): DiPriMe, DiPriMeExp and DiPriMeFlip. See :doc:`/book/median_forest`."""

import math
from typing import Any, NamedTuple, Self

import numpy as np

from dplit.forests import releases
from dplit.forests.base import BaseForest, BaseForestClassifier, BaseForestRegressor, parameters
from dplit.forests.noise import ONLY_PROVED
from dplit.forests.parameter_checks import check_depth, check_max_features, check_rho, n_candidates, usual_depth
from dplit.forests.partition import level_shares
from dplit.ground.errors import check_choice, warn_leak

MEDIANS = ("value", "rank")


class Shares(NamedTuple):
    """What of one tree's epsilon each mechanism gets: a median, the choice of a column, a leaf.

    DiPriMe v2, section 4: rho to the cuts, level by level, half of it to the choice.
    """

    median: float
    choice: float
    leaf: float


@parameters
class _MedianForest(BaseForest):
    """What the two forests share: parameters, cuts, growing."""

    max_features: int | float | str | None = 5
    n_records: int | None = None
    rho: float = 0.5
    selection: str = "exponential"
    median: str = "value"
    partitioned: bool = True
    _poor_below = 100.0

    def _plan(self):
        """From the checked parameters: how records are given to trees, and the shares of each tree."""
        self._check()
        if self.max_depth is not None:
            check_depth(self.max_depth)
        check_max_features(self.max_features)
        rho = check_rho(self.rho)
        check_choice(self.selection, tuple(releases.SELECTIONS), "selection")
        check_choice(self.median, MEDIANS, "median")
        if not isinstance(self.partitioned, (bool, np.bool_)):
            raise ValueError(f"partitioned must be True or False, got {self.partitioned!r}")
        if self.median == "rank":
            if self._is_proved():
                raise ValueError(
                    "median='rank' is not private: it needs accounting='published', or else median='value'"
                )
            warn_leak("median='rank' has no finite epsilon: epsilon is infinite", 5)
        way = self._way()
        epsilon = self._tree_epsilon(way)
        level, leaf = level_shares(epsilon, self._depth(), rho)
        if not self._is_proved():
            leaf = (1 - rho) * epsilon
        median, choice = (level, 0.0) if self.selection == "uniform" else (level / 2, level / 2)
        return way, Shares(median, choice, leaf)

    def _inexact(self):
        return None if self._is_proved() else ONLY_PROVED

    def _is_partitioned(self):
        return self.partitioned

    def _depth(self):
        """`max_depth`, or that of the papers' rule."""
        if self.max_depth is not None:
            return int(self.max_depth)
        return usual_depth(self.n_records, self._n_trees() if self.partitioned else 1)

    def _cut(self, shares, domain, published_rate, reach):
        """How a node's cut is drawn, and what it spends; a record adds at most `reach` to the sum of squares.

        `published_rate` times the share of the choice is the published weight of a unit of that sum.
        """
        limits = self._depth(), n_candidates(self.max_features, len(domain))
        if self.selection == "uniform":
            rule, node = releases.uniform_cut(limits, shares.median)
        elif self._is_proved():
            rule, node = releases.joint_cut(limits, shares.median, shares.choice, reach, self.selection)
        else:
            rate = shares.choice * published_rate
            rule, node = releases.candidates_cut(limits, shares.median, rate, reach, self.selection)
        return releases.by_rank(rule) if self.median == "rank" else (rule, node)

    def _grown(self, way, domain, records, y, n_classes, rule, rng):
        """Trees, the private statistics of their leaves, and the account of their records."""
        from dplit.trees.median import grow_median_trees  # compiled: slow to import

        parts, account = way.parts(len(records), rng)
        if not self.partitioned:
            parts = [None] * self.n_estimators  # all records: sorted once for all trees
        grown = grow_median_trees(domain, records, y, n_classes, parts, rule, rng=rng, n_jobs=self.n_jobs)
        return *grown, account


@parameters
class MedianForestRegressor(_MedianForest, BaseForestRegressor):
    r"""A private forest of median trees whose leaves release the mean of their targets.

    The budget is that of one ``fit``, and noise is secure or simulated, as of `RandomDecisionForestClassifier`.
    With ``noise="secure"`` whole numbers decide on each cut, and the rates pay for their rounding
    (`dplit.trees.exact_cuts`).

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive. ``inf`` gives the non-private twin: true medians,
        the candidate that explains most, true means.
    domain, neighbours
        As of `dplit.PrivateForestClassifier`.
    target_bounds, target_scale
        As of `dplit.PrivateForestRegressor`.
    n_estimators : int
        Number of trees.
    max_depth : int or None
        Cuts on a path, at least 0. A public choice: the papers aim at 25 records in a leaf, so
        about ``log2(n / (25 * n_estimators))`` for a public guess n of the number of records. None
        takes that, of `n_records`, up to 12.
    max_features : int, float, "sqrt", "log2" or None
        Columns that compete at a node, the paper's K, drawn anew at each node: their number, a share
        or a function of all, rounded down, or None for all. Not used by ``selection="uniform"``.
    n_records : int, optional
        As of `RandomDecisionForestClassifier`, for ``max_depth=None`` alone.
    rho : float
        Share of the budget that goes to the cuts, between 0 and 1; the rest goes to the leaves.
    selection : {"exponential", "permute-and-flip", "uniform"}
        How a node's column is chosen: by what the cuts explain (DiPriMeExp, DiPriMeFlip) or uniformly (DiPriMe).
    median : {"value", "rank"}
        Law of a cut: by value (v2), or by rank (v1), which has no finite epsilon and needs
        ``accounting="published"``.
    partitioned : bool
        Whether each record is used in one tree only. If not, every tree sees all records and
        `epsilon` is divided by the number of trees.
    accounting : {"proved", "published"}
        "proved" draws each record's tree independently, draws column and cut jointly, and releases
        leaf means by `BoundedMean`: it spends `epsilon`. "published" runs the paper's algorithm
        with the paper's budget split, its means not clipped; the budget shows what that costs.
    records_per_person, noise, random_state, n_jobs
        As of `dplit.PrivateForestClassifier`.

    Attributes
    ----------
    budget_, noise_, domain_, trees_, max_depth_, n_features_in_, feature_names_in_
        As of `RandomDecisionForestClassifier`.
    target_bounds_, target_scale_ : tuple of float, str
    leaf_values_ : float64 array, shape (n_leaves,)
        Released mean of each leaf of the forest, in the units of the targets, or of their logarithms.
    feature_importances_ : float64 array, shape (n_features,)
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees, and release a mean for each of their leaves. See `BaseForest.fit`."""
        way, shares = self._plan()
        records, y, domain, domain_node = self._read_fit(X, y)
        targets, bounds, target_node = self._read_targets(y)
        # A unit of the scaled sum of squares is (upper - lower)^2: rate eps/(8 B^2) as published,
        # eps where the sum of squares is known to grow by at most one unit a record.
        lower, upper = self._store_bounds(bounds)
        farthest = max(abs(lower), abs(upper))
        power = -math.frexp(farthest)[1]  # of two, which rounds nothing: no square overflows
        width, farthest = math.ldexp(upper - lower, power), math.ldexp(farthest, power)
        rule, cut = self._cut(shares, domain, width**2 / (8 * farthest**2), 1)

        self.max_depth_ = self._depth()
        rng = self._generator()
        trees, stats, account = self._grown(way, domain, records, targets, 0, rule, rng)
        release = releases.proved_means if self._is_proved() else releases.published_means
        means, leaf = release(stats, shares.leaf, rng)

        self._store_means(means, bounds)
        tree = releases.grown_tree(leaf, cut, self.max_depth_)
        return self._store(domain, trees, domain_node, target_node, account(tree))


@parameters
class MedianForestClassifier(_MedianForest, BaseForestClassifier):
    """A private forest of median trees whose leaves release their majority class.

    Parameters, attributes and errors as `MedianForestRegressor`, and:

    Parameters
    ----------
    classes
        As of `dplit.PrivateForestClassifier`.
    accounting : {"proved", "published"}
        "proved" releases a leaf's class by permute-and-flip; "published" by the largest of its
        class counts with Laplace noise, and never less than 0.

    Attributes
    ----------
    classes_, leaf_labels_
        As of `RandomDecisionForestClassifier`.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees, and release a class for each of their leaves.

        Parameters, errors and return value as `MedianForestRegressor.fit`; `y` holds classes.
        """
        way, shares = self._plan()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)
        # Sum of squares of one-hot classes: a record adds less than 2 to it. Published with B = 1.
        rule, cut = self._cut(shares, domain, 1 / 8, 2)

        self.max_depth_ = self._depth()
        rng = self._generator()
        trees, counts, account = self._grown(way, domain, records, codes, len(classes), rule, rng)
        if self._is_proved():
            labels, leaf = releases.flip(counts, shares.leaf, rng, "its class counts")
        else:
            labels, leaf = releases.published_labels(counts, shares.leaf, rng)

        self._store_labels(labels, classes)
        tree = releases.grown_tree(leaf, cut, self.max_depth_)
        return self._store(domain, trees, domain_node, class_node, account(tree))
