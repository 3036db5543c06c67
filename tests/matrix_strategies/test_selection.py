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


@pytest.mark.parametrize("seed", range(30))
def test_the_best_is_never_worse_than_a_member(seed):
    _, _, leaves, _, votes = small(seed)
    for workload in (leaves, votes):
        for mechanism in ("laplace", "geometric"):
            best = matrix.select(workload, mechanism=mechanism)
            mine = matrix.error(workload, best, 1.0, mechanism)
            assert mine == min(best.considered.values()) == best.considered[best.name]
            for name in matrix.MEMBERS:
                other = matrix.error(workload, matrix.member(workload, name), 1.0, mechanism)
                assert best.considered[name] == pytest.approx(other) and mine <= other


def test_one_tree_many_trees_and_a_wide_domain():
    car = (4, 4, 4, 3, 3, 3)
    for tau, depth, expected in ((1, 4, "per-tree"), (12, 4, "identity"), (64, 2, "merged")):
        workload = matrix.Workload.of(grown(car, tau, depth, 0), n_levels=car)
        assert matrix.select(workload).name == expected


def test_a_given_matrix_has_no_trees():
    workload = matrix.Workload.of_matrix([[1, 1, 0], [0, 1, 1]])
    best = matrix.select(workload)
    assert (best.name, best.considered) == ("identity", {"identity": 2 * 4})
    assert matrix.member(workload, "merged") is None


def test_bad_input_is_named():
    workload = matrix.Workload.of_matrix(np.eye(2))
    for wrong, message in (
        ({"mechanism": "gauss"}, "mechanism must be one of"),
        ({"target": "trees"}, "target must be one of"),
        ({"members": ["best"]}, "name must be one of"),
        ({"epsilon": 0.0}, "epsilon must be"),
    ):
        with pytest.raises(ValueError, match=message):
            matrix.select(workload, **wrong)
