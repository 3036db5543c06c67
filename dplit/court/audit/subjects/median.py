"""The median forests in ``dplit audit``: the exact law of one split, and fits drawn many times.

A split is held to what DiPriMe v2, section 3.1, says that it costs: one median and one choice,
however many columns compete. Fits have a handful of records, and nothing of a median forest may be
frozen between their draws: its cuts are noise (see `FreshFit`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np

from dplit.court.audit.estimators import FreshFit
from dplit.court.audit.subject import (
    AgainstLaw,
    BlackBox,
    Fits,
    Found,
    Lawful,
    Leak,
    Subject,
    named,
)
from dplit.domain import Categorical, Domain
from dplit.forests.partition import level_shares
from dplit.median import interval_law, rank_law
from dplit.median_forest import candidates

CELLS = 4  # of each released number, where an outcome is a tuple
MEDIAN = 1.0  # epsilon_s of a split
CHOICE = 1.0  # epsilon_a


# The law of one split --------------------------------------------------------------------------


def split_nodes(columns, effort):
    """(words, node, record) of splits to audit: `record` leaves `node`, its values stay.

    A large crossed node, small mirror nodes, and every node of few records that each occur twice.
    """
    yield "crossed", candidates.crossed(20_000, 160, 80, columns, (1e-65, 1e-30)), -1
    for zeros in range(1, effort.pick(4, 8, 16)):
        yield f"mirror {zeros}", candidates.mirror(zeros, zeros + 1, columns, 1e-3), -1
    places = list(product(*[(0.25, 0.75)] * columns, (0.0, 1.0)))
    for n in range(1, effort.pick(3, 4, 5)):
        for records in combinations_with_replacement(places, n):
            twice = np.repeat(np.array(records), 2, axis=0)
            for record in range(0, 2 * n, 2):
                node = candidates.Node(twice[:, :-1], twice[:, -1])
                yield f"record {record} of {twice.tolist()}", node, record


def _split(law, rate, declared, mechanism="exponential", columns=2):
    """A split of `columns` columns, each median at `MEDIAN` and a unit of SSE at `rate`."""

    def check(effort, rng):
        found = [
            (candidates.removal_loss(law, node, MEDIAN, rate, mechanism, record), words)
            for words, node, record in split_nodes(columns, effort)
        ]
        worst, where = max(found)
        return Found(declared, worst, f"{len(found)} pairs, the worst: {where}")

    return check


# Fits ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class first_tree:  # lower case: used as a function, an object so that processes can share it
    """Summary: root column, cell of its cut, and cell or class of every leaf of the first tree."""

    def __call__(self, fitted):
        """A tuple of integers; columns and targets lie in [0, 1]."""
        trees = fitted.trees_
        root = (int(trees.feature[0]), cell(trees.threshold[0]))
        leaves = slice(0, trees.leaf_starts[1])
        if hasattr(fitted, "leaf_labels_"):
            return (*root, *fitted.leaf_labels_[leaves].tolist())
        return (*root, *map(cell, fitted.leaf_values_[leaves]))


@dataclass(frozen=True)
class cut_between:
    """Summary: whether the first tree's root is cut inside an interval."""

    low: float
    high: float

    def __call__(self, fitted):
        """True or False."""
        return bool(self.low < fitted.trees_.threshold[0] <= self.high)


def cell(number):
    """Which of `CELLS` equal parts of [0, 1] it lies in, the ends reaching beyond; -1 for NaN."""
    return -1 if np.isnan(number) else int(np.clip(number * CELLS, 0, CELLS - 1))


def _fit(kind, data, change, summary, **options):
    """A fit of one tree; what it declares is its budget."""
    options |= {"n_estimators": 1}
    fits = Fits(named("forests", kind), data, change, summary, None, options)
    return BlackBox(fits, (500, 8000, 30_000))


