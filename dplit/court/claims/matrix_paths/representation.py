"""Claims of M-RF on its matrices, beside routed records: their entries, their size, and whose they are.

The truth comes from routing: each record goes down each tree, and its leaf there is counted, by code that knows no
matrix.
"""

from itertools import product

import numpy as np

from dplit import matrix
from dplit.court.claims.matrix_paths import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import need, note, same
from dplit.domain import Categorical, Domain

ENTRIES = "entry of a matrix"
REPRESENTATION = Box(
    "thm-matrix-representation",
    "matrix.decision_paths",
    "matrix.data_matrix",
    "matrix.query_matrix",
    quantity=ENTRIES,
)
SIZES = Box("thm-matrix-sizes", "matrix.decision_paths")
FREE = Box("rem-matrix-free", "matrix.decision_paths", "matrix.Workload")


def _products(one, X, y, Q, classes):
    """T, C, W and V: what routing counts, beside our products."""
    T, D = one.paths.matrix().astype(int), matrix.data_matrix(X, y, one.levels, classes)
    queries, of_class = matrix.query_matrix(Q, one.levels), np.eye(classes, dtype=int)[y]
    together = (one.reached(Q)[:, None] == one.reached(X)[None]).sum(axis=2)
    for name, routed, ours in (
        ("T", one.T, T),
        ("TD", one.routed(X).T @ of_class, T @ D),
        ("QT'", one.routed(Q), queries @ T.T),
        ("QT'TD", together @ of_class, queries @ T.T @ T @ D),
    ):
        yield from small.entries(routed, ours, **one.data, matrix=name)


@REPRESENTATION("m-rf/representation", "Matrix random forests: C = TD, W = QT', V = QT'TD")
def representation(effort, rng):
    r"""Let T hold the decision paths of a forest over categorical columns, D the records by cell and class, and Q
    the queries by cell. Then $C = TD$ are the class counts of the leaves, $W = QT^\top$ says which leaves the
    queries reach, and $V = QT^\top TD$ are the weighted votes, all computed without materializing the data matrix
    D. (The aggregated votes represent a weighted count: a record counts in $V_{ij}$ once for each tree in which it
    shares a leaf with the query.)"""
    forests = effort.pick(12, 60, 300)
    for _ in range(forests):
        levels = small.small_levels(rng)
        one = small.forest(levels, int(rng.integers(1, 6)), int(rng.integers(1, 4)), rng)
        X, Q = small.records(levels, 30, rng), small.records(levels, 5, rng)
        yield from _products(one, X, rng.integers(0, 3, 30), Q, 3)
    found = f"{forests} forests of up to 5 trees on 2 to 4 columns, 30 records, 5 queries"
    return note("{cases} entries equal the routed counts", range=found)


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
    """Codes of the six samples and their classes, codes of the queries, and the data matrix."""
    codes = small.TENNIS.encode([row[:2] for row in SAMPLES]).astype(int)
    y = np.array([("no", "yes").index(row[2]) for row in SAMPLES])
    asked = small.TENNIS.encode([list(q) for q in QUERIES]).astype(int)
    return codes, y, asked, matrix.data_matrix(codes, y, small.TENNIS.n_levels, 2)


@REPRESENTATION(
    "m-rf/examples-1-3",
    "Examples 1, 2 and 3; the predicate of the decision path matrix",
    "holds",
    "matrix.cells_of",
    "matrix.data_matrix",
    "matrix.query_matrix",
    proved=False,
    range="the entries that the text names",
)
def examples(effort, rng):
    r"""The feature domain of the Tennis schema has the six cells that example 1 lists. D is 6 by 2 and $D_{1,1} =
    1$; Q is 3 by 6 and its first row encodes (sunny, true); "outlook is sunny" is $(1, 1, 0, 0, 0, 0)$."""
    n_levels = small.TENNIS.n_levels
    _, _, queries, D = _tennis()
    Q = matrix.query_matrix(queries, n_levels)
    places = matrix.cells_of(small.TENNIS.encode([list(c) for c in CELLS]).astype(int), n_levels)
    listed = [CELLS.index(cell) for cell in product(*(feature.levels for feature in small.TENNIS))]
    yield from small.entries(range(6), places, of="cells of example 1")
    yield from small.entries(range(6), listed, of="order of the schema")
    yield from small.entries([6, 2, 3, 6], [*D.shape, *Q.shape], of="shapes of D and Q")
    yield same(1, D[0, 0], of="D, first row and column")
    yield from small.entries([c == ("sunny", True) for c in CELLS], Q[0], of="first row of Q")
    yield from small.entries(PREDICATE, small.tennis_trees().paths.matrix()[0], of="outlook is sunny")
    return "{cases} numbers as the text has them"


