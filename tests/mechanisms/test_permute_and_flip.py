"""Permute-and-flip: its law against enumeration, high precision and the noisy arg-max, its privacy."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dplit.mechanisms import Exponential, PermuteAndFlip
from dplit.mechanisms import permute_and_flip as module

UNIT = PermuteAndFlip(1.0, monotonic=True)  # rate 1
score_lists = st.lists(st.floats(-30, 30), min_size=1, max_size=12)


def by_permutations(odds):
    """The law by walking through every order of the candidates, in fractions."""
    law = [Fraction(0)] * len(odds)
    orders = list(itertools.permutations(range(len(odds))))
    for order in orders:
        still_undecided = Fraction(1)
        for r in order:
            law[r] += still_undecided * odds[r]
            still_undecided *= 1 - odds[r]
    return [p / len(orders) for p in law]


def by_subsets(log_odds):
    """The law of exponential noise plus scores, by inclusion-exclusion over who exceeds the top.

    With scores at most 0 and the top at 0, candidate r wins at the value v with density
    exp(s_r - v) and the others stay below v with probability prod(1 - exp(s_i - v)): expand the
    product and integrate exp(-(m + 1) v) over v > 0 term by term.
    """
    law = []
    for r, own in enumerate(log_odds):
        others = [mpmath.exp(s) for i, s in enumerate(log_odds) if i != r]
        total = mpmath.mpf(0)
        for size in range(len(others) + 1):
            for subset in itertools.combinations(others, size):
                total += (-1) ** size * mpmath.fprod(subset) / (size + 1)
        law.append(mpmath.exp(own) * total)
    return law


def by_noise_quadrature(log_odds):
    """The law of exponential noise plus scores, integrated numerically over the winning value."""
    edges = sorted({0.0, *(float(s) for s in log_odds)})

    def density(r, v):
        own = mpmath.exp(log_odds[r] - v) if v >= log_odds[r] else mpmath.mpf(0)
        for i, s in enumerate(log_odds):
            if i != r:
                own *= 1 - mpmath.exp(s - v) if v >= s else 0
        return own

    return [mpmath.quad(lambda v, r=r: density(r, v), [*edges, mpmath.inf]) for r in range(len(edges))]


def by_polynomial(odds):
    """The law from the expanded polynomial, at a precision that survives its cancellations."""
    product = [mpmath.mpf(1)]
    for q in odds:
        product = [a - q * b for a, b in zip([*product, 0], [0, *product])]
    law = []
    for q in odds:
        quotient, carry = [], mpmath.mpf(0)
        for c in product[:-1]:  # divide by 1 - q t
            carry = c + q * carry
            quotient.append(carry)
        law.append(q * mpmath.fsum(c / (m + 1) for m, c in enumerate(quotient)))
    return law


@pytest.mark.parametrize("k", range(1, 7))
def test_the_rational_law_is_the_walk_through_every_permutation(k):
    for weights in itertools.islice(itertools.product([1, 2, 3, 7], repeat=k), 0, None, 6 ** max(0, k - 3)):
        odds = [Fraction(w, max(weights)) for w in weights]
        assert PermuteAndFlip.rational_law(list(weights)) == by_permutations(odds)


@pytest.mark.parametrize("k", range(1, 7))
def test_the_law_is_the_walk_through_every_permutation(k):
    rng = np.random.default_rng(k)
    for _ in range(5):
        odds = [Fraction(int(n), 1000) for n in rng.integers(1, 1001, k)]
        odds[int(rng.integers(k))] = Fraction(1)
        scores = [math.log(q) for q in odds]
        exact = np.array([float(p) for p in by_permutations(odds)])
        np.testing.assert_allclose(UNIT.pmf(scores), exact, rtol=1e-13)


@pytest.mark.parametrize(
    "scores", [[0.0, -0.3], [0.0, 0.0, -2.0], [-1.0, 0.0, -0.25, -7.5], [0.0, -1, -2, -3, -4, -40]]
)
def test_the_law_is_that_of_the_one_sided_noisy_argmax(scores):
    with mpmath.workdps(40):
        exact = by_subsets([mpmath.mpf(s) for s in scores])
        np.testing.assert_allclose(UNIT.pmf(scores), np.array(exact, dtype=float), rtol=1e-13)


def test_the_noisy_argmax_by_quadrature():
    scores = [0.0, -0.5, -1.75]
    exact = by_noise_quadrature(scores)
    np.testing.assert_allclose(UNIT.pmf(scores), np.array(exact, dtype=float), rtol=1e-12)


@pytest.mark.parametrize("k", [2, 40, 79, 80, 81, 82, 160])
@pytest.mark.parametrize("spread", [0.0, 0.1, 3.0, 50.0])
def test_many_candidates_against_high_precision(k, spread):
    scores = -spread * np.random.default_rng([k, int(spread)]).random(k)
    scores[0] = 0.0
    with mpmath.workdps(40 + k):
        exact = by_polynomial([mpmath.exp(mpmath.mpf(float(s))) for s in scores])
    np.testing.assert_allclose(UNIT.pmf(scores), np.array(exact, dtype=float), rtol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 80, 81, 1000, 100_000])
def test_ties_share_equally(k):
    np.testing.assert_allclose(UNIT.pmf(np.full(k, 3.0)), np.full(k, 1 / k), rtol=1e-12)


@pytest.mark.parametrize("k", [2, 81, 1000, 100_000])
def test_one_best_and_equal_others_in_closed_form(k):
    q = 1e-3
    best = -math.expm1(k * math.log1p(-q)) / (k * q)
    law = UNIT.pmf(np.r_[0.0, np.full(k - 1, math.log(q))])
    assert law[0] == pytest.approx(best, rel=1e-12)
    np.testing.assert_allclose(law[1:], (1 - best) / (k - 1), rtol=1e-10)


def test_rows_of_very_different_odds_do_not_disturb_each_other():
    rows = np.zeros((3, 5000))
    rows[1, 1:] = -800.0  # a single dominating candidate beside rows of ties
    rows[2] = np.linspace(-30, 0, 5000)
    law = UNIT.pmf(rows)
    for row, expected in zip(rows, law):
        np.testing.assert_allclose(UNIT.pmf(row), expected, rtol=1e-14)
    np.testing.assert_allclose(law.sum(axis=-1), 1.0, rtol=1e-12)


def test_logarithms_stay_exact_where_probabilities_underflow():
    scores = [0.0, -0.5, -1000.0, -1e6]
    with np.errstate(all="raise", under="ignore"):
        found = UNIT.logpmf(scores)
    with mpmath.workdps(60):
        exact = [mpmath.log(p) for p in by_subsets([mpmath.mpf(s) for s in scores])]
    np.testing.assert_allclose(found, np.array(exact, dtype=float), rtol=1e-14)
    assert (UNIT.pmf(scores)[2:] == 0).all()


@given(score_lists, st.randoms(use_true_random=False))
def test_permuting_the_scores_permutes_the_law(scores, random):
    order = list(range(len(scores)))
    random.shuffle(order)
    permuted = UNIT.pmf([scores[i] for i in order])
    np.testing.assert_allclose(permuted, UNIT.pmf(scores)[order], rtol=1e-12)


@given(score_lists)
def test_the_law_is_a_law_and_follows_the_scores(scores):
    law = UNIT.pmf(scores)
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    order = np.argsort(scores, kind="stable")
    assert (np.diff(law[order]) >= -1e-15).all()


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=12), st.integers(-1000, 1000))
def test_only_gaps_between_scores_matter(scores, shift):
    np.testing.assert_array_equal(UNIT.pmf(np.add(scores, shift)), UNIT.pmf(scores))


@given(score_lists, st.integers(0, 11), st.floats(0, 5))
def test_a_higher_score_is_reported_more_often(scores, which, more):
    which %= len(scores)
    raised = list(scores)
    raised[which] += more
    assert UNIT.pmf(raised)[which] >= UNIT.pmf(scores)[which] - 1e-14


@given(score_lists, st.floats(0.01, 5))
def test_never_errs_more_than_the_exponential_mechanism(scores, epsilon):
    best = np.asarray(scores) == max(scores)
    errors = [m(epsilon).pmf(scores)[~best].sum() for m in (PermuteAndFlip, Exponential)]
    assert errors[0] <= errors[1] + 1e-14
    losses = [m(epsilon).pmf(scores) @ (max(scores) - np.asarray(scores)) for m in (PermuteAndFlip, Exponential)]
    assert losses[0] <= losses[1] + 1e-12


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_exact_privacy_over_all_small_counts(classes, epsilon):
    counts = np.array(list(itertools.product(range(7 if classes < 4 else 5), repeat=classes)))
    one_more = np.eye(classes, dtype=int)
    log_law = PermuteAndFlip(epsilon, monotonic=True).logpmf
    added = np.abs(log_law(counts[:, None] + one_more) - log_law(counts)[:, None])
    assert added.max() <= epsilon * (1 + 1e-12)
    assert added.max() >= epsilon * (1 - 1e-12)  # attained: the rate cannot be raised


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_exact_privacy_under_replacement_over_all_small_counts(classes, epsilon):
    counts = np.array(list(itertools.product(range(1, 6), repeat=classes)))
    moves = np.eye(classes, dtype=int)[:, None] - np.eye(classes, dtype=int)[None]
    log_law = PermuteAndFlip(epsilon).logpmf
    loss = np.abs(log_law(counts[:, None] + moves.reshape(-1, classes)) - log_law(counts)[:, None])
    assert loss.max() <= epsilon * (1 + 1e-12)
    if classes == 2:
        assert loss.max() >= epsilon * (1 - 1e-12)  # attained
    else:
        assert loss.max() < epsilon  # approached when the other classes lie far behind
        far = math.ceil(80 / epsilon)
        rest = [0] * (classes - 2)
        loss = np.abs(log_law([far, far - 3, *rest]) - log_law([far - 1, far - 2, *rest])).max()
        assert loss == pytest.approx(epsilon, rel=1e-12)


def test_the_full_rate_is_attained_when_all_scores_may_move():
    log_law = PermuteAndFlip(1.0).logpmf
    loss = np.abs(log_law([9, 3, 1, 5]) - log_law([8, 4, 0, 4])).max()
    assert loss == pytest.approx(1.0, rel=1e-12)


def test_replace_one_at_the_add_remove_rate_costs_twice():
    log_law = PermuteAndFlip(1.0, monotonic=True).logpmf
    assert np.abs(log_law([1, 3]) - log_law([0, 4])).max() == pytest.approx(2.0, rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=8), st.data())
def test_private_for_any_change_of_scores_within_the_sensitivity(scores, data):
    size = len(scores)
    moves = data.draw(st.lists(st.floats(-1, 1), min_size=size, max_size=size))
    log_law = PermuteAndFlip(0.7).logpmf
    assert np.abs(log_law(np.add(scores, moves)) - log_law(scores)).max() <= 0.7 * (1 + 1e-12)
    log_law = PermuteAndFlip(0.7, monotonic=True).logpmf
    raised = np.add(scores, np.abs(moves))
    assert np.abs(log_law(raised) - log_law(scores)).max() <= 0.7 * (1 + 1e-12)


def test_draws_do_not_depend_on_the_block_size(monkeypatch):
    rows = np.random.default_rng(0).integers(0, 4, (7, 5))
    expected = UNIT.sample(rows, size=(3, 11), rng=np.random.default_rng(1))
    for block in (1, 13, 10**6):
        monkeypatch.setattr(module, "BLOCK", block)
        found = UNIT.sample(rows, size=(3, 11), rng=np.random.default_rng(1))
        np.testing.assert_array_equal(found, expected)
