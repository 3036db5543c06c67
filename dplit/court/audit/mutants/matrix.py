"""Bugs of a matrix forest: noise too small, shared or of the wrong law, prices, and what records may decide."""

from __future__ import annotations

import numpy as np

from dplit.court.audit.mutants import at, plant

FOREST = "MatrixForestClassifier"
STRATEGY = at("matrix.strategies.base", "Strategy", "sensitivity")


@plant("matrix release at half the scale of its noise", f"{FOREST} draws its law",
       at("matrix.release", "noisy"))  # fmt: skip
def _half_scale(original):
    def noisy(exact, noise, *, rng):
        louder = type(noise)(2 * noise.epsilon, noise.sensitivity)
        return original(exact, louder, rng=rng)

    return noisy


@plant("replace-one at the price of add-remove", "matrix release, cells, replace-one", STRATEGY)
def _replaced_for_one(original):
    def sensitivity(self, neighbours="add-remove", classes=2, signed=False):
        return original(self, "add-remove", classes, signed)

    return sensitivity


@plant("a difference of classes moves by one under replace-one",
       "matrix release, difference of two classes, replace-one", STRATEGY)  # fmt: skip
def _difference_for_one(original):
    def sensitivity(self, neighbours="add-remove", classes=2, signed=False):
        return original(self, "add-remove" if signed else neighbours, classes, signed)

    return sensitivity


@plant("leaves that share a cell are forgotten", "matrix release, distinct leaves, add-remove",
       at("matrix.rank", "most_boxes"))  # fmt: skip
def _one_leaf(original):
    return lambda boxes, patience=None: 1


@plant("merged leaves keep their weight and lose its price", "matrix release, weighted leaves, add-remove",
       at("matrix.strategies.members", "WeightedLeaves", "__init__"))  # fmt: skip
def _merged_price(original):
    def __init__(self, workload):
        original(self, workload)
        self.norm = 2.0  # the distinct trees

    return __init__


@plant("noise for each tree priced once", "matrix release, leaves of each tree, add-remove",
       at("matrix.strategies.members", "PerTree", "__init__"))  # fmt: skip
def _priced_once(original):
    def __init__(self, paths):
        original(self, paths)
        self.norm = 1.0

    return __init__


@plant("trees that agree at half their scale", "matrix release, trees that agree, add-remove",
       at("matrix.strategies.trees", "AgreeingTrees", "noise"))  # fmt: skip
def _agreeing_half(original):
    return lambda self, epsilon, sensitivity: original(self, 2 * epsilon, sensitivity)


@plant("the radius of trees that agree lacks a dimension", f"{FOREST} draws its law, trees that agree",
       at("matrix.treenorm", "Scaled", "sample"))  # fmt: skip
def _short_radius(original):
    def sample(self, size, *, rng):
        radius = rng.gamma(self.dimension, self.scale, size)
        return radius[:, None] * self._points(size, rng)

    return sample


@plant("ensembles share one noise", f"{FOREST} draws its law, two ensembles",
       at("matrix.release", "measure"))  # fmt: skip
def _ensembles_share(original):
    seeds = {}

    def measure(*arguments, rng):
        if id(rng) not in seeds:
            seeds.clear()
            seeds[id(rng)] = (
                int(rng.integers(2**63)),
                rng,
            )  # kept, so that no other one gets its place
        return original(*arguments, rng=np.random.default_rng(seeds[id(rng)][0]))

    return measure


@plant("queries are taken from the records", f"{FOREST}, what a prediction stores",
       at("forests.reading", "WithRecords", "_read_fit"))  # fmt: skip
def _asked_records(original):
    def _read_fit(self, X, y):
        found = original(self, X, y)
        if getattr(self, "queries", None) is not None:
            self.queries = X
        return found

    return _read_fit


@plant("noise of whole numbers for weighted rows", "matrix release, weighted marginals, add-remove",
       at("matrix.release", "noise_for"))  # fmt: skip
def _always_whole(original):
    def noise_for(sensitivity, epsilon, mechanism="geometric", integer=True):
        return original(max(1, int(sensitivity)), epsilon, mechanism)

    return noise_for


@plant("each ensemble at all of epsilon", f"{FOREST} draws its law, two ensembles",
       at("matrix.release", "measure"))  # fmt: skip
def _whole_epsilon(original):
    def measure(strategy, codes, classes, n_classes, epsilon, *rest, rng):
        given = strategy, codes, classes, n_classes
        released, _ = original(*given, 2 * epsilon, *rest, rng=rng)
        return released, original(*given, epsilon, *rest, rng=rng)[1]

    return measure
