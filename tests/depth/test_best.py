"""Which depth is best, against enumeration, laws of Skellam, search, simulation and the package's forest."""

import math
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import poisson, skellam

from dplit import Categorical, Domain, depth
from dplit.forests import RandomDecisionForestClassifier

ONE = Fraction(1)


@pytest.mark.parametrize(("m", "k", "d"), [(1, 1, 1), (3, 1, 2), (3, 2, 3), (4, 3, 3), (4, 4, 4)])
def test_relevant_tested_by_enumeration(m, k, d):
    for repeated, paths in ((True, [*product(range(m), repeat=d)]), (False, [*permutations(range(m), d)])):
        tested = [len({f for f in path if f < k}) for path in paths]
        law = depth.relevant_tested(m, k, d, repeated, ONE)
        assert list(law) == [Fraction(tested.count(t), len(paths)) for t in range(k + 1)]
        assert depth.relevant_tested(m, k, d, repeated) == pytest.approx([float(p) for p in law])


@pytest.mark.parametrize("d", [0, 1, 7])
def test_all_features_relevant_is_theorem_2(d):
    untested = depth.untested_features(5, d)
    assert depth.relevant_tested(5, 5, d)[::-1] == pytest.approx(untested, abs=1e-15)


@cache
def by_skellam(records, share, epsilon):
    """Probability of label 1: the difference of two Poisson counts has the law of Skellam."""
    reach = int(records + 12 * math.sqrt(records)) + 40
    d = np.arange(-reach, reach + 1)
    tail = np.exp(-epsilon * abs(d)) / 2
    wins = np.where(d < 0, tail, 1 - tail)
    if 0 < share < 1 and records:
        return skellam.pmf(d, records * share, records * (1 - share)) @ wins
    return poisson.pmf(d if share else -d, records) @ wins


def by_paths(d, n, m, target, epsilon, repeated):
    """Accuracy of one tree: a leaf holds n/2^d records, of the signs that agree on what its path tests."""
    points = list(product((0, 1), repeat=m))
    share = {p: target[sum(p[: len(target) - 1])] for p in points}
    paths = product(range(m), repeat=d) if repeated else permutations(range(m), d)
    right = []
    for path, point in product(paths, points):
        leaf = [share[p] for p in points if all(p[i] == point[i] for i in path)]
        one = by_skellam(n / 2**d, np.mean(leaf), epsilon)
        right.append(share[point] * one + (1 - share[point]) * (1 - one))
    return np.mean(right)


TARGETS = {"parity": (0, 1, 0), "both": (0, 0, 1), "noisy": (0.1, 0.3, 0.8), "sign": (0, 1)}


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize(
    ("m", "d", "repeated"), [(2, 0, True), (2, 2, True), (3, 2, False), (2, 3, True), (2, 2, False)]
)
def test_accuracy_of_one_tree_by_listing_paths(target, m, d, repeated):
    for n, epsilon in ((2, 1.0), (25, 0.2)):
        expected = by_paths(d, n, m, target, epsilon, repeated)
        found = depth.forest_accuracy(d, n, m, target, epsilon, repeated=repeated)
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("gaps", [(0.0, 0.5), (3.0, 0.95), (40.0, 0.55), (2000.0, 0.52)])
def test_label_of_a_leaf_by_bessel_functions(gaps):
    """Depth 0 is one leaf."""
    found = depth.vote_law(0, gaps[0], 1, [gaps[1]] * 2, 0.05)
    assert found == pytest.approx([by_skellam(*gaps, 0.05)] * 2, abs=1e-9)


def test_two_trees_vote_by_hand():
    """Both right, or one of them and a coin."""
    q = depth.vote_law(1, 40, 2, [0, 1], 1.0, trees=2)[1]
    assert depth.forest_accuracy(1, 40, 2, [0, 1], 1.0, trees=2) == pytest.approx(q)
    uneven = np.array([0.2, 0.9])
    votes = depth.vote_law(1, 40, 2, uneven, 1.0, trees=2)
    by_hand = (uneven * votes + (1 - uneven) * (1 - votes)).mean()
    assert depth.forest_accuracy(1, 40, 2, uneven, 1.0, trees=2) == pytest.approx(by_hand)
    q3 = depth.vote_law(1, 60, 2, [0, 1], 1.0, trees=3)[1]
    assert q3 == pytest.approx(q)
    exact = q3**3 + 3 * q3**2 * (1 - q3)
    assert depth.forest_accuracy(1, 60, 2, [0, 1], 1.0, trees=3) == pytest.approx(exact)


