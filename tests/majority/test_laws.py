"""dplit.majority against distances, enumeration in fractions, mpmath, and a linear programme without symmetry.

One statistical test, at a false-alarm rate of 1e-6.
"""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import laplace

from dplit import majority
from dplit.court import claims
from dplit.court.claims import interval
from dplit.ground.errors import NEIGHBOURS
from dplit.mechanisms import Exponential, PermuteAndFlip

SOME_LEAF = st.lists(st.integers(0, 12), min_size=2, max_size=5)


def steps_between(x, y, neighbours):
    """Distance of two leaves: L1 norm, or the larger of what leaves and what comes."""
    moves = np.subtract(y, x)
    came, left = moves[moves > 0].sum(), -moves[moves < 0].sum()
    return came + left if neighbours == "add-remove" else max(came, left)


def definition_7(n, box, classes, neighbours, score):
    """Exponent of the smooth sensitivity of each leaf of at most n records, over a box of leaves."""
    leaves = list(product(range(box + 1), repeat=classes))
    inner = [x for x in leaves if max(x) < box]
    sensitive = [
        x for x in inner if any(score(y) != score(x) for y in leaves if steps_between(x, y, neighbours) == 1)
    ]
    return {x: min(steps_between(x, y, neighbours) for y in sensitive) for x in inner if sum(x) <= n}


def tied_score(x):
    return [c == max(x) for c in x]


def first_score(x):
    return [i == x.index(max(x)) for i in range(len(x))]


@pytest.mark.parametrize("claim", ["rosnam-is-em/corrected", "optimality-classes", "optimality-replace-one"])
def test_the_law_is_what_its_claim_computes_another_way(claim):
    """Flips and noise in fractions and by quadrature; certified programmes beside closed forms."""
    assert claims.of("majority")[f"rdf/{claim}"].check("reader").verdict == "holds"


# smooth sensitivity


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("classes", "n", "box"), [(2, 7, 9), (3, 4, 5)])
def test_smooth_sensitivity_is_definition_7(classes, n, box, neighbours):
    exponents = definition_7(n, box, classes, neighbours, tied_score)
    got = majority.smooth_sensitivity(list(exponents), 0.7, neighbours)
    np.testing.assert_allclose(got, np.exp(-0.7 * np.array(list(exponents.values()))))


@pytest.mark.parametrize(("classes", "n", "box"), [(2, 7, 9), (3, 4, 5)])
def test_first_listed_smooth_sensitivity_is_definition_7(classes, n, box):
    for x, exponent in definition_7(n, box, classes, "add-remove", first_score).items():
        got = majority.first_listed_smooth_sensitivity(x, 0.7)
        assert got == pytest.approx(math.exp(-0.7 * exponent))


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_search_agrees_with_the_distances(neighbours):
    for x, exponent in definition_7(4, 5, 3, neighbours, tied_score).items():
        got = majority.searched_smooth_sensitivity(x, 0.7, neighbours)
        assert got == pytest.approx(math.exp(-0.7 * exponent))


def test_smooth_sensitivity_by_hand():
    leaves = [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [5, 0]]
    by_hand = {"add-remove": [0, 0, 1, 2, 3, 4], "replace-one": [0, 0, 0, 1, 1, 2]}
    for neighbours, exponents in by_hand.items():
        got = majority.smooth_sensitivity(leaves, 1.0, neighbours)
        np.testing.assert_allclose(got, np.exp(-np.array(exponents, dtype=float)))


def test_one_class_is_never_sensitive():
    for neighbours in NEIGHBOURS:
        assert majority.smooth_sensitivity([3], 1.0, neighbours) == 0
        assert majority.searched_smooth_sensitivity([3], 1.0, neighbours) == 0
    assert majority.first_listed_smooth_sensitivity([3], 1.0) == 0


def test_published_is_no_bound_on_local_sensitivity():
    assert majority.published_smooth_sensitivity([1, 0], 1.0) == pytest.approx(math.exp(-1))
    assert tied_score((1, 0)) != tied_score((1, 1))  # one step changes the score by 1


def test_neighbouring():
    assert majority.neighbouring((1, 0)) == [(0, 0), (1, 1), (2, 0)]
    assert majority.neighbouring((1, 0), "replace-one") == [(0, 0), (0, 1), (1, 1), (2, 0)]
    assert majority.neighbouring((0, 0), "replace-one") == [(0, 1), (1, 0)]


@given(SOME_LEAF)
@settings(max_examples=50, deadline=None)
def test_neighbouring_is_symmetric_and_at_distance_one(counts):
    for neighbours in NEIGHBOURS:
        for y in majority.neighbouring(counts, neighbours):
            assert steps_between(counts, y, neighbours) == 1
            assert tuple(counts) in majority.neighbouring(y, neighbours)


# the published mechanism


def smooth_law(x, epsilon):
    """Its law in high precision, from equations 2, 7 and 8."""
    top, second = sorted(x)[-1], sorted(x)[-2]
    sensitivity = mpmath.exp(-mpmath.mpf(epsilon) * (top - second))
    weights = [mpmath.exp(mpmath.mpf(epsilon) * (c == top) / (2 * sensitivity)) for c in x]
    return [w / sum(weights) for w in weights]


def largest_losses(n, classes, epsilon):
    """Largest loss over all additions between leaves of at most n records, by the smaller gap."""
    worst = {}
    for x in majority.leaves(n - 1, classes):
        for c in range(classes):
            y = tuple(v + (i == c) for i, v in enumerate(x))
            ratios = [p / r for p, r in zip(smooth_law(x, epsilon), smooth_law(y, epsilon))]
            loss = max(abs(mpmath.log(r)) for r in ratios)
            j = min(sorted(z)[-1] - sorted(z)[-2] for z in (x, y))
            worst[j] = max(worst.get(j, 0), loss)
    return worst


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 1.7])
@pytest.mark.parametrize(("classes", "n"), [(2, 6), (3, 4), (4, 4), (5, 5)])
def test_loss_is_the_largest_over_all_moves(classes, n, epsilon):
    with mpmath.workdps(60):
        worst = largest_losses(n, classes, epsilon)
        for j in range(n):
            got = majority.smooth_exponential_loss(j, epsilon, classes)
            assert got == pytest.approx(float(worst[j]), rel=1e-9)


def test_loss_for_two_classes_in_closed_form():
    epsilon, j = 0.3, np.arange(12)
    a = epsilon / 2 * np.exp(epsilon * np.arange(13))
    closed = np.log((1 + np.exp(a[1:])) / (1 + np.exp(a[:-1])))
    closed[0] = np.log((1 + np.exp(a[1])) / 2)
    np.testing.assert_allclose(majority.smooth_exponential_loss(j, epsilon), closed)


def test_loss_where_floats_overflow():
    assert majority.smooth_exponential_loss(900, 1.0) == math.inf
    with mpmath.workdps(40):
        a = [mpmath.mpf(1) / 2 * mpmath.exp(g) for g in (300, 301)]
        assert majority.smooth_exponential_loss(300, 1.0) == pytest.approx(float(a[1] - a[0]))


@pytest.mark.parametrize(("epsilon", "classes"), [(0.05, 2), (0.5, 2), (1.0, 3), (2.0, 2)])
def test_first_violation_is_the_first(epsilon, classes):
    for bound in (epsilon, 2 * epsilon):
        j = majority.first_violation(epsilon, classes, bound)
        losses = majority.smooth_exponential_loss(np.arange(j + 1), epsilon, classes)
        assert losses[-1] > bound >= losses[:-1].max(initial=0)


def test_smallest_violation_by_hand():
    w = mpmath.exp(mpmath.exp(2))  # a_1 = (2/2) e^2: the empty leaf against one record
    assert majority.smooth_exponential_loss(0, 2.0) == pytest.approx(float(mpmath.log((1 + w) / 2)))
    assert majority.first_violation(2.0) == 0


@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_rescaled_loss_is_one_gap_late(epsilon):
    j = np.arange(2, 9)
    shifted = majority.smooth_exponential_loss(j - 1, epsilon)
    np.testing.assert_allclose(majority.rescaled_loss(j, epsilon), shifted)
    score = [1.0, 0.0]  # at gap 1 the scale is 1, at gap 2 it is e^-epsilon
    laws = [Exponential(epsilon, sensitivity=math.exp(-epsilon * d)).logpmf(score) for d in (0, 1)]
    assert majority.rescaled_loss(1, epsilon) == pytest.approx(np.abs(laws[0] - laws[1]).max())


@pytest.mark.parametrize(("classes", "n", "epsilon"), [(2, 12, 1.0), (3, 8, 1.0), (2, 20, 0.5), (4, 5, 2.0)])
def test_delta_is_the_largest_over_all_leaves(classes, n, epsilon):
    worst = 0.0
    for x in majority.leaves(n, classes):
        p = majority.smooth_exponential_law(x, epsilon)
        for y in majority.neighbouring(x):
            excess = p - math.exp(epsilon) * majority.smooth_exponential_law(y, epsilon)
            worst = max(worst, np.maximum(excess, 0).sum())
    assert majority.smooth_exponential_delta(epsilon, classes) == pytest.approx(worst, rel=1e-9)


def test_delta_falls_with_what_is_spent():
    deltas = [majority.smooth_exponential_delta(1.0, spent=s) for s in (0.5, 1.0, 2.0, 5.0, 20.0)]
    assert sorted(deltas, reverse=True) == deltas
    assert deltas[-1] > 0


# ROSNAM


@pytest.mark.parametrize("counts", [(1, 0), (3, 1), (2, 2, 0), (5, 4, 3, 0), (0, 0, 0)])
def test_replace_one_is_half_the_rate(counts):
    halved = majority.one_sided_law(counts, 1.4, "replace-one")
    np.testing.assert_allclose(halved, majority.one_sided_law(counts, 0.7))


def test_one_sided_law_is_the_noisy_argmax():
    """Simulated; each of three intervals misses with probability 3e-7."""
    rng, counts, draws = np.random.default_rng(8), np.array([4, 3, 1]), 200_000
    noise = rng.exponential(1 / 0.6, size=(draws, 3))
    reported = np.bincount((counts + noise).argmax(axis=1), minlength=3)
    for hits, p in zip(reported, majority.one_sided_law(counts, 0.6)):
        low, high = interval(int(hits), draws, error=3e-7)
        assert low <= p <= high


@given(SOME_LEAF, st.floats(0.05, 3))
@settings(max_examples=60, deadline=None)
def test_one_sided_law_is_private_and_above_the_bound(counts, epsilon):
    for neighbours in NEIGHBOURS:
        law = majority.one_sided_law(counts, epsilon, neighbours)
        for y in majority.neighbouring(counts, neighbours):
            ratio = law / majority.one_sided_law(y, epsilon, neighbours)
            assert np.abs(np.log(ratio)).max() <= epsilon * (1 + 1e-9)
    top, second = sorted(counts)[-1], sorted(counts)[-2]
    law = majority.one_sided_law(counts, epsilon)
    wrong = np.delete(law, np.argmax(counts)).sum()  # 1 less the other would lose its digits
    assert wrong >= majority.error_lower_bound(top - second, epsilon) * (1 - 1e-9)


def test_two_classes_meet_the_bound():
    for a, b in product(range(7), repeat=2):
        wrong = float(majority.one_sided_law([a, b], 0.4).min())
        assert wrong == pytest.approx(majority.gap_error(abs(a - b), 0.4))
        assert wrong == pytest.approx(majority.error_lower_bound(abs(a - b), 0.4))


def test_second_label_is_laplace_noise():
    d = np.arange(-6, 7)
    np.testing.assert_allclose(majority.second_label(d, 0.7), laplace.cdf(-d, scale=1 / 0.7))


@pytest.mark.parametrize("classes", [1, 2, 3, 6, 11])
def test_unanimous_error(classes):
    for n in (0, 1, 4, 40):
        with mpmath.workdps(80):
            q = mpmath.exp(-mpmath.mpf("0.75") * n)
            exact = float(1 - (1 - (1 - q) ** classes) / (classes * q))
        assert majority.unanimous_error(n, classes, 0.75) == pytest.approx(exact, rel=1e-12)


def test_a_negative_gap_is_an_error():
    with pytest.raises(ValueError, match="gap must be at least 0, got"):
        majority.gap_error([1, -2], 1.0)


# all data or a disjoint share


def deals(a, b, trees):
    """Every deal of a + b records to the trees: records of each class per tree."""
    for deal in product(range(trees), repeat=a + b):
        first, rest = deal[:a], deal[a:]
        yield [(first.count(t), rest.count(t)) for t in range(trees)]


def wrong_label(d, q):
    return q**d / 2 if d >= 0 else 1 - q**-d / 2


@pytest.mark.parametrize(("a", "b", "trees"), [(1, 0, 2), (3, 2, 2), (3, 1, 3), (4, 0, 4)])
def test_disjoint_error_over_every_deal(a, b, trees):
    q = Fraction(1, 2)
    errors = [wrong_label(i - k, q) for shares in deals(a, b, trees) for i, k in shares[:1]]
    exact = sum(errors) / len(errors)
    assert majority.disjoint_error(a, b, math.log(2), trees) == pytest.approx(float(exact))


@pytest.mark.parametrize(("a", "b", "trees"), [(1, 0, 2), (3, 2, 2), (3, 1, 3), (4, 0, 4)])
def test_disjoint_vote_over_every_deal_and_label(a, b, trees):
    q, total, number = Fraction(1, 2), Fraction(0), 0
    for shares in deals(a, b, trees):
        number += 1
        errors = [wrong_label(i - k, q) for i, k in shares]
        for labels in product((0, 1), repeat=trees):
            p = math.prod(e if wrong else 1 - e for e, wrong in zip(errors, labels))
            total += p * (Fraction(1, 2) if 2 * sum(labels) == trees else 2 * sum(labels) > trees)
    exact = float(total / number)
    assert majority.disjoint_vote_error(a, b, math.log(2), trees) == pytest.approx(exact)


@pytest.mark.parametrize("trees", [1, 2, 3, 4])
def test_all_data_vote_over_every_label(trees):
    error = math.exp(-0.9 * 2 / trees) / 2
    exact = 0.0
    for labels in product((0, 1), repeat=trees):
        p = math.prod(error if wrong else 1 - error for wrong in labels)
        exact += p * (0.5 if 2 * sum(labels) == trees else 2 * sum(labels) > trees)
    assert majority.all_data_error(3, 1, 0.9, trees) == pytest.approx(error)
    assert majority.all_data_vote_error(3, 1, 0.9, trees) == pytest.approx(exact)


def test_unanimous_share_over_every_deal():
    """In fractions, over every deal of four records to three trees, three classes, e^epsilon = 2."""
    error = [1 - PermuteAndFlip.rational_law([Fraction(2) ** i, 1, 1])[0] for i in range(5)]
    dealt = [sum(tree == 0 for tree in deal) for deal in product(range(3), repeat=4)]
    exact = sum(error[i] for i in dealt) / len(dealt)
    found = majority.unanimous_disjoint_error(4, 3, math.log(2), 3)
    assert found == pytest.approx(float(exact))


def test_shares_of_three_classes_turn_where_the_error_turns_convex():
    """Below log(4/3) a share is better; one tree makes no difference; far above it all data is."""
    for n, sign in ((1, -1), (40, 1)):
        share = majority.unanimous_disjoint_error(n, 3, 0.28, 2)
        assert np.sign(share - majority.unanimous_error(n, 3, 0.14)) == sign
    alone = majority.unanimous_disjoint_error(7, 4, 0.3, 1)
    assert alone == pytest.approx(float(majority.unanimous_error(7, 4, 0.3)))


@pytest.mark.parametrize(("n", "share"), [(0, 0.5), (1, 0.3), (5, 0.5), (6, 0.8), (4, 1.0)])
def test_expected_gap_over_every_sequence(n, share):
    p = Fraction(share).limit_denominator(10)
    exact = sum(
        math.prod(p if first else 1 - p for first in classes) * abs(2 * sum(classes) - n)
        for classes in product((0, 1), repeat=n)
    )
    assert majority.expected_gap(n, share) == pytest.approx(float(exact))


def test_a_share_is_between_0_and_1():
    with pytest.raises(ValueError, match=r"share must be a finite number from 0 to 1, got 1\.2"):
        majority.expected_gap(3, 1.2)


def test_one_tree_makes_no_difference():
    assert majority.disjoint_error(5, 3, 0.8, 1) == pytest.approx(math.exp(-1.6) / 2)
    assert majority.disjoint_vote_error(5, 3, 0.8, 1) == pytest.approx(math.exp(-1.6) / 2)


# the best private label


def direct_optimum(n, classes, epsilon, neighbours):
    """Least average error on the unanimous leaves, over all laws on all leaves, no symmetry used."""
    leaves = [x for x in product(range(n + 1), repeat=classes) if sum(x) <= n]
    if neighbours == "replace-one":
        leaves = [x for x in leaves if sum(x) == n]
    at = {x: i * classes for i, x in enumerate(leaves)}
    rows = []
    for x, y in product(leaves, repeat=2):
        if steps_between(x, y, neighbours) == 1:
            for c in range(classes):
                row = np.zeros(len(leaves) * classes)
                row[at[x] + c], row[at[y] + c] = 1, -math.exp(epsilon)
                rows.append(row)
    cost = np.zeros(len(leaves) * classes)
    for c in range(classes):
        unanimous = at[tuple(n * (i == c) for i in range(classes))]
        cost[[unanimous + i for i in range(classes) if i != c]] = 1 / classes
    totals = np.kron(np.eye(len(leaves)), np.ones(classes))
    return linprog(cost, rows, np.zeros(len(rows)), totals, np.ones(len(leaves))).fun


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize(("n", "classes"), [(1, 2), (4, 2), (5, 2), (3, 3), (2, 4)])
@pytest.mark.parametrize("epsilon", [0.4, 1.3])
def test_optimum_without_symmetry(n, classes, epsilon, neighbours):
    low, high = majority.optimal_bounds(n, classes, epsilon, neighbours)
    direct = direct_optimum(n, classes, epsilon, neighbours)
    assert low <= high
    assert low - 1e-8 <= direct <= high + 1e-8
    assert majority.optimal_error(n, classes, epsilon, neighbours) == pytest.approx(direct, abs=1e-8)


@pytest.mark.parametrize(("n", "classes", "epsilon"), [(4, 3, 0.3), (3, 4, 0.5), (4, 3, 1.5)])
def test_the_gap_law_is_private_and_optimal(n, classes, epsilon):
    """The optimum is attained by a mechanism on leaves of every size; here up to 2n records."""

    def law(x):
        return majority.gap_law(x, epsilon)

    unanimous = majority.gap_law([n] + [0] * (classes - 1), epsilon)
    assert 1 - unanimous[0] == pytest.approx(majority.optimal_error(n, classes, epsilon), rel=1e-7)
    for x in majority.leaves(2 * n, classes):
        assert np.ptp(np.delete(law(x), np.argmax(x))) < 1e-15
        assert law(x).sum() == pytest.approx(1)
        for y in majority.neighbouring(x):
            assert np.abs(np.log(law(x) / law(y))).max() <= epsilon * (1 + 1e-9)


def test_the_gap_law_by_hand():
    """e^epsilon = 4, three classes: h is 1/3, then min(4/3, 1 - 1/6) = 5/6, then 1 - 1/24."""
    law = majority.gap_law([[4, 4, 0], [5, 4, 4], [1, 0, 3], [0, 0, 0]], math.log(4))
    by_hand = [[1 / 3] * 3, [5 / 6, 1 / 12, 1 / 12], [1 / 48, 1 / 48, 23 / 24], [1 / 3] * 3]
    np.testing.assert_allclose(law, by_hand)
    assert majority.gap_law([3], 1.0) == pytest.approx([1.0])


def test_the_gap_law_of_two_classes_is_permute_and_flip():
    counts = np.array([[[5, 2], [2, 5], [3, 3]], [[0, 0], [0, 1], [9, 0]]])
    found = majority.gap_law(counts, 0.7)
    assert np.allclose(found, majority.one_sided_law(counts, 0.7))
    assert found.shape == counts.shape


def test_bounds_stay_bounds_when_the_solver_is_off():
    """The repairs prove their bounds for any proposal, however poor."""
    from dplit.majority.optimum import _Program

    program, rng = _Program(4, 3, 0.8, "add-remove"), np.random.default_rng(3)
    best = majority.optimal_error(4, 3, 0.8)
    for _ in range(5):
        totals = rng.normal(size=len(program.leaves))
        assert program.lower(totals, rng.normal(size=len(program.pairs))) <= best
        assert program.upper(rng.random(len(program.index)) + 1e-3) >= best


def test_arguments_are_named():
    with pytest.raises(ValueError, match="classes must be an integer of at least 2, got 1"):
        majority.smooth_exponential_loss(1, 1.0, classes=1)
    with pytest.raises(ValueError, match="n must be an integer of at least 1, got 0"):
        majority.optimal_error(0, 2, 1.0)
    with pytest.raises(ValueError, match="neighbours must be one of"):
        majority.smooth_sensitivity([1, 0], 1.0, "swap")
    with pytest.raises(ValueError, match="epsilon must be a positive number, got 0"):
        majority.smooth_exponential_delta(0)


def test_the_leak_of_the_published_label_grows_with_epsilon():
    """One record more in an empty leaf: the largest log-ratio of the two laws, past every stated epsilon."""
    losses = []
    for epsilon in (1.0, 3.0):
        before, after = (majority.smooth_exponential_law(np.array(leaf), epsilon) for leaf in ([0, 0], [0, 1]))
        losses.append(np.abs(np.log(before / after)).max())
    assert np.diff(losses) > 0 and losses[1] > 3.0
