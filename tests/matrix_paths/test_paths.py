"""Decision paths, cells, ranks and distinct leaves, beside what routing and brute force find."""

import itertools
import math

import numpy as np
import pytest

from dplit import Categorical, Continuous, Domain, datasets, forests, matrix, trees


def domain(levels):
    return Domain([Categorical(range(n)) for n in levels])


def grown(levels, n_trees, depth, seed=0):
    rng = np.random.default_rng(seed)
    return trees.grow_random_trees(domain(levels), n_trees, depth, rng=rng)


def cells(levels):
    return np.array(list(itertools.product(*map(range, levels))), dtype=float)


def routed(found, levels):
    """T by routing every cell."""
    reached = trees.apply(found, cells(levels)) + found.leaf_starts[:-1]
    T = np.zeros((found.n_leaves, len(reached)), dtype=bool)
    T[reached, np.arange(len(reached))[:, None]] = True
    return T


LEVELS = [(3, 2), (2, 3, 4), (4, 1, 2, 3), (2,)]


@pytest.mark.parametrize("levels", LEVELS)
@pytest.mark.parametrize("depth", [0, 1, 2, 9])
def test_rows_are_what_routing_finds(levels, depth):
    found = grown(levels, 4, depth)
    paths = matrix.decision_paths(found, levels)
    assert np.array_equal(paths.matrix(), routed(found, levels))
    assert (len(paths), paths.n_trees, paths.n_cells) == (found.n_leaves, 4, math.prod(levels))
    assert np.array_equal(paths.tree, np.repeat(range(4), np.diff(found.leaf_starts)))
    assert paths.matrix().sum(axis=0).tolist() == [4] * math.prod(levels)
    assert paths.cells.tolist() == routed(found, levels).sum(axis=1).tolist()


def binary_splits(levels, seed):
    """Trees of another family, which splits the levels of a column in two, more than once on a path."""
    rng, n = np.random.default_rng(seed), 300
    X = np.column_stack([rng.integers(0, k, n) for k in levels])
    y = (X.sum(axis=1) + rng.integers(0, 2, n)) % 2
    options = {"domain": domain(levels), "classes": [0, 1], "random_state": seed}
    model = forests.MedianForestClassifier(4.0, n_estimators=3, max_depth=3, **options)
    return model.fit(X, y)


@pytest.mark.parametrize("seed", range(3))
def test_a_fitted_forest_that_splits_levels_in_two(seed):
    levels = (5, 3, 4)
    model = binary_splits(levels, seed)
    assert (np.diff(model.trees_.leaf_starts) > 2).all()
    assert np.array_equal(matrix.decision_paths(model).matrix(), routed(model.trees_, levels))


def test_overlaps_are_those_of_the_rows():
    one, two = (matrix.decision_paths(grown((3, 2, 4), 3, 2, seed), (3, 2, 4)) for seed in (1, 2))
    S, T = one.matrix().astype(int), two.matrix().astype(int)
    assert np.array_equal(one.overlaps(two), S @ T.T)
    assert np.array_equal(one.overlaps(), S @ S.T)
    assert np.array_equal(one.take([3, 1]).matrix(), S[[3, 1]].astype(bool))


def test_a_wide_domain_is_never_made():
    levels = (10,) * 50
    paths = matrix.decision_paths(grown(levels, 4, 2), levels)
    assert paths.n_cells == 10**50 and paths.overlaps().shape == (400, 400)
    assert paths.overlaps()[0, 0] == pytest.approx(1e48)
    assert matrix.rank_bound(paths) <= matrix.full_rank_bound(levels, 2) == 1 + 450 + 81 * 1225
    with pytest.raises(ValueError, match="cells, too many for a matrix of 400 paths"):
        paths.matrix()
    with pytest.raises(ValueError, match="too many for a matrix of 1 queries"):
        matrix.query_matrix([[0] * 50], levels)


def test_tables_and_queries():
    X, y = [[0, 0], [0, 1], [2, 1], [2, 1]], [0, 1, 1, 1]
    assert matrix.cells_of(X, (3, 2)).tolist() == [0, 1, 5, 5]
    assert matrix.data_matrix(X, y, (3, 2), 2).tolist() == [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 2]]
    Q = matrix.query_matrix(X, (3, 2))
    assert Q.sum() == 4 and Q[2].tolist() == [0, 0, 0, 0, 0, 1]
    paths = matrix.decision_paths(grown((3, 2), 3, 1), (3, 2))
    assert np.array_equal(paths.reached(np.array(X)), Q @ paths.matrix().T)
    empty = np.zeros((0, 2), dtype=int)
    assert matrix.data_matrix(empty, [], (3, 2), 2).sum() == 0
    assert paths.reached(empty).shape == (0, len(paths))


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([[0, 2]], "codes must be whole numbers from 0 to 1 in column 1, got another"),
        ([[-1, 0]], "from 0 to 2 in column 0"),
        ([[0.5, 0]], "from 0 to 2 in column 0"),
        ([[float("nan"), 0]], "from 0 to 2 in column 0"),
        ([[0, 1, 0]], "codes must have 2 columns"),
        ([0, 1], "codes must have 2 columns"),
    ],
)
def test_codes_outside_the_domain_are_named(codes, message):
    paths = matrix.decision_paths(grown((3, 2), 1, 1), (3, 2))
    for ask in (paths.reached, lambda c: matrix.cells_of(c, (3, 2))):
        with pytest.raises(ValueError, match=message):
            ask(codes)


