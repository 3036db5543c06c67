r"""Claims of M-RF that a release is private: the matrix mechanism, training, batch prediction.

Derived in :doc:`/book/matrix_release`. The truth is the largest log-ratio of the exact law of :math:`AD +
Z` over all pairs of neighbours of a small domain, which knows no sensitivity."""

from __future__ import annotations

import itertools
import math
from functools import reduce

import numpy as np

import dplit.court.claims.matrix_release._laws as laws
from dplit import matrix
from dplit.court.ledger import Case, claim, equal, private, verdict_of
from dplit.matrix.release import noise_for, noise_of

AR, RO = laws.AR, laws.RO
SIDES = {"quantity": "privacy loss"}
TREES, BUDGETS = (2, 3, 16, 128), (0.5, 1.0, 2.0)


def _dense(effort, rng):
    """Random small strategies of whole numbers and of others, with their number of rows."""
    for i in range(effort.pick(20, 60, 300)):
        rows, cells = int(rng.integers(1, 4)), int(rng.integers(2, 5))
        A = rng.integers(-2, 3, (rows, cells)).astype(float)
        A[0, 0] += 1.0 if not A.any() else 0.0
        yield matrix.Dense(A if i % 2 else A + rng.normal(size=A.shape))


@claim(
    "m-rf/definition-1",
    "Definition 1",
    "assumes",
    "thm-release-sensitivity",
    ("matrix.noise_of",),
    proof="thm-release-sensitivity",
    range="the cells of a domain of 2 to 4, two classes, epsilon 0.5 to 2",
    **SIDES,
)
def definition_1(effort, rng):
    r"""A mechanism is $\epsilon$-DP if the inequality holds for any two neighboring datasets. (Which relation
    that is, one record more or one replaced, is not said here; the same release costs $\epsilon$ or $2\epsilon$.
    The technical appendix names it: its proofs are about adding or removing an individual sample.)"""
    cases = [
        (e, *laws.both_relations(matrix.Identity((n,)), np.eye(n), e), {"cells": n})
        for n in (2, 3, 4)
        for e in BUDGETS
    ]
    return laws.assumes_add_remove(cases, "{cases} releases of cells: epsilon under add-remove; replaced, "
                                   "{factor:.4g} epsilon")  # fmt: skip


@claim(
    "m-rf/definition-2",
    "Definition 2",
    "assumes",
    "thm-release-sensitivity",
    ("matrix.measure", "matrix.noise_of"),
    proof="thm-release-sensitivity",
    **SIDES,
)
def definition_2(effort, rng):
    r"""The following matrix mechanism, $WD + WA^+\mathrm{Lap}(\|A\|_1/\epsilon)^{m \times k}$, satisfies
    $\epsilon$-DP. (Under add-remove neighbours, the relation of the appendix's proofs. With two or more class
    columns a replaced record costs exactly $2\epsilon$: it may keep its cell and change its class.)"""
    cases = []
    for strategy in _dense(effort, rng):
        A, epsilon = np.asarray(strategy.matrix), float(rng.choice([0.3, 1.0, 2.0]))
        losses = laws.both_relations(strategy, A, epsilon)
        cases.append((epsilon, *losses, {"A": A.tolist()}))
    note = "{tight} of {cases} strategies lose exactly epsilon under add-remove; replaced, {factor:.4g} epsilon"
    return laws.assumes_add_remove(
        cases, note, range="random matrices of up to 3 rows, 4 cells, 2 classes"
    )


@definition_2.corrected(functions=("matrix.noise_of",), proof="thm-release-sensitivity", **SIDES)
def definition_2_exact(effort, rng):
    r"""Noise of scale $\Delta/\epsilon$ costs exactly $\epsilon$ with $\Delta = \|A\|_1$ under
    add-remove. Under replace-one $\Delta = 2\|A\|_1$ with two or more class columns, $\max_{j,l}\|a_j -
    a_l\|_1$ with a single column of counts, and $2\|A\|_1$ with a single column that is the difference of
    two classes."""
    cases = []
    for strategy in _dense(effort, rng):
        A = np.asarray(strategy.matrix)
        for neighbours in (AR, RO):
            for classes, signed in ((1, False), (2, False), (2, True), (3, False)):
                if neighbours == RO and classes == 1 and not np.ptp(A, axis=1).any():
                    continue  # equal columns: a replaced record changes nothing
                noise = noise_of(strategy, 1.0, "geometric", neighbours, classes, signed)
                shown = {
                    "A": A.tolist(),
                    "neighbours": neighbours,
                    "classes": classes,
                    "signed": signed,
                }
                if len(A) * classes <= 9:
                    cases.append(
                        Case(laws.worst(A, noise, classes, neighbours, signed), 1.0, shown)
                    )
    return equal(cases, "{cases} releases lose exactly epsilon",
                 range="random matrices of up to 3 rows, 4 cells, 1 to 3 classes, both relations")  # fmt: skip


def _forest_cases(effort, rng, queries):
    for levels, _, strategy, A in laws.small_releases(effort, rng, queries):
        shown = {"levels": levels, "strategy": strategy.name}
        yield 1.0, *laws.both_relations(strategy, A, 1.0), shown


