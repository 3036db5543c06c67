"""All trees of a forest in four arrays.

A node is a position. The children of a node stand side by side, so one number, the first child's
position, says where all of them are: a record moves to ``child + step``, and the step is 0 or 1 at
a threshold and the level's code at a categorical column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEAF = -1  # in place of a feature


@dataclass(frozen=True)
class Trees:
    """The trees of one forest.

    Attributes
    ----------
    feature : int32 array, shape (n_nodes,)
        Column that the node tests, or `LEAF`.
    threshold : float64 array, shape (n_nodes,)
        Records with a value of at most this go left; NaN where the column is categorical.
    child : int32 array, shape (n_nodes,)
        Position of the first child; of a leaf, its number among all leaves of the forest.
    roots : int32 array, shape (n_trees,)
    leaf_starts : int64 array, shape (n_trees + 1,)
        The leaves of tree t have the numbers ``leaf_starts[t]`` to ``leaf_starts[t + 1] - 1``.
    """

    feature: np.ndarray
    threshold: np.ndarray
    child: np.ndarray
    roots: np.ndarray
    leaf_starts: np.ndarray

    @property
    def n_trees(self):
        """Number of trees."""
        return len(self.roots)

    @property
    def n_leaves(self):
        """Number of leaves of all trees together."""
        return int(self.leaf_starts[-1])

    @property
    def arrays(self):
        """What a routing kernel needs: feature, threshold, child, roots."""
        return self.feature, self.threshold, self.child, self.roots

    @classmethod
    def join(cls, trees):
        """One forest from single trees, each ``(feature, threshold, child)`` numbered from 0."""
        node_starts = np.cumsum([0] + [len(feature) for feature, _, _ in trees])
        leaf_counts = [np.count_nonzero(feature == LEAF) for feature, _, _ in trees]
        leaf_starts = np.cumsum([0, *leaf_counts], dtype=np.int64)
        feature = np.concatenate([f for f, _, _ in trees])
        child = np.concatenate([c for _, _, c in trees])
        shift = np.where(
            feature == LEAF,
            np.repeat(leaf_starts[:-1], np.diff(node_starts)),
            np.repeat(node_starts[:-1], np.diff(node_starts)),
        )
        return cls(
            feature=feature,
            threshold=np.concatenate([t for _, t, _ in trees]),
            child=(child + shift).astype(np.int32),
            roots=node_starts[:-1].astype(np.int32),
            leaf_starts=leaf_starts,
        )
