"""All trees of a forest in four arrays.

A node is a position. The children of a node stand side by side, so one number, the first child's position, says
where all of them are: a record moves to ``child + step``. At a threshold the step is 0 or 1. At a categorical
column it is looked up, ``steps[side + code]`` for the level's code: the table starts with 0, 1, 2, ..., so a node
with ``side`` 0 has a child for each level, and a row of zeros and ones further on splits the levels in two.

Where all trees are complete, with two children at every node down to one depth, the nodes stand
level by level, those of all trees side by side. Then the children of a level's node k are the nodes
2k and 2k + 1 of the next level, and routing need not read where they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

LEAF = -1  # in place of a feature
MOST_DEPTH = 40  # of complete trees: their nodes' positions are int32
DTYPES = {
    "feature": "i4", "threshold": "f8", "child": "i4", "side": "i4", "steps": "i4", "roots": "i4",
    "leaf_starts": "i8", "pair": "i4", "pivots": "f8",
}  # fmt: skip


@dataclass(frozen=True)
class Trees:
    """The trees of one forest."""

    feature: np.ndarray  #: Column that the node tests, or `LEAF`; int32.
    threshold: np.ndarray  #: Records with a value of at most this go left; NaN where the column is categorical.
    child: np.ndarray  #: Position of the first child; of a leaf, its number among all leaves of the forest; int32.
    side: np.ndarray  #: Where the node's row of `steps` begins; 0 where the column is continuous; int32.
    #: Rows of steps, one for each level of the column; empty if no column is categorical; int32.
    steps: np.ndarray
    roots: np.ndarray  #: Position of each tree's first node; int32.
    #: The leaves of tree t have the numbers ``leaf_starts[t]`` to ``leaf_starts[t + 1] - 1``; int64.
    leaf_starts: np.ndarray
    depth: int | None = None  #: Of all trees, if they are complete and their nodes stand level by level.

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

    def only(self, t: int) -> Trees:
        """Tree t alone, its nodes and its leaves numbered from 0."""
        first, last = np.append(self.roots, len(self.feature))[t : t + 2]
        at, depth = np.arange(first, last), self.depth
        if depth is not None:
            sizes = [2**d for d in range(depth + 1)]  # of a tree's level; above it stand size - 1 of each tree
            at = np.concatenate([self.n_trees * (size - 1) + t * size + np.arange(size) for size in sizes])
        inner = self.feature[at] != LEAF
        child = self.child[at] - np.where(inner, first, self.leaf_starts[t])
        if depth is not None:
            child[inner] = 1 + 2 * np.arange(inner.sum())
        return replace(
            self, feature=self.feature[at], threshold=self.threshold[at], child=child.astype(np.int32),
            side=self.side[at], roots=np.zeros(1, dtype=np.int32),
            leaf_starts=self.leaf_starts[t : t + 2] - self.leaf_starts[t],
        )  # fmt: skip

    @classmethod
    def join(cls, trees: list[tuple], most_levels: int = 0) -> Trees:
        """One forest from single trees, each ``(feature, threshold, child)`` numbered from 0.

        Where levels are split in two they have a fourth and a fifth entry, side and steps. `most_levels` are those
        of the column that has most: the length of the first row of steps.
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
                feature == LEAF, np.repeat(leaf_starts[:-1], sizes), np.repeat(node_starts[:-1], sizes)
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
    by_tree = array.reshape(n_trees, -1)
    return np.concatenate([by_tree[:, level].ravel() for level in levels])


def _levels(feature, child, sizes):
    """Positions of each level's nodes, the same in every tree, if all are complete; else None."""
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


