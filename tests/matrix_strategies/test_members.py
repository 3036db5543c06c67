"""Members of the portfolio beside dense least squares on matrices that routing makes, and simulated releases."""

import numpy as np
import pytest

from dplit import matrix, mechanisms
from tests.matrix_strategies.forests import grown, records, routed, small

SEEDS = range(6)


def least_squares(W, A):
    """(W A^+ , or None if W is no combination of A's rows) by lstsq."""
    X = np.linalg.lstsq(A.T, W.T, rcond=1e-10)[0].T
    return X if np.allclose(X @ A, W, atol=1e-8) else None


def norm(A):
    return max(abs(A[:, j]).sum() for j in range(A.shape[1]))


def spread(A):
    n = A.shape[1]
    return max(abs(A[:, i] - A[:, j]).sum() for i in range(n) for j in range(n))


def members(levels, T, leaves):
    """Each member, and its A from routing; of equal leaves one, sorted as numpy sorts rows."""
    rng = np.random.default_rng(len(T))
    yield matrix.Identity(levels), np.eye(T.shape[1])
    yield matrix.PerTree(leaves.paths), T
    yield matrix.DistinctLeaves(leaves.boxes), np.unique(T, axis=0)
    distinct, times = np.unique(T, axis=0, return_counts=True)
    yield matrix.WeightedLeaves(leaves), times[:, None] * distinct
    for shares in _shares(len(levels), rng):
        yield matrix.Marginals(shares, levels), stacked(matrix.Marginals(shares, levels))
    _, first, place = np.unique(T, axis=1, return_index=True, return_inverse=True)
    merge = (place.ravel() == np.arange(len(first))[:, None]).astype(float)
    for theta in (np.zeros((0, len(first))), rng.random((2, len(first)))):
        inner = np.vstack([np.eye(len(first)), theta])
        A = inner / inner.sum(axis=0) @ merge
        yield matrix.PIdentity(theta, place.ravel(), levels), A
    A = np.vstack([np.eye(T.shape[1]), rng.normal(size=(3, T.shape[1]))])
    yield matrix.Dense(A, levels), A


def _shares(d, rng):
    """All columns and others, by chance; and all of them alike."""
    sets = [tuple(range(d)), (0,), (), tuple(range(d - 1)), (0, d - 1)]
    yield dict.fromkeys(sets, 3.0)
    yield dict(zip(sets, rng.random(len(sets)) + 0.1))


def stacked(strategy):
    """A of weighted marginals, column by column from a record in each cell."""
    cells = list(np.ndindex(*strategy.n_levels.tolist()))
    return np.column_stack([strategy.measure([cell], [0], 1)[:, 0] for cell in cells])


@pytest.mark.parametrize("seed", SEEDS)
def test_sensitivities_are_those_of_the_matrix(seed):
    levels, T, leaves, _, _ = small(seed)
    for strategy, A in members(levels, T, leaves):
        ask = lambda *a: matrix.sensitivity(strategy, *a)  # noqa: B023, E731
        one = norm(A)
        assert ask() == ask("add-remove", 1) == ask("add-remove", 2, True) == pytest.approx(one)
        assert ask("replace-one", 1) == pytest.approx(spread(A))
        assert ask("replace-one", 3) == ask("replace-one", 2, True) == pytest.approx(2 * one)


@pytest.mark.parametrize("seed", SEEDS)
def test_variances_are_those_of_least_squares(seed):
    levels, T, leaves, V, votes = small(seed)
    for strategy, A in members(levels, T, leaves):
        for W, workload in ((T, leaves), (V, votes)):
            X = least_squares(W, A)
            rows = (X**2).sum(axis=1)
            if strategy.name == "per-tree":  # each answer by itself
                rows = np.full(len(W), 1.0 if workload is leaves else leaves.paths.n_trees)
                assert (rows >= (X**2).sum(axis=1) - 1e-9).all()
            assert strategy.variances(workload)[workload.place] == pytest.approx(rows)
            total = norm(A) ** 2 * rows.sum()
            assert matrix.unit_error(workload, strategy) == pytest.approx(total)
            assert matrix.error(workload, strategy, 0.5) == pytest.approx(8 * total)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_measured_answers_the_queries_exactly(seed):
    levels, T, leaves, V, votes = small(seed)
    rng = np.random.default_rng(seed)
    codes, classes = records(levels, 40, seed + 100), rng.integers(0, 3, 40)
    D = matrix.data_matrix(codes, classes, levels, 3)
    for strategy, A in members(levels, T, leaves):
        measured = strategy.measure(codes, classes, 3)
        assert (measured.dtype == np.int64) == strategy.integer
        if strategy.name not in ("merged", "weighted"):
            assert np.allclose(measured, A @ D)
        else:
            assert np.array_equal(np.sort(measured, axis=0), np.sort(A @ D, axis=0))
        for W, workload in ((T, leaves), (V, votes)):
            assert np.allclose(strategy.answers(workload, measured), W @ D)
            assert np.allclose(strategy.answer(workload, measured)[workload.place], W @ D)