def _by_rank(epsilon=1.0, rho=0.5, low=0.5, high=0.501):
    """A record just above another one: the published median, a rank, then falls between the two.

    It declares epsilon. The two laws of the cut are those of DiPriMe v1, algorithm 3.
    """
    options = {"epsilon": epsilon, "rho": rho, "max_depth": 1, "n_estimators": 1, "median": "rank"}
    options |= {"accounting": "published", "selection": "uniform"}
    fits = Fits(named("forests", "MedianForestClassifier"), ([[low]], [0]), ("add", [high], 0),
                cut_between(low, high), epsilon, options)  # fmt: skip

    def chances():
        share, _ = level_shares(epsilon, 1, rho)
        near = (high - low) / (1 - low)  # a share of the interval above the first record
        return rank_law(1, share)[1] * near, rank_law(2, share)[1]

    return Leak(fits, epsilon, chances)


THREE = [[0.2, 0.9], [0.4, 0.1], [0.7, 0.6]]


@dataclass(frozen=True)
class _root:
    """Summary: column and interval, between these records, of the first tree's root."""

    columns: tuple

    def __call__(self, fitted):
        """Column, and how many of its sorted values lie below the cut."""
        j, cut = int(fitted.trees_.feature[0]), fitted.trees_.threshold[0]
        return j, int(np.searchsorted(np.sort(self.columns[j]), cut))


def _own_law(selection, epsilon=8.0, rho=0.5):
    """Column and cut of a tree of depth 1 on three records, against the law of one joint draw."""

    def lawful():
        data = np.array(THREE), np.array([0.0, 0.0, 1.0])
        level, _ = level_shares(epsilon, 1, rho)
        rates = level / 2, level / 2
        probabilities = candidates.joint_law(candidates.Node(*data), *rates, selection)
        outcomes = product(range(2), range(len(THREE) + 1))
        law = dict(zip(outcomes, probabilities.tolist(), strict=True))
        options = {"epsilon": epsilon, "rho": rho, "max_depth": 1, "n_estimators": 1}
        options |= {"selection": selection, "max_features": 2}
        kind = named("forests", "MedianForestRegressor")
        fits = Fits(kind, data, ("add", THREE[0], 0.0), None, 1.0, options)
        summary = _root(tuple(map(tuple, np.array(THREE).T.tolist())))
        return Lawful(FreshFit(fits.estimator()), data, law, summary)

    return AgainstLaw(lawful, (2000, 20_000, 100_000))


def _uniform_law(epsilon=4.0, rho=0.5):
    """The cut of a tree of depth 1 on a single column, against the law of a private median."""

    def lawful():
        values = (0.4, 0.5, 0.6)
        level, _ = level_shares(epsilon, 1, rho)
        probabilities = interval_law(values, 0.0, 1.0, level).probabilities
        law = {(0, i): float(p) for i, p in enumerate(probabilities)}
        options = {"epsilon": epsilon, "rho": rho, "max_depth": 1, "n_estimators": 1}
        data = np.array(values)[:, None], np.array([0, 1, 1])
        kind = named("forests", "MedianForestClassifier")
        fits = Fits(kind, data, ("add", [0.5], 0), None, 1.0, {"selection": "uniform"} | options)
        return Lawful(FreshFit(fits.estimator()), data, law, _root((values,)))

    return AgainstLaw(lawful, (1000, 10_000, 100_000))


@dataclass(frozen=True)
class sides:
    """Summary: the leaf of the first tree that each level reaches, in a tree of one test."""

    levels: tuple

    def __call__(self, fitted):
        """A tuple of 0 and 1."""
        return tuple(fitted.apply([[level] for level in self.levels])[:, 0].tolist())


