"""Gaussian noise: its calibration by mpmath, the best marginals by a descent over all strategies, and draws."""

import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize

from dplit import matrix
from dplit.court import claims
from dplit.court.claims.runs import m_rf_gaussian
from tests.matrix_strategies.forests import grown, records, routed

LEVELS = (3, 2, 2)
EPSILONS = [0.05, 1.0, 6.0]


def least_delta(epsilon, scale):
    """The hockey-stick divergence of two normal laws that are 1 apart, integrated with thirty digits."""
    with mpmath.workdps(30):
        epsilon, s = mpmath.mpf(epsilon), mpmath.mpf(scale)
        start = mpmath.mpf(1) / 2 + epsilon * s**2  # where the densities' ratio is exp(epsilon)
        more = lambda x: mpmath.npdf(x, 1, s) - mpmath.exp(epsilon) * mpmath.npdf(x, 0, s)  # noqa: E731
        return float(mpmath.quad(more, [start, start + 2 * s, start + 8 * s, start + 40 * s]))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.2])
def test_the_scale_is_the_least_one(epsilon, delta):
    s = matrix.gaussian_scale(epsilon, delta)
    assert least_delta(epsilon, s) == pytest.approx(delta, rel=1e-8)
    assert matrix.gaussian_delta(epsilon, s) <= delta < matrix.gaussian_delta(epsilon, s * 0.9999)


@pytest.mark.parametrize("scale", [0.2, 1.0, 30.0])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_delta_is_the_divergence(epsilon, scale):
    exact = least_delta(epsilon, scale)
    assert matrix.gaussian_delta(epsilon, scale) == pytest.approx(exact, rel=1e-8, abs=1e-30)


@pytest.mark.parametrize(("epsilon", "delta"), [(1e5, 1e-6), (1e5, 1e-300), (1e6, 0.5), (1e-5, 1e-9)])
def test_the_scale_far_from_one(epsilon, delta):
    """Against the integral of the density times 1 - exp(-t), t the log of the ratio beyond epsilon."""
    s = matrix.gaussian_scale(epsilon, delta)
    cut = 0.5 + epsilon * s**2

    def integrand(z):  # z: distance above the cut in deviations
        return np.exp(-((cut - 1 + s * z) ** 2) / (2 * s**2) - np.log(delta)) * -np.expm1(-z / s)

    far = 40 / max(1.0, (cut - 1) / s)
    ratio = quad(integrand, 0, far, limit=400, epsabs=0, points=[min(far, 10 * s)])[0] / np.sqrt(2 * np.pi)
    assert ratio == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("name", ["identity", "per-tree", "merged"])
def test_l2_sensitivity_is_the_largest_column(name):
    workload = matrix.Workload.of(grown(LEVELS, 5, 2, 1), n_levels=LEVELS)
    strategy = matrix.member(workload, name)
    moved = [np.linalg.norm(strategy.measure([cell], [0], 2).astype(float)) for cell in np.ndindex(*LEVELS)]
    assert matrix.l2_sensitivity(strategy) == pytest.approx(max(moved))
    epsilon, delta = 0.7, 1e-5
    A = np.array([strategy.measure([cell], [0], 1)[:, 0] for cell in np.ndindex(*LEVELS)]).T
    X = workload.matrix()[workload.place] @ np.linalg.pinv(A)
    if name == "per-tree":  # each leaf from its own count, without least squares
        X = np.eye(len(A))
    expected = (max(moved) * matrix.gaussian_scale(epsilon, delta)) ** 2 * (X**2).sum()
    assert matrix.gaussian_error(workload, strategy, epsilon, delta) == pytest.approx(expected)


# The best marginals ------------------------------------------------------------------------------


def whole_marginals(levels, sets):
    """The workload of all cells of some marginals."""
    rows, tree = [], []
    for t, columns in enumerate(sets):
        for at in np.ndindex(*(levels[j] for j in columns)):
            row = [np.ones(n, dtype=bool) for n in levels]
            for j, level in zip(columns, at):
                row[j] = np.arange(levels[j]) == level
            rows.append(np.concatenate(row))
            tree.append(t)
    return matrix.Workload.of(matrix.Paths(np.array(rows), np.array(levels), np.array(tree)))


def least_error(W, starts=3):
    """The least error of all strategies of column norms 1, by descent over n x n matrices."""
    n, G = W.shape[1], W.T @ W

    def loss(flat):
        B = flat.reshape(n, n)
        norms = np.linalg.norm(B, axis=0)
        A = B / norms
        inverse = np.linalg.inv(A.T @ A)
        slope = -2 * A @ inverse @ G @ inverse
        slope = (slope - A * (A * slope).sum(axis=0)) / norms
        return float((inverse * G).sum()), slope.ravel()

    rng = np.random.default_rng(0)
    found = [
        minimize(loss, (np.eye(n) + 0.2 * rng.normal(size=(n, n))).ravel(), jac=True,
                 method="L-BFGS-B", options={"maxiter": 3000, "ftol": 1e-13})
        for _ in range(starts)
    ]  # fmt: skip
    return min(each.fun for each in found)


