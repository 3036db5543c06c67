"""DP-ERT: completely random binary trees with noisy leaves (Bojarski and others 2014).

As DiPriMe v1, section 2.2, describes it; its regression releases means by DiPriMe's own leaf mechanism
(v2, section 4). All trees see all records, and each has epsilon over their number.
"""

from dplit.baselines._shared import Baseline, leaf_stats
from dplit.forests.base import BaseForestClassifier, BaseForestRegressor, parameters
from dplit.forests.releases import random_structure, random_tree
from dplit.trees.random_binary import grow_random_binary_trees


@parameters
class _ExtraTrees(Baseline):
    _spawns_structure = True

    def _grown(self, domain, records, y, n_classes, rng):
        """Trees, the private statistics of their leaves, what a leaf may spend, and its account."""
        way = self._way()
        forest = grow_random_binary_trees(domain, self.n_estimators, self._n_levels(), rng=rng)
        parts, account = way.parts(len(records), rng)
        stats = leaf_stats(forest, records, y, n_classes, parts)
        structure = random_structure("splits", self.n_estimators, self._n_levels())

        def spent(leaf):
            return account(random_tree(structure, leaf))

        return forest, stats, self._tree_epsilon(way), spent


@parameters
class DPExtraTreesClassifier(_ExtraTrees, BaseForestClassifier):
    """DP-ERT: completely random binary trees whose leaves release a class.

    Parameters
    ----------
    epsilon, domain, classes, neighbours, records_per_person, noise, random_state, n_jobs
        As `dplit.PrivateForestClassifier`.
    n_estimators : int
        Number of trees, a public choice.
    max_depth : int or None
        Tests on a path, a public choice. None: as many as leave some 25 records in a leaf, of 10,000.
    partitioned : bool or None
        Whether each record is used in one tree only. If not, each tree has ``epsilon/n_estimators``.
        None: as `accounting` has it, True if proved and False as published.
    accounting : {"proved", "published"}
        "proved" releases a leaf's class by permute-and-flip and spends `epsilon`. "published" adds Laplace noise
        to its class counts and does not ask for the neighbours; the budget shows what that costs.

    Attributes
    ----------
    budget_, domain_, trees_, classes_, leaf_labels_
        As `dplit.forests.RandomDecisionForestClassifier`.
    """

    _poor_below = 0.0

    def fit(self, X, y):
        """Grow the trees, and release a class for each of their leaves. See `BaseForest.fit`."""
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)

        rng = self._generator()
        forest, counts, epsilon, spent = self._grown(domain, records, codes, len(classes), rng)
        labels, leaf = self._labels(counts, epsilon, rng)

        self._store_labels(labels, classes)
        return self._store(domain, forest, domain_node, class_node, spent(leaf))


@parameters
class DPExtraTreesRegressor(_ExtraTrees, BaseForestRegressor):
    """DP-ERT for a regression: completely random binary trees whose leaves release a mean.

    Parameters and attributes as `DPExtraTreesClassifier`, and:

    Parameters
    ----------
    target_bounds, target_scale
        Public bounds of the targets and their scale, as of `dplit.PrivateForestRegressor`.
    accounting : {"proved", "published"}
        "proved" releases a leaf's mean by `BoundedMean`; "published" adds noise scaled by the
        leaf's private count, which has no finite epsilon, and does not clip.

    Attributes
    ----------
    leaf_values_ : float64 array, shape (n_leaves,)
        Released mean of each leaf of the forest, in the units of the targets, or of their logarithms.
    """

    def fit(self, X, y):
        """Grow the trees, and release a mean for each of their leaves. See `BaseForest.fit`."""
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        targets, bounds, target_node = self._read_targets(y)

        rng = self._generator()
        forest, stats, epsilon, spent = self._grown(domain, records, targets, 0, rng)
        means, leaf = self._means(stats, epsilon, rng)

        self._store_means(means, bounds)
        return self._store(domain, forest, domain_node, target_node, spent(leaf))
