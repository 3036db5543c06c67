"""A node's split: routes and their laws, against enumeration and the definition; losses against formulas."""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from dplit import median
from dplit import median_forest as laws
from dplit.mechanisms import Exponential, PermuteAndFlip
from dplit.median_forest import split

HALF = Fraction(1, 2)
N, K = 6, 3


@pytest.fixture
def node():
    rng = np.random.default_rng(3)
    return rng.random((N, K)), rng.random(N)


def columns(values, targets):
    return [split.column(v, targets, 0.0, 1.0) for v in values.T]


def errors_of(values, targets, cut):
    sides = targets[values < cut], targets[values >= cut]
    return sum(((s - s.mean()) ** 2).sum() for s in sides if len(s))


def test_a_column_from_its_definition(node):
    values, targets = node[0][:, 0], node[1]
    col = split.column(values, targets, 0.0, 1.0)
    edges = np.array([0, *np.sort(values), 1])
    middles = (edges[1:] + edges[:-1]) / 2
    assert col.lengths == pytest.approx(np.diff(edges))
    assert col.errors == pytest.approx([errors_of(values, targets, m) for m in middles])
    assert col.gaps.tolist() == [6, 4, 2, 0, 2, 4, 6]
    law = median.interval_law(values, 0.0, 1.0, 0.8)
    assert split.median_law(col, 0.8) == pytest.approx(law.probabilities)


def test_ties_and_bounds_have_no_cut():
    col = split.column([0.5, 0.5, 0.0, 1.0], [0, 1, 0, 1], 0.0, 1.0)
    assert col.lengths.tolist() == [0.5, 0.5]
    assert col.gaps.tolist() == [2, 2]
    assert split.column([], [], 0.0, 2.0) == ([2.0], [0.0], [0])


@pytest.mark.parametrize("epsilon", [0.1, 3.0, 40.0])
def test_candidates_by_enumeration(node, epsilon):
    cols, share = columns(*node), 0.3
    laws = [split.median_law(c, (1 - share) * epsilon / K) for c in cols]
    total = 0.0
    for cuts in product(*(range(len(c.lengths)) for c in cols)):
        errors = np.array([c.errors[j] for c, j in zip(cols, cuts)])
        law = Exponential(share * epsilon, 4.0, monotonic=True).pmf(-errors)
        total += math.prod(p[j] for p, j in zip(laws, cuts)) * (law @ errors)
    assert split.candidates(cols, epsilon, 2.0, share) == pytest.approx(total, rel=1e-10)


