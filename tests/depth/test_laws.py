"""Depths and empty leaves, against enumeration, fractions, quadrature and simulation."""

import math
from fractions import Fraction
from itertools import permutations, product
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from dplit import Categorical, Domain, claims, depth
from dplit.claims.depth import best as listed
from dplit.forests import RandomDecisionForestClassifier

ONE = Fraction(1)


@pytest.mark.parametrize(("s", "d"), [(1, 0), (1, 3), (2, 5), (3, 4), (4, 5), (5, 4), (6, 0)])
def test_law_of_untested_features_by_enumeration(s, d):
    """Every one of the s^d sequences of features, counted."""
    counts = np.bincount(
        [s - len(set(path)) for path in product(range(s), repeat=d)], minlength=s + 1
    )
    law = depth.untested_features(s, d, ONE)
    assert list(law) == [Fraction(int(c), s**d) for c in counts]
    assert depth.untested_features(s, d) == pytest.approx(counts / s**d, abs=1e-15)
    assert depth.expected_untested(s, d) == pytest.approx(
        float(sum(x * p for x, p in enumerate(law)))
    )


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 25))
def test_law_of_untested_features_by_stirling_numbers(s, d):
    """P(X = x) = C(s, x) sum_j (-1)^j C(s-x, j) (s-x-j)^d / s^d: inclusion and exclusion."""
    expected = [
        Fraction(
            comb(s, x)
            * sum((-1) ** j * comb(s - x, j) * (s - x - j) ** d for j in range(s - x + 1)),
            s**d,
        )
        for x in range(s + 1)
    ]
    assert list(depth.untested_features(s, d, ONE)) == expected


@pytest.mark.parametrize(("s", "r", "d"), [(2, 2, 3), (3, 2, 3), (1, 3, 4), (0, 3, 2), (2, 0, 4)])
def test_mixed_features_by_enumeration(s, r, d):
    """Every path of algorithm 2, with its probability: discrete features leave the urn."""

    def mean(urn, tested, left):
        if not left or not urn:
            return Fraction(s + r - len(tested))
        inner = (mean(urn if f < s else urn - {f}, tested | {f}, left - 1) for f in urn)
        return sum(inner) / len(urn)

    expected = mean(frozenset(range(s + r)), frozenset(), d)
    assert depth.expected_untested_mixed(s, r, d, ONE) == expected
    assert depth.expected_untested_mixed(s, r, d) == pytest.approx(float(expected))


def test_discrete_features_run_out():
    assert depth.expected_untested_mixed(0, 3, 7) == 0


@pytest.mark.parametrize("s", [*range(1, 41), 100, 1000])
def test_published_depth_is_the_smallest_below_half(s):
    d = depth.published_depth(s)
    mean = lambda d: s * Fraction(s - 1, s) ** d  # noqa: E731
    assert mean(d) < Fraction(s, 2) <= mean(d - 1)
    assert depth.table_depth(s) == d + 1


def test_discrete_features_add_half():
    assert [depth.published_depth(0, r) for r in range(5)] == [0, 1, 1, 2, 2]
    assert depth.table_depth(0, 22) == depth.published_depth(0, 22) == 11
    assert (depth.published_depth(6, 8), depth.table_depth(6, 8)) == (8, 9)


def test_table_4():
    """Typed in again from the paper: continuous, discrete, depth."""
    rows = "5 0 5,10 0 8,15 0 12,20 0 15,4 0 4,16 0 12,6 8 9,0 22 11,0 16 8,0 8 4".split(",")
    for s, r, printed in (map(int, row.split()) for row in rows):
        assert depth.table_depth(s, r) == printed == depth.published_depth(s, r) + (s > 0)


@pytest.mark.parametrize("d", range(1, 6))
@pytest.mark.parametrize("n", [0, 1, 2, 7, 40])
def test_empty_leaves_by_quadrature(n, d):
    """The volume is exp(-G) with G of the gamma law of shape d: integrate over it."""
    with mpmath.workdps(30):
        density = lambda g: g ** (d - 1) * mpmath.exp(-g) / mpmath.factorial(d - 1)  # noqa: E731
        exact = mpmath.quad(
            lambda g: (1 - mpmath.exp(-g)) ** n * density(g), [0, 1, 4, 12, 40, 120]
        )
    assert depth.empty_leaves(n, d) == pytest.approx(float(exact), rel=1e-10)


