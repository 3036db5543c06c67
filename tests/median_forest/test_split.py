"""Routes to an attribute: laws against enumeration, simulation, and scores against their ranges."""

import math
from itertools import product

import numpy as np
import pytest

from dplit import attribute, median
from dplit.claims.median_forest import score as counted
from dplit.mechanisms import Exponential

N, K = 6, 3


@pytest.fixture
def node():
    rng = np.random.default_rng(3)
    return rng.random((N, K)), rng.random(N)


def columns(values, targets):
    return [attribute.column(v, targets, 0.0, 1.0) for v in values.T]


def errors_of(values, targets, cut):
    sides = targets[values < cut], targets[values >= cut]
    return sum(((s - s.mean()) ** 2).sum() for s in sides if len(s))


def test_a_column_from_its_definition(node):
    values, targets = node[0][:, 0], node[1]
    col = attribute.column(values, targets, 0.0, 1.0)
    edges = np.array([0, *np.sort(values), 1])
    middles = (edges[1:] + edges[:-1]) / 2
    assert col.lengths == pytest.approx(np.diff(edges))
    assert col.errors == pytest.approx([errors_of(values, targets, m) for m in middles])
    assert col.gaps.tolist() == [6, 4, 2, 0, 2, 4, 6]
    law = median.interval_law(values, 0.0, 1.0, 0.8)
    assert attribute.median_law(col, 0.8) == pytest.approx(law.probabilities)


def test_ties_and_bounds_have_no_cut():
    col = attribute.column([0.5, 0.5, 0.0, 1.0], [0, 1, 0, 1], 0.0, 1.0)
    assert col.lengths.tolist() == [0.5, 0.5]
    assert col.gaps.tolist() == [2, 2]
    assert attribute.column([], [], 0.0, 2.0) == ([2.0], [0.0], [0])


@pytest.mark.parametrize("epsilon", [0.1, 3.0, 40.0])
def test_candidates_by_enumeration(node, epsilon):
    cols, share = columns(*node), 0.3
    laws = [attribute.median_law(c, (1 - share) * epsilon / K) for c in cols]
    total = 0.0
    for cuts in product(*(range(len(c.lengths)) for c in cols)):
        errors = np.array([c.errors[j] for c, j in zip(cols, cuts)])
        law = Exponential(share * epsilon, 4.0, monotonic=True).pmf(-errors)
        total += math.prod(p[j] for p, j in zip(laws, cuts)) * (law @ errors)
    assert attribute.candidates(cols, epsilon, 2.0, share) == pytest.approx(total, rel=1e-10)


def test_the_other_routes_from_their_definitions(node):
    cols, epsilon, spread, share = columns(*node), 2.0, 1.5, 0.4
    after = {e: [attribute.median_law(c, e) @ c.errors for c in cols] for e in (2.0, 1.2)}
    assert attribute.uniform(cols, epsilon) == pytest.approx(np.mean(after[2.0]))
    for route, scores, rate in (
        (attribute.best_first, [c.errors.min() for c in cols], 1.0),
        (attribute.median_first, [c.errors[N // 2] for c in cols], 1 / 3),
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
    assert attribute.joint(cols, epsilon, spread, share) == pytest.approx(expected)


def test_without_noise_every_route_finds_what_it_looks_for(node):
    cols = columns(*node)
    best = min(c.errors.min() for c in cols)
    middle = min(c.errors[N // 2] for c in cols)
    assert attribute.joint(cols, 1e5, share=0.999) == pytest.approx(best)
    assert attribute.median_first(cols, 1e5) == pytest.approx(middle)
    assert attribute.candidates(cols, 900.0) == pytest.approx(middle)


def test_the_joint_draw_beats_paid_candidates_where_many_columns_compete():
    """A step in one of five columns, exact expectations; not so where the budget is tiny."""
    rng = np.random.default_rng(1)
    values = rng.random((400, 5))
    targets = np.clip(0.25 + 0.5 * (values[:, 0] > 0.5) + 0.25 * rng.standard_normal(400), 0, 1)
    cols = columns(values, targets)
    found = {r: getattr(attribute, r)(cols, 0.5) for r in
             ("candidates", "median_first", "best_first", "joint")}  # fmt: skip
    assert found["joint"] < found["candidates"]
    assert found["best_first"] < found["median_first"]


def test_scores_of_the_median_range_over_three_units():
    low, high = counted.median_extremes(20)
    assert -1 < low < -0.9
    assert 1.9 < high < 2
    assert counted.score_range(5, counted.best_score)[0] == 0


def test_ties_make_the_median_score_jump():
    """m equal values in the middle: one record moves the cut past all of them."""
    jumps = []
    for m in (4, 40, 400):
        targets = np.repeat([0.0, 1.0, 0.0], [2, m, 2])
        values = np.repeat([0.2, 0.5, 0.8], [2, m, 2])
        targets[-2:] = 1.0
        scores = []
        for extra in (0.1, 0.9):
            col = attribute.column([*values, extra], [*targets, 0.0], 0, 1)
            scores.append(col.errors[col.gaps.argmin()])
        jumps.append(abs(scores[0] - scores[1]))
    assert jumps[0] < jumps[1]


def wide():
    return [attribute.column([0.3, 0.7], [0.0, 1.0], 0, 1)] * 2


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: attribute.column([1.0], [1.0, 2.0], 0, 1), "values"),
        (lambda: attribute.column([1.0], [1.0], 1, 1), "lower"),
        (lambda: attribute.candidates(wide(), 1e4), "epsilon"),
        (lambda: attribute.uniform([attribute.column([0.5], [1.0], 0, 1)], 0.0), "epsilon"),
        (lambda: attribute.joint([attribute.column([0.5], [1.0], 0, 1)], 1.0, 0.0), "spread"),
    ],
)
def test_errors_name_the_argument(call, name):
    with pytest.raises(ValueError, match=name):
        call()
