"""Bugs of what the median forests release."""

import math
from functools import wraps

import numpy as np

from dplit.court.power.releases.median import CLASSIFIER, LEAF, REGRESSOR
from tests.power._planting import plants, rate_of, shifted, told

TWICE = "a record counted twice"
BIAS = 0.2 * math.sqrt(2) / LEAF  # of a Laplace law's deviation


def _grown_on_one_more(original):
    """Trees read the first record twice."""

    @wraps(original)
    def careless(domain, X, y, *given, **named):
        return original(domain, np.vstack([X[:1], X]), np.append(y[:1], y), *given, **named)

    return careless


def _both_rates(rate):
    """Balance and squared error both weigh more."""
    return lambda original: rate_of("median")(rate)(rate_of("choice")(rate)(original))


def _voted(change):
    """`BoundedMean.sample` by ``change(original, mechanism, sums, counts, rng)``."""

    def wrap(original):
        @wraps(original)
        def careless(self, sums, counts, *, rng):
            return change(original, self, sums, counts, rng)

        return careless

    return wrap


def _louder_votes(rate):
    def change(original, mechanism, sums, counts, rng):
        louder = type(mechanism)(min(rate, 1e5) * mechanism.epsilon, mechanism.lower, mechanism.upper)
        return original(louder, sums, counts, rng=rng)

    return _voted(change)


def _cuts(release, place, rate):
    plants(release, place, rate, elsewhere=[(TWICE, "trees.median.grow_median_trees", _grown_on_one_more)])


for _estimator in (CLASSIFIER, REGRESSOR):
    _cuts(f"{_estimator}, median of a uniform column", "forests.releases.uniform_cut", rate_of("median"))
    _cuts(f"{_estimator}, candidate", "forests.releases.candidates_cut", rate_of("median"))
    for _selection in ("exponential", "permute-and-flip"):
        _cuts(f"{_estimator}, column and cut, {_selection}", "forests.releases.joint_cut", _both_rates)
        _cuts(f"{_estimator}, choice of a column, {_selection}", "forests.releases.candidates_cut",
              rate_of("gain_rate"))  # fmt: skip

plants(f"{CLASSIFIER}, class of a leaf", "forests.releases.flip", rate_of("epsilon"),
       copies=told("counts", lambda counts: counts + np.array([1, 0])))  # fmt: skip
plants(f"{CLASSIFIER}, class counts of a leaf", "forests.releases.laplace_counts", rate_of("epsilon"),
       copies=told("counts", lambda counts: counts + np.array([1, 0])), bias=shifted(BIAS))  # fmt: skip
plants(f"{REGRESSOR}, mean of a leaf", "mechanisms.BoundedMean.sample", _louder_votes,
       copies=_voted(lambda original, m, sums, counts, rng: original(m, sums, counts + 1, rng=rng)),
       bias=_voted(lambda original, *given: original(*given[:-1], rng=given[-1]) + BIAS))  # fmt: skip
