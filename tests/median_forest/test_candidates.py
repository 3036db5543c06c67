"""The law of a node's split and its losses, against fractions, enumeration on cells and formulas."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dplit.claims.median_forest import candidates as counted
from dplit.mechanisms import PermuteAndFlip
from dplit.median_forest import candidates as c
from dplit.median_forest import split as attribute

HALF = Fraction(1, 2)


def test_winner_by_hand():
    """Two columns, two cuts each: P(0, first) = 1/2 (1/4 . 1/2 + 3/4 . 1/4)."""
    one = [HALF, HALF], [Fraction(1), Fraction(3)]
    two = [Fraction(1, 4), Fraction(3, 4)], [Fraction(1), Fraction(3)]
    law = c.winner_law([one, two])
    assert law[0][0] == HALF * (Fraction(1, 4) * HALF + Fraction(3, 4) * Fraction(1, 4))
    assert sum(map(sum, law)) == 1
    assert c.winner_law([one]) == [[HALF, HALF]]
    first = c.winner_law([one, two], choose=lambda odds: [1, 0])
    assert first == [[HALF, HALF], [0, 0]]


@pytest.mark.parametrize(("zeros", "ones", "columns"), [(2, 2, 2), (3, 2, 3), (1, 4, 3)])
def test_candidates_law_against_fractions(zeros, ones, columns):
    n, v, gaps = zeros + ones, Fraction(99, 100), (Fraction(1, 5), Fraction(1, 3))
    scale = n * (n - 1)
    epsilon = -2 * scale * math.log(v)
    for leave in (0, 1):
        node = c.mirror(zeros, ones, columns, float(gaps[1]), float(gaps[0]))
        node = node.without(-1) if leave else node
        law = c.candidates_law(node, epsilon, epsilon / 2)
        exact = counted.mirror_law(zeros, ones - leave, columns, gaps, v, scale)
        assert law.sum() == pytest.approx(1)
        assert law[1] == pytest.approx(float(exact), rel=1e-9)  # cut 1 lies above all records


def random_grid_node(rng, n=4, columns=2):
    return c.Node(rng.choice(counted.GRID, (n, columns)), rng.integers(0, 2, n).astype(float))


def on_cells(node, law):
    """A law over cuts as one over (column, cell of the grid), in proportion to lengths."""
    cells, found, start = np.array([0, *counted.GRID, 1]), [], 0
    for values in node.columns.T:
        edges = np.unique([0, *values, 1])
        share = law[start : start + len(edges) - 1] / np.diff(edges)
        found.append(share[np.searchsorted(edges, cells[1:]) - 1] * np.diff(cells))
        start += len(edges) - 1
    return np.array(found)


@pytest.mark.parametrize("seed", range(6))
def test_laws_against_the_definition_on_cells(seed):
    node = random_grid_node(np.random.default_rng(seed))
    records = [(*map(float, x), int(y)) for x, y in zip(*node)]
    expected = counted.cell_laws(records, 2, 1.3, 0.4)
    found = (
        c.candidates_law(node, 1.3, 0.4),
        c.joint_law(node, 1.3, 0.4),
        c.joint_law(node, 1.3, 0.4, "permute-and-flip"),
    )
    for law, exact in zip(found, expected):
        assert on_cells(node, law) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("mechanism", c.MECHANISMS)
def test_losses_on_crossed_nodes(columns, mechanism):
    """Candidates come near to K epsilon + kappa, the joint draw to epsilon + kappa, neither passes."""
    size = 20_000, 160, 80, -10
    lost = counted.crossed_loss(c.candidates_law, columns, 1.0, *size, mechanism)
    joint = counted.crossed_loss(c.joint_law, columns, 1.0, *size, mechanism)
    bound = columns + 0.5 * (columns > 1)
    assert 0.97 * bound < lost < bound
    assert joint < 1.5
    assert joint > 1.45


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("mechanism", c.MECHANISMS)
def test_the_joint_draw_is_private_on_random_nodes(seed, mechanism):
    rng = np.random.default_rng(seed)
    epsilon, rate = rng.exponential(2, 2)
    node = random_grid_node(rng, n=6, columns=int(rng.integers(1, 5)))
    twice = c.Node(np.repeat(node.columns, 2, axis=0), np.repeat(node.targets, 2))
    assert c.removal_loss(c.joint_law, twice, epsilon, rate, mechanism) <= epsilon + rate


@pytest.mark.parametrize("seed", range(20))
def test_raising_a_score_raises_its_flip_probability_by_at_most_as_much(seed):
    """0 <= d log P(a) / d s_a <= 1, which the proof of the joint draw by flips needs."""
    rng = np.random.default_rng(seed)
    scores, raised = rng.normal(0, 3, 5), rng.exponential(1)
    flip = PermuteAndFlip(1.0, monotonic=True)
    change = np.log(flip.pmf(scores + raised * np.eye(5)[0])) - np.log(flip.pmf(scores))
    assert -1e-12 <= change[0] <= raised + 1e-12
    assert (change[1:] <= 1e-12).all()


def test_the_smallest_mirror_breaks_the_claim_in_fractions():
    zeros, ones, _, epsilon, ratio, broken = counted.exact_mirror(5, 4.0, 2, 20)
    assert broken
    assert (zeros, ones) == (5, 5)
    assert math.log(ratio) > 2 * epsilon
    assert counted.smallest_mirror(5, 4.0, 8.0, 9) is None


def test_a_median_of_one_column_is_the_median_law():
    node = c.crossed(5, 3, 2, 1, (0.1, 0.2))
    col = attribute.column(node.columns[:, 0], node.targets, 0, 1)
    assert c.candidates_law(node, 1.0, 0.7) == pytest.approx(attribute.median_law(col, 1.0))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: c.mirror(0, 1, 1, 0.5), "zeros"),
        (lambda: c.mirror(1, 1, 1, 1.0), "gap"),
        (lambda: c.mirror(1, 1, 1, 0.5, 0.0), "gap"),
        (lambda: c.crossed(5, 2, 2, 2, (0.5, 0.5)), "few"),
        (lambda: c.crossed(5, 3, 2, 2, (0.5, 0.0)), "gap"),
        (lambda: c.candidates_law(c.mirror(1, 1, 21, 0.5), 1.0, 1.0), "candidates"),
        (lambda: c.candidates_law(c.mirror(1, 1, 2, 0.5), 1.0, 1.0, "best"), "mechanism"),
        (lambda: c.joint_law(c.mirror(1, 1, 2, 0.5), 1.0, 1.0, "best"), "mechanism"),
    ],
)
def test_errors_name_the_argument(call, name):
    with pytest.raises(ValueError, match=name):
        call()
