"""Bugs of what boosted forests and presets release."""

import math

import numpy as np

from dplit.boosting import STEPS
from dplit.court.power import laws, release
from tests.power._planting import plants, rate_of, shifted, told

AT = "forests.boosted_releases"
SD = math.sqrt(2)  # of Laplace noise, in its units


def twice(values):
    """Each record counts twice."""
    return 2 * values


def _more(scale):
    """What is released is more by a fifth of its deviation; `scale` is that, of the release's arguments."""

    def wrap(original):
        def careless(*given):
            released, *node = original(*given)
            return released + 0.2 * np.reshape(scale(*given), (2, 1, 1)), *node

        return careless

    return wrap


def _pure(sums, epsilon, reach, rng):
    return SD * np.array([reach.up, reach.down]) / STEPS / epsilon


def _concentrated(sums, rho, reach, rng):
    return reach.norm * np.array([reach.up, reach.down]) / STEPS / math.sqrt(2 * rho)


def _first_twice(original):
    """The first of the encoded records stands there twice."""

    def encoded(records, labels, *rest):
        return original(np.append(records[:1], records, axis=0), np.append(labels[:1], labels), *rest)

    return encoded


def _number(name):
    """A whole number is off by a fifth of its deviation."""
    return shifted(0.2 * laws.deviation(release(name).law()))


RHO = rate_of("rho", 2)
for kind in (f"{name}Forest{what}" for name in ("Boosted", "Private") for what in ("Classifier", "Regressor")):
    pairs, test, later = f"{kind}, pair sums of a leaf", f"{kind}, test of a level", ", zero-concentrated"
    for size in (f"{kind}, number of records{which}" for which in ("", ", again")):
        plants(size, f"{AT}.noisy_size", rate_of("share"), told("n_records", lambda n: n + 1), _number(size))
    plants(pairs, f"{AT}.noisy_pairs", rate_of("epsilon"), told("sums", twice), _more(_pure))
    plants(pairs + later, f"{AT}.concentrated_pairs", RHO, told("sums", twice), _more(_concentrated))
    again = [("a record counted twice", "forests.blocks_boosted.encoded", _first_twice)]
    plants(test, f"{AT}.choose_test", rate_of("epsilon"), elsewhere=again)
    plants(test + later, f"{AT}.concentrated_test", RHO, elsewhere=again)
    if kind.endswith("Regressor"):
        name = f"{kind}, target counts"
        plants(name, "forests.releases.noisy_counts", rate_of("epsilon"), told("counts", twice), _number(name))
        continue
    for name in (f"{kind}, class counts", f"{kind}, class counts of a leaf"):
        plants(name, "forests.releases.noisy_counts", rate_of("epsilon"), told("counts", twice), _number(name))
    plants(name + later, f"{AT}.concentrated_counts", RHO, told("counts", twice), _number(name + later))