@pytest.mark.parametrize("seed", SEEDS)
def test_votes_are_those_of_all_cells(seed):
    """The mean over cells of the variances of T'T A^+."""
    levels, T, leaves, _, _ = small(seed)
    for strategy, A in members(levels, T, leaves):
        X = least_squares(T.T @ T, A)
        stated = (X**2).sum(axis=1).mean() if strategy.name != "per-tree" else leaves.paths.n_trees
        assert strategy.votes(leaves) == pytest.approx(stated)
        every = matrix.Workload.of(leaves.paths, list(np.ndindex(levels)))
        mean = strategy.variances(every) @ every.multiplicity / len(every.place)
        assert mean == pytest.approx(stated)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mechanism", ["laplace", "geometric"])
def test_errors_are_those_of_simulated_releases(seed, mechanism):
    """Chebyshev's interval of the mean squared error, from its own draws."""
    levels, T, leaves, V, votes = small(seed)
    rng, draws, epsilon = np.random.default_rng(seed), 4000, 1.5
    D = np.zeros((T.shape[1], 1))
    for strategy, _ in members(levels, T, leaves):
        for W, workload in ((T, leaves), (V, votes)):
            name = matrix.fitting(strategy, mechanism)
            kind = mechanisms.Laplace if name == "laplace" else mechanisms.Geometric
            size = strategy.sensitivity()
            noise = kind(epsilon, size if name == "laplace" else int(size))
            zeros = strategy.measure(np.zeros((0, len(levels)), int), np.zeros(0, int), 1)
            released = noise.sample(np.repeat(zeros, draws, axis=1), rng=rng)
            found = (strategy.answers(workload, released) - W @ D) ** 2
            stated = matrix.error(workload, strategy, epsilon, mechanism)
            # squared errors of 4,000 releases: six standard errors
            room = 6 * found.sum(axis=0).std() / np.sqrt(draws)
            assert abs(found.sum(axis=0).mean() - stated) < room


def test_regions_are_cells_that_no_leaf_tells_apart():
    for seed in range(4):
        levels, T, leaves, V, votes = small(seed)
        for W, workload in ((T, leaves), (V, votes)):
            strategy = matrix.regions(workload)
            columns = np.unique(W, axis=1)
            some = columns.any(axis=0)
            assert len(strategy.s) == some.sum() and strategy.integer
            assert matrix.unit_error(workload, strategy) == pytest.approx((columns**2).sum())
            cells = matrix.unit_error(workload, matrix.Identity(levels))
            assert matrix.unit_error(workload, strategy) <= cells
    one = matrix.Workload.of(grown((4, 3, 3), 1, 2, 0), n_levels=(4, 3, 3))
    assert matrix.unit_error(one, matrix.regions(one)) == len(one)  # its leaves are the regions


