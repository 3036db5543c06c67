"""Releases of a strategy: what they cost, what they draw, and what they answer."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2

from dplit import matrix
from dplit.court.audit import privacy_loss
from dplit.domain import Categorical, Domain
from dplit.mechanisms import Geometric, Laplace
from dplit.trees import grow_random_trees

LEVELS = (3, 2)


def paths(n_trees=2, depth=1, levels=LEVELS, seed=20):
    domain = Domain([Categorical(range(n)) for n in levels])
    trees = grow_random_trees(domain, n_trees, depth, rng=np.random.default_rng(seed))
    return matrix.decision_paths(trees, levels)


X = np.array([[0, 0], [0, 1], [1, 0], [2, 0], [2, 0], [2, 1]])
Y = np.array([0, 0, 1, 1, 1, 0])
NAMES = ("identity", "per-tree", "merged")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mechanism", ["geometric", "laplace"])
def test_without_noise_the_leaves_are_counted(name, mechanism):
    leaves = matrix.Workload.of(paths())
    strategy = matrix.member(leaves, name)
    answers, node = matrix.release(leaves, strategy, X, Y, 2, math.inf, mechanism, rng=np.random.default_rng(0))
    counts = np.array([[(paths().reached(X)[Y == c, leaf]).sum() for c in (0, 1)] for leaf in range(len(paths()))])
    assert np.allclose(answers[leaves.place], counts)
    assert node.epsilon == math.inf


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_the_node_says_what_the_release_costs(name, neighbours):
    leaves = matrix.Workload.of(paths())
    strategy = matrix.member(leaves, name)
    _, node = matrix.release(leaves, strategy, X, Y, 2, 0.7, "laplace", neighbours, rng=np.random.default_rng(0))
    assert (node.epsilon, node.neighbours) == (0.7, neighbours)
    gamma = {"identity": 1, "per-tree": 2, "merged": 2}[name] * (1 + (neighbours == "replace-one"))
    assert f"Laplace noise for sensitivity {gamma}" in node.mechanism and name in node.name


def test_a_strategy_that_is_not_whole_falls_back_to_laplace_and_says_so():
    strategy = matrix.Dense([[0.5, 1.0]])
    noise = matrix.noise_of(strategy, 1.0, "geometric")
    assert isinstance(noise, Laplace) and noise.sensitivity == 1.0
    _, node = matrix.measure(strategy, [[0]], [0], 1, 1.0, rng=np.random.default_rng(0))
    assert "not whole numbers" in node.mechanism
    assert isinstance(matrix.noise_of(matrix.Dense([[1, 2]]), 1.0), Geometric)


def test_of_disjoint_trees_each_record_is_in_one_leaf_of_one_tree():
    leaves = matrix.Workload.of(paths())
    disjoint = matrix.member(leaves, "disjoint")
    measured, node = matrix.measure(disjoint, X, Y, 2, math.inf, rng=np.random.default_rng(0))
    assert measured.sum(axis=0).tolist() == [3, 3] and "sensitivity 1" in node.mechanism
    first = [measured[paths().tree == 0].sum(), measured[paths().tree == 1].sum()]
    assert 0 < first[0] < 6 and sum(first) == 6


def test_a_difference_is_one_column_of_half_the_variance_of_two():
    leaves = matrix.Workload.of(paths())
    identity = matrix.member(leaves, "identity")
    exact, _ = matrix.measure(identity, X, Y, 2, math.inf, signed=True, rng=np.random.default_rng(0))
    assert exact.ravel().tolist() == [1, 1, -1, 0, -2, 1]
    both = matrix.noise_of(identity, 1.0, classes=2)
    one = matrix.noise_of(identity, 1.0, classes=2, signed=True)
    assert both.sensitivity == one.sensitivity == 1
    assert matrix.noise_of(identity, 1.0, "geometric", "replace-one", 2, True).sensitivity == 2
    with pytest.raises(ValueError, match="signed needs classes=2"):
        matrix.noise_of(identity, 1.0, classes=3, signed=True)


def test_one_unsigned_column_pays_the_difference_of_two_cells():
    strategy = matrix.Dense([[1, 1, 0], [0, 1, 1]])
    for neighbours, delta in (("add-remove", 2), ("replace-one", 2)):
        assert matrix.noise_of(strategy, 1.0, "geometric", neighbours, 1).sensitivity == delta
    law = matrix.ReleaseLaw(strategy.matrix, Geometric(1.0, 2), 1)
    assert privacy_loss(law, ((0, 0),), ((2, 0),)) == pytest.approx(1.0)


@pytest.mark.parametrize("mechanism", ["geometric", "laplace"])
def test_what_is_drawn_has_the_law(mechanism):
    """20,000 draws of a noisy cell in eleven parts; false alarm 1e-6."""
    leaves = matrix.Workload.of(paths())
    identity = matrix.member(leaves, "identity")
    rng, noise = np.random.default_rng(3), matrix.noise_of(identity, 0.8, mechanism)
    drawn = np.array([matrix.measure(identity, X, Y, 2, 0.8, mechanism, rng=rng)[0]
                      for _ in range(2000)])[:, :, 0] - [1, 1, 0, 0, 0, 1]  # fmt: skip
    edges = np.array([-np.inf, *np.arange(-4.5, 5), np.inf])
    seen = np.histogram(drawn.ravel(), np.nan_to_num(edges, posinf=1e9, neginf=-1e9))[0]
    below = np.array([0.0, *(float(noise.cdf(e)) for e in edges[1:-1]), 1.0])
    law = np.diff(below) * drawn.size
    assert chi2.sf(((seen - law) ** 2 / law).sum(), len(law) - 1) > 1e-6


def test_more_outcomes_show_no_larger_loss():
    """The two ends of each entry are enough: every whole number between them adds nothing."""
    A = np.array([[1, 2, 0], [-1, 0, 1]])
    for noise in (Geometric(1.0, 3), Laplace(1.0, 3.0)):
        two, many = (matrix.ReleaseLaw(A, noise, 1, points) for points in ((-6, 6), tuple(range(-6, 7))))
        for a, b in (((), ((1, 0),)), (((0, 0),), ((2, 0),)), (((1, 0),), ((2, 0),))):
            assert privacy_loss(two, a, b) == pytest.approx(privacy_loss(many, a, b))


def test_the_law_adds_up_to_one():
    law = matrix.ReleaseLaw([[1, 1]], Geometric(1.0), 2, tuple(range(-40, 41)))
    assert np.exp(law.logpmf(((0, 0), (1, 1)))).sum() == pytest.approx(1.0)
    assert len(law.universe) == 4
    with pytest.raises(ValueError, match="few enough rows"):
        matrix.ReleaseLaw(np.eye(9), Geometric(1.0), 2, range(20))


def test_answers_are_cut_and_shrunk():
    assert matrix.clipped([-1.5, 0, 2]).tolist() == [0, 0, 2]
    assert matrix.shrunk([-1.5, 1, 4], 1.5).tolist() == [0, 0, 2.5]
    with pytest.raises(ValueError, match="threshold must be"):
        matrix.shrunk([1.0], -1)


@pytest.mark.parametrize("count, scale, threshold", [(0, 1, 0), (0.3, 2, 1), (5, 0.5, 2), (2, 1, 2)])
def test_the_error_of_a_shrunk_count_is_its_integral(count, scale, threshold):
    law = Laplace(1.0, scale).pdf
    ends = sorted({-60.0 * scale, 0.0, threshold - count + 0.0, 60.0 * scale})
    found = sum(
        quad(lambda z: (max(count + z - threshold, 0) - count) ** 2 * law(z), a, b)[0] for a, b in pairwise(ends)
    )
    assert matrix.shrunk_error(count, scale, threshold) == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"epsilon": 0}, "epsilon must be a positive number"),
        ({"mechanism": "gauss"}, "mechanism must be one of"),
        ({"neighbours": "none"}, "neighbours must be one of"),
        ({"n_classes": 0}, "n_classes must be an integer of at least 1"),
        ({"classes": np.array([0, 0, 1, 1, 1, 2])}, "classes must be whole numbers from 0 to 1"),
        ({"codes": X + 5}, "codes must be whole numbers"),
    ],
)
def test_errors_name_what_is_wrong(change, message):
    leaves = matrix.Workload.of(paths())
    given = {"codes": X, "classes": Y, "n_classes": 2, "epsilon": 1.0} | change
    with pytest.raises(ValueError, match=message):
        matrix.release(leaves, matrix.member(leaves, "identity"), **given, rng=np.random.default_rng(0))
