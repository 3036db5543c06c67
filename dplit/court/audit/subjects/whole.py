"""Whole fits in ``dplit audit``: neighbouring records on which a careless change shows.

What leaves a fit is more than its labels: names, sizes and schema too. A record outside the bounds, of a
class and a level that no other has; many copies of a record, for which so many times epsilon is
declared, so that no threshold in the counts can hide; two trees looked at together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dplit.budget import Budget
from dplit.court.audit.subject import BlackBox, Fits, Subject, named
from dplit.court.audit.subjects.median import cell
from dplit.domain import Categorical, Continuous, Domain

FORESTS = (
    ("forests", "BoostedForestClassifier"),
    ("forests", "BoostedForestRegressor"),
    ("forests", "PrivateForestClassifier"),
    ("forests", "PrivateForestRegressor"),
    ("forests", "RandomDecisionForestClassifier"),
    ("forests", "MedianForestClassifier"),
    ("forests", "MedianForestRegressor"),
    ("forests", "MultinomialForestClassifier"),
    ("baselines", "JPWClassifier"),
    ("baselines", "FSClassifier"),
    ("baselines", "RGVClassifier"),
    ("baselines", "DPExtraTreesClassifier"),
    ("baselines", "DPExtraTreesRegressor"),
    ("baselines", "DPRandomForestClassifier"),
    ("baselines", "DPRandomForestRegressor"),
    ("baselines", "DPDecisionForestClassifier"),
)
COPIES = 200
FEW = (160, 1000, 5000)  # draws that show what is certain on one side


# Summaries -----------------------------------------------------------------------------------


def stored(fitted):
    """Summary: all that a fit stores, but for what it drew: names, numbers, sizes, schema, budget."""
    parameters = fitted.get_params(deep=False)
    kept = {name: _kept(value) for name, value in vars(fitted).items() if name not in parameters}
    cuts = fitted.trees_.threshold if hasattr(fitted, "trees_") else np.zeros(0)
    outside = bool(((cuts < 0) | (cuts > 1)).any())
    return (outside, *sorted(kept.items()))


def _kept(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape
    if isinstance(value, (Domain, Budget, str, int, float, np.generic)):
        return str(value)
    return type(value).__name__


def first_labels(fitted):
    """Summary: what the first leaf of each tree released, as class or cell; counts as their largest."""
    leaves = fitted.trees_.leaf_starts[:-1]
    if hasattr(fitted, "leaf_labels_"):
        return tuple(fitted.leaf_labels_[leaves].tolist())
    if hasattr(fitted, "leaf_counts_"):
        return tuple(fitted.leaf_counts_[leaves].argmax(axis=1).tolist())
    return tuple(map(cell, fitted.leaf_values_[leaves]))


def votes(fitted):
    """Summary: in how many trees the first leaf released the last class."""
    return sum(first_labels(fitted))


def same_cuts(fitted):
    """Summary: whether the roots of the first two trees have one cut, and what their leaves released."""
    trees = fitted.trees_
    first, second = trees.threshold[trees.roots[:2]]
    return bool(first == second), *first_labels(fitted)


@dataclass(frozen=True)
class far_leaf:  # lower case: used as a function, an object so that processes can share it
    """Summary: the class of the leaf of `record`, and whether `other` lies in another one."""

    record: tuple
    other: tuple

    def __call__(self, fitted):
        """Of the first tree."""
        first, second = fitted.apply([list(self.record), list(self.other)])[:, 0]
        return int(fitted.leaf_labels_[first]), bool(first != second)


# Pairs -----------------------------------------------------------------------------------------


def _fits(where, kind, data, change, summary, draws, **options):
    return BlackBox(Fits(named(where, kind), data, change, summary, None, options), draws)


def _stored(where, kind):
    """Four records: the last one is outside the bounds, and of a class and a level of its own."""
    domain = Domain([Continuous(0, 1), Categorical(["a", "b", "c"])])
    records = [[0.2, "a"], [0.4, "b"], [0.7, "a"]]
    options = {"epsilon": 1.0, "n_estimators": 2, "max_depth": 2, "domain": domain}
    if kind.endswith("Regressor"):
        y, new = [0.0, 0.0, 1.0], 9.0
    else:
        y, new, options["classes"] = [0, 0, 1], 2, [0, 1, 2]
    return _fits(where, kind, (records, y), ("add", [1e6, "c"], new), stored, FEW, **options)


def _confident(where, kind):
    """A leaf of 200 records of one class, and of 200 more of the other: 200 times epsilon."""
    options = {"epsilon": 0.8 / COPIES, "n_estimators": 1, "max_depth": 0}
    data, change = ([[0.5]] * COPIES, [0] * COPIES), (f"add {COPIES}", [0.5], 1)
    return _fits(where, kind, data, change, first_labels, (240, 1500, 8000), **options)


def registered():
    """The subjects of this file."""
    rdf, median = "RandomDecisionForestClassifier", "MedianForestClassifier"
    for where, kind in FORESTS:
        yield Subject(f"{kind}, what a fit stores", "black box", "within", _stored(where, kind))
        if kind.endswith("Classifier"):
            name = f"{kind}, confident leaf, {COPIES} records more"
            yield Subject(name, "black box", "within", _confident(where, kind))
    two = ([[0.5]], [0]), ("add", [0.5], 1), first_labels, (1600, 5000, 20_000)
    options = {"epsilon": 1.5, "n_estimators": 2, "max_depth": 0}
    empty = ([[0.1]] * 2, [0, 0]), ("add", [0.9], 1), far_leaf((0.9,), (0.1,)), (600, 5000, 20_000)
    replaced = ([[0.5]] * 2, [0, 0]), ("replace", [0.5], 1), first_labels, (2000, 5000, 20_000)
    one = {"epsilon": 1.0, "n_estimators": 1, "max_depth": 1}
    swap = {"epsilon": 1.0, "n_estimators": 1, "max_depth": 0, "neighbours": "replace-one"}
    twins = {"epsilon": 1.0, "n_estimators": 2, "max_depth": 1, "selection": "uniform"}
    five = {"epsilon": 0.6, "n_estimators": 5, "max_depth": 0, "partitioned": False}
    for name, check in (
        ("DPExtraTreesClassifier, five trees that read all records",
         _fits("baselines", "DPExtraTreesClassifier", *two[:2], votes, (1600, 5000, 20_000),
               **five)),
        (f"{rdf}, two trees together", _fits("forests", rdf, *two, **options)),
        (f"{rdf}, empty leaf", _fits("forests", rdf, *empty, **one)),
        (f"{rdf}, one record replaced", _fits("forests", rdf, *replaced, **swap)),
        (f"{median}, empty leaf",
         _fits("forests", median, *empty, **one, selection="uniform", rho=0.05)),
        (f"{median}, cuts of two trees together",
         _fits("forests", median, ([[0.5]], [0]), ("add", [0.5], 0), same_cuts, (400, 2000, 8000), **twins)),
    ):  # fmt: skip
        yield Subject(name, "black box", "within", check)
