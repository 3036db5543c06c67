r"""What M-RF is compared with: votes that are paid for query by query, single cells, and Gaussian noise.

The existing subsample-and-aggregate (Dwork and Feldman 2018, as M-RF's section "Optimizing
subsample-and-aggregate framework" describes it) trains a tree on each of disjoint parts of the records, and
answers b queries with an equal part of epsilon each: noise of scale :math:`b/\epsilon` on the trees' counts,
:math:`2b/\epsilon` on their classes. The forest with Gaussian noise has a guarantee :math:`(\epsilon, \delta)` and
no ``budget_``, since the ledger of spends knows no delta.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dplit import matrix, trees
from dplit.baselines._shared import leaf_stats
from dplit.budget import Parallel, Sequence, Spend
from dplit.forests.base import BaseForestClassifier, parameters
from dplit.forests.partition import Independent, at_most
from dplit.forests.releases import laplace_counts, largest, noisy_counts
from dplit.ground.errors import check_choice, check_integer
from dplit.matrix.paths import cells_of
from dplit.matrix.subsample import leaf_classes, preferences

VOTINGS = ("weighted", "hard")
MOST_COUNTS = 20_000_000
DELTA = 1e-6


@parameters
class QueryAggregate(BaseForestClassifier):
    """Subsample-and-aggregate with random trees, an equal part of epsilon for each query.

    Its other parameters are those of `dplit.forests.RandomDecisionForestClassifier`. It predicts its
    `queries`, public records of shape (n_queries, n_features), and nothing else. By `voting` the trees' counts
    are added ("weighted"), or their classes ("hard"). As published an empty leaf's is the first one.
    """

    n_estimators: int = 16
    max_depth: int = 3
    queries: Any = None
    voting: str = "weighted"
    _spawns_structure = True

    def fit(self, X: ArrayLike, y: ArrayLike) -> QueryAggregate:
        """Train the trees and release a class for each query; returns self.

        Raises a ValueError that names the parameter that is not as it must be, or the `queries` left out.
        """
        self._check()
        check_choice(self.voting, VOTINGS, "voting")
        check_integer(self.max_depth, "max_depth", 0)
        if self.queries is None:
            raise ValueError("queries must be given: their classes are what is released, got None")
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)
        queries = domain.encode(self.queries)

        rng = self._generator()
        way = self._way()
        forest = trees.grow_random_trees(domain, self.n_estimators, self.max_depth, rng=rng)
        parts, account = way.parts(len(records), rng)
        counts = leaf_stats(forest, records, codes, len(classes), parts)
        votes = self._votes_of(forest, queries, counts, rng)
        released, spent = self._release(votes, self._tree_epsilon(way), rng)
        labels = largest(released, rng)

        ranks = self._store_classes(classes)
        self._answers = {q.tobytes(): ranks[label] for q, label in zip(queries, labels)}
        return self._store(domain, forest, domain_node, class_node, account(spent, "votes"))

    def _votes_of(self, forest, queries, counts, rng):
        """Sum over the trees of the counts, or of the classes, of each query's leaves."""
        if self.voting == "hard":
            n_leaves, k = counts.shape
            preferred = preferences(n_leaves, k, None if self._is_proved() else range(k), rng=rng)
            counts = np.eye(k, dtype=np.int64)[leaf_classes(counts, preferred)]
        leaves = trees.apply(forest, queries) + forest.leaf_starts[:-1]
        return counts[leaves].sum(axis=1)

    def _release(self, votes, epsilon, rng):
        """Votes with noise, and what all queries spend: a record changes one tree, in every query's votes."""
        moved = 1 if self.voting == "weighted" else 2
        share = at_most(epsilon / len(votes), lambda part: len(votes) * part, epsilon)
        noise = noisy_counts if self._is_proved() else laplace_counts
        released, _ = noise(votes, share / moved, rng)
        one = Spend("votes of a query", share, f"noise of scale {moved}/epsilon on one tree's vote")
        return released, Sequence("queries", (one,), "each query reads all trees", len(votes))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Released classes of queries; raises a ValueError if a record is none of `queries`."""
        records = self._read(X)
        try:
            found = [self._answers[record.tobytes()] for record in records]
        except KeyError:
            raise ValueError("X must hold records of queries alone, got another") from None
        return self.classes_[found]


@parameters
class NoisyHistogram(BaseForestClassifier):
    """The largest noisy count of a record's own cell, with a constant vote of all cells.

    Its other parameters are those of `dplit.forests.RandomDecisionForestClassifier`; columns are
    categorical. `constant`: how many times the mean of all cells is added to each cell.
    """

    constant: float = 0.0
    classes: Iterable | None = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> NoisyHistogram:
        """Release all cells' counts; returns self.

        Raises a ValueError if a parameter is not as it must be, or the domain is too wide.
        """
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)
        n_cells, k = math.prod(domain.n_levels.tolist()), len(classes)
        if not 0 < n_cells * k <= MOST_COUNTS:
            raise ValueError(
                f"domain must have at most {MOST_COUNTS // k:,} cells and no continuous column, "
                f"got {n_cells:,} cells"
            )
        rng, way = self._generator(), Independent(1, self.neighbours)
        cells = cells_of(records.astype(np.int64), domain.n_levels) * k + codes
        counts = np.bincount(cells, minlength=n_cells * k).reshape(n_cells, k)
        noise = noisy_counts if self._is_proved() else laplace_counts
        released, one = noise(counts, self._tree_epsilon(way), rng)
        votes = released + self.constant * released.mean(axis=0)
        labels = Parallel("cells", (one,), "a record is in one cell")
        self._labels = self._store_classes(classes)[largest(votes, rng)]
        return self._store(domain, None, domain_node, class_node, way.account(labels, "counts"))

    def predict(self, X):
        """Class of each record's cell."""
        records = self._read(X).astype(np.int64)
        return self.classes_[self._labels[cells_of(records, self.domain_.n_levels)]]


