"""Data sets of few records for this chapter's searches, and both multinomials in fractions.

A record of `TWO_FEATURES` is (a, b, y): two binary features and a class. A node may hold copies of the
second feature, so that any number of features is searched with eight kinds of records.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from itertools import product

import numpy as np

from dplit.neighbours import data_sets, neighbouring_data

TWO_FEATURES = tuple(product((0, 1), repeat=3))
RELATIONS = ("add-remove", "replace-one")


def near(universe, neighbours):
    """The neighbours of a data set of this universe, as `dplit.loss` wants them."""
    return partial(neighbouring_data, universe=universe, neighbours=neighbours)


def gini_mass(labels):
    """Records times Gini impurity, as a fraction."""
    n = len(labels)
    squares = sum(labels.count(c) ** 2 for c in set(labels))
    return n - Fraction(squares, n) if n else Fraction(0)


def decreases(records, column, cuts):
    """Impurity decreases (equation 4) of cuts of one column, in fractions; records end in a class."""
    labels = [r[-1] for r in records]
    found = []
    for cut in cuts:
        sides = [[r[-1] for r in records if (r[column] < cut) == left] for left in (True, False)]
        found.append((gini_mass(labels) - sum(map(gini_mass, sides))) / len(records))
    return found


def stretched(scores):
    """Min-max normalised scores, in fractions; alike scores are 0."""
    low, high = min(scores), max(scores)
    return [Fraction(s - low, 1) / (high - low) if high > low else Fraction(0) for s in scores]


def softmax(scores, budget):
    """Law of one multinomial, from normalised scores."""
    weights = np.exp(budget / 2 * np.array([float(s) for s in scores]))
    return weights / weights.sum()


@cache
def two_scores(records):
    """Normalised scores of both binary features, or None where one of them has no cut."""
    if any(len({r[j] for r in records}) < 2 for j in (0, 1)):
        return None
    return tuple(stretched([decreases(records, j, [Fraction(1, 2)])[0] for j in (0, 1)]))


def feature_law(records, features, budget):
    """Law of the feature choice among one feature a and copies of b, every one with a cut."""
    a, b = two_scores(records)
    return softmax([a] + [b] * (features - 1), budget)


def splittable(n):
    """Data sets of at most n records in which both features have a cut, smallest first."""
    return [data for data in data_sets(TWO_FEATURES, n) if two_scores(data) is not None]
