r"""Subsample and aggregate with a matrix (M-RF, section "Optimizing subsample-and-aggregate framework").

Each tree is fitted on records of its own, so that the leaves' counts C are no longer TD. But the votes are
:math:`QT^\top C`: queries on the o x k table C, whose cells are the leaves. A record is in one leaf of one
tree, so it changes one entry of C by 1. A strategy A for the workload :math:`QT^\top` costs
:math:`\|A\|_1`, whatever the number of queries, if one record more moves no other: each record's tree is an
independent draw. Derived in :doc:`/book/matrix_release`.
"""

from __future__ import annotations

import math

import numpy as np

from dplit.budget import EqualParts
from dplit.ground.errors import (
    MOST,
    check_choice,
    check_epsilon,
    check_integer,
    check_kind,
    check_neighbours,
    check_numbers,
    check_positive,
    check_rng,
    check_whole,
)
from dplit.matrix.paths import Paths, check_codes
from dplit.matrix.release import measured_with, noise_for, spend
from dplit.matrix.strategies.base import Strategy
from dplit.matrix.workload import Workload
from dplit.mechanisms.secure import is_secure

VOTING = ("weighted", "hard")
ASSIGNMENTS = ("independent", "shuffled")


def subsample_workload(paths, queries):
    r"""The workload :math:`QT^\top` on the table of the leaves: which leaf of each tree a query reaches.

    Parameters
    ----------
    paths : Paths
    queries : int array, shape (n_queries, n_features)

    Returns
    -------
    Workload
        Its cells are the leaves of all trees, in order: a domain of one column with o levels.
    """
    paths = check_kind(paths, Paths, "paths")
    return Workload.of_matrix(paths.reached(check_codes(queries, paths.n_levels, "queries")))


def most_queries(paths, queries):
    r"""The most queries that share a leaf, :math:`\|QT^\top\|_1`: what a record changes all votes by.

    The published release of each query by itself takes all b queries for it.

    Parameters
    ----------
    paths : Paths
    queries : int array, shape (n_queries, n_features)

    Returns
    -------
    int
    """
    paths = check_kind(paths, Paths, "paths")
    return int(paths.reached(check_codes(queries, paths.n_levels, "queries")).sum(axis=0).max())


def own_leaves(paths, codes, assignment="independent", *, rng):
    """The leaf of each record in the one tree that it is given to.

    Parameters
    ----------
    paths : Paths
    codes : int array, shape (n_records, n_features)
    assignment : {"independent", "shuffled"}
        Each record's tree is a uniform draw of its own; or, as published, the records are shuffled and
        dealt in turn, so that one record more moves others.
    rng : numpy.random.Generator

    Returns
    -------
    int64 array, shape (n_records,)
        Numbers of rows of `paths`.
    """
    paths = check_kind(paths, Paths, "paths")
    codes, tau = check_codes(codes, paths.n_levels), paths.n_trees
    check_rng(rng)
    if check_choice(assignment, ASSIGNMENTS, "assignment") == "independent":
        tree = rng.integers(tau, size=len(codes))
    else:
        tree = rng.permutation(len(codes)) % tau
    found = np.empty(len(codes), dtype=np.int64)
    for t in range(tau):
        rows, mine = np.flatnonzero(paths.tree == t), tree == t
        found[mine] = rows[paths.take(rows).reached(codes[mine]).argmax(axis=1)]
    return found


