"""CompRF: forests that only ask which of two records a third is nearer to, without privacy.

After Haghiri, Garreau and von Luxburg (2018), *Comparison-based random forests*, as their abstract and figure 1
and the MRF paper describe them. The distance on tables is ours (:doc:`/book/multinomial_forest_experiments`):
Euclidean, on columns scaled to [0, 1] by the training records, levels by their positions.
"""

import numpy as np

from dplit.baselines._plain import PlainForest, halved
from dplit.forests.base import parameters


@parameters
class ComparisonForestClassifier(PlainForest):
    """CompRF: at each node records go to the nearer of two pivots.

    Parameters
    ----------
    consistent : bool
        CompRF-C of the MRF paper, or CompRF-I. Ours is the reading: the consistent one takes two random
        structure points as pivots, whatever their classes, and labels by estimation points; the other
        takes pivots of two classes, and all records for both.
    min_samples_leaf : int
        A node is split if it holds more estimation points; 5 in the MRF paper's experiments.
    partition_rate : float
        Structure points for each estimation point of the consistent forest, 1 in the MRF paper; without
        effect on the other.
    n_estimators, domain, classes, random_state, n_jobs
        As `dplit.baselines.DenilForestClassifier`.

    Attributes
    ----------
    budget_, domain_, classes_, leaf_labels_
        As `dplit.baselines.DenilForestClassifier`.
    trees_ : dplit.trees.comparison.ComparisonTrees
    lowest_, widths_ : float64 arrays, shape (n_features,)
        Least value of each column among the training records, and their range (1 where it is 0).
    """

    consistent: bool = True

    def _check(self):
        super()._check()
        if not isinstance(self.consistent, (bool, np.bool_)):
            raise ValueError(f"consistent must be True or False, got {self.consistent!r}")

    def _halves(self, n, rng):
        return halved(n, self.partition_rate if self.consistent else None, rng)

    def _grown(self, records, codes, n_classes, halves, rng):
        from dplit.trees.comparison import grow_comparison_trees

        lowest, highest = records.min(axis=0), records.max(axis=0)
        self.lowest_ = lowest
        self.widths_ = np.where(highest > lowest, highest - lowest, 1.0)
        return grow_comparison_trees(
            self._scaled(records), codes, n_classes, halves, not self.consistent,
            int(self.min_samples_leaf), rng=rng, n_jobs=self.n_jobs,
        )  # fmt: skip

    def _scaled(self, records):
        return (records - self.lowest_) / self.widths_

    def apply(self, X):
        """Leaf of each record in each tree, as `dplit.baselines.DenilForestClassifier.apply`."""
        leaves = self.trees_.apply(self._scaled(self._read(X)))
        return leaves - self.trees_.leaf_starts[:-1].astype(np.int32)

    def _votes(self, records):
        labels = self.leaf_labels_[self.trees_.apply(self._scaled(records))]
        votes = np.zeros((len(records), self.n_classes_), dtype=np.int32)
        for c in range(self.n_classes_):
            votes[:, c] = (labels == c).sum(axis=1)
        return votes