def test_disjoint_trees_estimate_the_counts_with_more_variance():
    """Simulated: the records' trees are drawn, noise comes on top; six standard errors."""
    levels, tau, draws, epsilon = (3, 2), 3, 3000, 2.0
    found, rng = grown(levels, tau, 1, 2), np.random.default_rng(3)
    workload = matrix.Workload.of(found, n_levels=levels)
    strategy = matrix.DisjointTrees(workload.paths)
    codes = records(levels, 25, 4)
    counts = routed(found, codes).sum(axis=0)
    noise = mechanisms.Laplace(epsilon, strategy.sensitivity())
    squares = np.zeros((draws, len(counts)))
    for square in squares:
        measured = strategy.measure(codes, np.zeros(25, int), 1, rng=rng)
        assert measured.sum() == 25
        released = noise.sample(measured, rng=rng)
        square[:] = (strategy.answers(workload, released)[:, 0] - counts) ** 2
    stated = 2 / epsilon**2 * strategy.variances(workload)[workload.place]
    stated += strategy.drawn(counts)
    room = 6 * squares.std(axis=0) / np.sqrt(draws)
    assert (abs(squares.mean(axis=0) - stated) < room).all()
    shared = matrix.PerTree(workload.paths)
    assert matrix.unit_error(workload, strategy) == matrix.unit_error(workload, shared)
    assert strategy.votes(workload) == tau**2 * shared.votes(workload)
    asked = [strategy.sensitivity(n, k) for n in ("add-remove", "replace-one") for k in (1, 2)]
    assert asked == [1, 1, 2, 2]


def test_queries_that_are_not_determined_have_no_finite_error():
    levels, T, leaves, _, _ = small(4)
    rows = matrix.Dense(T[:2], levels)
    assert np.isinf(rows.variances(leaves)).any() and matrix.unit_error(leaves, rows) == np.inf
    other = matrix.Workload.of(grown(levels, 2, 1, 99), n_levels=levels)
    cells = matrix.Workload.of_matrix(np.eye(T.shape[1]))
    assert np.isinf(matrix.PerTree(other.paths).variances(cells)).all()
    assert np.isinf(matrix.DistinctLeaves(other.boxes).variances(cells)).any()


@pytest.mark.parametrize("seed", range(8))
def test_weighted_leaves_are_never_worse_than_noise_for_each_tree(seed):
    _, _, leaves, _, votes = small(seed)
    weighted, apart = matrix.WeightedLeaves(leaves), matrix.PerTree(leaves.paths)
    assert weighted.norm == apart.norm
    for workload in (leaves, votes):
        room = apart.variances(workload) * (1 + 1e-9)
        assert (weighted.variances(workload) <= room).all()
    assert weighted.votes(leaves) <= apart.votes(leaves) * (1 + 1e-9)


def test_very_many_leaves_are_answered_one_by_one(monkeypatch):
    """Without least squares each leaf has its own noise, and a vote that of its distinct leaves."""
    monkeypatch.setattr("dplit.matrix.strategies.members.MOST_PRODUCTS", 0)
    levels, T, leaves, V, votes = small(3)
    strategy, codes = matrix.DistinctLeaves(leaves.boxes), records(levels, 30, 0)
    measured = strategy.measure(codes, np.zeros(30, int), 1)
    D = matrix.data_matrix(codes, np.zeros(30, int), levels, 1)
    assert (strategy.variances(leaves) == 1).all()
    distinct, copies = np.unique(T, axis=0, return_counts=True)
    mean = ((copies[:, None] * distinct) ** 2).sum(axis=0).mean()
    assert strategy.votes(leaves) == pytest.approx(mean)
    for W, workload in ((T, leaves), (V, votes)):
        assert np.allclose(strategy.answers(workload, measured), W @ D)
    every = matrix.Workload.of(leaves.paths, list(np.ndindex(levels)))
    assert strategy.variances(every) @ every.multiplicity / len(every.place) == pytest.approx(mean)


def test_votes_of_queries_are_still_those_of_all_cells():
    """A workload of votes has the forest of the leaves; a given matrix has none."""
    levels, T, leaves, _, votes = small(2)
    for strategy, _ in members(levels, T, leaves):
        assert strategy.votes(votes) == pytest.approx(strategy.votes(leaves))
        with pytest.raises(ValueError, match="workload must be of a forest"):
            strategy.votes(matrix.Workload.of_matrix(np.eye(T.shape[1])))
    for search in (matrix.optimise_p, matrix.optimise_marginals):
        found = [matrix.unit_error(w, search(w, target="votes"), "votes") for w in (leaves, votes)]
        assert found[0] == pytest.approx(found[1])
        with pytest.raises(ValueError, match="workload must be of a forest"):
            search(matrix.Workload.of_matrix(np.eye(3)), target="votes")


