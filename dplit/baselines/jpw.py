r"""JPW: random decision trees with noisy leaves (Jagannathan, Pillaipakkamnatt and Wright 2009, 2012).

As RDF describes it (sections 3.1, 4.2.1 and 5.2). The depth, :math:`\min(m/2, \log_b n - 1)`, reads the number of
records: under add-remove neighbours one more can make all trees deeper, so as published no epsilon is finite.
"""

import numpy as np

from dplit.baselines._shared import PUBLIC_N, Baseline, check_public_n, leaf_means, leaf_stats, shares_of
from dplit.budget import Leak, Public
from dplit.domain import Domain
from dplit.forests.base import BaseForestClassifier, parameters
from dplit.forests.releases import laplace_counts, noisy_counts, random_structure, random_tree
from dplit.ground.errors import check_choice, check_integer
from dplit.trees.random import grow_random_trees

VOTINGS = ("weighted", "hard")


def published_depth(domain: Domain, n_records: int) -> int:
    r"""Depth of the trees, :math:`\min(m/2, \log_b n - 1)` rounded down, and at least 1.

    Exact, in integers; the domain has m columns with b levels on average, a continuous one counts as two.
    """
    n_records = check_integer(n_records, "n_records", 1)
    columns, levels = len(domain), int(np.where(domain.n_levels == 0, 2, domain.n_levels).sum())
    depth = 0
    while depth < columns // 2 and levels ** (depth + 2) <= n_records * columns ** (depth + 2):
        depth += 1
    return max(depth, 1)


@parameters
class JPWClassifier(Baseline, BaseForestClassifier):
    """JPW: random trees whose leaves release noisy class counts.

    Parameters
    ----------
    epsilon, domain, classes, neighbours, records_per_person, noise, random_state, n_jobs
        As `DPExtraTreesClassifier`.
    n_estimators : int
        Number of trees.
    max_depth : int, optional
        Tests on a path. Left out, `published_depth` of `public_n` records.
    public_n : int, optional
        A public number of records. Left out, 10,000 if proved, and as published the number of
        records, which is private under add-remove neighbours.
    partitioned : bool or None
        Whether each record is used in one tree only, which then has all of epsilon; None: True if proved.
    voting : {"weighted", "hard"}
        Whether the trees' released counts are added, or each tree votes for the class of its largest
        one, in equal parts of several (M-RF's "Laplace" and, partitioned, "disjoint").
    accounting : {"proved", "published"}
        "proved" spends `epsilon` under either relation. "published" does not ask for the
        neighbours, and may read the depth off the records; the budget shows what that costs.

    Attributes
    ----------
    budget_, domain_, trees_, classes_
        As `dplit.forests.RandomDecisionForestClassifier`.
    leaf_counts_ : int64 or float64 array, shape (n_leaves, n_classes)
        Released class counts, in the order of `classes_`; they may be negative. Whole numbers if
        proved (geometric noise), multiples of a public step as published (Laplace noise).
    max_depth_ : int
        The depth that was used.
    """

    max_depth: int | None = None
    public_n: int | None = None
    partitioned: bool | None = False
    voting: str = "weighted"
    _spawns_structure = True

    def fit(self, X, y):
        """Grow the trees, and release class counts for each of their leaves. See `BaseForest.fit`."""
        self._check()
        check_public_n(self.public_n)
        check_choice(self.voting, VOTINGS, "voting")
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)
        depth, depth_node = self._depth(domain, len(records))

        rng = self._generator()
        way = self._way()
        forest = grow_random_trees(domain, self.n_estimators, depth, rng=rng, n_jobs=self.n_jobs)
        parts, account = way.parts(len(records), rng)
        counts = leaf_stats(forest, records, codes, len(classes), parts)
        release = noisy_counts if self._is_proved() else laplace_counts
        released, leaf = release(counts, self._tree_epsilon(way), rng)

        self.max_depth_ = depth
        self.leaf_counts_ = released[:, np.argsort(self._store_classes(classes))]
        trees_node = account(random_tree(random_structure("splits", self.n_estimators, depth), leaf))
        return self._store(domain, forest, domain_node, class_node, depth_node, trees_node)

    def _check_depth(self):
        if self.max_depth is not None:
            super()._check_depth()

    def _depth(self, domain, n_records):
        """The depth of the trees, and what it costs."""
        if self.max_depth is not None:
            return self.max_depth, Public("depth", "given as max_depth")
        if self.public_n is not None:
            return published_depth(domain, self.public_n), Public("depth", "of public_n records")
        if self._is_proved():
            guess = f"of {PUBLIC_N:,} records, a guess"
            return published_depth(domain, PUBLIC_N), Public("depth", guess)
        depth = published_depth(domain, n_records)
        if self._keeps_n():
            return depth, Public("depth", "of the number of records, which replacements keep")
        if published_depth(domain, 1) == max(len(domain) // 2, 1):
            return depth, Public("depth", "the same for any number of records")
        return depth, Leak("depth", "read off the private number of records")

    def predict_proba(self, X):
        """Share of each class in the sum of the released counts of the leaves that a record reaches.

        With ``voting="hard"`` share of the trees that vote for each class. Returns a float64 array, shape
        (n_records, n_classes), in the order of `classes_`.
        """
        sums = self._sums(self._read(X))
        return shares_of(sums, sums.argmax(axis=1))

    def predict(self, X):
        """Class of the largest such sum, shape (n_records,)."""
        sums = self._sums(self._read(X))
        return self.classes_[sums.argmax(axis=1)]

    def _sums(self, records):
        """Mean over the trees of the released counts, or of votes, shape (n_records, n_classes)."""
        held = self.leaf_counts_
        if self.voting == "hard":
            largest = held == held.max(axis=1, keepdims=True)
            held = largest / largest.sum(axis=1, keepdims=True)
        return leaf_means(self.trees_, records, held, self.n_jobs)
