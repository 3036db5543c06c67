"""Subsample and aggregate with a matrix (M-RF, section "Optimizing subsample-and-aggregate framework").

Each tree is fitted on records of its own, and the votes are queries on the leaves' counts. Derived in
:doc:`/book/matrix_release`.

Throughout `queries`, shape (n_queries, n_features), are codes of levels, and public: not taken from the records.
`assignment` is "independent", where each record's tree is a uniform draw of its own, or, as published, "shuffled":
the records are shuffled and dealt in turn, so that one record more moves others. `voting` is "weighted" or "hard".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from dplit.budget import EqualParts, Spend
from dplit.ground import errors
from dplit.matrix.paths import Paths, check_classes, check_codes
from dplit.matrix.release import measured_with, noise_for, spend
from dplit.matrix.strategies.base import Strategy
from dplit.matrix.workload import Workload
from dplit.mechanisms.secure import is_secure

VOTING = ("weighted", "hard")
ASSIGNMENTS = ("independent", "shuffled")


def subsample_workload(paths: Paths, queries: np.ndarray) -> Workload:
    r"""The workload :math:`QT^\top` on the table of the leaves: which leaf of each tree a query reaches.

    Its cells are the leaves of all trees, in order: a domain of one column with o levels.
    """
    paths = errors.check_kind(paths, Paths, "paths")
    return Workload.of_matrix(paths.reached(check_codes(queries, paths.n_levels, "queries")))


def most_queries(paths: Paths, queries: np.ndarray) -> int:
    r"""The most queries that share a leaf, :math:`\|QT^\top\|_1`: what a record changes all votes by.

    The published release of each query by itself takes all b queries for it.
    """
    paths = errors.check_kind(paths, Paths, "paths")
    return int(paths.reached(check_codes(queries, paths.n_levels, "queries")).sum(axis=0).max())


def own_leaves(paths: Paths, codes: np.ndarray, assignment: str = "independent", *, rng: Generator) -> np.ndarray:
    """The leaf of each record in the one tree that it is given to: int64 numbers of rows of `paths`."""
    paths = errors.check_kind(paths, Paths, "paths")
    codes, tau = check_codes(codes, paths.n_levels), paths.n_trees
    errors.check_rng(rng)
    if errors.check_choice(assignment, ASSIGNMENTS, "assignment") == "independent":
        tree = rng.integers(tau, size=len(codes))
    else:
        tree = rng.permutation(len(codes)) % tau
    found = np.empty(len(codes), dtype=np.int64)
    for t in range(tau):
        rows, mine = np.flatnonzero(paths.tree == t), tree == t
        found[mine] = rows[paths.take(rows).reached(codes[mine]).argmax(axis=1)]
    return found


def subsample(
    paths: Paths,
    queries: np.ndarray,
    strategy: Strategy,
    codes: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    epsilon: float,
    voting: str = "weighted",
    assignment: str = "independent",
    mechanism: str = "geometric",
    neighbours: str = "add-remove",
    order: Sequence[int] | None = None,
    *,
    rng: Generator,
) -> tuple[np.ndarray, Spend | EqualParts]:
    r"""Noisy votes for queries, shape (n_queries, k), of trees that are each fitted on records of their own, and
    their node.

    Arguments that are not named here are those of `dplit.matrix.release`.

    `strategy`: for `subsample_workload`, on the leaves. `epsilon`: what the votes cost in all, with independent
    assignment. The shuffled one costs up to three times as much, and the node says so. `voting`: whether a tree
    votes with its leaf's counts or with the largest one's class, see `leaf_classes`. A record changes one leaf's
    class, so a hard vote costs :math:`2\|A\|_1`, and of two classes one column is released, for :math:`\|A\|_1`.
    `order`: as in `preferences`: as published the data set's own, whose first class an empty leaf votes for.
    """
    strategy = errors.check_kind(strategy, Strategy, "strategy")
    workload = subsample_workload(paths, queries)
    delta = vote_sensitivity(strategy, n_classes, voting, neighbours)
    noise = noise_for(delta, epsilon, mechanism, strategy.integer)
    hard = voting == "hard"
    preferred = preferences(len(paths), n_classes, order, rng=errors.check_rng(rng)) if hard else None
    leaves = own_leaves(paths, codes, assignment=assignment, rng=rng)
    classes = check_classes(classes, n_classes, len(leaves))
    if hard:
        counts = np.zeros((len(paths), n_classes), dtype=np.int64)
        np.add.at(counts, (leaves, classes), 1)
        leaves, classes = np.arange(len(paths)), leaf_classes(counts, preferred)
    two = hard and n_classes == 2
    columns = (lambda exact: exact[:, 1:]) if two else np.asarray
    records = leaves[:, None], classes, n_classes
    measured = measured_with(noise, strategy, *records, columns, rng=rng)
    votes = strategy.answer(workload, measured)[workload.place]
    if two:  # all trees vote
        votes = np.column_stack([paths.n_trees - votes[:, 0], votes[:, 0]])
    node = spend(strategy, noise, neighbours, mechanism, is_secure(rng))
    return votes, _account(node, neighbours, assignment, paths.n_trees)


def preferences(
    n_leaves: int, n_classes: int, order: Sequence[int] | None = None, *, rng: Generator
) -> np.ndarray:
    """What decides among the largest counts of a leaf, of all of them if it is empty; shape (n_leaves, k).

    It is a public order of the classes, of which the first is preferred by every leaf, or, left out, a draw of
    each leaf's own: no class is preferred.
    """
    if order is None:
        return rng.random((n_leaves, n_classes))
    order = errors.check_whole(order, "order", 0, n_classes - 1, ndim=1)
    if len(order) != n_classes or len(np.unique(order)) != n_classes:
        raise ValueError(f"order must hold each of {n_classes} classes once, got {order.tolist()}")
    return np.tile(-np.argsort(order).astype(float), (n_leaves, 1))


def leaf_classes(counts: np.ndarray, preferred: np.ndarray) -> np.ndarray:
    """The class that each leaf votes for: of its largest counts, shape (n_leaves, k), the one of `preferences`.

    What is preferred depends on no record. Given it, the class of a leaf is a function of its own counts, so that
    a record more or less changes the class of one leaf at most, and a replaced record those of two.
    `vote_sensitivity` holds for each value of the preferences, and the release, their mixture, spends no more.
    """
    largest = counts == counts.max(axis=1, keepdims=True)
    return np.where(largest, preferred, -np.inf).argmax(axis=1)


def vote_sensitivity(
    strategy: Strategy, n_classes: int, voting: str = "weighted", neighbours: str = "add-remove"
) -> float:
    r"""The most that a record changes what is released, for weighted and for hard votes.

    =========  =============  ======================  ======================
    votes      classes        add-remove              replace-one
    =========  =============  ======================  ======================
    weighted   k              :math:`\|A\|_1`         :math:`2\|A\|_1`
    hard       2, one column  :math:`\|A\|_1`         :math:`2\|A\|_1`
    hard       k              :math:`2\|A\|_1`        :math:`4\|A\|_1`
    =========  =============  ======================  ======================

    The last row's replacement changes the classes of two leaves; the value is an upper bound.
    """
    strategy = errors.check_kind(strategy, Strategy, "strategy")
    errors.check_choice(voting, VOTING, "voting")
    classes = errors.check_integer(n_classes, "n_classes", 1)
    replaced = errors.check_neighbours(neighbours) == "replace-one"
    if voting == "weighted":
        return strategy.sensitivity(neighbours, classes)
    return strategy.sensitivity("add-remove", classes) * (1 + replaced) * (1 + (classes > 2))


def _account(node: Spend, neighbours: str, assignment: str, n_trees: int) -> Spend | EqualParts:
    """The node of votes from that of their noise."""
    if assignment == "independent" or neighbours == "replace-one":
        return node  # a replaced record keeps its place in the shuffle
    why = "one record more can move another one from tree to tree"
    return EqualParts("votes", node, n_trees, why)


def shuffled_loss(epsilon: float, n_trees: int, n_records: int | None = None) -> float:
    r"""A loss that shuffling and dealing in turn reaches with noisy counts of leaves, add-remove, `epsilon` a
    step.

    There are n records in one leaf of each of :math:`\tau` trees, and the added one is in another. The outcome:
    all counts of the other leaf are high; counts of the first leaf are high in the tree that gets one record
    more, and low in the others. With :math:`s = (\lfloor n/\tau \rfloor + 1)/(n + 1)` the ratio is

    .. math:: s\,e^\epsilon + (1 - s)\,e^{3\epsilon} .

    With :math:`n = \tau - 1`, where :math:`s = 1/\tau`, it is the bound of `dplit.budget.EqualParts`: 2.94 for 16
    trees and epsilon 1. That number of records, the worst, is taken if it is left out.
    """
    epsilon, tau = errors.check_epsilon(epsilon), errors.check_integer(n_trees, "n_trees", 1)
    n = tau - 1 if n_records is None else errors.check_integer(n_records, "n_records", 0)
    stays = (n // tau + 1) / (n + 1)
    return 3 * epsilon + math.log1p(stays * math.expm1(-2 * epsilon))


def tree_advantage(gap: ArrayLike, epsilon: float, n_trees: ArrayLike) -> np.ndarray:
    r"""How much better than a guess one tree's label is, of two classes with Laplace counts.

    With :math:`\tau` trees on all records at epsilon each :math:`1/\tau` of the budget, or on a :math:`\tau`-th
    of the records at all of it, :math:`x = g\epsilon/\tau` for a gap g of the whole, majority less minority, and

    .. math:: \Pr(\text{right}) - \tfrac12 = \tfrac12 - e^{-x}\left(\tfrac12 + \tfrac x4\right) .

    It is at most x/4: inverse to the number of trees only in the limit of many.
    """
    gap, epsilon = errors.check_numbers(gap, "gap", 0, errors.MOST), errors.check_positive(epsilon, "epsilon")
    n_trees = errors.check_numbers(n_trees, "n_trees", 1, errors.MOST)
    x = gap * epsilon / n_trees
    return 0.5 - np.exp(-x) * (0.5 + x / 4)
