"""Streams and seeds, the records of a tree, the schema, and what a fit stores."""

import math
from dataclasses import replace
from functools import wraps

import numpy as np

from dplit.court.audit.mutants import at, plant
from dplit.domain import Continuous, Domain
from dplit.forests.partition import Independent
from tests.audit.mutants._shapes import MEDIAN, RDF, instead

FIT = at("forests.reading", "WithRecords", "_read_fit")
LABELLED = at("trees.routing", "count_labels")
ASSIGN = at("forests.partition", "Independent", "assign")


# Randomness ------------------------------------------------------------------------------------


class _OneStream:
    """A generator whose children are all one and the same."""

    def __init__(self, rng):
        self.seed = int(rng.integers(2**63))

    def spawn(self, n):
        return [np.random.default_rng(self.seed) for _ in range(n)]


@plant("one stream for all trees", f"{MEDIAN}, where cuts lie",
       at("trees.median", "grow_median_trees"))  # fmt: skip
def _one_stream(original):
    def grow_median_trees(*arguments, rng, **options):
        return original(*arguments, rng=_OneStream(rng), **options)

    return grow_median_trees


instead("a seed is kept", "a tree of DPExtraTreesRegressor", at("forests.noise", "WithNoise", "_generator"),
        lambda self: np.random.default_rng(1))  # fmt: skip


# Records and trees -----------------------------------------------------------------------------


@plant("a record's tree by its label", f"{RDF} draws its law, three records of a class", LABELLED)
def _tree_by_label(original):
    def count_labels(trees, X, y, assigned, *rest):
        return original(trees, X, y, (y % trees.n_trees).astype(assigned.dtype), *rest)

    return count_labels


@plant("equal parts", f"{RDF} draws its law, three records of a class", ASSIGN)
def _equal_parts(original):
    def assign(self, n_records, rng):
        return rng.permutation(n_records) % self.n_trees, self.account

    return assign


@plant("a record counts in two trees", f"{RDF} draws its law, three records of a class", LABELLED)
def _two_trees(original):
    def count_labels(trees, X, y, assigned, *rest):
        following = (assigned + 1) % trees.n_trees
        return original(trees, X, y, assigned, *rest) + original(trees, X, y, following, *rest)

    return count_labels


@plant("trees of all records as if each had its own",
       "DPExtraTreesClassifier, what a record moves",
       at("forests.base", "BaseForest", "_way"))  # fmt: skip
def _all_records_parallel(original):
    class Everything(Independent):
        def parts(self, n_records, rng):
            return [np.arange(n_records)] * self.n_trees, self.account

    return lambda self: Everything(int(self.n_estimators), self.neighbours)


# Schema, shape and what is stored ----------------------------------------------------------------


@plant("a domain widened by the data", f"{RDF}, what a fit stores", FIT)
def _widened(original):
    @wraps(original)
    def _read_fit(self, X, y):
        domain = self.domain
        try:
            self.domain = Domain([_wide(f, c) for f, c in zip(domain, np.asarray(X).T)])
            return original(self, X, y)
        finally:
            self.domain = domain

    return _read_fit


def _wide(feature, column):
    if not isinstance(feature, Continuous):
        return feature
    values = column.astype(float)
    low, high = min(feature.lower, np.nanmin(values)), max(feature.upper, np.nanmax(values))
    return replace(feature, lower=low, upper=high)


@plant("the class list is read off the data", f"{MEDIAN}, what a fit stores",
       at("forests.base", "BaseForestClassifier", "_read_classes"))  # fmt: skip
def _observed_classes(original):
    def _read_classes(self, y):
        declared = self.classes
        try:
            self.classes = sorted(set(np.asarray(y).tolist()) | set(list(declared)[:1]))
            return original(self, y)
        finally:
            self.classes = declared

    return _read_classes


@plant("the number of records is kept", f"{RDF}, what a fit stores", FIT)
def _count_kept(original):
    def _read_fit(self, X, y):
        self.n_records_ = len(X)
        return original(self, X, y)

    return _read_fit


@plant("the depth is read off the number of records", f"{RDF}, what a fit stores",
       at("forests.random_decision", RDF, "fit"))  # fmt: skip
def _depth_of_records(original):
    def fit(self, X, y):
        self.max_depth = int(math.log2(len(X)))
        return original(self, X, y)

    return fit
