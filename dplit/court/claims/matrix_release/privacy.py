"""Claims of M-RF that a release is private: the matrix mechanism, training, batch prediction.

The truth is the largest log-ratio of the exact law of :math:`AD + Z` over all pairs of neighbours of a small
domain, which knows no sensitivity.
"""

import itertools
import math
from functools import reduce

import numpy as np

from dplit import matrix
from dplit.court.claims.matrix_paths.small import forest
from dplit.court.claims.matrix_release import laws
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, note, private, same
from dplit.matrix.release import noise_for, noise_of

LOSS = "privacy loss"
SENSITIVITY = Box("thm-release-sensitivity", "matrix.noise_of", quantity=LOSS)
FOREST = Box("thm-release-forest", "matrix.release", quantity=LOSS)
TREE = Box("thm-release-forest", "matrix.noise_for", quantity="budget of a tree")
TYPO, SUM = "m-rf/budget-typo", "m-rf/budget-typo/corrected:sum"
BATCHES = Box("thm-release-batches", "matrix.release", quantity=LOSS)
FREE = Box("thm-release-free", "matrix.release", quantity=LOSS)
BUDGETS = (0.5, 1.0, 2.0)


def _dense(effort, rng):
    """Random small strategies of whole numbers and of others."""
    for i in range(effort.pick(6, 60, 300)):
        rows, cells = int(rng.integers(1, 4)), int(rng.integers(2, 5))
        A = rng.integers(-2, 3, (rows, cells)).astype(float)
        A[0, 0] += 1.0 if not A.any() else 0.0
        yield matrix.Dense(A if i % 2 else A + rng.normal(size=A.shape))


@SENSITIVITY("m-rf/definition-1", "Definition 1", "assumes", proved=True, **over(*laws.LOSSES))
def definition_1(effort, rng):
    r"""A mechanism is $\epsilon$-DP if the inequality holds for any two neighboring datasets. (This does not say
    whether one record is added or replaced; the same release costs $\epsilon$ or $2\epsilon$. The technical
    appendix names the relation: its proofs are about adding or removing an individual sample.)"""
    yield from laws.of_every_matrix(effort)
    cases, _, factor = yield from laws.assumes_add_remove(
        (epsilon, *laws.both_relations(matrix.Identity((n,)), np.eye(n), epsilon), {"cells": n})
        for n, epsilon in itertools.product((2, 3, 4), BUDGETS)
    )
    return f"{cases} releases of cells cost epsilon under add-remove, and {factor:.4g} epsilon under replace-one."


@SENSITIVITY(
    "m-rf/definition-2",
    "Definition 2",
    "assumes",
    "matrix.measure",
    "matrix.noise_of",
    proved=True,
    **over(*laws.LOSSES),
)
def definition_2(effort, rng):
    r"""The following matrix mechanism, $WD + WA^+\mathrm{Lap}(\|A\|_1/\epsilon)^{m \times k}$, satisfies
    $\epsilon$-DP. (Neighbours are add-remove, as in the appendix's proofs. With two or more class columns a
    replaced record costs exactly $2\epsilon$, since it may keep its cell and change its class.)"""
    yield from laws.of_every_matrix(effort)
    losses = []
    for strategy in _dense(effort, rng):
        A, epsilon = np.asarray(strategy.matrix), float(rng.choice([0.3, 1.0, 2.0]))
        losses.append((epsilon, *laws.both_relations(strategy, A, epsilon), {"A": A.tolist()}))
    cases, tight, factor = yield from laws.assumes_add_remove(losses)
    return f"{tight} of {cases} strategies cost just epsilon under add-remove, {factor:.4g} epsilon if replaced."


@SENSITIVITY.corrected(definition_2, **over(*laws.LOSSES, "m-rf/definition-2/corrected"))
def definition_2_exact(effort, rng):
    r"""Noise of scale $\Delta/\epsilon$ costs exactly $\epsilon$ if $\Delta = \|A\|_1$ under add-remove. Under
    replace-one $\Delta$ is $2\|A\|_1$ with two or more class columns, $\max_{j,l}\|a_j - a_l\|_1$ with a single
    column of counts, and $2\|A\|_1$ with a single column that is the difference of two classes."""
    yield from laws.of_every_matrix(effort)
    yield from certified("m-rf/definition-2/corrected", effort)
    settings = (1, False), (2, False), (2, True), (3, False)
    for strategy in _dense(effort, rng):
        A = np.asarray(strategy.matrix)
        for neighbours, (classes, signed) in itertools.product((laws.AR, laws.RO), settings):
            if neighbours == laws.RO and classes == 1 and not np.ptp(A, axis=1).any():
                continue  # equal columns: a replaced record changes nothing
            noise = noise_of(strategy, 1.0, "geometric", neighbours, classes, signed)
            if len(A) * classes <= 9:
                data = {"A": A.tolist(), "neighbours": neighbours}
                loss = laws.worst(A, noise, classes, neighbours, signed)
                yield same(loss, 1.0, classes=classes, signed=signed, **data)
    return "No matrix loses more than epsilon; with two classes {statement}. Random ones lose exactly epsilon."