def visited(trees: Trees, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes that each record goes through, from the roots to the leaves of all trees.

    Rows of `X`, which is as `Domain.encode` gives it, and positions of nodes, int64, pair by pair: level by
    level, in each by record and tree.
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


def check(right, name, what):
    """Raise `ValueError` with the name of what is wrong if it is not right."""
    if not right:
        raise ValueError(f"{name} {what}")


def check_trees(trees: Trees, n_levels: np.ndarray) -> None:
    """Raise `ValueError` unless each path ends in a leaf of its own tree, whatever the record.

    Compiled routing trusts positions, and reads where they point: here they are compared with the arrays.
    `n_levels` are those of what the trees test; 0 of a continuous column.
    """
    check_arrays(trees)
    same = {len(a) for a in (trees.feature, trees.threshold, trees.child, trees.side)}
    check(len(same) == 1 and len(trees.child) > 0, "trees_", "whose arrays have different lengths")
    inner = trees.feature != LEAF
    check_paths(trees, inner, _children(trees, inner, n_levels))
    if trees.depth is not None:
        _check_complete(trees, inner)


def check_arrays(trees):
    """Raise `ValueError` unless the arrays of trees of any kind have their dtypes and axes."""
    for name, dtype in DTYPES.items():
        if name in type(trees).__dataclass_fields__:
            array, ndim = getattr(trees, name), 2 if name == "pivots" else 1
            right = isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == ndim
            check(right, f"trees_.{name}", "of another dtype or number of axes")


def _children(trees, inner, n_levels):
    """How many children each node has; an error if a test is none of these columns."""
    feature, side, steps, cut = trees.feature, trees.side, trees.steps, ~np.isnan(trees.threshold)
    low, high = feature.min(), feature.max()
    check(LEAF <= low and high < len(n_levels), "trees_.feature", f"of a column that isn't among {len(n_levels)}")
    check(np.isfinite(trees.threshold[inner & cut]).all(), "trees_.threshold", "that isn't finite")
    check(((steps >= 0) & (steps < max(len(steps), 1))).all(), "trees_.steps", "that are no places of children")
    levels = np.where(inner, np.asarray(n_levels)[feature], 0)
    looked_up = inner & ~cut
    check((levels[looked_up] > 0).all(), "trees_.threshold", "that is missing where a column is continuous")
    ends = side[looked_up].astype(np.int64) + levels[looked_up]
    right = (side[looked_up] >= 0).all() and (ends <= len(steps)).all()
    check(right and (side[inner & cut] == 0).all(), "trees_.side", "outside the rows of steps")
    if len(steps):
        first = steps[: levels[looked_up & (side == 0)].max(initial=1)]
        check((first == np.arange(len(first))).all(), "trees_.steps", "whose first row isn't 0, 1, 2, ...")
    rows = np.flatnonzero(looked_up & (side > 0))
    taken = np.zeros(len(steps) + 1, dtype=np.int64)  # rows of two children, from where to where
    np.add.at(taken, side[rows], 1)
    np.add.at(taken, side[rows] + levels[rows], -1)
    halves = steps[taken.cumsum()[:-1] > 0]
    check((halves <= 1).all(), "trees_.steps", "that part a node's levels in more than two")
    return np.where(cut | (side > 0), 2, levels)


def check_paths(trees, inner, width):
    """Children stand behind their parents, in no two places, and leaves are numbered tree by tree."""
    n, starts, roots, child = len(inner), trees.leaf_starts, trees.roots, trees.child
    n_leaves = int((~inner).sum())
    right = len(roots) > 0 and len(starts) == len(roots) + 1 and starts[0] == 0
    check(right and (np.diff(starts) > 0).all() and starts[-1] == n_leaves, "trees_.leaf_starts",
           f"of other trees and leaves than {len(roots)} and {n_leaves}")  # fmt: skip
    at = np.flatnonzero(inner)
    first, last = child[at].astype(np.int64), child[at].astype(np.int64) + width[at]
    check((first > at).all() and (last <= n).all(), "trees_.child", "that doesn't stand behind its parent")
    check(roots.min() >= 0 and roots.max() < n, "trees_.roots", "that are no nodes")
    above = np.zeros(n + 1, dtype=np.int64)
    np.add.at(above, first, 1)
    np.add.at(above, last, -1)
    above = above.cumsum()[:-1]
    np.add.at(above, roots, 1)
    check((above == 1).all(), "trees_.child", "of two parents or of none")
    numbers = np.sort(child[~inner])
    check((numbers == np.arange(n_leaves)).all(), "trees_.child", "of leaves that aren't numbered from 0")
    top, parents = np.arange(n), np.repeat(at, width[at])
    top[np.repeat(first - (width[at].cumsum() - width[at]), width[at]) + np.arange(len(parents))] = parents
    while (top[top] != top).any():  # twice as far up each time, to the root
        top = top[top]
    tree = np.empty(n, dtype=np.int64)
    tree[roots] = np.arange(len(roots))
    own = np.searchsorted(starts, child[~inner], side="right") - 1
    check((own == tree[top[~inner]]).all(), "trees_.child", "of a leaf of another tree")


def _check_complete(trees, inner):
    """Complete trees stand level by level: routing goes by that, and doesn't read where children are."""
    depth, n_trees = trees.depth, len(trees.roots)
    whole = type(depth) is int and 0 <= depth <= MOST_DEPTH
    size = n_trees * (2 ** (depth + 1) - 1) if whole else -1
    check(size == len(inner), "trees_.depth", f"of {depth!r} of {n_trees} trees with {len(inner)} nodes")
    n_inner = size - n_trees * 2**depth
    places = n_trees + 2 * np.arange(n_inner)
    right = inner[:n_inner].all() and not inner[n_inner:].any() and (trees.roots == np.arange(n_trees)).all()
    right = right and (trees.child[:n_inner] == places).all() and (np.diff(trees.leaf_starts) == 2**depth).all()
    check(right and (trees.child[n_inner:] == np.arange(size - n_inner)).all(), "trees_",
           "that aren't complete trees, level by level")  # fmt: skip