def subsample(
    paths,
    queries,
    strategy,
    codes,
    classes,
    n_classes,
    epsilon,
    voting="weighted",
    assignment="independent",
    mechanism="geometric",
    neighbours="add-remove",
    order=None,
    *,
    rng,
):
    r"""Noisy votes for queries, of trees that are each fitted on records of their own.

    Parameters
    ----------
    paths : Paths
    queries : int array, shape (n_queries, n_features)
        Public: not taken from the records.
    strategy : Strategy
        For `subsample_workload`, on the leaves.
    codes, classes, n_classes, mechanism, neighbours
        As in `dplit.matrix.release`.
    epsilon : float
        What the votes cost in all, with independent assignment.
    voting : {"weighted", "hard"}
        Whether a tree votes with its leaf's counts or with the largest one's class, see `leaf_classes`.
        A record changes one leaf's class, so a hard vote costs :math:`2\|A\|_1`, and of two classes one
        column is released, for :math:`\|A\|_1`.
    assignment : {"independent", "shuffled"}
        As in `own_leaves`; the second costs up to three times as much, and the node says so.
    order : sequence of int, optional
        As in `preferences`: as published the data set's own, whose first class an empty leaf votes for.
    rng : numpy.random.Generator

    Returns
    -------
    votes : float64 array, shape (n_queries, k)
    node : Spend or EqualParts
    """
    strategy = check_kind(strategy, Strategy, "strategy")
    workload = subsample_workload(paths, queries)
    delta = vote_sensitivity(strategy, n_classes, voting, neighbours)
    noise = noise_for(delta, epsilon, mechanism, strategy.integer)
    hard = voting == "hard"
    preferred = preferences(len(paths), n_classes, order, rng=check_rng(rng)) if hard else None
    leaves = own_leaves(paths, codes, assignment=assignment, rng=rng)
    classes = check_whole(classes, "classes", 0, n_classes - 1, ndim=1)
    if len(classes) != len(leaves):
        raise ValueError(
            f"classes must be one for each of {len(leaves)} records, got {len(classes)}"
        )
    if hard:
        counts = np.zeros((len(paths), n_classes), dtype=np.int64)
        np.add.at(counts, (leaves, classes), 1)
        leaves, classes = np.arange(len(paths)), leaf_classes(counts, preferred)
    two = hard and n_classes == 2
    measured = measured_with(
        noise,
        strategy,
        leaves[:, None],
        classes,
        n_classes,
        lambda exact: exact[:, int(two) :],
        rng=rng,
    )
    votes = strategy.answer(workload, measured)[workload.place]
    if two:  # all trees vote
        votes = np.column_stack([paths.n_trees - votes[:, 0], votes[:, 0]])
    return votes, _account(
        strategy, noise, neighbours, mechanism, assignment, paths.n_trees, is_secure(rng)
    )


def preferences(n_leaves, n_classes, order=None, *, rng):
    """What decides among the largest counts of a leaf, of all of them if it is empty: drawn, or a public order.

    Parameters
    ----------
    n_leaves, n_classes : int
    order : sequence of int, optional
        The classes, of which the first is preferred by every leaf. Left out, each leaf draws an order of its
        own, and no class is preferred.
    rng : numpy.random.Generator

    Returns
    -------
    float64 array, shape (n_leaves, k)
    """
    if order is None:
        return rng.random((n_leaves, n_classes))
    order = check_whole(order, "order", 0, n_classes - 1, ndim=1)
    if len(order) != n_classes or len(np.unique(order)) != n_classes:
        raise ValueError(f"order must hold each of {n_classes} classes once, got {order.tolist()}")
    return np.tile(-np.argsort(order).astype(float), (n_leaves, 1))


def leaf_classes(counts, preferred):
    r"""The class that each leaf votes for: of its largest counts, the one that is preferred.

    What is preferred depends on no record. Given it, the class of a leaf is a function of its own counts, so that
    a record more or less changes the class of one leaf at most, and a replaced record those of two.
    `vote_sensitivity` holds for each value of the preferences, and the release, their mixture, spends no more.

    Parameters
    ----------
    counts : int array, shape (n_leaves, k)
    preferred : float array, shape (n_leaves, k)
        As of `preferences`.

    Returns
    -------
    int array, shape (n_leaves,)
    """
    largest = counts == counts.max(axis=1, keepdims=True)
    return np.where(largest, preferred, -np.inf).argmax(axis=1)


