r"""The matrix forest with Gaussian noise at :math:`(\epsilon, \delta)`, for a table of its own.

Its trees are those of `dplit.forests.MatrixForestClassifier`, whose budgets are of pure privacy. It has no
``budget_``: of pure privacy Gaussian noise spends more than any number, and the ledger of spends knows no delta.
"""

from __future__ import annotations

import numpy as np

from dplit import matrix
from dplit.forests.releases import largest

DELTA = 1e-6


class GaussianForest:
    """Random trees over categorical columns, whose leaves are computed from one release with Gaussian noise.

    Parameters
    ----------
    setting : dplit.court.experiments.task.Setting
    epsilon, delta : float
        Add-remove.
    strategy : {"identity", "per-tree", "merged", "marginals"}
        What is released: all cells, all leaves, all distinct leaves, or the best marginals.
    n_estimators, max_depth : int
    """

    def __init__(self, setting, *, epsilon, strategy, n_estimators, max_depth, delta=DELTA):
        self.setting, self.epsilon, self.delta = setting, epsilon, delta
        self.strategy, self.n_estimators, self.max_depth = strategy, n_estimators, max_depth

    def fit(self, X, y):
        """Release the leaves' counts, and label each leaf by its largest; returns self."""
        from dplit.trees import grow_random_trees  # compiled: slow to import

        domain, classes = self.setting.domain, np.asarray(self.setting.classes)
        rng = np.random.default_rng(self.setting.seed)
        self.trees_ = grow_random_trees(domain, self.n_estimators, self.max_depth, rng=rng)
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
        from dplit import trees

        records = self.setting.domain.encode(X)
        leaves = trees.apply(self.trees_, records) + self.trees_.leaf_starts[:-1]
        votes = np.zeros((len(records), len(self._classes)), dtype=np.int64)
        for leaf in leaves.T:
            votes[np.arange(len(records)), self._labels[leaf]] += 1
        return self._classes[votes.argmax(axis=1)]
