"""Zero-concentrated privacy: its nodes, and the conversion against other computations of the same."""

import json
import math

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from dplit import Continuous, Domain
from dplit.budget import (
    Bootstrap,
    Budget,
    Concentrated,
    Converted,
    EqualParts,
    Group,
    Leak,
    Parallel,
    Public,
    Sequence,
    Spend,
    delta_of,
    epsilon_of,
    rho_of,
)
from dplit.forests import BoostedForestClassifier, BoostedForestRegressor

CASES = [(1e-4, 1e-6), (0.01, 1e-6), (0.3, 1e-3), (0.3, 1e-9), (5.0, 1e-5), (40.0, 1e-6)]


def exact_delta(rho, epsilon):
    """Of the Gaussian mechanism of this rho, by its error functions (Balle and Wang 2018)."""
    mu = math.sqrt(2 * rho)
    away = norm.cdf(-epsilon / mu - mu / 2)
    return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * away


@pytest.mark.parametrize("rho, delta", CASES)
def test_the_conversion_is_the_infimum_over_orders(rho, delta):
    """On a fine grid of orders in fifty digits, from the formula for delta."""
    epsilon = epsilon_of(rho, delta)
    with mpmath.workdps(50):
        orders = [1 + mpmath.mpf(10) ** (mpmath.mpf(i) / 400) for i in range(-1200, 2400)]
        logs = [(a - 1) * (a * rho - epsilon) - mpmath.log(a - 1) + a * mpmath.log(1 - 1 / a) for a in orders]
        least = float(mpmath.exp(min(logs)))
    assert least == pytest.approx(delta, rel=1e-3)
    assert delta_of(rho, epsilon) == pytest.approx(delta, rel=1e-6)
    assert rho_of(epsilon, delta) == pytest.approx(rho, rel=1e-9)


@pytest.mark.parametrize("rho, delta", CASES)
def test_the_conversion_lies_above_the_gaussian_and_below_the_older_one(rho, delta):
    epsilon = epsilon_of(rho, delta)
    assert exact_delta(rho, epsilon) < delta
    older = rho + 2 * math.sqrt(rho * math.log(1 / delta))
    assert 0.5 * older < epsilon < older


def test_ends():
    assert epsilon_of(0, 1e-6) == 0 and epsilon_of(1.0, 0) == math.inf
    assert epsilon_of(math.inf, 1e-6) == math.inf == rho_of(math.inf, 1e-6)
    assert delta_of(10.0, 0.0) <= 1 and epsilon_of(1e-9, 0.5) == 0


def test_rho_of_nodes():
    test, noise = Spend("t", 0.4), Concentrated("n", 0.03)
    assert test.rho == pytest.approx(0.08) and noise.epsilon == math.inf
    both = Sequence("s", [test, noise, Public("p")])
    assert both.rho == pytest.approx(0.11) and both.epsilon == math.inf and both.delta == 0
    assert Sequence("s", [noise], copies=5).rho == pytest.approx(0.15)
    assert Parallel("p", [test, noise]).rho == pytest.approx(0.08)
    assert Group("g", both, 3).rho == pytest.approx(0.99)
    assert Sequence("s", [noise, Leak("l")]).rho == math.inf
    assert EqualParts("e", test, 3).rho == pytest.approx(EqualParts("e", test, 3).epsilon ** 2 / 2)


def test_a_converted_part_has_epsilon_and_delta():
    whole = Converted("c", Sequence("s", [Concentrated("n", 0.02)], copies=2), 1e-6)
    budget = Budget(whole)
    assert budget.epsilon == epsilon_of(0.04, 1e-6) and budget.delta == 1e-6
    assert "delta 1e-06" in str(budget) and "rho 0.04" in str(budget)
    assert "delta=1e-06" in repr(budget)
    plain = json.loads(json.dumps(budget.to_dict()))
    assert plain["delta"] == 1e-6 and plain["parts"][0]["rho"] == pytest.approx(0.04)
    twice = Sequence("two", [whole, whole])
    assert twice.delta == 2e-6 and twice.epsilon == 2 * whole.epsilon
    assert Parallel("p", [whole, Spend("s", 0.1)]).delta == 1e-6


