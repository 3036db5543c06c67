"""Exact privacy losses: against closed forms, fractions and counting."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dplit.loss import compare_laws, privacy_loss, privacy_loss_witness, smallest_violation, worst_privacy_loss
from dplit.mechanisms import Exponential, Geometric, Laplace, PermuteAndFlip, SmoothExponential
from dplit.neighbours import count_vectors

EPSILONS = [0.1, 0.7, 1.0, 3.0]


# --- mechanisms at their declared epsilon


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_noise_on_a_count_loses_epsilon(epsilon):
    points = np.arange(-5, 8)
    for mechanism in (Laplace(epsilon).pdf, Geometric(epsilon).pmf):

        def law(count, density=mechanism):
            return density(points - count)

        assert privacy_loss(law, 0, 1) == pytest.approx(epsilon, rel=1e-12)
        assert privacy_loss(law, 0, 2) == pytest.approx(2 * epsilon, rel=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_permute_and_flip_loses_epsilon_exactly(epsilon):
    mechanism = PermuteAndFlip(epsilon, monotonic=True)
    worst = worst_privacy_loss(mechanism, count_vectors(6, 3))
    assert worst.loss == pytest.approx(epsilon, rel=1e-9)
    doubled = privacy_loss(mechanism, [3, 0], [2, 1])
    assert doubled == pytest.approx(2 * epsilon, rel=1e-9)
    halved = PermuteAndFlip(epsilon)
    worst = worst_privacy_loss(halved, count_vectors(6, 3), "replace-one")
    assert worst.loss <= epsilon * (1 + 1e-12)
    assert privacy_loss(halved, [3, 0], [2, 1]) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_exponential_mechanism_stays_below_epsilon_and_tends_to_it(epsilon):
    mechanism = Exponential(epsilon, monotonic=True)
    worst = worst_privacy_loss(mechanism, count_vectors(6, 3))
    assert 0 < worst.loss < epsilon
    gap = math.ceil(25 / epsilon)
    assert privacy_loss(mechanism, [gap, 0], [gap + 1, 0]) == pytest.approx(epsilon, rel=1e-9)
    # two scores move apart by one each: the non-monotonic worst case
    assert privacy_loss(Exponential(epsilon), [200 / epsilon, 1], [200 / epsilon + 1, 0]) == (
        pytest.approx(epsilon, rel=1e-9)
    )


def test_smooth_exponential_is_caught_at_its_smallest():
    found = smallest_violation(SmoothExponential(1.0), count_vectors(8, 2), 1.0)
    assert (found.data, found.neighbour, found.outcome) == ((1, 0), (2, 0), 1)

    def minority(gap):
        return 1 / (1 + math.exp(math.exp(gap) / 2))

    assert found.loss == pytest.approx(math.log(minority(1) / minority(2)), rel=1e-12)
    assert found.loss == pytest.approx(2.13130881, abs=1e-8)


def test_smooth_exponential_stays_exact_where_its_law_underflows():
    loss = privacy_loss(SmoothExponential(1.0), [8, 0], [9, 0])
    assert loss == pytest.approx((math.exp(9) - math.exp(8)) / 2, rel=1e-9)


def test_permute_and_flip_is_never_caught_and_an_endless_space_may_be_searched():
    space = count_vectors(7, 3)
    assert smallest_violation(PermuteAndFlip(1.0, monotonic=True), space, 1.0) is None
    endless = ([n] for n in range(10**9))
    found = smallest_violation(lambda c: [1 / (1 + c[0] ** 2), 1.0], endless, 0.9)
    assert (found.data, found.neighbour) == ((1,), (2,))


# --- laws of every kind


def test_impossible_outcomes():
    assert privacy_loss(lambda p: p, [0.5, 0.5, 0], [0.5, 0.5, 0]) == 0
    witness = privacy_loss_witness(lambda p: p, [0.5, 0.5, 0], [0.5, 0.4, 0.1])
    assert witness == (math.inf, 2, 0, 0.1)
    logs = compare_laws([0.0, -math.inf, -math.inf], [0.0, -math.inf, -3.0], log=True)
    assert (logs.loss, logs.outcome) == (math.inf, 2)


def test_fractions_and_mappings_are_compared_without_rounding():
    tiny = Fraction(1, 10**400)
    p, q = {"a": 1 - tiny, "b": tiny}, {"a": 1 - 2 * tiny, "b": tiny, "c": tiny}
    assert compare_laws(p, q) == (math.inf, "c", 0, tiny)
    q = {"a": 1 - 3 * tiny, "b": 3 * tiny}
    assert compare_laws(p, q) == (pytest.approx(math.log(3), rel=1e-15), "b", tiny, 3 * tiny)


def test_the_witness_of_a_joint_law_is_an_index():
    p = np.full((2, 3), 1 / 6)
    q = np.array([[1, 1, 1], [1, 1, 4]]) / 9
    assert compare_laws(p, q).outcome == (1, 2)


@given(st.lists(st.floats(1e-6, 1), min_size=3, max_size=3))
def test_loss_is_symmetric_and_zero_on_itself(weights):
    p, q = np.array(weights) / sum(weights), np.array([0.2, 0.3, 0.5])
    assert compare_laws(p, q).loss == compare_laws(q, p).loss
    assert compare_laws(p, p).loss == 0
    direct = max(abs(math.log(a / b)) for a, b in zip(p, q))
    assert compare_laws(p, q).loss == pytest.approx(direct, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: compare_laws([0.5, 0.5], [1.0]), "one shape"),
        (lambda: compare_laws([], []), "one shape"),
        (lambda: compare_laws([math.nan, 1], [0.5, 0.5]), "probabilities"),
        (lambda: compare_laws([-0.5, 1.5], [0.5, 0.5]), "probabilities"),
        (lambda: worst_privacy_loss(lambda c: [1.0], [[3]]), "at least one pair"),
        (lambda: smallest_violation(lambda c: [1.0], [[3]], -1), "epsilon must be"),
    ],
)
def test_errors_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_law_must_be_callable():
    with pytest.raises(TypeError, match="law must be callable"):
        privacy_loss([0.5, 0.5], 0, 1)