@given(st.integers(0, 12), st.integers(0, 6))
def test_empty_leaves_by_moments(n, d):
    exact = sum(Fraction((-1) ** k * comb(n, k), (k + 1) ** d) for k in range(n + 1))
    assert depth.empty_leaves(n, d) == pytest.approx(float(exact), rel=1e-12)


def test_empty_leaves_by_nested_harmonic_sums():
    """a_2(n) = H_{n+1}/(n+1), and a million records at depth 20 are a fraction of a second."""
    n = np.array([0, 1, 10, 1000])
    harmonic = [float(mpmath.harmonic(int(k) + 1)) / (k + 1) for k in n]
    assert depth.empty_leaves(n, 2) == pytest.approx(harmonic, rel=1e-12)
    with mpmath.workdps(30):
        density = lambda g: g**19 * mpmath.exp(-g) / mpmath.factorial(19)  # noqa: E731
        ends = [0, 8, 11, 13, 14, 15, 17, 20, 30, 60, 150]
        exact = mpmath.quad(lambda g: (1 - mpmath.exp(-g)) ** 10**6 * density(g), ends)
    assert depth.empty_leaves(10**6, 20) == pytest.approx(float(exact), rel=1e-9)


def grow(points, box, depth_left, rng):
    """Leaves and empty leaves of one random tree over points in a box: algorithm 2, in plain Python."""
    if not depth_left:
        return 1, int(not len(points))
    j = rng.integers(box.shape[1])
    cut = rng.uniform(*box[:, j])
    left, right = box.copy(), box.copy()
    left[1, j] = right[0, j] = cut
    below = points[:, j] < cut
    a = grow(points[below], left, depth_left - 1, rng)
    b = grow(points[~below], right, depth_left - 1, rng)
    return a[0] + b[0], a[1] + b[1]


def test_empty_leaves_by_growing_trees():
    """The mean over 1000 trees is within five standard errors: a false alarm in 1.7 million."""
    rng = np.random.default_rng(7)
    box = np.array([[0.0] * 3, [1.0] * 3])
    n, d = 30, 4
    shares = []
    for _ in range(1000):
        leaves, empty = grow(rng.random((n, 3)), box, d, rng)
        assert leaves == 2**d
        shares.append(empty / leaves)
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    assert abs(np.mean(shares) - depth.empty_leaves(n, d)) < 5 * error


@pytest.mark.parametrize("d", range(1, 6))
@pytest.mark.parametrize("n", [0, 1, 2, 7, 40])
def test_empty_leaf_visited_by_quadrature(n, d):
    """Shares of density 2u: the volume is exp(-G/2) with G of the gamma law of shape d."""
    with mpmath.workdps(30):
        density = lambda g: g ** (d - 1) * mpmath.exp(-g) / mpmath.factorial(d - 1)  # noqa: E731
        exact = mpmath.quad(
            lambda g: (1 - mpmath.exp(-g / 2)) ** n * density(g), [0, 1, 4, 12, 40, 120]
        )
    assert depth.empty_leaf_visited(n, d) == pytest.approx(float(exact), rel=1e-10)


def others(points, new, box, depth_left, rng):
    """How many of the points share the leaf of the new one: one path of algorithm 2, in plain Python."""
    for _ in range(depth_left):
        j = rng.integers(box.shape[1])
        cut = rng.uniform(*box[:, j])
        side = int(new[j] < cut)
        box[side, j] = cut
        points = points[(points[:, j] < cut) == side]
    return len(points)