def test_delta_of_a_group_by_hand():
    """(e, d) twice: P(S) <= e^e Q(S) + d <= e^e (e^e R(S) + d) + d."""
    whole = Converted("c", Concentrated("n", 0.02), 1e-6)
    group = Group("g", whole, 2)
    assert group.epsilon == 2 * whole.epsilon
    assert group.delta == pytest.approx(1e-6 * (1 + math.exp(whole.epsilon)))
    far = Converted("c", Concentrated("n", 300.0), 1e-6)
    assert Group("g", far, 2).delta == Group("g", far, 9).delta == 1.0


def test_trees_that_prove_nothing_cannot_be_built():
    whole = Converted("c", Concentrated("n", 0.02), 1e-6)
    for kind, more in ((EqualParts, (3,)), (Bootstrap, ())):
        with pytest.raises(ValueError, match=f"^part of {kind.__name__} must have delta 0"):
            kind("k", whole, *more)
    with pytest.raises(ValueError, match=r"^part must have delta 0"):
        Converted("c", whole, 1e-6)
    for delta in (-1e-9, 1.0, "1e-6", True, np.nan):
        with pytest.raises(ValueError, match=r"^delta must be"):
            Converted("c", Concentrated("n", 0.02), delta)
    with pytest.raises(ValueError, match=r"^delta must be positive"):
        Converted("c", Concentrated("n", 0.02), 0.0)
    for rho in (-0.1, "x", math.nan, True):
        with pytest.raises(ValueError, match=r"^rho must be"):
            Concentrated("n", rho)


@pytest.mark.parametrize("n_classes", [0, 2])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_fits_compose_in_rho(n_classes, neighbours):
    """Between the exact price of that many Gaussian mechanisms and the sum of the fits' epsilons."""
    domain, y = Domain({"x": Continuous(0, 1)}), [0, 1] * 50
    kind = BoostedForestClassifier if n_classes else BoostedForestRegressor
    schema = {"classes": [0, 1]} if n_classes else {"target_bounds": (0, 1)}
    options = {"domain": domain, "delta": 1e-7, "n_records": 10**6, "neighbours": neighbours, **schema}
    fits = [kind(0.5, **options, random_state=i).fit([[0.5]] * 100, y).budget_ for i in range(8)]
    total = sum(fits)
    assert total.delta == pytest.approx(8e-7) and total.epsilon == pytest.approx(4.0)
    joined, rho = total.converted(1e-6), 8 * rho_of(0.5, 1e-7)
    assert joined.delta == 1e-6 and joined.neighbours == neighbours
    assert exact_delta(rho, joined.epsilon) < 1e-6 < exact_delta(rho, 0.8 * joined.epsilon)
    assert joined.epsilon == pytest.approx(epsilon_of(rho, 1e-6), rel=1e-6)
    assert joined.epsilon < 0.5 * total.epsilon
    assert json.dumps(joined.to_dict()) and joined.notes == total.notes


def test_pure_fits_are_converted_where_it_pays_and_no_delta_is_exceeded():
    pure = Budget(Spend("a fit", 0.1))
    assert pure.converted(1e-6) is pure  # one of them costs less as it is
    many = sum([pure] * 400)
    assert many.converted(1e-6).epsilon == pytest.approx(epsilon_of(400 * 0.1**2 / 2, 1e-6))
    assert many.converted(1e-6).epsilon < 20 < many.epsilon
    paid = Budget(Converted("c", Concentrated("n", 0.02), 1e-3))
    assert paid.converted(1e-6).delta == 1e-6 and paid.converted(1e-6).epsilon > paid.epsilon
    grouped = Budget(Group("g", Converted("c", Concentrated("n", 0.02), 1e-6), 2))
    assert grouped.converted(1e-6).epsilon == pytest.approx(epsilon_of(0.08, 1e-6))
    with pytest.raises(ValueError, match="delta must be positive"):
        pure.converted(0.0)