def test_bad_input_is_named():
    found = grown((3, 2), 1, 2)
    with pytest.raises(ValueError, match="n_levels must be given with bare trees"):
        matrix.decision_paths(found)
    with pytest.raises(ValueError, match="an entry for each column, at least 2, got 1"):
        matrix.decision_paths(found, (3,))
    for wrong in ([], [[3, 2]], [3, -2], [3.0, 2.0]):
        with pytest.raises(ValueError, match="n_levels must be a whole number for each column"):
            matrix.decision_paths(found, wrong)
    with pytest.raises(ValueError, match="classes must be one for each of 2 records, got 1"):
        matrix.data_matrix([[0, 0], [1, 1]], [0], (3, 2), 2)
    with pytest.raises(ValueError, match="classes must be whole numbers from 0 to 1"):
        matrix.data_matrix([[0, 0]], [2], (3, 2), 2)


def test_a_continuous_column_has_no_cells():
    mixed = Domain([Categorical([0, 1]), Continuous(0, 1)])
    found = trees.grow_random_trees(mixed, 2, 2, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"column 1 is continuous and has no cells"):
        matrix.decision_paths(found, mixed.n_levels)


# Ranks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_ranks_of_small_forests(seed):
    """Beside singular values, tree by tree; the bound beside the tested sets read off the paths."""
    rng = np.random.default_rng(seed)
    levels = tuple(rng.integers(1, 4, size=rng.integers(1, 5)).tolist())
    found = grown(levels, 4, int(rng.integers(0, 4)), seed)
    paths = matrix.decision_paths(found, levels)
    T = routed(found, levels).astype(float)
    ranks = matrix.certified_ranks(paths)
    tau = range(1, 5)
    assert ranks.tolist() == [np.linalg.matrix_rank(T[: found.leaf_starts[t]]) for t in tau]
    tested = {frozenset(np.flatnonzero(row)) for row in paths.tests}
    below = {frozenset(u) for s in tested for r in range(len(s) + 1) for u in itertools.combinations(s, r)}
    bound = sum(math.prod(levels[i] - 1 for i in u) for u in below)
    assert ranks[-1] <= matrix.rank_bound(paths) == bound


@pytest.mark.parametrize(("depth", "bound"), [(0, 1), (1, 16), (2, 109), (3, 414), (6, 1728)])
def test_bounds_of_car(depth, bound):
    levels = datasets.load("car").domain.n_levels
    sets = itertools.chain.from_iterable(itertools.combinations(levels - 1, r) for r in range(depth + 1))
    assert matrix.full_rank_bound(levels, depth) == sum(map(math.prod, sets)) == bound
    with pytest.raises(ValueError, match="depth must be an integer of at least 0"):
        matrix.full_rank_bound(levels, -1)


def test_the_rank_modulo_two_is_no_more_than_the_rank():
    """Three sums of two of three rows are independent, but modulo 2 each is the sum of the others."""
    rows = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)
    paths = matrix.Paths(rows, np.array([3]), np.arange(3))
    assert np.linalg.matrix_rank(rows.astype(float)) == 3
    assert matrix.certified_ranks(paths).tolist() == [1, 2, 2]


# Distinct leaves ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_the_most_boxes_of_a_cell(seed):
    rng = np.random.default_rng(seed)
    levels = tuple(rng.integers(2, 5, size=4).tolist())
    found = grown(levels, 12, int(rng.integers(1, 5)), seed)
    workload = matrix.Workload.of(found, n_levels=levels)
    distinct = np.unique(routed(found, levels), axis=0)
    assert matrix.most_boxes(workload.boxes) == distinct.sum(axis=0).max()
    assert matrix.most_boxes(workload.paths) == 12


def test_most_boxes_of_a_wide_domain():
    """Trees on columns of their own: a cell can be in a leaf of each of them."""
    levels = (3,) * 40
    allowed = np.ones((12, 120), dtype=bool)
    for tree in range(4):
        allowed[3 * tree : 3 * tree + 3, 9 * tree : 9 * tree + 3] = np.eye(3)
    paths = matrix.Paths(allowed, np.array(levels), np.repeat(np.arange(4), 3))
    assert matrix.most_boxes(paths) == 4


@pytest.mark.parametrize("seed", range(6))
def test_a_search_that_ends_early_returns_a_bound(seed):
    levels = (3, 2, 3, 4)
    boxes = matrix.Workload.of(grown(levels, 9, 2, seed), n_levels=levels).boxes
    exact = matrix.most_boxes(boxes)
    bounds = [matrix.most_boxes(boxes, patience) for patience in (0, 1, 3, 10, 1000)]
    assert all(exact <= bound <= 9 for bound in bounds[1:]) and bounds[-1] == exact
    assert exact <= bounds[0] == len(boxes)


@pytest.mark.parametrize(("tau", "d", "h"), [(1, 3, 2), (2, 3, 2), (5, 3, 1), (6, 4, 2), (4, 2, 2)])
def test_the_law_of_distinct_leaves_by_listing_every_forest(tau, d, h):
    """The sets of columns that a cell's path tests, all sequences of them equally likely."""
    sets = list(itertools.combinations(range(d), h))
    counts = np.zeros(min(tau, len(sets)) + 1)
    for drawn in itertools.product(sets, repeat=tau):
        counts[len(set(drawn))] += 1
    law = matrix.distinct_leaves_law(tau, d, h)
    assert law == pytest.approx(counts / len(sets) ** tau, abs=1e-12)
    assert law.sum() == pytest.approx(1)


def test_the_law_refuses_what_is_no_forest():
    with pytest.raises(ValueError, match="n_trees must be an integer of at least 1, got 0"):
        matrix.distinct_leaves_law(0, 3, 2)
    with pytest.raises(ValueError, match="n_features must be an integer of at least 4, got 3"):
        matrix.distinct_leaves_law(5, 3, 4)
