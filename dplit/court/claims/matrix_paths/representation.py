r"""Claims of M-RF on its matrices: what they hold, entry by entry, how large they are, whose they are.

Derived in :doc:`/book/matrix_paths`. The truth comes from routing: each record goes down each tree, and its
leaf there is counted, by code that knows no matrix.
"""

from __future__ import annotations

from itertools import product

import numpy as np

import dplit.court.claims.matrix_paths._forests as f
from dplit import matrix
from dplit.court.ledger import Case, Evidence, claim, equal, verdict_of
from dplit.domain import Categorical, Domain
from dplit.trees import grow_random_trees

ENTRIES = "entry of a matrix"


def _entries(ours, routed, shown):
    """A case for each entry of two arrays; one that cannot be equal if their shapes differ."""
    ours, routed = np.asarray(ours), np.asarray(routed)
    if ours.shape != routed.shape:
        return [Case(routed.size, -1, shown | {"shapes": [ours.shape, routed.shape]})]
    pairs = zip(routed.ravel().tolist(), ours.ravel().tolist())
    return [Case(a, b, shown) for a, b in pairs]


def _products(trees, paths, X, y, Q, classes):
    """The cases of T, C, W and V: our products, beside what routing counts."""
    T = paths.matrix().astype(int)
    D = matrix.data_matrix(X, y, paths.n_levels, classes)
    queries = matrix.query_matrix(Q, paths.n_levels)
    reached, asked = f.routed(trees, X), f.routed(trees, Q)
    counts = np.array([[(reached[y == c, leaf]).sum() for c in range(classes)]
                       for leaf in range(trees.n_leaves)])  # fmt: skip
    together = (f.leaves(trees, Q)[:, None] == f.leaves(trees, X)[None]).sum(axis=2)
    votes = np.array([[row[y == c].sum() for c in range(classes)] for row in together])
    pairs = {
        "T": (T, f.routed(trees, f.every_cell(paths.n_levels)).T),
        "TD": (T @ D, counts),
        "QT'": (queries @ T.T, asked),
        "QT'TD": (queries @ T.T @ T @ D, votes),
    }
    shown = {"levels": paths.n_levels.tolist(), "trees": trees.n_trees}
    return [c for name, two in pairs.items() for c in _entries(*two, shown | {"matrix": name})]


@claim(
    "m-rf/representation",
    "Matrix random forests: C = TD, W = QT', V = QT'TD",
    "holds",
    "thm-matrix-representation",
    ("matrix.decision_paths", "matrix.data_matrix", "matrix.query_matrix"),
    proof="thm-matrix-representation",
    quantity=ENTRIES,
)
def representation(effort, rng):
    r"""With T the decision paths of a forest over categorical columns, D the records by cell and class and Q
    the queries by cell: $C = TD$ are the class counts of the leaves, $W = QT^\top$ says which leaves the
    queries reach, and $V = QT^\top TD$ are the weighted votes, all computed without materializing the data
    matrix D. (The aggregated votes represent a weighted count: a record counts in $V_{ij}$ once for each tree in
    which it shares the query's leaf.)"""
    forests, cases = effort.pick(12, 60, 300), []
    for _ in range(forests):
        levels = f.small_levels(rng)
        trees, paths = f.forest(levels, int(rng.integers(1, 6)), int(rng.integers(1, 4)), rng)
        X, Q = f.records(levels, 30, rng), f.records(levels, 5, rng)
        cases += _products(trees, paths, X, rng.integers(0, 3, 30), Q, 3)
    found = f"{forests} forests of up to 5 trees on 2 to 4 columns, 30 records, 5 queries"
    return equal(cases, "{cases} entries equal the routed counts", range=found)


# Tennis -------------------------------------------------------------------------------------------

# Of figure 1, the text has D[1,1], the first query, the leaf's [2, 0] and its "no": the rest is our reading.
SAMPLES = (
    ("sunny", False, "no"), ("sunny", True, "no"), ("overcast", False, "yes"),
    ("rainy", False, "yes"), ("rainy", False, "yes"), ("rainy", True, "no"),
)  # fmt: skip
QUERIES = (("sunny", True), ("overcast", True), ("rainy", False))
CELLS = (
    ("sunny", False), ("sunny", True), ("overcast", False),
    ("overcast", True), ("rainy", False), ("rainy", True),
)  # fmt: skip
PREDICATE = (1, 1, 0, 0, 0, 0)  # "outlook is sunny"