NOTE = "{cases} releases: {tight} lose exactly epsilon under add-remove; replaced, {factor:.4g} epsilon"
SMALL = "small forests on 4 cells with 2 classes; identity, per tree and merged leaves"


@claim("m-rf/theorem-5", "Theorem 5, algorithm 1", "assumes", "thm-release-forest",
       ("matrix.release",), proof="thm-release-forest", range=SMALL, **SIDES)  # fmt: skip
def theorem_5(effort, rng):
    r"""Algorithm 1, the training of leaf counts and leaf labels, satisfies $\epsilon$-DP: the computation on
    leaf values in line 2 does, following the privacy of the matrix mechanism. (Under add-remove neighbours, the
    relation of the appendix's proofs, and with a public schema; $2\epsilon$ under replace-one.)"""
    return laws.assumes_add_remove(_forest_cases(effort, rng, False), NOTE)


@claim("m-rf/theorem-7", "Theorem 7, algorithm 2", "assumes", "thm-release-forest",
       ("matrix.release",), proof="thm-release-forest", range=SMALL, **SIDES)  # fmt: skip
def theorem_7(effort, rng):
    r"""Algorithm 2, the votes of a batch of queries and the class labels with the majority noisy votes, which
    are returned as the final prediction results, satisfies $\epsilon$-DP. (As theorem 5, and with queries that
    are not taken from the training records.)"""
    return laws.assumes_add_remove(_forest_cases(effort, rng, True), NOTE)


@claim(
    "m-rf/budget-typo",
    "Optimizing decision paths",
    "fails",
    "thm-release-forest",
    ("matrix.noise_for",),
    quantity="privacy loss of one tree",
    range="2 to 128 trees, epsilon 0.5, 1, 2",
)
def budget_typo(effort, rng, trees=TREES, epsilon=BUDGETS):
    r"""Adding Laplace noise of scale $\tau/\epsilon$ to the leaf values, with an equal privacy budget
    allocation, is assigning each tree a budget of $\tau/\epsilon$."""
    return equal([Case(loss, tau / e, shown) for loss, tau, e, shown in _one_tree(trees, epsilon)],
                 "{cases} forests: tau={tau}, epsilon={epsilon}: a tree costs {exact:.4g}, "
                 "not {stated:.4g}")  # fmt: skip


@budget_typo.corrected(
    functions=("matrix.noise_for",),
    quantity="privacy loss of one tree",
    range="2 to 128 trees, epsilon 0.5, 1, 2",
)
def budget_of_a_tree(effort, rng, trees=TREES, epsilon=BUDGETS):
    r"""It assigns each tree $\epsilon/\tau$: these add up to $\epsilon$."""
    return equal([Case(loss, e / tau, shown) for loss, tau, e, shown in _one_tree(trees, epsilon)],
                 "{cases} forests: a tree costs epsilon over tau")  # fmt: skip


def _one_tree(trees, budgets):
    """The exact loss of the leaves of one tree with two leaves at the noise for tau trees."""
    for tau in trees:
        for epsilon in budgets:
            noise = noise_for(tau, epsilon, "laplace")
            shown = {"tau": tau, "epsilon": epsilon}
            yield laws.worst(np.eye(2), noise, 1), tau, epsilon, shown


# What is computed from a release ---------------------------------------------------------------------


def _labels(T, differences):
    """The label of each leaf, as a number in base two: 1 where the second class is ahead."""
    return ((T @ differences < 0) * 2 ** np.arange(len(T))[:, None]).sum(axis=0)


def _label_laws(T, noise, reach):
    """Law of all labels for each table of differences between two classes from -1 to 1, from noisy cells."""
    steps = np.arange(-2 * reach, 2 * reach + 1)
    one = noise.pmf(steps[reach:-reach])
    law, cells = np.convolve(one, one), T.shape[1]  # the difference of two noises
    grid = np.stack(np.meshgrid(*[steps] * cells, indexing="ij")).reshape(cells, -1)
    weights = reduce(np.multiply.outer, [law / law.sum()] * cells).ravel()
    for table in itertools.product((-1, 0, 1), repeat=cells):
        counted = np.bincount(_labels(T, grid + np.array(table)[:, None]), weights, 2 ** len(T))
        yield table, counted


def _loss_of_labels(T, epsilon, reach):
    """Largest loss of all labels, and where: over pairs of tables that one record more sets apart."""
    noise, worst = noise_for(1, epsilon), (0.0, {})
    known = dict(_label_laws(T, noise, reach))
    for table, law in known.items():
        for cell in range(len(table)):
            other = tuple(d + (i == cell) for i, d in enumerate(table))
            if other in known:
                seen = (law > 0) | (known[other] > 0)
                loss = np.abs(np.log(law[seen] / known[other][seen])).max()
                worst = max(worst, (float(loss), {"epsilon": epsilon, "table": list(table)}),
                            key=lambda w: w[0])  # fmt: skip
    return worst


