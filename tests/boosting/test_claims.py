"""Claims of the chapter on boosted forests: a formula that is broken is found out."""

import numpy as np
import pytest

from dplit import boosting, budget
from dplit.boosting import law, residuals
from dplit.budget import epsilon_of
from dplit.court import claims
from dplit.court.claims.boosting import choice, concentrated, steps
from dplit.mechanisms import DiscreteGaussian, PermuteAndFlip

OURS = claims.of("boosting")
true = {name: getattr(boosting, name) for name in boosting.__all__}


def verdict(name):
    return OURS[f"ours/{name}"].check().verdict


def smaller_reach(*ends):
    reach = true["class_reach"](*ends)
    return reach._replace(mass=reach.mass - 200)


def larger_reach(*ends):
    reach = true["class_reach"](*ends)
    return reach._replace(mass=reach.mass + 8)


def smaller_norm(*ends):
    return true["class_reach"](*ends)._replace(norm=0.7)


def nearest(scores, codes):
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares = np.rint(boosting.STEPS * weights / weights.sum(axis=-1, keepdims=True)).astype(int)
    own = codes[:, None] == np.arange(shares.shape[1])
    return own * boosting.STEPS - shares


@pytest.mark.parametrize(
    ("name", "wrong", "claim"),
    [
        ("class_reach", smaller_reach, "mass-two"),
        ("class_reach", smaller_reach, "mass-many"),
        ("class_reach", larger_reach, "mass-two"),
        ("class_reach", larger_reach, "mass-many"),
        ("class_reach", smaller_reach, "mass-clipped"),
        ("class_reach", larger_reach, "mass-clipped"),
        ("class_reach", smaller_norm, "gaussian-pairs"),
        ("clipped", lambda r, clip: r, "mass-clipped"),
        ("clipped", lambda r, clip: true["clipped"](r, clip // 2), "mass-clipped"),
        ("clipped", lambda r, clip: np.clip(r, -clip, clip), "mass-clipped"),
        ("class_residuals", lambda s, y: 2 * true["class_residuals"](s, y), "mass-two"),
        ("class_residuals", lambda s, y: true["class_residuals"](0.99 * s, y), "weighted"),
        ("class_residuals", nearest, "rounding"),
        ("worst_change", lambda r: int(abs(r).max()) + 1, "one-term"),
        ("newton_gain", lambda r, h: 0.9 * true["newton_gain"](r, h), "gain"),
        ("mass", lambda sums: 2 * true["mass"](sums), "gain"),
        ("step_error", lambda h, d, v, w: true["step_error"](h, d, 2 * v, w), "shrinkage"),
        ("best_weight", lambda h, d, v: 1.1 * true["best_weight"](h, d, v), "shrinkage"),
        ("best_rounds", lambda d, s, b, v: 1.1 * true["best_rounds"](d, s, b, v), "balance"),
        ("best_depth", lambda *a: 0.1 + true["best_depth"](*a), "balance"),
        ("posterior_steps", lambda *a: 1.1 * true["posterior_steps"](*a), "posterior"),
        ("tree_steps", lambda *a: 1.1 * true["tree_steps"](*a), "posterior"),
    ],
)
def test_a_formula_that_is_wrong_fails(name, wrong, claim, monkeypatch):
    assert verdict(claim) == OURS[f"ours/{claim}"].verdict
    monkeypatch.setattr(boosting, name, wrong)
    assert verdict(claim) == "fails"


def test_a_price_that_is_too_low_leaks(monkeypatch):
    monkeypatch.setattr(law, "class_reach", smaller_reach_by_half)
    found = OURS["ours/rounds-loss"].check()
    assert found.verdict == "leaks" and found.computed > found.published


def test_rounds_that_pay_too_much_are_found_out(monkeypatch):
    monkeypatch.setattr(law, "class_reach", larger_reach_by_half)
    assert verdict("rounds-loss") == "fails"


def larger_reach_by_half(*ends):
    reach = residuals.class_reach(*ends)
    return reach._replace(mass=2 * reach.mass)


def smaller_reach_by_half(*ends):
    reach = residuals.class_reach(*ends)
    return reach._replace(mass=reach.mass // 2)


@pytest.mark.parametrize(
    ("place", "name", "wrong", "claim", "found"),
    [
        (budget, "epsilon_of", lambda rho, delta: epsilon_of(rho / 2, delta), "converted", "leaks"),
        (budget, "epsilon_of", lambda rho, delta: 3 * epsilon_of(rho, delta), "converted", "fails"),
        (concentrated, "Exponential", lambda e, s: PermuteAndFlip(2 * e, s), "bounded-range", "leaks"),
        (concentrated, "DiscreteGaussian", lambda s: DiscreteGaussian(0.9 * s), "gaussian-pairs", "fails"),
    ],
)
def test_a_price_in_rho_that_is_wrong_is_found_out(place, name, wrong, claim, found, monkeypatch):
    assert verdict(claim) == "holds"
    monkeypatch.setattr(place, name, wrong)
    assert verdict(claim) == found


def test_rounds_meet_their_budget():
    found = OURS["ours/rounds-loss"].check()
    assert found.computed == pytest.approx(found.published, rel=1e-3)


def test_a_forest_that_draws_by_another_rate_is_found_out(monkeypatch):
    from dplit.forests import boosted_releases

    drawn = boosted_releases.choose_test
    monkeypatch.setattr(boosted_releases, "choose_test", lambda m, e, r, rng: drawn(m, 9 * e, r, rng))
    assert verdict("choice-drawn") == "fails"


def test_a_selection_that_is_no_permute_and_flip_is_found_out(monkeypatch):
    monkeypatch.setattr(choice, "PermuteAndFlip", choice.Exponential)
    assert verdict("regret") == verdict("monotone") == "fails"


def test_a_rule_that_is_far_off_loses(monkeypatch):
    """Rounds that are ten times too many lose against a fifth of them."""
    plan = boosting.plan

    def far(n, epsilon, classes):
        return plan(n, epsilon, classes)._replace(rounds=10 * plan(n, epsilon, classes).rounds)

    assert steps.against(0.2, 6, 2000, 4.0, 1) >= 5
    monkeypatch.setattr(boosting, "plan", far)
    assert steps.against(0.1, 4, 2000, 4.0, 1) == 0