def _tennis():
    """Codes of the six samples and their classes, codes of the queries."""
    codes = f.TENNIS.encode([row[:2] for row in SAMPLES]).astype(int)
    y = np.array([("no", "yes").index(row[2]) for row in SAMPLES])
    return codes, y, f.TENNIS.encode([list(q) for q in QUERIES]).astype(int)


def _stumps():
    """A tree on outlook and a tree on windy, found among random trees of depth 1; and their paths."""
    for seed in range(100):
        trees = grow_random_trees(f.TENNIS, 2, 1, rng=np.random.default_rng(seed))
        if trees.feature[trees.roots].tolist() == [0, 1]:
            return trees, matrix.decision_paths(trees, f.TENNIS.n_levels)
    raise AssertionError("no forest of these tests a column in each tree")


@claim(
    "m-rf/examples-1-3",
    "Examples 1, 2 and 3; the predicate of the decision path matrix",
    "holds",
    "thm-matrix-representation",
    ("matrix.cells_of", "matrix.data_matrix", "matrix.query_matrix"),
    quantity=ENTRIES,
    range="the entries that the text names",
)
def examples(effort, rng):
    r"""The feature domain of the Tennis schema has the six cells that example 1 lists. D is 6 by 2 and
    $D_{1,1} = 1$; Q is 3 by 6 and its first row encodes (sunny, true); "outlook is sunny" is $(1, 1, 0,
    0, 0, 0)$."""
    n_levels = f.TENNIS.n_levels
    codes, y, queries = _tennis()
    levels = [feature.levels for feature in f.TENNIS]
    listed = [CELLS.index(cell) for cell in product(*levels)]
    places = matrix.cells_of(f.TENNIS.encode([list(c) for c in CELLS]).astype(int), n_levels)
    D, Q = matrix.data_matrix(codes, y, n_levels, 2), matrix.query_matrix(queries, n_levels)
    shapes = [6, 2, 3, 6]
    cases = [
        *_entries(places, range(6), {"of": "cells of example 1"}),
        *_entries(listed, range(6), {"of": "order of the schema"}),
        *_entries([*D.shape, *Q.shape], shapes, {"of": "shapes of D and Q"}),
        *_entries(D[0, 0], 1, {"of": "D, first row and column"}),
        *_entries(Q[0], [int(c == ("sunny", True)) for c in CELLS], {"of": "first row of Q"}),
        *_entries(_stumps()[1].matrix()[0], PREDICATE, {"of": "outlook is sunny"}),
    ]
    return equal(cases, "{cases} numbers as the text has them")


@claim(
    "m-rf/figure-1",
    "Figure 1",
    "holds",
    "thm-matrix-representation",
    ("matrix.decision_paths", "matrix.data_matrix", "matrix.query_matrix"),
    about="reading",
    quantity=ENTRIES,
    range="D, Q, T, C, W and V of six samples, three queries and two trees",
)
def figure_1(effort, rng):
    r"""Figure 1 in full, in our reading: six samples, a tree on each feature, three queries. T is 5 by 6,
    $C = TD$ 5 by 2, $W = QT^\top$ 3 by 5 and $V = QT^\top TD$ 3 by 2; the leaf "sunny" holds $[2, 0]$.
    (Our text of the paper has the schema, $D_{1,1}$, the first query, the leaf's $[2, 0]$ and "no"; the
    other samples and queries and the trees are ours.)"""
    trees, paths = _stumps()
    codes, y, queries = _tennis()
    D = matrix.data_matrix(codes, y, f.TENNIS.n_levels, 2)
    sizes = [*paths.matrix().shape, *(paths.matrix() @ D).shape, D.sum()]
    cases = _products(trees, paths, codes, y, queries, 2)
    cases += _entries((paths.matrix().astype(int) @ D)[0], [2, 0], {"matrix": "C, sunny"})
    cases += _entries(sizes, [5, 6, 5, 2, 6], {"matrix": "shapes of T and C, samples"})
    return equal(cases, "{cases} entries equal the routed counts")


# Sizes --------------------------------------------------------------------------------------------


