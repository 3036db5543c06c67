"""Median forests: DiPriMe, DiPriMeExp and DiPriMeFlip (Consul and Williamson, both versions).

Trees cut each node at a private median; each leaf releases its mean or its class. See
:doc:`/book/median_forest`.
"""

from __future__ import annotations

import math

import numpy as np

from dplit.errors import (
    check_choice,
    check_epsilon,
    check_integer,
    check_neighbours,
    warn_leak,
)
from dplit.forests._median_budget import Shares, budget
from dplit.forests.base import PrivateForest, PrivateForestClassifier, PrivateForestRegressor
from dplit.forests.releases import proved_means, published_labels, published_means
from dplit.mechanisms import PermuteAndFlip
from dplit.trees.cuts import EXPONENTIAL, PERMUTE_AND_FLIP, UNIFORM, Rule
from dplit.trees.median import grow_median_trees

SELECTIONS = {
    "uniform": UNIFORM,
    "exponential": EXPONENTIAL,
    "permute-and-flip": PERMUTE_AND_FLIP,
}
MEDIANS = ("value", "rank")
ACCOUNTINGS = ("proved", "published")


class _MedianForest(PrivateForest):
    """What the two forests share: parameters, growing, accounts."""

    def __init__(
        self,
        epsilon=1.0,
        *,
        domain=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=5,
        max_features=5,
        rho=0.5,
        selection="exponential",
        median="value",
        partitioned=True,
        accounting="proved",
        random_state=None,
        n_jobs=None,
    ):
        self.epsilon = epsilon
        self.domain = domain
        self.neighbours = neighbours
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_features = max_features
        self.rho = rho
        self.selection = selection
        self.median = median
        self.partitioned = partitioned
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _shares(self):
        """Checked parameters, and what of epsilon each mechanism of one tree gets."""
        epsilon = check_epsilon(self.epsilon)
        check_neighbours(self.neighbours)
        n_trees = check_integer(self.n_estimators, "n_estimators", 1)
        check_integer(self.max_depth, "max_depth", 0)
        if self.max_features is not None:
            check_integer(self.max_features, "max_features", 1)
        rho = self.rho
        if isinstance(rho, bool) or not isinstance(rho, (int, float, np.number)) or not 0 < rho < 1:
            raise ValueError(f"rho must be a number between 0 and 1, both excluded, got {rho!r}")
        check_choice(self.selection, tuple(SELECTIONS), "selection")
        check_choice(self.median, MEDIANS, "median")
        check_choice(self.accounting, ACCOUNTINGS, "accounting")
        if not isinstance(self.partitioned, (bool, np.bool_)):
            raise ValueError(f"partitioned must be True or False, got {self.partitioned!r}")
        if self.median == "rank":
            if self.accounting == "proved":
                raise ValueError(
                    "median='rank' is not private: it needs accounting='published', "
                    "or else median='value'"
                )
            warn_leak("median='rank' has no finite epsilon: epsilon is infinite", 4)
        if self.accounting == "proved" and self.neighbours == "replace-one":
            epsilon /= 2  # one replaced record is one removed and one added
        if not self.partitioned:
            whole, epsilon = epsilon, epsilon / n_trees
            while n_trees * epsilon > whole:
                epsilon = math.nextafter(epsilon, 0.0)
        return Shares.split(epsilon, self.max_depth, float(rho), self.selection, self.accounting)

    def _rule(self, shares, domain, gain_rate):
        """How a node's cut is drawn; `gain_rate` as published. An infinite epsilon has no joint draw."""
        features = len(domain) if self.max_features is None else self.max_features
        joint = (
            self.accounting == "proved"
            and self.selection != "uniform"
            and math.isfinite(shares.median)
        )
        return Rule(
            max_depth=int(self.max_depth),
            max_features=int(min(features, len(domain))),
            rate=shares.median / 2,
            gain_rate=gain_rate,
            choice=SELECTIONS[self.selection],
            joint=joint,
            by_rank=self.median == "rank",
        )

    def _parts(self, n_records, rng):
        """Positions of the records of each tree; None for all."""
        n_trees = self.n_estimators
        if not self.partitioned:
            return [None] * n_trees
        if self.accounting == "published":
            return np.array_split(rng.permutation(n_records), n_trees)
        assigned = rng.integers(n_trees, size=n_records)
        order = np.argsort(assigned, kind="stable")
        return np.split(order, np.cumsum(np.bincount(assigned, minlength=n_trees))[:-1])


