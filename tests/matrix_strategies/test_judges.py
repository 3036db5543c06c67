"""The search for Laplace marginals, judged by another search: constrained, on the cells themselves.

Published for all pairs of Balance's four columns of five levels: a root mean squared error of 6.59 at epsilon 1,
where the cells have 7.07.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from dplit import matrix
from tests.matrix_strategies.test_gaussian import whole_marginals

BALANCE = (5, 5, 5, 5)


def marginal_grams(levels):
    """M'M of each marginal on the cells, by comparing cells: dict of columns to (n_cells, n_cells)."""
    cells = np.array(list(np.ndindex(*levels)))
    every = [s for k in range(len(levels) + 1) for s in combinations(range(len(levels)), k)]
    same = [cells[:, None, j] == cells[None, :, j] for j in range(len(levels))]
    return {s: np.logical_and.reduce([np.ones_like(same[0]), *(same[j] for j in s)]) for s in every}


def judged(levels, pairs, starts):
    """Least error of weights that sum to 1, by sequential quadratic programmes, in units of 2/epsilon^2."""
    grams = {s: g.astype(float) for s, g in marginal_grams(levels).items()}
    asked = sum(grams[s] for s in pairs)
    stacked = np.array([g.ravel() for g in grams.values()])

    def loss(theta):
        inverse = np.linalg.inv((theta**2 @ stacked).reshape(asked.shape) + 1e-9 * np.eye(len(asked)))
        slope = -2 * theta * (stacked @ (inverse @ asked @ inverse).ravel())
        return float((inverse * asked).sum()), slope

    rng, found = np.random.default_rng(0), []
    for _ in range(starts):
        first = rng.dirichlet(np.ones(len(grams)))
        found.append(
            minimize(loss, first, jac=True, method="SLSQP", bounds=[(1e-6, 1)] * len(grams),
                     constraints={"type": "eq", "fun": lambda t: t.sum() - 1, "jac": np.ones_like},
                     options={"maxiter": 200, "ftol": 1e-9}).fun
        )  # fmt: skip
    return min(found)


@pytest.mark.parametrize(("levels", "starts"), [((3, 2, 2), 20), ((3, 3, 3, 3), 20)])
def test_the_search_and_the_judge_agree(levels, starts):
    pairs = list(combinations(range(len(levels)), 2))
    workload = whole_marginals(levels, pairs)
    found = matrix.unit_error(workload, matrix.optimise_marginals(workload))
    assert found == pytest.approx(judged(levels, pairs, starts), rel=1e-3)


def test_balance_at_depth_2():
    pairs = list(combinations(range(4), 2))
    workload = whole_marginals(BALANCE, pairs)
    best, cells = matrix.optimise_marginals(workload), matrix.Identity(BALANCE)
    root = [(2 * matrix.unit_error(workload, s) / len(workload.place)) ** 0.5 for s in (best, cells)]
    assert [round(r, 2) for r in root] == [6.59, 7.07]
