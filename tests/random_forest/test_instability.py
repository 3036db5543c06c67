"""The label by distance to instability, against searches over leaves and a linear programme."""

import math
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import laplace

from dplit import majority, random_forest
from dplit.court import claims

RELATIONS = ("add-remove", "replace-one")


def leaf_gap(leaf):
    low, high = sorted(leaf)[-2:]
    return high - low


def first_majority(leaf):
    return leaf.index(max(leaf))


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("classes", [2, 3])
def test_distance_by_search(classes, neighbours):
    """Unstable: some neighbour's largest classes differ. Distance: breadth-first from those leaves."""
    inner = [x for x in product(range(5), repeat=classes) if sum(x) <= 6]
    top = lambda x: {i for i, c in enumerate(x) if c == max(x)}  # noqa: E731
    near = {x: majority.neighbouring(x, neighbours) for x in product(range(14), repeat=classes)}
    unstable = {x for x in near if any(top(y) != top(x) for y in near[x])}
    for x in inner:
        steps, ring = 0, {x}
        while not ring & unstable:
            steps, ring = steps + 1, {y for z in ring for y in near[z]}
        assert random_forest.distance_to_instability(leaf_gap(x), neighbours) == steps


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-3), (0.3, 0.2), (2.0, 0.5)])
def test_privacy_of_the_release_is_exact(epsilon, delta, neighbours):
    """Hockey-stick divergence over all pairs of leaves: at most delta, and delta for some."""
    worst = 0
    for x in product(range(12), repeat=2):
        for y in majority.neighbouring(x, neighbours):
            p, q = np.zeros(3), np.zeros(3)
            for law, leaf in ((p, x), (q, y)):
                law[first_majority(leaf)] = random_forest.stable_release(
                    leaf_gap(leaf), epsilon, delta, neighbours
                )
                law[2] = 1 - law.sum()
            worst = max(worst, np.maximum(p - math.exp(epsilon) * q, 0).sum())
    assert worst == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_drawn_labels_are_released_as_the_law_says(neighbours):
    """At the ledger's error of 1e-9 an interval, eight of them; the label is a majority or none."""
    rng, draws = np.random.default_rng(3), 40_000
    for leaf in ((3, 3, 0), (0, 2, 1), (4, 1, 0), (0, 0, 9)):
        label = random_forest.stable_sample([leaf] * draws, 0.7, 0.05, neighbours, rng=rng)
        assert set(label) <= {-1, first_majority(leaf)}
        low, high = claims.interval((label >= 0).sum(), draws)
        assert low <= random_forest.stable_release(leaf_gap(leaf), 0.7, 0.05, neighbours) <= high


def test_a_label_needs_two_classes():
    with pytest.raises(ValueError, match=r"counts must have at least two classes, got shape \(1,\)"):
        random_forest.stable_sample([3], 1.0, 0.1, rng=np.random.default_rng(0))


@pytest.mark.parametrize("gap", [0, 1, 2, 5, 30])
def test_release_by_the_law_of_laplace(gap):
    epsilon, delta = 0.7, 0.01
    threshold = math.log(1 / (2 * delta)) / epsilon
    expected = laplace.sf(threshold - max(gap - 1, 0), scale=1 / epsilon)
    assert random_forest.stable_release(gap, epsilon, delta) == pytest.approx(expected, rel=1e-12)
    error = random_forest.stable_error(gap, epsilon, delta)
    assert error == pytest.approx((1 - expected) / 2, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_a_coin_makes_it_pure_up_to_tanh(epsilon):
    """And not beyond: at the edge the loss between two unstable leaves is epsilon."""
    edge = min(math.tanh(epsilon / 2), 0.5)
    for delta in (edge / 10, edge):
        j = np.arange(40)
        wrong = random_forest.stable_error(j, epsilon, delta)
        steps = [(wrong[:-1], wrong[1:]), (1 - wrong[:-1], 1 - wrong[1:]), (wrong[:1], 1 - wrong[:1])]
        loss = max(np.abs(np.log(p / q)).max() for p, q in steps)
        assert loss <= epsilon * (1 + 1e-9)
        assert (wrong[1:] > majority.error_lower_bound(j[1:], epsilon)).all()
    if edge < 0.5:
        over = random_forest.stable_error(0, epsilon, min(edge * 1.01, 0.5))
        assert math.log((1 - over) / over) > epsilon


@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.5])
def test_a_uniform_class_makes_it_pure_up_to_the_edge(classes, epsilon):
    """Largest ratio over all neighbouring leaves: at most epsilon at the edge, more just above it."""
    edge = random_forest.pure_delta(epsilon, classes)
    spread = [x for x in product(range(4), repeat=classes) if sum(x) <= 3]
    for delta in (edge / 5, edge, min(0.5, edge * 1.01)):
        laws = dict.fromkeys(spread + [y for x in spread for y in majority.neighbouring(x)])
        for x in laws:
            failed = 1 - random_forest.stable_release(leaf_gap(x), epsilon, delta)
            laws[x] = np.full(classes, failed / classes)
            laws[x][first_majority(x)] += 1 - failed
        pairs = [(laws[x], laws[y]) for x in spread for y in majority.neighbouring(x)]
        loss = max(np.abs(np.log(p / q)).max() for p, q in pairs)
        assert (loss <= epsilon * (1 + 1e-9)) == (delta <= edge)


