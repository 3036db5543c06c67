r"""Trees that ask triplets alone: is a record nearer to one pivot or to the other?

At a node two *structure* points are drawn as pivots, and every record goes to the nearer one, at a tie to the
first (Haghiri, Garreau and von Luxburg 2018). A node is split if it holds more than `min_leaf` *estimation* points
and has two pivots that differ as points; with ``by_class``, of different classes.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from dplit.ground.work import in_threads
from dplit.trees.arrays import LEAF, Trees
from dplit.trees.exact_rules import refuse_secure

TRIES = 20  # pairs of pivots that may coincide before a node counts as one point


@dataclass(frozen=True)
class ComparisonTrees:
    """The trees of one forest."""

    child: np.ndarray  #: Position of the first of two children, or of a leaf its number in the forest; int32.
    #: Row of `pivots` of the node's first pivot, the second stands below it; `LEAF` of a leaf; int32.
    pair: np.ndarray
    pivots: np.ndarray  #: Points, shape (2 n_inner, n_features).
    roots: np.ndarray  #: As of `dplit.trees.arrays.Trees`.
    leaf_starts: np.ndarray  #: As `roots`.

    n_trees, n_leaves = Trees.n_trees, Trees.n_leaves

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Leaf of every record in every tree, numbered in the forest; int32, shape (n_records, n_trees)."""
        leaves = np.empty((len(X), self.n_trees), dtype=np.int32)
        _route(X, self.child, self.pair, self.pivots, self.roots, leaves)
        return leaves


