"""The exact law of a released forest, by enumerating assignments and permutations here."""

import math
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import permutations, product

import numpy as np
import pytest

from dplit import random_forest
from dplit.court import audit
from dplit.mechanisms import PermuteAndFlip

THIRD = random_forest.rational_label_law(3)  # epsilon = log 3


def enumerated(records, n_leaves, classes, label_law, assignments):
    """Joint law of all leaf labels, averaging over a list of assignments (a tree for each record)."""
    leaves = [(t, leaf) for t, m in enumerate(n_leaves) for leaf in range(m)]
    law = Counter()
    for trees in assignments:
        counts = {leaf: [0] * classes for leaf in leaves}
        for tree, (*reached, label) in zip(trees, records):
            counts[tree, reached[tree]][label] += 1
        pmfs = [label_law(np.array(counts[leaf])) for leaf in leaves]
        for outcome in product(range(classes), repeat=len(leaves)):
            weight = math.prod(pmf[c] for pmf, c in zip(pmfs, outcome))
            law[outcome] += weight / len(assignments)
    return law


RECORDS = [(0, 0, 0), (1, 0, 1), (1, 0, 1), (0, 0, 1)]


def every(n, n_trees):
    return list(product(range(n_trees), repeat=n))


def shuffled(n, n_trees):
    return list(permutations([i % n_trees for i in range(n)]))


@pytest.mark.parametrize("n", [0, 1, 3, 4])
@pytest.mark.parametrize("name, assign", [("independent", every), ("equal-parts", shuffled)])
def test_the_law_is_the_average_over_assignments(n, name, assign):
    records = RECORDS[:n]
    law = random_forest.ForestLaw((2, 1), 2, THIRD, name)(records)
    reference = enumerated(records, (2, 1), 2, THIRD, assign(n, 2))
    assert {o: law[o] for o in reference} == reference  # fractions: no rounding
    assert law.sum() == 1


@pytest.mark.parametrize("assignment", ["independent", "equal-parts"])
def test_floats_and_fractions_agree_and_arrays_do_as_well(assignment):
    labels = PermuteAndFlip(math.log(3), monotonic=True).pmf
    records = np.array(RECORDS)
    law = random_forest.forest_law(records[:, :2], records[:, 2], (2, 1), 2, labels, assignment)
    exact = random_forest.ForestLaw((2, 1), 2, THIRD, assignment)(RECORDS)
    assert law.dtype == float
    np.testing.assert_allclose(law, exact.astype(float), rtol=1e-13)


def worst(n_leaves, assignment, neighbours, n, label_law=THIRD, classes=2):
    law = random_forest.ForestLaw(n_leaves, classes, label_law, assignment)
    near = partial(audit.neighbouring_data, universe=law.universe, neighbours=neighbours)
    return audit.worst_privacy_loss(law, audit.data_sets(law.universe, n), near)


@pytest.mark.parametrize("n_leaves, n", [((1,), 5), ((1, 1), 4), ((2, 1), 3), ((1, 1, 1), 4)])
def test_independent_trees_cost_epsilon_exactly(n_leaves, n):
    found = worst(n_leaves, "independent", "add-remove", n)
    assert found.loss == pytest.approx(math.log(3), rel=1e-12)


@pytest.mark.parametrize("n_leaves, n", [((1, 1), 4), ((2, 1), 3)])
def test_replace_one_costs_up_to_twice_unless_the_rate_is_halved(n_leaves, n):
    found = worst(n_leaves, "independent", "replace-one", n)
    assert 1.5 * math.log(3) < found.loss <= 2 * math.log(3)
    halved = PermuteAndFlip(1.0).pmf  # epsilon 1 for replace-one: rate 1/2
    assert 0.8 < worst(n_leaves, "independent", "replace-one", n, halved).loss <= 1
    assert worst((1,), "independent", "replace-one", 3).loss == pytest.approx(2 * math.log(3))
    assert worst((1, 1), "equal-parts", "replace-one", 4).loss == pytest.approx(2 * math.log(3))


