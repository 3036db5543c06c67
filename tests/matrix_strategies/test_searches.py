"""Searches for weights: exact errors, gradients by differences, conditions of a local optimum, covers."""

import itertools

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from dplit import matrix
from dplit.matrix.strategies import designs, p_identity, spectrum
from dplit.matrix.strategies.p_identity import LeafGram
from tests.matrix_strategies.forests import grown, small
from tests.matrix_strategies.test_members import least_squares, norm, stacked

CAR = (4, 4, 4, 3, 3, 3)


def unit_error(W, A):
    return norm(A) ** 2 * (least_squares(W, A) ** 2).sum()


@pytest.mark.parametrize("target", matrix.TARGETS)
@pytest.mark.parametrize("seed", range(4))
def test_masses_are_squared_projections(seed, target):
    """Projections on functions of the columns U that sum to 0 in each, as products of matrices."""
    levels, T, leaves, _, _ = small(seed)
    W = T if target == "leaves" else T.T @ T / np.sqrt(T.shape[1])
    found = matrix.strategies.spectrum.masses(leaves, target)
    for k in range(len(levels) + 1):
        for u in itertools.combinations(range(len(levels)), k):
            P = np.ones((1, 1))
            for j, n in enumerate(levels):
                mean = np.full((n, n), 1 / n)
                P = np.kron(P, np.eye(n) - mean if j in u else mean)
            assert found.get(u, 0.0) == pytest.approx(((W @ P) ** 2).sum(), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_optimised_marginals_have_the_error_that_they_state(seed):
    levels, T, leaves, _, _ = small(seed)
    best = matrix.optimise_marginals(leaves)
    A = stacked(best)
    assert matrix.unit_error(leaves, best) == pytest.approx(unit_error(T, A))
    assert unit_error(T, A) <= unit_error(T, np.eye(T.shape[1])) * (1 + 1e-6)
    votes = matrix.optimise_marginals(leaves, "votes")
    for other in (best, matrix.Identity(levels)):
        room = 1 + 1e-3  # a local optimum
        mine = matrix.unit_error(leaves, votes, "votes")
        assert mine <= matrix.unit_error(leaves, other, "votes") * room


def test_gradients_by_differences():
    rng = np.random.default_rng(0)
    table, scale = rng.integers(0, 3, (6, 5)) + np.eye(6, 5), rng.random(6)
    table[5] += 1.0
    logs = rng.normal(size=5)
    value, slope = designs.objective(logs, table, scale)
    assert value == pytest.approx(np.log(designs.cost(np.exp(logs), table, scale)))
    found = approx_fprime(logs, lambda x: designs.objective(x, table, scale)[0], 1e-7)
    assert slope == pytest.approx(found, abs=1e-5)
    W, theta = rng.normal(size=(9, 7)), rng.random((3, 7))
    value, slope = p_identity.loss(theta, W.T @ W)
    A = np.vstack([np.eye(7), theta]) / (1 + theta.sum(axis=0))
    assert value == pytest.approx(unit_error(W, A))
    flat = lambda x: p_identity.loss(x.reshape(3, 7), W.T @ W)[0]  # noqa: E731
    assert slope.ravel() == pytest.approx(approx_fprime(theta.ravel(), flat, 1e-7), rel=1e-4)


def test_a_p_identity_strategy_is_a_local_optimum():
    """No small step that keeps the entries at 0 or above gains; prefix sums are its textbook case."""
    W = np.tril(np.ones((16, 16)))
    workload = matrix.Workload.of_matrix(W)
    best = matrix.optimise_p(workload, 4, starts=4)
    value = matrix.unit_error(workload, best)
    assert value == pytest.approx(unit_error(W, stacked(best)))
    assert value < 0.8 * unit_error(W, np.eye(16))
    merged = workload.columns().matrix
    _, slope = p_identity.loss(best.theta, merged.T @ merged)
    free = best.theta > 1e-3
    assert abs(slope[free]).max() < 1e-2 * value and slope[~free].min() > -1e-2 * value


def test_three_sets_of_four_columns_cover_all_pairs_of_car():
    """The search finds what listing all covers by three sets finds, or better: about half the cells' error."""
    for seed in range(3):
        workload = matrix.Workload.of(grown(CAR, 128, 2, seed), n_levels=CAR)
        mass = spectrum.masses(workload)
        fours = list(itertools.combinations(range(6), 4))
        table = spectrum.eigenvalues(fours, list(mass), np.array(CAR))
        listed = min(
            designs.cost(np.isin(range(15), three).astype(float), table, np.array([*mass.values()]))
            for three in itertools.combinations(range(15), 3)
        )
        best = matrix.optimise_marginals(workload)
        cells = matrix.unit_error(workload, matrix.Identity(CAR))
        assert matrix.unit_error(workload, best) <= listed < 0.52 * cells
        assert all(any({a, b} <= set(s) for s in best.shares) for a, b in itertools.combinations(range(6), 2))


def test_equal_weights_are_whole_counts():
    workload = matrix.Workload.of(grown(CAR, 30, 6, 0), n_levels=CAR)
    best = matrix.optimise_marginals(workload)
    assert best.integer and best.shares == {tuple(range(6)): 1.0}
    unequal = matrix.Marginals({(0,): 1.0, (1,): 3.0}, CAR)
    assert not unequal.integer and unequal.shares == {(0,): 0.25, (1,): 0.75} and unequal.norm == 1


def test_a_wide_domain_has_candidates_beyond_the_tested_sets():
    levels = (2,) * 20
    workload = matrix.Workload.of(grown(levels, 6, 3, 0), n_levels=levels)
    spaces = spectrum.spaces_of(workload)
    sets = designs.candidates(spaces, levels)
    assert {(), tuple(sorted({j for u in spaces for j in u}))} <= set(sets)
    assert any(len(s) > 3 for s in sets) and len(sets) == len(set(sets))
    best = matrix.optimise_marginals(workload)
    assert matrix.unit_error(workload, best) < matrix.unit_error(workload, matrix.Identity(levels))


def test_bad_input_is_named():
    workload = matrix.Workload.of_matrix(np.eye(2))
    with pytest.raises(ValueError, match="p must be an integer of at least 1"):
        matrix.optimise_p(workload, 0)
    with pytest.raises(ValueError, match="target must be one of"):
        matrix.optimise_marginals(workload, "trees")


def gram_of(leaves):
    """W'W of the leaves' distinct columns, and the region of each cell, from the matrix."""
    merged = leaves.columns()
    return merged.matrix.T @ (leaves.multiplicity[:, None] * merged.matrix), merged.place


@pytest.mark.parametrize("seed", range(4))
def test_products_with_leaf_numbers_are_those_with_the_matrix(seed):
    _, _, leaves, _, _ = small(seed)
    gram, place = gram_of(leaves)
    ours, rng = LeafGram.of(leaves, place), np.random.default_rng(seed)
    theta = rng.random((3, len(gram)))
    assert np.allclose(theta @ ours, theta @ gram) and ours.shape == gram.shape
    assert np.allclose(ours.diagonal(), gram.diagonal())
    assert ours.trace() == pytest.approx(np.trace(gram))
    for mine, theirs in zip(p_identity.loss(theta, ours), p_identity.loss(theta, gram)):
        assert np.allclose(mine, theirs)
    cells = np.eye(leaves.n_cells) @ LeafGram.of(leaves)
    assert np.allclose(cells, gram[np.ix_(place, place)])


def test_wide_domains_are_searched_without_their_matrix(monkeypatch):
    """The same numbers whether or not the matrix may be made, and an optimum as good."""
    _, _, leaves, _, _ = small(5)
    gram, place = gram_of(leaves)
    rng = np.random.default_rng(0)
    strategy = matrix.PIdentity(rng.random((2, len(gram))), place, leaves.boxes.n_levels)
    coarse = matrix.PIdentity(np.zeros((0, 1)), np.zeros(len(place), int), leaves.boxes.n_levels)
    measured = rng.random((len(gram) + 2, 2))
    dense = strategy.variances(leaves), strategy.answer(leaves, measured)
    best = matrix.unit_error(leaves, matrix.optimise_p(leaves, 3))
    monkeypatch.setattr(p_identity, "MOST_CELLS", 0)
    assert np.allclose(strategy.variances(leaves), dense[0])
    assert np.allclose(strategy.answer(leaves, measured), dense[1])
    assert np.isinf(coarse.variances(leaves)).all()
    found = matrix.optimise_p(leaves, 3)
    assert matrix.unit_error(leaves, found) == pytest.approx(best, rel=0.02)
