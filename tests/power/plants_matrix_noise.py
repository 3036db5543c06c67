"""Bugs of exact noise of a release, and of noise of other shapes."""

import math

from dplit.court.power import laws
from dplit.court.power.releases.matrix import DESIGNS, RATE, variance
from dplit.court.power.releases.matrix_noise import RELEASED
from dplit.matrix import gaussian_scale
from tests.power._planting import LOUD, plants, shifted
from tests.power.plants_matrix import MEASURED, biased, deviation, louder, twice

SAMPLE = "matrix.treenorm.Scaled.sample"


def divided(rate):
    """The noise is divided by the rate."""
    return lambda original: lambda *given, **named: original(*given, **named) / min(rate, LOUD)


def off(by):
    """What is returned is off by so much on average."""
    add = shifted(by)(lambda value: (value,))
    return lambda original: lambda *given, **named: add(original(*given, **named))[0]


def first_off(by):
    """The first of two leaves is off by so much."""

    def wrap(original):
        def careless(*given, **named):
            noise = original(*given, **named)
            noise[:, ::2] += by
            return noise

        return careless

    return wrap


def scaled(rate):
    """The deviation is the one for so many times epsilon."""
    if rate > LOUD:
        return divided(rate)
    return lambda original: lambda epsilon, *given: original(rate * epsilon, *given)


def once_more(original):
    """The first record of each class counts twice: classes come in order, and the first cell's records first."""

    def careless(self, columns, codes, classes, n_classes):
        found = original(self, columns, codes, classes, n_classes)
        more = original(self, columns, codes[:n_classes], range(n_classes), n_classes)
        return found + more

    return careless


for strategy, mechanism in RELEASED.items():
    by = 0.2 * deviation(DESIGNS[strategy], mechanism)
    name = f"matrix.release, strategy {strategy}, exact noise"
    plants(name, MEASURED, louder, copies=twice, bias=biased(by))

plants("matrix.TreeNorm, norm", SAMPLE, divided)
plants("matrix.TreeNorm, norm, exact noise", "matrix.treenorm.TreeNorm.sample_exactly", divided)
for kind, dimension in (("KNorm", 3), ("BlockNorm", 4)):
    by = 0.2 * math.sqrt(variance(laws.cube(dimension))) / RATE
    plants(f"matrix.{kind}, noise of a coordinate", SAMPLE, divided, bias=first_off(by))
plants("matrix.GaussianMarginals, counts of a leaf", "matrix.gaussian.gaussian_scale", scaled,
       elsewhere=[("biased by a fifth of its deviation", "matrix.gaussian.GaussianMarginals.answer",
                   off(0.2 * gaussian_scale(1.0, 1e-6))),
                  ("a record counted twice", "matrix.gaussian.GaussianMarginals._coefficients",
                   once_more)])  # fmt: skip
