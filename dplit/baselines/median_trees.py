"""Median trees without privacy: the median forest with no noise at all (DiPriMe, both versions)."""

from __future__ import annotations

import math

from dplit.forests import MedianForestClassifier, MedianForestRegressor
from dplit.forests._median_budget import Shares


class _NoNoise:
    """Stands before a median forest and gives every mechanism an infinite epsilon."""

    rho, selection, median = 0.5, "exponential", "value"

    def _shares(self):
        super()._shares()  # for its checks
        return Shares(math.inf, math.inf, math.inf)


class MedianTreesClassifier(_NoNoise, MedianForestClassifier):
    """Median trees, without privacy: true medians, the column that explains most, true majorities.

    Parameters
    ----------
    epsilon
        Not used: the interface is that of the private forests, and the budget is infinite.
    domain, classes, neighbours, n_estimators, max_depth, max_features, accounting, random_state, n_jobs
        As `dplit.forests.MedianForestClassifier`.
    partitioned : bool
        Whether each record is used in one tree only.

    Attributes
    ----------
    budget_, domain_, trees_, classes_, leaf_labels_
        As `dplit.forests.MedianForestClassifier`; the total of the budget is ``inf``.
    """

    def __init__(
        self,
        epsilon=math.inf,
        *,
        domain=None,
        classes=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=5,
        max_features=5,
        partitioned=False,
        accounting="proved",
        random_state=None,
        n_jobs=None,
    ):
        self.epsilon = epsilon
        self.domain = domain
        self.classes = classes
        self.neighbours = neighbours
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_features = max_features
        self.partitioned = partitioned
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs


class MedianTreesRegressor(_NoNoise, MedianForestRegressor):
    """Median trees for a regression, without privacy: true medians and true means.

    Parameters and attributes as `MedianTreesClassifier`, with `target_bounds` and `leaf_values_` as
    `dplit.forests.MedianForestRegressor`.
    """

    def __init__(
        self,
        epsilon=math.inf,
        *,
        domain=None,
        target_bounds=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=5,
        max_features=5,
        partitioned=False,
        accounting="proved",
        random_state=None,
        n_jobs=None,
    ):
        self.epsilon = epsilon
        self.domain = domain
        self.target_bounds = target_bounds
        self.neighbours = neighbours
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_features = max_features
        self.partitioned = partitioned
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs
