"""Utility of private medians, against enumeration in fractions, quadrature, mpmath and simulation."""

import math
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dplit import balance, occupancy, utility
from dplit.sensitivity import sse_of

THIRDS = (Fraction(0), Fraction(1, 2), Fraction(1))


def tree_error(targets, sizes):
    """Sum of squared errors of consecutive leaves, in fractions."""
    stops = np.cumsum(sizes).tolist()
    return sum(sse_of(targets[b - m : b]) for m, b in zip(sizes, stops))


def shapes_within(n, leaves, t):
    """Sizes of all trees of n records whose leaves are within t of n / leaves, and never below 0."""
    m = n // leaves
    every = product(range(max(m - t, 0), m + t + 1), repeat=leaves)
    return [sizes for sizes in every if sum(sizes) == n]


# A tree --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "depth", "t"), [(4, 1, 1), (8, 1, 2), (8, 2, 1), (8, 2, 2), (8, 3, 1)])
def test_worst_change_by_enumeration_with_targets_off_the_bounds(n, depth, t):
    """Targets 0, 1/2 and 1 in fractions: none between the bounds is worse than the formulas say."""
    m = n >> depth
    shapes = shapes_within(n, 2**depth, t)
    worst = worst_fall = Fraction(0)
    rng = np.random.default_rng(3)
    every = list(product(THIRDS, repeat=n))
    for i in rng.choice(len(every), size=min(3000 // len(shapes) + 5, len(every)), replace=False):
        before = tree_error(every[i], [m] * 2**depth)
        change = [tree_error(every[i], s) - before for s in shapes]
        worst, worst_fall = max(worst, *change), max(worst_fall, *(-c for c in change))
    alternating = [Fraction(i // m % 2) for i in range(n)]
    attained = max(tree_error(alternating, s) for s in shapes)
    exact = utility.worst_change(n, depth, t, 0, 1)
    assert float(attained) == pytest.approx(exact)
    assert worst <= attained and worst_fall <= attained
    assert exact < utility.change_bound(depth, t, 0, 1)


@cache
def overlap_change(shared, gained, lost):
    """Largest change of a leaf, over the numbers of ones in what it shares, gains and loses, R = 1."""
    worst = Fraction(0)
    for a, b, c in product(range(shared + 1), range(gained + 1), range(lost + 1)):
        after = Fraction((a + b) * (shared + gained - a - b), max(shared + gained, 1))
        before = Fraction((a + c) * (shared + lost - a - c), max(shared + lost, 1))
        worst = max(worst, abs(after - before))
    return worst


def moved_leaf(new, old):
    """`overlap_change` of a leaf that held the records `old` and then holds `new`."""
    new, old = set(new), set(old)
    return overlap_change(len(new & old), len(new - old), len(old - new))


@pytest.mark.parametrize(("n", "depth", "t"), [(8, 2, 1), (12, 2, 3), (16, 2, 1), (8, 3, 1)])
def test_leaf_change_by_enumeration_over_overlaps(n, depth, t):
    """Each leaf on its own, at every place that the sizes of the leaves before it allow."""
    m, leaves = n >> depth, 2**depth
    worst = [Fraction(0)] * leaves
    for sizes in shapes_within(n, leaves, t):
        for i, stop in enumerate(np.cumsum(sizes).tolist()):
            change = moved_leaf(range(stop - sizes[i], stop), range(i * m, i * m + m))
            worst[i] = max(worst[i], change)
    assert utility.leaf_change(n, depth, t, 0, 1) == pytest.approx([float(w) for w in worst])
    assert utility.leaf_change(n, depth, t, -2, 1) == pytest.approx([9 * float(w) for w in worst])


def test_leaf_shift_by_hand():
    assert utility.leaf_shift(1).tolist() == [1, 1]
    assert utility.leaf_shift(2).tolist() == [1, 2, 2, 1]
    assert utility.leaf_shift(3).tolist() == [1, 2, 3, 4, 4, 3, 2, 1]


def test_published_and_corrected_bounds_at_depth_two_and_three():
    """Corollary 1.1 equals the corrected bound at depth 2 and is half of it at depth 3, for R = 2B."""
    for depth, ratio in ((1, 0.5), (2, 1), (3, 2), (5, 8)):
        bound = utility.change_bound(depth, 3, -1, 1)
        assert bound / utility.published_change(depth, 3, -1, 1) == ratio
    assert utility.worst_change(48, 3, 1, -1, 1) == pytest.approx(36)
    assert utility.published_change(3, 1, -1, 1) == 32
    assert utility.published_leaf_change([0, 2], 0, 3).tolist() == [0, 72]


def one_leaf(n, depth, t):
    """Largest change of a leaf whose own size is within t, whatever the others', R = 1.

    An inner leaf may then begin anywhere, the outer two begin or end with the data.
    """
    m, leaves = n >> depth, 2**depth
    for i, held in product(range(leaves), range(max(m - t, 0), min(m + t, n) + 1)):
        last = n - held
        for start in {0: (0,), leaves - 1: (last,)}.get(i, range(last + 1)):
            yield moved_leaf(range(start, start + held), range(i * m, i * m + m))


def test_nothing_smaller_than_eight_records_of_one_column_breaks_theorem_1():
    for n, depth in ((2, 1), (4, 1), (6, 1), (4, 2)):
        for t in range((n >> depth) + 1):
            assert 4 * max(one_leaf(n, depth, t)) <= 4 * t
    assert 4 * max(one_leaf(8, 2, 0)) == 2


@pytest.mark.parametrize("n", [8, 12])
def test_an_inner_leaf_of_the_right_size_may_hold_any_records(n):
    """Then its change is that of trees on other columns, if the other leaves' sizes are free."""
    for t in range(n // 4 + 1):
        exact = float(max(one_leaf(n, 2, t)))
        assert exact == pytest.approx(utility.leaf_change_any(n, 2, t, 0, 1))


@pytest.mark.parametrize("n", [4, 6, 8])
def test_other_columns(n):
    """All subsets as leaves, targets 0, 1/2, 1 in fractions; and the worst tree at t = 0."""
    for t in range(2):
        sizes = range(n // 2 - t, n // 2 + t + 1)
        sets = [c for m in sizes for c in combinations(range(n), m)]
        ys = list(product((Fraction(0), Fraction(1)), repeat=n))
        worst = max(abs(sse_of([y[i] for i in c]) - sse_of(y[: n // 2])) for y in ys[:20] for c in sets)
        assert float(worst) <= utility.leaf_change_any(n, 1, t, 0, 1) + 1e-12
    assert utility.change_bound_any(n, -1, 1) == n


@pytest.mark.parametrize(("n", "depth", "t"), [(8, 2, 1), (12, 2, 2), (24, 3, 2)])
def test_worst_loss_by_enumeration(n, depth, t):
    sizes = np.array(shapes_within(n, 2**depth, t))
    for epsilon in (0.2, 2.0):
        noise = [sum(2 * 4 / (k * epsilon**2) for k in row) for row in sizes.tolist()]
        expected = (utility.alternating_change(sizes, -1, 1) + noise).max()
        assert utility.worst_loss(n, depth, t, epsilon, -1, 1) == pytest.approx(expected)
        assert expected <= utility.loss_bound(n, depth, t, epsilon, -1, 1)
    assert utility.leaf_noise(sizes, 2.0, -1, 1) == pytest.approx(noise)
    assert utility.leaf_noise([2, 0], 1.0, 0, 1) == math.inf


def test_alternating_change_by_counting():
    sizes = [(4, 0, 1, 3), (1, 2, 3, 2), (2, 2, 2, 2), (8, 0, 0, 0)]
    targets = [Fraction(i // 2 % 2) for i in range(8)]
    expected = [float(tree_error(targets, s)) for s in sizes]
    assert utility.alternating_change(sizes, 0, 1) == pytest.approx(expected)


def test_loss_bound_by_hand():
    """M = 4, t = 2, depth 2, R = 1, epsilon 1: 4 * 2 + 8 * 4 / 12; half the leaves of 2, half of 6."""
    assert utility.loss_bound(16, 2, 2, 1.0, 0, 1) == pytest.approx(8 + 8 / 3)
    assert utility.leaf_noise([2, 2, 6, 6], 1.0, 0, 1) == pytest.approx(8 / 3)
    assert utility.published_loss(16, 2, 2, 1.0, 0, 1) == pytest.approx((4 + 1 / 2) * 8)


def test_zeta_and_the_chance_of_any_leaf_by_enumeration():
    """All shapes of a tree of depth 2 with their probabilities, from the rank law."""
    n, rate, t, tail, some = 8, 1.3, 2, 0.0, 0.0
    weights = [[math.exp(-rate / 2 * abs(m - 2 * j)) for j in range(m + 1)] for m in range(n + 1)]
    for j in range(n + 1):
        for a, b in product(range(j + 1), range(n - j + 1)):
            p = weights[n][j] / sum(weights[n])
            p *= weights[j][a] / sum(weights[j]) * weights[n - j][b] / sum(weights[n - j])
            off = [abs(m - 2) >= t for m in (a, j - a, b, n - j - b)]
            tail, some = tail + p * off[0], some + p * any(off)
    assert utility.zeta(n, 2, rate, t) == pytest.approx(2 * tail)
    assert occupancy.any_leaf_tail(n, 2, rate, t) == pytest.approx(some)
    assert 2 * tail < some <= 4 * tail


# One split -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 5, 6])
def test_worst_split_change_by_enumeration(n):
    """All targets 0, 1/2, 1 in fractions, all places of the split, both ends included."""
    worst, half = [Fraction(0)] * (n + 1), n // 2
    for y in product(THIRDS, repeat=n):
        before = sse_of(y[:half]) + sse_of(y[half:])
        for k in range(n + 1):
            worst[k] = max(worst[k], sse_of(y[:k]) + sse_of(y[k:]) - before)
    assert utility.worst_split_change(n, 0, 1) == pytest.approx([float(w) for w in worst])


@pytest.mark.parametrize("epsilon", [0.1, 2.0])
def test_split_loss_bound_is_met(epsilon):
    for n in (2, 3, 9, 10, 51, 100):
        loss = utility.worst_split_loss(n, epsilon, -2, 3)
        for t in (0.5, 1, 1.5, 2, 20):
            s = math.floor(t) + 1
            if 2 * s <= n:
                bound = utility.split_loss_bound(n, t, epsilon, -2, 3)
                assert loss[s : n - s + 1].max() == pytest.approx(bound)


def test_published_split_loss_by_hand_and_its_ratio():
    """N = 10, t = 2, B = 1, epsilon 2: 40 - 16 + 2; the appendix has 4 in place of 2."""
    assert utility.published_split_loss(10, 2, 2.0, 1.0) == 26
    assert utility.published_split_loss_appendix(10, 2, 2.0, 1.0) == 28
    quiet = utility.published_split_loss(10**6, 1, 1e3, 1.0)
    assert quiet / utility.split_loss_bound(10**6, 1, 1e3, -1, 1) == pytest.approx(4, rel=1e-4)
    loud = utility.published_split_loss(10**4, 4999, 1e-6, 1.0)
    assert 1 < loud / utility.split_loss_bound(10**4, 4999, 1e-6, -1, 1) < 1.001


def test_expected_sse_by_simulation():
    """Mean of 200,000 draws within 6.5 standard errors: false-alarm rate below 1e-9 each."""
    rng, y, epsilon = np.random.default_rng(11), np.array([0.0, 1, 1, 0, 1]), 0.9
    exact = utility.expected_sse(y.tolist(), epsilon, 0, 1)
    for k in (1, 2, 4):
        total = np.zeros(200_000)
        for block in (y[:k], y[k:]):
            noisy = block.mean() + rng.laplace(scale=1 / (len(block) * epsilon), size=len(total))
            total += ((block[:, None] - noisy) ** 2).sum(axis=0)
        assert abs(total.mean() - exact[k]) < 6.5 * total.std() / math.sqrt(len(total))


def test_expected_split_loss_by_simulation():
    rng, n, epsilon = np.random.default_rng(5), 9, 1.0
    law = balance.split_law((np.arange(n) + 0.5) / n, 0, 1, 0.4)
    y = np.array([0.0] * 4 + [1.0] * 5)
    exact = utility.expected_split_loss(law, epsilon, 0, 1)
    k = rng.choice(n + 1, size=200_000, p=law)
    draws = utility.expected_sse(y.tolist(), epsilon, 0, 1)[k]
    assert abs(draws.mean() - exact) < 6.5 * draws.std() / math.sqrt(len(draws))


# Labels --------------------------------------------------------------------------------------


@cache
def clipped_law(counts, epsilon):
    """Law of the label by mpmath, from the definition: counts below 0 set to 0, ties at 0 at random."""
    with mpmath.workdps(30):
        e, k = mpmath.mpf(epsilon), len(counts)

        def cdf(x, c):
            return mpmath.exp(e * (x - c)) / 2 if x < c else 1 - mpmath.exp(e * (c - x)) / 2

        def wins(x, j):
            others = mpmath.fprod(cdf(x, c) for i, c in enumerate(counts) if i != j)
            return e / 2 * mpmath.exp(-e * abs(x - counts[j])) * others

        edges = [*sorted({0, *counts}), mpmath.inf]
        tie = mpmath.fprod(cdf(0, c) for c in counts) / k
        return [float(tie + mpmath.quad(lambda x: wins(x, j), edges)) for j in range(k)]  # noqa: B023


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 4.0])
@pytest.mark.parametrize("counts", [(0, 0), (2, 5), (0, 3), (7, 7), (0, 0, 1), (4, 2, 2), (1, 3, 0, 3)])
def test_label_law_by_mpmath(counts, epsilon):
    exact = clipped_law(counts, epsilon)
    assert utility.label_law(counts, epsilon) == pytest.approx(exact, abs=1e-12)
    if len(counts) == 2:
        flip = utility.published_flip(max(counts) - min(counts), epsilon)
        assert flip == pytest.approx(exact[int(np.argmin(counts))], abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 400), min_size=2, max_size=6), st.floats(0.01, 20))
def test_label_law_is_a_law_and_below_its_bounds(counts, epsilon):
    law = utility.label_law(counts, epsilon)
    assert law.sum() == pytest.approx(1, abs=1e-11)
    assert (np.diff(law[np.argsort(counts)]) >= -1e-12).all()
    gaps = max(counts) - np.array(counts)
    top = int(np.argmax(counts))
    below = np.delete(law, top) - np.delete(utility.published_flip(gaps, epsilon), top)
    assert (below <= 1e-12).all()
    loss = utility.label_loss(counts, epsilon)
    assert loss <= utility.label_loss_bound(epsilon, len(counts)) + 1e-9


@pytest.mark.parametrize("epsilon", [0.003, 0.2, 0.9, 1.2, math.sqrt(2), 5.0])
def test_label_loss_bound_is_the_maximum_over_gaps(epsilon):
    gaps = np.arange(2000)
    worst = (gaps * utility.published_flip(gaps, epsilon)).max()
    assert utility.label_loss_bound(epsilon) == pytest.approx(worst)
    assert utility.label_loss_bound(epsilon, 4) == pytest.approx(3 * worst)
    assert worst <= utility.WORST_LABEL_LOSS / epsilon * (1 + 1e-12)


def test_kappa_is_the_maximum():
    x = np.linspace(0, 10, 1_000_001)
    values = x * (x / 4 + 0.5) * np.exp(-x)
    assert values.max() == pytest.approx(utility.WORST_LABEL_LOSS, rel=1e-10)
    assert x[values.argmax()] == pytest.approx(utility.WORST_GAP, abs=1e-4)


def accuracy_by_law(leaves, epsilon):
    kept = sum(np.dot(clipped_law(tuple(leaf), epsilon), leaf) for leaf in leaves)
    return kept / sum(map(sum, leaves))


def test_expected_accuracy_by_mpmath():
    leaves = [(3, 1, 0), (0, 0, 5), (2, 2, 2)]
    assert utility.expected_accuracy(leaves, 0.6) == pytest.approx(accuracy_by_law(leaves, 0.6))


@pytest.mark.parametrize("n", [2, 5, 6])
def test_worst_accuracy_loss_over_all_labels(n):
    """All labels of two classes, the accuracy from the integrated law of each leaf."""
    worst, half, epsilon = np.zeros(n + 1), n // 2, 0.8
    for labels in product((0, 1), repeat=n):
        before = sum(max(labels[a:b].count(c) for c in (0, 1)) for a, b in ((0, half), (half, n)))
        for k in range(n + 1):
            leaves = [(part.count(0), part.count(1)) for part in (labels[:k], labels[k:])]
            worst[k] = max(worst[k], before / n - accuracy_by_law(leaves, epsilon))
    assert utility.worst_accuracy_loss(n, epsilon) == pytest.approx(worst, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 2), min_size=4, max_size=24), st.floats(0.05, 10), st.data())
def test_the_accuracy_bound_holds_for_three_classes(labels, epsilon, data):
    n = len(labels)
    k = data.draw(st.integers(1, n - 1))
    t = min(k, n - k) - 0.5

    def leaves(cut):
        return [[part.count(c) for c in range(3)] for part in (labels[:cut], labels[cut:])]

    before = sum(map(max, leaves(n // 2))) / n
    loss = before - utility.expected_accuracy(leaves(k), epsilon)
    assert loss <= utility.accuracy_loss_bound(n, t, epsilon, classes=3) + 1e-9


def test_no_accuracy_bound_is_above_that_of_a_guess():
    """At a tiny budget the label is a guess: one half of two equal classes, a quarter of four."""
    for classes in (2, 4):
        assert utility.accuracy_loss_bound(12, 1, 1e-4, classes) == 1 - 1 / classes
    guess = utility.expected_accuracy([[6, 0], [0, 6]], 1e-6)
    assert guess == pytest.approx(0.5, abs=1e-5)


# Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: utility.leaf_change(10, 2, 1, 0, 1), "n must"),
        (lambda: utility.leaf_change(8, 2, 3, 0, 1), "t must"),
        (lambda: utility.leaf_change(8, 0, 1, 0, 1), "depth"),
        (lambda: utility.worst_loss(8, 2, 2, 1.0, 0, 1), "t must"),
        (lambda: utility.worst_loss(8, 2, 1, -1.0, 0, 1), "epsilon"),
        (lambda: utility.published_loss(8, 2, 2, 1.0, 0, 1), "t must"),
        (lambda: utility.published_leaf_change(1, 1, 0), "lower"),
        (lambda: utility.change_bound(2, 1, math.nan, 0), "lower"),
        (lambda: utility.alternating_change([1, 2], 0, 1), "sizes"),
        (lambda: utility.alternating_change([0, 0], 0, 1), "sizes"),
        (lambda: utility.published_split_loss(10, 5, 1.0, 1.0), "t must"),
        (lambda: utility.published_split_loss(10, 2, 1.0, 0.0), "bound"),
        (lambda: utility.split_loss_bound(5, 2, 1.0, 0, 1), "t must"),
        (lambda: utility.expected_sse([0.0, 2.0], 1.0, 0, 1), "targets"),
        (lambda: utility.expected_split_loss([0.5, 0.6, 0], 1.0, 0, 1), "law"),
        (lambda: utility.published_flip(-1, 1.0), "gap"),
        (lambda: utility.published_accuracy_loss(1, 0.4, 1.0), "purity"),
        (lambda: utility.label_law([[1, 2]], 1.0), "counts"),
        (lambda: utility.label_loss_bound(1.0, 1), "classes"),
        (lambda: utility.expected_accuracy([[0, 0]], 1.0), "leaves"),
        (lambda: utility.worst_accuracy_loss(1, 1.0), "n must"),
    ],
)
def test_errors_name_the_argument(call, name):
    with pytest.raises(ValueError, match=name):
        call()