def _of_forests(effort, rng, queries):
    yield from laws.of_every_matrix(effort)
    cases, tight, factor = yield from laws.assumes_add_remove(laws.small_releases(effort, rng, queries))
    return f"{tight} of {cases} releases cost just epsilon under add-remove, {factor:.4g} epsilon if replaced."


@FOREST("m-rf/theorem-5", "Theorem 5, algorithm 1", "assumes", proved=True, **over(*laws.LOSSES))
def theorem_5(effort, rng):
    r"""Algorithm 1, the training of leaf counts and leaf labels, satisfies $\epsilon$-DP, because line 2 computes
    the leaf values by the matrix mechanism, which is private. (This holds for add-remove neighbours, as in the
    appendix's proofs, and a public schema; replace-one costs $2\epsilon$.)"""
    return (yield from _of_forests(effort, rng, False))


@FOREST("m-rf/theorem-7", "Theorem 7, algorithm 2", "assumes", proved=True, **over(*laws.LOSSES))
def theorem_7(effort, rng):
    r"""Algorithm 2 satisfies $\epsilon$-DP. It returns the votes of a batch of queries and, as the final
    prediction, the class labels with the majority of noisy votes. (This assumes add-remove neighbours and a public
    schema, as for theorem 5, and queries that are not taken from the training records.)"""
    return (yield from _of_forests(effort, rng, True))


def _of_a_tree(t, e):
    """The exact loss of the leaves of one tree with two leaves at the noise for so many trees."""
    return laws.worst(np.eye(2), noise_for(t, e, "laplace"), 1)


@TREE(TYPO, "Optimizing decision paths", "fails", **over(TYPO))
def budget_typo(effort, rng):
    r"""Adding Laplace noise of scale $\tau/\epsilon$ to the leaf values, with an equal privacy budget allocation,
    means that each tree is assigned a budget of $\tau/\epsilon$."""
    yield from certified(TYPO, effort, left=_of_a_tree)
    return "a tree costs {exact:.4g}, not {stated:.4g}, and so wherever {refuted}"


@TREE.corrected(budget_typo, proved=False, **over(f"{TYPO}/corrected", SUM))
def budget_of_a_tree(effort, rng):
    r"""Laplace noise of scale $\tau/\epsilon$ on the leaf values gives each tree a budget of $\epsilon/\tau$, and
    these budgets add up to $\epsilon$."""
    yield from certified(f"{TYPO}/corrected", effort, right=_of_a_tree)
    yield from certified(SUM, effort)
    return "a tree costs epsilon over tau, and {statement}"


def _label_laws(T, noise, reach):
    """Law of all labels for each table of differences between two classes from -1 to 1, from noisy cells."""
    steps = np.arange(-2 * reach, 2 * reach + 1)
    one = noise.pmf(steps[reach:-reach])
    law, cells = np.convolve(one, one), T.shape[1]  # the difference of two noises
    grid = np.stack(np.meshgrid(*[steps] * cells, indexing="ij")).reshape(cells, -1)
    weights = reduce(np.multiply.outer, [law / law.sum()] * cells).ravel()
    for table in itertools.product((-1, 0, 1), repeat=cells):
        second = (
            T @ (grid + np.array(table)[:, None]) < 0
        )  # the class that is ahead; a label is a digit in base two
        labels = (second * 2 ** np.arange(len(T))[:, None]).sum(axis=0)
        yield table, np.bincount(labels, weights, 2 ** len(T))


def _loss_of_labels(T, epsilon, reach):
    """Largest loss of all labels, and where: over pairs of tables that one record more sets apart."""
    known = dict(_label_laws(T, noise_for(1, epsilon), reach))
    losses = []
    for table, law in known.items():
        for cell in range(len(table)):
            other = tuple(d + (i == cell) for i, d in enumerate(table))
            if other in known:
                seen = (law > 0) | (known[other] > 0)
                loss = np.abs(np.log(law[seen] / known[other][seen])).max()
                losses.append((float(loss), {"epsilon": epsilon, "table": list(table)}))
    return max(losses, key=lambda found: found[0])