@REPRESENTATION("m-rf/figure-1", "Figure 1", proved=False, about="reading", range="6 samples, 3 queries, 2 trees")
def figure_1(effort, rng):
    r"""In our reading figure 1 shows six samples, a tree on each feature and three queries. T is 5 by 6, $C = TD$
    5 by 2, $W = QT^\top$ 3 by 5 and $V = QT^\top TD$ 3 by 2; the leaf "sunny" holds $[2, 0]$. (Our text of the
    paper has the schema, $D_{1,1}$, the first query, the leaf's $[2, 0]$ and "no"; the other samples and queries
    and the trees are ours.)"""
    one, (codes, y, queries, D) = small.tennis_trees(), _tennis()
    T = one.paths.matrix().astype(int)
    yield from _products(one, codes, y, queries, 2)
    yield from small.entries([2, 0], (T @ D)[0], matrix="C, sunny")
    sizes = [*T.shape, *(T @ D).shape, D.sum()]
    yield from small.entries([5, 6, 5, 2, 6], sizes, matrix="shapes of T and C, samples")
    return "{cases} entries equal the routed counts"


@REPRESENTATION(
    "m-rf/votes-counted",
    "Weight voting matrix operation",
    "assumes",
    "matrix.data_matrix",
    "matrix.query_matrix",
    quantity="entry of V, and records of the class in the query's leaves",
)
def votes_counted(effort, rng):
    """The vote $V_{i,j}$ is the number of training instances that agree with the class label $y_j$ for the i-th
    inference query. (This assumes one tree, or weighted instances, as the preceding paragraph says: an instance
    that shares a leaf with the query in several trees counts once for each tree. On Tennis with two trees the
    query (sunny, true) has $V = [4, 0]$, and three instances share a leaf with it.)"""
    one, (codes, y, queries, D) = small.tennis_trees(), _tennis()
    Q = matrix.query_matrix(queries, small.TENNIS.n_levels)
    shared = one.reached(queries[:1])[0] == one.reached(codes)  # records by trees
    for tree in range(2):
        T = one.paths.matrix()[one.paths.tree == tree]
        agree = np.bincount(y[shared[:, tree]], minlength=2)
        yield from small.entries(agree, (Q @ T.T @ T @ D)[0], broken="fails", tree=tree)
    T = one.paths.matrix()
    votes = (Q @ T.T @ T @ D)[0].astype(int)
    instances = np.bincount(y[shared.any(axis=1)], minlength=2)
    yield from small.entries(instances, votes)
    return note(
        f"For the query (sunny, true) of Tennis two trees give V = {votes.tolist()}, but {instances.tolist()} "
        "instances of the two classes share a leaf with it. With either tree alone V counts instances.",
        range="Tennis, a tree on each feature",
    )