def test_empty_leaf_visited_by_growing_paths():
    """3000 new records: the interval is at false-alarm rate 1e-9."""
    rng, draws, n, d = np.random.default_rng(3), 3000, 20, 5
    unit = np.array([[0.0] * 3, [1.0] * 3])
    empty = sum(
        not others(rng.random((n, 3)), rng.random(3), unit.copy(), d, rng) for _ in range(draws)
    )
    low, high = claims.interval(empty, draws)
    assert low <= depth.empty_leaf_visited(n, d) <= high
    assert depth.empty_leaf_visited(np.array([n, 0]), d).tolist() == [
        depth.empty_leaf_visited(n, d),
        1.0,
    ]


@pytest.mark.parametrize(("leaves", "n"), [(1, 0), (1, 3), (2, 3), (3, 4), (4, 2), (5, 3)])
def test_floors_by_enumeration(leaves, n):
    """Every placement of n records; uniform leaves attain both floors."""
    shares = [Fraction(leaves - len(set(p)), leaves) for p in product(range(leaves), repeat=n)]
    assert depth.empty_leaves_floor(n, leaves) == pytest.approx(float(min(shares)))
    assert depth.expected_empty_floor(n, leaves) == pytest.approx(float(sum(shares) / len(shares)))


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any),
    st.integers(0, 50),
)
def test_expected_floor_holds_for_any_probabilities(weights, n):
    shares = np.array(weights) / sum(weights)
    assert np.mean((1 - shares) ** n) >= depth.expected_empty_floor(n, len(weights)) - 1e-12


def trees(levels, d):
    """Number of leaves and probability of every tree, one by one."""
    if d == 0:
        return [(1, ONE)]
    found = []
    for i, level in enumerate(levels):
        children = trees(levels[:i] + levels[i + 1 :], d - 1)
        for combination in product(children, repeat=level):
            p = ONE / len(levels)
            for _, q in combination:
                p *= q
            found.append((sum(leaves for leaves, _ in combination), p))
    return found


@pytest.mark.parametrize(
    ("levels", "d"), [((2,), 1), ((2, 3), 1), ((3, 2, 2), 2), ((2, 4, 1), 2), ((5,), 0)]
)
def test_leaves_law_by_listing_trees(levels, d):
    law = depth.leaves_law(levels, d)
    exact = np.zeros(len(law))
    for leaves, p in trees(levels, d):
        exact[leaves] += float(p)
    assert law == pytest.approx(exact, abs=1e-14)


@pytest.mark.parametrize("d", range(5))
def test_mean_of_leaves_is_an_elementary_symmetric_polynomial(d):
    """E[L] = e_d(levels) / C(m, d); for Nursery, whose features' levels these are."""
    levels = (3, 5, 4, 4, 3, 2, 3, 3)
    e = np.poly1d([1])
    for level in levels:
        e = e * np.poly1d([level, 1])
    law = depth.leaves_law(levels, d)
    assert law @ np.arange(len(law)) == pytest.approx(e.coeffs[::-1][d] / comb(8, d))
    assert law.sum() == pytest.approx(1)


def test_a_returned_law_is_the_callers_own():
    depth.leaves_law((2, 2), 1)[:] = 0
    assert depth.leaves_law((2, 2), 1).sum() == 1


# What depth is best --------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "k", "d"), [(1, 1, 1), (3, 1, 2), (3, 2, 3), (4, 3, 3), (4, 4, 4)])
def test_relevant_tested_by_enumeration(m, k, d):
    for repeated, paths in (
        (True, [*product(range(m), repeat=d)]),
        (False, [*permutations(range(m), d)]),
    ):
        tested = [len({f for f in path if f < k}) for path in paths]
        law = depth.relevant_tested(m, k, d, repeated, ONE)
        assert list(law) == [Fraction(tested.count(t), len(paths)) for t in range(k + 1)]
        assert depth.relevant_tested(m, k, d, repeated) == pytest.approx([float(p) for p in law])


@pytest.mark.parametrize("d", [0, 1, 7])
def test_all_features_relevant_is_theorem_2(d):
    untested = depth.untested_features(5, d)
    assert depth.relevant_tested(5, 5, d)[::-1] == pytest.approx(untested, abs=1e-15)


