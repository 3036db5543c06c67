"""The baselines in ``dplit audit``.

Every draw is a fit of its own. Trees of one fit are not independent draws: a regressor pulls the mean
of each leaf towards one centre, which it computes from the votes of all trees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import binom

from dplit import Continuous, Domain
from dplit.court.audit.subject import BlackBox, Fits, Leak, Subject, exact_worst, named
from dplit.court.audit.subjects.median import first_tree
from dplit.neighbours import count_vectors, neighbouring_counts

DRAWS = (500, 8000, 50_000)  # for each effort; a fit each
LEAKING, OFF = 0.2, 1.4  # epsilon of a published mean, and where its event begins


def first_number(fitted):
    """Summary: what the first leaf released: a mean, or the last class's count."""
    if hasattr(fitted, "leaf_counts_"):
        return float(fitted.leaf_counts_[0, -1])
    return float(fitted.leaf_values_[0])


@dataclass(frozen=True)
class off:  # lower case: used as a function, an object so that processes can share it
    """Summary: whether the first leaf's mean is more than `OFF` scales of its noise from the true one, 0.5.

    The scale is that of one record, one by the leaf's rate; of two records it is half as long.
    """

    rate: float

    def __call__(self, fitted):
        """True or False."""
        return bool(abs(first_number(fitted) - 0.5) * self.rate > OFF)


def chances_off():
    """The probability of `off` for one record and for two, by the tail of the Laplace distribution."""
    return math.exp(-OFF), math.exp(-2 * OFF)


def _tree(kind, data, change, summary=None, **options):
    """A tree of a baseline; what it declares is its budget."""
    summary = summary or first_tree()
    options |= {"n_estimators": 1}
    return BlackBox(Fits(named("baselines", kind), data, change, summary, None, options), DRAWS)


def _published_mean(where, kind, rate=LEAKING):
    """A tree's published mean, one record at 0.5 and one more; it declares what its paper says."""
    one, same = ([[0.5]], [0.5]), ("add", [0.5], 0.5)
    options = {"epsilon": LEAKING, "n_estimators": 1, "max_depth": 0, "accounting": "published"}
    fits = Fits(named(where, kind), one, same, off(rate), LEAKING, options)
    return Leak(fits, LEAKING, chances_off)


# Exact losses of what is published -----------------------------------------------------------


def _published_depth(effort, rng):
    """The depth of JPW on eight columns, read off the number of records; declares epsilon 1."""
    from dplit.baselines.jpw import published_depth

    domain = Domain([Continuous(0, 1)] * 8)

    def law(n):
        return (np.arange(5) == published_depth(domain, n)).astype(float)

    return exact_worst(1.0, law, range(1, effort.pick(10, 30, 100)), lambda n: (n - 1, n + 1))


def _trees_that_each_spend(n_trees, effort, rng):
    """RGV of depth 0: how many trees report the second class, each by noisy counts; declares 1."""

    def law(counts):
        gap = (counts[0] - counts[1]) / 2  # the leaf has half of epsilon, 1
        behind = math.exp(-abs(gap)) * (2 + abs(gap)) / 4
        return binom.pmf(np.arange(n_trees + 1), n_trees, behind if gap > 0 else 1 - behind)

    space = count_vectors(effort.pick(3, 6, 12), 2)
    return exact_worst(1.0, law, space, partial(neighbouring_counts, neighbours="add-remove"))


def registered():
    """The subjects of this file."""
    three, classes, means = [[0.2, 0.9], [0.4, 0.1], [0.7, 0.6]], [0, 0, 1], [0.0, 0.0, 1.0]
    added, mean = ("add", [0.41, 0.59], 1), ("add", [0.41, 0.59], 1.0)
    # both columns tell the classes apart, until a record comes that only one of them explains
    pure, torn = ([[0.2, 0.2]] * 12 + [[0.8, 0.8]] * 12, [0] * 12 + [1] * 12), ([0.2, 0.8], 1)
    one = [[0.5]], [0.5]
    path, line = {"epsilon": 3.0, "max_depth": 1}, {"epsilon": 1.0, "max_depth": 0}
    published = {"accounting": "published"}
    for name, kind, data, change, options in (
        ("JPWClassifier", "JPWClassifier", (three, classes), added,
         {**line, "summary": first_number}),
        ("FSClassifier, add-remove", "FSClassifier", pure, ("add", *torn), path),
        ("FSClassifier, replace-one", "FSClassifier", pure, ("replace", *torn),
         {**path, "neighbours": "replace-one"}),
        ("FSClassifier, information gain, more records than the public number", "FSClassifier",
         pure, ("add", *torn), {**path, "operator": "information-gain", "public_n": 2}),
        ("FSClassifier, published accounting, its budget", "FSClassifier", pure, ("add", *torn),
         {**path, **published, "operator": "information-gain"}),
        ("RGVClassifier", "RGVClassifier", pure, ("add", *torn), path),
        ("DPExtraTreesClassifier", "DPExtraTreesClassifier", ([[0.5]] * 2, [0, 1]),
         ("add", [0.5], 1), line),
        ("DPExtraTreesRegressor", "DPExtraTreesRegressor", one, ("add", [0.5], 1.0),
         {**line, "summary": first_number}),
        ("DPRandomForestClassifier", "DPRandomForestClassifier", (three, classes), added, path),
        ("DPRandomForestClassifier, published accounting, its budget", "DPRandomForestClassifier",
         (three, classes), added, {**path, **published}),
        ("DPRandomForestRegressor", "DPRandomForestRegressor", (three, means), mean, path),
        ("DPDecisionForestClassifier", "DPDecisionForestClassifier", (three, classes), added, path),
        ("DPDecisionForestClassifier, published accounting, its budget", "DPDecisionForestClassifier",
         (three, classes), added, {**path, **published}),
    ):  # fmt: skip
        yield Subject(
            f"a tree of {name}", "black box", "within", _tree(kind, data, change, **options)
        )
    for kind in ("DPExtraTreesRegressor", "DPRandomForestRegressor"):
        yield Subject(f"a tree of {kind}, published mean", "black box", "caught",
                      _published_mean("baselines", kind))  # fmt: skip
    # a leaf of a median forest has half of epsilon, whatever the depth
    yield Subject("MedianForestRegressor, published mean", "black box", "caught",
                  _published_mean("forests", "MedianForestRegressor", LEAKING / 2))  # fmt: skip
    yield Subject("JPW, published depth", "exact", "caught", _published_depth)
    yield Subject("RGV, ten trees that each spend epsilon", "exact", "caught",
                  partial(_trees_that_each_spend, 10))  # fmt: skip