@pytest.mark.parametrize("odds", [2, 3, Fraction(11, 10), 20])
def test_the_smallest_instance_on_which_equal_parts_leak(odds):
    law = random_forest.ForestLaw((1, 1), 2, random_forest.rational_label_law(odds), "equal-parts")
    near = partial(audit.neighbouring_data, universe=law.universe, neighbours="add-remove")
    epsilon = math.log(odds)
    found = audit.smallest_violation(law, audit.data_sets(law.universe, 3), epsilon, near)
    assert found.data == ((0, 0, 0),) and found.neighbour == ((0, 0, 0), (0, 0, 1))
    ratio = law(found.neighbour)[1, 0] / law(found.data)[1, 0]
    assert ratio == 2 * Fraction(odds) - 2 + 1 / Fraction(odds)
    assert found.loss == pytest.approx(random_forest.smallest_equal_parts_loss(epsilon), rel=1e-12)
    assert found.loss > epsilon


@pytest.mark.parametrize("n_leaves, n", [((1,), 5), ((1, 1), 5), ((2, 1), 4), ((1, 1, 1), 5)])
@pytest.mark.parametrize("classes", [2, 3])
def test_equal_parts_stay_below_the_proved_bound(n_leaves, n, classes):
    n -= classes > 2
    found = worst(n_leaves, "equal-parts", "add-remove", n, classes=classes)
    assert found.loss <= random_forest.equal_parts_bound(math.log(3), len(n_leaves)) * (1 + 1e-12)
    if len(n_leaves) > 1:
        assert found.loss > math.log(3)


def test_one_tree_is_no_partition():
    assert random_forest.equal_parts_bound(0.7, 1) == pytest.approx(0.7)
    assert random_forest.equal_parts_bound(0.7, 10**9) == pytest.approx(3 * 0.7, rel=1e-8)
    assert random_forest.equal_parts_bound(0.7, 5, "replace-one") == pytest.approx(1.4)


@pytest.mark.parametrize("n_trees, m, classes", [(2, 1, 2), (2, 2, 2), (3, 1, 2), (2, 1, 3)])
def test_the_family_attains_its_formula(n_trees, m, classes):
    n = n_trees * m
    law = random_forest.ForestLaw((n + 1, *[1] * (n_trees - 1)), classes, THIRD, "equal-parts")
    data = tuple((i, *[0] * n_trees) for i in range(n))
    neighbour = (*data, (n, *[0] * (n_trees - 1), 1))
    outcome = (*[0] * n, *[1] * n_trees)
    ratio = law(neighbour)[outcome] / law(data)[outcome]
    formula = random_forest.equal_parts_family_loss(math.log(3), n_trees, m, classes)
    assert math.log(ratio) == pytest.approx(formula, rel=1e-12)


@pytest.mark.parametrize("n_trees", [2, 3, 30])
def test_the_bound_is_the_least_one_for_all_data(n_trees):
    bound = random_forest.equal_parts_bound(1.0, n_trees)
    reached = [random_forest.equal_parts_family_loss(1.0, n_trees, 600, k) for k in (2, 8, 64, 512)]
    assert reached == sorted(reached)
    assert 0 < bound - reached[-1] < 2e-3


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: random_forest.ForestLaw((1,), 2, THIRD, "bagging"), "assignment must be"),
        (lambda: random_forest.ForestLaw((0,), 2, THIRD), "n_leaves must be"),
        (lambda: random_forest.ForestLaw((30,), 2, THIRD), "outcomes"),
        (lambda: random_forest.ForestLaw((1,), 2, THIRD)([(1, 0)]), "leaves below"),
        (lambda: random_forest.ForestLaw((1,), 2, THIRD)([(0, 2)]), "a class below 2"),
        (lambda: random_forest.forest_law([[0]], [0, 1], (1,), 2, THIRD), "labels must have shape"),
        (lambda: random_forest.equal_parts_bound(0, 2), "epsilon must be"),
        (lambda: random_forest.equal_parts_family_loss(1.0, 2, 2000), "per_tree"),
    ],
)
def test_errors_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
