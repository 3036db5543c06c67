"""All trees of a forest in four arrays.

A node is a position. The children of a node stand side by side, so one number, the first child's
position, says where all of them are: a record moves to ``child + step``. At a threshold the step
is 0 or 1. At a categorical column it is looked up, ``steps[side + code]`` for the level's code:
the table starts with 0, 1, 2, ..., so a node with ``side`` 0 has a child for each level, and a row
of zeros and ones further on splits the levels in two.
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
    side : int32 array, shape (n_nodes,)
        Where the node's row of `steps` begins; read at categorical columns only.
    steps : int32 array
        Rows of steps, one for each level of the column.
    roots : int32 array, shape (n_trees,)
    leaf_starts : int64 array, shape (n_trees + 1,)
        The leaves of tree t have the numbers ``leaf_starts[t]`` to ``leaf_starts[t + 1] - 1``.
    """

    feature: np.ndarray
    threshold: np.ndarray
    child: np.ndarray
    side: np.ndarray
    steps: np.ndarray
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
        """What a routing kernel needs: feature, threshold, child, side, steps, roots."""
        return self.feature, self.threshold, self.child, self.side, self.steps, self.roots

    @classmethod
    def join(cls, trees, most_levels=0):
        """One forest from single trees, each ``(feature, threshold, child)`` numbered from 0.

        Parameters
        ----------
        trees : list of tuples
            With a fourth and a fifth entry, side and steps, where levels are split in two.
        most_levels : int
            Levels of the column that has most: the length of the first row of steps.
        """
        node_starts = np.cumsum([0] + [len(tree[0]) for tree in trees])
        sizes = np.diff(node_starts)
        leaf_counts = [np.count_nonzero(tree[0] == LEAF) for tree in trees]
        leaf_starts = np.cumsum([0, *leaf_counts], dtype=np.int64)
        feature = np.concatenate([tree[0] for tree in trees])
        child = np.concatenate([tree[2] for tree in trees])
        shift = np.where(
            feature == LEAF, np.repeat(leaf_starts[:-1], sizes), np.repeat(node_starts[:-1], sizes)
        )
        rows = [tree[4] for tree in trees if len(tree) > 3]
        row_starts = most_levels + np.cumsum([0, *map(len, rows)])
        side = np.zeros(len(feature), dtype=np.int32)
        if rows:
            side = np.concatenate([tree[3] for tree in trees]) + np.repeat(row_starts[:-1], sizes)
        return cls(
            feature=feature,
            threshold=np.concatenate([tree[1] for tree in trees]),
            child=(child + shift).astype(np.int32),
            side=side.astype(np.int32),
            steps=np.concatenate([np.arange(most_levels), *rows]).astype(np.int32),
            roots=node_starts[:-1].astype(np.int32),
            leaf_starts=leaf_starts,
        )
