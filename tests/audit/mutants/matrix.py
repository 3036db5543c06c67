"""Bugs of a matrix forest: noise too small, shared or of the wrong law, prices, and what records may decide."""

import numpy as np

from dplit.court.audit.mutants import at, plant
from tests.audit.mutants._shapes import DRAWN, instead, told, unpaid

FOREST = "MatrixForestClassifier"
STRATEGY = at("matrix.strategies.base", "Strategy", "sensitivity")


told("matrix release at half the scale of its noise", f"{FOREST}, strategy merged, geometric{DRAWN}",
     at("matrix.release", "noisy"),
     noise=lambda noise: type(noise)(2 * noise.epsilon, noise.sensitivity))  # fmt: skip
told("replace-one at the price of add-remove", "matrix release, cells, replace-one", STRATEGY,
     neighbours=lambda neighbours: "add-remove")  # fmt: skip


@plant("a difference of classes moves by one under replace-one",
       "matrix release, difference of two classes, replace-one", STRATEGY)  # fmt: skip
def _difference_for_one(original):
    def sensitivity(self, neighbours="add-remove", classes=2, signed=False):
        return original(self, "add-remove" if signed else neighbours, classes, signed)

    return sensitivity


instead("leaves that share a cell are forgotten", "matrix release, distinct leaves, add-remove",
        at("matrix.rank", "most_boxes"), lambda boxes, patience=None: 1)  # fmt: skip


def _at_the_norm(norm):
    """A strategy that states another norm than it has."""

    def wrap(original):
        def __init__(self, *arguments):
            original(self, *arguments)
            self.norm = norm

        return __init__

    return wrap


plant("merged leaves keep their weight and lose its price", "matrix release, weighted leaves, add-remove",
      at("matrix.strategies.members", "WeightedLeaves", "__init__"))(_at_the_norm(2.0))  # fmt: skip
plant("noise for each tree priced once", "matrix release, leaves of each tree, add-remove",
      at("matrix.strategies.members", "PerTree", "__init__"))(_at_the_norm(1.0))  # fmt: skip
told("trees that agree at half their scale", "matrix release, trees that agree, add-remove",
     at("matrix.strategies.trees", "AgreeingTrees", "noise"), epsilon=lambda epsilon: 2 * epsilon)  # fmt: skip


@plant("the radius of trees that agree lacks a dimension", f"{FOREST} draws its law, trees that agree",
       at("matrix.treenorm", "Scaled", "sample"))  # fmt: skip
def _short_radius(original):
    def sample(self, size, *, rng):
        radius = rng.gamma(self.dimension, self.scale, size)
        return radius[:, None] * self._points(size, rng)

    return sample


@plant("ensembles share one noise", f"{FOREST}, what a record moves", at("matrix.release", "measure"))
def _ensembles_share(original):
    seeds = {}

    def measure(*arguments, rng):
        if id(rng) not in seeds:
            seeds.clear()
            seeds[id(rng)] = (int(rng.integers(2**63)), rng)  # kept, so that no other one gets its place
        return original(*arguments, rng=np.random.default_rng(seeds[id(rng)][0]))

    return measure


@plant("queries are taken from the records", f"{FOREST}, what a fit stores",
       at("forests.reading", "WithRecords", "_read_fit"))  # fmt: skip
def _asked_records(original):
    def _read_fit(self, X, y):
        found = original(self, X, y)
        if getattr(self, "queries", None) is not None:
            self.queries = X
        return found

    return _read_fit


told("noise of whole numbers for weighted rows", "matrix release, weighted marginals, add-remove",
     at("matrix.release", "noise_for"), integer=lambda integer: True,
     sensitivity=lambda sensitivity: max(1, int(sensitivity)))  # fmt: skip
unpaid("each ensemble at all of epsilon", f"{FOREST}, strategy identity, geometric{DRAWN}",
       at("matrix.release", "measure"), epsilon=lambda epsilon: 2 * epsilon)  # fmt: skip
