"""K-norm noise: its norm by linear programs, its covariance by other integrals, its draws by their laws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dplit import Categorical, Domain, matrix, trees
from dplit.court.claims.matrix_bounds import forests
from dplit.court.claims.matrix_bounds.optimal import TENNIS, program_norm
from dplit.matrix import treenorm

SHAPES = {
    "tennis": TENNIS.astype(float),
    "hexagon": np.eye(3) - 1 / 3,
    "line": np.array([[1.0, 2.0, 2.0], [2.0, 4.0, 4.0]]),
    "square": np.eye(2),
    "random": np.random.default_rng(3).integers(0, 3, (3, 6)).astype(float),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_norm_is_the_fewest_signed_records(name):
    W = SHAPES[name]
    noise, rng = matrix.KNorm(W, 1.0), np.random.default_rng(0)
    for y in rng.normal(size=(20, W.shape[1])) @ W.T:
        assert noise.norm(y) == pytest.approx(program_norm(W, y), rel=1e-7)
    assert noise.norm(W.T).max() == pytest.approx(1)
    assert noise.norm(np.zeros(len(W))) == 0


def test_off_the_range_nothing_is_drawn():
    noise = matrix.KNorm(TENNIS, 1.0)
    assert noise.norm([1, 0, 0, 0, 0]) == math.inf
    z = noise.sample(100, rng=np.random.default_rng(0))
    assert np.allclose(z[:, :3].sum(axis=1), z[:, 3:].sum(axis=1))  # both trees hold as many records
    assert np.isfinite(noise.norm(z)).all()


@pytest.mark.parametrize("name", SHAPES)
def test_privacy_by_the_density(name):
    W, rng = SHAPES[name], np.random.default_rng(1)
    noise = matrix.KNorm(W, 0.7)
    z = noise.sample(200, rng=rng)
    for w in W.T:
        assert (0.7 * abs(noise.norm(z) - noise.norm(z - w)) <= 0.7 * (1 + 1e-9)).all()


def test_tennis_exactly_from_the_slices_of_its_cross_polytopes():
    """K is all (y, z) of three and two leaves with equal sums s and L1 norms of at most 1, an integral over s.

    In three leaves the area of the slice, and in two its length, are found by counting signs: with one
    negative leaf of size b >= 0 the others add up to s + b.
    """
    s, ws = np.polynomial.legendre.leggauss(20)
    s, ws = (s + 1) / 2, ws / 2  # by symmetry, s from 0 to 1
    volume = second = 0.0
    for sum_, weight in zip(s, ws):
        three, two = slice_moments(3, sum_), slice_moments(2, sum_)
        volume += weight * three[0] * two[0]
        second += weight * (three[1] * two[0] + three[0] * two[1])
    noise = matrix.KNorm(TENNIS, 1.0)
    assert 5 * 6 * second / volume == pytest.approx(18.5)
    assert noise.error == pytest.approx(18.5, rel=1e-12) and noise.dimension == 4


def slice_moments(m, s):
    """Volume, up to a factor, and integral of |y|^2 over the y with m entries, sum s and L1 norm at most 1."""
    b, wb = np.polynomial.legendre.leggauss(20)
    b, wb = (b + 1) / 2 * (1 - s) / 2, wb / 2 * (1 - s) / 2
    volume = second = 0.0
    for j in range(1, m + 1):  # positive entries, of sum s + b; m - j negative ones, of sum b
        ways, a = math.comb(m, j), s + b
        square = lambda total, k: total**2 * 2 / (k + 1) if k else 0 * total  # noqa: E731
        if j == m:
            part = s ** (m - 1) / math.factorial(m - 1)
            volume, second = volume + part, second + part * square(s, m)
            continue
        k = m - j
        part = ways * wb * a ** (j - 1) / math.factorial(j - 1) * b ** (k - 1) / math.factorial(k - 1)
        volume += part.sum()
        second += (part * (square(a, j) + square(b, k))).sum()
    return volume, second


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_known_shapes(epsilon):
    square = matrix.KNorm(np.eye(2), epsilon)  # a cross-polytope: two Laplace numbers
    assert np.allclose(square.covariance, 2 / epsilon**2 * np.eye(2)) and math.isclose(square.volume, 2)
    cube = matrix.KNorm(np.array(list(itertools.product((-1, 1), repeat=3))).T, epsilon)
    assert np.allclose(cube.covariance, 4 * 5 / 3 / epsilon**2 * np.eye(3))
    assert cube.volume == pytest.approx(8)
    line = matrix.KNorm([[3.0]], epsilon)
    assert line.error == pytest.approx(2 * 9 / epsilon**2) and math.isclose(line.volume, 6)
    hexagon = matrix.KNorm(SHAPES["hexagon"], epsilon)
    assert hexagon.error == pytest.approx(float(Fraction(10, 3)) / epsilon**2)


@pytest.mark.parametrize("name", SHAPES)
def test_draws_have_the_law(name):
    noise, draws = matrix.KNorm(SHAPES[name], 0.8), 40_000
    z = noise.sample(draws, rng=np.random.default_rng(5))
    d = noise.dimension
    assert stats.kstest(noise.norm(z), stats.gamma(d, scale=1 / 0.8).cdf).pvalue > 1e-6
    found, sigma = z.T @ z / draws, np.sqrt(np.outer(noise.variances, noise.variances))
    assert (abs(found - noise.covariance) < 8 * 4 * sigma / math.sqrt(draws)).all()


def test_a_direction_is_uniform_in_the_body():
    """Halves of the hexagon that a line through 0 cuts, and those parts beyond half the norm."""
    noise = matrix.KNorm(SHAPES["hexagon"], 1.0)
    z = noise.sample(20_000, rng=np.random.default_rng(2))
    sector = np.argmax(np.column_stack([z, -z]), axis=1)  # six alike
    assert stats.chisquare(np.bincount(sector)).pvalue > 1e-6


@pytest.mark.parametrize("sizes", [[4], [3, 2], [2, 2, 2], [1, 5]])
def test_blocks(sizes):
    noise, draws = matrix.BlockNorm(sizes, 0.6), 60_000
    z = noise.sample(draws, rng=np.random.default_rng(4))
    d = sum(sizes)
    assert noise.dimension == d == z.shape[1]
    assert stats.kstest(noise.norm(z), stats.gamma(d, scale=1 / 0.6).cdf).pvalue > 1e-6
    expected = np.concatenate([[2 * (d + 1) * (d + 2) / (m + 1) / (m + 2) / 0.36] * m for m in sizes])
    assert np.allclose(noise.variances, expected)
    assert (abs((z**2).mean(axis=0) / expected - 1) < 0.15).all()
    parts = np.split(z, np.cumsum(sizes)[:-1], axis=1)
    assert np.allclose(noise.norm(z), np.max([abs(p).sum(axis=1) for p in parts], axis=0))


def test_blocks_are_the_k_norm_of_their_corners():
    """The body of three and two leaves is the hull of all pairs of corners of two cross-polytopes."""
    cross = lambda m: np.vstack([np.eye(m), -np.eye(m)])  # noqa: E731
    corners = np.array([np.concatenate(pair) for pair in itertools.product(cross(3), cross(2))]).T
    hull, blocks = matrix.KNorm(corners, 1.0), matrix.BlockNorm([3, 2], 1.0)
    assert np.allclose(hull.variances, blocks.variances)
    assert hull.error == pytest.approx(blocks.error)


def test_one_tree_is_laplace_noise_and_two_are_less():
    assert np.allclose(matrix.BlockNorm([6], 1.0).variances, 2.0)
    for tau, m in itertools.product((2, 5, 40), (2, 7, 30)):
        assert matrix.BlockNorm([m] * tau, 1.0).variances[0] < 2 * tau**2


def test_trees_of_very_unequal_sizes_may_lose():
    """By hand: 23 * 24 = 552, and 2 * (2 * 552/12 + 20 * 552/(21 * 22)) is above 2 * 4 * 22 = 176."""
    assert matrix.BlockNorm([2, 20], 1.0).error == pytest.approx(184 + 40 * 552 / 462)
    assert matrix.BlockNorm([2, 20], 1.0).error > 176 > matrix.TreeNorm([2, 20], 1.0).error
    assert matrix.TreeNorm([2, 50], 1.0).error > 2 * 4 * 52


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: matrix.KNorm(np.zeros((2, 2)), 1.0), "not all 0"),
        (lambda: matrix.KNorm([[np.nan]], 1.0), "finite"),
        (lambda: matrix.KNorm(np.eye(9), 1.0), "rank of at most 8, got 9"),
        (lambda: matrix.KNorm(np.eye(2), -1.0), "epsilon must be"),
        (lambda: matrix.BlockNorm([2, 0], 1.0), "sizes must be"),
        (lambda: matrix.BlockNorm([2.5], 1.0), "sizes must be"),
        (lambda: matrix.BlockNorm([2], 1.0).sample(-1, rng=np.random.default_rng(0)), "size must be"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_randomness_is_explicit():
    noise = matrix.BlockNorm([2, 3], 1.0)
    again = [noise.sample(3, rng=np.random.default_rng(1)) for _ in range(2)]
    assert np.array_equal(*again)
    with pytest.raises(TypeError, match="rng"):
        noise.sample(3, rng=0)


# Trees that agree ---------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [[3, 2], [2, 2, 2], [4, 3], [1, 3], [5], [3, 3, 2], [1], [2] * 6])
def test_tree_norm_is_the_k_norm_of_trees_on_disjoint_columns(sizes):
    hull, ours = matrix.KNorm(forests.hull(sizes), 0.9), matrix.TreeNorm(sizes, 0.9)
    assert ours.dimension == hull.dimension
    assert np.allclose(ours.variances, hull.variances)
    z, draws = ours.sample(30_000, rng=np.random.default_rng(1)), 30_000
    assert np.allclose(ours.norm(z[:200]), hull.norm(z[:200]))
    law = stats.gamma(hull.dimension, scale=1 / 0.9)
    assert stats.kstest(ours.norm(z), law.cdf).pvalue > 1e-6
    found, sigma = z.T @ z / draws, np.sqrt(np.outer(hull.variances, hull.variances))
    assert (abs(found - hull.covariance) < 8 * 4 * sigma / math.sqrt(draws)).all()


@pytest.mark.parametrize("m", [2, 3, 5, 9])
def test_slices_by_counting_signs(m):
    """The volume of a slice up to one factor for all sums, and the mean square of a leaf."""
    sums = np.linspace(0.01, 0.99, 9)
    other = np.array([slice_moments(m, s) for s in sums])
    ours = np.exp(treenorm.log_slice(m, sums)).sum(axis=0)
    assert np.allclose(ours / ours[0], other[:, 0] / other[0, 0])
    (squares,) = treenorm._mean_squares([m], sums, treenorm._log_volumes(m + 1, sums))
    assert np.allclose(squares, other[:, 1] / other[:, 0] / m)


def test_tree_norm_of_a_published_forest():
    """128 trees: variances by draws, below block noise and Laplace noise for each tree."""
    for sizes in ([27] * 128, [144, 48, 64] * 4):
        ours, blocks = matrix.TreeNorm(sizes, 1.0), matrix.BlockNorm(sizes, 1.0)
        z = ours.sample(400, rng=np.random.default_rng(3))
        assert (z**2).sum(axis=1).mean() == pytest.approx(ours.error, rel=0.1)
        assert ours.error < blocks.error
    assert matrix.TreeNorm([27] * 128, 1.0).variances[0] < 0.82 * 2 * 128**2


def test_trees_that_do_not_agree_are_off_the_range():
    noise = matrix.TreeNorm([2, 3], 1.0)
    assert noise.norm([1, 0, 1, 0, 0]) == 1 and noise.norm([1, 0, 0, 0, 0]) == math.inf
    with pytest.raises(ValueError, match="sizes must be"):
        matrix.TreeNorm([], 1.0)


@pytest.mark.parametrize("sets", [[(0, 1), (1, 2)], [(0,), (1,), (2,), (0, 1)], [(0, 1, 2)], [(), (0, 1), (2,)]])
def test_least_squares_from_agreeing_marginals(sets):
    """Generalised least squares on the matrices, with the covariance of the triangulated hull."""
    levels, rng = (2, 2, 2), np.random.default_rng(6)
    domain = Domain([Categorical(range(2))] * 3)
    grown = trees.grow_random_trees(domain, 3, 1, rng=rng)
    workload = matrix.Workload.of(grown, n_levels=levels)
    codes = np.array(list(np.ndindex(levels)))
    A = []
    for columns in sets:
        rows = codes[:, list(columns)]
        A += [(rows == level).all(axis=1) for level in np.ndindex(*[2] * len(columns))]
    A, sizes = np.array(A, dtype=float), [2 ** len(columns) for columns in sets]
    precision = A.T @ np.linalg.pinv(matrix.KNorm(forests.hull(sizes), 0.8).covariance, rcond=1e-9) @ A
    W = np.repeat(workload.matrix(), workload.multiplicity, axis=0)
    inverse = np.linalg.pinv(precision, rcond=1e-9)
    found = matrix.agreeing_marginals(workload, sets, 0.8)
    if not np.allclose(W @ inverse @ precision, W):
        assert found == math.inf
    else:
        assert found == pytest.approx(np.trace(W @ inverse @ W.T))
