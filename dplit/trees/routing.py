"""Routing records to leaves: compiled loops over the arrays of a `Trees`.

A step down a tree waits for reads that depend on one another: the node's column, the record's value there, the
next node. So `BLOCK` records go down side by side, one step each in turn: their reads overlap, and a block of a
wide table stays in the cache while all trees see it. Kernels are compiled for what a forest has: complete trees
come without `child`, a forest without categorical columns without `steps`.
"""

from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs
from numba import njit

from dplit.ground.errors import naming_cache
from dplit.ground.work import in_threads
from dplit.trees.arrays import Trees

BLOCK = 64


def _forest(trees):
    """What the kernels read of a forest, None in place of what they need not."""
    complete, continuous = trees.depth is not None, len(trees.steps) == 0
    side, steps = (None, None) if continuous else (trees.side, trees.steps)
    child, depth = (None, trees.depth) if complete else (trees.child, 0)
    arrays = trees.feature, trees.threshold, child, side, steps, trees.roots
    return *map(_read_only, arrays), depth


def _read_only(array):
    """A view that nothing is written to: kernels are compiled for no other, as a fitted forest has it."""
    if array is not None and array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def _block():
    """A place for each record of a block: its tree, and the leaf that it reaches there."""
    return np.empty(BLOCK, dtype=np.uint32), np.empty(BLOCK, dtype=np.uint32)


@njit(cache=True, nogil=True, inline="always")
def _step(node, column, row, threshold, side, steps, X):
    """Which child a record goes to. At a cut the step that is looked up is the first, 0."""
    cut, value = threshold[node], X[row, np.uint64(column)]
    step = np.uint64(value > cut)
    if steps is not None:
        code = np.uint64(value if cut != cut else 0.0)
        step += np.uint64(steps[np.uint64(side[node]) + code])
    return step


@njit(cache=True, nogil=True)
def _find(X, rows, trees, leaf, feature, threshold, child, side, steps, roots, depth):
    """Find the leaf of each record in its tree; `rows` are its positions in `X`, None for all of it.

    Positions are unsigned: a negative one would count from the end, and take time to exclude.
    """
    n = len(trees)
    if child is None:
        for k in range(n):
            leaf[k] = trees[k]
        first, width = 0, len(roots)  # of the level
        for _ in range(depth):
            for k in range(n):
                row = np.uint64(k if rows is None else rows[k])
                node = np.uint64(first + leaf[k])
                leaf[k] = 2 * leaf[k] + _step(node, feature[node], row, threshold, side, steps, X)
            first, width = first + width, 2 * width
    else:
        for k in range(n):
            leaf[k] = roots[trees[k]]
        moving = n
        while moving > 0:
            moving = 0
            for k in range(n):
                row, node = np.uint64(k if rows is None else rows[k]), np.uint64(leaf[k])
                if feature[node] >= 0:
                    step = _step(node, feature[node], row, threshold, side, steps, X)
                    leaf[k] = np.uint64(child[node]) + step
                    moving += 1
        for k in range(n):
            leaf[k] = child[leaf[k]]


@njit(cache=True, nogil=True)
def _apply(forest, block, X, leaves):
    for start in range(0, len(X), BLOCK):
        x = X[start : start + BLOCK]
        trees, leaf = block[0][: len(x)], block[1]
        for t in range(leaves.shape[1]):
            trees[:] = t
            _find(x, None, trees, leaf, *forest)
            for k in range(len(x)):
                leaves[start + k, t] = leaf[k]


@njit(cache=True, nogil=True)
def _vote(forest, block, X, labels, votes):
    for start in range(0, len(X), BLOCK):
        x = X[start : start + BLOCK]
        trees, leaf = block[0][: len(x)], block[1]
        for t in range(len(forest[5])):
            trees[:] = t
            _find(x, None, trees, leaf, *forest)
            for k in range(len(x)):
                votes[start + k, labels[leaf[k]]] += 1


@njit(cache=True, nogil=True)
def _average(forest, block, X, values, means):
    n_trees = len(forest[5])
    for start in range(0, len(X), BLOCK):
        x = X[start : start + BLOCK]
        trees, leaf = block[0][: len(x)], block[1]
        for t in range(n_trees):
            trees[:] = t
            _find(x, None, trees, leaf, *forest)
            for k in range(len(x)):
                means[start + k] += values[leaf[k]] / n_trees


@njit(cache=True, nogil=True)
def _count(forest, block, rows, X, y, assigned, first, last, counts):
    trees, leaf = block
    n = 0
    for i in range(len(X)):
        if first <= assigned[i] < last:
            rows[n], trees[n] = i, assigned[i]
            n += 1
        if n == BLOCK or i == len(X) - 1:
            _find(X, rows, trees[:n], leaf, *forest)
            for k in range(n):
                counts[leaf[k], y[rows[k]]] += 1
            n = 0


@naming_cache()
def _by_records(kernel, trees, X, out, n_jobs, *extra):
    """Run a kernel on blocks of records; each block writes its own rows of `out`.

    In threads, whatever the user's ``joblib.parallel_config`` asks for: a process would write to a copy.
    """
    jobs, forest = effective_n_jobs(n_jobs), _forest(trees)
    if jobs == 1:
        kernel(forest, _block(), X, *extra, out)
        return out
    cuts = np.linspace(0, len(X), jobs + 1).astype(int)
    parts = [slice(a, b) for a, b in pairwise(cuts)]
    in_threads(kernel, [(forest, _block(), X[p], *extra, out[p]) for p in parts], jobs)
    return out


def apply(trees: Trees, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """Leaf of every record in every tree, numbered from 0 in each tree; int32, shape (n_records, n_trees).

    `X` is here and below as `Domain.encode` gives it.
    """
    leaves = np.empty((len(X), trees.n_trees), dtype=np.int32)
    _by_records(_apply, trees, X, leaves, n_jobs)
    return leaves - trees.leaf_starts[:-1].astype(np.int32)


def vote(trees: Trees, X: np.ndarray, labels: np.ndarray, n_classes: int, n_jobs: int | None = None) -> np.ndarray:
    """How many trees vote for each class, by the class of each leaf; int32, shape (n_records, n_classes)."""
    votes = np.zeros((len(X), n_classes), dtype=np.int32)
    return _by_records(_vote, trees, X, votes, n_jobs, _read_only(labels))


def average(trees: Trees, X: np.ndarray, values: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """Mean over the trees of the value of the leaf that each record reaches, shape (n_records,)."""
    return _by_records(_average, trees, X, np.zeros(len(X)), n_jobs, _read_only(values))


def count_labels(
    trees: Trees, X: np.ndarray, y: np.ndarray, assigned: np.ndarray, n_classes: int, n_jobs: int | None = None
) -> np.ndarray:
    """Class counts of every leaf, each record counted in the one tree that it is assigned to.

    Int64, shape (n_leaves, n_classes), of the records' classes `y`.
    """
    counts = np.zeros((trees.n_leaves, n_classes), dtype=np.int64)
    jobs = effective_n_jobs(n_jobs)
    cuts = np.linspace(0, trees.n_trees, jobs + 1).astype(int)
    forest = _forest(trees)
    tasks = [(forest, _block(), np.empty(BLOCK, dtype=np.int64), X, y, assigned, a, b, counts)
             for a, b in pairwise(cuts)]  # fmt: skip
    in_threads(_count, tasks, jobs)
    return counts