def test_the_edge_by_hand():
    assert random_forest.pure_delta(0.6) == pytest.approx(math.tanh(0.3))
    assert random_forest.pure_delta(math.log(3), 6) == pytest.approx(2 / 8)
    assert random_forest.pure_delta(math.log(3), 2) == random_forest.pure_delta(9.0, 2) == 0.5


def test_error_with_more_classes_by_the_law_of_laplace():
    j = np.array([1, 2, 9])
    failed = laplace.cdf(math.log(50) / 0.7 - (j - 1), scale=1 / 0.7)
    error = random_forest.stable_error(j, 0.7, 0.01, classes=5)
    assert error == pytest.approx(0.8 * failed, rel=1e-12)


def test_six_classes_are_the_first_where_permute_and_flip_errs_more():
    """In the limit of large gaps the ratio of the errors is (y + 1)(y + k) / (2 k y), y = e^epsilon - 1."""
    for classes in range(2, 10):
        y = np.linspace(0.1, classes, 400)
        wins = (y + 1) * (y + classes) < 2 * classes * y
        assert wins.any() == (classes >= 6)
        for spread in y[:: 400 // 7]:
            e = math.log1p(spread)
            delta = random_forest.pure_delta(e, classes)
            errors = random_forest.stable_error(60, e, delta, classes=classes)
            ratio = errors / majority.unanimous_error(60, classes, e)
            expected = (spread + 1) * (spread + classes) / (2 * classes * spread)
            assert ratio == pytest.approx(expected, rel=2e-2)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (1.0, 0.01), (0.5, 0.05), (2.0, 1e-3)])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_delta_bound_by_linear_programme(n, epsilon, delta):
    """All mechanisms on leaves (a, b) of at most n + 3 records; the error at (n, 0), names alike."""
    leaves = [(a, b) for a, b in product(range(n + 4), repeat=2) if a + b <= n + 3]
    index = {x: i for i, x in enumerate(leaves)}
    rows, limits = [], []
    pairs = [(x, y) for x in leaves for y in majority.neighbouring(x) if y in index]
    for x, y in pairs:
        for sign in (1, -1):  # label 1, label 0
            row = np.zeros(len(leaves))
            row[index[x]], row[index[y]] = sign, -sign * math.exp(epsilon)
            rows.append(row)
            limits.append(delta + (0 if sign == 1 else math.exp(epsilon) - 1))
    alike = np.zeros((len(leaves), len(leaves)))
    for (a, b), i in index.items():
        alike[i, i] += 1
        alike[i, index[b, a]] += 1
    cost = np.zeros(len(leaves))
    cost[index[n, 0]] = 1
    found = linprog(cost, rows, limits, alike, np.ones(len(leaves)), bounds=(0, 1))
    assert random_forest.delta_error_bound(n, epsilon, delta) == pytest.approx(found.fun, abs=1e-8)


def test_permute_and_flip_is_the_bound_without_delta():
    j = np.arange(20)
    law = majority.one_sided_law(np.column_stack([j, 0 * j]), 0.4)[:, 1]
    assert random_forest.delta_error_bound(j, 0.4, 0) == pytest.approx(law, rel=1e-12)
    assert random_forest.delta_error_bound(40, 0.4, 1e-3) == 0


def test_distance_and_delta_against_the_optimum():
    """No choice of the test errs less than the bound at its own delta."""
    for gap, delta in combinations_with_replacement((1, 2, 8, 30), 2):
        delta = 10.0**-delta / 2
        bound = random_forest.delta_error_bound(gap, 0.5, delta)
        assert random_forest.stable_error(gap, 0.5, delta) >= bound


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: random_forest.distance_to_instability(-1), "gap must be whole numbers of at least 0, got -1"),
        (lambda: random_forest.distance_to_instability(1.5), "gap must be whole numbers"),
        (lambda: random_forest.distance_to_instability(1, "both"), "neighbours must be one of"),
        (lambda: random_forest.stable_release(1, 1.0, 0.6), "delta must be at most 1/2, got 0.6"),
        (lambda: random_forest.stable_release(1, 1.0, 0.0), "delta must be a positive finite number"),
        (lambda: random_forest.stable_error(1, 0, 0.1), "epsilon must be a positive number"),
        (lambda: random_forest.stable_error(1, 1.0, 0.1, classes=1), "classes must be .* at least 2"),
        (lambda: random_forest.pure_delta(0), "epsilon must be a positive number"),
        (lambda: random_forest.pure_delta(1.0, 1), "classes must be .* at least 2"),
        (lambda: random_forest.delta_error_bound(1, 1.0, -0.1), "delta must be a positive finite number"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
