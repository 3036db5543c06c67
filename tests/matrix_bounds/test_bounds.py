"""Lower bounds: against programs, strategies and one another, and what they must never exceed."""

import itertools
import math

import numpy as np
import pytest

from dplit import Categorical, Domain, matrix, trees
from dplit.court.claims.matrix_bounds import programs

EPSILONS = (0.2, 1.0, 3.0)


def grown(levels, n_trees, depth, seed=0):
    domain = Domain([Categorical(range(n)) for n in levels])
    found = trees.grow_random_trees(domain, n_trees, depth, rng=np.random.default_rng(seed))
    return matrix.decision_paths(found, levels)


def given(W):
    return matrix.Workload.of_matrix(np.asarray(W, dtype=float))


def every_row(workload):
    return np.repeat(workload.matrix(), workload.multiplicity, axis=0)


def nuclear(W):
    return np.linalg.svd(W, compute_uv=False).sum()


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_chi_square_is_the_largest_over_two_outputs(epsilon):
    """Every pair of laws on two outputs within e^epsilon of each other, on a grid; and it is attained."""
    p, q = np.meshgrid(*[np.linspace(1e-3, 1 - 1e-3, 999)] * 2)
    near = (abs(np.log(p / q)) <= epsilon) & (abs(np.log((1 - p) / (1 - q))) <= epsilon)
    found = ((p - q) ** 2 / q + (p - q) ** 2 / (1 - q))[near].max()
    assert 0.97 * matrix.chi_square(epsilon) < found <= matrix.chi_square(epsilon) * (1 + 1e-9)
    assert matrix.chi_square(epsilon) == pytest.approx(math.exp(epsilon) + math.exp(-epsilon) - 2)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_one_bound_is_above_the_other(epsilon):
    found = [matrix.least_variance(epsilon, w) for w in ("unbiased", "occupied", "data-independent", "laplace")]
    assert found == sorted(found)
    assert found[0] * 2 == found[2]
    small = matrix.least_variance(1e-4, "occupied")
    assert small == pytest.approx(matrix.least_variance(1e-4, "unbiased"), rel=1e-3)


