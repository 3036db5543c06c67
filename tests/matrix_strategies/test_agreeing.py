"""Leaves with noise on which the trees agree: least squares with the covariance of draws, costs, and laws."""

import math

import numpy as np
import pytest

from dplit import matrix
from dplit.court.claims.matrix_bounds import forests
from dplit.matrix.ensembles import Ensemble, deviations, release_ensembles
from dplit.matrix.release import measure, noise_of
from dplit.matrix.strategies.trees import several_trees
from tests.matrix_strategies.forests import grown, small

SEEDS = [s for s in range(40) if several_trees(small(s)[2])][:4]


def released(leaves):
    """The strategy, and the rows that it releases, by its own counts of a record in each cell."""
    strategy = matrix.member(leaves, "tree-norm")
    cells = np.array(list(np.ndindex(*strategy.n_levels)))
    return strategy, strategy.measure(cells, np.arange(len(cells)), len(cells)).astype(float)


def covariance(sizes, epsilon):
    """Of the noise of trees on disjoint columns, by triangulation of its body."""
    return matrix.KNorm(forests.hull(sizes), epsilon).covariance


@pytest.mark.parametrize(("levels", "depth"), [((2, 2, 2), 1), ((3, 2), 1), ((2, 2), 2)])
@pytest.mark.parametrize("seed", [1, 2, 4])
def test_errors_are_those_of_generalised_least_squares(levels, depth, seed):
    found = grown(levels, 3, depth, seed)
    leaves = matrix.Workload.of(found, n_levels=levels)
    strategy, A = released(leaves)
    precision = A.T @ np.linalg.pinv(covariance(strategy.sizes, 1.0), rcond=1e-9) @ A
    inverse = np.linalg.pinv(precision, rcond=1e-9)
    queries = np.array(list(np.ndindex(levels)))[::2]
    for workload in (leaves, matrix.Workload.of(leaves.paths, queries)):
        W = workload.matrix()
        stated = np.einsum("ij,jk,ik->i", W, inverse, W)
        assert 2 * strategy.variances(workload) == pytest.approx(stated)
        total = stated @ workload.multiplicity
        assert matrix.error(workload, strategy, 1.0, "geometric") == pytest.approx(total)
        assert matrix.error(workload, strategy, 3.0, neighbours="replace-one") == pytest.approx(total * 4 / 9)
    T = np.repeat(leaves.matrix(), leaves.multiplicity, axis=0)
    votes = np.trace(T.T @ T @ inverse @ T.T @ T) / T.shape[1]
    assert matrix.error(leaves, strategy, 1.0, target="votes") == pytest.approx(votes)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("neighbours", "delta"), [("add-remove", 1), ("replace-one", 2)])
def test_errors_are_those_of_simulated_releases(seed, neighbours, delta):
    levels, T, leaves, V, votes = small(seed)
    strategy, _ = released(leaves)
    n = 3000  # classes, each with its noise
    cells = np.array(list(np.ndindex(*levels)))
    y, node = measure(
        strategy, cells, np.zeros(len(cells), int), n, 0.7, "geometric", neighbours,
        rng=np.random.default_rng(seed),
    )  # fmt: skip
    assert node.epsilon == 0.7 and f"tree-norm noise for sensitivity {delta}" in str(node)
    for W, workload in ((T, leaves), (V, votes)):
        off = strategy.answers(workload, y)
        off[:, 0] -= W.sum(axis=1)
        error = matrix.error(workload, strategy, 0.7, neighbours=neighbours)
        each = (off**2).sum(axis=0)
        assert abs(each.mean() - error) < 5 * each.std() / math.sqrt(n)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_measured_answers_exactly_what_any_workload_asks(seed):
    levels, T, leaves, V, votes = small(seed)
    strategy, A = released(leaves)
    cells, rng = np.array(list(np.ndindex(*levels))), np.random.default_rng(seed)
    D = rng.integers(0, 9, (len(cells), 2))
    y = A @ D
    again = matrix.Workload.of_matrix(T)  # no boxes
    for W, workload in ((T, leaves), (V, votes), (T, again)):
        assert np.allclose(strategy.answers(workload, y), W @ D)
    assert strategy.variances(again)[again.place] == pytest.approx(strategy.variances(leaves)[leaves.place])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_record_moves_the_release_by_the_sensitivity_in_the_noise_s_own_norm(seed):
    _, _, leaves, _, _ = small(seed)
    strategy, A = released(leaves)
    norm = noise_of(strategy, 1.0).norm
    moved = norm(A.T)
    assert moved.max() == strategy.sensitivity() == 1 and moved.min() == 1
    pairs = norm((A[:, :, None] - A[:, None]).reshape(len(A), -1).T)
    assert pairs.max() == strategy.sensitivity("replace-one", 1)
    assert strategy.sensitivity("replace-one", 3) == strategy.sensitivity("replace-one", 2, True) == 2


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_log_densities_change_by_epsilon_and_no_more(neighbours):
    """A record more in one class, or one that leaves a class for another: all that a small table can release."""
    levels = (2, 3)
    strategy, A = released(matrix.Workload.of(grown(levels, 4, 1, 3), n_levels=levels))
    noise = noise_of(strategy, 1.5, "laplace", neighbours)
    first, second = (A @ np.random.default_rng(s).integers(-2, 4, (A.shape[1], 80)) for s in (0, 1))
    most = 0.0
    for column in A.T:
        change = noise.norm((first - column[:, None]).T) - noise.norm(first.T)
        if neighbours == "replace-one":
            change += noise.norm(second.T) - noise.norm((second - column[:, None]).T)
        most = max(most, abs(change).max() / noise.scale)
    assert most == pytest.approx(1.5)


