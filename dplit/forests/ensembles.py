"""Ensembles of random trees, each over a random subset of the columns (M-RF, algorithm 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dplit.trees.arrays import LEAF, Trees


class Grown(NamedTuple):
    """The trees of one ensemble.

    Attributes
    ----------
    columns : int64 array
        Positions of its columns in the domain, increasing.
    trees : Trees
        They number the columns by their position in `columns`.
    """

    columns: np.ndarray
    trees: Trees

    def over_the_domain(self):
        """The same trees with the domain's numbers for their columns."""
        feature = self.trees.feature
        moved = np.where(feature == LEAF, LEAF, self.columns[feature])
        return replace(self.trees, feature=moved.astype(np.int32))


def grow_ensembles(cells, n_trees, depth, n_ensembles, subset_size, *, rng, n_jobs=None):
    """Grow ensembles that share the trees as equally as can be.

    Parameters
    ----------
    cells : dplit.forests.cells.Cells
    n_trees, depth : int
    n_ensembles : int
        q, at most `n_trees`.
    subset_size : int
        Columns of each ensemble: a uniform set of so many.
    rng : numpy.random.Generator
        Streams are spawned from it, one for the subsets and one for each tree; it is not drawn from.
    n_jobs : int or None
    """
    from dplit.trees import grow_random_trees  # compiled: slow to import

    (chooser,) = rng.spawn(1)
    width, grown = len(cells.n_levels), []
    for part in np.array_split(np.arange(n_trees), n_ensembles):
        columns = np.arange(width)
        if subset_size < width:
            columns = np.sort(chooser.choice(width, subset_size, replace=False))
        schema = cells.schema(columns)
        trees = grow_random_trees(schema, len(part), depth, rng=rng, n_jobs=n_jobs)
        grown.append(Grown(columns, trees))
    return grown


def joined(ensembles):
    """One forest of all ensembles' trees, over the columns of the domain, as `Trees`."""
    forests = [ensemble.over_the_domain() for ensemble in ensembles]
    if len(forests) == 1:
        return forests[0]
    node = np.cumsum([0, *(len(f.feature) for f in forests)])
    leaf = np.cumsum([0, *(f.n_leaves for f in forests)])
    child = [f.child + np.where(f.feature == LEAF, b, a) for f, a, b in zip(forests, node, leaf)]
    starts = [f.leaf_starts[:-1] + b for f, b in zip(forests, leaf)]
    return Trees(
        feature=np.concatenate([f.feature for f in forests]),
        threshold=np.concatenate([f.threshold for f in forests]),
        child=np.concatenate(child).astype(np.int32),
        side=np.concatenate([f.side for f in forests]),
        steps=max((f.steps for f in forests), key=len),
        roots=np.concatenate([f.roots + a for f, a in zip(forests, node)]).astype(np.int32),
        leaf_starts=np.append(np.concatenate(starts), leaf[-1]).astype(np.int64),
    )