TARGETS = {"parity": (0, 1, 0), "both": (0, 0, 1), "noisy": (0.1, 0.3, 0.8), "sign": (0, 1)}


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize(
    ("m", "d", "repeated"), [(2, 0, True), (2, 2, True), (3, 2, False), (2, 3, True), (2, 2, False)]
)
def test_accuracy_of_one_tree_by_listing_paths(target, m, d, repeated):
    for n, epsilon in ((2, 1.0), (25, 0.2)):
        expected = listed.listed_accuracy(d, n, m, target, epsilon, repeated)
        found = depth.forest_accuracy(d, n, m, target, epsilon, repeated=repeated)
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("gaps", [(0.0, 0.5), (3.0, 0.95), (40.0, 0.55), (2000.0, 0.52)])
def test_label_of_a_leaf_by_bessel_functions(gaps):
    """The difference of two Poisson counts has the law of Skellam; depth 0 is one leaf."""
    from scipy.stats import skellam

    records, share = gaps
    epsilon, d = 0.05, np.arange(-3000, 3001)
    tail = np.exp(-epsilon * abs(d)) / 2
    wins = np.where(d < 0, tail, 1 - tail)
    law = skellam.pmf(d, records * share, records * (1 - share)) if records else (d == 0) * 1.0
    found = depth.vote_law(0, records, 1, [share, share], epsilon)
    assert found == pytest.approx([law @ wins] * 2, abs=1e-9)


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
            0.7, domain=domain, n_estimators=trees, max_depth=d, classes=[0, 1], random_state=rng
        )
        one = forest.fit(X, y).predict(points) == 1
        scores.append(np.where(one, share, 1 - share).mean())
    error = np.std(scores, ddof=1) / 20
    expected = depth.forest_accuracy(d, n, 3, target, 0.7, trees, repeated=False)
    assert abs(np.mean(scores) - expected) < 5 * error


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 6), st.integers(1, 6), st.floats(0.01, 1e4), st.floats(0.01, 5), st.booleans()
)
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
    ("n", "d", "epsilon"), [(1000, 3, 1.0), (30_000, 7, 0.2), (500, 0, np.inf)]
)
def test_suggested_trees_has_the_largest_margin(n, d, epsilon):
    """By search: the mean margin of the vote over its deviation, sqrt(tau) (1 - exp(-n_eps / (tau 2^d)))."""
    records = n * -math.expm1(-epsilon) / 2**d
    found = minimize_scalar(
        lambda tau: math.sqrt(tau) * math.expm1(-records / tau),
        bounds=(records / 5, records), method="bounded", options={"xatol": 1e-9 * records},
    )  # fmt: skip
    assert depth.suggested_trees(n, d, epsilon) == pytest.approx(found.x, rel=1e-4)


def test_suggested_trees_in_the_forest_of_the_model():
    """No number of trees is better than one within a fifth below the suggested one."""
    n, m, d, e = 4000, 10, 5, 1.0
    rule = depth.suggested_trees(n, d, e)
    accuracy = {t: depth.forest_accuracy(d, n, m, [0, 1], e, t) for t in range(1, int(2 * rule), 2)}
    best = max(accuracy, key=accuracy.get)
    assert 0.8 * rule - 2 <= best <= rule + 2 and best > 30


def test_a_rule_that_is_best_would_hold(monkeypatch):
    """The check of the optimal depth has no verdict of its own."""
    found = claims.get("rdf/optimal-depth").check().counterexample
    assert (found["number"], found["relevant"], found["records a tree"]) == (2, 1, 1)
    assert found["best accuracy"] == pytest.approx(0.5 + 0.25 * -math.expm1(-0.5 * -math.expm1(-1)))
    monkeypatch.setattr(listed, "best_listed", lambda *case: ([0.9] * 9, 0))
    assert claims.get("rdf/optimal-depth").check().verdict == "holds"


@pytest.mark.parametrize(
    ("name", "change", "claim"),
    [
        (
            "deeper_from",
            lambda d, m, k, r=True: 1.01 * TRUE[0](d, m, k, r),
            "optimal-depth/corrected",
        ),
        ("parity_accuracy", lambda *a, **k: 1.001 * TRUE[1](*a, **k), "depth-accuracy"),
        ("vote_law", lambda *a, **k: 0.999 * TRUE[2](*a, **k), "depth-accuracy"),
        ("best_depth", lambda *a, **k: 1 + TRUE[3](*a, **k), "optimal-depth-settings"),
        ("empty_leaf_visited", lambda n, d: 1.001 * TRUE[4](n, d), "empty-unvisited/corrected"),
        ("untested_features", lambda s, d, one=1.0: TRUE[5](s, d + 1, one), "theorem-2-law"),
        ("table_depth", lambda s, r=0: depth.published_depth(s, r), "equation-16-path/corrected"),
    ],
)
def test_a_wrong_function_is_found_out(name, change, claim, monkeypatch):
    monkeypatch.setattr(depth, name, change)
    assert claims.get(f"rdf/{claim}").check().verdict == "fails"


TRUE = (
    depth.deeper_from, depth.parity_accuracy, depth.vote_law, depth.best_depth,
    depth.empty_leaf_visited, depth.untested_features,
)  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: depth.relevant_tested(0, 1, 1),
            "features must be an integer of at least 1, got 0",
        ),
        (
            lambda: depth.relevant_tested(2, 0, 1),
            "relevant must be an integer of at least 1, got 0",
        ),
        (
            lambda: depth.relevant_tested(2, 3, 1),
            "relevant must be at most the number of features, 2",
        ),
        (lambda: depth.relevant_tested(2, 1, -1), "depth must be an integer of at least 0, got -1"),
        (lambda: depth.deeper_from(3, 2, 1, repeated=False), "depth must be at most the number of"),
        (
            lambda: depth.effective_records(-1, 1.0),
            "n must be a finite number of at least 0, got -1",
        ),
        (lambda: depth.effective_records(math.inf, 1.0), "n must be a finite number"),
        (lambda: depth.best_depth(9, 2, 1, 0.0), "epsilon must be a positive number, got 0.0"),
        (lambda: depth.best_depth(9, 2, 1, 1.0, trees=0), "trees must be an integer of at least 1"),
        (lambda: depth.suggested_trees(9, -1, 1.0), "depth must be an integer of at least 0"),
        (lambda: depth.suggested_trees(-1, 1, 1.0), "n must be a finite number of at least 0"),
        (lambda: depth.vote_law(1, 9, 2, [0, 2], 1.0), "target must be probabilities"),
        (lambda: depth.vote_law(1, 9, 2, [0], 1.0), "target must be probabilities"),
        (lambda: depth.vote_law(1, 9, 2, [0, 1, 1, 0], 1.0), "relevant must be at most"),
        (lambda: depth.vote_law(1, 9, 2, [0, 1], math.inf), "epsilon must be a positive finite"),
        (
            lambda: depth.empty_leaf_visited(1.5, 2),
            "n must be whole numbers of at least 0, got 1.5",
        ),
        (lambda: depth.empty_leaf_visited(3, -1), "depth must be an integer of at least 0, got -1"),
        (lambda: depth.untested_features(0, 3), "s must be an integer of at least 1, got 0"),
        (lambda: depth.untested_features(3, -1), "depth must be an integer of at least 0, got -1"),
        (lambda: depth.expected_untested(2.5, 1), "s must be an integer of at least 1, got 2.5"),
        (lambda: depth.published_depth(-1), "continuous must be an integer"),
        (lambda: depth.table_depth(3, 0.5), "discrete must be an integer"),
        (lambda: depth.empty_leaves(-1, 2), "n must be whole numbers of at least 0, got -1"),
        (lambda: depth.empty_leaves(2.5, 2), "n must be whole numbers of at least 0, got 2.5"),
        (
            lambda: depth.leaves_law((2, 2), 3),
            "depth must be at most the number of features, 2, got 3",
        ),
        (lambda: depth.leaves_law((2, 0), 1), "levels must be an integer of at least 1, got 0"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()
