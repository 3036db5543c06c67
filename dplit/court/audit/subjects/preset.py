"""The preset in ``dplit audit``: the number of records that it buys, and the family that the number decides.

The exact rows have one column of two levels, two classes, and numbers from which a histogram is advised.
"""

import math
from itertools import combinations_with_replacement, product

import numpy as np

from dplit.boosting import advise
from dplit.court.audit.subject import AR, fits, subject, worst_of
from dplit.domain import Categorical, Domain
from dplit.mechanisms import Geometric
from dplit.neighbours import neighbouring_data

EPSILON = 8.0
SHARE = 0.01 * EPSILON
FAR = 40  # noise of a count beyond which its log-ratio no longer changes
KIND = "PrivateForestClassifier"
CELLS = tuple(product((0, 1), (0, 1)))
TWO_LEVELS = Domain([Categorical(["a", "b"])])


def _logs_of_the_number(n, most):
    """Log-probability of each number from 1 to `most` that a fit of n records plans for; at 1 it is cut."""
    law = Geometric(SHARE)
    beyond = np.log(law.pmf(np.arange(2, most + 1) - n))
    return np.r_[math.log(law.cdf(1 - n)), beyond]


def _exact(effort, rng):
    """Of every pair, the worst number at which a histogram is advised, and the worst counts with it."""
    most, records = effort.pick(40, 80, 200), effort.pick(3, 4, 5)
    rest = EPSILON - SHARE
    counted = [n for n in range(1, most + 1) if advise(n, rest, 2, 2).family == "histogram"]
    noise, shifted = (Geometric(rest).pmf(np.arange(-FAR, FAR + 1) - moved) for moved in (0, 1))
    of_a_count = float(np.abs(np.log(noise) - np.log(shifted)).max())
    found = []
    for size in range(1, records + 1):
        for data in combinations_with_replacement(CELLS, size):
            for other in neighbouring_data(data, CELLS, AR):
                if not other:
                    continue  # a fit needs one record, which is public
                moved = sum(abs(data.count(cell) - other.count(cell)) for cell in CELLS)
                logs = _logs_of_the_number(size, most) - _logs_of_the_number(len(other), most)
                worst = np.abs(logs)[np.array(counted) - 1].max()
                found.append((float(worst) + moved * of_a_count, str(data), str(other)))
    return worst_of(EPSILON, found)


def planned_for(fitted):
    """Summary: the number of records that the fit was planned for."""
    return fitted.forest_.n_records


def registered():
    """The subjects of this file."""
    yield subject("preset, number and histogram, two classes, add-remove", _exact)
    # at epsilon 80 the number costs 0.8, whatever is fitted afterwards
    number = fits(KIND, ([[0.1], [0.3], [0.6], [0.9]], [0, 0, 1, 1]), ("add", [0.8], 0), planned_for,
                  (300, 2000, 10_000), declared=0.8, epsilon=80.0, max_depth=0)  # fmt: skip
    yield subject(f"{KIND}, number of records", number)