def test_the_other_routes_from_their_definitions(node):
    cols, epsilon, spread, share = columns(*node), 2.0, 1.5, 0.4
    after = {e: [split.median_law(c, e) @ c.errors for c in cols] for e in (2.0, 1.2)}
    assert split.uniform(cols, epsilon) == pytest.approx(np.mean(after[2.0]))
    for route, scores, rate in (
        (split.best_first, [c.errors.min() for c in cols], 1.0),
        (split.median_first, [c.errors[N // 2] for c in cols], 1 / 3),
    ):
        weights = np.exp(-rate * share * epsilon / spread**2 * np.array(scores))
        expected = weights @ after[1.2] / weights.sum()
        assert route(cols, epsilon, spread, share) == pytest.approx(expected)
    weights, errors = [], []
    for c in cols:
        exponent = -share * epsilon / spread**2 * c.errors - (1 - share) * epsilon / 2 * c.gaps
        weights += (c.lengths * np.exp(exponent)).tolist()
        errors += c.errors.tolist()
    expected = np.dot(weights, errors) / np.sum(weights)
    assert split.joint(cols, epsilon, spread, share) == pytest.approx(expected)


def test_without_noise_every_route_finds_what_it_looks_for(node):
    cols = columns(*node)
    best = min(c.errors.min() for c in cols)
    middle = min(c.errors[N // 2] for c in cols)
    assert split.joint(cols, 1e5, share=0.999) == pytest.approx(best)
    assert split.median_first(cols, 1e5) == pytest.approx(middle)
    assert split.candidates(cols, 900.0) == pytest.approx(middle)


def test_the_joint_draw_beats_paid_candidates_where_many_columns_compete():
    """A step in one of five columns, exact expectations; not so where the budget is tiny."""
    rng = np.random.default_rng(1)
    values = rng.random((400, 5))
    targets = np.clip(0.25 + 0.5 * (values[:, 0] > 0.5) + 0.25 * rng.standard_normal(400), 0, 1)
    cols = columns(values, targets)
    found = {r: getattr(split, r)(cols, 0.5) for r in ("candidates", "median_first", "best_first", "joint")}
    assert found["joint"] < found["candidates"]
    assert found["best_first"] < found["median_first"]


def test_ties_make_the_median_score_jump():
    """m equal values in the middle: one record moves the cut past all of them."""
    jumps = []
    for m in (4, 40, 400):
        targets = np.repeat([0.0, 1.0, 0.0], [2, m, 2])
        values = np.repeat([0.2, 0.5, 0.8], [2, m, 2])
        targets[-2:] = 1.0
        scores = []
        for extra in (0.1, 0.9):
            col = split.column([*values, extra], [*targets, 0.0], 0, 1)
            scores.append(col.errors[col.gaps.argmin()])
        jumps.append(abs(scores[0] - scores[1]))
    assert jumps[0] < jumps[1]


# Candidates that are not released --------------------------------------------------------------


def test_winner_by_hand():
    """Two columns, two cuts each: P(0, first) = 1/2 (1/4 . 1/2 + 3/4 . 1/4)."""
    one = [HALF, HALF], [Fraction(1), Fraction(3)]
    two = [Fraction(1, 4), Fraction(3, 4)], [Fraction(1), Fraction(3)]
    law = laws.winner_law([one, two])
    assert law[0][0] == HALF * (Fraction(1, 4) * HALF + Fraction(3, 4) * Fraction(1, 4))
    assert sum(map(sum, law)) == 1
    assert laws.winner_law([one]) == [[HALF, HALF]]
    first = laws.winner_law([one, two], choose=lambda odds: [1, 0])
    assert first == [[HALF, HALF], [0, 0]]


def random_node(rng, n=4, columns=2):
    """Few values, so that some of them are equal."""
    return laws.Node(rng.choice((0.25, 0.5, 0.75), (n, columns)), rng.integers(0, 2, n) * 1.0)


def by_definition(node, epsilon, rate):
    """Laws over (column, cut), a cut in the middle of each interval: candidates, joint, joint by flips."""
    n, medians, odds = len(node.targets), [], []
    for values in node.columns.T:
        edges = np.unique([0, *values, 1])
        left = [values < (low + high) / 2 for low, high in pairwise(edges)]
        weights = np.diff(edges) * [math.exp(-epsilon / 2 * abs(n - 2 * side.sum())) for side in left]
        errors = [sum(len(s) * s.var() for s in (node.targets[x], node.targets[~x]) if len(s)) for x in left]
        medians.append(weights)
        odds.append(np.exp(-rate * np.array(errors)))
    published = [np.zeros(len(m)) for m in medians]
    for cuts in product(*(range(len(m)) for m in medians)):
        chance = math.prod(m[r] / m.sum() for m, r in zip(medians, cuts))
        chosen = np.array([u[r] for u, r in zip(odds, cuts)])
        for a, r in enumerate(cuts):
            published[a][r] += chance * chosen[a] / chosen.sum()
    weights = [m * u for m, u in zip(medians, odds)]
    masses = np.array([w.sum() for w in weights])
    flips = PermuteAndFlip(1.0, monotonic=True).pmf(np.log(masses))
    flipped = [p * w / m for p, w, m in zip(flips, weights, masses)]
    return [np.concatenate(x) for x in (published, [w / masses.sum() for w in weights], flipped)]


@pytest.mark.parametrize(
    "node",
    [
        *(random_node(np.random.default_rng(seed)) for seed in range(6)),
        random_node(np.random.default_rng(6), n=5, columns=3),
        laws.mirror(3, 2, 3, 1 / 3, 1 / 5),
        laws.mirror(1, 4, 2, 1 / 3).without(-1),
        laws.crossed(5, 3, 1, 3, (0.1, 0.3)),
    ],
)
def test_laws_of_a_split_against_the_definition(node):
    found = (
        laws.candidates_law(node, 1.3, 0.4),
        laws.joint_law(node, 1.3, 0.4),
        laws.joint_law(node, 1.3, 0.4, "permute-and-flip"),
    )
    for law, exact in zip(found, by_definition(node, 1.3, 0.4)):
        assert law == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("mechanism", laws.MECHANISMS)
def test_losses_on_crossed_nodes(columns, mechanism):
    """Candidates come near to K epsilon + kappa, the joint draw to epsilon + kappa, neither passes."""
    gaps = [1 / (1 + math.exp(m - 10)) for m in (160, 80)]
    node = laws.crossed(20_000, 160, 80, columns, gaps)
    lost = laws.removal_loss(laws.candidates_law, node, 1.0, 0.5, mechanism)
    joint = laws.removal_loss(laws.joint_law, node, 1.0, 0.5, mechanism)
    bound = columns + 0.5 * (columns > 1)
    assert 0.97 * bound < lost < bound
    assert joint < 1.5
    assert joint > 1.45


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("mechanism", laws.MECHANISMS)
def test_the_joint_draw_is_private_on_random_nodes(seed, mechanism):
    rng = np.random.default_rng(seed)
    epsilon, rate = rng.exponential(2, 2)
    node = random_node(rng, n=6, columns=int(rng.integers(1, 5)))
    twice = laws.Node(np.repeat(node.columns, 2, axis=0), np.repeat(node.targets, 2))
    assert laws.removal_loss(laws.joint_law, twice, epsilon, rate, mechanism) <= epsilon + rate


@pytest.mark.parametrize("seed", range(20))
def test_raising_a_score_raises_its_flip_probability_by_at_most_as_much(seed):
    """0 <= d log P(a) / d s_a <= 1, which the proof of the joint draw by flips needs."""
    rng = np.random.default_rng(seed)
    scores, raised = rng.normal(0, 3, 5), rng.exponential(1)
    flip = PermuteAndFlip(1.0, monotonic=True)
    change = np.log(flip.pmf(scores + raised * np.eye(5)[0])) - np.log(flip.pmf(scores))
    assert -1e-12 <= change[0] <= raised + 1e-12
    assert (change[1:] <= 1e-12).all()


def test_a_median_of_one_column_is_the_median_law():
    node = laws.crossed(5, 3, 2, 1, (0.1, 0.2))
    col = split.column(node.columns[:, 0], node.targets, 0, 1)
    assert laws.candidates_law(node, 1.0, 0.7) == pytest.approx(split.median_law(col, 1.0))


def wide():
    return [split.column([0.3, 0.7], [0.0, 1.0], 0, 1)] * 2


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: split.column([1.0], [1.0, 2.0], 0, 1), "values"),
        (lambda: split.column([1.0], [1.0], 1, 1), "lower"),
        (lambda: split.candidates(wide(), 1e4), "epsilon"),
        (lambda: split.uniform([split.column([0.5], [1.0], 0, 1)], 0.0), "epsilon"),
        (lambda: split.joint([split.column([0.5], [1.0], 0, 1)], 1.0, 0.0), "spread"),
        (lambda: laws.mirror(0, 1, 1, 0.5), "zeros"),
        (lambda: laws.mirror(1, 1, 1, 1.0), "gap"),
        (lambda: laws.mirror(1, 1, 1, 0.5, 0.0), "gap"),
        (lambda: laws.crossed(5, 2, 2, 2, (0.5, 0.5)), "few"),
        (lambda: laws.crossed(5, 3, 2, 2, (0.5, 0.0)), "gap"),
        (lambda: laws.candidates_law(laws.mirror(1, 1, 21, 0.5), 1.0, 1.0), "candidates"),
        (lambda: laws.candidates_law(laws.mirror(1, 1, 2, 0.5), 1.0, 1.0, "best"), "mechanism"),
        (lambda: laws.joint_law(laws.mirror(1, 1, 2, 0.5), 1.0, 1.0, "best"), "mechanism"),
    ],
)
def test_errors_name_the_argument(call, name):
    with pytest.raises(ValueError, match=name):
        call()
