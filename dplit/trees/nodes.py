"""Room for the nodes of a tree while it grows, depth first.

A grower is a compiled loop over the nodes that wait. Where the room may be too small for the next
node it stops; `grow` calls it again with more, and it goes on where it stopped. So all that it must
remember stands in arrays: the waiting nodes in `stack`, and the numbers of things in `at`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from dplit.domain import GRID
from dplit.ground.work import in_threads
from dplit.trees.arrays import Trees

MAX_NODES = 100_000_000  # of a forest: about 2 GB
NODES, LEAVES, WAITING, STEPS, NEEDS_NODES, NEEDS_STEPS = range(6)  # places in `Room.at`


class Size(NamedTuple):
    """How large a forest is asked to be; `advice` says what else than fewer or shallower trees would help."""

    max_depth: int
    n_trees: int
    advice: str = ""

    @property
    def limit(self):
        """Most nodes that a tree may have."""
        return MAX_NODES // self.n_trees

    def check(self, n_nodes):
        """Raise a ValueError if trees of `n_nodes` are too large."""
        if n_nodes > self.limit:
            raise ValueError(
                f"max_depth={self.max_depth} with n_estimators={self.n_trees} needs more than "
                f"{MAX_NODES:,} nodes on this domain: choose fewer or shallower trees{self.advice}"
            )

    def check_binary(self, domain):
        """Raise a ValueError if trees with two children at every node must be too large.

        What a cut leaves of an interval can be cut again, so every path is `max_depth` long.
        """
        endless = (domain.bounds[:, 0] < domain.bounds[:, 1]).any()
        self.check(2 ** (min(self.max_depth, 64) + 1) - 1 if endless else 1)


class Room(NamedTuple):
    """The arrays that a grower fills."""

    feature: np.ndarray  #: As in `dplit.trees.arrays.Trees`, numbered from 0 in the tree.
    threshold: np.ndarray  #: As `feature`.
    child: np.ndarray  #: As `feature`.
    side: np.ndarray  #: As `feature`.
    steps: np.ndarray  #: As `feature`.
    ends: np.ndarray  #: Int32 array. Of each leaf, where its stretch of the tree's sorted records ends.
    #: Int64 array, shape (most that can wait, 5). Of each waiting node: its position, its depth, its parent, and
    #: the stretch of its records.
    stack: np.ndarray
    #: Int64 array, shape (6,). How many nodes, leaves, waiting nodes and steps there are; how many nodes and steps
    #: one test may add.
    at: np.ndarray

    @classmethod
    def of(cls, nodes, depth, children, most_levels=None, n_records=None):
        """Room for about as many nodes as given, and a root that waits.

        `nodes`, `depth`, `children`: nodes to begin with; the longest path; the most children of a node.
        `most_levels`: int, optional; of a tree that splits levels in two: the most of a column. `n_records`: int,
        optional; of a tree that sorts its records into its leaves.
        """
        nodes += children
        stack = np.zeros((depth * (children - 1) + 2, 5), dtype=np.int64)
        stack[0] = 0, 0, -1, 0, n_records or 0
        return cls(
            feature=np.empty(nodes, dtype=np.int32),
            threshold=np.empty(nodes),
            child=np.empty(nodes, dtype=np.int32),
            side=np.zeros(0 if most_levels is None else nodes, dtype=np.int32),
            steps=np.empty(most_levels or 0, dtype=np.int32),
            ends=np.empty(0 if n_records is None else nodes, dtype=np.int32),
            stack=stack,
            at=np.array([1, 0, 1, 0, children, most_levels or 0]),
        )

    def more(self, limit):
        """The same with room for a test more, for up to `limit` nodes."""
        longer, at = {}, self.at
        nodes, steps = len(self.feature), len(self.steps)
        if at[NODES] + at[NEEDS_NODES] > nodes:
            size = min(2 * nodes, limit + at[NEEDS_NODES])
            names = ("feature", "threshold", "child", "side", "ends")
            longer = {name: size for name in names if len(getattr(self, name))}
        if at[STEPS] + at[NEEDS_STEPS] > steps:
            longer["steps"] = 2 * steps + at[NEEDS_STEPS]
        return self._replace(**{name: _longer(getattr(self, name), n) for name, n in longer.items()})

    def filled(self):
        """What was filled of feature, threshold, child, side, steps and ends, in arrays of its own."""
        nodes, leaves, _, steps = self.at[:4]
        return [a[:n].copy() for a, n in zip(self, (nodes, nodes, nodes, nodes, steps, leaves))]


def _longer(array, length):
    longer = np.zeros(length, dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def grow(grower: Callable, room: Room, size: Size, *arguments) -> list[np.ndarray]:
    """Call a compiled grower until no node waits; what it filled, as `Room.filled` gives it.

    A tree that is too large is a ValueError.
    """
    grower(room, *arguments)
    while room.at[WAITING]:
        size.check(room.at[NODES])
        room = room.more(size.limit)
        grower(room, *arguments)
    size.check(room.at[NODES])
    return room.filled()


@njit(cache=True, nogil=True, inline="always")
def push(stack, waiting, node, depth, parent, start, end):
    """Let a node wait; how many do."""
    stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = node, depth, parent
    stack[waiting, 3], stack[waiting, 4] = start, end
    return waiting + 1


def grow_all(
    grow_one: Callable, tasks: list[tuple], n_jobs: int | None, most_levels: int = 0
) -> tuple[Trees, np.ndarray]:
    """Join the trees of all tasks to one forest, and what is counted in their leaves to one array.

    `grow_one` makes of a task a tree, as `Trees.join` takes it, and its counts. Each task has a stream of its
    own: `n_jobs`, as `each` takes it, changes nothing.
    """
    trees, stats = zip(*in_threads(grow_one, tasks, n_jobs))
    return Trees.join(trees, most_levels), np.concatenate(stats)


def leaf_stats(records: np.ndarray, ends: np.ndarray, y: np.ndarray, n_classes: int) -> np.ndarray:
    """Class counts of each leaf, or the number of its targets and their sum in steps. Private.

    A step is a `dplit.domain.GRID`-th of the targets' interval: a sum is a whole number, and exact. Int64, of
    shape (n_leaves, n_classes) or (n_leaves, 2).

    `records`: positions of the tree's records, those of a leaf side by side, in the order of the leaves. `ends`:
    where each leaf's records end. `y`: codes of classes, or targets in [0, 1], for which `n_classes` is 0.
    """
    n_leaves, target = len(ends), y[records]
    leaf = np.repeat(np.arange(n_leaves), np.diff(ends, prepend=0))
    if n_classes:
        cells = leaf * n_classes + target.astype(np.int64)
        return np.bincount(cells, minlength=n_leaves * n_classes).reshape(n_leaves, n_classes)
    return sums_in_steps(leaf, target, n_leaves)


def sums_in_steps(leaf, targets, n_leaves):
    """Number of the targets of each leaf, and their sum in steps, int64; `leaf` is that of each target."""
    stats = np.zeros((n_leaves, 2), dtype=np.int64)
    stats[:, 0] = np.bincount(leaf, minlength=n_leaves)
    np.add.at(stats[:, 1], leaf, np.rint(targets * GRID).astype(np.int64))
    return stats