@claim(
    "m-rf/labels",
    "Theorem 5, last line of its proof; algorithm 2, line 3",
    "holds",
    "thm-release-forest",
    ("matrix.noise_for",),
    proof="thm-release-forest",
    quantity="privacy loss of the labels alone",
    range="leaves of one and two trees, and votes, on 3 cells; differences of two classes of up to 1",
)
def labels_cost_nothing(effort, rng):
    r"""Finally, from the post-processing theorem, the computation of leaf labels in line 3 does not degrade
    privacy; so a prediction from the private trees maintains it. (Of the noisy cells under add-remove:
    labels cost no more than the cells. On the small leaves that are computed they cost less.)"""
    T = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
    cases = []
    for epsilon in (1.0, 2.0):
        for name, rows in (("one tree", T[:2]), ("two trees", T), ("votes", T.T @ T)):
            loss, shown = _loss_of_labels(rows, epsilon, round(12 / epsilon))
            cases.append(Case(loss, epsilon, shown | {"of": name}))
    most = max(c.exact / c.stated for c in cases)
    found = private(cases, "")
    return verdict_of(
        found.verdict != "leaks",
        f"{len(cases)} laws of all labels lose {most:.2f} of epsilon at most",
        found.counterexample,
        broken="leaks",
        cases=len(cases),
        published=found.published,
        computed=found.computed,
        relation="<=",
    )


# What is read and released twice --------------------------------------------------------------------


@claim(
    "m-rf/second-batch",
    "ours; batch prediction",
    "holds",
    "thm-release-batches",
    ("matrix.release",),
    ours=True,
    proof="thm-release-batches",
    **SIDES,
    range="pairs of batches on 4 cells, 2 classes",
)
def second_batch(effort, rng):
    r"""A second batch of queries with a strategy of its own costs $\epsilon$ again, $2\epsilon$ in all
    where a cell is a heaviest one of both strategies. If the cells were released for the first batch,
    every later one is post-processing and costs nothing."""
    one, two = np.array([[1, 1, 0, 0]]), np.array([[1, 0, 1, 0], [0, 0, 0, 1]])
    noises = noise_for(1, 1.0), noise_for(1, 1.0)
    cases = [Case(_both(one, two, noises), 2.0, {"batches": "rows of their own"})]
    cases += [Case(laws.worst(np.eye(4), noises[0]), 1.0, {"batches": "from the cells"})]
    disjoint = np.array([[1, 0, 0, 0]]), np.array([[0, 1, 1, 1]])
    cases += [Case(_both(*disjoint, noises), 1.0, {"batches": "that share no cell"})]
    return equal(
        cases, "two batches: 2 epsilon, epsilon from the cells, and epsilon if they share no cell"
    )


def _both(one, two, noises):
    """Loss of two releases of the same records, as one of both strategies' rows."""
    return laws.worst(np.vstack([one, two]), noises[0])


@claim(
    "m-rf/queries-from-records",
    "Theorem 7; figure 3b, where the whole data set is trained on and asked",
    "leaks",
    "thm-release-free",
    ("matrix.release",),
    about="reading",
    **SIDES,
)
def queries_from_records(effort, rng, epsilon=BUDGETS):
    r"""In contrast to the data matrix, the inference query matrix Q is not treated as sensitive. Read so that
    the queries of a batch may be training records, algorithm 2 is $\epsilon$-DP: W needs only the queries."""
    cases = []
    for budget in epsilon:
        for tau in (1, 2):
            shown = {
                "epsilon": budget,
                "trees": tau,
                "records": [[0, 0], [0, 0]],
                "neighbour": [[0, 0], [1, 1]],
            }
            cases.append(Case(_asked(budget, tau, rng), 2 * budget, shown))
    return private(cases, "epsilon={epsilon}: loss {exact}, two equal queries have equal votes and two "
                   "others have not",
                   range="two records on 4 cells, one replaced, at twice the stated epsilon")  # fmt: skip


@queries_from_records.corrected(functions=("matrix.release",), proof="thm-release-forest", **SIDES)
def public_queries(effort, rng):
    r"""With queries that no record decides, the votes cost $\epsilon$ under add-remove and $2\epsilon$
    under replace-one."""
    cases = []
    for epsilon, added, replaced, shown in _forest_cases(effort, rng, True):
        cases += [Case(added, epsilon, shown), Case(replaced, 2 * epsilon, shown)]
    return private(cases, "{cases} losses within epsilon, and twice it", range=SMALL)


def _asked(epsilon, tau, rng):
    """Loss of the event that both queries, the training records themselves, get the same votes."""
    laws_of_equal = []
    _, paths = laws.f.forest((2, 2), tau, 2, rng)
    for records in ([[0, 0], [0, 0]], [[0, 0], [1, 1]]):
        W = matrix.Workload.of(paths, np.array(records))
        strategy = matrix.member(W, "identity")
        noise = noise_of(strategy, epsilon)
        rows = W.matrix()[W.place]
        laws_of_equal.append(_probability_of_equal(rows[0] - rows[1], records, noise, paths))
    p, q = laws_of_equal
    other = [1 - p, 1 - q]
    ratios = [abs(math.log(a / b)) if a and b else math.inf for a, b in ((p, q), other) if a != b]
    return max(ratios)


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