def test_leaves_of_other_trees_through_the_domain():
    """Votes of a forest from the leaves of a wider one, and of a given matrix."""
    levels = (3, 2, 3)
    wide, few = grown(levels, 30, 2, 0), grown(levels, 3, 1, 1)
    T = routed(wide, list(np.ndindex(levels))).T
    strategy = matrix.DistinctLeaves(matrix.Workload.of(wide, n_levels=levels).boxes)
    W = routed(few, list(np.ndindex(levels))).T
    for workload in (matrix.Workload.of(few, n_levels=levels), matrix.Workload.of_matrix(W)):
        X = least_squares(W, np.unique(T, axis=0))
        assert strategy.variances(workload)[workload.place] == pytest.approx((X**2).sum(axis=1))
        codes = records(levels, 20, 3)
        measured = strategy.measure(codes, np.zeros(20, int), 1)
        D = matrix.data_matrix(codes, np.zeros(20, int), levels, 1)
        assert np.allclose(strategy.answers(workload, measured), W @ D)


def test_wide_domains_are_never_made():
    levels = (2,) * 100
    found = grown(levels, 64, 3, 0)
    workload = matrix.Workload.of(found, n_levels=levels)
    cells = 2.0**97
    assert matrix.unit_error(workload, matrix.Identity(levels)) == pytest.approx(512 * cells)
    assert matrix.unit_error(workload, matrix.PerTree(workload.paths)) == 64**2 * 512
    merged = matrix.DistinctLeaves(workload.boxes)
    assert merged.norm <= 64 and merged.variances(workload).sum() == pytest.approx(
        np.linalg.matrix_rank(workload.boxes.overlaps() / 2.0**97)
    )
    codes = records(levels, 300, 5)
    measured = merged.measure(codes, np.zeros(300, int), 1)
    counts = routed(found, codes).sum(axis=0)
    assert np.allclose(merged.answers(workload, measured)[:, 0], counts)
    assert matrix.select(workload).name == "tree-norm"
    laplace = [name for name in matrix.portfolio(workload) if name != "tree-norm"]
    assert matrix.select(workload, members=laplace).name == "weighted"
    with pytest.raises(ValueError, match="the domain has"):
        matrix.Identity(levels).measure(codes, np.zeros(300, int), 1)


def test_paths_that_test_many_columns_are_followed_record_by_record():
    """A box that tests forty columns of three levels has no table."""
    levels = (3,) * 40
    codes = records(levels, 50, 0)
    allowed = np.ones((3, 120), dtype=bool)
    allowed[0, ::3] = False
    allowed[1, 1:30:3] = False
    paths = matrix.Paths(allowed, np.array(levels), np.arange(3))
    expected = [(codes != 0).all(axis=1).sum(), (codes[:, :10] != 1).all(axis=1).sum(), 50]
    measured = matrix.DistinctLeaves(paths).measure(codes, np.zeros(50, int), 1)
    assert measured[:, 0].tolist() == expected


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: matrix.Dense([[np.nan]]), "matrix must hold rows of finite numbers"),
        (lambda: matrix.Dense(np.eye(3), [2, 2]), "a column for each of 4 cells, got 3"),
        (lambda: matrix.Marginals({(0, 2): 1.0}, [2, 2]), "columns below 2"),
        (lambda: matrix.Marginals({(0,): 0.0}, [2, 2]), "shares must be a positive"),
        (lambda: matrix.PIdentity([[-1.0]], [0]), "theta must hold numbers of at least 0"),
        (lambda: matrix.PIdentity([[1.0, 1.0]], [0, 0]), "for 1 regions of 2 cells"),
        (lambda: matrix.Identity([3, 0]), "column 1 is continuous"),
        (lambda: matrix.Identity([2]).sensitivity("other"), "neighbours must be one of"),
        (lambda: matrix.Identity([2]).sensitivity(classes=1, signed=True), "classes must be"),
        (lambda: matrix.Identity([2]).measure([[2]], [0], 1), "codes must be whole numbers"),
        (lambda: matrix.Identity([2]).measure([[1]], [0, 0], 1), "one for each of 1 records"),
        (lambda: matrix.Identity([2]).variances(matrix.Workload.of_matrix(np.eye(3))), "of 2 cells"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