def vote_sensitivity(strategy, n_classes, voting="weighted", neighbours="add-remove"):
    r"""The most that a record changes what is released, for weighted and for hard votes.

    =========  =============  ======================  ======================
    votes      classes        add-remove              replace-one
    =========  =============  ======================  ======================
    weighted   k              :math:`\|A\|_1`         :math:`2\|A\|_1`
    hard       2, one column  :math:`\|A\|_1`         :math:`2\|A\|_1`
    hard       k              :math:`2\|A\|_1`        :math:`4\|A\|_1`
    =========  =============  ======================  ======================

    The last row's replacement changes the classes of two leaves; the value is an upper bound.

    Parameters
    ----------
    strategy : Strategy
    n_classes : int
    voting, neighbours
        As in `subsample`.
    """
    strategy = check_kind(strategy, Strategy, "strategy")
    check_choice(voting, VOTING, "voting")
    classes = check_integer(n_classes, "n_classes", 1)
    replaced = check_neighbours(neighbours) == "replace-one"
    if voting == "weighted":
        return strategy.sensitivity(neighbours, classes)
    return strategy.sensitivity("add-remove", classes) * (1 + replaced) * (1 + (classes > 2))


def _account(strategy, noise, neighbours, mechanism, assignment, n_trees, in_steps):
    if assignment == "independent":
        return spend(strategy, noise, neighbours, mechanism, in_steps)
    if neighbours == "replace-one":  # a replaced record keeps its place in the shuffle
        return spend(strategy, noise, neighbours, mechanism, in_steps)
    why = "one record more can move another one from tree to tree"
    return EqualParts(
        "votes", spend(strategy, noise, neighbours, mechanism, in_steps), n_trees, why
    )


def shuffled_loss(epsilon, n_trees, n_records=None):
    r"""A loss that shuffling and dealing in turn reaches with noisy counts of leaves, add-remove.

    There are n records in one leaf of each tree, and the added one is in another. The outcome: all counts
    of the other leaf are high; counts of the first leaf are high in the tree that gets one record
    more, and low in the others. With :math:`s = (\lfloor n/\tau \rfloor + 1)/(n + 1)` the ratio is

    .. math:: s\,e^\epsilon + (1 - s)\,e^{3\epsilon} .

    With :math:`n = \tau - 1`, where :math:`s = 1/\tau`, it is the bound of `dplit.budget.EqualParts`: 2.94 for 16
    trees and epsilon 1.

    Parameters
    ----------
    epsilon : float
        What a single step costs.
    n_trees : int
        The number :math:`\tau`.
    n_records : int, optional
        n; left out, the worst number, one less than there are trees.

    Returns
    -------
    float
    """
    epsilon, tau = check_epsilon(epsilon), check_integer(n_trees, "n_trees", 1)
    n = tau - 1 if n_records is None else check_integer(n_records, "n_records", 0)
    stays = (n // tau + 1) / (n + 1)
    return 3 * epsilon + math.log1p(stays * math.expm1(-2 * epsilon))


# One tree's share ---------------------------------------------------------------------------------


def tree_advantage(gap, epsilon, n_trees):
    r"""How much better than a guess one tree's label is, of two classes with Laplace counts.

    With :math:`\tau` trees on all records at epsilon each :math:`1/\tau` of the budget, or on a
    :math:`\tau`-th of the records at all of it, :math:`x = g\epsilon/\tau` for a gap g of the whole, and

    .. math:: \Pr(\text{right}) - \tfrac12 = \tfrac12 - e^{-x}\left(\tfrac12 + \tfrac x4\right) .

    It is at most x/4: inverse to the number of trees only in the limit of many.

    Parameters
    ----------
    gap : array_like of float
        g, majority less minority, at least 0.
    epsilon : float
    n_trees : array_like of int

    Returns
    -------
    float64 array
    """
    gap, epsilon = check_numbers(gap, "gap", 0, MOST), check_positive(epsilon, "epsilon")
    n_trees = check_numbers(n_trees, "n_trees", 1, MOST)
    x = gap * epsilon / n_trees
    return 0.5 - np.exp(-x) * (0.5 + x / 4)