def test_other_sums_of_columns():
    """Two equal columns weigh as one: the optimum does not see them, equal weights of cells may."""
    W = [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert matrix.l2_optimum(given(W)).value == pytest.approx(2.0)
    assert matrix.nuclear_bound(given(W)) == pytest.approx((math.sqrt(2) + 1) ** 2 / 3)


@pytest.mark.parametrize("seed", range(3))
def test_equal_weights_are_the_singular_values_of_all_leaves(seed):
    for levels, tau, depth in (((3, 2, 3), 5, 2), ((4, 2), 3, 1), ((2, 2, 2, 2), 7, 3)):
        paths = grown(levels, tau, depth, seed)
        T, workload = paths.matrix().astype(float), matrix.Workload.of(paths)
        n = T.shape[1]
        assert matrix.nuclear_bound(workload) == pytest.approx(nuclear(T) ** 2 / n)
        assert matrix.nuclear_bound(given(T)) == pytest.approx(nuclear(T) ** 2 / n)
        votes = matrix.Workload.of(paths, [[0] * len(levels), [1] * len(levels), [0] * len(levels)])
        assert matrix.nuclear_bound(votes) == pytest.approx(nuclear(every_row(votes)) ** 2 / n)


@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_replace_one_weighs_all_differences_alike(seed, classes):
    """The differences of the columns of one copy of W for each class, written out."""
    workload = matrix.Workload.of(grown((3, 2), 3, 1, seed))
    W = np.kron(np.eye(classes), every_row(workload))
    first, second = np.triu_indices(W.shape[1], 1)
    differences = W[:, first] - W[:, second]
    direct = nuclear(differences) ** 2 / len(first) / classes
    assert matrix.nuclear_bound(workload, "replace-one", classes) == pytest.approx(direct)
    factor = matrix.least_variance(1.0)
    bound = matrix.lower_bound(workload, 1.0, "unbiased", "replace-one", classes)
    assert bound == pytest.approx(direct * factor)


def test_replace_one_with_a_laplace_strategy_is_four_times_add_remove():
    workload = matrix.Workload.of(grown((3, 2), 3, 1))
    once = matrix.lower_bound(workload, 0.5)
    assert matrix.lower_bound(workload, 0.5, neighbours="replace-one") == 4 * once
    strategy = matrix.Identity((3, 2))
    error = matrix.error(workload, strategy, 0.5, neighbours="replace-one")
    assert error == pytest.approx(4 * matrix.error(workload, strategy, 0.5)) and error >= 4 * once


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_the_ascent_closes_its_gap(neighbours):
    rng = np.random.default_rng(0)
    for _ in range(10):
        W = rng.integers(0, 3, (3, 5)).astype(float)
        found = matrix.l2_optimum(given(W), neighbours, iterations=3000, gap=1e-4)
        assert found.value <= found.upper <= found.value * 1.001
        assert found.weights.sum() == pytest.approx(1) and (found.weights >= 0).all()
        columns = W if neighbours == "add-remove" else W[:, :, None] - W[:, None, :]
        other = rng.dirichlet(np.ones(columns[0].size)) if neighbours == "add-remove" else None
        if other is not None:  # any other weights certify less
            assert nuclear(W * np.sqrt(other)) ** 2 <= found.upper * (1 + 1e-9)
    assert matrix.nuclear_bound(given(W), neighbours, 1) <= found.upper * (1 + 1e-9)


def test_differences_with_a_cell_that_no_query_asks_for():
    found = matrix.l2_optimum(given([[1.0, 0.0]]), "replace-one")
    assert found.value == pytest.approx(1.0) and len(found.weights) == 1


def test_identity_is_optimal_for_the_cells_themselves():
    """For W = I the certificate is the error of geometric noise on every cell."""
    workload = given(np.eye(7))
    assert matrix.l2_optimum(workload).value == pytest.approx(7)
    for epsilon in EPSILONS:
        bound = matrix.lower_bound(workload, epsilon, "data-independent")
        assert matrix.error(workload, matrix.Dense(np.eye(7)), epsilon, "geometric") == pytest.approx(bound)


def test_bounds_never_exceed_the_best_known_error_of_500_random_workloads():
    """The same leaves in another order are the same workload, and are searched once."""
    rng = np.random.default_rng(8)
    ratios, met = [], set()
    for case in range(500):
        levels = rng.integers(2, 4, size=rng.integers(1, 4)).tolist()
        depth, tau = int(rng.integers(1, len(levels) + 1)), int(rng.integers(1, 5))
        paths = grown(levels, tau, depth, case)
        queries = None if case % 2 else np.repeat([[0], [1]], len(levels), axis=1)
        workload = matrix.Workload.of(paths, queries)
        epsilon = float(rng.uniform(0.1, 3))
        same = tuple(levels), case % 2, *sorted(map(bytes, paths.matrix()))
        if same in met and case % 10:
            continue
        met.add(same)
        members = matrix.MEMBERS if case % 50 == 0 else ("per-tree", "merged", "identity", "marginals")
        best = matrix.select(workload, epsilon=epsilon, members=members).considered
        bound = matrix.lower_bound(workload, epsilon)
        ratios.append(bound / min(best.values()))
        if case % 10:
            continue
        noise = matrix.select(workload, mechanism="geometric", epsilon=epsilon, members=members).considered
        unbiased = [matrix.lower_bound(workload, epsilon, w) for w in ("unbiased", "occupied", "data-independent")]
        assert max(unbiased) <= min(noise.values()) * (1 + 1e-9)
    assert len(met) > 200
    assert max(ratios) <= 1 + 1e-9 and max(ratios) > 0.999 and min(ratios) < 0.8


def test_a_program_over_all_releases_in_three_cells():
    W = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]])
    sets, grid = np.vstack([np.zeros(3), np.eye(3)]), range(-7, 9)
    outputs = np.array(list(itertools.product(grid, repeat=2)))
    truth = programs.least_error(sets @ W.T, outputs, [(0, 1), (0, 2), (0, 3)], 1.5)
    bound = matrix.l2_optimum(given(W)).value * matrix.least_variance(1.5)
    assert 0.8 * truth < bound <= truth


def test_a_domain_of_1e52_cells_needs_no_cells():
    paths = grown([2, 3, 4, 4] * 25, 12, 3)
    workload = matrix.Workload.of(paths)
    found = matrix.nuclear_bound(workload)
    T_gram = workload.paths.overlaps() / workload.n_cells
    direct = np.sqrt(np.maximum(np.linalg.eigvalsh(T_gram), 0)).sum() ** 2
    assert found == pytest.approx(direct, rel=1e-3)
    assert found <= matrix.unit_error(workload, matrix.member(workload, "merged"))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda w: matrix.lower_bound(w, 1.0, "gaussian"), "which must be one of"),
        (lambda w: matrix.lower_bound(w, 0.0), "epsilon must be"),
        (lambda w: matrix.lower_bound(w, 1.0, neighbours="swap"), "neighbours must be"),
        (lambda w: matrix.nuclear_bound(w, classes=0), "classes must be"),
        (lambda w: matrix.l2_optimum(w, iterations=0), "iterations must be"),
        (lambda w: matrix.l2_optimum(given(np.eye(100)), "replace-one"), "4,950 differences"),
        (lambda w: matrix.l2_optimum(given([[1.0, 1.0]]), "replace-one"), "changes nothing"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call(given(np.eye(2)))


def test_too_many_columns(monkeypatch):
    monkeypatch.setattr("dplit.matrix.bounds.MOST_COLUMNS", 3)
    with pytest.raises(ValueError, match="4 columns to weigh, at most 3"):
        matrix.l2_optimum(given(np.eye(4)))
