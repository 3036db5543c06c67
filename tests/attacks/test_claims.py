"""Claims of the chapter on attacks: a formula, a sampler or a forest that is broken is found out."""

import numpy as np
import pytest

from dplit.court import attacks, claims
from dplit.court.attacks import members
from dplit.court.attacks import run as attacks_run
from dplit.court.claims.attacks import bounds, noise
from dplit.mechanisms import Geometric, exact

OURS = claims.of("attacks")
true = {name: getattr(attacks, name) for name in attacks.__all__}


def verdict(name):
    return OURS[f"ours/{name}"].check().verdict


@pytest.mark.parametrize(
    ("name", "wrong", "claim"),
    [
        ("advantage_bound", lambda *a: 1.01 * true["advantage_bound"](*a), "advantage"),
        ("advantage_bound", lambda *a: 0.9 * true["advantage_bound"](*a), "advantage"),
        ("randomised_response", lambda e: true["randomised_response"](e / 2), "advantage"),
        ("advantage_bound", lambda e: 0.9 * true["advantage_bound"](e), "float-laplace/corrected"),
        ("advantage_bound", lambda e: 0.1 * true["advantage_bound"](e), "membership-proved"),
        ("membership_law", lambda *a: (1.0, 0.5), "membership-proved"),
        ("membership_law", lambda *a: (0.2, 0.0), "membership-open"),
        ("recovery_bound", lambda *a: 0.0, "reconstruction"),
        ("recovery_bound", lambda *a: 0.45, "reconstruction-published"),
        ("recovery_bound", lambda *a: 1.0, "reconstruction"),
        ("recovery_bound", lambda *a: 1.01 * true["recovery_bound"](*a), "reconstruction"),
    ],
)
def test_a_formula_that_is_wrong_fails(name, wrong, claim, monkeypatch):
    assert OURS[f"ours/{claim}"].verdict == "holds"
    monkeypatch.setattr(attacks, name, wrong)
    assert verdict(claim) == "fails"


def test_noise_on_a_grid_withstands_the_attack(monkeypatch):
    """Integers: every one is a double that 0 and 1 both reach, or that neither does."""

    class Rounded(noise.Laplace):
        def sample(self, values, *, rng):
            return Geometric(self.epsilon).sample(values.astype(int), rng=rng).astype(float)

    monkeypatch.setattr(noise, "Laplace", Rounded)
    assert verdict("float-laplace") == "holds"


def test_an_arg_max_of_gaps_withstands_the_attack(monkeypatch):
    class OfGaps(noise.PermuteAndFlip):
        def log_odds(self, scores):
            scores = np.asarray(scores)
            return super().log_odds(scores - scores.max(axis=-1, keepdims=True))

    monkeypatch.setattr(noise, "PermuteAndFlip", OfGaps)
    assert verdict("float-argmax") == "holds"


def test_noise_that_is_too_small_is_found_out(monkeypatch):
    drawn = exact.two_sided
    monkeypatch.setattr(exact, "two_sided", lambda rate, n, rng: drawn(3 * rate, n, rng))
    assert verdict("float-laplace/corrected") == "fails"


def test_coins_of_another_rate_are_found_out(monkeypatch):
    drawn = exact.permute_and_flip
    monkeypatch.setattr(exact, "permute_and_flip", lambda rate, *a: drawn(4 * rate, *a))
    assert verdict("float-argmax/corrected") == "fails"


def test_a_forest_that_spends_more_is_found_out(monkeypatch):
    forest = attacks.FORESTS["random, proved"]
    greedy = forest._replace(fit=lambda X, y, e, seed: forest.fit(X, y, 40 * e, seed))
    monkeypatch.setitem(members.FORESTS, "random, proved", greedy)
    assert verdict("membership-proved") == "fails"


def test_a_forest_that_tells_nothing_is_no_open_one(monkeypatch):
    forest = attacks.FORESTS["multinomial, published"]
    monkeypatch.setitem(members.FORESTS, "multinomial, published", forest._replace(statistic=lambda forest: 0.0))
    assert verdict("membership-open") == "fails"


def test_cuts_of_nothing_are_no_open_ones(monkeypatch):
    """Trees without a cut: all cells are alike, and the stored run doesn't repeat."""
    monkeypatch.setitem(attacks_run.GUESSES, "published cuts", lambda *a: np.eye(128, dtype=int)[:40].sum(0))
    assert verdict("reconstruction-published") == "fails"


def test_counts_without_noise_are_found_out(monkeypatch):
    drawn = bounds.one_table
    monkeypatch.setattr(bounds, "one_table", lambda kind, value, rng: drawn(kind, 10, rng))
    assert verdict("reconstruction") == "fails"
