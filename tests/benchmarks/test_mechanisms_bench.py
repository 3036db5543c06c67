"""How long the laws and the samplers take. Time is measured here, never asserted."""

from __future__ import annotations

import numpy as np
import pytest

from dplit import Continuous, Domain
from dplit.mechanisms import Exponential, Geometric, Laplace, PermuteAndFlip

DRAWS = 1_000_000
rounds = {"rounds": 3, "warmup_rounds": 1}


@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.parametrize("mechanism", [Exponential, PermuteAndFlip])
def test_select(benchmark, mechanism, k):
    rng, scores = np.random.default_rng(0), np.arange(k) / k
    draws = benchmark.pedantic(lambda: mechanism(1.0).sample(scores, DRAWS, rng=rng), **rounds)
    assert draws.shape == (DRAWS,)


@pytest.mark.parametrize("mechanism", [Laplace, Geometric])
def test_noise(benchmark, mechanism):
    rng, values = np.random.default_rng(0), np.zeros(DRAWS, dtype=np.int64)
    draws = benchmark.pedantic(lambda: mechanism(1.0).sample(values, rng=rng), **rounds)
    assert draws.shape == (DRAWS,)


@pytest.mark.parametrize("shape", [(100_000, 10), (1, 100_000)])
@pytest.mark.parametrize("mechanism", [Exponential, PermuteAndFlip])
def test_law(benchmark, mechanism, shape):
    scores = np.random.default_rng(0).integers(0, 20, shape)
    law = benchmark.pedantic(lambda: mechanism(1.0).pmf(scores), **rounds)
    assert law.shape == shape


def test_encode(benchmark):
    domain = Domain([Continuous(0, 1)] * 10)
    X = np.random.default_rng(0).random((24_000, 10))
    assert benchmark(domain.encode, X).shape == X.shape
