"""Ensembles of random trees, each over a random subset of the columns (M-RF, algorithm 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dplit.trees.arrays import LEAF, Trees

if TYPE_CHECKING:
    from dplit.forests.cells import Cells


class Grown(NamedTuple):
    """The trees of one ensemble, and the positions of its columns in the domain, increasing.

    The trees number the columns by their position among these.
    """

    columns: np.ndarray
    trees: Trees

    def over_the_domain(self):
        """The same trees with the domain's numbers for their columns."""
        feature = self.trees.feature
        moved = np.where(feature == LEAF, LEAF, self.columns[feature])
        return replace(self.trees, feature=moved.astype(np.int32))


def grow_ensembles(
    cells: Cells,
    n_trees: int,
    depth: int,
    n_ensembles: int,
    subset_size: int,
    *,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> list[Grown]:
    """Grow ensembles, at most one a tree, that share the trees as equally as can be.

    Each has a uniform set of `subset_size` columns. Streams are spawned from `rng`, one for the subsets and one
    for each tree; it is not drawn from.
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
