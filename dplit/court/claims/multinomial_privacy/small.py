"""Data sets of few records for this chapter's searches, and both multinomials in fractions.

A record of `TWO_FEATURES` is (a, b, y): two binary features and a class. A node may hold copies of the
second feature, so that any number of features is searched with eight kinds of records.
"""

from fractions import Fraction
from functools import cache, partial
from itertools import product

import numpy as np

from dplit.court.claims.multinomial.small import decrease, gini, scores
from dplit.court.ledger.compare import need, private
from dplit.loss import smallest_violation
from dplit.neighbours import data_sets, neighbouring_data

TWO_FEATURES = tuple(product((0, 1), repeat=3))
BOTH = ((0, Fraction(1, 2)), (1, Fraction(1, 2)))  # tests of both features
RELATIONS = ADD, REPLACE = "add-remove", "replace-one"


def near(universe, neighbours):
    """The neighbours of a data set of this universe, as `dplit.loss` wants them."""
    return partial(neighbouring_data, universe=universe, neighbours=neighbours)


def violation(law, space, epsilon, near_by, **data):
    """The smallest pair of `space` that costs more than `epsilon`, as a comparison; or that there is none."""
    pair = smallest_violation(law, space, epsilon, near_by)
    if pair is None:
        return need(True)
    shown = {"data": str(pair.data), "neighbour": str(pair.neighbour), "outcome": str(pair.outcome)}
    return private(pair.loss, epsilon, **data, **shown)


def gini_mass(labels):
    """Records times Gini impurity, as a fraction."""
    return len(labels) * gini(labels)


def normalised(records, tests):
    """Normalised scores of tests (column, cut), in fractions; records end in a class, no records score 0."""
    labels = tuple(r[-1] for r in records)
    found = (decrease([r[j] for r in records], labels, cut) for j, cut in tests)
    return scores(list(found) if records else [0] * len(tests))


def softmax(stretched, budget):
    """Law of one multinomial, from normalised scores."""
    weights = np.exp(budget / 2 * np.array(stretched, dtype=float))
    return weights / weights.sum()


@cache
def two_scores(records):
    """Normalised scores of both binary features, or None where one of them has no cut."""
    if any(len({r[j] for r in records}) < 2 for j in (0, 1)):
        return None
    return normalised(records, BOTH)


def feature_law(records, features, budget):
    """Law of the feature choice among one feature a and copies of b, every one with a cut."""
    a, b = two_scores(records)
    return softmax([a] + [b] * (features - 1), budget)


def splittable(n):
    """Data sets of at most n records in which both features have a cut, smallest first."""
    return [data for data in data_sets(TWO_FEATURES, n) if two_scores(data) is not None]