def test_trees_that_are_equal_are_released_once():
    """Twenty trees of one test on two columns: the noise is that of two trees, whatever the copies."""
    levels = (3, 2)
    leaves = matrix.Workload.of(grown(levels, 20, 1, 0), n_levels=levels)
    strategy, A = released(leaves)
    assert sorted(strategy.sizes) == [2, 3] and len(A) == 5
    body = matrix.KNorm(forests.hull(strategy.sizes), 1.0).variances
    columns = leaves.paths.tests.argmax(axis=1)
    each = {0: body[np.argmax(np.repeat(strategy.sizes, strategy.sizes) == 3)]}
    each[1] = body[np.argmax(np.repeat(strategy.sizes, strategy.sizes) == 2)]
    stated = sum(each[j] for j in columns.tolist())
    assert matrix.error(leaves, strategy, 1.0) == pytest.approx(stated)


def test_it_wins_where_trees_test_columns_of_their_own():
    """Tennis: a tree on each feature, 18.5 against 24 of the best Laplace strategy that is known."""
    levels = (3, 2)
    seed = next(s for s in range(20) if len(set(grown(levels, 2, 1, s).feature.tolist())) == 3)
    leaves = matrix.Workload.of(grown(levels, 2, 1, seed), n_levels=levels)
    best = matrix.select(leaves)
    assert best.name == "tree-norm" and best.considered["tree-norm"] == pytest.approx(18.5)
    assert min(e for n, e in best.considered.items() if n != "tree-norm") >= 24 * (1 - 1e-6)
    wide = (2,) * 30
    leaves = matrix.Workload.of(grown(wide, 20, 2, 0), n_levels=wide)
    best = matrix.select(leaves, members=("per-tree", "merged", "tree-norm", "weighted"))
    assert best.name == "tree-norm"


def test_one_tree_has_laplace_noise_and_is_not_looked_at_twice():
    levels = (3, 2, 2)
    leaves = matrix.Workload.of(grown(levels, 1, 2, 0), n_levels=levels)
    assert "tree-norm" not in matrix.portfolio(leaves)
    ours = matrix.member(leaves, "tree-norm")
    assert ours.variances(leaves) == pytest.approx(1.0)
    flat = matrix.Workload.of(grown((1, 1), 2, 1, 0), n_levels=(1, 1))  # a leaf that holds all
    assert matrix.member(flat, "tree-norm").variances(flat) == pytest.approx(1.0)
    assert matrix.member(matrix.Workload.of_matrix(np.eye(2)), "tree-norm") is None


def test_too_many_leaves_are_named(monkeypatch):
    from dplit.matrix.strategies import trees

    monkeypatch.setattr(trees, "MOST_PRODUCTS", 10)
    leaves = matrix.Workload.of(grown((2, 2, 2), 3, 2, 0), n_levels=(2, 2, 2))
    assert "tree-norm" not in matrix.portfolio(leaves)
    with pytest.raises(ValueError, match=r"least squares on .* distinct leaves, too many"):
        matrix.member(leaves, "tree-norm")


def test_ensembles_answer_together():
    """With the cells of the other ensemble: least squares on all numbers with independent noise."""
    levels = (2, 3, 2)
    parts = []
    for columns, name, seed in (((0, 1), "tree-norm", 3), ((1, 2), "identity", 1)):
        here = tuple(levels[j] for j in columns)
        workload = matrix.Workload.of(grown(here, 4, 1, seed), n_levels=here)
        parts.append(Ensemble(columns, here, workload, matrix.member(workload, name)))
    noise = deviations(parts, 0.5, "laplace")
    assert noise == pytest.approx([math.sqrt(8)] * 2)
    cells, n = np.array(list(np.ndindex(levels))), 3000
    found, node = release_ensembles(
        parts, cells, np.zeros(len(cells), int), n, 1.0, "laplace", rng=np.random.default_rng(0)
    )
    assert node.epsilon == 1.0
    X = matrix.reconstruction(parts, noise)
    for e, answers, rows in zip(parts, found, X):
        truth = e.workload.matrix().sum(axis=1) * (len(cells) / math.prod(e.n_levels))
        off = answers.copy()
        off[:, 0] -= truth
        stated = (rows**2).sum(axis=1) * noise[0] ** 2
        assert off.var(axis=1) == pytest.approx(stated, rel=0.2)
        assert (abs(off.mean(axis=1)) < 5 * np.sqrt(stated / n)).all()
        alone = e.strategy.variances(e.workload) * noise[0] ** 2
        assert (stated <= alone * (1 + 1e-9)).all() and (stated < 0.99 * alone).any()
