r"""DP-ERT: extremely random trees with private leaves (Bojarski, Choromanska, Choromanski, LeCun 2014).

As DiPriMe v1 describes it (section 2.2): "completely random splits", which cost nothing, "passing
all the N data instances through the trees and using the Laplace mechanism to store class counts".
How it is read here:

- Splits are binary (v2, section 4.3): a uniform cut of what the path has left of an interval, a
  uniform division of the levels that it has left (`dplit.trees.binary`).
- All trees see all records, so each has :math:`\epsilon/N_T`.
- A leaf's label is the class of its largest noisy count, and the trees vote.
- For a regression DiPriMe "modified DP-ERT to estimate the mean, rather than counts" (v2, section 4):
  with its own leaf mechanism (v2, section 3.1), noise scaled by the leaf's private count.
"""

from __future__ import annotations

from dplit.baselines import _shared as shared
from dplit.budget import Parallel, Public, Sequence
from dplit.forests.base import PrivateForestClassifier, PrivateForestRegressor
from dplit.forests.releases import proved_means, published_means
from dplit.trees.binary import grow_random_binary_trees


class _ExtraTrees(shared.Baseline):
    """What the two forests share."""

    def _grown(self, domain, n_records, rng):
        """Trees, and the positions of the records of each."""
        forest = grow_random_binary_trees(domain, self.n_estimators, self.max_depth, rng=rng)
        return forest, self._parts(n_records, rng)

    def _budget(self, schema, leaf):
        structure = f"{self.n_estimators} random trees of depth {self.max_depth}, no record is read"
        leaves = Parallel("leaves", (leaf,), "a record reaches one leaf")
        tree = Sequence("a tree", (Public("splits", structure), leaves))
        return self._account(schema, tree)


class DPExtraTreesClassifier(PrivateForestClassifier, _ExtraTrees):
    """DP-ERT: completely random binary trees whose leaves release a class.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive; ``inf`` adds no noise.
    domain, classes, random_state
        As `dplit.forests.MedianForestClassifier`.
    neighbours : {"add-remove", "replace-one"}
        Which data sets `epsilon` holds for.
    n_estimators, max_depth : int
        Number of trees, and of tests on a path; both public choices.
    partitioned : bool or None
        Whether each record is used in one tree only. If not, each tree has ``epsilon/n_estimators``.
        None: as `accounting` has it, True if proved and False as published.
    accounting : {"proved", "published"}
        "proved" releases a leaf's class by permute-and-flip and spends `epsilon`. "published" adds
        Laplace noise to its class counts and does not ask for the neighbours; the budget shows what
        that costs.
    n_jobs : int, optional
        Threads of ``predict``.

    Attributes
    ----------
    budget_, domain_, trees_, classes_, leaf_labels_
        As `dplit.forests.MedianForestClassifier`.

    Examples
    --------
    >>> from dplit import datasets
    >>> from dplit.baselines import DPExtraTreesClassifier
    >>> data = datasets.load("wdbc")
    >>> forest = DPExtraTreesClassifier(epsilon=1.0, domain=data.domain, random_state=0)
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
        partitioned=None,
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
        self.partitioned = partitioned
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y):
        """Grow the trees, and release a class for each of their leaves.

        Parameters, errors and return value as `dplit.forests.MedianForestClassifier.fit`.
        """
        epsilon = self._tree_epsilon()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)

        rng = self._generator()
        forest, parts = self._grown(domain, len(records), rng)
        counts = shared.leaf_stats(forest, records, codes, len(classes), parts)
        if self._is_proved():
            labels = shared.proved_labels(counts, epsilon, rng)
            leaf = shared.proved_label_spend(epsilon)
        else:
            labels = shared.largest(shared.noisy_counts(counts, epsilon, rng), rng)
            leaf = shared.counts_spend(epsilon)

        self.domain_, self.trees_ = domain, forest
        self._store_labels(labels, classes)
        self.budget_ = self._budget((domain_node, class_node), leaf)
        return self


class DPExtraTreesRegressor(PrivateForestRegressor, _ExtraTrees):
    """DP-ERT for a regression: completely random binary trees whose leaves release a mean.

    Parameters and attributes as `DPExtraTreesClassifier`, and:

    Parameters
    ----------
    target_bounds : (float, float), optional
        Public bounds of the targets, as in `dplit.forests.MedianForestRegressor`.
    accounting : {"proved", "published"}
        "proved" releases a leaf's mean by `BoundedMean`; "published" adds noise scaled by the
        leaf's private count, which has no finite epsilon, and does not clip.

    Attributes
    ----------
    leaf_values_ : float64 array, shape (n_leaves,)
        Released mean of each leaf of the forest, in the units of the targets.
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
        partitioned=None,
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
        self.partitioned = partitioned
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y):
        """Grow the trees, and release a mean for each of their leaves.

        Parameters, errors and return value as `dplit.forests.MedianForestRegressor.fit`.
        """
        epsilon = self._tree_epsilon()
        records, y, domain, domain_node = self._read_fit(X, y)
        targets, bounds, target_node = self._read_targets(y)

        rng = self._generator()
        forest, parts = self._grown(domain, len(records), rng)
        stats = shared.leaf_stats(forest, records, targets, 0, parts)
        if self._is_proved():
            values = proved_means(stats, epsilon, rng)
            leaf = shared.proved_mean_spend(epsilon)
        else:
            values = published_means(stats, epsilon, rng)
            leaf = shared.published_mean_leak()

        self.domain_, self.target_bounds_, self.trees_ = domain, bounds, forest
        self.leaf_values_ = bounds[0] + (bounds[1] - bounds[0]) * values
        self.budget_ = self._budget((domain_node, target_node), leaf)
        return self
