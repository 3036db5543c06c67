"""Forests on subsets of the columns: their answers, apart and together, and what they cost."""

import math

import numpy as np
import pytest

from dplit import matrix
from dplit.budget import Group, Parallel, Sequence
from tests.matrix_release.test_release import paths

LEVELS = (3, 2, 2)
CODES = np.array(list(np.ndindex(*LEVELS)) * 2)
CLASSES = np.arange(len(CODES)) % 3


def ensemble(columns, name="identity", depth=1, seed=20):
    levels = [LEVELS[j] for j in columns]
    workload = matrix.Workload.of(paths(2, depth, levels, seed))
    return matrix.Ensemble(columns, levels, workload, matrix.member(workload, name))


def two(name="identity"):
    return [ensemble((0, 1), name), ensemble((1, 2), name)]


def release(made, epsilon=math.inf, seed=0, **options):
    return matrix.release_ensembles(made, CODES, CLASSES, 3, epsilon, rng=np.random.default_rng(seed), **options)


@pytest.mark.parametrize("name", ["identity", "merged", "per-tree"])
@pytest.mark.parametrize("joint", [True, False])
def test_without_noise_the_leaves_are_counted(name, joint):
    made = two(name)
    answers, _ = release(made, joint=joint)
    for e, found in zip(made, answers):
        D = matrix.data_matrix(CODES[:, list(e.columns)], CLASSES, e.n_levels, 3)
        assert np.allclose(found, e.workload.matrix() @ D)


def test_the_matrix_is_the_strategys():
    e = ensemble((0, 1), "merged")
    assert np.array_equal(e.matrix, e.workload.boxes.matrix())
    assert np.array_equal(ensemble((0, 1)).matrix, np.eye(6))


@pytest.mark.parametrize("names", [("identity", "identity"), ("merged", "identity"), ("per-tree", "merged")])
def test_reconstruction_is_weighted_least_squares_on_the_whole_domain(names):
    made = [ensemble(c, name) for c, name in zip(((0, 1), (1, 2)), names)]
    cells = np.array(list(np.ndindex(*LEVELS)))
    lift = [matrix.query_matrix(cells[:, list(e.columns)], e.n_levels) for e in made]
    A = np.vstack([e.matrix @ M.T for e, M in zip(made, lift)])
    s = np.repeat([1.0, 3.0], [len(e.matrix) for e in made])
    pseudo = np.linalg.pinv(A / s[:, None]) / s
    for e, M, X in zip(made, lift, matrix.reconstruction(made, [1.0, 3.0])):
        assert np.allclose(X, e.workload.matrix() @ M.T @ pseudo)


def test_the_mean_squared_error_is_the_predicted_one():
    """2,000 releases: the mean of the squared errors within six standard errors of what X says."""
    made, rng = two("merged"), np.random.default_rng(4)
    exact = np.concatenate([a.ravel() for a in release(made)[0]])
    drawn = np.array([
        np.concatenate([a.ravel() for a in matrix.release_ensembles(
            made, CODES, CLASSES, 3, 2.0, "laplace", rng=rng)[0]]) for _ in range(2000)
    ])  # fmt: skip
    squared = ((drawn - exact) ** 2).sum(axis=1)
    sd = matrix.deviations(made, 1.0, "laplace")
    scale = np.repeat(sd, [len(e.matrix) for e in made]) ** 2
    predicted = 3 * sum((X**2 @ scale).sum() for X in matrix.reconstruction(made, sd))
    assert abs(squared.mean() - predicted) < 6 * squared.std() / 2000**0.5


def test_the_whole_domain_is_never_made():
    """Two ensembles that share one of sixty columns: 1e36 cells, and the counts of both come out."""
    rng = np.random.default_rng(5)
    codes, classes = rng.integers(0, 4, (50, 60)), rng.integers(0, 3, 50)
    made = []
    for columns in ((0, 17), (17, 59)):
        workload = matrix.Workload.of(paths(3, 2, (4, 4)))
        made.append(matrix.Ensemble(columns, (4, 4), workload, matrix.member(workload, "identity")))
    answers, _ = matrix.release_ensembles(made, codes, classes, 3, math.inf, rng=rng)
    for e, found in zip(made, answers):
        D = matrix.data_matrix(codes[:, list(e.columns)], classes, e.n_levels, 3)
        assert np.allclose(found, e.workload.matrix() @ D)


def test_answers_are_the_matrices_times_the_releases():
    made = [ensemble((0, 1), "merged"), ensemble((1, 2), "identity")]
    answers, _ = release(made, 1.0, seed=3, mechanism="laplace")
    rng = np.random.default_rng(3)
    measured = [
        matrix.measure(e.strategy, CODES[:, list(e.columns)], CLASSES, 3, 0.5, "laplace", rng=rng)[0] for e in made
    ]
    for X, found in zip(matrix.reconstruction(made, matrix.deviations(made, 0.5, "laplace")), answers):
        assert np.allclose(X @ np.vstack(measured), found)


def test_what_ensembles_cost():
    node = release(two(), 1.0)[1]
    assert isinstance(node, Sequence) and node.epsilon == 1.0
    assert [part.epsilon for part in node.parts] == [0.5, 0.5]
    node = release(two(), 1.0, disjoint=True)[1]
    assert isinstance(node, Parallel) and node.epsilon == 1.0
    assert [part.epsilon for part in node.parts] == [1.0, 1.0]
    node = release(two(), 1.0, disjoint=True, neighbours="replace-one")[1]
    assert isinstance(node, Group) and node.epsilon == 1.0 and node.neighbours == "replace-one"
    node = release(two(), 1.0, neighbours="replace-one")[1]
    assert node.epsilon == 1.0 and node.neighbours == "replace-one"


def test_disjoint_ensembles_share_the_records_out():
    answers, _ = release(two(), disjoint=True, seed=2)
    leaves = [answer[e.workload.place] for e, answer in zip(two(), answers)]
    first = [e.workload.paths.tree == 0 for e in two()]
    totals = [x[m].sum() for x, m in zip(leaves, first)]
    assert sum(totals) == len(CODES) and 0 < totals[0] < len(CODES)


@pytest.mark.parametrize("columns, levels", [((1, 0), (2, 3)), ((0, 0), (3, 3)), ((0,), (3, 2))])
def test_columns_are_increasing(columns, levels):
    e = ensemble((0, 1))
    with pytest.raises(ValueError, match="columns must be increasing"):
        matrix.Ensemble(columns, levels, e.workload, e.strategy)


def test_many_cells_are_no_matrix_of_cells():
    """Two ensembles of 48,000 cells each, whose products would take 18 GB: all counts come out."""
    rng, levels = np.random.default_rng(6), (40, 30, 8, 5)
    codes = np.column_stack([rng.integers(0, n, 500) for n in (*levels, 40)])
    classes, made = rng.integers(0, 2, 500), []
    for columns, sizes in (((0, 1, 2, 3), levels), ((1, 2, 3, 4), (30, 8, 5, 40))):
        workload = matrix.Workload.of(paths(2, 2, sizes), codes[:60, list(columns)])
        made.append(matrix.Ensemble(columns, sizes, workload, matrix.member(workload, "identity")))
    answers, _ = matrix.release_ensembles(made, codes, classes, 2, math.inf, rng=rng)
    for e, found in zip(made, answers):
        inside = codes[:, list(e.columns)]
        follows = e.workload.paths.reached(inside).astype(int)
        votes = (follows[:60] @ follows.T) @ np.eye(2)[classes]
        assert np.allclose(found[e.workload.place], votes)
