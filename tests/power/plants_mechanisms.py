"""Bugs of what each mechanism draws: it is another one while it draws."""

import copy
import math

import numpy as np

from dplit.court.power.registry import releases
from dplit.court.power.releases.mechanisms import KINDS, RATE, SIGMA
from tests.power._planting import LOUD, plants, shifted

PLACES = {"DiscreteGaussian": "discrete_gaussian", "BoundedMean": "bounded_mean"}
PLACES |= {"PermuteAndFlip": "permute_and_flip", "SmoothExponential": "smooth_exponential"}
LAPLACE, GEOMETRIC = math.sqrt(2) / RATE, 1 / (math.sqrt(2) * math.sinh(RATE / 2))
DEVIATIONS = {"Laplace": LAPLACE, "BoundedMean": LAPLACE, "Geometric": GEOMETRIC, "DiscreteGaussian": SIGMA}


def louder(rate):
    """So many times its epsilon, or its deviation divided by that."""

    def wrap(original):
        def careless(self, *given, **named):
            self, times = copy.copy(self), min(rate, LOUD)
            if hasattr(self, "sigma"):
                self.sigma /= times
            else:
                self.epsilon *= times
            return original(self, *given, **named)

        return careless

    return wrap


def given_more(*more):
    """It is told so much more in each argument: one record twice."""

    def wrap(original):
        def careless(self, *given, **named):
            told = [np.asarray(value) + add for value, add in zip(given, more, strict=False)]
            return original(self, *told, *given[len(more) :], **named)

        return careless

    return wrap


def biased(by):
    """What it draws is off by so much on average."""
    add = shifted(by)(lambda value: (value,))
    return lambda original: lambda *given, **named: add(original(*given, **named))[0]


for kind in ("Laplace", *KINDS, "SmoothExponential"):
    place = f"mechanisms.{PLACES.get(kind, kind.lower())}.{kind}.sample"
    more = {"Exponential": [[1, 0, 0]], "PermuteAndFlip": [[1, 0, 0]], "SmoothExponential": [[0, 1]]}
    more = more.get(kind, [2.0, 1] if kind == "BoundedMean" else [1])
    bias = biased(0.2 * DEVIATIONS[kind]) if kind in DEVIATIONS else None
    for one in releases().values():
        if one.estimator == f"mechanisms.{kind}":
            plants(one.name, place, louder, copies=given_more(*more), bias=bias)
