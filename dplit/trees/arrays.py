"""All trees of a forest in four arrays.

A node is a position. The children of a node stand side by side, so one number, the first child's
position, says where all of them are: a record moves to ``child + step``. At a threshold the step
is 0 or 1. At a categorical column it is looked up, ``steps[side + code]`` for the level's code:
the table starts with 0, 1, 2, ..., so a node with ``side`` 0 has a child for each level, and a row
of zeros and ones further on splits the levels in two.

Where all trees are complete, with two children at every node down to one depth, the nodes stand
level by level, those of all trees side by side. Then the children of a level's node k are the nodes
2k and 2k + 1 of the next level, and routing need not read where they are.
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
        Where the node's row of `steps` begins; 0 where the column is continuous.
    steps : int32 array
        Rows of steps, one for each level of the column; empty if no column is categorical.
    roots : int32 array, shape (n_trees,)
    leaf_starts : int64 array, shape (n_trees + 1,)
        The leaves of tree t have the numbers ``leaf_starts[t]`` to ``leaf_starts[t + 1] - 1``.
    depth : int or None
        Of all trees, if they are complete and their nodes stand level by level.
    """

    feature: np.ndarray
    threshold: np.ndarray
    child: np.ndarray
    side: np.ndarray
    steps: np.ndarray
    roots: np.ndarray
    leaf_starts: np.ndarray
    depth: int | None = None

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
        """Feature, threshold, child, side, steps, roots."""
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
        sizes = [len(tree[0]) for tree in trees]
        node_starts = np.cumsum([0, *sizes])
        rows = [tree[4] for tree in trees if len(tree) > 3]
        row_starts = most_levels + np.cumsum([0, *map(len, rows)])
        feature = np.concatenate([tree[0] for tree in trees])
        threshold = np.concatenate([tree[1] for tree in trees])
        child = np.concatenate([tree[2] for tree in trees])
        side = np.zeros(len(feature), dtype=np.int32)
        if most_levels and rows:
            side = np.concatenate([tree[3] for tree in trees]) + np.repeat(row_starts[:-1], sizes)
            side = np.where(np.isnan(threshold), side, 0).astype(np.int32)
        leaf_counts = np.add.reduceat(feature == LEAF, node_starts[:-1], dtype=np.int64)
        leaf_starts = np.cumsum([0, *leaf_counts], dtype=np.int64)
        steps = np.concatenate([np.arange(most_levels), *rows]).astype(np.int32)

        levels = _levels(feature, child, sizes)
        if levels is not None:
            feature, threshold = (_by_level(a, len(trees), levels) for a in (feature, threshold))
            side = _by_level(side, len(trees), levels) if rows else side
            inner = np.arange(len(feature) - leaf_starts[-1], dtype=np.int32)
            child = np.append(len(trees) + 2 * inner, np.arange(leaf_starts[-1], dtype=np.int32))
            roots, depth = np.arange(len(trees)), len(levels) - 1
        else:
            start = np.where(
                feature == LEAF,
                np.repeat(leaf_starts[:-1], sizes),
                np.repeat(node_starts[:-1], sizes),
            )
            child, roots, depth = child + start, node_starts[:-1], None
        return cls(
            feature=feature,
            threshold=threshold,
            child=child.astype(np.int32, copy=False),
            side=side,
            steps=steps,
            roots=roots.astype(np.int32),
            leaf_starts=leaf_starts,
            depth=depth,
        )


def _by_level(array, n_trees, levels):
    """The entries of all trees, level by level."""
    by_tree = array.reshape(n_trees, -1)
    return np.concatenate([by_tree[:, level].ravel() for level in levels])


def _levels(feature, child, sizes):
    """Positions of each level's nodes, the same in every tree, if all are complete; else None.

    Complete trees of one depth that were grown in one order are alike node by node, so the levels
    of the first are those of all.
    """
    size, depth = sizes[0], sizes[0].bit_length() - 1
    if size != 2 ** (depth + 1) - 1 or any(n != size for n in sizes):
        return None
    is_leaf, child = feature.reshape(-1, size) == LEAF, child.reshape(-1, size)
    levels = [np.zeros(1, dtype=np.int64)]
    for _ in range(depth):
        if is_leaf[0, levels[-1]].any():
            return None
        levels.append((child[0, levels[-1], None] + np.arange(2)).ravel())
    complete = is_leaf[0, levels[-1]].all() and len(np.unique(np.concatenate(levels))) == size
    alike = (is_leaf == is_leaf[0]).all() and (child == child[0]).all()
    return levels if complete and alike else None


def leaf_depths(trees):
    """Tests above each leaf of a forest of binary trees, int array of shape (n_leaves,)."""
    depths, nodes, depth = np.empty(trees.n_leaves, dtype=np.int64), trees.roots, 0
    while len(nodes):
        is_leaf, child = trees.feature[nodes] == LEAF, trees.child[nodes]
        depths[child[is_leaf]] = depth
        nodes, depth = (child[~is_leaf, None] + np.arange(2)).ravel(), depth + 1
    return depths


def visited(trees, X):
    """Nodes that each record goes through, from the roots to the leaves of all trees.

    Parameters
    ----------
    trees : Trees
    X : float64 array, shape (n_records, n_features)
        As `Domain.encode` gives it.

    Returns
    -------
    records, nodes : int64 arrays, shape (n_visits,)
        Rows of `X` and positions of nodes, pair by pair: level by level, in each by record and tree.
    """
    record = np.repeat(np.arange(len(X)), trees.n_trees)
    node = np.tile(trees.roots.astype(np.int64), len(X))
    records, nodes = [record], [node]
    while (inner := trees.feature[node] != LEAF).any():
        record, node = record[inner], node[inner]
        cut, value = trees.threshold[node], X[record, trees.feature[node]]
        step, at = (value > cut).astype(np.int64), np.isnan(cut)
        step[at] = trees.steps[trees.side[node[at]] + value[at].astype(np.int64)]
        node = trees.child[node] + step
        records, nodes = [*records, record], [*nodes, node]
    return np.concatenate(records), np.concatenate(nodes)
