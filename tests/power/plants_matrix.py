"""Bugs of what matrix forests release: in the one function that adds the noise, whatever the strategy."""

import copy
import math

import numpy as np

from dplit.court.power.releases.matrix import BOTH, DESIGNS, FOREST, HISTOGRAM, KINDS, RATE
from dplit.matrix import DisjointTrees
from tests.power._planting import LOUD, plants, rate_of, shifted

MEASURED = "matrix.release.measured_with"


def louder(rate):
    """The noise is that of so many times its epsilon; the node is made from what it should be."""

    def wrap(original):
        def careless(noise, *given, **named):
            noise = copy.copy(noise)
            object.__setattr__(noise, "epsilon", noise.epsilon * min(rate, LOUD))
            return original(noise, *given, **named)

        return careless

    return wrap


def twice(original):
    """The first record of each class counts twice."""

    def careless(noise, strategy, codes, classes, *given, **named):
        first = np.unique(classes, return_index=True)[1]
        records = np.concatenate([codes, codes[first]]), np.concatenate([classes, classes[first]])
        return original(noise, strategy, *records, *given, **named)

    return careless


def biased(by):
    """What is released of each query that the first record's cell is in is off by so much on average."""
    add = shifted(by)(lambda value: (value,))

    def wrap(original):
        def careless(noise, strategy, codes, classes, *given, **named):
            released = original(noise, strategy, codes, classes, *given, **named)
            rows = np.ones(len(released), dtype=bool)
            if not isinstance(strategy, DisjointTrees):  # which draws each record's tree
                rows = strategy.measure(codes[:1], [0], 1)[:, 0] > 0
            return np.where(rows[:, None], add(released)[0], released)

        return careless

    return wrap


def in_each(wrap):
    """The same bug in each function of a dictionary."""
    return lambda original: {name: wrap(function) for name, function in original.items()}


def deviation(design, mechanism):
    """Of the number that is read, by the moments of the noise and of the draw of a record's tree."""
    noise = 2 / RATE**2 if mechanism == "laplace" else 1 / (2 * math.sinh(RATE / 2) ** 2)
    drawn = 3 / 16 if design.disjoint else 0
    if mechanism == "tree-norm":
        return math.sqrt(20 / 3) / RATE
    return math.sqrt(noise * len(design.tail) + drawn)


for strategy, design in DESIGNS.items():
    for mechanism in KINDS.get(strategy, BOTH):
        name = f"{FOREST}, strategy {strategy}" + ("" if mechanism == "tree-norm" else f", {mechanism}")
        plants(name, MEASURED, louder, copies=twice, bias=biased(0.2 * deviation(design, mechanism)))

RELEASES = {f"{HISTOGRAM}, counts of a cell, {mechanism}": mechanism for mechanism in BOTH}
RELEASES["PrivateForestClassifier, counts of a cell"] = "geometric"
for name, mechanism in RELEASES.items():
    NOISES, by = "forests.histogram.NOISES", 0.2 * deviation(DESIGNS["identity"], mechanism)
    plants(name, NOISES, lambda rate: in_each(rate_of("epsilon")(rate)),
           bias=in_each(shifted(by)), elsewhere=[("a record counted twice", "forests.histogram.cell_counts",
               lambda original: lambda *given: original(*given) + 1)])  # fmt: skip