@pytest.mark.parametrize(("d", "trees"), [(1, 1), (2, 3), (3, 5)])
def test_accuracy_of_the_forest_of_the_package(d, trees):
    """Features of two levels: 400 forests on fresh data, each scored on all eight points.

    The mean is within five standard errors: a false alarm in 1.7 million for each case. Odd numbers of
    trees: the forest gives a tied vote to the first class.
    """
    rng, n, target = np.random.default_rng(11 * d + trees), 24, np.array([0.0, 0.2, 0.9, 1.0])
    domain = Domain([Categorical([0, 1])] * 3)
    points = np.array(list(product((0, 1), repeat=3)))
    share = target[points.sum(1)]
    scores = []
    for _ in range(400):
        X = rng.integers(2, size=(rng.poisson(n), 3))
        y = (rng.random(len(X)) < target[X.sum(1)]).astype(int)
        forest = RandomDecisionForestClassifier(
            0.7,
            domain=domain,
            n_estimators=trees,
            max_depth=d,
            classes=[0, 1],
            random_state=int(rng.integers(2**32)),
        )
        one = forest.fit(X, y).predict(points) == 1
        scores.append(np.where(one, share, 1 - share).mean())
    error = np.std(scores, ddof=1) / 20
    expected = depth.forest_accuracy(d, n, 3, target, 0.7, trees, repeated=False)
    assert abs(np.mean(scores) - expected) < 5 * error


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 6), st.integers(1, 6), st.floats(0.01, 1e4), st.floats(0.01, 5), st.booleans())
def test_best_depth_by_search(m, k, n, epsilon, repeated):
    k = min(k, m)
    depths = range(60 if repeated else m + 1)
    accuracy = [depth.parity_accuracy(d, n, m, k, epsilon, repeated=repeated) for d in depths]
    best = depth.best_depth(n, m, k, epsilon, repeated=repeated)
    assert accuracy[best] == pytest.approx(max(accuracy), abs=1e-12)


def test_thresholds_by_hand():
    """Two features, one relevant: P_d = 1 - 2^-d, so the growth factors are 3/2, 7/6, 15/14."""
    edges = [depth.deeper_from(d, 2, 1) for d in range(4)]
    assert edges == pytest.approx([0, 4 * math.log(2), 8 * math.log(6), 16 * math.log(14)])
    assert depth.deeper_from(3, 6, 1, repeated=False) == pytest.approx(16 * math.log(3))
    assert [depth.deeper_from(d, 1, 1) for d in range(3)] == [0, math.inf, math.inf]
    assert depth.deeper_from(4, 4, 2, repeated=False) == math.inf
    assert depth.deeper_from(0, 9, 5) == depth.deeper_from(0, 9, 5, repeated=False) == 0


def test_best_depth_at_the_ends():
    assert depth.best_depth(0, 5, 2, 1.0) == 0
    assert depth.best_depth(1e-6, 9, 3, 1.0, repeated=False) == 6, "twice the relevant features"
    assert depth.best_depth(1e9, 9, 3, 1.0, repeated=False) == 9
    assert depth.best_depth(50, 5, 1, math.inf) == depth.best_depth(50 / -math.expm1(-1), 5, 1, 1.0)
    assert depth.best_depth(3000, 8, 2, 0.5, trees=30) == depth.best_depth(100, 8, 2, 0.5)


def test_effective_records():
    assert depth.effective_records(300, math.log(2), 3) == pytest.approx(50)
    assert depth.effective_records(7, math.inf) == 7


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: depth.relevant_tested(0, 1, 1), "features must be an integer of at least 1, got 0"),
        (lambda: depth.relevant_tested(2, 0, 1), "relevant must be an integer of at least 1, got 0"),
        (lambda: depth.relevant_tested(2, 3, 1), "relevant must be at most the number of features, 2"),
        (lambda: depth.relevant_tested(2, 1, -1), "depth must be an integer of at least 0, got -1"),
        (lambda: depth.deeper_from(3, 2, 1, repeated=False), "depth must be at most the number of"),
        (lambda: depth.effective_records(-1, 1.0), "n must be a finite number of at least 0, got -1"),
        (lambda: depth.effective_records(math.inf, 1.0), "n must be a finite number"),
        (lambda: depth.best_depth(9, 2, 1, 0.0), "epsilon must be a positive number, got 0.0"),
        (lambda: depth.best_depth(9, 2, 1, 1.0, trees=0), "trees must be an integer of at least 1"),
        (lambda: depth.vote_law(1, 9, 2, [0, 2], 1.0), "target must be probabilities"),
        (lambda: depth.vote_law(1, 9, 2, [0], 1.0), "target must be probabilities"),
        (lambda: depth.vote_law(1, 9, 2, [0, 1, 1, 0], 1.0), "relevant must be at most"),
        (lambda: depth.vote_law(1, 9, 2, [0, 1], math.inf), "epsilon must be a positive finite"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