@claim(
    "m-rf/domain-size",
    "Data and schema",
    "holds",
    "thm-matrix-sizes",
    ("matrix.decision_paths",),
    quantity="cells",
)
def domain_size(effort, rng):
    r"""The full domain size is the product of all $d$ sizes $n_i$, the class column's included. (The
    features alone, the rows of D and the columns of T, have the product of $d - 1$ sizes.)"""
    named = {"Tennis": ((3, 2), 2), "Car": (f.CAR_LEVELS, 4), "Balance": ((5, 5, 5, 5), 3)}
    cases = []
    for name, (levels, classes) in named.items():
        _, paths = f.forest(levels, 2, 1, rng)
        listed = len(f.every_cell((*levels, classes)))
        D = matrix.data_matrix(
            f.records(levels, 9, rng), rng.integers(0, classes, 9), levels, classes
        )
        cases += [Case(listed, D.size, {"name": name, "of": "all columns"})]
        cases += [Case(listed // classes, paths.n_cells, {"name": name, "of": "features"})]
    return equal(cases, "{name}, {of}: {exact} cells listed", range=", ".join(named))


@claim(
    "m-rf/complexity",
    "Complexity",
    "holds",
    "thm-matrix-sizes",
    ("matrix.Paths", "matrix.Workload"),
    quantity="entries of a matrix",
)
def complexity(effort, rng):
    r"""With $n$ values of each feature, $o$ leaves and $b$ queries the query matrices of training,
    prediction and subsample-and-aggregate have $o\,n^d$, $b\,n^d$ and $b\,o$ entries, and T has an implicit
    form of size $o \times dn$. ($d$ is here the number of features of the ensemble's subset, without the
    class, which "data and schema" counts. The costs of the noise depend on the strategy and are not
    judged here.)"""
    cases, tau, b = [], 3, 7
    for n, d in ((2, 2), (2, 5), (3, 3), (4, 2), *effort.pick((), ((4, 4),), ((4, 5), (2, 9)))):
        for h in range(1, d + 1):
            trees, paths = f.forest([n] * d, tau, h, rng)
            Q, cells = f.records([n] * d, b, rng), f.every_cell([n] * d)
            o = tau * sum(1 for _ in product(range(n), repeat=h))
            shown = {"n": n, "d": d, "h": h}
            votes = matrix.query_matrix(Q, paths.n_levels) @ paths.matrix().T @ paths.matrix()
            cases += [
                Case(o, len(paths), shown | {"of": "leaves"}),
                Case(o * len(cells), paths.matrix().size, shown | {"of": "training"}),
                Case(b * len(cells), votes.size, shown | {"of": "prediction"}),
                Case(b * o, paths.reached(Q).size, shown | {"of": "subsample"}),
                Case(o * d * n, paths.allowed.size, shown | {"of": "implicit"}),
                *_entries(paths.matrix(), f.routed(trees, cells).T, shown | {"of": "entries of T"}),
            ]
    return equal(cases, "{cases} sizes and entries; T comes whole from its implicit form",
                 range="2 to 4 values, 2 to 5 features, every depth")  # fmt: skip


@claim(
    "m-rf/interchange",
    "Background, matrix mechanism",
    "holds",
    "thm-matrix-sizes",
    ("matrix.decision_paths", "matrix.data_matrix"),
    proof="thm-matrix-sizes",
    quantity=ENTRIES,
)
def interchange(effort, rng):
    r"""Data as a matrix and as a vector are essentially interchangeable: $\mathrm{vec}(TD) = (I_k \otimes
    T)\,\mathrm{vec}(D)$. (The vector has $k$ times as many queries of the same sensitivity, so that
    what is summed over them is $k$ times as large.)"""
    cases = []
    for _ in range(effort.pick(6, 20, 60)):
        levels, k = f.small_levels(rng, 3), int(rng.integers(2, 5))
        trees, paths = f.forest(levels, int(rng.integers(1, 4)), 2, rng)
        X, y = f.records(levels, 20, rng), rng.integers(0, k, 20)
        vector = np.kron(np.eye(k, dtype=int), paths.matrix())
        D = matrix.data_matrix(X, y, levels, k)
        counts = [f.routed(trees, X[y == c]).sum(axis=0) for c in range(k)]
        shown = {"levels": levels, "k": k}
        cases += _entries(vector @ D.T.ravel(), np.concatenate(counts), shown)
        cases += [
            Case(k * paths.matrix().sum(), vector.sum(), shown | {"of": "sum of squares"}),
            Case(trees.n_trees, vector.sum(axis=0).max(), shown | {"of": "largest column sum"}),
        ]
    return equal(cases, "{cases} entries, sums of squares and column sums",
                 range="forests of up to 3 trees, 2 to 4 classes")  # fmt: skip


@claim(
    "m-rf/votes-counted",
    "Weight voting matrix operation",
    "assumes",
    "thm-matrix-representation",
    ("matrix.data_matrix", "matrix.query_matrix"),
    quantity="entry of V, and records of the class in the query's leaves",
)
def votes_counted(effort, rng):
    r"""Here $V_{i,j}$ represents the number of training instances that agree with the class label $y_j$ for the
    i-th inference query. (This assumes one tree, or instances that are weighted, as the paragraph before says:
    one that shares the query's leaf in several trees is counted once for each. On Tennis with two trees the
    query (sunny, true) has $V = [4, 0]$, and three instances share a leaf with it.)"""
    trees, paths = _stumps()
    codes, y, queries = _tennis()
    D, Q = matrix.data_matrix(codes, y, f.TENNIS.n_levels, 2), matrix.query_matrix(queries, (3, 2))
    same = f.leaves(trees, queries[:1])[0] == f.leaves(trees, codes)  # records by trees
    alone = []
    for t in range(2):
        T = paths.matrix()[paths.tree == t]
        agree = np.bincount(y[same[:, t]], minlength=2)
        alone += _entries((Q @ T.T @ T @ D)[0], agree, {"tree": t})
    one = equal(alone, "one tree")
    both = (Q @ paths.matrix().T @ paths.matrix() @ D)[0].astype(int)
    instances = np.bincount(y[same.any(axis=1)], minlength=2)
    if one.verdict != "holds" or np.array_equal(both, instances):
        return verdict_of(one.verdict == "holds", "votes and instances", one.counterexample)
    return Evidence(
        "assumes", "exact",
        f"Tennis, query (sunny, true): V = {both.tolist()} with two trees, of {instances.tolist()} instances; "
        f"with either tree alone all {len(alone)} entries are numbers of instances",
        cases=len(alone) + 2, published=float(both[0]), computed=float(instances[0]), relation="=",
        range="Tennis, a tree on each feature",
    )  # fmt: skip


# Whose they are -----------------------------------------------------------------------------------


@claim(
    "m-rf/strategy-free",
    "Theorem 5, first line of its proof; section 1, main contributions",
    "assumes",
    "rem-matrix-free",
    ("matrix.decision_paths", "matrix.Workload"),
    quantity="cells of T after one record more",
)
def strategy_free(effort, rng):
    r"""Our allocation strategy is data-independent: it is selected without privacy loss, since T does not
    depend on the data. This assumes that the schema is public, and for $W = QT^\top T$ that the queries are not
    taken from the training records. (What is said here is about the matrices alone.)"""
    from dplit.forests import RandomDecisionForestClassifier

    made = []
    for _ in range(effort.pick(4, 10, 30)):
        X, y = f.records((3, 2), int(rng.integers(5, 40)), rng), rng.integers(0, 2, 50)
        grown = RandomDecisionForestClassifier(
            1.0,
            domain=f.schema((3, 2)),
            classes=[0, 1],
            n_estimators=4,
            max_depth=2,
            random_state=5,
        ).fit(X, y[: len(X)])
        made.append(matrix.decision_paths(grown).allowed)
    same = all(np.array_equal(made[0], other) for other in made)
    before = np.array([["sunny", False], ["overcast", True]], dtype=object)
    after = np.vstack([before, np.array([["rainy", True]], dtype=object)])
    read = [Domain.from_data(X) for X in (before, after)]
    cells = [int(np.prod([len(c.levels) for c in d if isinstance(c, Categorical)])) for d in read]
    paths, codes = _stumps()[1], f.TENNIS.encode(after).astype(int)
    asked = [len(matrix.Workload.of(paths, codes[:n])) for n in (2, 3)]
    if not same or cells[0] == cells[1] or asked[0] == asked[1]:
        shown = {"same": same, "cells": cells, "queries": asked}
        return verdict_of(False, "T depends on the records, or nothing else does", shown)
    return Evidence(
        "assumes",
        "exact",
        f"{len(made)} fits to other records at one seed have one T. With levels read off the data, a "
        f"third record makes {cells[1]} cells of {cells[0]}; with the training records as queries, "
        f"{asked[1]} rows of {asked[0]}",
        cases=len(made) + 4,
        published=float(cells[0]),
        computed=float(cells[1]),
        relation="=",
        range="Tennis, fits to random records; two records and a third",
    )