def _levels_law(selection, epsilon, rho=0.5):
    """The levels on each side of a test, against the law of one joint draw, summed by hand."""

    def lawful():
        levels, X, y = ("a", "b", "c"), [["a"], ["a"], ["b"], ["b"]], np.array([0.0, 0.0, 1.0, 0.5])
        level, _ = level_shares(epsilon, 1, rho)
        weights = {}
        for goes in product((0, 1), repeat=len(levels)):
            right = np.array([goes[levels.index(x)] for (x,) in X]) == 1
            parts = [part for part in (y[right], y[~right]) if len(part)]
            gain = sum(part.sum() ** 2 / len(part) for part in parts)
            odd = abs(len(y) - 2 * right.sum())
            joint = 0.0 if selection == "uniform" else level / 2
            weights[goes] = np.exp((level - joint) / 2 * -odd + joint * gain)
        law = {goes: w for goes, w in weights.items() if 0 < sum(goes) < len(levels)}
        law = {goes: float(w / sum(law.values())) for goes, w in law.items()}
        options = {"epsilon": epsilon, "rho": rho, "max_depth": 1, "n_estimators": 1}
        options |= {"selection": selection, "domain": Domain([Categorical(levels)])}
        kind, data = named("forests", "MedianForestRegressor"), (np.array(X, dtype=object), y)
        fits = Fits(kind, data, ("add", ["a"], 0.0), None, 1.0, options)
        return Lawful(FreshFit(fits.estimator()), data, law, sides(levels))

    return AgainstLaw(lawful, (1200, 10_000, 100_000))


def registered():
    """The subjects of this file."""
    total, published = MEDIAN + CHOICE, CHOICE / 2  # targets in [-B, B]: R^2/(8 B^2) = 1/2
    joint, several = candidates.joint_law, candidates.candidates_law
    for name, expected, check in (
        ("split, 2 private candidates as published", "caught", _split(several, published, total)),
        ("split, 2 private candidates, permute-and-flip as published", "caught",
         _split(several, published, total, "permute-and-flip")),
        ("split, 2 private candidates at the proved bound", "within",
         _split(several, published, 2 * MEDIAN + published)),
        ("split, uniform choice of 2 candidates", "within", _split(several, 0.0, MEDIAN)),
        ("split, column and cut in one draw", "within", _split(joint, CHOICE, total)),
        ("split, column and cut in one draw, permute-and-flip", "within",
         _split(joint, CHOICE, total, "permute-and-flip")),
    ):  # fmt: skip
        yield Subject(name, "exact", expected, check)
    three = THREE
    for selection in ("exponential", "permute-and-flip"):
        name = f"MedianForestRegressor draws its law, {selection}"
        yield Subject(name, "law", "within", _own_law(selection))
    for selection, epsilon in (("exponential", 3.0), ("uniform", 1.0)):
        name = f"MedianForestRegressor draws its law, levels, {selection}"
        yield Subject(name, "law", "within", _levels_law(selection, epsilon))
    name = "MedianForestClassifier draws its law, uniform column"
    yield Subject(name, "law", "within", _uniform_law())
    depth = {"epsilon": 2.0, "max_depth": 1, "max_features": 2}
    added = ("add", [0.41, 0.59], 1)
    for name, expected, check in (
        ("MedianForestRegressor, add-remove", "within",
         _fit("MedianForestRegressor", (three, [0.0, 0.0, 1.0]), ("add", [0.41, 0.59], 1.0),
              first_tree(), **depth)),
        ("MedianForestClassifier, add-remove", "within",
         _fit("MedianForestClassifier", (three, [0, 0, 1]), added, first_tree(),
              selection="permute-and-flip", **depth)),
        ("MedianForestClassifier, replace-one", "within",
         _fit("MedianForestClassifier", (three, [0, 0, 1]), ("replace", [0.9, 0.2], 1),
              first_tree(), neighbours="replace-one", **depth)),
        ("MedianForestClassifier, published accounting, its budget", "within",
         _fit("MedianForestClassifier", (three, [0, 0, 1]), added, first_tree(),
              accounting="published", **depth)),
    ):  # fmt: skip
        yield Subject(name, "black box", expected, check)
    yield Subject("MedianForestClassifier, published median by rank", "black box", "caught",
                  _by_rank())  # fmt: skip
