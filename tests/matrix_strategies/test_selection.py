"""Errors in absolute units, geometric noise, and the best of the portfolio."""

import numpy as np
import pytest

from dplit import matrix, mechanisms
from tests.matrix_strategies.forests import grown, small


@pytest.mark.parametrize("scale", [0.05, 0.5, 1.0, 3.0, 40.0])
def test_variances_of_the_noise_by_summation(scale):
    z = np.arange(-4000, 4001)
    law = mechanisms.Geometric(1 / scale).pmf(z)
    assert matrix.noise_variance(scale, "geometric") == pytest.approx(law @ z**2, rel=1e-9)
    assert matrix.noise_variance(scale) == 2 * scale**2
    assert matrix.noise_variance(0.0, "geometric") == matrix.noise_variance(1e-9, "geometric") == 0


@pytest.mark.parametrize("seed", range(10))
def test_errors_in_absolute_units(seed):
    levels, T, leaves, _, _ = small(seed)
    cells = matrix.Identity(levels)
    unit = matrix.unit_error(leaves, cells)
    assert unit == pytest.approx((T**2).sum())
    assert matrix.error(leaves, cells, 2.0) == pytest.approx(unit / 2)
    two = matrix.error(leaves, cells, 2.0, neighbours="replace-one")
    assert two == pytest.approx(4 * unit / 2)
    geometric = matrix.error(leaves, cells, 2.0, "geometric")
    assert geometric / (unit / 2) == pytest.approx(1 / np.sinh(1) ** 2)
    weighted = matrix.Dense(np.eye(T.shape[1]) / 2, levels)
    assert matrix.fitting(weighted, "geometric") == "laplace"
    same = matrix.error(leaves, weighted, 2.0, "laplace")
    assert matrix.error(leaves, weighted, 2.0, "geometric") == pytest.approx(same)


def tiny(number):
    """Leaves or votes of a random forest on two or three columns, or a matrix of small numbers."""
    rng = np.random.default_rng(number)
    if number % 3 == 2:
        return matrix.Workload.of_matrix(rng.integers(-1, 3, size=rng.integers(1, 5, size=2)))
    levels = tuple(rng.integers(2, 4, size=rng.integers(2, 4)).tolist())
    found = grown(levels, int(rng.integers(1, 7)), int(rng.integers(1, 3)), number)
    queries = np.column_stack([rng.integers(0, n, 4) for n in levels]) if number % 3 else None
    return matrix.Workload.of(found, queries, levels)


def test_the_best_of_1000_workloads_is_never_worse_than_a_member():
    """Each member's error anew, by least squares on the matrix that it measures of every cell."""
    quick = [m for m in matrix.MEMBERS if m not in ("marginals", "p-identity")]
    for number in range(1000):
        workload = tiny(number)
        members = matrix.MEMBERS if number % 50 < 3 else quick
        mechanism = ("laplace", "geometric")[number % 2]
        best = matrix.select(workload, mechanism=mechanism, members=members, epsilon=1.5)
        mine = matrix.error(workload, best, 1.5, mechanism)
        assert mine == min(best.considered.values()) == best.considered[best.name]
        W = workload.matrix()[workload.place]
        scale = 1 / 1.5 if mechanism == "laplace" else 0.5 / np.sinh(0.75)
        cells = (W**2).sum() * (2 * scale**2)
        assert mine <= cells * (1 + 1e-12) and best.considered["identity"] == pytest.approx(cells)


@pytest.mark.parametrize("target", matrix.TARGETS)
@pytest.mark.parametrize("seed", range(3))
def test_the_portfolio_is_searched_for_its_target(seed, target):
    _, _, leaves, _, _ = small(seed)
    best = matrix.select(leaves, target=target)
    others = {n: matrix.member(leaves, n, target) for n in matrix.portfolio(leaves)}
    errors = {n: matrix.error(leaves, s, 1.0, target=target) for n, s in others.items()}
    assert best.considered == pytest.approx(errors)
    assert min(errors.values()) == pytest.approx(errors[best.name])


def test_disjoint_training_is_not_selected_for_its_noise_alone():
    """With geometric noise its noise is the least, but the draw of the trees adds 15 times a leaf's records."""
    levels = (3,) * 12
    leaves = matrix.Workload.of(grown(levels, 16, 2, 0), n_levels=levels)
    asked = {"mechanism": "geometric", "epsilon": 4.0}
    names = ("per-tree", "weighted", "merged")
    unasked = [name for name in matrix.portfolio(leaves) if name in (*names, "disjoint")]
    assert unasked == list(names)
    best = matrix.select(leaves, members=(*names, "disjoint"), **asked)
    assert best.name == "disjoint"  # asked for, its noise is all that is counted
    drawn = best.drawn(np.full(16 * 9, 1000 / 9)).sum()
    others = [error for name, error in best.considered.items() if name != "disjoint"]
    assert best.considered["disjoint"] < min(others) < best.considered["disjoint"] + drawn


def test_one_tree_many_trees_and_a_wide_domain():
    car = (4, 4, 4, 3, 3, 3)
    for tau, depth, expected in ((1, 4, "per-tree"), (12, 4, "identity"), (64, 2, "marginals")):
        workload = matrix.Workload.of(grown(car, tau, depth, 0), n_levels=car)
        assert matrix.select(workload).name == expected


def test_a_given_matrix_has_no_trees():
    workload = matrix.Workload.of_matrix([[1, 1, 0], [0, 1, 1]])
    best = matrix.select(workload)
    assert set(best.considered) == {"identity", "p-identity"} and best.considered["identity"] == 8
    assert matrix.member(workload, "merged") is None


def test_bad_input_is_named():
    workload = matrix.Workload.of_matrix(np.eye(2))
    for wrong, message in (
        ({"mechanism": "gauss"}, "mechanism must be one of"),
        ({"target": "trees"}, "target must be one of"),
        ({"members": ["best"]}, "(name|members) must be one of"),
        ({"epsilon": 0.0}, "epsilon must be"),
    ):
        with pytest.raises(ValueError, match=message):
            matrix.select(workload, **wrong)
