r"""Disjoint training: each record goes to one tree, and the leaves of the trees have noise for one count.

The sensitivity is 1 in place of :math:`\tau`, but a leaf of a tree holds a part of its records, and what
estimates the whole count is :math:`\tau` times as large. The noise is that of `PerTree`, and on top comes the
variance :math:`(\tau - 1)c` of the draw where a leaf has c records: with Laplace noise it is never better as an
estimate of the counts. Geometric noise of scale :math:`1/\epsilon` has a smaller variance than its share of
:math:`\tau^2`, so that of leaves that are nearly empty it may be. (Derived in :doc:`/book/matrix_strategies`.)
"""

from __future__ import annotations

import numpy as np

from dplit.errors import check_rng
from dplit.matrix.strategies.base import asks_leaves
from dplit.matrix.strategies.boxes import counts_of_records
from dplit.matrix.strategies.members import PerTree


class DisjointTrees(PerTree):
    """Noise on every leaf of trees that each have their own records, drawn independently.

    Parameters
    ----------
    paths : Paths
        All leaves of the trees.
    """

    name = "disjoint"
    about = "every leaf of every tree, each record in one tree"

    def __init__(self, paths):
        super().__init__(paths)
        self.norm = 1.0

    def spread(self):
        """A replaced record keeps its tree and may leave its leaf; see `Strategy.sensitivity`."""
        leaves = np.bincount(self.paths.tree)
        return 2.0 if leaves.max() > 1 else 0.0

    def variances(self, workload):
        r"""Of the noise alone, :math:`\tau^2` for a leaf; see `Strategy.variances`.

        The draw of the records adds `drawn` for each leaf.
        """
        return float(self.paths.n_trees) ** 2 * super().variances(workload)

    def votes(self, workload):
        """Of the noise alone; see `Strategy.votes`."""
        return float(self.paths.n_trees) ** 2 * super().votes(workload)

    def drawn(self, counts):
        r"""What the draw of the records adds to the variance of a leaf's estimate, :math:`(\tau - 1)c`.

        Parameters
        ----------
        counts : array_like, any shape
            Records c of the leaf, in all trees together.

        Returns
        -------
        float64 array, shape of `counts`
        """
        return (self.paths.n_trees - 1.0) * np.asarray(counts, dtype=float)

    def answer(self, workload, measured):
        """Sums of the noisy counts times the number of trees; see `Strategy.answer`."""
        return super().answer(workload, self.paths.n_trees * np.asarray(measured, dtype=float))

    def answers(self, workload, measured):
        """See `Strategy.answers`."""
        if asks_leaves(workload) and workload.paths is self.paths:
            return self.paths.n_trees * np.asarray(measured, dtype=float)
        return self.answer(workload, measured)[workload.place]

    def expected(self, codes, classes, n_classes):
        """A share of each leaf's records; see `Strategy.expected`."""
        return super().measure(codes, classes, n_classes) / self.paths.n_trees

    def measure(self, codes, classes, n_classes, *, rng=None):
        """Counts of each tree's own records; each record's tree is drawn uniformly. See `Strategy.measure`.

        Parameters
        ----------
        codes, classes, n_classes
            As in `Strategy.measure`.
        rng : numpy.random.Generator
            Of the draw.
        """
        codes, classes = self._checked(codes, classes, n_classes)
        tree = check_rng(rng).integers(self.paths.n_trees, size=len(codes))
        found = np.zeros((len(self.paths), n_classes), dtype=np.int64)
        for number in range(self.paths.n_trees):
            mine, rows = tree == number, self.paths.tree == number
            found[rows] = counts_of_records(
                self.paths.take(rows), codes[mine], classes[mine], n_classes
            )
        return found
