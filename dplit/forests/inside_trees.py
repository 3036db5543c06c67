"""Whether each path in trees that were read from a file ends in a leaf, whatever the record.

Compiled routing trusts positions, and reads where they point: what is here makes sure that they point into the
arrays, behind the node, and to leaves of the same tree.
"""

from __future__ import annotations

import numpy as np

from dplit.domain import Domain
from dplit.forests.fitted import tested_levels
from dplit.trees.arrays import LEAF

MOST_DEPTH = 40  # of complete trees: their nodes' positions are int32
DTYPES = {
    "feature": "i4", "threshold": "f8", "child": "i4", "side": "i4", "steps": "i4", "roots": "i4",
    "leaf_starts": "i8", "pair": "i4", "pivots": "f8",
}  # fmt: skip


def check(right, name, what):
    """Raise `ValueError` with the name of what is wrong if it is not right."""
    if not right:
        raise ValueError(f"{name} {what}")


def check_trees(forest):
    """Whether each path ends in a leaf of its own tree, whatever the record."""
    trees, kind = forest.trees_, type(forest.trees_).__name__
    comparison = type(forest).__name__ == "ComparisonForestClassifier"
    check(kind == ("ComparisonTrees" if comparison else "Trees"), "trees_", f"of the type {kind}")
    for name, dtype in DTYPES.items():
        if name in type(trees).__dataclass_fields__:
            array, ndim = getattr(trees, name), 2 if name == "pivots" else 1
            right = isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == ndim
            check(right, f"trees_.{name}", "of another dtype or number of axes")
    columns = forest.domain_ if not hasattr(forest, "tested_") else forest.tested_
    check(isinstance(columns, Domain), "tested_", "that is no domain")
    inner = trees.pair >= 0 if comparison else trees.feature != LEAF
    same = [len(getattr(trees, name)) for name in ("child", "pair" if comparison else "feature")]
    same += [] if comparison else [len(trees.threshold), len(trees.side)]
    check(len({*same}) == 1 and same[0] > 0, "trees_", "whose arrays have different lengths")
    if comparison:
        _check_pivots(forest, trees, inner)
        width = np.full(len(inner), 2)
    else:
        n_levels = columns.n_levels if hasattr(forest, "tested_") else tested_levels(forest)
        width = _children(trees, inner, n_levels)
    _check_paths(trees, inner, width)
    if getattr(trees, "depth", None) is not None:
        _check_complete(trees, inner)


def _children(trees, inner, n_levels):
    """How many children each node has; an error if a test is none of these columns."""
    feature, side, steps, cut = trees.feature, trees.side, trees.steps, ~np.isnan(trees.threshold)
    low, high = feature.min(), feature.max()
    check(
        LEAF <= low and high < len(n_levels),
        "trees_.feature",
        f"of a column that isn't among {len(n_levels)}",
    )
    check(np.isfinite(trees.threshold[inner & cut]).all(), "trees_.threshold", "that isn't finite")
    check(
        ((steps >= 0) & (steps < max(len(steps), 1))).all(),
        "trees_.steps",
        "that are no places of children",
    )
    levels = np.where(inner, np.asarray(n_levels)[feature], 0)
    looked_up = inner & ~cut
    check(
        (levels[looked_up] > 0).all(),
        "trees_.threshold",
        "that is missing where a column is continuous",
    )
    ends = side[looked_up].astype(np.int64) + levels[looked_up]
    right = (side[looked_up] >= 0).all() and (ends <= len(steps)).all()
    check(right and (side[inner & cut] == 0).all(), "trees_.side", "outside the rows of steps")
    if len(steps):
        first = steps[: levels[looked_up & (side == 0)].max(initial=1)]
        check(
            (first == np.arange(len(first))).all(),
            "trees_.steps",
            "whose first row isn't 0, 1, 2, ...",
        )
    rows = np.flatnonzero(looked_up & (side > 0))
    taken = np.zeros(len(steps) + 1, dtype=np.int64)  # rows of two children, from where to where
    np.add.at(taken, side[rows], 1)
    np.add.at(taken, side[rows] + levels[rows], -1)
    halves = steps[taken.cumsum()[:-1] > 0]
    check((halves <= 1).all(), "trees_.steps", "that part a node's levels in more than two")
    return np.where(cut | (side > 0), 2, levels)


def _check_pivots(forest, trees, inner):
    """Of trees that compare distances, both pivots are there and points of the columns."""
    n, columns = trees.pivots.shape
    right = columns == forest.n_features_in_ and np.isfinite(trees.pivots).all()
    check(right, "trees_.pivots", "that are no points")
    check(
        trees.pair.min() >= LEAF and (trees.pair[inner] < n - 1).all(),
        "trees_.pair",
        "beyond the pivots",
    )
    for name in ("lowest_", "widths_"):
        array = getattr(forest, name)
        right = isinstance(array, np.ndarray) and array.dtype == "f8" and array.shape == (columns,)
        check(right, name, f"that aren't {columns} numbers")
    check((forest.widths_ > 0).all(), "widths_", "that aren't positive")


def _check_paths(trees, inner, width):
    """Children stand behind their parents, in no two places, and leaves are numbered tree by tree."""
    n, starts, roots, child = len(inner), trees.leaf_starts, trees.roots, trees.child
    n_leaves = int((~inner).sum())
    right = len(roots) > 0 and len(starts) == len(roots) + 1 and starts[0] == 0
    check(right and (np.diff(starts) > 0).all() and starts[-1] == n_leaves, "trees_.leaf_starts",
           f"of other trees and leaves than {len(roots)} and {n_leaves}")  # fmt: skip
    at = np.flatnonzero(inner)
    first, last = child[at].astype(np.int64), child[at].astype(np.int64) + width[at]
    check(
        (first > at).all() and (last <= n).all(),
        "trees_.child",
        "that doesn't stand behind its parent",
    )
    check(roots.min() >= 0 and roots.max() < n, "trees_.roots", "that are no nodes")
    above = np.zeros(n + 1, dtype=np.int64)
    np.add.at(above, first, 1)
    np.add.at(above, last, -1)
    above = above.cumsum()[:-1]
    np.add.at(above, roots, 1)
    check((above == 1).all(), "trees_.child", "of two parents or of none")
    numbers = np.sort(child[~inner])
    check(
        (numbers == np.arange(n_leaves)).all(),
        "trees_.child",
        "of leaves that aren't numbered from 0",
    )
    top, parents = np.arange(n), np.repeat(at, width[at])
    top[
        np.repeat(first - (width[at].cumsum() - width[at]), width[at]) + np.arange(len(parents))
    ] = parents
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
    check(
        size == len(inner),
        "trees_.depth",
        f"of {depth!r} of {n_trees} trees with {len(inner)} nodes",
    )
    n_inner = size - n_trees * 2**depth
    places = n_trees + 2 * np.arange(n_inner)
    right = (
        inner[:n_inner].all()
        and not inner[n_inner:].any()
        and (trees.roots == np.arange(n_trees)).all()
    )
    right = (
        right
        and (trees.child[:n_inner] == places).all()
        and (np.diff(trees.leaf_starts) == 2**depth).all()
    )
    check(right and (trees.child[n_inner:] == np.arange(size - n_inner)).all(), "trees_",
           "that aren't complete trees, level by level")  # fmt: skip
