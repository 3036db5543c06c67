"""Workloads: distinct rows and columns, beside the full matrices made by routing."""

import numpy as np
import pytest
from scipy import sparse

from dplit import Categorical, Domain, forests, matrix, trees
from tests.matrix_strategies.forests import routed

LEVELS = (3, 2, 3)
DOMAIN = Domain([Categorical(range(n)) for n in LEVELS])


def grown(n_trees=6, depth=2, seed=0):
    rng = np.random.default_rng(seed)
    return trees.grow_random_trees(DOMAIN, n_trees, depth, rng=rng)


def records(n, seed=1):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(0, k, n) for k in LEVELS])


def whole(found, queries=None):
    """T, or Q T' T, by routing every cell."""
    T = routed(found, list(np.ndindex(LEVELS))).T
    return T if queries is None else routed(found, queries) @ T


def every(found):
    """The workload of the leaves, and that of votes for queries of which some are alike."""
    Q = np.vstack([records(7), records(4)])
    yield matrix.Workload.of(found, n_levels=LEVELS), whole(found)
    yield matrix.Workload.of(found, Q, n_levels=LEVELS), whole(found, Q)
    for given in (whole(found, Q), sparse.csr_array(whole(found, Q)), whole(found).tolist()):
        W = given.toarray() if sparse.issparse(given) else np.asarray(given)
        yield matrix.Workload.of_matrix(given), W


@pytest.mark.parametrize("seed", range(4))
def test_distinct_rows_and_their_copies(seed):
    for workload, W in every(grown(seed=seed)):
        rows = workload.matrix()
        assert len(np.unique(rows, axis=0)) == len(rows) == len(workload) < len(W)
        assert np.array_equal(rows[workload.place], W)
        assert np.array_equal(np.bincount(workload.place), workload.multiplicity)
        assert workload.n_cells == W.shape[1]


@pytest.mark.parametrize("seed", range(4))
def test_products_of_rows_need_no_domain(seed):
    for workload, W in every(grown(seed=seed)):
        rows = workload.matrix()
        assert np.allclose(workload.gram, rows @ rows.T, rtol=1e-12)
        assert workload.squared() == pytest.approx((W**2).sum())


@pytest.mark.parametrize("seed", range(4))
def test_distinct_columns(seed):
    counts = np.random.default_rng(seed).integers(0, 5, (18, 2))
    for workload, W in every(grown(seed=seed)):
        merged = workload.columns()
        columns = merged.matrix[workload.place]
        assert len(np.unique(columns, axis=1).T) == len(merged.cells) and columns.any(axis=0).all()
        for cell, place in enumerate(merged.place):
            assert np.array_equal(W[:, cell], 0 * W[:, 0] if place < 0 else columns[:, place])
        assert np.array_equal(np.bincount(merged.place[merged.place >= 0]), merged.cells)
        assert np.allclose(columns @ merged.counts(counts), W @ counts)


def test_cells_that_no_query_asks_for_are_dropped():
    trees_ = grown(n_trees=1)
    workload = matrix.Workload.of(trees_, records(1), n_levels=LEVELS)
    merged = workload.columns()
    assert merged.matrix.tolist() == [[1.0]] and (merged.place == -1).sum() == 18 - merged.cells[0]
    assert merged.counts(np.ones((18, 1))).tolist() == [[float(merged.cells[0])]]


def test_equal_trees_are_one():
    """On one column every tree is the same."""
    one = Domain([Categorical(range(4))])
    found = trees.grow_random_trees(one, 5, 1, rng=np.random.default_rng(0))
    workload = matrix.Workload.of(found, n_levels=[4])
    assert len(workload) == 4 and workload.multiplicity.tolist() == [5] * 4
    assert workload.squared() == 20 and workload.paths.n_trees == 5


def test_of_a_fitted_forest_and_of_its_paths():
    X = records(40)
    model = forests.RandomDecisionForestClassifier(
        1.0, domain=DOMAIN, classes=[0, 1], n_estimators=3, max_depth=2, random_state=0
    ).fit(X, X[:, 1])
    for given in (model, matrix.decision_paths(model)):
        assert np.array_equal(matrix.Workload.of(given, X[:5]).matrix()[0].shape, (18,))
        workload = matrix.Workload.of(given, X[:5])
        assert np.array_equal(workload.matrix()[workload.place], whole(model.trees_, X[:5]))


@pytest.mark.parametrize("wrong", [np.zeros((0, 3)), [[np.nan, 1]], [[np.inf]], np.zeros((2, 0))])
def test_a_matrix_that_asks_nothing_is_an_error(wrong):
    with pytest.raises(ValueError, match="matrix must hold rows of finite numbers, got shape"):
        matrix.Workload.of_matrix(wrong)


def test_queries_outside_the_domain_are_an_error():
    with pytest.raises(ValueError, match="from 0 to 1 in column 1"):
        matrix.Workload.of(grown(), [[0, 2, 0]], n_levels=LEVELS)