class MedianForestRegressor(PrivateForestRegressor, _MedianForest):
    r"""A private forest of median trees whose leaves release the mean of their targets.

    The budget is that of one ``fit``: what a pipeline computes from the records before it, or a
    search over parameters from their scores, is not in it.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive. ``inf`` gives the non-private twin: true medians,
        the candidate that explains most, true means.
    domain : Domain, optional
        What is public about the columns. Left out, the categories of a data frame's categorical and
        the two values of its boolean columns are taken to be public; anything else is read off the
        data, with a `PrivacyLeakWarning`, and the budget is infinite.
    target_bounds : (float, float), optional
        Public lower and upper bound of the targets, in their units; a target outside is clipped.
        Left out, they are read off `y` with a `PrivacyLeakWarning`, and the budget is infinite.
    neighbours : {"add-remove", "replace-one"}
        Which data sets `epsilon` holds for.
    n_estimators : int
        Number of trees.
    max_depth : int
        Cuts on a path, at least 0. A public choice: the papers aim at 25 records in a leaf, so
        about ``log2(n / (25 * n_estimators))`` for a public guess n of the number of records.
    max_features : int or None
        Columns that compete at a node, the paper's K, drawn anew at each node; None for all. Not
        used by ``selection="uniform"``.
    rho : float
        Share of the budget that goes to the cuts, between 0 and 1; the rest goes to the leaves.
    selection : {"exponential", "permute-and-flip", "uniform"}
        How a node's column is chosen: by what the cuts explain (DiPriMeExp, DiPriMeFlip) or
        uniformly (DiPriMe).
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
    random_state : int, Generator, RandomState or None
        Seed of trees and noise. Whoever knows it can undo the noise: leave it None for a release.
    n_jobs : int, optional
        Threads; the forest is the same for any number.

    Attributes
    ----------
    budget_ : Budget
        The privacy statement, as a proof tree.
    domain_ : Domain
    target_bounds_ : tuple of float
    trees_ : dplit.trees.Trees
    leaf_values_ : float64 array, shape (n_leaves,)
        Released mean of each leaf of the forest, in the units of the targets.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from dplit import datasets
    >>> from dplit.forests import MedianForestRegressor
    >>> data = datasets.load("gas-turbine")
    >>> forest = MedianForestRegressor(
    ...     epsilon=1.0, domain=data.domain, target_bounds=data.target_bounds, random_state=0
    ... )
    >>> forest.fit(data.X, data.y).budget_.epsilon
    1.0
    """

    def __init__(
        self,
        epsilon=1.0,
        *,
        domain=None,
        target_bounds=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=5,
        max_features=5,
        rho=0.5,
        selection="exponential",
        median="value",
        partitioned=True,
        accounting="proved",
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            epsilon,
            domain=domain,
            neighbours=neighbours,
            n_estimators=n_estimators,
            max_depth=max_depth,
            max_features=max_features,
            rho=rho,
            selection=selection,
            median=median,
            partitioned=partitioned,
            accounting=accounting,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.target_bounds = target_bounds

    def fit(self, X, y):
        """Grow the trees, and release a mean for each of their leaves.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)
            Numbers outside a column's bounds are clipped; unknown levels are errors.
        y : array_like of float, shape (n_records,)
            Targets; those outside `target_bounds` are clipped.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, a column, a level or a number is not as it must be; the message names it.
        TypeError
            If `X` is sparse.
        """
        shares = self._shares()
        records, y, domain, domain_node = self._read_fit(X, y)
        targets, bounds, target_node = self._read_targets(y)
        # A unit of the scaled sum of squares is (upper - lower)^2: rate eps/(8 B^2) as published,
        # eps where the sum of squares is known to grow by at most one unit a record.
        width, largest = bounds[1] - bounds[0], max(map(abs, bounds))
        published = self.accounting == "published"
        gain_rate = shares.choice * (width**2 / (8 * largest**2) if published else 1.0)

        rng = self._generator()
        rule = self._rule(shares, domain, gain_rate)
        parts = self._parts(len(records), rng)
        trees, stats = grow_median_trees(
            domain, records, targets, 0, parts, rule, rng=rng, n_jobs=self.n_jobs
        )
        values = (published_means if published else proved_means)(stats, shares.leaf, rng)

        self.domain_, self.target_bounds_, self.trees_ = domain, bounds, trees
        self.leaf_values_ = bounds[0] + width * values
        self.budget_ = budget(self, shares, gain_rate, (domain_node, target_node), "regression")
        return self


class MedianForestClassifier(PrivateForestClassifier, _MedianForest):
    """A private forest of median trees whose leaves release their majority class.

    Parameters, attributes and errors as `MedianForestRegressor`, and:

    Parameters
    ----------
    classes : sequence, optional
        The public class list, all strings or all numbers. Left out, the categories of a categorical
        `y`, or the two values of a boolean one; of any other `y` the classes are read off the data
        and the budget is infinite.
    accounting : {"proved", "published"}
        "proved" releases a leaf's class by permute-and-flip; "published" by the largest of its
        class counts with Laplace noise, and never less than 0.

    Attributes
    ----------
    classes_ : array, shape (n_classes,)
        Sorted.
    leaf_labels_ : uint array, shape (n_leaves,)
        Released class of each leaf of the forest, as a position in `classes_`.

    Examples
    --------
    >>> from dplit import datasets
    >>> from dplit.forests import MedianForestClassifier
    >>> data = datasets.load("magic")
    >>> forest = MedianForestClassifier(epsilon=1.0, domain=data.domain, random_state=0)
    >>> forest.fit(data.X, data.y).budget_.epsilon
    1.0
    """

    def __init__(
        self,
        epsilon=1.0,
        *,
        domain=None,
        classes=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=5,
        max_features=5,
        rho=0.5,
        selection="exponential",
        median="value",
        partitioned=True,
        accounting="proved",
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            epsilon,
            domain=domain,
            neighbours=neighbours,
            n_estimators=n_estimators,
            max_depth=max_depth,
            max_features=max_features,
            rho=rho,
            selection=selection,
            median=median,
            partitioned=partitioned,
            accounting=accounting,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.classes = classes

    def fit(self, X, y):
        """Grow the trees, and release a class for each of their leaves.

        Parameters, errors and return value as `MedianForestRegressor.fit`; `y` holds classes.
        """
        shares = self._shares()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)
        # Sum of squares of one-hot classes: a record adds less than 2 to it. Published with B = 1.
        published = self.accounting == "published"
        gain_rate = shares.choice / (8 if published else 2)

        rng = self._generator()
        rule = self._rule(shares, domain, gain_rate)
        parts = self._parts(len(records), rng)
        trees, counts = grow_median_trees(
            domain, records, codes.astype(np.float64), len(classes), parts, rule,
            rng=rng, n_jobs=self.n_jobs,
        )  # fmt: skip
        counts = counts[:, : len(classes)]
        if published:
            labels = published_labels(counts, shares.leaf, rng)
        else:
            mechanism = PermuteAndFlip(shares.leaf, monotonic=True)
            labels = mechanism.sample(counts.astype(np.int64), rng=rng)

        self.domain_, self.trees_ = domain, trees
        self._store_labels(labels, classes)
        self.budget_ = budget(self, shares, gain_rate, (domain_node, class_node), "classification")
        return self
