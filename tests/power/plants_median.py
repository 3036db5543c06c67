"""Bugs of what a median forest releases."""

import math

import numpy as np

from tests.power._planting import LOUD, plants, rate_of, shifted, told, votes_more

AT, VOTES = "forests.releases", "mechanisms.bounded_mean.BoundedMean.sample"


def _both(rate):
    """The balance and what is explained, both at another rate."""

    def wrap(original):
        def careless(limits, median, choice, *rest):
            times = min(rate, LOUD)
            return original(limits, times * median, times * choice, *rest)[0], original(
                limits, median, choice, *rest
            )[1]

        return careless

    return wrap


def _first_twice(original):
    """The first record stands twice among those that trees are grown on."""

    def grow(domain, X, y, *rest, **options):
        return original(domain, np.append(X[:1], X, axis=0), np.append(y[:1], y), *rest, **options)

    return grow


TWICE = [("a record counted twice", "trees.median.grow_median_trees", _first_twice)]
for kind in ("MedianForestClassifier", "MedianForestRegressor"):
    plants(f"{kind}, median of a uniform column", f"{AT}.uniform_cut", rate_of("median"), elsewhere=TWICE)
    plants(f"{kind}, candidate", f"{AT}.candidates_cut", rate_of("median"), elsewhere=TWICE)
    for selection in ("exponential", "permute-and-flip"):
        plants(
            f"{kind}, choice of a column, {selection}",
            f"{AT}.candidates_cut",
            rate_of("gain_rate"),
            elsewhere=TWICE,
        )
        plants(f"{kind}, column and cut, {selection}", f"{AT}.joint_cut", _both, elsewhere=TWICE)
plants("MedianForestClassifier, class of a leaf", f"{AT}.flip", rate_of("epsilon"),
       told("counts", lambda counts: counts + np.array([1, 0])))  # fmt: skip
plants("MedianForestClassifier, class counts of a leaf", f"{AT}.laplace_counts", rate_of("epsilon"),
       told("counts", lambda counts: 2 * counts), shifted(0.2 * math.sqrt(2)))  # fmt: skip
plants("MedianForestRegressor, mean of a leaf", f"{AT}.proved_means", rate_of("epsilon"),
       told("stats", lambda stats: 2 * stats),
       elsewhere=[("biased by a fifth of its deviation", VOTES, votes_more)])  # fmt: skip