def grow_comparison_trees(
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    halves: list[tuple[np.ndarray, np.ndarray]],
    by_class: bool,
    min_leaf: int,
    *,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> tuple[ComparisonTrees, np.ndarray]:
    """Grow a forest without privacy; with the class counts of its leaves, or of the nearest node that has any.

    Distances of points are Euclidean. `halves` has for each tree the positions of its structure points and of
    its estimation points. A secure generator is an error: floats decide.
    """
    refuse_secure(rng, "a choice of pivots")
    X = np.ascontiguousarray(X)
    tasks = [(X, y.astype(np.int64), n_classes, *half, by_class, min_leaf, r)
             for half, r in zip(halves, rng.spawn(len(halves)))]  # fmt: skip
    grown = in_threads(_one_tree, tasks, n_jobs)
    sizes = [len(child) for child, *_ in grown]
    leaf_starts = np.cumsum([0, *(len(counts) for *_, counts in grown)])
    roots = np.cumsum([0, *sizes[:-1]])
    pivot_starts = np.cumsum([0, *(len(pivots) for *_, pivots, _ in grown)])
    child, pair = [], []
    for t, (own_child, own_pair, _, _) in enumerate(grown):
        is_leaf = own_pair == LEAF
        child.append(own_child + np.where(is_leaf, leaf_starts[t], roots[t]))
        pair.append(np.where(is_leaf, LEAF, own_pair + pivot_starts[t]))
    trees = ComparisonTrees(
        np.concatenate(child).astype(np.int32),
        np.concatenate(pair).astype(np.int32),
        np.concatenate([pivots for *_, pivots, _ in grown]),
        roots.astype(np.int32),
        leaf_starts,
    )
    return trees, np.concatenate([counts for *_, counts in grown])


def _one_tree(X, y, n_classes, structure, estimation, by_class, min_leaf, rng):
    structure, estimation = structure.astype(np.int64), estimation.astype(np.int64)
    child, pair, ids, counts = _grow(X, y, n_classes, structure, estimation, by_class, min_leaf, rng)
    return child, pair, X[ids], counts


@njit(cache=True, nogil=True)
def nearer(x, a, b):
    """The step of a record: 0 to pivot a, 1 to pivot b where that is strictly nearer."""
    to_a, to_b = 0.0, 0.0
    for k in range(len(x)):
        to_a += (x[k] - a[k]) ** 2
        to_b += (x[k] - b[k]) ** 2
    return 1 if to_b < to_a else 0


@njit(cache=True, nogil=True)
def _grow(X, y, n_classes, structure, estimation, by_class, min_leaf, rng):
    """One tree: child, pair, positions of the pivots, counts of the leaves; each leaf has a structure point."""
    most = max(len(structure), 1)
    child, pair = np.empty(2 * most, dtype=np.int32), np.empty(2 * most, dtype=np.int32)
    ids = np.empty(2 * most, dtype=np.int64)
    counts = np.zeros((most, n_classes), dtype=np.int64)
    above = np.zeros((most + 1, n_classes), dtype=np.int64)  # counts above each waiting node
    own, spare = (
        np.zeros(n_classes, dtype=np.int64),
        np.empty(max(len(structure), len(estimation)), dtype=np.int64),
    )
    stack = np.zeros((most + 1, 5), dtype=np.int64)
    stack[0] = 0, 0, len(structure), 0, len(estimation)
    n_nodes, n_leaves, n_pairs, waiting = 1, 0, 0, 1
    while waiting > 0:
        waiting -= 1
        node, a, b = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        c, d = stack[waiting, 3], stack[waiting, 4]
        own[:] = 0
        for i in estimation[c:d]:
            own[y[i]] += 1
        if c == d:
            own[:] = above[waiting]
        one, other = -1, -1
        if d - c > min_leaf:
            one, other = _pivots(X, y, structure[a:b], by_class, rng)
        if one < 0:
            counts[n_leaves], child[node], pair[node] = own, n_leaves, LEAF
            n_leaves += 1
            continue
        child[node], pair[node] = n_nodes, n_pairs
        ids[n_pairs], ids[n_pairs + 1] = one, other
        n_pairs += 2
        m = a + _part(X, structure[a:b], X[one], X[other], spare)
        n = c + _part(X, estimation[c:d], X[one], X[other], spare)
        for step in (1, 0):
            above[waiting] = own
            stack[waiting, 0] = n_nodes + step
            stack[waiting, 1], stack[waiting, 2] = (m, b) if step else (a, m)
            stack[waiting, 3], stack[waiting, 4] = (n, d) if step else (c, n)
            waiting += 1
        n_nodes += 2
    return (child[:n_nodes].copy(), pair[:n_nodes].copy(), ids[:n_pairs].copy(), counts[:n_leaves].copy())


@njit(cache=True, nogil=True)
def _pivots(X, y, ids, by_class, rng):
    """Two structure points that differ, the second `by_class` of another class; (-1, -1) if there are none."""
    n = len(ids)
    if n < 2:
        return -1, -1
    for _ in range(TRIES):
        one = ids[int(rng.random() * n)]
        allowed = 0
        for i in ids:
            allowed += (y[i] != y[one]) if by_class else (i != one)
        if allowed == 0:
            return -1, -1
        at = int(rng.random() * allowed)
        other = one
        for i in ids:
            if (y[i] != y[one]) if by_class else (i != one):
                if at == 0:
                    other = i
                    break
                at -= 1
        if (X[one] != X[other]).any():
            return one, other
    return -1, -1


@njit(cache=True, nogil=True)
def _part(X, ids, a, b, spare):
    """Move the records nearer to the first pivot to the front; how many."""
    n_left = n_right = 0
    for k in range(len(ids)):
        if nearer(X[ids[k]], a, b):
            spare[n_right] = ids[k]
            n_right += 1
        else:
            ids[n_left] = ids[k]
            n_left += 1
    for k in range(n_right):
        ids[n_left + k] = spare[k]
    return n_left


@njit(cache=True, nogil=True)
def _route(X, child, pair, pivots, roots, leaves):
    for i in range(len(X)):
        for t in range(len(roots)):
            node = roots[t]
            while pair[node] >= 0:
                node = child[node] + nearer(X[i], pivots[pair[node]], pivots[pair[node] + 1])
            leaves[i, t] = child[node]
