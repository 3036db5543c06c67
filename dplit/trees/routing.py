"""Routing records to leaves: compiled loops over the arrays of a `Trees`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def _leaf(feature, threshold, child, side, steps, node, record):
    """Number of the leaf that `record` reaches from `node`."""
    j = feature[node]
    while j >= 0:
        cut, value = threshold[node], record[j]
        if cut == cut:  # a number: the column is continuous
            node = child[node] + (value > cut)
        else:
            node = child[node] + steps[side[node] + int(value)]
        j = feature[node]
    return child[node]


@njit(cache=True, nogil=True)
def _apply(feature, threshold, child, side, steps, roots, X, leaves):
    for t in range(len(roots)):
        for i in range(len(X)):
            leaves[i, t] = _leaf(feature, threshold, child, side, steps, roots[t], X[i])


@njit(cache=True, nogil=True)
def _vote(feature, threshold, child, side, steps, roots, X, labels, votes):
    for t in range(len(roots)):
        for i in range(len(X)):
            votes[i, labels[_leaf(feature, threshold, child, side, steps, roots[t], X[i])]] += 1


@njit(cache=True, nogil=True)
def _average(feature, threshold, child, side, steps, roots, X, values, means):
    for t in range(len(roots)):
        for i in range(len(X)):
            leaf = _leaf(feature, threshold, child, side, steps, roots[t], X[i])
            means[i] += values[leaf] / len(roots)


@njit(cache=True, nogil=True)
def _count(feature, threshold, child, side, steps, roots, X, y, assigned, first, last, counts):
    for i in range(len(X)):
        t = assigned[i]
        if first <= t < last:
            counts[_leaf(feature, threshold, child, side, steps, roots[t], X[i]), y[i]] += 1


def _by_records(kernel, trees, X, out, n_jobs, *extra):
    """Run a kernel on blocks of records, side by side; each block writes its own rows of `out`.

    Shared memory is required, not preferred: a process, which the user's
    ``joblib.parallel_config`` may ask for, would write to a copy.
    """
    jobs = effective_n_jobs(n_jobs)
    if jobs == 1:
        kernel(*trees.arrays, X, *extra, out)
        return out
    cuts = np.linspace(0, len(X), jobs + 1).astype(int)
    blocks = [slice(a, b) for a, b in pairwise(cuts)]
    tasks = (delayed(kernel)(*trees.arrays, X[b], *extra, out[b]) for b in blocks)
    Parallel(n_jobs=n_jobs, require="sharedmem")(tasks)
    return out


def apply(trees, X, n_jobs=None):
    """Leaf of every record in every tree, numbered from 0 in each tree.

    Parameters
    ----------
    trees : Trees
    X : float64 array, shape (n_records, n_features)
        As `Domain.encode` gives it.

    Returns
    -------
    int32 array, shape (n_records, n_trees)
    """
    leaves = np.empty((len(X), trees.n_trees), dtype=np.int32)
    _by_records(_apply, trees, X, leaves, n_jobs)
    return leaves - trees.leaf_starts[:-1].astype(np.int32)


def vote(trees, X, labels, n_classes, n_jobs=None):
    """How many trees vote for each class.

    Parameters
    ----------
    trees : Trees
    X : float64 array, shape (n_records, n_features)
    labels : int array, shape (n_leaves,)
        Class of each leaf of the forest.

    Returns
    -------
    int32 array, shape (n_records, n_classes); each row sums to the number of trees
    """
    votes = np.zeros((len(X), n_classes), dtype=np.int32)
    return _by_records(_vote, trees, X, votes, n_jobs, labels)


def average(trees, X, values, n_jobs=None):
    """Mean over the trees of the value of the leaf that each record reaches.

    Parameters
    ----------
    trees : Trees
    X : float64 array, shape (n_records, n_features)
    values : float64 array, shape (n_leaves,)
        Value of each leaf of the forest.

    Returns
    -------
    float64 array, shape (n_records,)
    """
    return _by_records(_average, trees, X, np.zeros(len(X)), n_jobs, values)


def count_labels(trees, X, y, assigned, n_classes, n_jobs=None):
    """Class counts of every leaf, each record counted in the one tree that it is assigned to.

    Parameters
    ----------
    trees : Trees
    X : float64 array, shape (n_records, n_features)
    y : int array, shape (n_records,)
        Class of each record.
    assigned : int array, shape (n_records,)
        Tree of each record.

    Returns
    -------
    int32 array, shape (n_leaves, n_classes)
    """
    counts = np.zeros((trees.n_leaves, n_classes), dtype=np.int32)
    jobs = effective_n_jobs(n_jobs)
    cuts = np.linspace(0, trees.n_trees, jobs + 1).astype(int)
    inputs = (*trees.arrays, X, y, assigned)
    if jobs == 1:
        _count(*inputs, 0, trees.n_trees, counts)
    else:
        tasks = (delayed(_count)(*inputs, a, b, counts) for a, b in pairwise(cuts))
        Parallel(n_jobs=n_jobs, require="sharedmem")(tasks)
    return counts
