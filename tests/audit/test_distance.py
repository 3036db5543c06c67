"""How far a mechanism is from the law that it should have: seen where it differs, and not where it doesn't."""

import math

import numpy as np

from dplit.court import audit
from dplit.mechanisms import Exponential, PermuteAndFlip

COUNTS = (3, 1, 0)


def distance(mechanism, law, seed=0):
    """Of the outcomes of a mechanism on these counts, 20,000 of them."""
    options = {"n_draws": 20_000, "confidence": 1 - 1e-9, "rng": np.random.default_rng(seed)}
    return audit.distance_from_law(mechanism, COUNTS, law, **options).epsilon


def reported(mechanism):
    return lambda counts, rng: int(mechanism.sample(counts, rng=rng))


def law_of(mechanism):
    return dict(enumerate(mechanism.pmf(COUNTS)))


def test_a_mechanism_has_its_own_law():
    for kind in (Exponential, PermuteAndFlip):
        assert distance(reported(kind(1.0)), law_of(kind(1.0))) == 0


def test_another_law_is_seen_and_the_distance_is_not_exaggerated():
    drawn, said = PermuteAndFlip(1.0), law_of(Exponential(1.0))
    true = max(abs(math.log(p / said[k])) for k, p in law_of(drawn).items())
    assert 0 < distance(reported(drawn), said) <= true


def test_an_outcome_that_the_law_has_not_is_infinitely_far():
    assert distance(lambda counts, rng: 7, law_of(Exponential(1.0))) == math.inf