@pytest.mark.parametrize("sets", [[(0, 1, 2)], [(0, 1, 2), (0, 1), (2,)], [(0, 1, 2), (1, 2), (1,), (1, 2)]])
def test_no_strategy_is_better_for_whole_marginals(sets):
    """The judge knows no marginals: all strategies compete, of which one reaches the formula."""
    workload = whole_marginals(LEVELS, sets)
    W = np.sqrt(workload.multiplicity)[:, None] * workload.matrix()
    assert matrix.GaussianMarginals(workload).optimum == pytest.approx(least_error(W), rel=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_the_error_is_that_of_a_matrix_and_between_the_bounds(seed):
    workload = matrix.Workload.of(grown(LEVELS, 4, 2, seed), n_levels=LEVELS)
    best, W = matrix.GaussianMarginals(workload), workload.matrix()
    A = m_rf_gaussian.dense_strategy(best)
    assert np.allclose((A**2).sum(axis=0), 1)
    variances = ((W @ np.linalg.pinv(A, rcond=1e-9)) ** 2).sum(axis=1)
    assert np.allclose(best.variances(workload), variances)
    assert variances @ workload.multiplicity == pytest.approx(best.optimum)
    assert matrix.nuclear_bound(workload) <= best.optimum * (1 + 1e-9)
    error = matrix.gaussian_error(workload, best, 1.0, 1e-6)
    assert error == pytest.approx(best.optimum * matrix.gaussian_scale(1.0, 1e-6) ** 2)
    for weights in np.random.default_rng(seed).dirichlet(np.ones(len(best.spaces)), 20):
        other = weights / best._density(best.spaces)  # another strategy of column norm 1
        assert np.array([*best.masses.values()]) @ (1 / other) >= best.optimum * (1 - 1e-9)


def test_drawn_errors_are_the_expected_ones():
    """2,000 releases: unbiased, and the squared errors' mean within six standard errors of the formula."""
    forest, rng = grown(LEVELS, 3, 2, 0), np.random.default_rng(1)
    workload = matrix.Workload.of(forest, n_levels=LEVELS)
    codes, classes = records(LEVELS, 60, 2), np.arange(60) % 2
    exact = routed(forest, codes).T @ np.eye(2)[classes]
    best, given = matrix.GaussianMarginals(workload), (1.0, 1e-3)
    drawn = np.array([
        best.answer(workload, best.release(codes, classes, 2, *given, rng=rng))[workload.place]
        for _ in range(2000)
    ])  # fmt: skip
    off = drawn - exact
    squared = (off**2).sum(axis=(1, 2))
    expected = 2 * matrix.gaussian_error(workload, best, *given)
    assert abs(squared.mean() - expected) < 6 * squared.std() / 2000**0.5
    assert (abs(off.mean(axis=0)) < 6 * off.std(axis=0) / 2000**0.5).all()


def test_the_domain_is_never_made():
    levels = (2,) * 60
    workload = matrix.Workload.of(grown(levels, 6, 2, 0), n_levels=levels)
    best = matrix.GaussianMarginals(workload)
    codes = records(levels, 30, 3)
    released = best.release(codes, np.zeros(30, dtype=int), 1, 50.0, 0.5, rng=np.random.default_rng(0))
    found = best.answer(workload, released)[:, 0]
    exact = workload.boxes.reached(codes).sum(axis=0)
    spread = matrix.gaussian_scale(50.0, 0.5) * np.sqrt(best.variances(workload))
    assert (abs(found - exact) < 6 * spread).all() and spread.max() < 15


def test_bad_input_is_named():
    workload = matrix.Workload.of(grown(LEVELS, 2, 2, 0), n_levels=LEVELS)
    for delta in (0, 1, -1.0, math.nan):
        with pytest.raises(ValueError, match="delta must be a number between 0 and 1"):
            matrix.gaussian_scale(1.0, delta)
    with pytest.raises(ValueError, match="epsilon must be finite"):
        matrix.gaussian_scale(math.inf, 1e-6)
    with pytest.raises(ValueError, match="scale must be a positive finite number"):
        matrix.gaussian_delta(1.0, 0.0)
    with pytest.raises(ValueError, match="strategy must have entries of 0 and 1"):
        matrix.l2_sensitivity(matrix.optimise_marginals(workload))
    with pytest.raises(ValueError, match="workload must be about the strategy's domain"):
        other = matrix.Workload.of(grown((3, 3), 2, 2, 0), n_levels=(3, 3))
        matrix.GaussianMarginals(workload).variances(other)


# The claims ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "expected"), [(0.999, "fails"), (1.0, "holds"), (1.001, "fails")])
def test_another_scale_is_noticed(monkeypatch, factor, expected):
    exact = matrix.gaussian_scale
    monkeypatch.setattr(matrix, "gaussian_scale", lambda *a: factor * exact(*a))
    here = claims.of("matrix_forest_experiments")
    assert here["m-rf/ours/gaussian-calibration"].check().verdict == expected


def test_other_weights_are_noticed(monkeypatch):
    here = claims.of("matrix_forest_experiments")["m-rf/ours/gaussian-marginals"]
    assert here.check().verdict == "holds"
    density = matrix.GaussianMarginals._density
    monkeypatch.setattr(matrix.GaussianMarginals, "_density", lambda self, spaces: 1.01 * density(self, spaces))
    assert here.check().verdict == "fails"
