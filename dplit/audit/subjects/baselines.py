"""The baselines in ``dplit audit``.

Trees that all read all records are independent draws of one tree, so one fit of many makes as many
draws. How records are shared out among the trees of a proved forest is audited elsewhere: it is
the same for all forests (``forest, independent trees``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import binom

from dplit.audit.blackbox import epsilon_lower_bound
from dplit.audit.subject import FALSE_ALARM, Subject, exact_worst, fitted_subject
from dplit.audit.subjects.median import cell
from dplit.neighbours import count_vectors, neighbouring_counts

DRAWS = (1500, 20_000, 100_000)  # for each effort; a tree each


@dataclass(frozen=True)
class _Trees:
    """Mechanism that grows one tree, and says what it released; many at once.

    Parameters
    ----------
    estimator : baseline
        With one tree; its `epsilon` is what the tree may spend.
    summary : callable
        Fitted estimator and number of a tree to an outcome.
    """

    estimator: object
    summary: object

    def draw_many(self, data, size, rng):
        """Outcomes of so many trees."""
        seed = int(rng.integers(2**32))
        many = {"n_estimators": size, "partitioned": False, "random_state": seed}
        epsilon = size * self.estimator.epsilon
        fitted = self.estimator.set_params(**many).set_params(epsilon=epsilon).fit(*data)
        self.estimator.set_params(epsilon=epsilon / size)
        return [self.summary(fitted, t) for t in range(size)]


def _released(fitted, t):
    """Root column, cell of its cut, and class, or cell of the mean, of every leaf of tree t."""
    trees = fitted.trees_
    root, leaves = trees.roots[t], slice(*trees.leaf_starts[t : t + 2])
    top = int(trees.feature[root]), cell(trees.threshold[root])
    if hasattr(fitted, "leaf_labels_"):
        return (*top, *fitted.leaf_labels_[leaves].tolist())
    return (*top, *map(cell, fitted.leaf_values_[leaves]))


def _number(fitted, t):
    """What the first leaf of tree t released: a mean, or the last class's count."""
    leaf = fitted.trees_.leaf_starts[t]
    if hasattr(fitted, "leaf_counts_"):
        return float(fitted.leaf_counts_[leaf, -1])
    return float(fitted.leaf_values_[leaf])


def _far(fitted, t):
    """Whether the first leaf's mean is two scales of its noise off, for one record at epsilon 0.2."""
    return bool(abs(_number(fitted, t) - 0.5) > 10.0)


def _tree(kind, data, change, summary=_released, draws=DRAWS, **options):
    """A tree of a baseline; what it declares is its budget, or what its paper says that it costs."""

    def bound(estimator, data, neighbour, effort, rng):
        return epsilon_lower_bound(
            _Trees(estimator, summary),
            data,
            neighbour,
            n_draws=effort.pick(*draws),
            confidence=1 - FALSE_ALARM,
            rng=rng,
        )

    return fitted_subject(bound, partial(_estimator, kind), data, change, n_estimators=1, **options)


def _estimator(kind):
    from dplit import baselines

    return getattr(baselines, kind)


# Exact losses of what is published -----------------------------------------------------------


def _published_depth(effort, rng):
    """The depth of JPW on eight columns, read off the number of records; declares epsilon 1."""
    from dplit import Continuous, Domain
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
    one, same = ([[0.5]], [0.5]), ("add", [0.5], 0.5)
    path, line = {"epsilon": 3.0, "max_depth": 1}, {"epsilon": 1.0, "max_depth": 0}
    published = {"accounting": "published"}
    for name, kind, data, change, options in (
        ("JPWClassifier", "JPWClassifier", (three, classes), added,
         {**line, "summary": _number}),
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
         {**line, "summary": _number}),
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
    # chances 0.135 and 0.018, of 1500 draws each: missed in fewer than 1 of 100,000 audits
    leak = {"summary": _far, "declared": 0.2, "epsilon": 0.2, "max_depth": 0, **published}
    leak["draws"] = (3000, 20_000, 100_000)
    for kind in ("DPExtraTreesRegressor", "DPRandomForestRegressor"):
        yield Subject(f"a tree of {kind}, published mean", "black box", "caught",
                      _tree(kind, one, same, **leak))  # fmt: skip
    yield Subject("JPW, published depth", "exact", "caught", _published_depth)
    yield Subject("RGV, ten trees that each spend epsilon", "exact", "caught",
                  partial(_trees_that_each_spend, 10))  # fmt: skip