@FOREST(
    "m-rf/labels",
    "Theorem 5, last line of its proof; algorithm 2, line 3",
    "holds",
    "matrix.noise_for",
    quantity="privacy loss of the labels alone",
    range="leaves of one and two trees, and votes, on 3 cells; differences of two classes of up to 1",
)
def labels_cost_nothing(effort, rng):
    """Finally, from the post-processing theorem, the computation of leaf labels in line 3 does not degrade
    privacy; so a prediction from the private trees maintains it. (For noisy cells under add-remove, labels cost no
    more than the cells do, and less on the small leaves that are computed.)"""
    T = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
    most = 0.0
    for epsilon in (1.0, 2.0):
        for name, rows in (("one tree", T[:2]), ("two trees", T), ("votes", T.T @ T)):
            loss, data = _loss_of_labels(rows, epsilon, round(12 / epsilon))
            most = max(most, loss / epsilon)
            yield below(loss, epsilon, broken="leaks", of=name, **data)
    return f"{{cases}} distributions of all labels lose {most:.2f} of epsilon at most"


@BATCHES("m-rf/second-batch", "ours; batch prediction", range="pairs of batches on 4 cells, 2 classes")
def second_batch(effort, rng):
    r"""A second batch of queries with its own strategy costs $\epsilon$ again; the total is $2\epsilon$ if some
    cell is among the heaviest of both strategies. If the cells were released for the first batch, every later
    batch is post-processing and costs nothing."""
    noise = noise_for(1, 1.0)
    for batches, rows, stated in (
        ("rows of their own", [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]], 2.0),
        ("from the cells", np.eye(4), 1.0),
        ("that share no cell", [[1, 0, 0, 0], [0, 1, 1, 1]], 1.0),
    ):
        yield same(laws.worst(np.array(rows), noise), stated, batches=batches)
    return "Two batches cost 2 epsilon, or epsilon if one release of the cells serves both or they share no cell."


@FREE(
    "m-rf/queries-from-records",
    "Theorem 7; figure 3b, where the whole data set is trained on and asked",
    "leaks",
    about="reading",
)
def queries_from_records(effort, rng, epsilon=BUDGETS):
    r"""In contrast to the data matrix, the inference query matrix Q is not treated as sensitive. If the queries of
    a batch may be training records, algorithm 2 is still $\epsilon$-DP: W needs only the queries."""
    pair = {"records": [[0, 0], [0, 0]], "neighbour": [[0, 0], [1, 1]]}
    for budget, tau in itertools.product(epsilon, (1, 2)):
        loss = _asked(*pair.values(), budget, tau, rng)
        yield private(loss, 2 * budget, epsilon=budget, trees=tau, **pair)
    return note(
        "At epsilon = {epsilon} the loss is {exact}: two equal queries have equal votes, two others need not.",
        range="two records on 4 cells, one replaced, at twice the stated epsilon",
    )


@FREE.corrected(queries_from_records, proof=FOREST.label, **over(*laws.LOSSES))
def public_queries(effort, rng):
    r"""If no record influences the queries, the votes of algorithm 2 cost $\epsilon$ under add-remove and
    $2\epsilon$ under replace-one."""
    yield from laws.of_every_matrix(effort)
    for epsilon, added, replaced, data in laws.small_releases(effort, rng, True):
        yield private(added, epsilon, **data)
        yield private(replaced, 2 * epsilon, **data)
    return "For every matrix and small forest the loss is within epsilon, under replace-one within 2 epsilon."


def _asked(data, neighbour, epsilon, tau, rng):
    """Loss of the event that both queries, the training records themselves, get the same votes."""
    paths, chances = forest((2, 2), tau, 2, rng).paths, []
    for records in (data, neighbour):
        W = matrix.Workload.of(paths, np.array(records))
        noise, rows = noise_of(matrix.member(W, "identity"), epsilon), W.matrix()[W.place]
        chances.append(_probability_of_equal(rows[0] - rows[1], records, noise, paths))
    p, q = chances
    pairs = (p, q), (1 - p, 1 - q)
    return max(abs(math.log(a / b)) if a and b else math.inf for a, b in pairs if a != b)


def _probability_of_equal(contrast, records, noise, paths):
    """Probability that a difference of noisy cells, each weight of one size, is 0: a sum over the noise."""
    if not contrast.any():
        return 1.0
    D = np.zeros(len(contrast))
    np.add.at(D, matrix.cells_of(records, paths.n_levels), 1)
    sizes = set(np.abs(contrast[contrast != 0]).tolist())
    assert len(sizes) == 1, "cells of equal weight"
    signs = np.sign(contrast)
    steps = np.arange(-200, 201)
    law = np.ones(1)
    for _ in range(int(np.abs(signs).sum())):
        law = np.convolve(law, noise.pmf(steps))
    centre = len(law) // 2
    return float(law[centre - int(signs @ D)])