@SIZES("m-rf/domain-size", "Data and schema", proved=False, quantity="cells")
def domain_size(effort, rng):
    """The full domain size is the product of all $d$ sizes $n_i$, including the size of the class column. (For the
    features alone, which index the rows of D and columns of T, it is a product of $d - 1$ sizes.)"""
    named = {"Tennis": ((3, 2), 2), "Car": (small.CAR, 4), "Balance": (small.BALANCE, 3)}
    for name, (levels, classes) in named.items():
        listed = len(small.every_cell((*levels, classes)))
        y = rng.integers(0, classes, 9)
        D = matrix.data_matrix(small.records(levels, 9, rng), y, levels, classes)
        features = small.forest(levels, 2, 1, rng).paths.n_cells
        yield same(listed, D.size, name=name, of="all columns")
        yield same(listed // classes, features, name=name, of="features")
    said = "The products equal the numbers of cells in a list, for {name} ({of}) {exact:.0f}."
    return note(said, range=", ".join(named))


@SIZES(
    "m-rf/complexity", "Complexity", "holds", "matrix.Paths", "matrix.Workload", proved=False, quantity="entries"
)
def complexity(effort, rng):
    r"""With $n$ values of each feature, $o$ leaves and $b$ queries, the query matrices of training, prediction and
    subsample-and-aggregate have $o\,n^d$, $b\,n^d$ and $b\,o$ entries respectively, and T has an implicit form of
    size $o \times dn$. (Here $d$ is the number of features in the ensemble's subset, without the class, which
    "data and schema" counts. The costs of the noise depend on the strategy and are not judged here.)"""
    tau, b = 3, 7
    for n, d in ((2, 2), (2, 5), (3, 3), (4, 2), *effort.pick((), ((4, 4),), ((4, 5), (2, 9)))):
        for h in range(1, d + 1):
            one, Q = small.forest([n] * d, tau, h, rng), small.records([n] * d, b, rng)
            o, cells, T = tau * n**h, n**d, one.paths.matrix()
            data = {"n": n, "d": d, "h": h}
            yield same(o, len(one.paths), of="leaves", **data)
            yield same(o * cells, T.size, of="training", **data)
            votes = matrix.query_matrix(Q, one.levels) @ T.T @ T
            yield same(b * cells, votes.size, of="prediction", **data)
            yield same(b * o, one.paths.reached(Q).size, of="subsample", **data)
            yield same(o * d * n, one.paths.allowed.size, of="implicit", **data)
            yield from small.entries(one.T, T, of="entries of T", **data)
    return note(
        "{cases} sizes and entries; T comes whole from its implicit form",
        range="2 to 4 values, 2 to 5 features, every depth",
    )


@SIZES(
    "m-rf/interchange",
    "Background, matrix mechanism",
    "holds",
    "matrix.decision_paths",
    "matrix.data_matrix",
    quantity=ENTRIES,
)
def interchange(effort, rng):
    r"""Data as a matrix and as a vector are essentially interchangeable: $\mathrm{vec}(TD) = (I_k \otimes
    T)\,\mathrm{vec}(D)$. (The vector form has $k$ times as many queries at the same sensitivity, so sums over the
    queries are $k$ times as large.)"""
    for _ in range(effort.pick(6, 20, 60)):
        levels, k = small.small_levels(rng, 3), int(rng.integers(2, 5))
        one = small.forest(levels, int(rng.integers(1, 4)), 2, rng)
        X, y = small.records(levels, 20, rng), rng.integers(0, k, 20)
        vector = np.kron(np.eye(k, dtype=int), one.paths.matrix())
        D, data = matrix.data_matrix(X, y, levels, k), {"levels": levels, "k": k}
        counts = [one.routed(X[y == c]).sum(axis=0) for c in range(k)]
        yield from small.entries(np.concatenate(counts), vector @ D.T.ravel(), **data)
        yield same(k * one.paths.matrix().sum(), vector.sum(), of="sum of squares", **data)
        yield same(one.n_trees, vector.sum(axis=0).max(), of="largest column sum", **data)
    return note("{cases} entries and sums of the two forms are as stated.", range="up to 3 trees, 2 to 4 classes")


@FREE(
    "m-rf/strategy-free",
    "Theorem 5, first line of its proof; section 1, main contributions",
    "assumes",
    quantity="cells of T after one record more",
)
def strategy_free(effort, rng):
    r"""M-RF's allocation strategy is data-independent: it is selected without privacy loss, since T does not
    depend on the data. (This assumes that the schema is public, and for $W = QT^\top T$ that the queries are not
    taken from the training records. The statement is about the matrices alone.)"""
    fits = effort.pick(4, 10, 30)
    first, *others = [_fitted_paths(rng) for _ in range(fits)]
    for other in others:
        yield need(np.array_equal(first, other), broken="fails")
    before = np.array([["sunny", False], ["overcast", True]], dtype=object)
    after = np.vstack([before, np.array([["rainy", True]], dtype=object)])
    read = [Domain.from_data(X) for X in (before, after)]
    cells = [int(np.prod([len(c.levels) for c in d if isinstance(c, Categorical)])) for d in read]
    paths, codes = small.tennis_trees().paths, small.TENNIS.encode(after).astype(int)
    asked = [len(matrix.Workload.of(paths, codes[:n])) for n in (2, 3)]
    for less, more in (cells, asked):
        yield same(more, less)
    return note(
        f"{fits} fits to different records with the same seed have the same T. If levels are read off the data, "
        f"there are {cells[1]} cells with a third record instead of {cells[0]}; if the training records are the "
        f"queries, there are {asked[1]} rows instead of {asked[0]}.",
        range="Tennis, fits to random records; two records and a third",
    )


def _fitted_paths(rng):
    """What the leaves allow of a forest that was fitted to random records, at one seed."""
    from dplit.forests import RandomDecisionForestClassifier

    X, y = small.records((3, 2), int(rng.integers(5, 40)), rng), rng.integers(0, 2, 50)
    grown = RandomDecisionForestClassifier(
        1.0, domain=small.schema((3, 2)), classes=[0, 1], n_estimators=4, max_depth=2, random_state=5
    )
    return matrix.decision_paths(grown.fit(X, y[: len(X)])).allowed
