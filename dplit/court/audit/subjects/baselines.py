"""The baselines in ``dplit audit``. Every draw is a fit of its own, since trees of one fit are not independent."""

import math
from functools import partial

import numpy as np
from scipy.stats import binom

from dplit import Continuous, Domain
from dplit.court.audit.subject import AR, RO, exact_worst, fits, leak, subject, subjects_of
from dplit.court.audit.subjects.median import first_tree
from dplit.neighbours import count_vectors, neighbouring_counts

DRAWS = (500, 8000, 50_000)  # for each effort; a fit each
LEAKING, OFF = 0.2, 1.4  # epsilon of a published mean, and where its event begins


def first_number(fitted):
    """Summary: what the first leaf released: a mean, or the last class's count."""
    if hasattr(fitted, "leaf_counts_"):
        return float(fitted.leaf_counts_[0, -1])
    return float(fitted.leaf_values_[0])


def off(rate, fitted):
    """Summary: whether the first leaf's mean is more than `OFF` scales of its noise from the true one, 0.5.

    The scale is that of one record, one by the leaf's rate; of two records it is half as long.
    """
    return bool(abs(first_number(fitted) - 0.5) * rate > OFF)


def chances_off():
    """The probability of `off` for one record and for two, by the tail of the Laplace distribution."""
    return math.exp(-OFF), math.exp(-2 * OFF)


def _published_mean(kind, rate=LEAKING):
    """A tree's published mean, one record at 0.5 and one more; it declares what its paper says."""
    one, same = ([[0.5]], [0.5]), ("add", [0.5], 0.5)
    options = {"epsilon": LEAKING, "n_estimators": 1, "max_depth": 0, "accounting": "published"}
    return leak(kind, one, same, partial(off, rate), LEAKING, chances_off, **options)


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
    return exact_worst(1.0, law, space, partial(neighbouring_counts, neighbours=AR))


def registered():
    """The subjects of this file."""
    classes = [[0.2, 0.9], [0.4, 0.1], [0.7, 0.6]], [0, 0, 1]
    means, one = (classes[0], [0.0, 0.0, 1.0]), ([[0.5]], [0.5])
    added, mean = ("add", [0.41, 0.59], 1), ("add", [0.41, 0.59], 1.0)
    # both columns tell the classes apart, until a record comes that only one of them explains
    pure, torn = (([[0.2, 0.2]] * 12 + [[0.8, 0.8]] * 12, [0] * 12 + [1] * 12), ("add", [0.2, 0.8], 1))
    path, line = {"epsilon": 3.0, "max_depth": 1}, {"epsilon": 1.0, "max_depth": 0}
    published, gain = {"accounting": "published"}, {"operator": "information-gain"}
    its_budget, forest = "published accounting, its budget", "DPDecisionForestClassifier"
    for name, data, change, options in (
        ("JPWClassifier", classes, added, line | {"summary": first_number}),
        ("FSClassifier, add-remove", pure, torn, path),
        ("FSClassifier, replace-one", pure, ("replace", *torn[1:]), path | {"neighbours": RO}),
        ("FSClassifier, information gain, more records than the public number",
         pure, torn, path | gain | {"public_n": 2}),
        (f"FSClassifier, {its_budget}", pure, torn, path | published | gain),
        ("RGVClassifier", pure, torn, path),
        ("DPExtraTreesClassifier", ([[0.5]] * 2, [0, 1]), ("add", [0.5], 1), line),
        ("DPExtraTreesRegressor", one, ("add", [0.5], 1.0), line | {"summary": first_number}),
        ("DPRandomForestClassifier", classes, added, path),
        (f"DPRandomForestClassifier, {its_budget}", classes, added, path | published),
        ("DPRandomForestRegressor", means, mean, path),
        (forest, classes, added, path),
        (f"{forest}, {its_budget}", classes, added, path | published),
    ):  # fmt: skip
        given = {"summary": first_tree, "n_estimators": 1} | options
        yield subject(f"a tree of {name}", fits(name.partition(",")[0], data, change, draws=DRAWS, **given))
    for kind in ("DPExtraTreesRegressor", "DPRandomForestRegressor"):
        yield subject(f"a tree of {kind}, published mean", _published_mean(kind))
    # a leaf of a median forest has half of epsilon, whatever the depth
    median = "MedianForestRegressor"
    yield subject(f"{median}, published mean", _published_mean(median, LEAKING / 2))
    ten = partial(_trees_that_each_spend, 10)
    yield from subjects_of(
        {"JPW, published depth": _published_depth, "RGV, ten trees that each spend epsilon": ten},
        expected="caught",
    )