class GaussianForest:
    """Random trees over categorical columns, whose leaves are computed from one release with Gaussian noise.

    `epsilon` and `delta` hold under add-remove. By `strategy` all cells are released ("identity"), all leaves
    ("per-tree"), all distinct leaves ("merged"), or the best marginals ("marginals").
    """

    def __init__(self, setting, *, epsilon, strategy, n_estimators, max_depth, delta=DELTA):
        self.setting, self.epsilon, self.delta = setting, epsilon, delta
        self.strategy, self.n_estimators, self.max_depth = strategy, n_estimators, max_depth

    def fit(self, X, y):
        """Release the leaves' counts, and label each leaf by its largest; returns self."""
        domain, classes = self.setting.domain, np.asarray(self.setting.classes)
        rng = np.random.default_rng(self.setting.seed)
        self.trees_ = trees.grow_random_trees(domain, self.n_estimators, self.max_depth, rng=rng)
        workload = matrix.Workload.of(self.trees_, n_levels=domain.n_levels)
        order = np.argsort(classes)
        codes = order[np.searchsorted(classes[order], np.asarray(y))]
        inside = domain.encode(X).astype(np.int64)
        counts = self._released(workload, inside, codes, len(classes), rng)
        self._labels, self._classes = largest(counts[workload.place], rng), classes
        return self

    def _released(self, workload, inside, codes, k, rng):
        """Noisy counts of the distinct leaves."""
        given = self.epsilon, self.delta
        if self.strategy == "marginals":
            best = matrix.GaussianMarginals(workload)
            return best.answer(workload, best.release(inside, codes, k, *given, rng=rng))
        chosen = matrix.member(workload, self.strategy)
        deviation = matrix.l2_sensitivity(chosen) * matrix.gaussian_scale(*given)
        exact = chosen.measure(inside, codes, k)
        return chosen.answer(workload, exact + rng.normal(scale=deviation, size=exact.shape))

    def predict(self, X):
        """The class that most trees vote for, the first of equal ones."""
        records = self.setting.domain.encode(X)
        leaves = trees.apply(self.trees_, records) + self.trees_.leaf_starts[:-1]
        votes = np.zeros((len(records), len(self._classes)), dtype=np.int64)
        for leaf in leaves.T:
            votes[np.arange(len(records)), self._labels[leaf]] += 1
        return self._classes[votes.argmax(axis=1)]
