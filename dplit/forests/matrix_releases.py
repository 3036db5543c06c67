"""What a matrix forest releases: each function returns the answers, and the node that they spend."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dplit.budget import Group
from dplit.forests.partition import REPLACED
from dplit.matrix.ensembles import release_ensembles
from dplit.matrix.release import measure
from dplit.matrix.subsample import subsample

if TYPE_CHECKING:
    from dplit.forests.matrix import MatrixForestClassifier
    from dplit.forests.matrix_plan import Plan

STEP = 2.0**-20  # of a record: far below any noise, far above rounding


def answers_of(
    plan: Plan,
    codes: np.ndarray,
    classes: np.ndarray,
    order: np.ndarray,
    forest: MatrixForestClassifier,
    rng: np.random.Generator,
) -> tuple:
    """The counts of all leaves, or the votes for all queries, from records that all trees read; and the node.

    `codes`: cells of the records, int64 of shape (n_records, n_features); `order`: the k classes, as the forest
    was given them, and `classes` the records' own. The answers are float64 of shape (n_leaves, k) or
    (n_queries, k), or one column, the first class less the second. They are multiples of `STEP`: sums that are
    equal in exact arithmetic tie on every machine, whatever order its linear algebra adds in.
    """
    n_classes = len(order)
    given = forest._noise_epsilon(), forest.mechanism, forest._relation()
    signed = forest._is_difference(n_classes)
    if len(plan.ensembles) == 1:
        (one,) = plan.ensembles
        inside = codes[:, list(one.columns)]
        released, node = measure(one.strategy, inside, classes, n_classes, *given, signed, rng=rng)
        answers = one.strategy.answers(one.workload, released)
    else:
        joint = forest._is_proved()
        found, node = release_ensembles(
            plan.ensembles, codes, classes, n_classes, *given, joint, signed=signed, rng=rng
        )
        each = [a[e.workload.place] for a, e in zip(found, plan.ensembles)]
        answers = np.concatenate(each) if plan.queries is None else np.sum(each, axis=0)
    return np.round(answers / STEP) * STEP, _for_neighbours(node, forest)


def subsampled_votes(plan, codes, classes, order, forest, rng):
    """The votes for all queries, of trees that each read records of their own.

    As published the hard vote of an empty leaf is for the first class in `order`, else for any. Parameters
    and returned values as of `answers_of`.
    """
    assignment, first = ("independent", None) if forest._is_proved() else ("shuffled", order)
    (one,) = plan.ensembles
    votes, node = subsample(
        plan.paths, plan.queries, one.strategy, codes, classes, len(order), forest._noise_epsilon(),
        forest._voting(), assignment, forest.mechanism, forest._relation(), first, rng=rng,
    )  # fmt: skip
    if forest._keeps_n() and not forest._is_proved():
        node = node.part  # a replaced record keeps its place in the shuffle
    return votes, _for_neighbours(node, forest)


def cost_of_one(forest):
    """How many times the noise's epsilon a record costs: 2 if it is replaced and the noise is for add-remove."""
    return 1 if forest._relation() == forest.neighbours else 2


def _for_neighbours(node, forest):
    """The node under the forest's relation, where the noise is for add-remove neighbours."""
    if cost_of_one(forest) == 1:
        return node
    return Group("counts after a replacement", node, 2, "replace-one", REPLACED)
